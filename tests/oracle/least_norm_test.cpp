// Multipliers of least norm against closed solutions, against all supports one by one, and against the method of
// alternating projections, which shares nothing with the solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "ricochet/math/cone.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/dense.hpp"
#include "support/runs.hpp"

namespace ricochet::least_norm_test {
namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

void add_block(Problem& problem, Cone cone, int dim, double mu) {
  problem.blocks.push_back({cone, problem.rows, dim, mu});
  problem.rows += dim;
}

void set(Problem& problem, const MatrixXd& W, const VectorXd& b) {
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
  std::copy(b.data(), b.data() + b.size(), problem.b.need(problem.rows));
}

Solution solve(const Problem& problem, bool least, const char* solver = "auto", double tolerance = 1e-12) {
  Solution solution;
  SolverScratch scratch;
  solution.fit(problem.rows);
  SolverOptions options;
  options.minimum_norm = least;
  options.criterion = Criterion::relative;
  options.tolerance = tolerance;
  find_solver(solver)->solve(problem, options, solution, scratch);
  EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
  return solution;
}

VectorXd multipliers(const Solution& solution) { return Eigen::Map<const VectorXd>(solution.p.data(), solution.rows); }
VectorXd velocities(const Solution& solution) { return Eigen::Map<const VectorXd>(solution.u.data(), solution.rows); }
MatrixXd matrix(const Problem& problem) {
  return Eigen::Map<const MatrixXd>(problem.W.dense(), problem.rows, problem.rows);
}

/// A box of 2 by 1 by 1 m and 3 kg on its four corners, its centre of mass displaced by (x, y), after one step of fall.
struct Box {
  Problem problem;
  std::vector<Eigen::Vector2d> corners;
  double weight = 0;  ///< as an impulse
};

Box box(Cone cone, double x, double y, double push = 0) {
  Box out;
  const double mass = 3, h = 1e-2, g = 9.81, height = 0.5, J[3] = {0.5, 1.25, 1.25};
  out.weight = mass * g * h;
  const int dim = cone == Cone::nonnegative ? 1 : 3;
  MatrixXd G(6, 4 * dim);
  for (int k = 0; k < 4; ++k) {
    add_block(out.problem, cone, dim, cone == Cone::nonnegative ? 0 : 0.6);
    const Eigen::Vector3d r((k % 2 ? 1 : -1) - x, (k / 2 ? 0.5 : -0.5) - y, -height);
    out.corners.emplace_back(r.head<2>());
    for (int i = 0; i < dim; ++i) {
      const Eigen::Vector3d e = i == 0 ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d::Unit(i - 1);
      G.col(dim * k + i) << e, r.cross(e);
    }
  }
  VectorXd inverse(6), v = VectorXd::Zero(6);
  inverse << 1 / mass, 1 / mass, 1 / mass, 1 / J[0], 1 / J[1], 1 / J[2];
  v[2] = -g * h, v[0] = push;
  set(out.problem, G.transpose() * inverse.asDiagonal() * G, G.transpose() * v);
  return out;
}

TEST(LeastNorm, ABoxStandsOnFourCornersAlike) {
  for (const Cone cone : {Cone::nonnegative, Cone::coulomb, Cone::second_order}) {
    const Box b = box(cone, 0, 0);
    const int dim = b.problem.blocks[0].dim;
    for (const Solver* solver : solvers()) {
      if (!solver->accepts(b.problem)) continue;
      const Solution solution = solve(b.problem, true, solver->info().name.c_str());
      EXPECT_TRUE(solution.minimum_norm) << solver->info().name;
      for (int i = 0; i < b.problem.rows; ++i)
        EXPECT_NEAR(solution.p[i], i % dim == 0 ? b.weight / 4 : 0, 1e-11 * b.weight) << solver->info().name;
    }
  }
}

/// Of least norm are normal impulses that are an affine function of the place; a box that is dragged and slides
/// adds friction mu N against the motion everywhere.
TEST(LeastNorm, ACentreOfMassOffTheMiddle) {
  const double x = 0.3, y = -0.1;
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  const Box still = box(Cone::coulomb, x, y);
  for (const Eigen::Vector2d& r : still.corners) {
    const Eigen::Vector3d row(1, r[0], r[1]);
    A += row * row.transpose();
  }
  const Eigen::Vector3d affine = A.lu().solve(Eigen::Vector3d(still.weight, 0, 0));
  const Solution solution = solve(still.problem, true);
  ASSERT_TRUE(solution.minimum_norm);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(solution.p[3 * k], affine[0] + affine[1] * still.corners[k][0] + affine[2] * still.corners[k][1],
                1e-12);
    EXPECT_NEAR(std::hypot(solution.p[3 * k + 1], solution.p[3 * k + 2]), 0, 1e-12);
  }
}

