// Rows of the velocity alone against closed forms: dry friction in joints, motors of limited torque, motors that hold a
// speed. Every scheme that takes such rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <sstream>

#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"

namespace ricochet::test::dry_friction_test {
namespace {

const std::vector<std::string> kSchemes{"moreau-jean", "moreau-jean-midpoint", "projected",       "combined",
                                        "newmark",     "generalized-alpha",    "nonsmooth-alpha", "decoupled-alpha"};

/// One body of mass 2 and moments 0.5, 0.6, 0.7 at the origin.
std::string body(const std::string& joint, const std::string& gravity, const std::string& more = {},
                 const std::string& forces = {}) {
  return "name: one body\nsystem:\n  gravity: " + gravity + "\n  bodies:\n    b: {mass: 2, inertia: [0.5, 0.6, 0.7]" +
         more + "}\n  joints:\n    j: {" + joint + "}\n" + (forces.empty() ? "" : "  forces:\n" + forces) +
         "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

/// How far a coordinate moves over the last rows.
double creep(const Trajectory& run, Index coordinate, double from) {
  double least = INFINITY, most = -INFINITY;
  for (const Row& r : run.rows) {
    if (r.t < from) continue;
    least = std::min(least, r.q[coordinate]), most = std::max(most, r.q[coordinate]);
  }
  return most - least;
}

// mu m g against 2 kg at 3 m/s: v = 3 - mu g t until it stops, dead.
TEST(DryFriction, ABlockOnARailStopsDead) {
  const double mu = 0.3, a = mu * 9.81, stop = 3 / a, h = 2.3e-3;
  const std::string text =
      body("prismatic: [ground, b], axis: [1, 0, 0], friction: 0.3", "[0, 0, -9.81]", ", velocity: [3, 0, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, h, 1.5);
    double worst = 0;
    for (const Row& r : run.rows)
      if (r.t < stop - h) worst = std::max(worst, std::abs(r.v[0] - (3 - a * r.t)));
    EXPECT_LT(worst, 1e-9) << scheme;                                      // measured 4e-12 at most
    EXPECT_NEAR(run.rows.back().q[0], 3 * stop / 2, a * h * h) << scheme;  // measured 1e-6 to 7e-6
    EXPECT_LT(creep(run, 0, stop + 2 * h), 1e-12) << scheme;
    EXPECT_LT(std::abs(run.rows.back().v[0]), 1e-12) << scheme;
    double friction = 0;
    for (const Row& r : run.rows) friction += r.ledger.friction;
    EXPECT_NEAR(friction, -9, 1e-9) << scheme;  // all of the kinetic energy; other entries stay out of it
  }
}

// A wheel on a horizontal axle: the load is its weight, the moment mu r m g.
TEST(DryFriction, AWheelOnItsAxleRunsDown) {
  const double alpha = 0.2 * 0.05 * 2 * 9.81 / 0.6, stop = 1 / alpha, h = 7.3e-3;
  const std::string text = body("revolute: [ground, b], axis: [0, 1, 0], friction: 0.2, pin: 0.05", "[0, 0, -9.81]",
                                ", angular_velocity: [0, 1, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, h, 3.5);
    double worst = 0;
    for (const Row& r : run.rows)
      if (r.t < stop - h) worst = std::max(worst, std::abs(r.v[4] - (1 - alpha * r.t)));
    EXPECT_LT(worst, 1e-9) << scheme;
    EXPECT_LT(creep(run, 4, stop + 2 * h), 1e-12) << scheme;
    EXPECT_LT(std::abs(run.rows.back().v[4]), 1e-12) << scheme;
  }
}

// The same in the plane, where the joint has two rows and the load is not the weight alone: the bearing carries the
// wheel on a moving carriage, pushed by a constant force.
TEST(DryFriction, TheLoadIsTheNormOfTheReaction) {
  const std::string text =
      "name: plane\nsystem:\n  planar: xz\n  gravity: [0, 0, -9.81]\n  bodies:\n"
      "    cart: {mass: 1, inertia: [1, 1, 1]}\n    wheel: {mass: 2, inertia: [1, 0.6, 1], angular_velocity: [0, -1, "
      "0]}\n"
      "  joints:\n    rail: {prismatic: [ground, cart], axis: [1, 0, 0]}\n"
      "    axle: {revolute: [cart, wheel], friction: 0.2, pin: 0.05}\n"
      "  forces:\n    push: {load: cart, force: [15, 0, 0]}\n"
      "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
  const double load = 2 * std::hypot(9.81, 5), alpha = 0.2 * 0.05 * load / 0.6;  // 15 N push 3 kg
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, 1e-2, 1);
    EXPECT_NEAR(std::abs(run.rows.back().v[5]), 1 - alpha, 1e-8) << scheme;
  }
}

// A pendulum comes to rest somewhere off the vertical, where friction holds it.
TEST(DryFriction, APendulumStaysWhereFrictionHoldsIt) {
  const std::string text =
      "name: pendulum\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n"
      "    rod: {mass: 1, inertia: [1e-4, 1/12, 1/12], position: [0.5, 0, 0]}\n"
      "  joints:\n    hinge: {revolute: [ground, rod], axis: [0, 1, 0], friction: 0.5, pin: 0.1}\n"
      "simulation: {scheme: combined, step: 5e-3, until: 10}\n";
  for (const char* scheme : {"moreau-jean", "combined", "newmark", "nonsmooth-alpha", "decoupled-alpha"}) {
    const Trajectory run = finish_text(text, scheme, 5e-3, 10);
    const Row& end = run.rows.back();
    const double moment = 9.81 * std::abs(end.q[0]);  // m g times the lever of the weight
    EXPECT_LT(moment, 0.5 * 0.1 * 9.81 * (1 + 1e-9)) << scheme;
    EXPECT_GT(moment, 1e-3) << scheme;  // and it is not the vertical
    // decoupled-alpha: f^p of a row that turns while it sticks, of the order h^4 a step; measured 1.5e-7
    EXPECT_LT(creep(run, 0, 9), scheme == std::string("decoupled-alpha") ? 1e-6 : 1e-12) << scheme;
    EXPECT_LT(end.q[2], -0.4) << scheme;
  }
}

// At rest the hinge bears the weight: it holds as long as the lever of the weight is less than mu r.
TEST(DryFriction, APendulumMovesBeyondTheLimit) {
  for (const double x : {0.0499, 0.0501})
    for (const std::string& scheme : kSchemes) {
      const std::string text =
          "name: pendulum\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n    rod: {mass: 1, inertia: "
          "[1e-4, 1/12, 1/12], position: [" +
          std::to_string(x) + ", 0, " + std::to_string(-std::sqrt(0.25 - x * x)) +
          "]}\n  joints:\n    hinge: {revolute: [ground, rod], axis: [0, 1, 0], friction: 0.5, pin: "
          "0.1}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n";
      const double moved = creep(finish_text(text, scheme, 1e-2, 0.5), 0, 0);
      if (x < 0.05) {
        EXPECT_LT(moved, scheme == "decoupled-alpha" ? 5e-6 : 1e-12) << scheme;  // as above; measured 1.3e-6
      } else {
        EXPECT_GT(moved, 1e-5) << scheme;
      }
    }
}

/// A round body of 2 kg and 0.5 kg m² on a ball of 0.1 m, which rubs with mu m g r = 0.5886 N m.
std::string round_body(const std::string& velocity, const std::string& forces = {}) {
  return "name: round\nsystem:\n  gravity: [0, 0, -9.81]\n  bodies:\n    b: {mass: 2, inertia: [0.5, 0.5, 0.5], "
         "angular_velocity: " +
         velocity + "}\n  joints:\n    j: {spherical: [ground, b], friction: 0.3, pin: 0.1}\n" +
         (forces.empty() ? "" : "  forces:\n" + forces) + "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

// The moment is against the whole of the angular velocity: its direction stays, its size falls linearly, to nothing.
TEST(DryFriction, ABallJointSlowsAboutAnyAxis) {
  const Vector3d start(0.3, -0.5, 0.4), n = start.normalized();
  const double moment = 0.3 * 0.1 * 2 * 9.81, stop = start.norm() * 0.5 / moment;
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(round_body("[0.3, -0.5, 0.4]"), scheme, 1e-3, 0.8);
    double error = 0, friction = 0;
    for (const Row& r : run.rows) {
      friction += r.ledger.friction;
      if (std::abs(r.t - stop) < 1.1e-3) continue;
      const Vector3d exact = std::max(0.0, start.norm() - moment / 0.5 * r.t) * n;
      error = std::max(error, (r.v.segment<3>(3) - exact).norm());
    }
    EXPECT_LT(error, 1e-9) << scheme;
    EXPECT_NEAR(friction, -0.25 * start.squaredNorm(), 1e-9) << scheme;
  }
}

// Moments of 0.4 N m about two axes are 0.566 N m together, and held; 0.45 about each are 0.636, more than the ball
// holds, though each of them is less.
TEST(DryFriction, ABallJointHasOneBoundForAllAxes) {
  for (const double each : {0.4, 0.45}) {
    const std::string text =
        round_body("[0, 0, 0]",
                   "    load: {torque: [ground, b], axis: [1, 1, 0], formula: " + std::to_string(each) + "*sqrt(2)}\n");
    const double rest = each * std::sqrt(2.0) - 0.3 * 0.1 * 2 * 9.81;
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, 1e-2, 0.5);
      const Vector3d expected = std::max(0.0, rest) / 0.5 * 0.5 * Vector3d(1, 1, 0).normalized();
      EXPECT_LT((run.rows.back().v.segment<3>(3) - expected).norm(), 1e-9) << scheme << " " << each;
    }
  }
}

