// The bits of every shipped scenario, equal to those of golden.txt: whatever the processor, its caches and its fused
// multiply-add. A change that moves them on purpose writes the file anew, and the difference lists what moved:
//     RICOCHET_GOLDEN=write build/tests/test_determinism --gtest_filter='Golden.*'
// CMakeLists.txt of the tests runs these once more with the C library's code for fused multiply-add turned off.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/paths.hpp"
#include "support/stacks.hpp"

namespace ricochet::golden_test {
namespace {

constexpr int kMostSteps = 1000, kLeastSteps = 15, kWork = 20000;  // steps, and steps times coordinates, of a scenario
const char* const kFile = RICOCHET_SOURCE_DIR "/tests/determinism/golden.txt";

class Hash {  // FNV-1a, eight bytes at a time
 public:
  void add(double x) { value_ = (value_ ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3ULL; }
  void add(const double* x, Eigen::Index n) {
    std::for_each(x, x + n, [this](double one) { add(one); });
  }
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value_));
    return digits;
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

class Bounded final : public Observer {
 public:
  explicit Bounded(int coordinates) : left_(std::clamp(kWork / coordinates, kLeastSteps, kMostSteps)) {}
  void step(const State&, const State&, const StepReport&) override {}
  bool grid_step(const RunState&) override { return --left_ > 0; }

 private:
  int left_;
};

/// What golden.txt says of a scenario: scheme, steps, hash of the last state.
std::string line_of(const std::string& name) {
  const Scenario s = load_scenario(name);
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState at = begin_run(s.model, *scheme, s.initial);
  Bounded bounded(static_cast<int>(at.state.v.size()));
  run(s.model, *scheme, at, s.policy, &bounded);
  Hash hash;
  hash.add(at.state.t);
  hash.add(at.state.q.data(), at.state.q.size());
  hash.add(at.state.v.data(), at.state.v.size());
  for (const VectorXd& vector : at.state.memory) hash.add(vector.data(), vector.size());
  for (const ContactMemory& contact : at.state.contacts) hash.add(contact.reaction.data(), 3);
  std::ostringstream line;
  line << s.scheme << ' ' << at.step << ' ' << hash.text();
  return line.str();
}

std::map<std::string, std::string> lines_of_scenarios() {
  std::map<std::string, std::string> lines;
  for (const ShippedScenario& scenario : shipped_scenarios()) lines[scenario.name] = line_of(scenario.name);
  return lines;
}

/// Nothing but these settings of Eigen could differ between two processors: first levels of 16, 32 and 48 KiB.
struct Caches {
  int l1, l2, l3;
};
constexpr Caches kCaches[] = {
    {48 << 10, 2 << 20, 36 << 20}, {16 << 10, 128 << 10, 1 << 20}, {32 << 10, 1 << 20, 8 << 20}};

/// Calls `value` with the first settings and expects the same from all; answers with it.
template <class F>
auto with_caches(int settings, F value) {
  const auto l1 = Eigen::l1CacheSize(), l2 = Eigen::l2CacheSize(), l3 = Eigen::l3CacheSize();
  const auto first = value();
  for (const Caches& c : std::span(kCaches).first(static_cast<std::size_t>(settings))) {
    Eigen::setCpuCacheSizes(c.l1, c.l2, c.l3);
    EXPECT_EQ(value(), first) << "with a first-level cache of " << c.l1 << " bytes";
  }
  Eigen::setCpuCacheSizes(l1, l2, l3);
  return first;
}
template <class F>
void with_all_caches(F value) {
  with_caches(static_cast<int>(std::size(kCaches)), value);
}

TEST(Golden, Scenarios) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "minutes; honest_results_test runs every scenario with the sanitizers";
#endif
  const auto lines = with_caches(1, lines_of_scenarios);
  if (const char* mode = std::getenv("RICOCHET_GOLDEN"); mode != nullptr && std::string(mode) == "write") {
    std::ofstream out(kFile);
    out << "# scenario, scheme, steps, hash of the last state; written by tests/determinism/golden_test.cpp\n";
    for (const auto& [name, line] : lines) out << name << ' ' << line << '\n';
    GTEST_SKIP() << "wrote " << kFile;
  }
#ifndef __x86_64__
  GTEST_SKIP() << "the bits on file are those of x86-64";
#endif
  std::map<std::string, std::string> stored;
  std::ifstream in(kFile);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') stored[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  for (const auto& [name, line] : lines)
    EXPECT_EQ(line, stored[name]) << name << " moved; if that is meant: RICOCHET_GOLDEN=write, see CONTRIBUTING.md";
  for (const auto& [name, line] : stored) EXPECT_TRUE(lines.contains(name)) << name << " is no scenario any more";
}

TEST(LongGolden, ScenariosWithAllCaches) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "minutes";
#endif
  with_all_caches(lines_of_scenarios);
}

// The scenarios are small; these are beyond every block size.
TEST(Golden, ProductsAndFactorsDoNotAskTheProcessor) {
  for (const int n : {50, 100, 200, 400}) {
    Eigen::MatrixXd A(n, n), B(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        A(i, j) = 1.0 / (1 + (7 * i + 3 * j) % 101);
        B(i, j) = 1.0 / (3 + (5 * i + 11 * j) % 97) + (i == j ? n : 0);
      }
    with_all_caches([&] {
      Hash hash;
      const Eigen::MatrixXd product = A * B, transposed = A.transpose() * B;
      const Eigen::PartialPivLU<Eigen::MatrixXd> lu(B);
      const Eigen::MatrixXd X = lu.solve(A);
      const Eigen::MatrixXd symmetric = Eigen::MatrixXd(B + B.transpose()).llt().solve(A);
      for (const auto* M : {&product, &transposed, &X, &symmetric}) hash.add(M->data(), M->size());
      return hash.text();
    });
  }
}

/// A complementarity problem of n rows, dense, symmetric and definite.
Problem dense_problem(int n) {
  Problem problem;
  problem.rows = n;
  for (int i = 0; i < n; ++i) problem.blocks.push_back({Cone::nonnegative, i, 1, 0});
  double* W = problem.W.make_dense(n);
  double* b = problem.b.need(n);
  for (int j = 0; j < n; ++j) {
    b[j] = ((7 * j) % 11) / 5.0 - 1;
    for (int i = 0; i < n; ++i) W[i + n * j] = 1.0 / (1 + (7 * i + 7 * j + i * j) % 101) + (i == j ? 0.1 * n : 0);
  }
  return problem;
}

TEST(Golden, SolversDoNotAskTheProcessor) {
  ricochet::test::Boxes boxes(2);
  boxes.wall(6, 5);
  const Problem wall = boxes.problem(0.5), dense = dense_problem(300);
  for (const Solver* solver : {find_solver("auto"), find_solver("lemke"), find_solver("interior-point")})
    for (const Problem* problem : {&wall, &dense}) {
      if (!solver->accepts(*problem)) continue;
      with_all_caches([&] {
        Solution solution;
        SolverScratch scratch;
        solver->solve(*problem, {}, solution, scratch);
        Hash hash;
        hash.add(solution.p.data(), problem->rows);
        hash.add(static_cast<double>(solution.iterations));
        return hash.text();
      });
    }
}

}  // namespace
}  // namespace ricochet::golden_test
