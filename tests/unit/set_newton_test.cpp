// Sets and values in one system, against a dense reference: of all sets the one whose solution is lawful.
#include "ricochet/scheme/pieces/set_newton.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace ricochet {
namespace {

void add_block(Problem& problem, Cone cone, int dim, double mu = 0) {
  problem.blocks.push_back({cone, problem.rows, dim, mu});
  problem.rows += dim;
}

void set(Problem& problem, const MatrixXd& W, const VectorXd& b) {
  std::copy(W.data(), W.data() + W.size(), problem.W.make_dense(problem.rows));
  std::copy(b.data(), b.data() + b.size(), problem.b.need(problem.rows));
}

VectorXd random_vector(std::mt19937& random, int n) {
  std::normal_distribution<double> normal;
  VectorXd x(n);
  for (double& value : x) value = normal(random);
  return x;
}

MatrixXd random_W(std::mt19937& random, int m, int n) {
  MatrixXd G(n, m);
  for (int j = 0; j < m; ++j) G.col(j) = random_vector(random, n);
  return G.transpose() * G;
}

/// Passes until the sets stand; p is the answer.
int passes(const Problem& problem, VectorXd& p, int most = 60) {
  SetNewton sets;
  int count = 1;
  while (!sets.pass(problem, p.data()) && count < most) ++count;
  return count;
}

/// Joints hold, and of contacts those in the set; the one set whose answer is lawful.
VectorXd by_enumeration(const MatrixXd& W, const VectorXd& b, int joints) {
  const int m = static_cast<int>(b.size()), contacts = m - joints;
  for (int set = 0; set < 1 << contacts; ++set) {
    std::vector<int> held;
    for (int i = 0; i < m; ++i)
      if (i < joints || ((set >> (i - joints)) & 1) != 0) held.push_back(i);
    VectorXd p = VectorXd::Zero(m);
    if (!held.empty()) p(held) = -W(held, held).eval().fullPivLu().solve(b(held).eval());
    const VectorXd u = W * p + b;
    if ((p.tail(contacts).array() >= -1e-12).all() && (u.tail(contacts).array() >= -1e-12).all()) return p;
  }
  return VectorXd::Constant(m, std::numeric_limits<double>::quiet_NaN());
}

TEST(SetNewton, FindsTheLawfulSetOfJointsAndContacts) {
  std::mt19937 random(1);
  int largest = 0;
  for (int k = 0; k < 300; ++k) {
    const int joints = k % 3, contacts = 1 + k % 7, m = joints + contacts;
    const MatrixXd W = random_W(random, m, m + 3);
    const VectorXd b = random_vector(random, m);
    Problem problem;
    if (joints > 0) add_block(problem, Cone::free, joints);
    for (int i = 0; i < contacts; ++i) add_block(problem, Cone::nonnegative, 1);
    set(problem, W, b);
    VectorXd p = VectorXd::Zero(m);
    largest = std::max(largest, passes(problem, p));
    EXPECT_LT((p - by_enumeration(W, b, joints)).lpNorm<Eigen::Infinity>(), 1e-9) << k;
  }
  EXPECT_LE(largest, 8);
}

TEST(SetNewton, FrictionObeysItsLaw) {
  std::mt19937 random(2);
  int solved = 0, all = 0;
  for (int k = 0; k < 300; ++k) {
    const int contacts = 1 + k % 4, dim = 2 + k % 2, m = contacts * dim;
    const MatrixXd W = random_W(random, m, m + 4);
    const VectorXd b = random_vector(random, m);
    Problem problem;
    for (int i = 0; i < contacts; ++i) add_block(problem, Cone::coulomb, dim, 0.1 + 0.1 * (k % 6));
    set(problem, W, b);
    VectorXd p = VectorXd::Zero(m);
    SetNewton sets;
    double left = 1;
    for (int pass = 0; pass < 40 && left > 1e-10; ++pass) {
      sets.pass(problem, p.data());
      left = natural_residual(problem, p.data(), VectorXd(W * p + b).data());
    }
    solved += left <= 1e-10;
    ++all;
  }
  EXPECT_GT(solved, 0.9 * all);  // the others turn in a circle: their caller asks a solver
}

TEST(SetNewton, OfTwoFacesThatCouldCarryTheGuessDecides) {
  Problem problem;
  add_block(problem, Cone::nonnegative, 1);
  add_block(problem, Cone::nonnegative, 1);
  set(problem, MatrixXd::Ones(2, 2), VectorXd::Constant(2, -1));
  for (int face = 0; face < 2; ++face) {
    VectorXd p = VectorXd::Zero(2);
    p[face] = 1;
    passes(problem, p);
    EXPECT_NEAR(p[face], 1, 1e-14);
    EXPECT_EQ(p[1 - face], 0);
  }
}

TEST(SetNewton, RedundantJointsShareTheirLoad) {
  Problem problem;
  add_block(problem, Cone::free, 2);
  set(problem, MatrixXd::Ones(2, 2), VectorXd::Constant(2, -1));
  VectorXd p = VectorXd::Zero(2);
  SetNewton sets;
  sets.pass(problem, p.data());
  EXPECT_TRUE(sets.redundant());
  EXPECT_NEAR(p[0], 0.5, 1e-14);
  EXPECT_NEAR(p[1], 0.5, 1e-14);
}

TEST(SetNewton, AnIntervalHoldsAndSlides) {
  for (const double load : {0.5, 3.0}) {
    Problem problem;
    add_block(problem, Cone::interval, 1, 1.0);
    set(problem, MatrixXd::Constant(1, 1, 2), VectorXd::Constant(1, 2 * load));
    VectorXd p = VectorXd::Zero(1);
    passes(problem, p);
    EXPECT_NEAR(p[0], -std::min(1.0, load), 1e-14);
  }
}

}  // namespace
}  // namespace ricochet
