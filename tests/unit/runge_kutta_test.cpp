// Orders of the Runge-Kutta methods, of their error estimates and of their continuous output.
#include "ricochet/scheme/pieces/runge_kutta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/scheme/pieces/radau.hpp"
#include "support/runs.hpp"

namespace ricochet::test::runge_kutta_test {
namespace {

/// A pendulum driven from outside, and a quadrature beside it: not linear, and not autonomous.
class Swing final : public Flow {
 public:
  bool rate(double t, ConstView y, View out) override {
    out[0] = y[1];
    out[1] = -std::sin(y[0]) + 0.3 * std::cos(1.7 * t);
    if (y.size() > 2) out[2] = y[1] * y[1];
    return true;
  }
};

VectorXd integrate(Stepper& method, double until, int steps) {
  Swing flow;
  VectorXd y(3);
  y << 1, 0.5, 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(method.begin(flow, k * until / steps, y, 2));
    EXPECT_TRUE(method.step(flow, until / steps));
    y = method.y_end().vec();
  }
  return y;
}

/// Largest error of the continuous output within one step from the initial state.
double dense_error(Stepper& method, Stepper& exact, double h) {
  Swing flow;
  VectorXd y(3), between(2);
  y << 1, 0.5, 0;
  method.begin(flow, 0, y, 2);
  method.step(flow, h);
  EXPECT_TRUE(method.make_dense(flow));
  double worst = 0;
  for (double theta : {0.13, 0.37, 0.5, 0.81}) {
    method.interpolate(theta, between);
    worst = std::max(worst, (between - integrate(exact, theta * h, 20).head(2)).norm());
  }
  method.interpolate(1, between);
  EXPECT_NEAR((between - method.y_end().vec().head(2)).norm(), 0, 1e-14);
  return worst;
}

struct Case {
  std::string name;
  std::unique_ptr<Stepper> stepper;
  int order, dense;
  double h;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  const auto add = [&](const char* name, int order, int dense, double h) {
    out.push_back({name, std::make_unique<ExplicitRungeKutta>(*find_tableau(name)), order, dense, h});
  };
  add("euler", 1, 1, 0.02);
  add("midpoint", 2, 2, 0.05);
  add("kutta3", 3, 3, 0.1);
  add("rk4", 4, 3, 0.1);
  add("rkf45", 5, 3, 0.08);
  add("dopri5", 5, 4, 0.08);
  add("dop853", 8, 7, 0.6);
  out.push_back({"radau5", std::make_unique<Radau>(), 5, 3, 0.2});
  return out;
}

TEST(RungeKutta, Orders) {
  ExplicitRungeKutta fine(*find_tableau("dop853"));
  const VectorXd exact = integrate(fine, 4, 400);
  for (const Case& c : cases()) {
    std::vector<double> h, error;
    for (int k = 0; k < 4; ++k) {
      const int steps = static_cast<int>(std::lround(4 / c.h * std::pow(1.3, k)));
      h.push_back(4.0 / steps);
      error.push_back((integrate(*c.stepper, 4, steps) - exact).norm());
    }
    EXPECT_NEAR(fitted_order(h, error), c.order, 0.3) << c.name;
  }
}

TEST(RungeKutta, ContinuousOutput) {
  ExplicitRungeKutta fine(*find_tableau("dop853"));
  for (const Case& c : cases()) {
    std::vector<double> h, error;
    for (double step : {2 * c.h, 1.5 * c.h, c.h}) {
      h.push_back(step);
      error.push_back(dense_error(*c.stepper, fine, step));
    }
    // within one step one order more
    EXPECT_GT(fitted_order(h, error), c.dense + 0.5) << c.name;
  }
}

TEST(RungeKutta, ErrorEstimatesFollowTheError) {
  Swing flow;
  VectorXd y(3), scale = VectorXd::Ones(2);
  y << 1, 0.5, 0;
  for (const Case& c : cases()) {
    if (c.order < 5) continue;
    double before = 0;
    for (double step : {c.h, c.h / 2}) {
      c.stepper->begin(flow, 0, y, 2);
      c.stepper->step(flow, step);
      const double estimate = c.stepper->error(scale);
      EXPECT_GT(estimate, 0) << c.name;
      if (before > 0) {
        EXPECT_GT(std::log2(before / estimate), c.stepper->error_order() - 1) << c.name;
      }
      before = estimate;
    }
  }
}

}  // namespace
}  // namespace ricochet::test::runge_kutta_test
