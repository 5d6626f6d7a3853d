// The elastic bar of acary-2012 Table 1 with every member of the Newmark family: contact for 2 L / c0 under E S v0 /
// c0.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

class NewmarkBar : public testing::TestWithParam<const char*> {};

TEST_P(NewmarkBar, ContactTimeAndForce) {
  const double E = 210e9, rho = 7800, S = M_PI * 1e-4, v0 = 0.1, h = 2e-6;
  const double c0 = std::sqrt(E / rho), duration = 2 / c0, force = E * S * v0 / c0;  // 3.8545e-4 s, 1271.472 N
  const Trajectory run = simulate("elastic-bar", {std::string("scheme=") + GetParam(), set("step", h)});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.newton_max, 1);  // one pass, however stiff
  double first = 0, last = 0, impulse = 0, time = 0;
  for (const Row& r : run.rows) {
    if (r.P.empty() || !(r.P[0] > 0)) continue;
    if (first == 0) first = r.t;
    last = r.t;
  }
  EXPECT_NEAR(last - first, duration, 2 * h);
  for (const Row& r : run.rows) {
    if (r.P.empty() || !(r.P[0] > 0)) continue;
    EXPECT_LT(std::abs(r.v[0]), 1e-12);
    if (r.t < first + 0.1 * duration || r.t > first + 0.9 * duration) continue;
    impulse += r.P[0];
    time += r.h;
  }
  EXPECT_NEAR(impulse / time, force, 1e-3 * force);  // measured: 1271.471 to 1271.475
  RecordProperty("force", std::to_string(impulse / time));
  RecordProperty("duration", std::to_string((last - first) / duration));
}

INSTANTIATE_TEST_SUITE_P(Members, NewmarkBar,
                         testing::Values("newmark", "hht", "generalized-alpha", "generalized-alpha-kh",
                                         "{name: generalized-alpha-kh, preset: wood-bossak-zienkiewicz}"));

}  // namespace
}  // namespace ricochet::test
