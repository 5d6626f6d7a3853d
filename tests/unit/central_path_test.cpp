// The interior point and the central path: how many linear systems they need, and where only the path arrives.
#include <gtest/gtest.h>

#include <random>

#include "ricochet/solver/solver.hpp"
#include "support/stacks.hpp"

namespace ricochet::central_path_test {
namespace {

using test::Boxes;

Solution solve(const char* solver, const Problem& problem, int limit = 0) {
  SolverOptions options;
  options.tolerance = 1e-10;
  options.criterion = Criterion::relative;
  options.max_iterations = limit;
  Solution out;
  SolverScratch scratch;
  find_solver(solver)->solve(problem, options, out, scratch);
  return out;
}

/// A wall that rests, with corners that contradict each other by `noise`.
Problem resting_wall(unsigned seed, int width, int height, double mu, double noise) {
  Boxes boxes(seed);
  boxes.wall(width, height);
  Problem out = boxes.problem(mu, noise);
  std::mt19937 random(seed);
  std::normal_distribution<double> any(0, noise);
  for (int i = 0; i < out.rows; ++i) out.b[i] += any(random);
  return out;
}

TEST(CentralPath, WithoutFrictionTakesFewSystems) {
  Boxes boxes(3);
  boxes.wall(4, 6);
  const Problem wall = boxes.problem(0, 0.3);
  for (const char* solver : {"interior-point", "central-path"}) {
    const Solution found = solve(solver, wall);
    EXPECT_EQ(found.status, SolveStatus::converged) << solver;
    EXPECT_LE(found.residual, 1e-10) << solver;
    EXPECT_LT(found.iterations, 60) << solver;  // 11 and 15
  }
}

/// Redundant corners at odds: Newton alone does not arrive with many times as many systems.
TEST(CentralPath, FindsItsWayAlongTheNullSpace) {
  const Problem wall = resting_wall(1, 4, 6, 0.5, 1e-6);
  const Solution path = solve("central-path", wall), newton = solve("proximal-newton", wall, 600);
  EXPECT_EQ(path.status, SolveStatus::converged);
  EXPECT_LT(path.iterations, 150);  // 79
  EXPECT_NE(newton.status, SolveStatus::converged);
}

/// Large friction: the path turns back in tau, and arrives. Lowering tau only, it stays at the first fold.
TEST(CentralPath, PassesFolds) {
  for (const unsigned seed : {1u, 2u}) {
    const Solution path = solve("central-path", resting_wall(seed, 3, 5, 4, 1e-3));
    EXPECT_EQ(path.status, SolveStatus::converged) << seed;
    EXPECT_LT(path.iterations, 600) << seed;  // 318, 164
  }
}

/// The same for the same problem, whatever was solved before with the same scratch.
TEST(CentralPath, DoesNotDependOnWhatWasSolvedBefore) {
  const Problem wall = resting_wall(2, 3, 4, 0.5, 1e-6), other = resting_wall(3, 4, 3, 0.3, 1e-4);
  SolverOptions options;
  options.tolerance = 1e-10;
  options.criterion = Criterion::relative;
  const Solution fresh = solve("central-path", wall);
  Solution again, between;
  SolverScratch scratch;
  find_solver("central-path")->solve(other, options, between, scratch);
  find_solver("central-path")->solve(wall, options, again, scratch);
  ASSERT_EQ(again.iterations, fresh.iterations);
  for (int i = 0; i < wall.rows; ++i) ASSERT_EQ(again.p[i], fresh.p[i]) << i;
}

}  // namespace
}  // namespace ricochet::central_path_test
