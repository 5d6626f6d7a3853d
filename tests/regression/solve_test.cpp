// `ricochet solve` and `run --dump-problems` as their users meet them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/paths.hpp"

namespace ricochet::solve_test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string out, err;
};

class SolveTest : public ::testing::Test {
 protected:
  SolveTest() : folder_(fs::temp_directory_path() / ("ricochet-solve-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SolveTest() override { fs::remove_all(folder_); }

  static std::string slurp(const fs::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  Outcome run(const std::string& arguments) const {
    const std::string line = "cd '" + folder_.string() + "' && '" RICOCHET_BINARY_DIR "/ricochet' " + arguments;
    const int status = std::system((line + " >stdout 2>stderr").c_str());  // NOLINT
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, slurp(folder_ / "stdout"), slurp(folder_ / "stderr")};
  }
  void file(const char* name, const char* text) const { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

TEST_F(SolveTest, ThreadsChangeNoBit) {
  const std::string problem = RICOCHET_SOURCE_DIR "/problems/box-corners.cones";
  ASSERT_EQ(run("solve '" + problem + "' -o one.txt").status, 0);
  ASSERT_EQ(run("solve '" + problem + "' --threads 3 -o three.txt").status, 0);
  EXPECT_EQ(slurp(folder_ / "one.txt"), slurp(folder_ / "three.txt"));
  ASSERT_EQ(run("run rigid-box --until 0.3 -o one.h5").status, 0);
  ASSERT_EQ(run("run rigid-box --until 0.3 --threads 3 -o three.h5").status, 0);
  EXPECT_EQ(slurp(folder_ / "one.h5"), slurp(folder_ / "three.h5"));
  for (const char* wrong : {"0", "-1", "x", "1000"}) {
    const Outcome refused = run("solve '" + problem + "' --threads " + wrong);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_NE(refused.err.find("--threads"), std::string::npos) << refused.err;
  }
}

TEST_F(SolveTest, AnswersWithTableJsonAndFiles) {
  file("a.lcp", "lcp 1\n2 4\n0 0 2\n0 1 1\n1 0 1\n1 1 2\n-5\n-6\n");  // z = (4/3, 7/3)
  const Outcome table = run("solve a.lcp");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("solved"), std::string::npos);
  EXPECT_NE(table.out.find("map, rho=1"), std::string::npos);
  const Outcome json = run("solve a.lcp --json --tolerance 1e-12 -o z.txt");
  ASSERT_EQ(json.status, 0) << json.err;
  const auto j = nlohmann::json::parse(json.out);
  EXPECT_EQ(j.at(0).at("solver"), "auto");
  EXPECT_TRUE(j.at(0).at("solved"));
  EXPECT_LE(j.at(0).at("error"), 1e-12);
  EXPECT_LE(j.at(0).at("error_impulse"), 1e-12);
  EXPECT_LE(j.at(0).at("error_velocity"), 1e-12);
  std::istringstream solution(slurp(folder_ / "z.txt"));
  std::string comment;
  std::getline(solution, comment);
  double row = 0, z = 0, w = 0;
  solution >> row >> z >> w;
  EXPECT_NEAR(z, 4.0 / 3, 1e-14);
  const Outcome all = run("solve a.lcp --all-solvers --profile p.svg");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.out.find("lemke"), std::string::npos);
  EXPECT_NE(slurp(folder_ / "p.svg").find("<svg"), std::string::npos);
  EXPECT_EQ(run("solve a.lcp --convert b.dat").status, 0);
  EXPECT_EQ(run("solve b.dat --tolerance 1e-12").status, 0);
}

TEST_F(SolveTest, ImpulsesOfLeastNorm) {
  file("twice.lcp", "lcp 1\n2 4\n0 0 1\n0 1 1\n1 0 1\n1 1 1\n-2\n-2\n");  // z_0 + z_1 = 2, one contact twice
  const Outcome json = run("solve twice.lcp --minimum-norm --solver lemke --json -o z.txt");
  ASSERT_EQ(json.status, 0) << json.err;
  const auto j = nlohmann::json::parse(json.out).at(0);
  EXPECT_TRUE(j.at("minimum_norm"));
  EXPECT_NEAR(j.at("norm"), std::sqrt(2), 1e-12);
  EXPECT_NE(run("solve twice.lcp --minimum-norm").out.find("least"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(run("solve twice.lcp --solver lemke --json").out).at(0).at("minimum_norm"));
}

TEST_F(SolveTest, SaysWhatIsWrong) {
  // u_0 = p_0 - p_1 - 1, u_1 = p_1 - p_0 - 1: they never are both positive.
  file("no.lcp", "lcp 1\n2 4\n0 0 1\n0 1 -1\n1 0 -1\n1 1 1\n-1\n-1\n");
  const Outcome none = run("solve no.lcp");
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("infeasible"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("row"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("proof: 0.5 u[0] + 0.5 u[1] <= -1 for all impulses"), std::string::npos) << none.err;
  const auto proof = nlohmann::json::parse(run("solve no.lcp --json").out).at(0).at("proof");
  EXPECT_NEAR(proof.at("closing"), 1, 1e-12);
  EXPECT_EQ(proof.at("weights").size(), 2u);
  file("cut.lcp", "lcp 1\n2 4\n0 0 1\n");
  const Outcome cut = run("solve cut.lcp");
  EXPECT_EQ(cut.status, 2);
  EXPECT_EQ(cut.err.rfind("ricochet: cut.lcp:2: ", 0), 0u) << cut.err;
  EXPECT_EQ(run("solve nowhere.lcp").status, 2);
  EXPECT_EQ(run("solve no.lcp --solver lemek").status, 2);
  EXPECT_EQ(run("solve no.lcp --tolerance 0").status, 2);
  EXPECT_EQ(run("solve no.lcp --profile x.svg").status, 2);
}

TEST_F(SolveTest, ProblemsOfARunAreSolvedAgain) {
  const Outcome dump = run("run slider-crank --until 0.01 --no-output --dump-problems every=10,contacts=1 --dump-to d");
  ASSERT_EQ(dump.status, 0) << dump.err;
  ASSERT_FALSE(fs::is_empty(folder_ / "d"));
  EXPECT_EQ(run("solve d/*.cones --tolerance 1e-12").status, 0);
  const Outcome plain = run("run slider-crank --until 0.01 --json --no-output");
  const Outcome watched = run("run slider-crank --until 0.01 --json --no-output --dump-problems all --dump-to e");
  EXPECT_EQ(nlohmann::json::parse(plain.out).at("energy"), nlohmann::json::parse(watched.out).at("energy"));
  EXPECT_EQ(run("run slider-crank --until 0.01 --no-output --dump-problems often").status, 2);
  EXPECT_EQ(run("run slider-crank --until 0.01 --no-output --dump-problems all --dump-form doc").status, 2);
}

}  // namespace
}  // namespace ricochet::solve_test