/// A pendulum on a ball of 0.1 m, in a unit of length that is `L` metres.
std::string ball_pendulum(double L) {
  const auto in = [L](double x, int power = 1) {
    std::ostringstream text;
    text << std::setprecision(17) << x * (power == 2 ? L * L : L);
    return text.str();
  };
  return "name: p\nsystem:\n  gravity: [0, 0, " + in(-9.81) + "]\n  bodies:\n    b: {mass: 2, inertia: [" +
         in(0.02, 2) + ", " + in(0.05, 2) + ", " + in(0.03, 2) + "], position: [" + in(0.3) + ", " + in(0.1) + ", " +
         in(-0.4) + "]}\n  joints:\n    j: {spherical: [ground, b], at: [0, 0, 0], friction: 0.3, pin: " + in(0.1) +
         "}\nsimulation: {scheme: combined, step: 1e-3, until: 0.3}\n";
}

// Load, axis and moment change all the time: every problem is solved at the first attempt, and in any unit of length
// alike. The schemes agree within their errors.
TEST(DryFriction, ABallJointOfAPendulumIsSolvedInEveryUnit) {
  const Trajectory fine = finish_text(ball_pendulum(1), "combined", 1e-4, 0.3);
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(ball_pendulum(1), scheme, 1e-3, 0.3);
    EXPECT_EQ(run.end.summary.retries, 0) << scheme;
    EXPECT_LT((run.rows.back().q - fine.rows.back().q).norm(), 3e-4) << scheme;
    for (const double L : {0x1p20, 0x1p-20}) {
      const Trajectory other = finish_text(ball_pendulum(L), scheme, 1e-3, 0.3);
      EXPECT_EQ(other.end.summary.retries, 0) << scheme << " " << L;
      for (Index i = 3; i < 7; ++i) EXPECT_EQ(run.rows.back().q[i], other.rows.back().q[i]) << scheme << " " << L;
    }
  }
}

