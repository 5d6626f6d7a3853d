#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "ricochet/solver/solver.hpp"

namespace ricochet::relative_error_test {
namespace {

/// Three contacts in space, the first and the last not coupled; W is not symmetric.
MatrixXd matrix() {
  MatrixXd W(9, 9);
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 9; ++i) W(i, j) = i == j ? 4 + 0.1 * i : std::sin(1 + i + 2.5 * j) / 4;
  W.block(0, 6, 3, 3).setZero();
  W.block(6, 0, 3, 3).setZero();
  return W;
}

void fill_sparse(const MatrixXd& W, Delassus& out) {
  const std::vector<int> pointers{0, 2, 5, 7}, columns{0, 1, 0, 1, 2, 1, 2};
  double* value = out.make_sparse(3, 3, pointers, columns);
  for (int i = 0; i < 3; ++i)
    for (int k = pointers[i]; k < pointers[i + 1]; ++k, value += 9)
      Eigen::Map<Eigen::Matrix3d>(value, 3, 3) = W.block(3 * i, 3 * columns[k], 3, 3);
}

TEST(Delassus, SparseIsTheSameMatrix) {
  const MatrixXd W = matrix();
  Delassus sparse;
  fill_sparse(W, sparse);
  MatrixXd full(9, 9);
  sparse.copy_dense(full.data());
  EXPECT_EQ(W, full);
  const VectorXd p = VectorXd::LinSpaced(9, -1, 2);
  VectorXd u(9);
  Buffer scratch;
  sparse.apply(p.data(), u.data(), scratch);
  EXPECT_LT((u - W * p).norm(), 1e-14 * u.norm());
  double D[9];
  sparse.diagonal_block({Cone::coulomb, 3, 3, 0.5}, D);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(D[i], W(3 + i % 3, 3 + i / 3));
  EXPECT_EQ(sparse.diagonal(7), W(7, 7));
}

Problem problem_of(const MatrixXd& W, double force, double velocity) {
  Problem problem;
  problem.rows = 9;
  for (int k = 0; k < 3; ++k) problem.blocks.push_back({Cone::coulomb, 3 * k, 3, 0.3 + 0.2 * k});
  fill_sparse(W * (velocity / force), problem.W);
  for (int i = 0; i < 9; ++i) problem.b.need(9)[i] = std::cos(3.0 * i) * velocity - (i % 3 == 0 ? velocity : 0);
  return problem;
}

TEST(RelativeError, FollowsItsDefinition) {
  // One contact that slides, by hand: W = 2 I, so rho = 1/2. p = (1, -0.5, 0), u = (0, 1, 0), mu = 1/2 solves b = u - W
  // p.
  Problem problem;
  problem.rows = 3;
  problem.blocks.push_back({Cone::coulomb, 0, 3, 0.5});
  double* W = problem.W.make_dense(3);
  for (int i = 0; i < 9; ++i) W[i] = i % 4 == 0 ? 2 : 0;
  const double p[3] = {1, -0.5, 0}, u[3] = {0, 1, 0};
  for (int i = 0; i < 3; ++i) problem.b.need(3)[i] = u[i] - 2 * p[i];
  EXPECT_NEAR(relative_error(problem, p, u), 0, 1e-16);
  // Nothing applied: r = 0, z = -rho u^ = -(b + mu |b_T| n) / 2 = (1 - 0.5, -1, 0), on the cone ((0.5 + 0.5)/1.25)(1,
  // -0.5).
  const double zero[3] = {0, 0, 0};
  const double n = 0.8, load = std::sqrt(1 + 1) /* |rho b|, b = (-2, 2, 0) */;
  const ErrorParts parts = error_parts(problem, zero, problem.b.data());
  EXPECT_NEAR(parts.impulse, std::sqrt(n * n * 1.25) / load, 1e-15);
  EXPECT_NEAR(parts.velocity, 2 * n / 2, 1e-15);  // |f / rho| of the normal, the largest |b|
  EXPECT_EQ(parts.round_off, 0);
  EXPECT_EQ(relative_error(problem, zero, problem.b.data()), parts.velocity);
  EXPECT_EQ(relative_error(problem, zero, zero), 0);
}

TEST(RelativeError, KnowsNoUnits) {
  const MatrixXd W = matrix();
  const auto error_in = [&](double force, double velocity) {
    const Problem problem = problem_of(W, force, velocity);
    double p[9], u[9];
    for (int i = 0; i < 9; ++i) p[i] = force * (i % 3 == 0 ? 0.7 : 0.1 * std::sin(i));
    Buffer scratch;
    problem.W.apply(p, u, scratch);
    for (int i = 0; i < 9; ++i) u[i] += problem.b[i];
    return relative_error(problem, p, u);
  };
  const double reference = error_in(1, 1);
  EXPECT_GT(reference, 0.01);
  for (const double force : {0x1p-40, 0x1p30})
    for (const double velocity : {0x1p-30, 0x1p50}) EXPECT_EQ(error_in(force, velocity), reference);
}

TEST(RelativeError, ABlockThatVanishesCountsInItsOwnUnit) {
  Problem problem;
  problem.rows = 2;
  for (int k = 0; k < 2; ++k) problem.blocks.push_back({Cone::nonnegative, k, 1, 0});
  double* W = problem.W.make_dense(2);
  W[0] = W[1] = W[2] = W[3] = 0;
  problem.b.zeros(2);
  const double p[2] = {0, 0};
  EXPECT_EQ(relative_error(problem, p, p), 0);
  problem.b[0] = -3, problem.b[1] = 4;
  const ErrorParts parts = error_parts(problem, p, problem.b.data());
  EXPECT_DOUBLE_EQ(parts.impulse, 3.0 / 5);
  EXPECT_DOUBLE_EQ(parts.velocity, 3.0 / 4);
}

TEST(RelativeError, IsWhatASolverStopsAt) {
  const Problem problem = problem_of(matrix(), 1, 1);
  for (const char* name : {"auto", "projected-gauss-seidel", "semismooth-newton"})
    for (const double tolerance : {1e-4, 1e-12}) {
      Solution solution;
      SolverScratch scratch;
      find_solver(name)->solve(problem, {tolerance, 0, Criterion::relative}, solution, scratch);
      EXPECT_EQ(solution.status, SolveStatus::converged) << name;
      EXPECT_LE(solution.residual, tolerance) << name;
      EXPECT_EQ(solution.residual, relative_error(problem, solution.p.data(), solution.u.data())) << name;
    }
}

}  // namespace
}  // namespace ricochet::relative_error_test
