// One to five contacts in space: `auto` reaches 1e-12 on every planted problem, from nothing and from a neighbour's
// solution, with W of full rank and rank-deficient, dense and in blocks, symmetric and not.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "ricochet/solver/solver.hpp"

namespace ricochet::small_problems_test {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double lo, double hi) {
  // Not std::uniform_real_distribution: the same numbers on every standard library.
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

struct Kind {
  const char* name;
  double mu_least, mu_most, mass_ratio, skew;
  bool deficient;
};

const Kind kKinds[] = {
    {"full rank", 0.1, 0.9, 1, 0, false},
    {"rank-deficient", 0.1, 0.9, 1, 0, true},
    {"not symmetric", 0.1, 0.9, 1, 0.03, false},
    {"mass ratio", 0.1, 0.9, 1e6, 0, false},
    {"mass ratio, deficient", 0.1, 0.9, 1e6, 0, true},
    {"no friction", 0, 0, 1, 0, false},
    {"no friction, deficient", 0, 0, 1, 0, true},
    {"tiny friction", 1e-9, 1e-6, 1, 0, true},
    {"large friction", 1, 10, 1, 0, false},
    {"large friction, deficient", 1, 10, 1, 0, true},
};

/// Contacts that are open, stick or slide with p and u known, b = u - W p, W = G^T M^-1 G.
struct Small {
  Problem problem;
  VectorXd p;

  Small(const Kind& kind, int contacts, Random& random) {
    const int m = 3 * contacts, n = kind.deficient ? std::max(3, 2 * contacts) : m + 3;
    MatrixXd G(n, m);
    for (Index i = 0; i < G.size(); ++i) G.data()[i] = uniform(random, -1, 1);
    for (int i = 0; i < n; ++i) G.row(i) *= std::pow(kind.mass_ratio, uniform(random, -0.25, 0.25));
    MatrixXd W = G.transpose() * G;
    for (Index i = 0; i < W.size(); ++i) W.data()[i] *= 1 + kind.skew * uniform(random, -1, 1);
    p = VectorXd::Zero(m);
    VectorXd u = VectorXd::Zero(m);
    problem.rows = m;
    for (int a = 0; a < contacts; ++a) {
      const double mu = kind.mu_least * std::pow(kind.mu_most / std::max(kind.mu_least, 1e-300), uniform(random, 0, 1));
      problem.blocks.push_back({Cone::coulomb, 3 * a, 3, kind.mu_most > 0 ? mu : 0});
      const double angle = uniform(random, 0, 2 * M_PI), speed = uniform(random, 0.1, 1);
      const Eigen::Vector2d d(std::cos(angle), std::sin(angle));
      const auto mode = random() % 3;
      if (mode == 0) {
        u[3 * a] = uniform(random, 0.1, 1), u.segment<2>(3 * a + 1) = speed * d;
        continue;
      }
      p[3 * a] = uniform(random, 0.1, 1) * 3 / W.diagonal().segment<3>(3 * a).sum();
      p.segment<2>(3 * a + 1) = problem.blocks.back().mu * p[3 * a] * (mode == 1 ? uniform(random, 0, 0.9) : 1.0) * d;
      if (mode == 2 || problem.blocks.back().mu == 0) u.segment<2>(3 * a + 1) = -speed * d;
    }
    std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(m));
    const VectorXd b = u - W * p;
    std::copy(b.data(), b.data() + m, problem.b.need(m));
  }

  Problem in_blocks() const {
    Problem out = problem;
    const int n = problem.rows / 3;
    std::vector<int> pointers{0}, columns;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) columns.push_back(j);
      pointers.push_back(static_cast<int>(columns.size()));
    }
    double* value = out.W.make_sparse(3, n, pointers, columns);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < 9; ++k) *value++ = problem.W(3 * i + k % 3, 3 * j + k / 3);
    return out;
  }
};

Solution solve(const Problem& problem, Criterion criterion, const VectorXd& start) {
  Solution solution;
  SolverScratch scratch;
  solution.fit(problem.rows);
  std::copy(start.data(), start.data() + problem.rows, solution.p.data());
  find_solver("auto")->solve(problem, {1e-12, 0, criterion}, solution, scratch);
  return solution;
}

/// Of p alone, with W as given.
double judge(const Problem& problem, const Solution& solution) {
  VectorXd u(problem.rows);
  Buffer scratch;
  problem.W.apply(solution.p.data(), u.data(), scratch);
  for (int i = 0; i < problem.rows; ++i) u[i] += problem.b[i];
  return relative_error(problem, solution.p.data(), u.data());
}

