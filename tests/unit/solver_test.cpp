#include "ricochet/solver/solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/math/small_lu.hpp"
#include "ricochet/solver/frame/cores.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"
#include "support/paths.hpp"

namespace ricochet::solver_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void add_block(Problem& problem, Cone cone, int dim, double mu = 0) {
  problem.blocks.push_back({cone, problem.rows, dim, mu});
  problem.rows += dim;
}

void set(Problem& problem, const MatrixXd& W, const VectorXd& b) {
  ASSERT_EQ(W.rows(), problem.rows);
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
  std::copy(b.data(), b.data() + b.size(), problem.b.need(problem.rows));
}

Solution solve(const char* solver, const Problem& problem, const VectorXd& start = {}) {
  Solution solution;
  SolverScratch scratch;
  solution.fit(problem.rows);
  for (Index i = 0; i < start.size(); ++i) solution.p[i] = start[i];
  find_solver(solver)->solve(problem, {}, solution, scratch);
  return solution;
}

VectorXd vector(const Buffer& buffer, int n) { return Eigen::Map<const VectorXd>(buffer.data(), n); }

/// Rows of G^T of the rocking block (1 by 1.5, mass 1) standing on corners A and B: normal and tangential of each.
MatrixXd block_rows() {
  MatrixXd G(4, 3);
  G << 0, 1, -0.5,  //
      1, 0, 0.75,   //
      0, 1, 0.5,    //
      1, 0, 0.75;
  return G;
}

Problem standing_block(double mu, const Eigen::Vector3d& free_velocity) {
  const double J = (1 + 1.5 * 1.5) / 12;
  const MatrixXd G = block_rows();
  const Eigen::Vector3d inverse_mass(1, 1, 1 / J);
  Problem problem;
  add_block(problem, Cone::coulomb, 2, mu);
  add_block(problem, Cone::coulomb, 2, mu);
  set(problem, G * inverse_mass.asDiagonal() * G.transpose(), G * free_velocity);
  return problem;
}

TEST(SmallLu, SolvesLikeEigen) {
  for (int n = 1; n <= 12; ++n) {
    const MatrixXd A = MatrixXd::Random(n, n);
    const VectorXd b = VectorXd::Random(n);
    MatrixXd lu = A;
    VectorXd x = b, y = b;
    std::vector<int> pivots(static_cast<std::size_t>(n));
    ASSERT_TRUE(lu_factorise(lu.data(), pivots.data(), n));
    lu_solve(lu.data(), pivots.data(), n, x.data());
    lu_solve_transposed(lu.data(), pivots.data(), n, y.data());
    EXPECT_LT((A * x - b).norm(), 1e-13 * x.norm() * n);              // measured 2e-15
    EXPECT_LT((A.transpose() * y - b).norm(), 1e-13 * y.norm() * n);  // measured 2e-15
  }
}

TEST(SmallLu, RefusesWhatIsSingular) {
  MatrixXd A(3, 3);
  A << 1, 2, 3, 2, 4, 6, 1, 1, 1;
  int pivots[3];
  EXPECT_FALSE(lu_factorise(A.data(), pivots, 3));
  A.setConstant(std::nan(""));
  EXPECT_FALSE(lu_factorise(A.data(), pivots, 3));
}

TEST(SmallLu, LeastNormIsThatOfTheCompleteOrthogonalDecomposition) {
  for (int n = 2; n <= 9; ++n)
    for (int rank = 1; rank <= n; ++rank) {
      const MatrixXd G = MatrixXd::Random(n, rank), A = G * G.transpose();
      const VectorXd b = A * VectorXd::Random(n);
      MatrixXd copy = A;
      VectorXd x = b, work(minimum_norm_work(n));
      std::vector<int> index(static_cast<std::size_t>(minimum_norm_index(n)));
      EXPECT_EQ(solve_minimum_norm(copy.data(), n, x.data(), 1, work.data(), index.data(), 1e-10), rank);
      // Conditioning of the random factors; measured 3e-10 at worst.
      EXPECT_LT((x - test::pseudo_inverse(A) * b).norm(), 1e-7 * x.norm()) << n << " " << rank;
    }
}

