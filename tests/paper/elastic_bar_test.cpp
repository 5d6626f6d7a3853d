// The elastic bar of acary-2012 Table 1 against the wave solution: contact for 2 L / c0 under the force E S v0 / c0.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

TEST(ElasticBar, ContactTimeAndForce) {
  const double E = 210e9, rho = 7800, S = M_PI * 1e-4, v0 = 0.1, h = 2e-6;
  const double c0 = std::sqrt(E / rho), duration = 2 / c0, force = E * S * v0 / c0;  // 3.8545e-4 s, 1271.472 N
  const Trajectory run = simulate("elastic-bar", {set("step", h)});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  double first = 0, last = 0;
  for (const Row& r : run.rows) {
    if (r.P.empty() || !(r.P[0] > 0)) continue;
    if (first == 0) first = r.t;
    last = r.t;
  }
  EXPECT_NEAR(last - first, duration, 2 * h);
  double impulse = 0, time = 0;
  for (const Row& r : run.rows) {
    if (r.P.empty() || !(r.P[0] > 0)) continue;
    EXPECT_LT(std::abs(r.v[0]), 1e-12);
    if (r.t < first + 0.1 * duration || r.t > first + 0.9 * duration) continue;
    impulse += r.P[0];
    time += r.h;
  }
  EXPECT_NEAR(impulse / time, force, 1e-3 * force);  // measured 1271.475 N; the contact 3.880e-4 s
}

}  // namespace
}  // namespace ricochet::test
