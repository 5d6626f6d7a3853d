// Linear complementarity, mixed, and plane friction problems: planted solutions, contradictions, units, the public
// sets.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/problems.hpp"

namespace ricochet::plane_problems_test {
namespace {

struct Planted {
  Problem problem;
  VectorXd p, u;
};

Eigen::MatrixXd random_matrix(int rows, int columns, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

void fill(Problem& problem, const Eigen::MatrixXd& W, const VectorXd& b) {
  problem.rows = static_cast<int>(b.size());
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
  std::copy(b.data(), b.data() + b.size(), problem.b.need(problem.rows));
}

/// W positive semi-definite of the rank given, p and u complementary. A third of the rows is degenerate: both zero.
Planted planted_rows(int n, int rank, std::mt19937& random) {
  Planted out;
  const Eigen::MatrixXd G = random_matrix(n, rank, random), W = G * G.transpose();
  out.p = VectorXd::Zero(n), out.u = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) {
    out.problem.blocks.push_back({Cone::nonnegative, i, 1, 0});
    (i % 3 == 0 ? out.p : out.u)[i] = i % 3 == 2 ? 0 : 0.1 + static_cast<double>(random() % 100) / 100;
  }
  fill(out.problem, W, out.u - W * out.p);
  return out;
}

/// Equalities whose own block is singular, as in circuits: [0 C; -C^T B] with B positive definite.
Planted planted_mixed(int n, int m, std::mt19937& random) {
  Planted out;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n + m, n + m);
  const Eigen::MatrixXd C = random_matrix(n, m, random), G = random_matrix(m, m, random);
  W.topRightCorner(n, m) = C;
  W.bottomLeftCorner(m, n) = -C.transpose();
  W.bottomRightCorner(m, m) = G * G.transpose() + 0.1 * Eigen::MatrixXd::Identity(m, m);
  out.p = VectorXd::Zero(n + m), out.u = VectorXd::Zero(n + m);
  for (int i = 0; i < n + m; ++i) {
    out.problem.blocks.push_back({i < n ? Cone::free : Cone::nonnegative, i, 1, 0});
    if (i < n) out.p[i] = std::sin(i + 1.0);
    // More active rows than equalities, so that the free unknowns are determined.
    if (i >= n) (i % 3 != 0 ? out.p : out.u)[i] = 0.5 + static_cast<double>(random() % 100) / 100;
  }
  fill(out.problem, W, out.u - W * out.p);
  return out;
}

/// Plane friction: open, sticking and sliding contacts in turn.
Planted planted_friction(int contacts, int rank, std::mt19937& random) {
  Planted out;
  const int n = 2 * contacts;
  const Eigen::MatrixXd G = random_matrix(n, rank, random), W = G * G.transpose();
  out.p = VectorXd::Zero(n), out.u = VectorXd::Zero(n);
  for (int a = 0; a < contacts; ++a) {
    const double mu = 0.1 + 0.05 * (a % 5), size = 0.2 + static_cast<double>(random() % 100) / 100;
    out.problem.blocks.push_back({Cone::coulomb, 2 * a, 2, mu});
    if (a % 4 == 0) {
      out.u[2 * a] = size, out.u[2 * a + 1] = 0.3;
    } else if (a % 4 == 1) {
      out.p[2 * a] = size, out.p[2 * a + 1] = 0.5 * mu * size;
    } else {
      const double sign = a % 4 == 2 ? 1 : -1;
      out.p[2 * a] = size, out.p[2 * a + 1] = sign * mu * size, out.u[2 * a + 1] = -sign * 0.2;
    }
  }
  fill(out.problem, W, out.u - W * out.p);
  return out;
}

Solution solved(const Problem& problem, const std::string& solver, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.criterion = Criterion::relative;
  Solution solution;
  SolverScratch scratch;
  find_solver(solver)->solve(problem, options, solution, scratch);
  return solution;
}

double distance(const Buffer& a, const VectorXd& b) {
  double worst = 0;
  for (int i = 0; i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(PlaneProblems, PlantedSolutionsAreFound) {
  std::mt19937 random(7);
  for (const char* solver : {"auto", "lemke"})
    for (const int n : {1, 2, 5, 12, 40, 150}) {
      for (const int rank : {n, (n + 1) / 2}) {
        const Planted rows = planted_rows(n, rank, random);
        const Solution s = solved(rows.problem, solver, 1e-12);
        EXPECT_EQ(s.status, SolveStatus::converged) << solver << " n " << n << " rank " << rank << " e " << s.residual;
        // u is unique for a positive semi-definite W; measured 2e-13
        EXPECT_LT(distance(s.u, rows.u), 1e-10) << solver << " n " << n << " rank " << rank;
      }
      const Planted mixed = planted_mixed(std::max(1, n / 3), n, random);
      const Solution s = solved(mixed.problem, solver, 1e-12);
      EXPECT_EQ(s.status, SolveStatus::converged) << solver << " mixed " << n << " e " << s.residual;
      if (n >= 5) {
        EXPECT_LT(distance(s.p, mixed.p), 1e-8) << solver << " mixed " << n;
      }
      if (n > 40) continue;
      const Planted friction = planted_friction(n, 2 * n, random);
      const Solution f = solved(friction.problem, solver, 1e-12);
      EXPECT_EQ(f.status, SolveStatus::converged) << solver << " friction " << n << " e " << f.residual;
    }
}

TEST(PlaneProblems, ContradictionsAreReportedWithTheRow) {
  // Rows 1 and 2 ask for opposite velocities: u_1 = p - 1, u_2 = -p - 1.
  Problem rows;
  for (int i = 0; i < 3; ++i) rows.blocks.push_back({Cone::nonnegative, i, 1, 0});
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(3, 3);
  W.bottomRightCorner(2, 2) << 1, -1, -1, 1;
  fill(rows, W, Eigen::Vector3d(0.5, -1, -1));
  for (const char* solver : {"auto", "lemke"}) {
    const Solution s = solved(rows, solver, 1e-10);
    EXPECT_EQ(s.status, SolveStatus::infeasible) << solver;
    EXPECT_TRUE(s.blame == 1 || s.blame == 2) << solver << " blames " << s.blame;
  }
  // Two equalities of one unknown that differ.
  Problem equalities;
  for (int i = 0; i < 2; ++i) equalities.blocks.push_back({Cone::free, i, 1, 0});
  equalities.blocks.push_back({Cone::nonnegative, 2, 1, 0});
  W.setZero();
  W.topLeftCorner(2, 2) << 1, 1, 1, 1;
  W(2, 2) = 1;
  fill(equalities, W, Eigen::Vector3d(1, -1, 1));
  EXPECT_EQ(solved(equalities, "auto", 1e-10).status, SolveStatus::infeasible);
}

TEST(PlaneProblems, UnitsChangeNeitherErrorNorIterations) {
  std::mt19937 random(11);
  for (int kind = 0; kind < 3; ++kind) {
    const Planted a = kind == 0   ? planted_rows(30, 20, random)
                      : kind == 1 ? planted_mixed(5, 20, random)
                                  : planted_friction(9, 18, random);
    const Solution one = solved(a.problem, "auto", 1e-12);
    for (const double force : {0x1p-20, 0x1p20})
      for (const double speed : {0x1p-12, 1.0, 0x1p12}) {
        // p' = force p, u' = speed u
        Problem other;
        other.blocks = a.problem.blocks;
        const int n = a.problem.rows;
        const Eigen::Map<const Eigen::MatrixXd> W(a.problem.W.dense(), n, n);
        fill(other, W * (speed / force), Eigen::Map<const VectorXd>(a.problem.b.data(), n) * speed);
        const Solution two = solved(other, "auto", 1e-12);
        EXPECT_EQ(one.iterations, two.iterations) << kind << " " << force << " " << speed;
        // Where a diagonal vanishes the error has no unit to divide by.
        if (kind != 1) {
          EXPECT_EQ(one.residual, two.residual) << kind << " " << force << " " << speed;
        }
        for (int i = 0; i < n; ++i) ASSERT_EQ(one.p[i] * force, two.p[i]);
      }
  }
}

TEST(PlaneProblems, PublicSetIsSolved) {
  int count = 0;
  for (const char* folder : {"lcp", "mlcp", "fc2d", "soclcp"})
    for (const std::string& path : test::data_files(std::string("complementarity/") + folder)) {
      const LoadedProblem loaded = make_problem(read_problem(path));
      if (loaded.problem.rows > 600) continue;  // `ricochet solve` and docs/solvers.md: they take a second
      ++count;
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        const Solution s = solved(loaded.problem, "auto", tolerance);
        EXPECT_EQ(s.status, SolveStatus::converged) << path << " e " << s.residual;
        EXPECT_LE(relative_error(loaded.problem, s.p.data(), s.u.data()), tolerance) << path;
      }
    }
  if (count == 0) GTEST_SKIP() << test::no_data();
}

}  // namespace
}  // namespace ricochet::plane_problems_test