TEST(LeastNorm, ABoxThatSlides) {
  const Box slides = box(Cone::coulomb, 0, 0, 0.8);
  const Solution plain = solve(slides.problem, false), solution = solve(slides.problem, true);
  ASSERT_TRUE(solution.minimum_norm);
  ASSERT_GT(solution.u[1], 0.1);  // it slides on
  EXPECT_LT((velocities(solution) - velocities(plain)).norm(), 1e-12);
  EXPECT_LE(multipliers(solution).norm(), multipliers(plain).norm() * (1 + 1e-12));
  // Friction tilts the box forward; what is left free is one mode of the normal impulses, out of plane (+, -, -, +).
  double twist = 0;
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(solution.p[3 * k + 1], -0.6 * solution.p[3 * k], 1e-12);
    EXPECT_NEAR(solution.p[3 * k + 2], 0, 1e-12);
    twist += (k == 0 || k == 3 ? 1 : -1) * solution.p[3 * k];
  }
  EXPECT_NEAR(twist, 0, 1e-12);
}

/// u = W p + b with W = G^T G of the rank given; the first `joints` rows are free.
Problem planted(Cone cone, int contacts, int joints, int rank, std::uint64_t seed) {
  Random random(seed);
  Problem problem;
  for (int k = 0; k < joints; ++k) add_block(problem, Cone::free, 1, 0);
  const int dim = cone == Cone::nonnegative ? 1 : 3;
  for (int k = 0; k < contacts; ++k)
    add_block(problem, cone, dim, cone == Cone::nonnegative ? 0 : uniform(random, 0.2, 0.7));
  const int m = problem.rows;
  MatrixXd G(rank, m);
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < rank; ++i) G(i, j) = uniform(random, -1, 1);
  VectorXd p(m), u = VectorXd::Zero(m);
  for (int i = 0; i < joints; ++i) p[i] = uniform(random, -1, 1);
  for (int k = joints; k < joints + contacts; ++k) {
    const ConeBlock& block = problem.blocks[static_cast<std::size_t>(k)];
    p.segment(block.row, dim).setZero();
    const int mode = static_cast<int>(random() % 5);
    if (mode == 0) {
      u[block.row] = uniform(random, 0.1, 1);
    } else {
      p[block.row] = uniform(random, 0.1, 1);
      const double angle = uniform(random, 0, 2 * M_PI), part = mode == 1 ? 1 : uniform(random, 0, 0.9);
      if (dim == 3) p[block.row + 1] = part * block.mu * p[block.row] * std::cos(angle);
      if (dim == 3) p[block.row + 2] = part * block.mu * p[block.row] * std::sin(angle);
      if (dim == 3 && mode == 1) {  // slides
        u.segment(block.row + 1, 2) = -0.7 * p.segment(block.row + 1, 2);
        if (cone == Cone::second_order) u[block.row] = block.mu * u.segment(block.row + 1, 2).norm();
      }
    }
  }
  const MatrixXd W = G.transpose() * G;
  set(problem, W, u - W * p);
  return problem;
}

