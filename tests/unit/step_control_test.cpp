#include "ricochet/sim/step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::step_control_test {
namespace {

TEST(StepControl, EstimateOfOrderZeroIsTwiceTheDifference) {
  EXPECT_EQ(estimate_factor(0), 2);
  EXPECT_EQ(estimate_factor(1), 1);
  EXPECT_EQ(estimate_factor(2), 1.0 / 3);
}

TEST(StepControl, LawIsBounded) {
  StepControl c;
  c.safety = 0.9;
  c.shrink = 0.125;
  c.grow = 4;
  EXPECT_DOUBLE_EQ(proposed_step(c, 2, 1, 1), 1.8);
  EXPECT_DOUBLE_EQ(proposed_step(c, 2, 4, 1), 0.9);
  EXPECT_DOUBLE_EQ(proposed_step(c, 2, 1e12, 1), 0.25);
  EXPECT_DOUBLE_EQ(proposed_step(c, 2, 0, 2), 8);
  EXPECT_DOUBLE_EQ(proposed_step(c, 2, INFINITY, 0), 0.25);
}

TEST(StepControl, StepsAreTheFirstTimesPowersOfTwo) {
  for (double first : {1e-3, 0.7, 3e5}) {
    for (int k = -45; k < 20; ++k) {
      const double h = std::ldexp(first, k);
      EXPECT_EQ(quantised_step(first, h), h);
      EXPECT_EQ(quantised_step(first, 1.99 * h), h);
      EXPECT_EQ(quantised_step(first, 0.99 * h), h / 2);
    }
  }
}

TEST(StepControl, LargestComponentDecidesAndNoNumberIsLarge) {
  const VectorXd e = (VectorXd(3) << 1e-4, -4e-4, 0).finished();
  const VectorXd x = (VectorXd(3) << 1, 9, 0).finished();
  Estimate a;
  a.weigh(LimitSource::velocity, e, 2, VectorXd::Constant(e.size(), 1e-4), 1e-4, &x, &x);
  EXPECT_NEAR(a.error, 1, 1e-15);  // 2e-4 / (1e-4 + 1e-4); the second: 8e-4 / 1e-3
  EXPECT_EQ(a.coordinate, 0);
  a.weigh(LimitSource::position, e, 1, VectorXd::Constant(e.size(), 1e-4), 1e-4, nullptr, nullptr);
  EXPECT_NEAR(a.error, 4, 1e-15);  // 4e-4 / 1e-4
  EXPECT_EQ(a.coordinate, 1);
  const VectorXd none = VectorXd::Constant(3, std::nan(""));
  a.weigh(LimitSource::velocity, none, 1, VectorXd::Ones(none.size()), 0, nullptr, nullptr);
  EXPECT_EQ(a.error, INFINITY);
}

}  // namespace
}  // namespace ricochet::step_control_test
