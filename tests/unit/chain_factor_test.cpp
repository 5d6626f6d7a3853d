// Factors of three diagonals against the dense solution.
#include "ricochet/math/chain_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace ricochet::test::chain_factor_test {
namespace {

using Matrix = ChainFactor::Matrix;

Matrix chain(int n, double diagonal) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, diagonal + 0.1 * i);
    if (i + 1 == n) continue;
    entries.emplace_back(i, i + 1, -1 + 0.05 * i);
    entries.emplace_back(i + 1, i, -1 + 0.05 * i);
  }
  Matrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(ChainFactor, SolvesLikeADenseMatrix) {
  for (const int n : {2, 3, 4, 5, 12, 31}) {
    const Matrix A = chain(n, 4);
    ASSERT_TRUE(ChainFactor::fits(A));
    ChainFactor factor;
    ASSERT_TRUE(factor.factorise(A));
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 2);
    Eigen::VectorXd y = A * x;
    factor.solve(y.data());
    EXPECT_LT((y - x).norm(), 1e-14 * x.norm()) << n;  // measured 3e-16
  }
}

// A push at one end of a long chain dies away to zero, and to nothing between zero and the normal numbers.
TEST(ChainFactor, DiesAwayToZero) {
  constexpr int kLong = 5000;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < kLong; ++i) {
    entries.emplace_back(i, i, 2.2);
    if (i + 1 < kLong) entries.emplace_back(i, i + 1, -1), entries.emplace_back(i + 1, i, -1);
  }
  Matrix A(kLong, kLong);
  A.setFromTriplets(entries.begin(), entries.end());
  ChainFactor factor;
  ASSERT_TRUE(factor.factorise(A));
  for (const int pushed : {0, kLong - 1}) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(kLong);
    x[pushed] = 1;
    factor.solve(x.data());
    EXPECT_EQ(x[kLong - 1 - pushed], 0);
    for (int i = 0; i < kLong; ++i) EXPECT_TRUE(x[i] == 0 || std::isnormal(x[i])) << i;
  }
}

TEST(ChainFactor, RefusesWhatIsNoChainAndWhatIsSingular) {
  Matrix A = chain(5, 4);
  A.coeffRef(0, 2) = 1;
  EXPECT_FALSE(ChainFactor::fits(A));
  ChainFactor factor;
  Matrix zero(3, 3);
  for (int i = 0; i < 3; ++i) zero.insert(i, i) = i == 1 ? 0 : 1;
  zero.makeCompressed();
  EXPECT_FALSE(factor.factorise(zero));
}

}  // namespace
}  // namespace ricochet::test::chain_factor_test
