// What double precision allows for a problem: the bound that `solve` prints beside the error.
#include "ricochet/solver/measures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/stacks.hpp"

namespace ricochet::measures_test {
namespace {

/// One row: eps rho (w |p| + |b|) / |p| = eps (1 + |b| / (w |p|)), and twice that of a balance w p + b = 0.
TEST(RoundOffError, OfOneRow) {
  Problem problem;
  problem.rows = 1;
  problem.blocks = {{Cone::nonnegative, 0, 1, 0}};
  problem.W.make_dense(1)[0] = 4;
  problem.b.zeros(1);
  problem.b[0] = -12;
  const double p = 3;
  EXPECT_DOUBLE_EQ(round_off_error(problem, &p), 2 * 0x1p-53);
}

/// Moving the last bits of all impulses changes the error by as much as the bound says, and not by many times more.
TEST(RoundOffError, IsWhatTheLastBitOfImpulsesDoes) {
  test::Boxes boxes(4);
  boxes.wall(3, 4);
  const Problem problem = boxes.problem(0.5, 0.3);
  std::vector<double> p(problem.rows), q(problem.rows), u(problem.rows), v(problem.rows);
  for (int i = 0; i < problem.rows; ++i) {
    p[i] = i % 3 == 0 ? 1 + 0.1 * i : 0.01 * i;
    q[i] = std::nextafter(p[i], i % 2 == 0 ? 0.0 : 1e9);
  }
  Buffer scratch;
  problem.W.apply(p.data(), u.data(), scratch);
  problem.W.apply(q.data(), v.data(), scratch);
  double moved = 0, size = 0;
  for (const ConeBlock& block : problem.blocks) {
    double trace = 0;
    for (int i = 0; i < 3; ++i) trace += problem.W.diagonal(block.row + i);
    for (int i = block.row; i < block.row + 3; ++i) {
      moved += std::pow(3 / trace * (u[i] - v[i]), 2);
      size += p[i] * p[i];
    }
  }
  const double bound = round_off_error(problem, p.data()), seen = std::sqrt(moved / size);
  EXPECT_LT(seen, 2 * bound);
  EXPECT_GT(seen, bound / 30);
}

}  // namespace
}  // namespace ricochet::measures_test
