// The slider-crank of acary-2012 6.4.1, with friction, in the alpha family: the motion that moreau-jean converges to.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::alpha_slider_crank_test {
namespace {

TEST(AlphaSliderCrank, TurnsAsWithMoreauJean) {
  const auto crank = [](const std::string& scheme) {
    return simulate("slider-crank", {"scheme=" + scheme, "step=1e-5", "until=0.2"});
  };
  const Trajectory reference = crank("moreau-jean");
  const double turns = reference.rows.back().q[0] / (2 * M_PI);
  EXPECT_GT(std::abs(turns), 1);
  for (const char* scheme :
       {"newmark", "hht", "generalized-alpha", "generalized-alpha-kh", "nonsmooth-alpha", "decoupled-alpha"}) {
    const Trajectory run = crank(scheme);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    double residual = 0, tilt = 0, friction = 0;
    for (const Row& r : run.rows) {
      residual = std::max(residual, r.certificate.complementarity);
      tilt = std::max(tilt, std::abs(r.q[2]));
      friction += r.ledger.friction;
    }
    RecordProperty(scheme, std::to_string(run.rows.back().q[0] / (2 * M_PI) - turns));
    EXPECT_NEAR(run.rows.back().q[0] / (2 * M_PI), turns, 1e-3) << scheme;
    // The energy-safe forecast of the Newmark family leaves closed contacts out that open; measured 3.4e-3.
    // Those that are exact in position let one within the activation tolerance approach for a step, and say so: 6.8e-6.
    EXPECT_LE(residual, find_scheme(scheme)->info.exact_position ? 1e-5 : 5e-3) << scheme;
    EXPECT_LT(tilt, 1e-9) << scheme;
    EXPECT_LT(friction, 0) << scheme;
  }
}

}  // namespace
}  // namespace ricochet::test::alpha_slider_crank_test
