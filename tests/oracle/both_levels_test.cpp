// nonsmooth-alpha: gap and joints to 1e-10 at both levels on ball, pendulum, box and bar; energy never rises on the
// ball.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::both_levels_test {
namespace {

TEST(BothLevels, BallPendulumBoxAndBar) {
  struct Case {
    const char* name;
    std::vector<std::string> overrides;
  };
  const std::vector<Case> cases = {
      {"bouncing-ball-bruls", {"until=5"}},
      {"bouncing-pendulum", {}},
      {"bouncing-pendulum-massless", {}},
      {"rocking-block", {}},
      {"rigid-box", {"until=1.5"}},
      {"elastic-bar", {"step=1e-7", "until=6e-5"}},  // a step at which the sweeps contract
  };
  for (const Case& c : cases) {
    auto overrides = c.overrides;
    overrides.push_back("scheme=nonsmooth-alpha");
    const Trajectory run = simulate(c.name, overrides);
    EXPECT_EQ(run.result.status, RunStatus::finished) << c.name;
    EXPECT_EQ(run.end.summary.retries, 0) << c.name;
    EXPECT_GT(run.end.summary.impacts, 0) << c.name;
    const Certificate& e = run.end.summary.certificate;
    EXPECT_LT(e.penetration, 1e-10) << c.name;
    EXPECT_LT(e.joint_position, 1e-10) << c.name;
    EXPECT_LT(e.joint_velocity, 1e-10) << c.name;
    EXPECT_LT(e.complementarity, 1e-10) << c.name;
  }
}

TEST(BothLevels, SequentialSweepsSayWhenTheyDoNotContract) {
  const Trajectory run = simulate("elastic-bar", {"scheme=nonsmooth-alpha", "step=2e-6", "simulation.max_halvings=0"});
  EXPECT_EQ(run.result.status, RunStatus::failed);
  EXPECT_EQ(run.result.failure.status, StepStatus::newton_limit);
  EXPECT_EQ(run.end.summary.failures[static_cast<std::size_t>(StepStatus::newton_limit)], 1);
  EXPECT_LT(run.end.state.t, 1.5e-5);  // stopped at the last good state, before the impact at 1.23e-5 s
}

TEST(BothLevels, EnergyOfTheBallNeverRises) {
  for (double rho : {0.0, 0.5, 0.8, 1.0}) {
    const Trajectory run =
        simulate("bouncing-ball-bruls", {"scheme={name: nonsmooth-alpha, rho_inf: " + std::to_string(rho) + "}"});
    ASSERT_EQ(run.result.status, RunStatus::finished);
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      EXPECT_LE(run.rows[k].energy, run.rows[k - 1].energy + 1e-14 * run.rows[0].energy);
    EXPECT_EQ(run.rows.back().gap[0], 0);
  }
}

TEST(BothLevels, MoreauJeanDriftsWhereAlphaDoesNot) {
  const Trajectory run = simulate("bouncing-pendulum", {"scheme=moreau-jean"});
  EXPECT_GT(run.end.summary.certificate.penetration, 1e-5);
  EXPECT_LT(run.end.summary.certificate.joint_velocity, 1e-10);
}

}  // namespace
}  // namespace ricochet::test::both_levels_test
