#include "ricochet/io/file/hdf5.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "ricochet/io/file/staged_file.hpp"

namespace ricochet::hdf5_test {
namespace {

namespace fs = std::filesystem;

class Hdf5 : public ::testing::Test {
 protected:
  Hdf5() : folder_(fs::temp_directory_path() / ("ricochet-h5-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Hdf5() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name = "out.h5") const { return folder_ / name; }
  fs::path folder_;
};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Hdf5, AttributesAndFixedDatasets) {
  const std::string long_text(200'000, 'x');
  {
    h5::File f = h5::File::create(file());
    h5::Group root = f.root();
    root.set("scheme", "combined θ");
    root.set("step", 1e-3);
    root.set("steps", std::int64_t{1} << 60);
    root.set("step", 2e-3);
    root.write("scenario", long_text);
    h5::Group model = root.group("model/inner");
    model.write("v", std::vector<double>{1, 2, 3}).set("unit", "m/s");
    model.write("m", std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    model.write("k", std::vector<std::int64_t>{-1, 7});
    model.write("names", std::vector<std::string>{"α", "", "gap.A"});
    model.write("empty", std::vector<double>{});
  }
  const h5::File f = h5::File::open(file());
  const h5::Group root = f.root();
  EXPECT_EQ(root.text("scheme"), "combined θ");
  EXPECT_EQ(root.number("step"), 2e-3);
  EXPECT_EQ(root.integer("steps"), std::int64_t{1} << 60);
  EXPECT_EQ(root.attributes(), (std::vector<std::string>{"scheme", "step", "steps"}));
  EXPECT_EQ(root.names(), (std::vector<std::string>{"model", "scenario"}));
  EXPECT_EQ(root.dataset("scenario").texts(), std::vector<std::string>{long_text});
  EXPECT_TRUE(root.has("model/inner/v"));
  EXPECT_FALSE(root.has("model/outer/v"));
  const h5::Group model = root.group("model/inner");
  EXPECT_EQ(model.path(), "/model/inner");
  EXPECT_EQ(model.dataset("v").numbers(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(model.dataset("v").text("unit"), "m/s");
  EXPECT_EQ(model.dataset("m").rows(), 2U);
  EXPECT_EQ(model.dataset("m").width(), 3U);
  EXPECT_EQ(model.dataset("m").numbers(1, 1), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(model.dataset("k").integers(), (std::vector<std::int64_t>{-1, 7}));
  EXPECT_EQ(model.dataset("k").numbers(), (std::vector<double>{-1, 7}));
  EXPECT_EQ(model.dataset("names").texts(), (std::vector<std::string>{"α", "", "gap.A"}));
  EXPECT_TRUE(model.dataset("empty").numbers().empty());
}

TEST_F(Hdf5, RowsGrowAreReadInSlicesAndTruncated) {
  const std::size_t n = 10'000;
  {
    h5::File f = h5::File::create(file());
    h5::Rows t = f.root().rows("steps/t", 1);
    h5::Rows q = f.root().rows("steps/q", 3);
    h5::Rows k = f.root().integer_rows("steps/k", 1);
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(i);
      t.append(x);
      q.append(std::vector<double>{x, 2 * x, 3 * x});
      k.append(static_cast<std::int64_t>(i));
      if (i % 777 == 0) f.flush();
    }
    EXPECT_EQ(q.rows(), n);
    EXPECT_EQ(q.numbers(9'999), (std::vector<double>{9999, 19998, 29997}));  // not flushed yet
  }
  {
    h5::File f = h5::File::open_writable(file());
    h5::Rows q = f.root().rows("steps/q", 3);
    ASSERT_EQ(q.rows(), n);
    EXPECT_EQ(q.numbers(5'000, 1), (std::vector<double>{5000, 10000, 15000}));
    q.append(std::vector<double>{7, 7, 7});
    q.truncate(n);
    EXPECT_EQ(q.rows(), n);
    q.truncate(100);
    q.append(std::vector<double>{-1, -2, -3});
    EXPECT_THROW(q.append(std::vector<double>{1, 2}), std::logic_error);
    EXPECT_EQ(f.buffered_bytes(), 24U);
  }
  const h5::File f = h5::File::open(file());
  const h5::Dataset q = f.root().dataset("steps/q");
  ASSERT_EQ(q.rows(), 101U);
  EXPECT_EQ(q.numbers(99), (std::vector<double>{99, 198, 297, -1, -2, -3}));
  EXPECT_EQ(f.root().dataset("steps/t").rows(), n);
  EXPECT_TRUE(f.root().dataset("steps/t").is_vector());
  const auto k = f.root().dataset("steps/k").integers();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(k[i], static_cast<std::int64_t>(i));
}

TEST_F(Hdf5, ErrorsNameTheFileAndTheReason) {
  std::ofstream(file("text.h5")) << "no HDF5 in here, only text";
  EXPECT_EQ(error_of([&] { h5::File::open(file("text.h5")); }),
            file("text.h5").string() + ": this is no HDF5 file, or it cannot be read");
  EXPECT_EQ(error_of([&] { h5::File::open(file("none.h5")); }), file("none.h5").string() + ": there is no such file");
  EXPECT_EQ(error_of([&] { h5::File::open(folder_); }),
            folder_.string() + ": this is a folder; accepted: an HDF5 file");
  EXPECT_EQ(error_of([&] { h5::File::create(folder_); }),
            folder_.string() + ": this is a folder; accepted: the name of a file");
  EXPECT_EQ(error_of([&] { h5::File::create(folder_ / "no" / "x.h5"); }),
            (folder_ / "no" / "x.h5").string() + ": cannot be written; accepted: a file in a folder that exists");
  { h5::File::create(file()).root().write("velocity", std::vector<double>{1}); }
  const h5::File f = h5::File::open(file());
  EXPECT_EQ(error_of([&] { f.root().dataset("velocty"); }),
            file().string() + ": /: has no dataset 'velocty'; it has: velocity; did you mean 'velocity'?");
  EXPECT_EQ(error_of([&] { f.root().group("steps"); }), file().string() + ": /: has no group 'steps'");
  EXPECT_EQ(error_of([&] { f.root().text("scheme"); }), file().string() + ": /: has no attribute 'scheme'");
  EXPECT_EQ(error_of([&] { f.root().dataset("velocity").texts(); }),
            file().string() + ": /velocity: does not hold text");
  EXPECT_EQ(error_of([&] { f.root().write("x", std::vector<double>{1}); }),
            file().string() + ": /: 'x' cannot be written: the file is open for reading");
}

TEST_F(Hdf5, NothingChangesOnDiskBetweenFlushes) {
  { h5::File::create(file()).root().set("run", "old"); }
  h5::File f = h5::File::create(file());
  f.root().set("run", "new");
  EXPECT_EQ(h5::File::open(file()).root().text("run"), "old");
  f.flush();
  EXPECT_EQ(h5::File::open(file()).root().text("run"), "new");
  h5::Rows q = f.root().rows("q", 100);
  for (int i = 0; i < 1000; ++i) q.append(std::vector<double>(100, i));
  EXPECT_FALSE(h5::File::open(file()).root().has("q"));
  f.flush();
  EXPECT_EQ(h5::File::open(file()).root().dataset("q").rows(), 1000U);
  for (const auto& second : {h5::File::open_writable, h5::File::create})
    EXPECT_EQ(error_of([&] { second(file()); }), file().string() + ": is being written by process " +
                                                     std::to_string(getpid()) +
                                                     "; accepted: another name, or when that has ended");
}

// A child that does not outlive the test, whatever happens to it.
template <class Work>
pid_t fork_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    work();
    _exit(1);
  }
  return child;
}

/// Until a file has so many bytes, or the child has ended, which it must not.
void wait_for(const fs::path& path, std::uintmax_t bytes, pid_t child) {
  std::error_code missing;
  while (fs::file_size(path, missing) < bytes || missing) {
    ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0);
    std::this_thread::yield();
  }
}

// Writes rows whose entries all follow from their index, and flushes as often as it can.
[[noreturn]] void write_until_killed(const fs::path& path) {
  h5::File f = h5::File::create(path);
  f.root().set("scheme", "combined");
  h5::Rows t = f.root().rows("t", 1);
  h5::Rows q = f.root().rows("steps/q", 7);
  f.flush();
  std::vector<double> row(7);
  for (int i = 0;; ++i) {
    for (int j = 0; j < 7; ++j) row[static_cast<std::size_t>(j)] = i * 7 + j;
    t.append(static_cast<double>(i));
    q.append(row);
    if (i % 20 == 19) f.flush();
  }
}

TEST_F(Hdf5, AKilledRunLeavesWholeRows) {
  std::mt19937 random(std::random_device{}());
  std::size_t most = 0;
  int journals = 0;
  for (int round = 0; round < 20; ++round) {
    fs::remove(file());
    const pid_t child = fork_child([&] { write_until_killed(file()); });
    wait_for(file(), random() % 400'000, child);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    journals += fs::exists(file().string() + ".journal") ? 1 : 0;

    const h5::File f = h5::File::open(file());
    EXPECT_EQ(f.root().text("scheme"), "combined");
    const auto t = f.root().dataset("t").numbers();
    const auto q = f.root().dataset("steps/q").numbers();
    ASSERT_EQ(t.size() % 20, 0U);
    ASSERT_EQ(q.size(), 7 * t.size());
    for (std::size_t i = 0; i < q.size(); ++i) ASSERT_EQ(q[i], static_cast<double>(i));
    for (std::size_t i = 0; i < t.size(); ++i) ASSERT_EQ(t[i], static_cast<double>(i));
    most = std::max(most, t.size());
    EXPECT_FALSE(fs::exists(file().string() + ".journal"));
  }
  EXPECT_GT(most, 100U);
  RecordProperty("commits_cut_short", journals);
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Hdf5, StagedWritesReadBackAndCommitAtOnce) {
  std::mt19937 random(3);
  const std::string path = file("staged").string();
  std::string expected;
  StagedFile staged(path, StagedFile::Mode::create);
  std::string committed;
  for (int round = 0; round < 2'000; ++round) {
    const std::size_t at = random() % 3'000;
    std::string piece(random() % 200 + 1, ' ');
    for (char& c : piece) c = static_cast<char>('a' + random() % 26);
    staged.write(at, piece.data(), piece.size());
    expected.resize(std::max(expected.size(), at + piece.size()), '\0');
    expected.replace(at, piece.size(), piece);
    std::string back(300, '\0');
    const std::size_t from = random() % 3'000;
    staged.read(from, back.data(), back.size());
    std::string want = from < expected.size() ? expected.substr(from, 300) : "";
    want.resize(300, '\0');
    ASSERT_EQ(back, want);
    ASSERT_EQ(content(path), committed);
    if (random() % 10 == 0) {
      staged.commit();
      committed = expected;
      ASSERT_EQ(content(path), committed);
    }
  }
}

TEST_F(Hdf5, ACommitCutShortIsFinishedByTheNextReader) {
  const std::string path = file("staged").string();
  {
    StagedFile staged(path, StagedFile::Mode::create);
    staged.write(0, "old old old", 11);
    staged.commit();
  }
  // The child dies as soon as its journal stands, before or while the file is changed.
  int seen = 0;
  for (int round = 0; round < 200 && seen < 3; ++round) {
    const pid_t child = fork_child([&] {
      StagedFile staged(path, StagedFile::Mode::change);
      for (int k = 0;; ++k) {
        const std::string text(1 << 20, k % 2 == 0 ? 'a' : 'b');
        staged.write(0, text.data(), text.size());
        staged.commit();
      }
    });
    wait_for(path + ".journal", 0, child);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    seen += fs::exists(path + ".journal") ? 1 : 0;
    if (round % 2 == 0)
      StagedFile::recover(path);
    else
      StagedFile(path, StagedFile::Mode::change);
    const std::string text = content(path);
    ASSERT_EQ(text.size(), std::size_t{1} << 20);
    ASSERT_EQ(text.find_first_not_of(text[0]), std::string::npos);
    ASSERT_FALSE(fs::exists(path + ".journal"));
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace ricochet::hdf5_test
