// Every solver of the table against what it declares: on each problem that it accepts it either converges with the
// residual it reports, or says that it did not. Problems have planted solutions, so each of them is solvable.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/dense.hpp"
#include "support/problems.hpp"

namespace ricochet::solver_contract_test {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double lo, double hi) {
  // Not std::uniform_real_distribution: the same numbers on every standard library.
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

enum class Kind { frictionless, plane, space, associated_plane, associated_space };

struct Shape {
  const char* name;
  Kind kind;
  int contacts, joints, redundant_joints, coordinates;
  double asymmetry = 0;
  double mu_least = 0.1, mu_most = 0.9;
  bool degenerate = false;  ///< zero impulse at zero velocity, stick at the edge of the cone, every contact twice
};
void PrintTo(const Shape& s, std::ostream* out) { *out << s.name; }

void add_block(Problem& problem, Cone cone, int dim, double mu) {
  problem.blocks.push_back({cone, problem.rows, dim, mu});
  problem.rows += dim;
}

/// A complementary pair of a block: open, stick or slip by chance.
void plant(const ConeBlock& block, bool degenerate, Random& random, double* p, double* u) {
  const int mode = static_cast<int>(random() % (degenerate ? 5 : 3));
  if (mode == 3 && block.cone != Cone::free) {
    std::fill(p, p + block.dim, 0.0);
    std::fill(u, u + block.dim, 0.0);
    return;
  }
  if (block.cone == Cone::free) {
    for (int i = 0; i < block.dim; ++i) p[i] = uniform(random, -1, 1), u[i] = 0;
    return;
  }
  if (block.cone == Cone::nonnegative) {
    for (int i = 0; i < block.dim; ++i) {
      const bool open = random() % 2 == 0;
      p[i] = open ? 0 : uniform(random, 0.1, 1);
      u[i] = open ? uniform(random, 0.1, 1) : 0;
    }
    return;
  }
  const double angle = uniform(random, 0, 2 * M_PI), size = uniform(random, 0.1, 1);
  const double d[3] = {0, block.dim == 2 ? std::copysign(1.0, std::cos(angle)) : std::cos(angle), std::sin(angle)};
  const bool associated = block.cone == Cone::second_order;
  std::fill(p, p + block.dim, 0.0);
  std::fill(u, u + block.dim, 0.0);
  if (mode == 0) {
    for (int i = 1; i < block.dim; ++i) u[i] = size * d[i];
    u[0] = uniform(random, 0.1, 1) + (associated ? block.mu * size : 0);
  } else {
    p[0] = uniform(random, 0.1, 1);
    const double part = mode == 1 ? uniform(random, 0, 0.9) : 1;
    for (int i = 1; i < block.dim; ++i) p[i] = part * block.mu * p[0] * d[i];
    if (mode == 1 || mode == 4) return;
    for (int i = 1; i < block.dim; ++i) u[i] = -size * d[i];
    if (associated) u[0] = block.mu * size;
  }
}

/// W = L^T Y with L = G and Y = G perturbed by the asymmetry; redundant joints repeat combinations of earlier rows.
/// The velocities planted are left in `truth` if that is given.
Problem planted(const Shape& shape, std::uint64_t seed, VectorXd* truth = nullptr) {
  Random random(seed);
  Problem problem;
  for (int k = 0; k < shape.joints + shape.redundant_joints; ++k) add_block(problem, Cone::free, 1, 0);
  for (int k = 0; k < shape.contacts; ++k) {
    double mu = uniform(random, shape.mu_least, shape.mu_most);
    if (shape.degenerate && k % 2 == 1 && shape.kind != Kind::frictionless) mu = problem.blocks.back().mu;
    switch (shape.kind) {
      case Kind::frictionless: add_block(problem, Cone::nonnegative, 1, 0); break;
      case Kind::plane: add_block(problem, Cone::coulomb, 2, mu); break;
      case Kind::space: add_block(problem, Cone::coulomb, 3, mu); break;
      case Kind::associated_plane: add_block(problem, Cone::second_order, 2, mu); break;
      case Kind::associated_space: add_block(problem, Cone::second_order, 3, mu); break;
    }
  }
  const int m = problem.rows, n = shape.coordinates;
  MatrixXd G(n, m);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) G(i, j) = uniform(random, -1, 1);
  for (int k = 0; k < shape.redundant_joints; ++k) {
    G.col(shape.joints + k).setZero();
    for (int j = 0; j < shape.joints; ++j) G.col(shape.joints + k) += uniform(random, -1, 1) * G.col(j);
  }
  if (shape.degenerate) {
    const int dim = problem.blocks.back().dim, first = shape.joints + shape.redundant_joints;
    for (int k = 1; k < shape.contacts; k += 2)
      G.middleCols(first + k * dim, dim) = G.middleCols(first + (k - 1) * dim, dim);
  }
  MatrixXd W = G.transpose() * G;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i)
      if (i != j) W(i, j) *= 1 + shape.asymmetry * uniform(random, -1, 1);
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(m));
  VectorXd p(m), u(m);
  for (const ConeBlock& block : problem.blocks) {
    double *pk = p.data() + block.row, *uk = u.data() + block.row;
    plant(block, shape.degenerate, random, pk, uk);
    // The twin shares the velocity; it takes the same impulse, which any complementary pair allows.
    const int k = static_cast<int>(&block - problem.blocks.data()) - shape.joints - shape.redundant_joints;
    if (shape.degenerate && k > 0 && k % 2 == 1) {
      std::copy(pk - block.dim, pk, pk);
      std::copy(uk - block.dim, uk, uk);
    }
  }
  const VectorXd b = u - W * p;
  std::copy(b.data(), b.data() + m, problem.b.need(m));
  if (truth) *truth = u;
  return problem;
}

