// Rolling and spinning friction against closed forms: a ball that runs out, a top on its tip, back-spin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"

namespace ricochet::test::rolling_test {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.1;

const std::vector<std::string> kSchemes{"moreau-jean", "moreau-jean-midpoint", "projected",       "combined",
                                        "newmark",     "generalized-alpha",    "nonsmooth-alpha", "decoupled-alpha"};

/// A solid ball of 2 kg and radius 0.1 on the ground; `law`: keys of the contact.
std::string ball(const std::string& law, const std::string& motion, const std::string& system = {}) {
  return "name: ball\nsystem:\n" + system +
         "  gravity: [0, 0, -9.81]\n  bodies:\n"
         "    ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1], " +
         motion + "}\n  contacts:\n    floor: {on_plane: [ground, ball], to: [0, 0, 0.1], tip: 0.1, " + law +
         "}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

double speed(const Row& r) { return std::hypot(r.v[0], r.v[1]); }

double moved(const Trajectory& run, double from) {
  const Row* first = nullptr;
  double most = 0;
  for (const Row& r : run.rows) {
    if (r.t < from) continue;
    if (first == nullptr) first = &r;
    most = std::max(most, (r.q.head(3) - first->q.head(3)).norm());
  }
  return most;
}

// m v' = T, I w' = -T R - mu_R N, v = R w:  v' = -(mu_R / R) g / (1 + I / (m R^2)), 5/7 of mu_R g / R for a solid ball.
// Across the grid, so that the two rolling rows and the two slips act together.
TEST(Rolling, ABallRunsOut) {
  const double length = 5e-3, a = 5.0 / 7 * length / kRadius * kGravity, stop = 1 / a, h = 7e-3;
  const std::string text =
      ball("friction: 0.5, rolling: 5e-3", "velocity: [0.6, 0.8, 0], angular_velocity: [-8, 6, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, h, 3.2);
    double worst = 0, slip = 0;
    for (const Row& r : run.rows) {
      if (r.t < stop - h) worst = std::max(worst, std::abs(speed(r) - (1 - a * r.t)));
      slip = std::max(slip, std::abs(speed(r) - kRadius * std::sqrt(r.v.tail(3).squaredNorm())));
    }
    EXPECT_LT(worst, 1e-8) << scheme;
    EXPECT_LT(slip, 1e-8) << scheme;  // it rolls, never slips
    EXPECT_NEAR((run.rows.back().q.head(2) - run.rows.front().q.head(2)).norm(), stop / 2, a * h * h) << scheme;
    EXPECT_LT(moved(run, stop + 2 * h), 1e-12) << scheme;
    double friction = 0;
    for (const Row& r : run.rows) friction += r.ledger.friction;
    EXPECT_NEAR(friction, -1.4, 1e-8) << scheme;  // 1/2 m v^2 (1 + 2/5)
  }
}

// The same in the plane, three rows.
TEST(Rolling, ADiscInThePlaneRunsOut) {
  const double a = 5.0 / 7 * 5e-3 / kRadius * kGravity, h = 7e-3;
  const std::string text =
      ball("friction: 0.5, rolling: 5e-3", "velocity: [1, 0, 0], angular_velocity: [0, 10, 0]", "  planar: xz\n");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, h, 3.2);
    double worst = 0;
    for (const Row& r : run.rows)
      if (r.t < 1 / a - h) worst = std::max(worst, std::abs(r.v[0] - (1 - a * r.t)));
    EXPECT_LT(worst, 1e-8) << scheme;
    EXPECT_LT(std::abs(run.rows.back().v[0]), 1e-12) << scheme;
  }
}

// I w' = -mu_S m g about the normal, whatever rolling would need.
TEST(Spinning, ATopRunsDown) {
  const double alpha = 4e-4 * 2 * kGravity / 0.008, stop = 2 / alpha, h = 7e-3;
  for (const char* law : {"friction: 0.5, spinning: 4e-4", "friction: 0.5, spinning: 4e-4, rolling: 1e-3"}) {
    const std::string text = ball(law, "angular_velocity: [0, 0, 2]");
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, h, 3);
      double worst = 0;
      for (const Row& r : run.rows)
        if (r.t < stop - h) worst = std::max(worst, std::abs(r.v[5] - (2 - alpha * r.t)));
      EXPECT_LT(worst, 1e-8) << scheme;
      EXPECT_LT(std::abs(run.rows.back().v[5]), 1e-12) << scheme;
      EXPECT_LT(moved(run, 0), 1e-10) << scheme;
    }
  }
}

