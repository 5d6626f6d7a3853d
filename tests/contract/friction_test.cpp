// Contacts in space: `auto` on the published problems, and every solver on contacts against planted solutions.
// The problems are not part of the project: they are looked for in ../shared/data, or where RICOCHET_DATA points.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <random>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/problems.hpp"

namespace ricochet::friction_test {
namespace {

Solution solve(const char* solver, const Problem& problem, double tolerance) {
  Solution solution;
  SolverScratch scratch;
  find_solver(solver)->solve(problem, {tolerance, 0, Criterion::relative}, solution, scratch);
  return solution;
}

/// Of p alone, with W as given.
double judge(const Problem& problem, const Solution& solution) {
  std::vector<double> u(problem.rows);
  Buffer scratch;
  problem.W.apply(solution.p.data(), u.data(), scratch);
  for (int i = 0; i < problem.rows; ++i) u[i] += problem.b[i];
  return relative_error(problem, solution.p.data(), u.data());
}

TEST(FrictionData, AutoSolvesAllToThreeTolerances) {
  const std::vector<std::string> files = test::data_files("fclib/text");
  if (files.empty()) GTEST_SKIP() << test::no_data();
  for (const std::string& file : files) {
    const LoadedProblem loaded = make_problem(read_problem(file));
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
      const Solution solution = solve("auto", loaded.problem, tolerance);
      EXPECT_EQ(solution.status, SolveStatus::converged) << file << " " << tolerance;
      EXPECT_LE(judge(loaded.problem, solution), tolerance) << file;
    }
  }
  EXPECT_EQ(files.size(), 43u);
}

TEST(FrictionData, UnitsChangeNeitherErrorNorIterations) {
  const std::filesystem::path folder = test::data_folder() / "fclib/text";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << test::no_data();
  for (const char* name :
       {"Capsules-i97-269", "Gen_HeavyOnLight-00040-nc0125", "LMGC_100_PR_PerioBox-i00361-60-03000", "Rover1041"}) {
    const LoadedProblem loaded = make_problem(read_problem((folder / name).string() + ".fc3d"));
    const Problem& problem = loaded.problem;
    const Solution reference = solve("auto", problem, 1e-12);
    for (const auto& [force, velocity] : {std::pair{0x1p13, 0x1p-8}, {0x1p-31, 1.0}, {1.0, 0x1p21}}) {
      Problem other = problem;
      const bool dense = problem.W.storage() == Delassus::Storage::dense;
      double* W = dense ? other.W.make_dense(problem.rows)
                        : other.W.make_sparse(3, problem.rows / 3, problem.W.pointers(), problem.W.columns());
      const double* given = dense ? problem.W.dense() : problem.W.blocks();
      const std::size_t count =
          dense ? static_cast<std::size_t>(problem.rows) * problem.rows : 9 * problem.W.columns().size();
      for (std::size_t i = 0; i < count; ++i) W[i] = given[i] * (velocity / force);
      for (int i = 0; i < problem.rows; ++i) other.b[i] = problem.b[i] * velocity;
      const Solution scaled = solve("auto", other, 1e-12);
      EXPECT_EQ(scaled.iterations, reference.iterations) << name;
      EXPECT_EQ(scaled.residual, reference.residual) << name;
      for (int i = 0; i < problem.rows; ++i) ASSERT_EQ(scaled.p[i], reference.p[i] * force) << name;
    }
  }
}

struct Planted {
  int contacts, dofs;
  double mass_ratio, mu, skew;
};

/// Contacts that open, stick and slide, u and p known; b = u - W p. W = H^T M^-1 H plus something skew.
Problem plant(const Planted& how, unsigned seed, VectorXd& u) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const int m = 3 * how.contacts;
  MatrixXd H(how.dofs, m);
  for (Index i = 0; i < H.size(); ++i) H.data()[i] = any(random);
  for (int i = 0; i < how.dofs; ++i) H.row(i) *= std::pow(how.mass_ratio, -0.5 * i / how.dofs);
  MatrixXd W = H.transpose() * H;
  if (how.skew > 0) {
    const MatrixXd K = MatrixXd::NullaryExpr(how.dofs, how.dofs, [&] { return how.skew * any(random); });
    W += H.transpose() * (K - K.transpose()) * H;
  }
  Problem problem;
  problem.rows = m;
  VectorXd p = VectorXd::Zero(m);
  u = VectorXd::Zero(m);
  for (int a = 0; a < how.contacts; ++a) {
    problem.blocks.push_back({Cone::coulomb, 3 * a, 3, how.mu});
    const double angle = 3 * any(random), size = 1 + any(random) / 2;
    const Eigen::Vector2d d(std::cos(angle), std::sin(angle));
    if (a % 3 == 0) {
      u[3 * a] = size, u.segment(3 * a + 1, 2) = d * any(random);
    } else {
      p[3 * a] = size;
      p.segment(3 * a + 1, 2) = how.mu * size * (a % 3 == 1 ? 0.5 : 1.0) * d;
      if (a % 3 == 2) u.segment(3 * a + 1, 2) = -d * (1 + any(random) / 2);
    }
  }
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(m));
  const VectorXd b = u - W * p;
  std::copy(b.data(), b.data() + m, problem.b.need(m));
  return problem;
}