// A planar joint rubs against the whole of the sliding velocity: it goes straight on, and stops dead.
TEST(DryFriction, ABlockOnAPlaneGoesStraightAndStopsDead) {
  const double a = 0.3 * 9.81, stop = 5 / a, h = 2.3e-3;
  const std::string text =
      body("planar: [ground, b], axis: [0, 0, 1], friction: 0.3", "[0, 0, -9.81]", ", velocity: [3, 4, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, h, 2);
    double worst = 0;
    for (const Row& r : run.rows)
      if (r.t < stop - h) worst = std::max(worst, (r.v.head<2>() - (1 - r.t / stop) * Eigen::Vector2d(3, 4)).norm());
    EXPECT_LT(worst, 1e-9) << scheme;
    EXPECT_NEAR(run.rows.back().q.head<2>().norm(), 5 * stop / 2, a * h * h) << scheme;
    EXPECT_LT(creep(run, 0, stop + 2 * h), 1e-12) << scheme;
  }
}

// With a radius it also rubs where the body turns about the normal of the plane.
TEST(DryFriction, ADiscOnAPlaneRunsDown) {
  const double alpha = 0.3 * 0.05 * 2 * 9.81 / 0.7, h = 7.3e-3;
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(body("planar: [ground, b], axis: [0, 0, 1], friction: 0.3, pin: 0.05",
                                            "[0, 0, -9.81]", ", angular_velocity: [0, 0, 1]"),
                                       scheme, h, 3);
    double worst = 0;
    for (const Row& r : run.rows)
      if (std::abs(r.t - 1 / alpha) > h) worst = std::max(worst, std::abs(r.v[5] - std::max(0.0, 1 - alpha * r.t)));
    EXPECT_LT(worst, 1e-9) << scheme;
  }
}