double largest(const Problem& problem) {
  double size = 1;
  for (int i = 0; i < problem.rows; ++i) size = std::max(size, std::abs(problem.b[i]));
  return size;
}

void check_certificate(const Problem& problem, const Solver& solver, const Solution& solution, double tolerance) {
  SCOPED_TRACE(solver.info().name);
  VectorXd u(problem.rows);
  Buffer scratch;
  problem.W.apply(solution.p.data(), u.data(), scratch);
  for (int i = 0; i < problem.rows; ++i) {
    ASSERT_TRUE(std::isfinite(solution.p[i]));
    EXPECT_EQ(solution.u[i], u[i] + problem.b[i]);
  }
  EXPECT_EQ(solution.residual, natural_residual(problem, solution.p.data(), solution.u.data()));
  if (solution.status == SolveStatus::converged) {
    double floor = 0;  // round-off of the terms that make up u
    for (int i = 0; i < problem.rows; ++i)
      floor = std::max(floor, 1e-14 * problem.W.diagonal(i) * std::abs(solution.p[i]));
    EXPECT_LE(solution.residual, std::max(tolerance * largest(problem), floor));
  }
}

/// The part of the problems that a solver must solve: all, if it declares itself exact; the others may say that they
/// did not, yet must be worth having. Measured over 400 seeds, least of all shapes: Newton 89 %, Gauss-Seidel 99 %, the
/// rest all; with coefficients up to 10 Newton 65 %, Gauss-Seidel 75 %, Fischer-Burmeister 87 %, the natural map 91 %,
/// the rest 95 %.
double least_part(const Solver& solver, const Shape& shape) {
  const bool large = shape.mu_least > 1;
  if (!solver.info().exact) return large ? 0.6 : 0.85;
  // Coefficients up to 10 on random rank-deficient W have few and isolated solutions: auto finds 397 of 400.
  return large && shape.kind == Kind::space && shape.coordinates < 3 * shape.contacts ? 0.9 : 1.0;
}

/// Velocities are unique where W is symmetric and the law is associated (or there is no friction), whatever the rank:
/// monotone problems. With Coulomb's law where p -> W p + b + mu |u_T| n is strongly monotone all the same, because the
/// term of De Saxce, whose slope is at most mu |W|, does not outweigh the least eigenvalue.
bool unique_velocity(const Shape& shape, const Problem& problem) {
  if (shape.asymmetry != 0) return false;
  if (shape.kind != Kind::plane && shape.kind != Kind::space) return true;
  const Eigen::Map<const MatrixXd> W(problem.W.dense(), problem.rows, problem.rows);
  const VectorXd values = test::eigenvalues(W);
  double mu = 0;
  for (const ConeBlock& block : problem.blocks) mu = std::max(mu, block.mu);
  return mu == 0 || mu * values.maxCoeff() < values.minCoeff();
}