TEST(Delassus, FactoredAndDenseAreOneMatrix) {
  Jacobian L, Y;
  for (Jacobian* G : {&L, &Y}) {
    const double shift = G == &L ? 0 : 0.25;
    double* a = G->add(2, Range{0, 3}, Range{6, 2});
    for (int i = 0; i < 10; ++i) a[i] = std::sin(1 + i + shift);
    double* b = G->add(1, Range{3, 4});
    for (int i = 0; i < 4; ++i) b[i] = std::sin(20 + i + shift);
    double* c = G->add(3, Range{1, 5});
    for (int i = 0; i < 15; ++i) c[i] = std::sin(40 + i + shift);
  }
  Delassus dense, factored;
  dense.form(L, Y, 8, Delassus::Storage::dense);
  factored.form(L, Y, 8, Delassus::Storage::factored);
  MatrixXd full(6, 6);
  factored.copy_dense(full.data());
  const VectorXd p = VectorXd::LinSpaced(6, -1, 2);
  VectorXd u(6), v(6);
  Buffer scratch;
  dense.apply(p.data(), u.data(), scratch);
  factored.apply(p.data(), v.data(), scratch);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(u[i], v[i], 1e-14);
    EXPECT_EQ(dense.diagonal(i), factored.diagonal(i));
    for (int j = 0; j < 6; ++j) EXPECT_EQ(dense(i, j), full(i, j));
  }
  const ConeBlock block{Cone::coulomb, 3, 3, 0.5};
  double D[9], F[9];
  dense.diagonal_block(block, D);
  factored.diagonal_block(block, F);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(D[i], F[i]);
  EXPECT_EQ(D[1 + 3 * 2], full(4, 5));
}

TEST(NaturalResidual, IsTheVelocityOfAClosedRowAndThePenetrationOfAnOpenOne) {
  Problem problem;
  add_block(problem, Cone::free, 1);
  add_block(problem, Cone::nonnegative, 1);
  add_block(problem, Cone::nonnegative, 1);
  set(problem, 2 * MatrixXd::Identity(3, 3), VectorXd::Zero(3));
  const double p[3] = {1, 1, 0}, exact[3] = {0, 0, 5};
  EXPECT_EQ(natural_residual(problem, p, exact), 0);
  const double slow[3] = {0, 0.25, 5};
  EXPECT_EQ(natural_residual(problem, p, slow), 0.25);
  const double sunk[3] = {0, 0, -0.5};
  EXPECT_EQ(natural_residual(problem, p, sunk), 0.5);
  const double torn[3] = {-3, 0, 5};
  EXPECT_EQ(natural_residual(problem, p, torn), 3);
  const double pulled[3] = {1, -1, 0};
  EXPECT_EQ(natural_residual(problem, pulled, exact), 2);  // |p| / rho
  const double broken[3] = {0, std::nan(""), 5};
  EXPECT_TRUE(std::isnan(natural_residual(problem, p, broken)));
}

TEST(NaturalResidual, KnowsTheDeSaxceTerm) {
  // Sliding along +t with u_N = 0: right for Coulomb's law, wrong for the associated one, which wants u_N = mu |u_T|.
  for (int dim : {2, 3}) {
    for (const Cone cone : {Cone::coulomb, Cone::second_order}) {
      Problem problem;
      add_block(problem, cone, dim, 0.5);
      set(problem, MatrixXd::Identity(dim, dim), VectorXd::Zero(dim));
      const double p[3] = {2, -1, 0}, u[3] = {0, 3, 0};
      if (cone == Cone::coulomb) {
        EXPECT_LT(natural_residual(problem, p, u), 1e-15);
      } else {
        EXPECT_GT(natural_residual(problem, p, u), 0.5);
      }
    }
  }
}

TEST(Solvers, TheTableIsFoundByName) {
  EXPECT_EQ(solvers().front(), find_solver("auto"));
  for (const Solver* solver : solvers()) EXPECT_EQ(find_solver(solver->info().name), solver);
  EXPECT_EQ(find_solver("none"), nullptr);
}

