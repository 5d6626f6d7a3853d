// Over-relaxation of Gauss-Seidel against the theory of Young for a chain: with W = tridiag(-1, 2, -1) of n rows and
// every contact closed, plain sweeps contract by cos^2(pi / (n + 1)) and those with omega = 2 / (1 + sin(pi / (n + 1)))
// by omega - 1. Young, Trans. Amer. Math. Soc. 76 (1954).
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/solver/solver.hpp"

namespace ricochet::gauss_seidel_test {
namespace {

constexpr int kRows = 40;

Problem chain(Cone cone, bool sparse) {
  Problem problem;
  const int dim = cone == Cone::nonnegative ? 1 : 3;
  problem.rows = dim * kRows;
  for (int k = 0; k < kRows; ++k) problem.blocks.push_back({cone, dim * k, dim, cone == Cone::nonnegative ? 0 : 0.5});
  if (sparse) {
    std::vector<int> pointers{0}, columns;
    for (int k = 0; k < kRows; ++k) {
      for (int j = std::max(0, k - 1); j <= std::min(kRows - 1, k + 1); ++j) columns.push_back(j);
      pointers.push_back(static_cast<int>(columns.size()));
    }
    double* W = problem.W.make_sparse(dim, kRows, pointers, columns);
    for (int k = 0; k < kRows; ++k)
      for (int at = pointers[k]; at < pointers[k + 1]; ++at)
        for (int i = 0; i < dim; ++i) W[at * dim * dim + i * (dim + 1)] = columns[at] == k ? 2 : -1;
  } else {
    double* W = problem.W.make_dense(problem.rows);
    std::fill(W, W + problem.rows * problem.rows, 0.0);
    for (int i = 0; i < problem.rows; ++i)
      for (int j = 0; j < problem.rows; ++j) W[i + j * problem.rows] = i == j ? 2 : std::abs(i - j) == dim ? -1 : 0;
  }
  double* b = problem.b.zeros(problem.rows);
  for (int k = 0; k < kRows; ++k) b[dim * k] = -1;
  return problem;
}

Solution solve(const Problem& problem, double relaxation) {
  Solution solution;
  SolverScratch scratch;
  solution.fit(problem.rows);
  SolverOptions options;
  options.relaxation = relaxation;
  options.criterion = Criterion::relative;
  options.tolerance = 1e-10;
  find_solver("projected-gauss-seidel")->solve(problem, options, solution, scratch);
  return solution;
}

TEST(GaussSeidel, RelaxationContractsAsYoungSays) {
  const double angle = M_PI / (kRows + 1), best = 2 / (1 + std::sin(angle));
  const double rate = std::log(std::cos(angle) * std::cos(angle)) / std::log(best - 1);  // 0.038
  for (const Cone cone : {Cone::nonnegative, Cone::coulomb})
    for (const bool sparse : {false, true}) {
      const Problem problem = chain(cone, sparse);
      const Solution plain = solve(problem, 1), relaxed = solve(problem, best);
      ASSERT_EQ(plain.status, SolveStatus::converged);
      ASSERT_EQ(relaxed.status, SolveStatus::converged);
      // 2930 and 150 sweeps measured; the powers of a non-normal iteration cost the relaxed ones a little more.
      EXPECT_LT(relaxed.iterations, 1.6 * rate * plain.iterations) << "sparse " << sparse;
      for (int i = 0; i < problem.rows; ++i) EXPECT_NEAR(relaxed.p[i], plain.p[i], 1e-5);
      // p = W^-1 1: a parabola.
      const int dim = problem.blocks[0].dim, middle = kRows / 2 - 1;
      EXPECT_NEAR(relaxed.p[dim * middle], (middle + 1) * (kRows - middle) / 2.0, 1e-5);
    }
}

TEST(GaussSeidel, ItsOwnRelaxationNeedsFewerSweeps) {
  for (const Cone cone : {Cone::nonnegative, Cone::coulomb}) {
    const Problem problem = chain(cone, true);
    const Solution plain = solve(problem, 1), own = solve(problem, 0);
    ASSERT_EQ(own.status, SolveStatus::converged);
    EXPECT_LT(own.iterations, plain.iterations / 2);
  }
}

TEST(GaussSeidel, LittleSteps) {
  const Problem problem = chain(Cone::coulomb, true);
  const Solution plain = solve(problem, 1), small = solve(problem, 0.7);
  ASSERT_EQ(small.status, SolveStatus::converged);
  EXPECT_GT(small.iterations, plain.iterations);
}

}  // namespace
}  // namespace ricochet::gauss_seidel_test