const Shape kShapes[] = {
    {"one frictionless", Kind::frictionless, 1, 0, 0, 3},
    {"frictionless", Kind::frictionless, 6, 0, 0, 12},
    {"frictionless rank-deficient", Kind::frictionless, 9, 0, 0, 4},
    {"frictionless with joints", Kind::frictionless, 5, 3, 0, 10},
    {"frictionless with redundant joints", Kind::frictionless, 4, 3, 2, 12},
    {"frictionless not symmetric", Kind::frictionless, 5, 0, 0, 12, 0.03},
    {"many frictionless", Kind::frictionless, 60, 0, 0, 40},
    {"joints only", Kind::frictionless, 0, 4, 0, 6},
    {"redundant joints only", Kind::frictionless, 0, 4, 2, 6},
    {"one plane", Kind::plane, 1, 0, 0, 3},
    {"plane", Kind::plane, 3, 0, 0, 12},
    {"plane rank-deficient", Kind::plane, 4, 0, 0, 5},
    {"plane with joints", Kind::plane, 3, 2, 1, 12},
    {"plane not symmetric", Kind::plane, 3, 0, 0, 12, 0.03},
    {"many plane", Kind::plane, 25, 0, 0, 40},
    {"one in space", Kind::space, 1, 0, 0, 6},
    {"space", Kind::space, 4, 0, 0, 18},
    {"space rank-deficient", Kind::space, 4, 0, 0, 6},
    {"space with joints", Kind::space, 3, 3, 1, 18},
    {"space not symmetric", Kind::space, 3, 0, 0, 18, 0.03},
    {"many in space", Kind::space, 20, 0, 0, 60},
    {"degenerate frictionless", Kind::frictionless, 6, 0, 0, 6, 0, 0, 0, true},
    {"degenerate plane", Kind::plane, 4, 0, 0, 6, 0, 0.1, 0.9, true},
    {"degenerate plane with joints", Kind::plane, 4, 2, 1, 8, 0, 0.1, 0.9, true},
    {"degenerate space", Kind::space, 4, 0, 0, 6, 0, 0.1, 0.9, true},
    {"plane without friction", Kind::plane, 4, 0, 0, 8, 0, 0, 0},
    {"space without friction", Kind::space, 4, 0, 0, 8, 0, 0, 0},
    {"plane with large friction", Kind::plane, 4, 0, 0, 12, 0, 2, 10},
    {"plane with large friction rank-deficient", Kind::plane, 4, 0, 0, 6, 0, 2, 10},
    {"space with large friction", Kind::space, 4, 0, 0, 18, 0, 2, 10},
    {"space with large friction rank-deficient", Kind::space, 4, 0, 0, 6, 0, 2, 10},
    {"associated plane", Kind::associated_plane, 4, 0, 0, 8},
    {"plane with little friction", Kind::plane, 5, 0, 0, 60, 0, 0.01, 0.1},
    {"space with little friction", Kind::space, 4, 0, 0, 90, 0, 0.01, 0.1},
    {"associated space", Kind::associated_space, 4, 0, 0, 12},
    {"associated plane rank-deficient", Kind::associated_plane, 6, 0, 0, 5},
    {"associated space rank-deficient", Kind::associated_space, 6, 0, 0, 7},
    {"associated space with joints", Kind::associated_space, 3, 3, 1, 18},
    {"degenerate associated space", Kind::associated_space, 4, 0, 0, 6, 0, 0.1, 0.9, true},
};

class SolverContract : public ::testing::TestWithParam<Shape> {};