TEST(Solvers, BlockAtRestOnTwoCorners) {
  // Four rows of rank three, both corners sticking: normal impulses are unique, tangential ones only in their sum.
  const Eigen::Vector3d falling(0.01, -0.0981, 0);
  const Problem problem = standing_block(0.3, falling);
  for (const Solver* solver : solvers()) {
    SCOPED_TRACE(solver->info().name);
    ASSERT_TRUE(solver->accepts(problem));
    const Solution s = solve(solver->info().name.c_str(), problem);
    ASSERT_EQ(s.status, SolveStatus::converged);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.u[i], 0, 1e-12);  // auto, lemke, enumeration: 1e-17
    EXPECT_NEAR(s.p[0] + s.p[2], 0.0981, 1e-12);
    EXPECT_NEAR(s.p[1] + s.p[3], -0.01, 1e-12);
    EXPECT_NEAR(0.5 * (s.p[2] - s.p[0]) + 0.75 * (s.p[1] + s.p[3]), 0, 1e-12);
    EXPECT_LE(std::abs(s.p[1]), 0.3 * s.p[0]);
    EXPECT_LE(std::abs(s.p[3]), 0.3 * s.p[2]);
  }
  EXPECT_TRUE(solve("auto", problem).minimum_norm);
}

TEST(Solvers, BlockSlidesOnTwoCorners) {
  const Problem problem = standing_block(0.3, {0.5, -0.0981, 0});
  for (const Solver* solver : solvers()) {
    SCOPED_TRACE(solver->info().name);
    const Solution s = solve(solver->info().name.c_str(), problem);
    ASSERT_EQ(s.status, SolveStatus::converged);
    for (int k : {0, 2}) {
      EXPECT_NEAR(s.u[k], 0, 1e-12);
      EXPECT_NEAR(s.u[k + 1], 0.5 - 0.3 * 0.0981, 1e-12);
      EXPECT_NEAR(s.p[k + 1], -0.3 * s.p[k], 1e-16);
    }
  }
}

/// A cube (side 2a = 1, mass 1, J = 1/6) on its four lower corners.
Problem standing_box(double mu, const VectorXd& free_velocity) {
  const double a = 0.5, J = 1.0 / 6;
  MatrixXd G(12, 6);
  int row = 0;
  Problem problem;
  for (const auto& [x, y] : {std::pair{-a, -a}, {a, -a}, {-a, a}, {a, a}}) {
    const Eigen::Vector3d r(x, y, -a);
    for (const Eigen::Vector3d& d : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0)}) {
      G.row(row).head<3>() = d;
      G.row(row++).tail<3>() = r.cross(d);
    }
    add_block(problem, Cone::coulomb, 3, mu);
  }
  VectorXd inverse_mass(6);
  inverse_mass << 1, 1, 1, 1 / J, 1 / J, 1 / J;
  set(problem, G * inverse_mass.asDiagonal() * G.transpose(), G * free_velocity);
  return problem;
}

TEST(Solvers, BoxOnFourCornersSticksAndSlides) {
  VectorXd v(6);
  v << 0.01, 0.005, -0.0981, 0, 0, 0.002;
  const Problem rest = standing_box(0.4, v);
  v << 0.3, 0.4, -0.0981, 0, 0, 0;
  const Problem slide = standing_box(0.4, v);
  for (const char* name : {"auto", "projected-gauss-seidel", "semismooth-newton"}) {
    SCOPED_TRACE(name);
    const Solution s = solve(name, rest);
    ASSERT_EQ(s.status, SolveStatus::converged);
    EXPECT_LT(vector(s.u, 12).cwiseAbs().maxCoeff(), 2e-12);  // auto 3e-17
    const Solution t = solve(name, slide);
    ASSERT_EQ(t.status, SolveStatus::converged);
    double normal = 0;
    for (int k = 0; k < 12; k += 3) {
      normal += t.p[k];
      EXPECT_NEAR(t.u[k], 0, 2e-12);
      // Speed 0.5 less mu g h, along the same direction.
      EXPECT_NEAR(t.u[k + 1], 0.6 * (0.5 - 0.4 * 0.0981), 2e-12);
      EXPECT_NEAR(t.u[k + 2], 0.8 * (0.5 - 0.4 * 0.0981), 2e-12);
      EXPECT_NEAR(std::hypot(t.p[k + 1], t.p[k + 2]), 0.4 * t.p[k], 1e-16);
    }
    EXPECT_NEAR(normal, 0.0981, 1e-12);
  }
}