/// Over 150 000 such problems, each in five ways, two were missed, with friction up to 10 and rank-deficient W.
TEST(SmallProblems, AutoReachesTwelveDigitsOnAll) {
  for (const Kind& kind : kKinds)
    for (int contacts = 1; contacts <= 5; ++contacts) {
      Random random(10 + contacts);
      for (int k = 0; k < 200; ++k) {
        SCOPED_TRACE(testing::Message() << kind.name << ", " << contacts << " contacts, problem " << k);
        const Small small(kind, contacts, random);
        const VectorXd nothing = VectorXd::Zero(small.problem.rows);
        const Solution cold = solve(small.problem, Criterion::relative, nothing);
        EXPECT_EQ(cold.status, SolveStatus::converged);
        EXPECT_LE(judge(small.problem, cold), 1e-12);
        const Problem blocks = small.in_blocks();
        EXPECT_LE(judge(blocks, solve(blocks, Criterion::relative, nothing)), 1e-12);
        VectorXd near = small.p;
        for (double& value : near) value *= 1 + 0.01 * uniform(random, -1, 1);
        EXPECT_LE(judge(small.problem, solve(small.problem, Criterion::relative, near)), 1e-12);
        EXPECT_EQ(solve(small.problem, Criterion::velocity, nothing).status, SolveStatus::converged);
        EXPECT_EQ(solve(small.problem, Criterion::velocity, near).status, SolveStatus::converged);
      }
    }
}

/// A handful of small systems, or what is quick here has broken and something slower stands in for it.
TEST(SmallProblems, FewSystemsSuffice) {
  for (const Kind& kind : kKinds) {
    if (kind.mu_least >= 1 || kind.mass_ratio > 1) continue;
    Random random(5);
    int steps = 0;
    constexpr int kCount = 300;
    for (int k = 0; k < kCount; ++k) {
      const Small small(kind, 5, random);
      steps += solve(small.problem, Criterion::relative, VectorXd::Zero(small.problem.rows)).iterations;
    }
    EXPECT_LE(steps, 6 * kCount) << kind.name;  // measured 1.3 to 5.1
  }
}

TEST(SmallProblems, UnitsChangeNoBit) {
  for (const Kind& kind : kKinds) {
    Random random(3);
    for (int contacts = 1; contacts <= 5; ++contacts) {
      const Small small(kind, contacts, random);
      const int m = small.problem.rows;
      const VectorXd nothing = VectorXd::Zero(m);
      const Solution one = solve(small.problem, Criterion::relative, nothing);
      for (const double unit : {0x1p-40, 0x1p30}) {
        const double speed = 0x1p17;
        Problem other = small.problem;
        double *W = other.W.make_dense(m), *b = other.b.need(m);
        for (int i = 0; i < m * m; ++i) W[i] = unit * small.problem.W.dense()[i];
        for (int i = 0; i < m; ++i) b[i] = speed * small.problem.b[i];
        const Solution two = solve(other, Criterion::relative, nothing);
        EXPECT_EQ(one.iterations, two.iterations) << kind.name;
        EXPECT_EQ(one.residual, two.residual) << kind.name;
        for (int i = 0; i < m; ++i) EXPECT_EQ(one.p[i] * speed / unit, two.p[i]) << kind.name;
      }
    }
  }
}

TEST(SmallProblems, FromItsSolutionNothingIsToDo) {
  for (const Kind& kind : kKinds) {
    Random random(4);
    for (int contacts = 2; contacts <= 5; ++contacts) {
      const Small small(kind, contacts, random);
      const Solution cold = solve(small.problem, Criterion::relative, VectorXd::Zero(small.problem.rows));
      const VectorXd p = Eigen::Map<const VectorXd>(cold.p.data(), small.problem.rows);
      const Solution warm = solve(small.problem, Criterion::relative, p);
      EXPECT_EQ(warm.status, SolveStatus::converged) << kind.name;
      EXPECT_EQ(warm.iterations, 0) << kind.name;
    }
  }
}

/// Four corners of a box at rest share its weight alike: what moves nothing stays zero from a cold start.
TEST(SmallProblems, CornersOfABoxShareItsWeight) {
  MatrixXd G(12, 6);
  G.setZero();
  for (int a = 0; a < 4; ++a) {
    const Eigen::Vector3d r(a % 2 == 0 ? -0.5 : 0.5, a < 2 ? -0.5 : 0.5, -0.5);
    const Eigen::Vector3d axes[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
    for (int i = 0; i < 3; ++i) {
      G.block<1, 3>(3 * a + i, 0) = axes[i].transpose();
      G.block<1, 3>(3 * a + i, 3) = r.cross(axes[i]).transpose();
    }
  }
  VectorXd inverse(6);
  inverse << 1, 1, 1, 6, 6, 6;
  const MatrixXd W = G * inverse.asDiagonal() * G.transpose();
  VectorXd v = VectorXd::Zero(6);
  v[2] = -1;
  const VectorXd b = G * v;
  Problem problem;
  problem.rows = 12;
  for (int a = 0; a < 4; ++a) problem.blocks.push_back({Cone::coulomb, 3 * a, 3, 0.5});
  std::copy(W.data(), W.data() + 144, problem.W.make_dense(12));
  std::copy(b.data(), b.data() + 12, problem.b.need(12));
  const Solution solution = solve(problem, Criterion::velocity, VectorXd::Zero(12));
  EXPECT_EQ(solution.status, SolveStatus::converged);
  EXPECT_TRUE(solution.minimum_norm);
  for (int a = 0; a < 4; ++a) {
    EXPECT_NEAR(solution.p[3 * a], 0.25, 1e-7);  // measured 0
    EXPECT_NEAR(std::hypot(solution.p[3 * a + 1], solution.p[3 * a + 2]), 0, 1e-7);
  }
}

}  // namespace
}  // namespace ricochet::small_problems_test
