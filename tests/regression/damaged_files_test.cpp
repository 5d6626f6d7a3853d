// Files that break their readers, input without an end, runs that do not listen: one line, within seconds.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "ricochet/io/file/guard.hpp"
#include "ricochet/math/input_error.hpp"
#include "support/problems.hpp"
#include "support/program.hpp"

namespace ricochet::damaged_files_test {
namespace {

namespace fs = std::filesystem;

class DamagedFiles : public test::ProgramTest {
 protected:
  /// A reproduction, copied into the folder of the test.
  bool fetch(const std::string& name) const {
    const fs::path from = test::data_folder() / "found" / name;
    if (!fs::exists(from)) return false;
    fs::copy_file(from, folder_ / name, fs::copy_options::overwrite_existing);
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return true;
  }
  void expect_refusal(const std::string& arguments, const std::string& word) const {
    const Outcome o = ricochet(arguments);
    EXPECT_EQ(o.status, 2) << arguments << "\n" << o.err;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(word), std::string::npos) << arguments << "\n" << o.err;
  }
};

class LongDamagedFiles : public DamagedFiles {};

/// Seconds of the processor that a child has used.
double used_by(pid_t child) {
  std::istringstream in(test::slurp("/proc/" + std::to_string(child) + "/stat"));
  std::string field;
  for (int k = 0; k < 13; ++k) in >> field;  // its name is one word
  double user = 0;
  in >> user;
  return user / static_cast<double>(sysconf(_SC_CLK_TCK));
}

TEST_F(DamagedFiles, Segv) {
  if (!fetch("segv.h5")) GTEST_SKIP() << test::no_data();
  for (const char* command : {"verify segv.h5", "export segv.h5 --csv a.csv", "report segv.h5 -o a.html",
                              "plot segv.h5 -o a.svg", "run --resume segv.h5"})
    expect_refusal(command, "damaged");
  EXPECT_FALSE(has("a.csv") || has("a.html") || has("a.svg"));
}

TEST_F(DamagedFiles, Loop) {
  if (!fetch("loop.h5")) GTEST_SKIP() << test::no_data();
  expect_refusal("verify loop.h5", "does not end");  // after two seconds of the processor
}
TEST_F(LongDamagedFiles, Loop) {
  if (!fetch("loop.h5")) GTEST_SKIP() << test::no_data();
  expect_refusal("run --resume loop.h5", "does not end");
}

TEST_F(DamagedFiles, FclibOf2GB) {
  if (!fetch("fclib-2GB.hdf5")) GTEST_SKIP() << test::no_data();
  const Outcome o = shell("ulimit -v 1000000; '" RICOCHET_BINARY_DIR "/ricochet' solve fclib-2GB.hdf5");
#ifndef __SANITIZE_ADDRESS__  // which takes terabytes of addresses
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("claims"), std::string::npos) << o.err;
#endif
  expect_refusal("solve fclib-2GB.hdf5", "the file is damaged");
}

TEST_F(DamagedFiles, ImpossibleTolerance) {
  if (!fetch("tol.yaml")) GTEST_SKIP() << test::no_data();
  expect_refusal("run tol.yaml", "accepted: at least 1.0e-14");
  expect_refusal("run bouncing-ball --no-output --tolerance 1e-300", "double precision");
  EXPECT_EQ(ricochet("run bouncing-ball --no-output --until 0.1 --tolerance 1e-6").status, 0);
}

TEST_F(DamagedFiles, InputWithoutAnEnd) {
  for (const char* command : {"solve /dev/zero", "run /dev/zero", "verify /dev/zero", "run --resume /dev/zero",
                              "study bouncing-ball --resume --cells /dev/zero"})
    expect_refusal(command, "accepted:");
  const Outcome o =
      shell("mkfifo endless && { yes 1 >endless 2>/dev/null & } && '" RICOCHET_BINARY_DIR "/ricochet' solve endless");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("256 MiB"), std::string::npos) << o.err;
}

// What a scenario names is a file: of a pipe nobody knows whether anybody will ever write to it.
TEST_F(DamagedFiles, PipesInScenarios) {
  shell("mkfifo pipe");
  for (const char* at : {"pipe", "/dev/zero"})
    for (const char* system : {"bodies: {a: {fixed: true, brep: AT}}", "bodies: {a: {fixed: true, step: AT}}",
                               "bodies: {a: {shapes: [{mesh: {file: AT}, density: 1000}]}}",
                               "flexible: {a: {mesh: AT, young: 1e7, poisson: 0.3, density: 1000}}"}) {
      std::string text = std::string("system: {") + system + "}\nsimulation: {scheme: auto, step: 1e-3, until: 1}\n";
      text.replace(text.find("AT"), 2, at);
      std::ofstream(folder_ / "piped.yaml") << text;
      const Outcome o = shell("timeout 20 '" RICOCHET_BINARY_DIR "/ricochet' run piped.yaml");
      EXPECT_EQ(o.status, 2) << text << o.err;
      EXPECT_NE(o.err.find("device or a pipe"), std::string::npos) << text << o.err;
    }
}

TEST_F(DamagedFiles, StepOfMinutes) {
  std::ofstream(folder_ / "long.yaml") << test::kMillionsOfImpacts;
  for (const int number : {SIGTERM, SIGINT}) {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0 || freopen("out.txt", "w", stdout) == nullptr ||
          freopen("err.txt", "w", stderr) == nullptr)
        _exit(99);
      execl(RICOCHET_BINARY_DIR "/ricochet", "ricochet", "run", "long.yaml", "-o", "a.h5", nullptr);
      _exit(98);
    }
    // Into its first step, which takes more than a minute; one that did not listen would end by itself, with 0.
    while (!has("a.h5") || used_by(child) < 0.2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + number) << status;
    EXPECT_NE(file("err.txt").find("--resume a.h5"), std::string::npos) << file("err.txt");
    const Outcome o = ricochet("verify a.h5");
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("status interrupted"), std::string::npos) << o.out;
    fs::remove(folder_ / "a.h5");
  }
}

TEST(Guard, TellsWhatHappened) {
  const auto message = [](const std::function<void()>& read) {
    try {
      guarded("file", {1, 64}, read);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_EQ(message([] {}), "read");
  EXPECT_EQ(message([] { throw InputError("place", "words"); }), "place: words");
  EXPECT_EQ(message([] { throw std::runtime_error("words"); }), "file: words");
  EXPECT_EQ(message([] { abort(); }), "file: the file is damaged: the library that reads it breaks");
  EXPECT_EQ(message([] { throw std::bad_alloc(); }), "file: the file is damaged: reading it takes more than 64 MiB");
  const auto endless = [] {
    for (;;) getppid();
  };
  EXPECT_EQ(message(endless), "file: the file is damaged: reading it does not end within 1 s");
}

// The one that reads ends with the one that waits for it, even if that is killed.
TEST(Guard, ChildrenEndWithTheirParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    guarded("file", {60, 64}, [] { pause(); });
    _exit(0);
  }
  close(ends[1]);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // The other end is open as long as one of them lives.
  char nothing = 0;
  EXPECT_EQ(read(ends[0], &nothing, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace ricochet::damaged_files_test
