// Parts of a problem that W does not couple are solved each by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ricochet/solver/solver.hpp"
#include "support/stacks.hpp"

namespace ricochet::islands_test {
namespace {

using test::Boxes;
using test::join;
using test::Joined;

Problem column(int height, unsigned seed, double load = 1) {
  Boxes boxes(seed);
  boxes.column(0, height);
  Problem problem = boxes.problem(0.4);
  for (int i = 0; i < problem.rows; ++i) problem.b[i] *= load;
  return problem;
}

/// A body between two walls that close by `gap`: infeasible if that is below zero.
Problem vice(double gap) {
  Problem problem;
  problem.rows = 6;
  for (int k = 0; k < 2; ++k) problem.blocks.push_back({Cone::coulomb, 3 * k, 3, 0.5});
  double* W = problem.W.make_sparse(3, 2, {0, 2, 4}, {0, 1, 0, 1});
  for (int block = 0; block < 4; ++block)
    for (int i = 0; i < 3; ++i) W[9 * block + 4 * i] = block == 0 || block == 3 ? 1 : -1;
  problem.b.zeros(6)[0] = -1;
  problem.b[3] = 1 + gap;
  return problem;
}

Solution solve(const Problem& problem, double tolerance, Criterion criterion, const char* solver = "auto") {
  Solution solution;
  SolverScratch scratch;
  find_solver(solver)->solve(problem, {tolerance, 0, criterion}, solution, scratch);
  return solution;
}

TEST(Islands, AreSolvedBitForBitAsIfAlone) {
  for (const char* solver : {"auto", "proximal-newton", "interior-point"}) {
    std::vector<Problem> parts;
    for (const int height : {5, 1, 8, 2, 5}) parts.push_back(column(height, 7 + static_cast<unsigned>(height)));
    const Joined joined = join(parts, false);
    const Solution whole = solve(joined.problem, 1e-11, Criterion::velocity, solver);
    EXPECT_EQ(whole.status, SolveStatus::converged);
    int most = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      // The tolerance is on the largest |b| of the whole.
      double size = 1, own = 1;
      for (int i = 0; i < joined.problem.rows; ++i) size = std::max(size, std::abs(joined.problem.b[i]));
      for (int i = 0; i < parts[k].rows; ++i) own = std::max(own, std::abs(parts[k].b[i]));
      const Joined alone = join({parts[k]}, parts[k].rows <= 30);
      const Solution part = solve(alone.problem, 1e-11 * size / own, Criterion::velocity, solver);
      EXPECT_EQ(part.status, SolveStatus::converged);
      most = std::max(most, part.iterations);
      for (std::size_t a = 0; a < joined.place[k].size(); ++a)
        for (int i = 0; i < 3; ++i)
          ASSERT_EQ(whole.p[3 * joined.place[k][a] + i], part.p[3 * static_cast<int>(a) + i]) << solver << " " << k;
    }
    EXPECT_EQ(whole.iterations, most);
  }
}

TEST(Islands, TheWholeMeetsTheToleranceWhateverTheSizesOfTheParts) {
  for (const bool dense : {false, true})
    for (const double load : {1e-14, 1e-6, 1.0, 1e6})
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        std::vector<Problem> parts;
        for (int k = 0; k < 4; ++k) parts.push_back(column(2 + k, 3, k % 2 == 0 ? 1.0 : load));
        const Joined joined = join(parts, dense);
        const Solution solution = solve(joined.problem, tolerance, Criterion::relative);
        EXPECT_EQ(solution.status, SolveStatus::converged) << load << " " << tolerance;
        EXPECT_LE(relative_error(joined.problem, solution.p.data(), solution.u.data()), tolerance);
      }
}

TEST(Islands, AnInfeasibleOneLeavesTheOthersTheirMultipliers) {
  for (const Criterion criterion : {Criterion::velocity, Criterion::relative})
    for (const bool dense : {false, true}) {
      const std::vector<Problem> parts{column(3, 1), vice(-0.5), column(5, 2)};
      const Joined joined = join(parts, dense);
      const Solution whole = solve(joined.problem, 1e-10, criterion);
      EXPECT_EQ(whole.status, SolveStatus::infeasible);
      const std::set<int> guilty(joined.place[1].begin(), joined.place[1].end());
      EXPECT_TRUE(guilty.count(whole.blame)) << whole.blame;
      for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
        const Joined alone = join({parts[k]}, dense);
        Solution part = solve(alone.problem, 1e-10, criterion);
        for (std::size_t a = 0; a < joined.place[k].size(); ++a)
          for (int i = 0; i < 3; ++i) part.p[3 * static_cast<int>(a) + i] = whole.p[3 * joined.place[k][a] + i];
        Buffer scratch;
        alone.problem.W.apply(part.p.data(), part.u.data(), scratch);
        for (int i = 0; i < alone.problem.rows; ++i) part.u[i] += alone.problem.b[i];
        EXPECT_LE(natural_residual(alone.problem, part.p.data(), part.u.data()), 1e-8) << k;
      }
    }
}

TEST(Islands, AContradictionInTheRoundOffOfTheOthersIsNone) {
  std::vector<Problem> parts{column(3, 1), vice(-0.5)};
  for (int i = 0; i < 6; ++i) parts[1].b[i] *= 1e-15;
  const Joined joined = join(parts, false);
  EXPECT_EQ(solve(joined.problem, 1e-10, Criterion::relative).status, SolveStatus::converged);
  EXPECT_EQ(solve(joined.problem, 1e-12, Criterion::velocity).status, SolveStatus::converged);
}

TEST(Islands, ZerosStoredBetweenThemDoNotJoinThem) {
  const std::vector<Problem> parts{column(3, 1), column(4, 2)};
  Joined joined = join(parts, false);
  const Solution reference = solve(joined.problem, 1e-12, Criterion::velocity);
  const int n = joined.problem.rows / 3;
  std::vector<double> all(9 * static_cast<std::size_t>(n) * n);
  joined.problem.W.copy_dense(all.data());
  std::vector<int> pointers{0}, columns;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) columns.push_back(b);
    pointers.push_back(n * (a + 1));
  }
  double* at = joined.problem.W.make_sparse(3, n, pointers, columns);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) *at++ = all[static_cast<std::size_t>(3 * a + i + (3 * b + j) * 3 * n)];
  const Solution solution = solve(joined.problem, 1e-12, Criterion::velocity);
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_EQ(solution.iterations, reference.iterations);
}

}  // namespace
}  // namespace ricochet::islands_test