// The two axes of a universal joint are two bearings, each of which bears the whole force: turning about both, each is
// slowed by mu r m g, which a ball gives but once for both.
TEST(DryFriction, AUniversalJointRubsAboutBothItsAxes) {
  const double alpha = 0.3 * 0.1 * 2 * 9.81 / 0.5, until = 1e-3;
  std::string text = round_body("[0.3, -0.5, 0]");
  text.replace(text.find("spherical: [ground, b]"), 22, "universal: [ground, b], axis: [0, 0, 1], x: [1, 0, 0]");
  for (const std::string& scheme : kSchemes) {
    const Row end = finish_text(text, scheme, 1e-4, until).rows.back();
    EXPECT_NEAR(end.v[3], 0.3 - alpha * until, 1e-3 * alpha * until) << scheme;
    EXPECT_NEAR(end.v[4], -0.5 + alpha * until, 1e-3 * alpha * until) << scheme;
  }
}

// Each of them by itself, to the end.
TEST(DryFriction, AUniversalJointRunsDown) {
  const double moment = 0.2 * 0.05 * 2 * 9.81, h = 7.3e-3;
  for (const int axis : {0, 1}) {
    const std::string text =
        body("universal: [ground, b], axis: [0, 0, 1], x: [1, 0, 0], friction: 0.2, pin: 0.05", "[0, 0, -9.81]",
             axis == 0 ? ", angular_velocity: [1, 0, 0]" : ", angular_velocity: [0, 1, 0]");
    const double alpha = moment / (axis == 0 ? 0.5 : 0.6);
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, h, 3.5);
      double worst = 0;
      for (const Row& r : run.rows)
        if (std::abs(r.t - 1 / alpha) > h)
          worst = std::max(worst, std::abs(r.v[3 + axis] - std::max(0.0, 1 - alpha * r.t)));
      EXPECT_LT(worst, 1e-9) << scheme << " " << axis;
    }
  }
}

// A nut of mass m and moment J goes down its thread by its weight, tan phi = lead / r. With N on the flank and friction
// mu N along it,  m lead a = -m g + N (cos phi + mu sin phi),  J a = r N (mu cos phi - sin phi)  for the angle's a.
// Where mu is above tan phi the screw holds.
TEST(DryFriction, AScrewGoesDownByItsWeightOrHolds) {
  const double lead = 0.05, r = 0.1, phi = std::atan(lead / r), h = 1e-3, until = 0.5;
  for (const double mu : {0.0, 0.3, 0.49, 0.51}) {
    const std::string text = body("screw: [ground, b], axis: [0, 0, 1], pitch: 2*pi*0.05" +
                                      (mu > 0 ? ", pin: 0.1, friction: " + std::to_string(mu) : std::string()),
                                  "[0, 0, -9.81]");
    const double flank = 0.7 * (std::cos(phi) + mu * std::sin(phi)) / (r * (std::sin(phi) - mu * std::cos(phi)));
    const double a = mu < std::tan(phi) ? -2 * 9.81 / (2 * lead + flank) : 0;
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, h, until);
      double worst = 0;
      for (const Row& row : run.rows) worst = std::max(worst, std::abs(row.v[5] - a * row.t));
      EXPECT_LT(worst, mu < std::tan(phi) ? 1e-9 : 1e-12) << scheme << " " << mu;
    }
  }
}

// 3.5 N m on 0.7 kg m^2: 5 rad/s^2 up to 20 rad/s, then the speed is held, without overshoot.
TEST(LimitedMotor, AcceleratesLinearlyAndHoldsItsSpeed) {
  const std::string text = body("revolute: [ground, b], speed: 20, torque: 3.5", "[0, 0, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, 7e-3, 5);
    double rising = 0, held = 0;
    for (const Row& r : run.rows) {
      if (r.t <= 4) rising = std::max(rising, std::abs(r.v[5] - 5 * r.t));
      if (r.t > 4 + 7e-3) held = std::max(held, std::abs(r.v[5] - 20));
    }
    EXPECT_LT(rising, 1e-9) << scheme;
    EXPECT_LT(held, 1e-10) << scheme;
  }
}