TEST(Solvers, SlidingDoesNotLiftOffAsTheAssociatedLawWould) {
  for (int dim : {2, 3}) {
    for (const Cone cone : {Cone::coulomb, Cone::second_order}) {
      Problem problem;
      add_block(problem, cone, dim, 0.5);
      VectorXd b = VectorXd::Zero(dim);
      b[0] = -1, b[1] = 4;
      set(problem, MatrixXd::Identity(dim, dim), b);
      for (const Solver* solver : solvers()) {
        if (!solver->accepts(problem)) continue;
        SCOPED_TRACE(solver->info().name);
        const Solution s = solve(solver->info().name.c_str(), problem);
        ASSERT_EQ(s.status, SolveStatus::converged);
        if (cone == Cone::coulomb) {
          EXPECT_NEAR(s.u[0], 0, 1e-15);
          EXPECT_NEAR(s.p[0], 1, 1e-15);
          EXPECT_NEAR(s.p[1], -0.5, 1e-15);
        } else {
          // p = P_K(-b) = 2.4 (1, -1/2), so u_N = 1.4 = mu |u_T|
          EXPECT_NEAR(s.u[0], 1.4, 1e-14);
          EXPECT_NEAR(s.p[0], 2.4, 1e-14);
        }
      }
    }
  }
}

TEST(Lemke, DoesNotCycleWhereTiesWouldMakeIt) {
  // All ratios tie; with ties broken by the first row, pivoting on this matrix returns to its start.
  Problem problem;
  add_block(problem, Cone::nonnegative, 3);
  MatrixXd W(3, 3);
  W << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  set(problem, W, VectorXd::Constant(3, -1));
  const Solution s = solve("lemke", problem);
  ASSERT_EQ(s.status, SolveStatus::converged);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.p[i], 1.0 / 3, 1e-15);
  EXPECT_LE(s.iterations, 8);
}

TEST(Lemke, ARayMeansInfeasible) {
  Problem problem;
  add_block(problem, Cone::nonnegative, 2);
  MatrixXd W(2, 2);
  W << 0, 0, 0, 1;
  set(problem, W, Eigen::Vector2d(-1, -1));
  for (const char* name : {"lemke", "enumeration", "auto"})
    EXPECT_EQ(solve(name, problem).status, SolveStatus::infeasible) << name;
  EXPECT_NE(solve("projected-gauss-seidel", problem).status, SolveStatus::converged);
  EXPECT_NE(solve("semismooth-newton", problem).status, SolveStatus::converged);
}

TEST(Auto, OneRow) {
  const auto one = [](double w, double b) {
    Problem problem;
    add_block(problem, Cone::nonnegative, 1);
    set(problem, MatrixXd::Constant(1, 1, w), VectorXd::Constant(1, b));
    return solve("auto", problem);
  };
  EXPECT_EQ(one(2, -3).p[0], 1.5);
  EXPECT_EQ(one(2, 3).p[0], 0);
  EXPECT_EQ(one(2, 3).u[0], 3);
  EXPECT_EQ(one(0, 3).status, SolveStatus::converged);
  EXPECT_EQ(one(0, -3).status, SolveStatus::infeasible);
  EXPECT_EQ(one(0, -3).residual, 3);
  EXPECT_EQ(one(-1, -3).status, SolveStatus::infeasible);
  for (double b : {std::nan(""), kInfinity, -kInfinity}) {
    EXPECT_EQ(one(1, b).status, SolveStatus::singular);
    EXPECT_EQ(one(1, b).p[0], 0);
  }
  EXPECT_EQ(one(std::nan(""), -1).status, SolveStatus::singular);
  EXPECT_EQ(one(kInfinity, -1).status, SolveStatus::singular);
}

