#include "ricochet/math/row_space.hpp"

#include <gtest/gtest.h>

#include "soak/random.hpp"

namespace ricochet {
namespace {

// Products of random factors have the rank of the smaller one; the complement is orthonormal and does nothing.
TEST(RowSpace, FindsTheCombinationsThatDoNothing) {
  soak::Random random(3);
  const auto matrix = [&](int m, int n) {
    MatrixXd A(m, n);
    for (int i = 0; i < m * n; ++i) A.data()[i] = random.number(-1, 1);
    return A;
  };
  for (const auto& [m, n, rank] : {std::array{5, 3, 2}, {12, 12, 11}, {30, 30, 29}, {7, 20, 7}, {9, 4, 4}}) {
    const MatrixXd B = matrix(m, rank) * matrix(rank, n);
    RowSpace space;
    std::copy_n(B.data(), B.size(), space.entries(m, n));
    space.factorise();
    for (int j = 1; j < rank; ++j) EXPECT_LE(space.pivot(j), space.pivot(j - 1) * (1 + 1e-12));
    EXPECT_GT(space.pivot(rank - 1), 1e-4 * space.pivot(0));
    EXPECT_LT(space.pivot(rank), 1e-13 * space.pivot(0));
    MatrixXd N(m, m - rank);
    space.complement(rank, N.data());
    EXPECT_LT((N.transpose() * N - MatrixXd::Identity(m - rank, m - rank)).norm(), 1e-13);
    EXPECT_LT((N.transpose() * B).norm(), 1e-12 * B.norm());
  }
}

TEST(RowSpace, NothingHasNoRank) {
  RowSpace space;
  std::fill_n(space.entries(3, 2), 6, 0.0);
  space.factorise();
  EXPECT_EQ(space.pivot(0), 0);
  MatrixXd N(3, 3);
  space.complement(0, N.data());
  EXPECT_EQ(N, (MatrixXd::Identity(3, 3)));
}

}  // namespace
}  // namespace ricochet