// Against 5 N m it gives its 3.5 and is turned back by the rest; against 2 N m it holds.
TEST(LimitedMotor, StallsAtItsTorque) {
  for (const double against : {2.0, 5.0}) {
    const std::string text =
        body("revolute: [ground, b], speed: 1, torque: 3.5", "[0, 0, 0]", ", angular_velocity: [0, 0, 1]",
             "    load: {torque: [ground, b], formula: " + std::to_string(-against) + "}\n");
    for (const std::string& scheme : kSchemes) {
      const Trajectory run = finish_text(text, scheme, 1e-2, 1);
      const double expected = against < 3.5 ? 1 : 1 - (against - 3.5) / 0.7;
      EXPECT_NEAR(run.rows.back().v[5], expected, 1e-9) << scheme << " " << against;
    }
  }
}

// A motor without a limit is a joint of the velocity: the angle is the integral of the speed.
TEST(SpeedMotor, HoldsItsSpeedExactly) {
  const std::string text = body("prismatic: [ground, b], axis: [1, 0, 0], speed: 2*sin(3*t)", "[0, 0, -9.81]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, 1e-3, 1);
    double worst = 0;
    for (const Row& r : run.rows)
      if (r.t > 0) worst = std::max(worst, std::abs(r.v[0] - 2 * std::sin(3 * r.t)));
    EXPECT_LT(worst, 1e-10) << scheme;
    EXPECT_NEAR(run.rows.back().q[0], 2.0 / 3 * (1 - std::cos(3.0)), 1e-5) << scheme;
  }
}

// A servo that is late: it pulls with all it has, then closes in like exp(-t/lag).
TEST(Servo, MakesUpForWhatItIsBehind) {
  const std::string text =
      body("prismatic: [ground, b], axis: [1, 0, 0], drive: t, torque: 100, lag: 0.05", "[0, 0, 0]");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = finish_text(text, scheme, 1e-3, 1);
    EXPECT_NEAR(run.rows.back().q[0], 1, 1e-6) << scheme;
    EXPECT_NEAR(run.rows.back().v[0], 1, 1e-5) << scheme;
  }
  const Trajectory weak =
      finish_text(body("prismatic: [ground, b], axis: [1, 0, 0], drive: 10*t, torque: 1, lag: 0.05", "[0, 0, 0]"),
                  "combined", 1e-3, 1);
  EXPECT_NEAR(weak.rows.back().v[0], 0.5, 1e-9);  // 1 N on 2 kg
}

std::string refusal(const std::string& text, std::vector<std::string> overrides = {}) {
  try {
    read_scenario(text, "test.yaml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DryFriction, IsRefusedWhereItCannotBe) {
  const std::string text = body("prismatic: [ground, b], axis: [1, 0, 0], friction: 0.3", "[0, 0, -9.81]");
  for (const char* scheme : {"event-driven", "schatzman-paoli", "mannshardt", "splitting", "galerkin-0"})
    EXPECT_THAT(refusal(text, {std::string("simulation.scheme=") + scheme}), testing::HasSubstr("'j.friction'"))
        << scheme;
  EXPECT_THAT(refusal(text, {"simulation.scheme={name: combined, coupled: true}"}),
              testing::HasSubstr("with these options"));
  EXPECT_THAT(refusal(body("revolute: [ground, b], friction: 0.3", "[0, 0, 0]")), testing::HasSubstr("needs `pin`"));
  EXPECT_THAT(refusal(body("spherical: [ground, b], friction: 0.3", "[0, 0, 0]")), testing::HasSubstr("needs `pin`"));
  for (const char* kind : {"universal: [ground, b]", "screw: [ground, b], pitch: 0.1"})
    EXPECT_THAT(refusal(body(std::string(kind) + ", friction: 0.3", "[0, 0, 0]")), testing::HasSubstr("needs `pin`"));
  for (const char* kind : {"fixed: [ground, b]", "distance: [ground, b], to: [1, 0, 0]"})
    EXPECT_THAT(refusal(body(std::string(kind) + ", friction: 0.3", "[0, 0, 0]")),
                testing::HasSubstr("joints that slide or turn"));
  EXPECT_THAT(refusal(body("revolute: [ground, b], torque: 3", "[0, 0, 0]")), testing::HasSubstr("drives"));
  EXPECT_THAT(refusal(body("revolute: [ground, b], drive: t, torque: 3", "[0, 0, 0]")), testing::HasSubstr("lag"));
  EXPECT_THAT(refusal(body("revolute: [ground, b], drive: t, speed: 3", "[0, 0, 0]")),
              testing::HasSubstr("one of them"));
}

}  // namespace
}  // namespace ricochet::test::dry_friction_test