/// By all supports: of the least-norm solutions of W_s p_s = c that are no pull, the shortest.
VectorXd by_supports(const Problem& problem, int joints, const VectorXd& c, const VectorXd& u) {
  const MatrixXd W = matrix(problem);
  const int m = problem.rows, contacts = m - joints;
  VectorXd best;
  for (int mask = 0; mask < 1 << contacts; ++mask) {
    std::vector<int> rows(static_cast<std::size_t>(joints));
    std::iota(rows.begin(), rows.end(), 0);
    bool allowed = true;
    for (int k = 0; k < contacts; ++k)
      if (mask >> k & 1) rows.push_back(joints + k), allowed = allowed && u[joints + k] < 1e-9;
    if (!allowed || rows.empty()) continue;
    MatrixXd part(m, static_cast<Index>(rows.size()));
    for (std::size_t j = 0; j < rows.size(); ++j) part.col(static_cast<Index>(j)) = W.col(rows[j]);
    const VectorXd found = test::pseudo_inverse(part) * c;
    if ((part * found - c).norm() > 1e-9) continue;
    VectorXd p = VectorXd::Zero(m);
    for (std::size_t j = 0; j < rows.size(); ++j) p[rows[j]] = found[static_cast<Index>(j)];
    if (p.tail(contacts).minCoeff() < -1e-10) continue;
    if (best.size() == 0 || p.norm() < best.norm()) best = p;
  }
  return best;
}

TEST(LeastNorm, OfAllSupportsOfFrictionlessContacts) {
  int shorter = 0, done = 0;
  for (int seed = 0; seed < 30; ++seed) {
    const int joints = seed % 3 == 0 ? 3 : 0;
    const Problem problem = planted(Cone::nonnegative, 8, joints, joints == 0 ? 4 : 5, 100 + seed);
    const Solution plain = solve(problem, false), least = solve(problem, true);
    if (!least.minimum_norm) continue;
    ++done;
    const VectorXd p = multipliers(least),
                   c = velocities(least) - Eigen::Map<const VectorXd>(problem.b.data(), p.size());
    const VectorXd truth = by_supports(problem, joints, c, velocities(least));
    ASSERT_EQ(truth.size(), p.size());
    EXPECT_LT((p - truth).norm(), 1e-8) << "seed " << seed;
    EXPECT_LT((velocities(least) - velocities(plain)).norm(), 1e-10);
    shorter += p.norm() < 0.999 * multipliers(plain).norm();
  }
  EXPECT_EQ(done, 30);
  EXPECT_GT(shorter, 10);
}

/// The face of the cone that a velocity leaves, as a projection in place.
void project_on_face(const ConeBlock& block, const double* u, double* p) {
  const double t = std::hypot(u[1], u[2]), opens = block.cone == Cone::coulomb ? u[0] : u[0] - block.mu * t;
  if (opens > 1e-9) {
    std::fill(p, p + 3, 0.0);
  } else if (t > 1e-9) {
    const Eigen::Vector3d g = Eigen::Vector3d(1, -block.mu * u[1] / t, -block.mu * u[2] / t).normalized();
    Eigen::Map<Eigen::Vector3d> out(p);
    out = (std::max(0.0, g.dot(out)) * g).eval();
  } else {
    project(Cone::second_order, 3, block.mu, p);
  }
}

/// Dykstra's alternating projections from zero.
VectorXd by_alternating(const Problem& problem, const VectorXd& c, const VectorXd& u) {
  const MatrixXd W = matrix(problem);
  const MatrixXd inverse = test::pseudo_inverse(W), onto = inverse * W;
  const VectorXd offset = inverse * c;
  VectorXd p = VectorXd::Zero(problem.rows), correction = p, last;
  for (int k = 0; k < 200000; ++k) {
    last = p;
    const VectorXd on_plane = p - onto * p + offset;
    p = on_plane + correction;
    for (const ConeBlock& block : problem.blocks) project_on_face(block, u.data() + block.row, p.data() + block.row);
    correction = on_plane + correction - p;
    if ((p - last).norm() < 1e-13) break;
  }
  return p;
}

