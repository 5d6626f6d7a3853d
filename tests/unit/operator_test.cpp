#include "ricochet/math/operator.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ricochet/math/minimum_norm_factor.hpp"
#include "support/dense.hpp"

namespace ricochet::operator_test {
namespace {

double chance(std::mt19937& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

/// Three bodies of four coordinates in a dense operator; the first two of each stand alone.
struct Bodies {
  OperatorLayout layout;
  MatrixXd A = MatrixXd::Zero(12, 12);
  Bodies() {
    layout.n = 12;
    layout.structure = Structure::dense;
    for (int b = 0; b < 3; ++b) layout.blocks.push_back({4 * b, 4});
    std::mt19937 random(5);
    for (int b = 0; b < 3; ++b) {
      for (int i = 0; i < 4; ++i) A(4 * b + i, 4 * b + i) = 2 + 0.5 * chance(random);
      A(4 * b + 2, 4 * b + 3) = chance(random);
      A(4 * b + 3, 4 * b + 2) = chance(random);
    }
  }
  Operator made() const {
    Operator S(layout);
    S.zero();
    for (int j = 0; j < 12; ++j)
      for (int i = 0; i < 12; ++i)
        if (A(i, j) != 0) S.add(i, j, A(i, j));
    return S;
  }
};

void expect_solved(const Bodies& bodies) {
  Operator S = bodies.made();
  ASSERT_TRUE(S.factorise());
  const VectorXd b = VectorXd::LinSpaced(12, -1, 2);
  VectorXd x = b;
  S.solve(x);
  EXPECT_LT((bodies.A * x - b).cwiseAbs().maxCoeff(), 1e-14);
  Jacobian G, Y;
  double* row = G.add(2, Range{2, 2}, Range{8, 3});
  for (int i = 0; i < 10; ++i) row[i] = 0.3 * i - 1;
  S.solve(G, Y);
  for (int k = 0; k < 2; ++k) {
    VectorXd g = VectorXd::Zero(12), y = g;
    const double one = 1;
    G.add_block_times({0, 1, k * 5, 5, 0, 2}, 1, &one, g);
    const Jacobian::Block& b2 = Y.blocks()[0];
    Y.add_block_times({0, 1, k * b2.length, b2.length, 0, b2.ranges}, 1, &one, y);
    EXPECT_LT((bodies.A * y - g).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(Operator, BodiesThatNothingCouplesAreSolvedOneByOne) {
  const Bodies bodies;
  expect_solved(bodies);
  Operator S = bodies.made();
  ASSERT_TRUE(S.factorise());
  Jacobian G, Y;
  G.add(1, Range{2, 2});
  S.solve(G, Y);
  EXPECT_EQ(Y.blocks()[0].length, 4) << "of one body alone";
}

TEST(Operator, BodiesThatSomethingCouplesAreSolvedTogether) {
  Bodies bodies;
  bodies.A(1, 9) = 0.4;
  bodies.A(9, 1) = -0.2;
  expect_solved(bodies);
}

TEST(Operator, ABodyWithoutMassIsSingular) {
  Bodies bodies;
  bodies.A(4, 4) = 0;
  Operator S = bodies.made();
  EXPECT_FALSE(S.factorise());
}

TEST(MinimumNormFactor, GivesTheShortestSolutionOfEveryRightHandSide) {
  std::mt19937 random(3);
  for (const int rank : {3, 5, 7}) {
    MatrixXd B(7, rank);
    for (Index i = 0; i < B.size(); ++i) B.data()[i] = chance(random);
    const MatrixXd A = B * B.transpose();
    MinimumNormFactor factor;
    factor.factorise(A.data(), 7);
    EXPECT_EQ(factor.full_rank(), rank == 7);
    for (int k = 0; k < 3; ++k) {
      VectorXd z(7);
      for (Index i = 0; i < 7; ++i) z[i] = chance(random);
      const VectorXd b = A * z, shortest = test::pseudo_inverse(A) * b;
      VectorXd x = b;
      factor.solve(x.data());
      EXPECT_LT((x - shortest).cwiseAbs().maxCoeff(), 1e-8 * (1 + shortest.norm())) << rank;
    }
  }
}

}  // namespace
}  // namespace ricochet::operator_test