TEST_P(SolverContract, ConvergesOrSaysSo) {
  const Shape& shape = GetParam();
  constexpr int kSeeds = 40;
  for (const Solver* solver : solvers()) {
    int solved = 0, tried = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Problem problem = planted(shape, 1000 + seed);
      if (!solver->accepts(problem)) continue;
      ++tried;
      Solution solution;
      SolverScratch scratch;
      solution.fit(problem.rows);
      solver->solve(problem, {}, solution, scratch);
      check_certificate(problem, *solver, solution, 1e-12);
      if (solution.status == SolveStatus::converged) ++solved;
    }
    RecordProperty(solver->info().name, std::to_string(solved) + " of " + std::to_string(tried));
    EXPECT_GE(solved, least_part(*solver, shape) * tried) << solver->info().name;
  }
}

TEST_P(SolverContract, FindsTheVelocitiesWhereTheyAreUnique) {
  const Shape& shape = GetParam();
  SolverScratch scratch;
  int unique = 0;
  for (int seed = 0; seed < 20; ++seed) {
    VectorXd truth;
    const Problem problem = planted(shape, 1000 + seed, &truth);
    if (!unique_velocity(shape, problem)) continue;
    ++unique;
    for (const Solver* solver : solvers()) {
      if (!solver->accepts(problem)) continue;
      Solution solution;
      solution.fit(problem.rows);
      solver->solve(problem, {}, solution, scratch);
      if (solution.status != SolveStatus::converged) continue;
      // A residual r bounds the velocity's error by sqrt(r) on rank-deficient W; measured 2e-9 (Gauss-Seidel).
      for (int i = 0; i < problem.rows; ++i) EXPECT_NEAR(solution.u[i], truth[i], 1e-7) << solver->info().name;
    }
  }
  if (shape.asymmetry == 0 && shape.mu_most <= 0.1) {
    EXPECT_GT(unique, 5);
  }
}

/// Velocities leave a convex set of multipliers, in which one has the least norm: every row must end there.
TEST_P(SolverContract, AgreesOnMultipliersOfLeastNorm) {
  const Shape& shape = GetParam();
  SolverScratch scratch;
  SolverOptions options;
  options.minimum_norm = true;
  int asked = 0, done = 0;
  for (int seed = 0; seed < 10; ++seed) {
    const Problem problem = planted(shape, 1000 + seed);
    const bool unique = unique_velocity(shape, problem);
    VectorXd least;
    for (const Solver* solver : solvers()) {
      if (!solver->accepts(problem)) continue;
      Solution solution;
      solution.fit(problem.rows);
      solver->solve(problem, options, solution, scratch);
      check_certificate(problem, *solver, solution, 1e-12);
      if (solution.status != SolveStatus::converged) continue;
      ++asked;
      if (!solution.minimum_norm) continue;
      ++done;
      const VectorXd p = Eigen::Map<const VectorXd>(solution.p.data(), problem.rows);
      if (least.size() == 0) least = p;
      if (!unique) continue;
      // A contact that touches without impulse at a velocity within the tolerance may count as open or as closed.
      if (!shape.degenerate) {
        EXPECT_LT((p - least).norm(), 1e-6 * (1 + least.norm())) << solver->info().name << " seed " << seed;
      }
    }
  }
  EXPECT_GE(done, 0.95 * asked);  // measured: 97 % of the degenerate ones in space, all others
  RecordProperty("least", std::to_string(done) + " out of " + std::to_string(asked));
}