TEST(LeastNorm, AsAlternatingProjectionsFindIt) {
  int shorter = 0, done = 0;
  for (const Cone cone : {Cone::coulomb, Cone::second_order})
    for (int seed = 0; seed < 8; ++seed) {
      const Problem problem = planted(cone, 5, 0, 7, 200 + seed);
      const Solution plain = solve(problem, false), least = solve(problem, true);
      if (!least.minimum_norm) continue;
      ++done;
      const VectorXd p = multipliers(least), u = velocities(plain);
      const VectorXd c = u - Eigen::Map<const VectorXd>(problem.b.data(), p.size());
      EXPECT_LT((p - by_alternating(problem, c, u)).norm(), 1e-5) << "seed " << seed;
      EXPECT_LT((velocities(least) - u).norm(), 1e-10);
      EXPECT_LE(p.norm(), multipliers(plain).norm() * (1 + 1e-9));
      shorter += p.norm() < 0.999 * multipliers(plain).norm();
    }
  EXPECT_EQ(done, 16);
  EXPECT_GT(shorter, 5);
}

TEST(LeastNorm, TheOrderOfTheContactsDoesNotMatter) {
  for (int seed = 0; seed < 10; ++seed) {
    const Problem problem = planted(Cone::coulomb, 5, 0, 7, 300 + seed);
    std::vector<int> order{3, 0, 4, 2, 1};
    Problem other;
    std::vector<int> rows;
    for (const int k : order) {
      const ConeBlock& block = problem.blocks[static_cast<std::size_t>(k)];
      add_block(other, block.cone, 3, block.mu);
      for (int i = 0; i < 3; ++i) rows.push_back(block.row + i);
    }
    MatrixXd W(15, 15);
    VectorXd b(15);
    for (int i = 0; i < 15; ++i) {
      b[i] = problem.b[rows[static_cast<std::size_t>(i)]];
      for (int j = 0; j < 15; ++j)
        W(i, j) = problem.W(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
    set(other, W, b);
    const Solution first = solve(problem, true), second = solve(other, true);
    ASSERT_TRUE(first.minimum_norm && second.minimum_norm);
    if ((velocities(second) - Eigen::Map<const VectorXd>(first.u.data(), 15)(rows)).norm() > 1e-9) continue;
    EXPECT_LT((multipliers(second) - multipliers(first)(rows)).norm(), 1e-9) << "seed " << seed;
  }
}

TEST(LeastNorm, UnitsChangeNoBit) {
  for (int seed = 0; seed < 5; ++seed) {
    const Problem problem = planted(Cone::coulomb, 5, 0, 7, 400 + seed);
    const Solution first = solve(problem, true);
    for (const double mass : {1.0, 0x1p20})
      for (const double velocity : {1.0, 0x1p-30}) {
        Problem other;
        for (const ConeBlock& block : problem.blocks) add_block(other, block.cone, block.dim, block.mu);
        set(other, matrix(problem) / mass, velocity * Eigen::Map<const VectorXd>(problem.b.data(), problem.rows));
        const Solution second = solve(other, true);
        ASSERT_EQ(first.minimum_norm, second.minimum_norm);
        for (int i = 0; i < problem.rows; ++i) EXPECT_EQ(second.p[i], mass * velocity * first.p[i]);
      }
  }
}

/// The option of a scheme: a box that lies still stands on its four lower corners alike, step after step.
TEST(LeastNorm, InARun) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha"}) {
    SCOPED_TRACE(scheme);
    const test::Trajectory run = test::simulate(
        "rigid-box", {"scheme={name: " + std::string(scheme) + ", minimum_norm: true}", "step=1e-3", "until=0.05",
                      "system.bodies.box.position=[0, 0, 0.15]", "system.bodies.box.velocity=[0, 0, 0]",
                      "system.bodies.box.angular_velocity=[0, 0, 0]", "system.plane.restitution=0"});
    ASSERT_EQ(run.result.status, RunStatus::finished);
    EXPECT_TRUE(run.end.summary.minimum_norm);
    for (std::size_t k = 5; k < run.rows.size(); ++k) {
      std::vector<double> P = run.rows[k].P;
      std::sort(P.begin(), P.end());
      ASSERT_EQ(P.size(), 8u);
      for (int corner = 0; corner < 8; ++corner)
        EXPECT_NEAR(P[static_cast<std::size_t>(corner)], corner < 4 ? 0 : 46.8 * 9.81 * 1e-3 / 4, 1e-10);
    }
  }
}

}  // namespace
}  // namespace ricochet::least_norm_test