const Planted kPlanted[] = {{30, 120, 1, 0.4, 0},   {30, 60, 1, 0.4, 0},   {30, 60, 1, 0.4, 0.02},
                            {12, 30, 1e6, 0.5, 0},  {20, 40, 1, 0.0, 0.0}, {15, 60, 1, 1e-9, 0.0},
                            {40, 90, 1e3, 0.7, 0.0}};

TEST(Friction, PlantedProblemsAreSolvedByEverySolverOnContacts) {
  for (const char* solver : {"auto", "interior-point", "interior-point-fixed-point", "proximal-newton"})
    for (const Planted& how : kPlanted)
      for (unsigned seed = 1; seed <= 3; ++seed) {
        VectorXd u;
        const Problem problem = plant(how, seed, u);
        const Solution solution = solve(solver, problem, 1e-12);
        EXPECT_EQ(solution.status, SolveStatus::converged) << solver << " " << &how - kPlanted << " " << seed;
        EXPECT_LE(judge(problem, solution), 1e-12) << solver << " " << &how - kPlanted << " " << seed;
      }
}

TEST(Friction, VelocitiesAgreeWhereTheyAreUnique) {
  // Little friction on a well-conditioned W: the solution is the planted one.
  for (unsigned seed = 1; seed <= 3; ++seed) {
    VectorXd u;
    const Problem problem = plant({20, 120, 1, 0.1, 0.01}, seed, u);
    for (const char* solver : {"auto", "interior-point", "interior-point-fixed-point", "proximal-newton",
                               "projected-gauss-seidel", "semismooth-newton"}) {
      const Solution solution = solve(solver, problem, 1e-12);
      ASSERT_EQ(solution.status, SolveStatus::converged) << solver;
      const Eigen::Map<const VectorXd> found(solution.u.data(), problem.rows);
      EXPECT_LT((found - u).norm(), 1e-9 * u.norm()) << solver;
    }
  }
}

TEST(Friction, WhatContradictsItselfIsSaidToBeInfeasible) {
  // A body between two walls that close: u_1 + u_2 = b_1 + b_2 < 0 whatever the impulses.
  for (const double mu : {0.0, 0.5}) {
    Problem problem;
    problem.rows = 6;
    for (int k = 0; k < 2; ++k) problem.blocks.push_back({Cone::coulomb, 3 * k, 3, mu});
    double* W = problem.W.make_sparse(3, 2, {0, 2, 4}, {0, 1, 0, 1});
    for (int block = 0; block < 4; ++block)
      for (int i = 0; i < 3; ++i) W[9 * block + 4 * i] = block == 0 || block == 3 ? 1 : -1;
    problem.b.zeros(6)[0] = -1;
    problem.b[3] = 0.5;
    const Solution solution = solve("auto", problem, 1e-8);
    EXPECT_EQ(solution.status, SolveStatus::infeasible) << mu;
    EXPECT_GE(solution.blame, 0);
    problem.b[3] = 1.5;
    EXPECT_EQ(solve("auto", problem, 1e-8).status, SolveStatus::converged) << mu;
  }
}

TEST(Friction, AWallThatNothingCanPushIsToBlame) {
  Problem problem;
  problem.rows = 6;
  for (int k = 0; k < 2; ++k) problem.blocks.push_back({Cone::coulomb, 3 * k, 3, 0.5});
  double* W = problem.W.make_sparse(3, 2, {0, 1, 2}, {0, 1});
  for (int i = 0; i < 3; ++i) W[4 * i] = 2;
  problem.b.zeros(6)[0] = -1;
  EXPECT_EQ(solve("auto", problem, 1e-12).status, SolveStatus::converged);
  problem.b[3] = -1;
  const Solution solution = solve("auto", problem, 1e-12);
  EXPECT_EQ(solution.status, SolveStatus::infeasible);
  EXPECT_EQ(solution.blame, 1);
}

}  // namespace
}  // namespace ricochet::friction_test
