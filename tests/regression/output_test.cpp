// What the program writes, and what stands where it writes: devices, links, other runs, full disks, odd names.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "support/program.hpp"

namespace ricochet::output_test {
namespace {

namespace fs = std::filesystem;
const std::string kRicochet = "'" RICOCHET_BINARY_DIR "/ricochet' ";

class Output : public test::ProgramTest {
 protected:
  ~Output() override { end(SIGKILL); }

  void result() const { ASSERT_EQ(ricochet("run bouncing-ball -o a.h5").status, 0); }

  /// A run without an end in the background. It commits often, and so what there is to read grows slowly.
  void start(const std::string& output) {
    std::ofstream(folder_ / "long.yaml") << R"(
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    potential: 2*q
    contacts: {wall: {gap: q, restitution: 0.9}}
initial: {position: {q: 1}}
simulation: {scheme: moreau-jean, step: 1e-6, until: 1000}
)";
    child_ = fork();
    if (child_ == 0) {
      if (chdir(folder_.c_str()) != 0 || freopen("run-out.txt", "w", stdout) == nullptr ||
          freopen("run-err.txt", "w", stderr) == nullptr)
        _exit(99);
      execl(RICOCHET_BINARY_DIR "/ricochet", "ricochet", "run", "long.yaml", "--record-every", "20",
            "--checkpoint-every", "200", "-o", output.c_str(), nullptr);
      _exit(98);
    }
    // Until it is well under way: before the first flush the file comes into being in more than one step.
    std::error_code missing;
    const auto size = [&] { return has(output) ? fs::file_size(folder_ / output, missing) : 0; };
    while ((size() < 100000 || missing) && waitpid(child_, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  int end(int number) {
    if (child_ <= 0) return 0;
    if (number != 0) kill(child_, number);
    int status = 0;
    waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  pid_t child_ = -1;
};

const char* const kWriters[] = {"report a.h5 -o ",
                                "plot a.h5 -o ",
                                "export a.h5 --csv ",
                                "export a.h5 --events ",
                                "compare bouncing-ball --until 0.1 -o ",
                                "study bouncing-ball --until 0.1 --count 2 --reference exact --cells c.csv -o ",
                                "study bouncing-ball --until 0.1 --count 2 --reference exact -o c.html --cells ",
                                "run bouncing-ball -o b.h5 --until 0.1 --report "};

TEST_F(Output, LinksStayAndAreFollowed) {
  result();
  int k = 0;
  for (const std::string command : kWriters) {
    const std::string ending = command.starts_with("plot") ? ".svg" : ".txt";
    const std::string link = "link" + std::to_string(k) + ending, target = "target" + std::to_string(k++) + ending;
    fs::create_symlink(target, folder_ / link);
    for (int again = 0; again < 2; ++again) {  // a target that is not there yet, and one that is
      const Outcome o = ricochet(command + link);
      EXPECT_EQ(o.status, 0) << command << o.err;
      EXPECT_TRUE(fs::is_symlink(folder_ / link)) << command;
      EXPECT_TRUE(fs::is_regular_file(folder_ / target)) << command;
    }
  }
  fs::create_directory(folder_ / "far");
  fs::create_symlink("far/b.h5", folder_ / "link.h5");
  EXPECT_EQ(ricochet("run bouncing-ball --until 0.1 -o link.h5").status, 0);
  EXPECT_EQ(ricochet("run bouncing-ball --until 0.1 -o link.h5").status, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.h5") && fs::is_regular_file(folder_ / "far/b.h5"));
  EXPECT_EQ(ricochet("verify link.h5").status, 0);
}

TEST_F(Output, DevicesAndPipesAreWrittenTo) {
  result();
  for (const std::string command : kWriters) {
    if (command.starts_with("plot")) continue;
    const Outcome o = ricochet(command + "/dev/null");
    EXPECT_EQ(o.status, 0) << command << o.err;
    EXPECT_TRUE(fs::is_character_file("/dev/null")) << command;
  }
  ASSERT_TRUE(fs::is_character_file("/dev/null"));
  const Outcome o = shell("mkfifo pipe && { cat pipe >page.html & } && " + kRicochet + "report a.h5 -o pipe && wait");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(file("page.html").find("</html>"), std::string::npos);
  // Results are no stream.
  EXPECT_EQ(ricochet("run bouncing-ball -o /dev/null").status, 2);
}

TEST_F(Output, PermissionsStay) {
  result();
  ASSERT_EQ(ricochet("report a.h5 -o page.html").status, 0);
  chmod((folder_ / "page.html").c_str(), 0640);
  ASSERT_EQ(ricochet("report a.h5 -o page.html").status, 0);
  struct stat status = {};
  ASSERT_EQ(stat((folder_ / "page.html").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

// A limit on the size of files is a disk that is full.
TEST_F(Output, FullDisk) {
  result();
  ASSERT_EQ(ricochet("run slider-crank --until 0.02 --dump-problems every=1 --dump-to problems --no-output").status, 0);
  const std::string problem = fs::directory_iterator(folder_ / "problems")->path().string();
  const std::size_t before = entries();
  std::vector<std::string> commands{"run bouncing-ball -o b.h5", "solve '" + problem + "' -o b.txt",
                                    "solve '" + problem + "' --convert b.cones", "plot a.h5 -o b.png",
                                    "plot a.h5 -o b.svg"};
  for (const std::string command : kWriters)
    if (!command.starts_with("plot") && !command.starts_with("run")) commands.push_back(command + "b.txt");
  for (const std::string& command : commands) {
    // What is printed goes through a pipe: the limit is for files alone.
    const Outcome o = shell("(ulimit -f 0; " + kRicochet + command + "; echo $? >&2) 2>&1 | cat >&2");
    EXPECT_NE(o.err.find("\n3\n"), std::string::npos) << command << "\n" << o.err;
    EXPECT_NE(o.err.find("ricochet: "), std::string::npos) << command << "\n" << o.err;
  }
  fs::remove(folder_ / "c.html");
  fs::remove(folder_ / "c.csv");
  EXPECT_EQ(entries(), before);
  EXPECT_EQ(shell(kRicochet + "verify a.h5 >/dev/full").status, 3);
  EXPECT_EQ(shell(kRicochet + "report a.h5 -o /dev/full").status, 3);
  EXPECT_EQ(shell(kRicochet + "export a.h5 --csv - >/dev/full").status, 3);
}

// Some flushes succeed, then there is no room: what they left can be read and resumed.
TEST_F(Output, ADiskThatFillsUp) {
  const Outcome o = shell("(ulimit -f 4000; " + kRicochet +
                          "run bouncing-ball --step 5e-4 --checkpoint-every 100 -o b.h5; echo $? >&2) 2>&1 | cat >&2");
  EXPECT_NE(o.err.find("\n3\n"), std::string::npos) << o.err;
  EXPECT_EQ(ricochet("verify b.h5").status, 0);
  EXPECT_EQ(ricochet("run --resume b.h5").status, 0);
  EXPECT_EQ(ricochet("verify b.h5").status, 0);
}

TEST_F(Output, RemovedReplacedOrCutDuringARun) {
  // Cut several times: what falls between a commit's look at the file and its writing is not seen.
  const std::pair<const char*, const char*> ways[] = {
      {"rm a.h5", "removed"},
      {"cp a.h5 b.h5; mv -f b.h5 a.h5", "replaced"},
      {"for k in 1 2 3 4 5; do truncate -s 100 a.h5; sleep 0.1; done", "changed"}};
  for (const auto& [way, word] : ways) {
    start("a.h5");
    shell(way);
    EXPECT_EQ(end(0), 3) << way;
    EXPECT_NE(file("run-err.txt").find(word), std::string::npos) << way << file("run-err.txt");
    shell("rm -f a.h5 b.h5 a.h5.journal");
  }
}

TEST_F(Output, OneRunAtATime) {
  start("a.h5");
  for (const char* command : {"run bouncing-ball -o a.h5", "run --resume a.h5"}) {
    const Outcome o = ricochet(command);
    EXPECT_EQ(o.status, 2) << o.err;
    EXPECT_NE(o.err.find("process " + std::to_string(child_)), std::string::npos) << o.err;
  }
  EXPECT_EQ(end(SIGKILL), 128 + SIGKILL);
  EXPECT_EQ(ricochet("verify a.h5").status, 0);
  EXPECT_EQ(ricochet("run bouncing-ball -o a.h5").status, 0);
}

// What is read is the state of the last flush, whenever it is asked for.
TEST_F(Output, AFileThatIsBeingWrittenCanBeRead) {
  start("a.h5");
  for (int k = 0; k < 10; ++k) {
    const Outcome o = ricochet("verify a.h5");
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("status running"), std::string::npos) << o.out;
  }
  EXPECT_EQ(ricochet("export a.h5 --csv a.csv").status, 0);
  EXPECT_EQ(end(SIGTERM), 128 + SIGTERM);
}

TEST_F(Output, NothingIsLeftOfKilledRuns) {
  for (int k = 0; k < 30; ++k) {
    shell("timeout -s KILL 0.0" + std::to_string(10 + 2 * k) + " " + kRicochet +
          "run bouncing-ball -o a.h5 --checkpoint-every 1 --report a.html");
  }
  ASSERT_EQ(ricochet("run bouncing-ball -o a.h5 --report a.html").status, 0);
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().string().find("part"), std::string::npos) << entry.path();
  // Where the system has no files without names they have provisional ones; whoever lives holds a lock on them.
  std::ofstream(folder_ / ".ricochet-1-0.part") << "stale";
  ASSERT_EQ(ricochet("report a.h5 -o a.html").status, 0);
  EXPECT_FALSE(has(".ricochet-1-0.part"));
}

TEST_F(Output, OddValuesAreOneLine) {
  result();
  const std::string name(300, 'a'), name250(250, 'a');
  const std::size_t before = entries();
  for (const std::string command : {"run bouncing-ball -o ''",
                                    "run bouncing-ball --scheme ''",
                                    "run bouncing-ball --step ''",
                                    "run ''",
                                    "run bouncing-ball --set ''",
                                    "run bouncing-ball --dump-problems ''",
                                    "compare bouncing-ball --schemes ''",
                                    "plot a.h5 --what ''",
                                    "plot a.h5 --title ''",
                                    "export a.h5 --csv ''",
                                    "verify ''",
                                    "solve ''",
                                    "list ''",
                                    "run NAME",
                                    "run bouncing-ball -o NAME",
                                    "run bouncing-ball -o NAME250.h5",
                                    "run bouncing-ball --report NAME",
                                    "run bouncing-ball --no-output --scheme NAME",
                                    "plot a.h5 -o NAME.svg",
                                    "plot a.h5 --what NAME",
                                    "report a.h5 -o NAME",
                                    "report NAME",
                                    "export a.h5 --csv NAME",
                                    "export a.h5 --csv a.csv --columns NAME",
                                    "compare bouncing-ball -o NAME",
                                    "study bouncing-ball -o NAME",
                                    "study bouncing-ball --cells NAME",
                                    "verify NAME",
                                    "solve NAME",
                                    "reproduce NAME",
                                    "list NAME",
                                    "NAME",
                                    "run --resume NAME",
                                    "solve a.h5 -o NAME",
                                    "run bouncing-ball --step 1e400",
                                    "run bouncing-ball --step nan",
                                    "run bouncing-ball --step -0",
                                    "run bouncing-ball --step 1e-400",
                                    "run bouncing-ball --until 1e400",
                                    "run bouncing-ball --until -1",
                                    "run bouncing-ball --tolerance nan",
                                    "run bouncing-ball --tolerance -0",
                                    "run bouncing-ball --record-every -1",
                                    "run bouncing-ball --record-every 1e400",
                                    "run bouncing-ball --record-every 99999999999999999999",
                                    "run bouncing-ball --checkpoint-every nan",
                                    "run bouncing-ball --threads 0",
                                    "run bouncing-ball --threads 1e9",
                                    "plot a.h5 --scale nan",
                                    "plot a.h5 --scale 1e400",
                                    "plot a.h5 --width -1",
                                    "plot a.h5 --from nan",
                                    "plot a.h5 --to 1e400",
                                    "export a.h5 --csv a.csv --every 0",
                                    "export a.h5 --csv a.csv --every nan",
                                    "study bouncing-ball --steps nan",
                                    "study bouncing-ball --steps 1e400",
                                    "study bouncing-ball --steps -0",
                                    "study bouncing-ball --count 1e9",
                                    "study bouncing-ball --time-scale nan",
                                    "study bouncing-ball --value-scale -1",
                                    "compare bouncing-ball --threads -1",
                                    "compare bouncing-ball --step nan",
                                    "solve a.h5 --tolerance nan",
                                    "solve a.h5 --tolerance -0",
                                    "solve a.h5 --tolerance 1e400",
                                    "solve a.h5 --max-iterations -1",
                                    "solve a.h5 --relaxation nan",
                                    "solve a.h5 --time-limit nan",
                                    "reproduce --jobs 0"}) {
    std::string line = command;
    if (const std::size_t at = line.find("NAME250"); at != std::string::npos) line.replace(at, 7, name250);
    if (const std::size_t at = line.find("NAME"); at != std::string::npos) line.replace(at, 4, name);
    const Outcome o = ricochet(line);
    EXPECT_EQ(o.status, 2) << command << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << command << "\n" << o.err;
    EXPECT_TRUE(o.err.starts_with("ricochet: ")) << o.err;
    EXPECT_LT(o.err.size(), 2500U) << o.err;
    EXPECT_EQ(o.err.find("filesystem error"), std::string::npos) << o.err;
    EXPECT_EQ(o.out, "") << command;
  }
  EXPECT_EQ(entries(), before);
}

}  // namespace
}  // namespace ricochet::output_test