// v0 forward, w0 backward: it slides for (v0 + R w0) / (7/2 mu g) and rolls at 5/7 v0 - 2/7 R w0 from then on; the
// resistance to rolling acts from the beginning, against the spin.
TEST(Rolling, BackSpinEndsInRolling) {
  const double mu = 0.2, slides = (1 + kRadius * 20) / (3.5 * mu * kGravity), rolls = 1 - mu * kGravity * slides;
  const std::string text = ball("friction: 0.2", "velocity: [1, 0, 0], angular_velocity: [0, -20, 0]");
  for (const std::string& scheme : kSchemes) {
    std::vector<double> steps, errors;
    for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
      const Trajectory run = finish_text(text, scheme, h, 0.7);
      double sum = 0;
      for (const Row& r : run.rows) sum += h * std::abs(r.v[0] - (r.t < slides ? 1 - mu * kGravity * r.t : rolls));
      steps.push_back(h), errors.push_back(sum);
      EXPECT_NEAR(run.rows.back().v[0], rolls, 1e-9) << scheme;
    }
    // A step that ends in rolling is wrong by less than its own length times mu g: second order in L1, or exact.
    EXPECT_LT(errors.back(), 2e-6) << scheme;
  }
  // With resistance: while it slides w' = (5/2 mu g - mu_R g m R / I ...) stays what the moments say.
  const double resists = 1e-3 * 2 * kGravity / 0.008;  // rad/s^2
  const Trajectory run =
      finish_text(ball("friction: 0.2, rolling: 1e-3", "velocity: [1, 0, 0], angular_velocity: [0, -20, 0]"),
                  "moreau-jean", 1e-3, 0.2);
  EXPECT_NEAR(run.rows.back().v[4], -20 + (2.5 * mu * kGravity / kRadius + resists) * 0.2, 1e-8);
}

// Rolling friction holds a ball on an incline up to tan(angle) = mu_R / R.
TEST(Rolling, ABallStaysOnAGentleIncline) {
  for (const double part : {0.98, 1.02}) {
    const double slope = part * 5e-3 / kRadius;
    const std::string text = "name: incline\nsystem:\n  gravity: [" + std::to_string(kGravity * slope) +
                             ", 0, -9.81]\n  bodies:\n"
                             "    ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1]}\n  contacts:\n"
                             "    floor: {on_plane: [ground, ball], to: [0, 0, 0.1], tip: 0.1, friction: 0.5, rolling: "
                             "5e-3}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n";
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, 1e-2, 2);
      const double a = 5.0 / 7 * std::max(0.0, slope - 5e-3 / kRadius) * kGravity;
      EXPECT_NEAR(run.rows.back().v[0], 2 * a, part < 1 ? 1e-12 : 1e-6) << scheme << " " << part;
      if (part < 1) {
        EXPECT_LT(moved(run, 0), 1e-12) << scheme;
      }
    }
  }
}

TEST(Rolling, IsRefusedWhereItCannotBe) {
  const auto refusal = [](const std::string& text, std::vector<std::string> overrides = {}) -> std::string {
    try {
      read_scenario(text, "test.yaml", overrides);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = ball("friction: 0.5, rolling: 5e-3", "velocity: [1, 0, 0]");
  for (const char* scheme : {"event-driven", "moreau-extrapolated", "galerkin-1", "newmark-velocity"})
    EXPECT_THAT(refusal(text, {std::string("simulation.scheme=") + scheme}),
                testing::HasSubstr("rolling or spinning friction, which 'floor' asks for"))
        << scheme;
  EXPECT_THAT(refusal(ball("spinning: 1e-3", "velocity: [1, 0, 0]", "  planar: xz\n")),
              testing::HasSubstr("nothing spins"));
  EXPECT_THAT(refusal(ball("rolling: 1e-3, law: newton-coulomb", "velocity: [1, 0, 0]")), testing::HasSubstr("law"));
}

}  // namespace
}  // namespace ricochet::test::rolling_test