INSTANTIATE_TEST_SUITE_P(Planted, SolverContract, ::testing::ValuesIn(kShapes), [](const auto& test) {
  std::string name = test.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(SolverData, AutoSolvesThePublishedProblems) {
  int solved = 0;
  for (const char* folder : {"complementarity/lcp", "complementarity/fc2d"})
    for (const std::string& path : test::data_files(folder)) {
      const LoadedProblem loaded = make_problem(read_problem(path));
      if (loaded.problem.rows > 600) continue;  // by `ricochet solve`: they take a second
      SCOPED_TRACE(path);
      Solution solution;
      SolverScratch scratch;
      solution.fit(loaded.problem.rows);
      const Solver& solver = *find_solver("auto");
      solver.solve(loaded.problem, {}, solution, scratch);
      EXPECT_EQ(solution.status, SolveStatus::converged);
      check_certificate(loaded.problem, solver, solution, 1e-12);
      ++solved;
    }
  if (solved == 0) GTEST_SKIP() << test::no_data();
  EXPECT_GT(solved, 10);
}

/// All solutions of small linear complementarity problems, found by all complementary and degenerate supports in exact
/// arithmetic; those of CPS_1 are the segment between the two.
struct Textbook {
  const char* name;
  std::vector<std::vector<double>> solutions;
};

const Textbook kTextbook[] = {
    {"lcp_CPS_1", {{0, 1}, {1, 0}}},
    {"lcp_CPS_3", {{0, 1 / 15.0, 0, 1 / 15.0}, {0.1, 0, 0.1, 0}, {1 / 90.0, 2 / 45.0, 1 / 90.0, 2 / 45.0}}},
    {"lcp_CPS_4", {{2, 2, 2, 92}}},
    {"lcp_Pang_isolated_sol", {{1, 0, 0}}},
    {"lcp_deudeu", {{4 / 3.0, 7 / 3.0}}},
    {"lcp_exp_murty", {{0, 0, 0, 0, 0, 1}}},
    {"lcp_ortiz", {{2 / 3.0, 0, 1 / 3.0, 0}}},
    {"lcp_trivial", {{1, 1 / 2.0, 1 / 3.0, 1 / 4.0, 1 / 5.0, 1 / 6.0, 1 / 7.0, 1 / 8.0, 1 / 9.0}}},
};

TEST(SolverData, EverySolverFindsASolutionOfTheTextbookProblems) {
  const std::filesystem::path folder = test::data_folder() / "complementarity/lcp";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << test::no_data();
  int solved = 0, tried = 0;
  for (const Textbook& textbook : kTextbook) {
    const LoadedProblem loaded = make_problem(read_problem((folder / textbook.name).string() + ".lcp"));
    const Problem& problem = loaded.problem;
    for (const Solver* solver : solvers()) {
      ASSERT_TRUE(solver->accepts(problem));
      SCOPED_TRACE(std::string(textbook.name) + " by " + solver->info().name);
      Solution solution;
      SolverScratch scratch;
      solution.fit(problem.rows);
      solver->solve(problem, {}, solution, scratch);
      check_certificate(problem, *solver, solution, 1e-12);
      ++tried;
      // None of them is infeasible. Lemke's ray proves it for copositive matrices only, which CPS_3 is not.
      EXPECT_TRUE(solution.status != SolveStatus::infeasible || solver->info().name == "lemke");
      if (solution.status != SolveStatus::converged) continue;
      ++solved;
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::vector<double>& z : textbook.solutions) {
        double away = 0;
        for (int i = 0; i < problem.rows; ++i) away = std::max(away, std::abs(solution.p[i] - z[i]));
        nearest = std::min(nearest, away);
      }
      if (std::string(textbook.name) == "lcp_CPS_1") nearest = std::abs(solution.p[0] + solution.p[1] - 1);
      EXPECT_LT(nearest, 1e-9);
    }
  }
  EXPECT_GE(solved, tried - 6);  // Gauss-Seidel not four of them, Newton and Lemke not one each
}

/// A circuit: the equality has no diagonal and is no redundant one. p = (2, 1) solves it; who eliminates it cannot see
/// that, and must not say that there is nothing to be seen.
TEST(SolverVerdict, NoVerdictOnEqualitiesThatCannotBeEliminated) {
  Problem problem;
  add_block(problem, Cone::free, 1, 0);
  add_block(problem, Cone::nonnegative, 1, 0);
  const double W[] = {0, -1, 1, 0}, b[] = {-1, 2};
  std::copy(W, W + 4, problem.W.make_dense(2));
  std::copy(b, b + 2, problem.b.need(2));
  for (const Solver* solver : solvers()) {
    Solution solution;
    SolverScratch scratch;
    solution.fit(2);
    solver->solve(problem, {}, solution, scratch);
    EXPECT_NE(solution.status, SolveStatus::infeasible) << solver->info().name;
    if (solver->info().name == "auto" || solver->info().name == "lemke") {
      EXPECT_EQ(solution.status, SolveStatus::converged) << solver->info().name;
    }
  }
}

}  // namespace
}  // namespace ricochet::solver_contract_test