TEST(Auto, AGoodWarmStartNeedsOneSystem) {
  // Sliding either way, at rest, and tilting over one corner: the modes are read off the multipliers.
  for (const Eigen::Vector3d& v : {Eigen::Vector3d(0.5, -0.1, 0), Eigen::Vector3d(-0.5, -0.1, 0),
                                   Eigen::Vector3d(0.01, -0.1, 0), Eigen::Vector3d(0.2, -0.1, -0.9)}) {
    const Problem problem = standing_block(0.3, v);
    const Solution cold = solve("auto", problem);
    ASSERT_EQ(cold.status, SolveStatus::converged);
    const Solution warm = solve("auto", problem, vector(cold.p, 4));
    EXPECT_EQ(warm.iterations, 1);
    EXPECT_LE(warm.residual, 1e-15);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(warm.p[i], cold.p[i], 1e-15);
  }
}

TEST(Solvers, NothingToSolve) {
  Problem problem;
  problem.W.make_dense(0);
  for (const Solver* solver : solvers())
    EXPECT_EQ(solve(solver->info().name.c_str(), problem).status, SolveStatus::converged);
}

TEST(Solvers, WhatIsNotFiniteIsSaid) {
  for (const double bad : {std::nan(""), kInfinity})
    for (const bool in_matrix : {false, true})
      for (const Cone cone : {Cone::free, Cone::nonnegative, Cone::coulomb}) {
        Problem problem;
        add_block(problem, cone, 2, 0.3);
        add_block(problem, Cone::nonnegative, 1);
        MatrixXd W = MatrixXd::Identity(3, 3) * 2;
        VectorXd b = VectorXd::Constant(3, -1);
        (in_matrix ? W(0, 1) : b[1]) = bad;
        set(problem, W, b);
        for (const Solver* solver : solvers()) {
          const Solution s = solve(solver->info().name.c_str(), problem);
          EXPECT_EQ(s.status, SolveStatus::singular) << solver->info().name << " " << name(cone) << " " << in_matrix;
          for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isfinite(s.p[i]));
        }
      }
}

