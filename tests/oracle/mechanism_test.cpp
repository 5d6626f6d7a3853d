// Springs, motors, limits and loads of bodies against closed forms.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ricochet/io/file/text_file.hpp"
#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"

namespace ricochet::test::mechanism_test {
namespace {

/// One body of mass 2 and moments 0.5, 0.6, 0.7 at the origin, without gravity.
std::string one_body(const std::string& joints, const std::string& forces, const std::string& body = {}) {
  return "name: one body\nsystem:\n  gravity: [0, 0, 0]\n  bodies:\n"
         "    b: {mass: 2, inertia: [0.5, 0.6, 0.7]" +
         body + "}\n" + (joints.empty() ? "" : "  joints:\n" + joints) +
         (forces.empty() ? "" : "  forces:\n" + forces) + "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

struct Slope {
  double order, error;  ///< the error is that of the smallest step
};
/// L1 error of a scalar of the row against a function of time.
Slope converge(const std::string& text, const std::string& scheme, double until,
               const std::function<double(const Row&)>& computed, const std::function<double(double)>& exact) {
  std::vector<double> steps, errors;
  for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
    const Trajectory run = run_text(text, scheme, h, until);
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme << " " << h;
    double sum = 0;
    for (const Row& r : run.rows) sum += h * std::abs(computed(r) - exact(r.t));
    steps.push_back(h);
    errors.push_back(sum);
  }
  return {fitted_order(steps, errors), errors.back()};
}

const std::vector<std::string> kSchemes{"moreau-jean", "combined", "newmark", "nonsmooth-alpha", "decoupled-alpha"};

double angle_about_z(const Row& r) { return 2 * std::atan2(r.q[6], r.q[3]); }

// Damped oscillation about x = -preload/k: k = 50, c = 1, m = 2, preload 5.
TEST(Mechanism, ASpringAlongASlideOscillates) {
  const std::string text =
      one_body("    rail: {prismatic: [ground, b], axis: [1, 0, 0]}\n",
               "    coil: {slide: [ground, b], axis: [1, 0, 0], stiffness: 50, damping: 1, preload: 5}\n");
  const double decay = 0.25, w = std::sqrt(25 - decay * decay);
  const auto exact = [&](double t) {
    return -0.1 + 0.1 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
  };
  for (const std::string& scheme : kSchemes) {
    const Slope s = converge(
        text, scheme, 1, [](const Row& r) { return r.q[0]; }, exact);
    EXPECT_GT(s.order, 1.9) << scheme;
    EXPECT_LT(s.error, 1e-6) << scheme;  // 2e-7 to 4e-7
  }
}

// The same between two points: along the line the elongation is the displacement.
TEST(Mechanism, ASpringBetweenPointsIsTheSame) {
  const std::string rail = "    rail: {prismatic: [ground, b], axis: [1, 0, 0]}\n";
  const Trajectory a = run_text(
      one_body(rail, "    coil: {slide: [ground, b], axis: [1, 0, 0], stiffness: 50, damping: 1, preload: 5}\n"),
      "combined", 1e-3, 1);
  for (const char* force :
       {"{spring: [ground, b], at: [-1, 0, 0], to: [0, 0, 0], stiffness: 50, damping: 1, preload: 5}",
        "{spring: [ground, b], at: [-1, 0, 0], to: [0, 0, 0], stiffness: 50, damping: 1, length: 0.9}",
        "{spring: [b, ground], at: [0, 0, 0], to: [-1, 0, 0], formula: -50*x - v - 5}",
        "{bushing: [ground, b], axis: [1, 0, 0], stiffness: [0, 0, 50, 0, 0, 0], damping: [0, 0, 1, 0, 0, 0]}"}) {
    const bool bushing = std::string(force).find("bushing") != std::string::npos;
    const Trajectory b = run_text(one_body(rail, std::string("    f: ") + force + "\n" +
                                                     (bushing ? "    p: {load: b, force: [-5, 0, 0]}\n" : "")),
                                  "combined", 1e-3, 1);
    ASSERT_EQ(b.rows.size(), a.rows.size()) << force;
    EXPECT_LT((b.rows.back().q - a.rows.back().q).norm(), 1e-11) << force;
    EXPECT_LT((b.rows.back().v - a.rows.back().v).norm(), 1e-10) << force;
  }
}

// J theta'' = -k theta, J = 0.7, k = 70; three quarters of a turn are too far for a spring of one turn, a quarter is
// not.
TEST(Mechanism, ATorsionSpringSwings) {
  const std::string text =
      one_body("    hinge: {revolute: [ground, b], axis: [0, 0, 1]}\n",
               "    watch: {torsion: [ground, b], axis: [0, 0, 1], stiffness: 70}\n", ", angular_velocity: [0, 0, 12]");
  for (const std::string& scheme : kSchemes) {
    const Slope s = converge(text, scheme, 1, angle_about_z, [](double t) { return 1.2 * std::sin(10 * t); });
    EXPECT_GT(s.order, 1.9) << scheme;
    EXPECT_LT(s.error, 5e-5) << scheme;  // 3.4e-5
  }
  const Trajectory run = run_text(text, "moreau-jean", 1e-3, 1);
  EXPECT_NEAR(run.rows.back().energy, 0.5 * 0.7 * 144, 1e-3);
}

// The drive turns the body three times round; the motor's impulse is J times the change of the angular velocity.
TEST(Mechanism, ADriveTurnsMoreThanOnce) {
  const std::string text = one_body("    hinge: {revolute: [ground, b], axis: [0, 0, 1], drive: 9.5*t^2}\n", "");
  for (const std::string& scheme : kSchemes) {
    const Trajectory run = run_text(text, scheme, 1e-3, 1.4);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_NEAR(std::remainder(angle_about_z(run.rows.back()) - 9.5 * 1.4 * 1.4, 2 * std::numbers::pi), 0, 1e-4)
        << scheme;
    EXPECT_NEAR(run.rows.back().v[5], 19 * 1.4, 0.02) << scheme;
    EXPECT_NEAR(run.end.summary.energy.external, 0.5 * 0.7 * 26.6 * 26.6, 0.5) << scheme;
  }
}

// A ball on a rail between stops at 0.5 and -0.3, e = 0.5: the speed is halved at each.
TEST(Mechanism, LimitsStopAndThrowBack) {
  const std::string text =
      one_body("    rail: {prismatic: [ground, b], axis: [1, 0, 0], limits: [-0.3, 0.5], restitution: 0.5}\n", "",
               ", velocity: [2, 0, 0]");
  for (const std::string scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "event-driven"}) {
    const Trajectory run = run_text(text, scheme, 1e-3, 2.5);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    // at 0.25 s, then 0.8 m at 1 m/s until 1.05 s, then at 0.5 m/s: 1.45 s later
    EXPECT_NEAR(run.rows.back().v[0], 0.5, 1e-9) << scheme;
    EXPECT_NEAR(run.rows.back().q[0], -0.3 + 0.5 * 1.45, 3e-3) << scheme;
    double lowest = 0, highest = 0;
    for (const Row& r : run.rows) {
      lowest = std::min(lowest, r.q[0]);
      highest = std::max(highest, r.q[0]);
    }
    EXPECT_NEAR(highest, 0.5, 3e-3) << scheme;
    EXPECT_NEAR(lowest, -0.3, 3e-3) << scheme;
  }
  const Trajectory hinge =
      run_text(one_body("    hinge: {revolute: [ground, b], axis: [0, 0, 1], limits: [-1, 2], restitution: 1}\n", "",
                        ", angular_velocity: [0, 0, 4]"),
               "combined", 1e-3, 1);  // at the stop after 0.5 s, back for 0.5 s
  EXPECT_NEAR(angle_about_z(hinge.rows.back()), 0, 5e-3);
  EXPECT_NEAR(hinge.rows.back().v[5], -4, 1e-9);
}

// A thrust along x of a body that spins about z: v' = F/m (cos wt, sin wt).
TEST(Mechanism, ALoadInBodyAxesTurnsWithTheBody) {
  const std::string spin = ", angular_velocity: [0, 0, 3]";
  const auto exact = [](double t) { return 2 / 3. * (1 - std::cos(3 * t)); };
  for (const std::string& scheme : kSchemes) {
    const Slope s = converge(
        one_body("", "    f: {load: b, force: [4, 0, 0], axes: body}\n", spin), scheme, 1,
        [](const Row& r) { return r.v[1]; }, exact);
    EXPECT_GT(s.order, 1.9) << scheme;
    EXPECT_LT(s.error, 1e-6) << scheme;
  }
  const Trajectory fixed = run_text(one_body("", "    f: {load: b, force: [4, 0, 6*t]}\n", spin), "combined", 1e-3, 1);
  EXPECT_NEAR(fixed.rows.back().v[0], 2, 1e-9);
  EXPECT_NEAR(fixed.rows.back().v[2], 1.5, 1e-9);  // the midpoint rule is exact for it
}

// A motor whose torque falls with the speed: w = 20 (1 - exp(-t 0.5/0.7)).
TEST(Mechanism, AMotorWithACharacteristic) {
  const std::string text = one_body("    hinge: {revolute: [ground, b], axis: [0, 0, 1]}\n",
                                    "    motor: {torque: [ground, b], axis: [0, 0, 1], formula: 10 - 0.5*v}\n");
  for (const std::string& scheme : kSchemes) {
    const Slope s = converge(
        text, scheme, 1, [](const Row& r) { return r.v[5]; },
        [](double t) { return 20 * (1 - std::exp(-t * 0.5 / 0.7)); });
    EXPECT_GT(s.order, 1.9) << scheme;
    EXPECT_LT(s.error, 1e-5) << scheme;
  }
}

// A rope pulls only when it is taut: free flight to its end, then half an oscillation, then back.
TEST(Mechanism, ARopePullsOnly) {
  const std::string text =
      one_body("    rail: {prismatic: [ground, b], axis: [1, 0, 0]}\n",
               "    rope: {spring: [ground, b], at: [-1, 0, 0], to: [0, 0, 0], length: 1.5, stiffness: 200, acts: "
               "tension}\n",
               ", velocity: [2, 0, 0]");
  const double until = 0.25 + std::numbers::pi / 10 + 0.1;
  const Trajectory run = run_text(text, "combined", 1e-4, until);
  EXPECT_NEAR(run.rows.back().v[0], -2, 1e-3);
  EXPECT_NEAR(run.rows.back().q[0], 0.5 - 0.2, 1e-3);
}

// ---- bodies in the plane, play -------------------------------------------------------------------------------------

/// The crank's angle, from the place of its centre.
double crank_angle(const Row& r, int z) { return std::atan2(r.q[z], r.q[0]); }

// Crank, rod and slider in three angles, as bodies in the plane, as bodies in space: one machine.
TEST(Mechanism, SliderCranksAgree) {
  const std::string step = set("simulation.step", 1e-5), until = set("simulation.until", 0.02);
  const Trajectory angles = simulate(load_scenario("slider-crank", {"simulation.scheme=combined", step, until}));
  const Trajectory plane = simulate(load_scenario("slider-crank-bodies", {step, until}));
  std::string text;
  for (const ShippedScenario& s : shipped_scenarios())
    if (s.name == "slider-crank-bodies") text = read_text_file(s.path, 1 << 20, "a scenario");
  const std::size_t planar = text.find("  planar: xz\n");
  ASSERT_NE(planar, std::string::npos);
  text.erase(planar, 13);
  const Trajectory space = simulate(read_scenario(text, "space.yaml", {step, until}));
  ASSERT_EQ(plane.rows.size(), angles.rows.size());
  ASSERT_EQ(space.rows.size(), angles.rows.size());
  double worst_plane = 0, worst_space = 0;
  for (std::size_t k = 0; k < angles.rows.size(); ++k) {
    const double exact = angles.rows[k].q[0];
    const auto off = [&](double angle) { return std::abs(std::remainder(angle - exact, 2 * std::numbers::pi)); };
    worst_plane = std::max(worst_plane, off(crank_angle(plane.rows[k], 1)));
    worst_space = std::max(worst_space, off(crank_angle(space.rows[k], 2)));
  }
  EXPECT_LT(worst_plane, 2e-4);
  EXPECT_LT(worst_space, 2e-4);
  EXPECT_LT(plane.end.summary.certificate.joint_position, 1e-10);
}

// Without friction the pin slides in the bush as a pendulum of the length of the play.
TEST(Mechanism, APinSlidesInItsBushLikeAPendulum) {
  const std::string text =
      "name: pin\nsystem:\n  planar: xz\n  bodies:\n    pin: {mass: 1, inertia: [0.02, 0.02, 0.02], position: "
      "[0.2*sin(1), 0, -0.2*cos(1)]}\n  contacts:\n    bush: {in_bush: [ground, pin], at: [0, 0, 0], radius: 0.25, "
      "tip: 0.05, to: [0.2*sin(1), 0, -0.2*cos(1)]}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n";
  const Trajectory exact = run_text(
      "name: pendulum\nsystem:\n  formulas:\n    coordinates: [a]\n    kinetic: 0.02*a'^2\n    potential: "
      "-0.2*9.81*cos(a)\ninitial: {position: {a: 1}}\nsimulation: {scheme: event-driven, step: 1e-3, until: 1}\n",
      "{name: event-driven, atol: 1e-12, rtol: 1e-12}", 1e-3, 1);
  for (const std::string scheme : {"combined", "nonsmooth-alpha", "decoupled-alpha", "event-driven"}) {
    double errors[2] = {};
    for (int refined : {0, 1}) {
      const Trajectory run = run_text(text, scheme, refined ? 1e-4 : 1e-3, 1);
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
      const std::size_t every = refined ? 10 : 1;
      double radius = 0;
      for (std::size_t k = 0; k < run.rows.size(); k += every) {
        const Row& r = run.rows[k];
        errors[refined] = std::max(errors[refined], std::abs(std::atan2(r.q[0], -r.q[1]) - exact.rows[k / every].q[0]));
        radius = std::max(radius, std::abs(std::hypot(r.q[0], r.q[1]) - 0.2));
      }
      EXPECT_LT(radius, 1e-10) << scheme;
    }
    EXPECT_LT(errors[1], 3e-3) << scheme;  // first order: 2e-3
    EXPECT_LT(errors[1], scheme == "event-driven" ? 1e-9 : 0.15 * errors[0]) << scheme;
  }
}

// From the centre, where the normal is not defined, to and fro along a diameter; one step crosses the centre, and the
// larger ones take most of the bush, so that they begin on one side and hit the other.
TEST(Mechanism, CrossingTheCentreOfTheBush) {
  const auto text = [](double start) {
    return fmt::format(
        "name: pin\nsystem:\n  planar: xz\n  gravity: [0, 0, 0]\n  bodies:\n    pin: {{mass: 1, inertia: [1, 1, 1], "
        "position: [{}, 0, {}], velocity: [3, 0, 4]}}\n  contacts:\n    bush: {{in_bush: [ground, pin], radius: 0.02, "
        "to: [{}, 0, {}], restitution: 1}}\nsimulation: {{scheme: combined, step: 1e-3, until: 1}}\n",
        3 * start, 4 * start, 3 * start, 4 * start);
  };
  for (const std::string scheme : {"combined", "moreau-jean", "nonsmooth-alpha", "decoupled-alpha", "event-driven"})
    for (const double start : {0., -1e-3, 0.7e-3, 1e-9, -1e-16})
      for (const double h : {1e-3, 3e-3, 0.0049, 0.0057, 0.0066}) {
        const Trajectory run = run_text(text(start), scheme, h, 0.05);
        ASSERT_EQ(run.result.status, RunStatus::finished) << scheme << " " << h << " " << start;
        for (const Row& r : run.rows) {
          EXPECT_NEAR(r.q[0] * 4 - r.q[1] * 3, 0, 1e-8) << scheme << " " << h << " " << start << " " << r.t;
          EXPECT_NEAR(std::hypot(r.v[0], r.v[1]), 5, 1e-9) << scheme << " " << h << " " << start << " " << r.t;
        }
      }
}

// A disc rolls in a ring: with friction that holds, the contact point does not slip, and v = w r.
TEST(Mechanism, ADiscRollsInItsBush) {
  const std::string text =
      "name: disc\nsystem:\n  planar: xz\n  bodies:\n    disc: {mass: 1, inertia: [0.005, 0.005, 0.005], position: "
      "[0.2*sin(0.5), 0, -0.2*cos(0.5)]}\n  contacts:\n    ring: {in_bush: [ground, disc], radius: 0.3, tip: 0.1, "
      "to: [0.2*sin(0.5), 0, -0.2*cos(0.5)], friction: 0.5}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n";
  // (m + J/r^2) d'' : the pendulum of length 0.2 with 1.5 times the mass; small parts of the motion aside
  const Trajectory exact = run_text(
      "name: pendulum\nsystem:\n  formulas:\n    coordinates: [a]\n    kinetic: 1.5*0.02*a'^2\n    potential: "
      "-0.2*9.81*cos(a)\ninitial: {position: {a: 0.5}}\nsimulation: {scheme: event-driven, step: 1e-3, until: 1}\n",
      "{name: event-driven, atol: 1e-12, rtol: 1e-12}", 1e-3, 1);
  for (const std::string scheme : {"combined", "nonsmooth-alpha"}) {
    const Trajectory run = run_text(text, scheme, 1e-3, 1);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    for (std::size_t k = 0; k < run.rows.size(); k += 50) {
      const Row& r = run.rows[k];
      EXPECT_NEAR(std::atan2(r.q[0], -r.q[1]), exact.rows[k].q[0], 5e-3) << scheme << " " << r.t;  // 4e-3, first order
      EXPECT_NEAR(std::hypot(r.v[0], r.v[1]), 0.1 * std::abs(r.v[2]), 1e-8) << scheme << " " << r.t;
    }
  }
}

// One mechanism with all of it, in the plane and in space, on every scheme: it runs, or is refused with a message.
TEST(Mechanism, RunsOnEveryScheme) {
  const auto text = [](bool planar, bool friction) {
    const std::string mu = friction ? ", friction: 0.1" : "";
    return std::string("name: all\nsystem:\n") + (planar ? "  planar: xz\n" : "") +
           "  bodies:\n"
           "    arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], velocity: [0, 0, -1], "
           "angular_velocity: [0, 2, 0]}\n"
           "    bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0], velocity: [0, 0, -2]}\n"
           "    fan: {mass: 0.1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1]}\n"
           "  joints:\n"
           "    pivot: {revolute: [ground, arm], axis: [0, 1, 0], limits: [-0.5, 0.02], restitution: 0.5}\n"
           "    play: {spherical: [arm, bob], at: [1, 0, 0], axis: [0, 1, 0], clearance: 1e-3, pin: 5e-3, restitution: "
           "0.3" +
           mu +
           "}\n"
           "    shaft: {revolute: [ground, fan], at: [0, 0, 1], axis: [0, 1, 0], drive: 5*t^2}\n"
           "  contacts:\n    floor: {on_plane: [ground, bob], at: [0, 0, -0.05], to: [1, 0, 0], tip: 0.01, axis: [0, "
           "0, 1]" +
           mu +
           "}\n"
           "  forces:\n    coil: {spring: [ground, bob], at: [1, 0, 1], to: [1, 0, 0], stiffness: 20, damping: 0.1}\n"
           "simulation: {scheme: combined, step: 1e-3, until: 0.1}\n";
  };
  for (const SchemeEntry& scheme : schemes()) {
    if (scheme.info.impact_order == 0) continue;  // comparison schemes: their iterations need not converge
    for (const bool planar : {true, false})
      for (const bool friction : {true, false}) {
        std::string refused;
        try {
          const Trajectory run = run_text(text(planar, friction), scheme.info.name, 2e-4, 0.1);
          // event tracking gives up where sliding in space passes through zero without being held
          const bool irregular = run.result.failure.status == StepStatus::irregular_sliding && friction && !planar;
          EXPECT_TRUE(run.result.status == RunStatus::finished || irregular)
              << scheme.info.name << (planar ? " plane" : " space") << (friction ? " friction " : " ")
              << name(run.result.failure.status) << " at " << run.rows.back().t;
        } catch (const InputError& e) {
          refused = e.what();
        }
        EXPECT_EQ(refused.empty(), (scheme.info.friction || !friction) && (scheme.info.rotations || planar))
            << scheme.info.name << ": " << refused;
      }
  }
}

TEST(Mechanism, BadInputIsTold) {
  const auto error = [](const std::string& joints, const std::string& forces) -> std::string {
    try {
      read_scenario(one_body(joints, forces), "test.yaml");
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  const auto force = [&](const std::string& text) { return error("", "    f: " + text + "\n"); };
  const auto joint = [&](const std::string& text) { return error("    j: " + text + "\n", ""); };
  using testing::HasSubstr;
  EXPECT_THAT(force("{spring: [ground, b], at: [1, 0, 0], to: [1, 0, 0], stiffness: 1}"), HasSubstr("coincide"));
  EXPECT_THAT(force("{spring: [ground, c], at: [1, 0, 0], stiffness: 1}"), HasSubstr("'c'"));
  EXPECT_THAT(force("{torsion: [ground, b], stiffness: 1, length: 2}"), HasSubstr("belongs to spring"));
  EXPECT_THAT(force("{torque: [ground, b]}"), HasSubstr("formula"));
  EXPECT_THAT(force("{torque: [ground, b], formula: x}"), HasSubstr("x"));
  EXPECT_THAT(force("{bushing: [ground, b], stiffness: [1, 2]}"), HasSubstr("six"));
  EXPECT_THAT(force("{load: ground, force: [1, 0, 0]}"), HasSubstr("does not move"));
  EXPECT_THAT(force("{load: b, force: [1, 0]}"), HasSubstr("force"));
  EXPECT_THAT(force("{load: b, force: [1, 1/t, 0]}"), HasSubstr("finite"));
  EXPECT_THAT(force("{slide: [ground, b], stiffness: 1, formula: -x}"), HasSubstr("all of the force"));
  EXPECT_THAT(joint("{revolute: [ground, b], clearance: 1e-3}"), HasSubstr("length"));
  EXPECT_THAT(joint("{universal: [ground, b], clearance: 1e-3}"), HasSubstr("is for revolute"));
  EXPECT_THAT(joint("{spherical: [ground, b], clearance: 0}"), HasSubstr("clearance"));
  EXPECT_THAT(joint("{spherical: [ground, b], pin: 1}"), HasSubstr("belongs to clearances"));
  EXPECT_THAT(joint("{revolute: [ground, b], drive: 1 + t}"), HasSubstr("begin"));
  EXPECT_THAT(joint("{spherical: [ground, b], drive: t}"), HasSubstr("belongs"));
  EXPECT_THAT(joint("{revolute: [ground, b], limits: [-1, 4]}"), HasSubstr("half a turn"));
  EXPECT_THAT(joint("{revolute: [ground, b], limits: [1, 2]}"), HasSubstr("between"));
  EXPECT_THAT(joint("{revolute: [ground, b], restitution: 0.5}"), HasSubstr("belongs to limits"));
}

}  // namespace
}  // namespace ricochet::test::mechanism_test