TEST(Joints, RedundantOnesShareTheLoadAndContradictoryOnesAreInfeasible) {
  // The same joint three times.
  Problem problem;
  for (int k = 0; k < 3; ++k) add_block(problem, Cone::free, 1);
  add_block(problem, Cone::nonnegative, 1);
  MatrixXd W(4, 4);
  W << 1, 1, 1, 0.5, 1, 1, 1, 0.5, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 2;
  VectorXd b(4);
  b << -3, -3, -3, -4;
  set(problem, W, b);
  for (const Solver* solver : solvers()) {
    SCOPED_TRACE(solver->info().name);
    const Solution s = solve(solver->info().name.c_str(), problem);
    ASSERT_EQ(s.status, SolveStatus::converged);
    EXPECT_TRUE(s.minimum_norm);
    EXPECT_LT(vector(s.u, 4).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_NEAR(s.p[0], s.p[1], 1e-15);
    EXPECT_NEAR(s.p[0], s.p[2], 1e-15);
  }
  b[1] = -2;
  set(problem, W, b);
  for (const Solver* solver : solvers())
    EXPECT_EQ(solve(solver->info().name.c_str(), problem).status, SolveStatus::infeasible) << solver->info().name;
}

TEST(Joints, MixedUnitsAreNotTakenForRedundant) {
  // A translation of a heavy body beside a rotation of a light one: twelve decades in W, yet regular.
  Problem problem;
  add_block(problem, Cone::free, 2);
  MatrixXd W(2, 2);
  W << 1e-7, 0, 0, 1e7;
  set(problem, W, Eigen::Vector2d(1, 1));
  const Solution s = solve("auto", problem);
  EXPECT_EQ(s.status, SolveStatus::converged);
  EXPECT_FALSE(s.minimum_norm);
  EXPECT_DOUBLE_EQ(s.p[0], -1e7);
  EXPECT_DOUBLE_EQ(s.p[1], -1e-7);
}

TEST(GaussSeidel, FactoredAndDenseAgree) {
  Jacobian G;
  const int bodies = 30;
  for (int k = 0; k + 1 < bodies; ++k) {  // a chain of bodies that touch their neighbours
    double* a = G.add(3, Range{6 * k, 6}, Range{6 * k + 6, 6});
    for (int i = 0; i < 36; ++i) a[i] = std::sin(1.7 * i + k);
  }
  Problem dense, factored;
  for (Problem* problem : {&dense, &factored}) {
    for (int k = 0; k + 1 < bodies; ++k) add_block(*problem, Cone::coulomb, 3, 0.4);
    problem->W.form(G, G, 6 * bodies, problem == &dense ? Delassus::Storage::dense : Delassus::Storage::factored);
    double* b = problem->b.need(problem->rows);
    for (int i = 0; i < problem->rows; ++i) b[i] = std::cos(2.3 * i) - (i % 3 == 0 ? 0.8 : 0);
  }
  const Solution a = solve("projected-gauss-seidel", dense), c = solve("projected-gauss-seidel", factored);
  EXPECT_EQ(a.status, SolveStatus::converged);
  EXPECT_EQ(c.status, SolveStatus::converged);
  EXPECT_LT((vector(a.p, dense.rows) - vector(c.p, dense.rows)).norm(), 1e-9);  // measured 1e-12
  const Solution d = solve("auto", factored);
  EXPECT_EQ(d.status, SolveStatus::converged);
  EXPECT_LT((vector(a.u, dense.rows) - vector(d.u, dense.rows)).norm(), 1e-9);
}

/// Five kinds of small problems that a run meets again and again.
std::vector<Problem> typical() {
  std::vector<Problem> all;
  all.push_back(standing_block(0.3, {0.01, -0.0981, 0}));
  all.push_back(standing_block(0.3, {0.5, -0.0981, 0}));
  VectorXd v(6);
  v << 0.3, 0.4, -0.0981, 0, 0, 0;
  all.push_back(standing_box(0.4, v));
  Problem jointed;
  add_block(jointed, Cone::free, 2);
  add_block(jointed, Cone::nonnegative, 1);
  add_block(jointed, Cone::coulomb, 2, 0.2);
  MatrixXd G(5, 7);
  for (int i = 0; i < 35; ++i) G.data()[i] = std::sin(3.0 * i * i);
  VectorXd b(5);
  b << 0.1, -0.2, -1, -0.5, 0.3;
  set(jointed, G * G.transpose(), b);
  all.push_back(jointed);
  Problem hard;  // the active set needs more than the first guess
  add_block(hard, Cone::nonnegative, 12);
  MatrixXd H(12, 8);
  for (int i = 0; i < 96; ++i) H.data()[i] = std::sin(5.0 * i);
  VectorXd c(12);
  for (int i = 0; i < 12; ++i) c[i] = std::cos(4.0 * i) - 0.5;
  set(hard, H * H.transpose() + 0.01 * MatrixXd::Identity(12, 12), c);
  all.push_back(hard);
  return all;
}

TEST(Solvers, ScratchChangesNoBit) {
  for (const Solver* solver : solvers()) {
    SolverScratch kept;
    for (const Problem& problem : typical()) {
      if (!solver->accepts(problem)) continue;
      Solution used, fresh;
      SolverScratch scratch;
      used.fit(problem.rows);
      fresh.fit(problem.rows);
      solver->solve(problem, {}, used, kept);
      solver->solve(problem, {}, fresh, scratch);
      EXPECT_EQ(used.iterations, fresh.iterations);
      EXPECT_EQ(used.residual, fresh.residual);
      for (int i = 0; i < problem.rows; ++i) {
        EXPECT_EQ(used.p[i], fresh.p[i]) << solver->info().name;
        EXPECT_EQ(used.u[i], fresh.u[i]) << solver->info().name;
      }
    }
  }
}

TEST(Solvers, PowersOfTwoChangeUnitsOnly) {
  // W in other units of mass, b (of size 1 or more, where the tolerance is relative) in other units of speed.
  for (const Solver* solver : solvers())
    for (const Problem& problem : typical()) {
      if (!solver->accepts(problem)) continue;
      for (const auto& [mass, speed] : {std::pair{0x1p7, 1.0}, {0x1p-20, 1.0}, {1.0, 0x1p9}, {0x1p-5, 0x1p3}}) {
        Problem one = problem, other = problem;
        for (Problem* scaled : {&one, &other}) {
          const double m = scaled == &one ? 1 : mass, s = scaled == &one ? 1 : speed;
          double* W = scaled->W.make_dense(problem.rows);
          const Index size = static_cast<Index>(problem.rows) * problem.rows;
          for (Index i = 0; i < size; ++i) W[i] = problem.W.dense()[i] * m;
          for (int i = 0; i < problem.rows; ++i) scaled->b[i] = problem.b[i] * s * 0x1p7;
        }
        const Solution a = solve(solver->info().name.c_str(), one), c = solve(solver->info().name.c_str(), other);
        EXPECT_EQ(a.status, c.status);
        EXPECT_EQ(a.iterations, c.iterations) << solver->info().name;
        EXPECT_EQ(a.residual * speed, c.residual) << solver->info().name;
        for (int i = 0; i < problem.rows; ++i) EXPECT_EQ(a.p[i] * speed / mass, c.p[i]) << solver->info().name;
      }
    }
}

TEST(Solvers, NothingIsAllocatedOnceSizesRepeat) {
#if !defined(RICOCHET_COUNTS_ALLOCATIONS)
  GTEST_SKIP() << "allocations are not counted under the sanitizers";
#endif
  for (const Solver* solver : solvers()) {
    const std::vector<Problem> problems = typical();
    SolverScratch scratch;
    std::vector<Solution> solutions(problems.size());
    long first = 0, second = 0;
    for (int pass = 0; pass < 2; ++pass) {
      const long start = test::allocations;
      for (std::size_t k = 0; k < problems.size(); ++k) {
        if (!solver->accepts(problems[k])) continue;
        solutions[k].fit(problems[k].rows);
        for (int i = 0; i < problems[k].rows; ++i) solutions[k].p[i] = 0;
        solver->solve(problems[k], {}, solutions[k], scratch);
      }
      (pass == 0 ? first : second) = test::allocations - start;
    }
    EXPECT_GT(first, 0);
    EXPECT_EQ(second, 0) << solver->info().name;
  }
}

// Joints take away mobility of contacts, by which the error of a cone is measured: what solves the problem of the
// contacts alone need not solve the whole one. A slider on two balls between guides (slider-crank-step at 98.6 ms, h =
// 5e-6 s).
TEST(Auto, SolvesTheWholeProblemAndNotOnlyThatOfTheContacts) {
  const LoadedProblem loaded = make_problem(read_problem(RICOCHET_SOURCE_DIR "/tests/unit/data/slider-in-guide.cones"));
  Solution solution;
  SolverScratch scratch;
  find_solver("auto")->solve(loaded.problem, {1e-13}, solution, scratch);
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_LT(solution.residual, 7.9e-13);  // 6e-15; that of the contacts alone left 1.3e-12
}

/// Two contacts on one direction, one of them a hundred times as stiff. Multipliers that satisfy everything to the
/// tolerance may be negative within it; put to zero they move the other contact by more. Newton then has not solved.
TEST(SemismoothNewton, IsJudgedByWhatItGives) {
  Problem problem;
  problem.rows = 2;
  problem.blocks = {{Cone::nonnegative, 0, 1, 0}, {Cone::nonnegative, 1, 1, 0}};
  double* W = problem.W.make_dense(2);
  W[0] = 1e-4, W[1] = W[2] = 1e-2, W[3] = 1;
  Solution solution;
  solution.fit(2);
  solution.p[0] = -5e-5, solution.p[1] = 1;  // W_00 p_0 = -5e-9
  double* b = problem.b.need(2);
  for (int i = 0; i < 2; ++i) b[i] = -(W[2 * i] * solution.p[0] + W[2 * i + 1] * solution.p[1]);
  SolverScratch scratch;
  const detail::Goal goal{1e-8, 1, 1e6};  // strict() as large: it stops where it begins
  detail::newton(problem, goal, solution, scratch);
  EXPECT_GE(solution.p[0], 0);
  EXPECT_EQ(solution.status, SolveStatus::iteration_limit);
}

}  // namespace
}  // namespace ricochet::solver_test
