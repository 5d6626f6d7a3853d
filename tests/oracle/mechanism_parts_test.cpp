// Gears and screws, masses from shapes, beginnings that are closed or brought to rest, against closed forms.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ricochet/geometry/solid.hpp"
#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"

namespace ricochet::test::mechanism_parts_test {
namespace {

using testing::HasSubstr;

const char* const kEnd = "simulation: {scheme: combined, step: 1e-3, until: 1}\n";

// ---- gears, screws --------------------------------------------------------------------------------------------------

// Two wheels, J = 0.1 and 0.4, -2/3 turns of the second per turn of the first: what the motor feels is 0.1 + 0.4 4/9.
TEST(MechanismParts, AGearTurnsManyTimes) {
  for (const std::string plane : {"", "  planar: xy\n"}) {
    const std::string text =
        "name: gear\nsystem:\n" + plane +
        "  gravity: [0, 0, 0]\n  bodies:\n    small: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n    large: {mass: 2, "
        "inertia: "
        "[0.4, 0.4, 0.4], position: [1, 0, 0]}\n  joints:\n    teeth: {gear: [left, right], ratio: -2/3}\n    left: "
        "{revolute: [ground, small]}\n    right: {revolute: [ground, large], at: [1, 0, 0]}\n  forces:\n    motor: "
        "{torque: [ground, small], formula: 5}\n" +
        kEnd;
    const double rate = 5 / (0.1 + 0.4 * 4 / 9.);
    for (const std::string scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "decoupled-alpha", "event-driven"}) {
      const Trajectory run = run_text(text, scheme, 1e-2, 3);  // 81 rad, 13 turns
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme << plane;
      const VectorXd& v = run.rows.back().v;
      EXPECT_NEAR(v[plane.empty() ? 5 : 2], 3 * rate, 1e-6) << scheme << plane;
      EXPECT_NEAR(v[plane.empty() ? 11 : 5], -2 * rate, 1e-6) << scheme << plane;
      if (scheme == "moreau-jean") continue;
      EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10) << scheme << plane;
    }
  }
}

// A planet on a carrier that moves: 1 turn of the carrier with the sun held turns the planet once round itself and,
// rolling, ratio times more.
TEST(MechanismParts, AGearOnACarrier) {
  const std::string text =
      "name: planet\nsystem:\n  gravity: [0, 0, 0]\n  bodies:\n    carrier: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n    "
      "planet: {mass: 2, inertia: [0.4, 0.4, 0.4], position: [1, 0, 0]}\n  joints:\n    arm: {revolute: [carrier, "
      "ground], drive: t^2}\n    pin: {revolute: [carrier, planet], at: [1, 0, 0]}\n    mesh: {gear: [arm, pin], "
      "ratio: "
      "-3}\n" +
      std::string(kEnd);
  const Trajectory run = run_text(text, "combined", 1e-3, 2);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  // the carrier turns by -t^2 against ground; the planet by -3 t^2 against the carrier
  EXPECT_NEAR(run.rows.back().v[5], -4, 1e-2);
  EXPECT_NEAR(run.rows.back().v[11], -16, 4e-2);
  EXPECT_NEAR(run.rows.back().v[11] / run.rows.back().v[5], 4, 1e-9);
}

// Pinion and rack: m a = -r (J a / r) ...: a = g m / (m + J / r^2), r = 0.05.
TEST(MechanismParts, ARackFallsAndTurnsItsPinion) {
  const std::string text =
      "name: rack\nsystem:\n  bodies:\n    pinion: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n    rack: {mass: 2, "
      "inertia: "
      "[0.4, 0.4, 0.4], position: [0.05, 0, 0]}\n  joints:\n    shaft: {revolute: [ground, pinion], axis: [0, 1, 0]}\n "
      " "
      "  rail: {prismatic: [ground, rack], at: [0.05, 0, 0]}\n    teeth: {gear: [shaft, rail], ratio: -0.05}\n" +
      std::string(kEnd);
  const double a = 9.81 * 2 / (2 + 0.01 / 0.0025);
  for (const std::string scheme : {"combined", "nonsmooth-alpha"}) {
    const Trajectory run = run_text(text, scheme, 1e-2, 2);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_NEAR(run.rows.back().v[8], -2 * a, 1e-8) << scheme;
    EXPECT_NEAR(run.rows.back().q[9], -2 * a, 1e-8) << scheme;  // a t^2 / 2
    EXPECT_NEAR(run.rows.back().v[4], 2 * a / 0.05, 1e-6) << scheme;
  }
}

// A nut falls along its screw: a = g / (1 + J / (m lead^2)), lead = pitch / 2 pi.
TEST(MechanismParts, ANutTurnsDownItsScrew) {
  const std::string text =
      "name: nut\nsystem:\n  bodies:\n    nut: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.1, 0.2, 0.3]}\n  "
      "joints:\n    thread: {screw: [ground, nut], at: [0.1, 0.2, 0], pitch: 0.3}\n" +
      std::string(kEnd);
  const double lead = 0.3 / (2 * std::numbers::pi), a = 9.81 / (1 + 0.01 / (2 * lead * lead));
  for (const std::string scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "decoupled-alpha", "event-driven"}) {
    const Trajectory run = run_text(text, scheme, 1e-2, 2);  // 4.2 m, 14 turns
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_NEAR(run.rows.back().v[2], -2 * a, 1e-7) << scheme;
    EXPECT_NEAR(run.rows.back().q[2], 0.3 - 2 * a, 1e-7) << scheme;
    EXPECT_NEAR(run.rows.back().v[5], -2 * a / lead, 1e-5) << scheme;
  }
}

// ---- masses ---------------------------------------------------------------------------------------------------------

// Solids of revolution by slices: radius as a function of the height.
TEST(MechanismParts, SolidsHaveTheMomentsOfTheirSlices) {
  struct Case {
    const char* name;
    MassProperties solid;
    std::function<double(double)> outer, inner;
    double low, high;
  };
  const auto none = [](double) { return 0.; };
  const double r = 0.3, l = 0.7;
  const std::vector<Case> cases{
      {"sphere", solid_sphere(r), [&](double z) { return std::sqrt(std::max(0., r * r - z * z)); }, none, -r, r},
      {"cylinder", solid_cylinder(r, l), [&](double) { return r; }, none, -l / 2, l / 2},
      {"tube", solid_tube(r, 0.2, l), [&](double) { return r; }, [](double) { return 0.2; }, -l / 2, l / 2},
      {"cone", solid_cone(r, l), [&](double z) { return r * (1 - z / l); }, none, 0, l},
      {"capsule", solid_capsule(r, l),
       [&](double z) {
         const double beyond = std::max(0., std::abs(z) - l / 2);
         return std::sqrt(std::max(0., r * r - beyond * beyond));
       },
       none, -l / 2 - r, l / 2 + r}};
  for (const Case& c : cases) {
    const int slices = 200000;
    const double dz = (c.high - c.low) / slices, pi = std::numbers::pi;
    double V = 0, first = 0, along = 0, across = 0;
    for (int k = 0; k < slices; ++k) {
      const double z = c.low + (k + 0.5) * dz, a = std::pow(c.outer(z), 2), b = std::pow(c.inner(z), 2);
      V += pi * (a - b) * dz;
      first += pi * (a - b) * z * dz;
      along += pi / 2 * (a * a - b * b) * dz;
      across += (pi / 4 * (a * a - b * b) + pi * (a - b) * z * z) * dz;
    }
    EXPECT_NEAR(c.solid.mass, V, 1e-8) << c.name;
    EXPECT_NEAR(c.solid.centre.z(), first / V, 1e-8) << c.name;
    EXPECT_NEAR(c.solid.inertia(2, 2), along, 1e-8) << c.name;
    EXPECT_NEAR(c.solid.inertia(0, 0), across - first * first / V, 1e-8) << c.name;
    EXPECT_NEAR(c.solid.inertia(1, 1), c.solid.inertia(0, 0), 1e-15) << c.name;
  }
  // a box in halves, one of them turned by a quarter about z
  const MassProperties whole = solid_box({0.4, 0.2, 0.6}), half = solid_box({0.2, 0.2, 0.6});
  const MassProperties sum = half.moved({-0.1, 0, 0}, Matrix3d::Identity()) +
                             half.moved({0.1, 0, 0}, exp_rotation({0, 0, std::numbers::pi / 2}));
  EXPECT_NEAR(sum.mass, whole.mass, 1e-15);
  EXPECT_LT(sum.centre.norm(), 1e-15);
  EXPECT_LT((sum.inertia - whole.inertia).norm(), 1e-15);
}

/// A tumbling body on a pivot, written in three ways.
std::string tumbling(const std::string& body) {
  return "name: tumbling\nsystem:\n  bodies:\n    b: " + body +
         "\n  joints:\n    pivot: {spherical: [ground, b], at: [0.1, 0.2, 0.3]}\n" + kEnd;
}

// Principal axes, the same body in turned axes with a full matrix, and with the origin of its axes elsewhere.
TEST(MechanismParts, AxesAndOriginOfABodyAreFree) {
  const Vector3d J(0.02, 0.03, 0.04), omega(3, -5, 2), centre(0.3, -0.1, 0.2);
  const Matrix3d Q = exp_rotation({0.4, -0.7, 0.2});
  const Matrix3d full = Q.transpose() * J.asDiagonal() * Q;
  const Vector3d turned = Q.transpose() * omega, at = Q.transpose() * -centre;
  const auto list = [](const Vector3d& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); };
  // v of the centre keeps the pivot
  const Vector3d v = omega.cross(centre);
  const std::string place = list(Vector3d(0.1, 0.2, 0.3) + centre);
  const Trajectory principal =
      run_text(tumbling(fmt::format("{{mass: 2, inertia: {}, position: {}, velocity: {}, angular_velocity: {}}}",
                                    list(J), place, list(v), list(omega))),
               "combined", 1e-3, 0.5);
  const Trajectory matrix =
      run_text(tumbling(fmt::format(
                   "{{mass: 2, inertia: [{}, {}, {}], position: {}, orientation: [0.4, -0.7, 0.2], velocity: {}, "
                   "angular_velocity: {}}}",
                   list(full.row(0)), list(full.row(1)), list(full.row(2)), place, list(v), list(turned))),
               "combined", 1e-3, 0.5);
  // the axes begin at the pivot, which does not move
  const Trajectory elsewhere =
      run_text(tumbling(fmt::format(
                   "{{mass: 2, inertia: [{}, {}, {}], position: [0.1, 0.2, 0.3], orientation: [0.4, -0.7, 0.2], "
                   "centre: {}, angular_velocity: {}}}",
                   list(full.row(0)), list(full.row(1)), list(full.row(2)), list(-at), list(turned))),
               "combined", 1e-3, 0.5);
  ASSERT_EQ(principal.result.status, RunStatus::finished);
  for (const Trajectory* other : {&matrix, &elsewhere}) {
    ASSERT_EQ(other->rows.size(), principal.rows.size());
    for (std::size_t k = 0; k < principal.rows.size(); k += 50) {
      EXPECT_LT((other->rows[k].q.head(3) - principal.rows[k].q.head(3)).norm(), 1e-9) << k;
      EXPECT_LT((Q * other->rows[k].v.tail(3) - principal.rows[k].v.tail(3)).norm(), 1e-7) << k;
    }
  }
  EXPECT_GT((principal.rows.back().q - principal.rows.front().q).norm(), 0.1);
}

TEST(MechanismParts, ShapesMakeABody) {
  const auto end = [](const std::string& body) {
    return run_text("name: rod\nsystem:\n  bodies:\n    b: " + body +
                        "\n  joints:\n    hinge: {revolute: [ground, b], axis: [0, 1, 0]}\n" + kEnd,
                    "combined", 1e-3, 0.5)
        .rows.back();
  };
  // half a metre of steel, in one piece and in two
  const Row one = end("{shapes: [{box: {size: [0.5, 0.02, 0.04]}, density: 7800}], position: [0.25, 0, 0]}");
  const Row two =
      end("{shapes: [{box: {size: [0.2, 0.02, 0.04]}, density: 7800, at: [0.1, 0, 0]}, {box: {size: [0.04, 0.02, "
          "0.3]}, mass: "
          "7800*0.04*0.02*0.3, at: [0.35, 0, 0], orientation: [0, pi/2, 0]}]}");
  const double m = 7800 * 0.5 * 0.02 * 0.04;
  const Row given = end(
      fmt::format("{{mass: {:.17g}, inertia: [1, {:.17g}, 1], position: [0.25, 0, 0]}}", m, m / 12 * (0.25 + 0.0016)));
  EXPECT_LT((one.q - given.q).norm(), 1e-10);
  EXPECT_LT((two.q - given.q).norm(), 1e-10);
}

// ---- what looks odd -------------------------------------------------------------------------------------------------

/// Notes of a body on springs, with other parameters, stiffness and damping.
std::vector<std::string> notes_of(const std::string& parameters, const std::string& law, const char* set = nullptr) {
  std::vector<std::string> overrides;
  if (set != nullptr) overrides.emplace_back(set);
  return read_scenario("name: springs of zeta\nsystem:\n  parameters: {" + parameters +
                           "}\n  bodies:\n    b: {mass: m, inertia: [1, 1, 1]}\n  forces:\n    s: {slide: [ground, b], "
                           "axis: [1, 0, 0], " +
                           law + "}\n" + kEnd,
                       "test.yaml", overrides)
      .notes;
}

TEST(MechanismParts, ParametersThatNobodyUsesAreTold) {
  EXPECT_TRUE(notes_of("m: 2, k: m^2", "stiffness: 3*k").empty());
  EXPECT_TRUE(notes_of("m: 2, e3: 1", "stiffness: 2e3 + e3").empty());
  const auto once = notes_of("m: 2, zeta: 3", "stiffness: 2");  // the name of the scenario is no formula
  ASSERT_EQ(once.size(), 1U);
  EXPECT_EQ(once[0], "test.yaml:3:22: the parameter 'zeta' stands in no formula");
  EXPECT_EQ(notes_of("m: 2, e3: 1", "stiffness: 2e3").size(), 1U);
  const auto mistyped = notes_of("m: 2, mu: 1", "stiffness: mu", "system.parameters.Mu=3");
  ASSERT_EQ(mistyped.size(), 1U);
  EXPECT_THAT(mistyped[0], HasSubstr("--set"));
  EXPECT_THAT(mistyped[0], HasSubstr("'Mu'"));
}

TEST(MechanismParts, NegativeStiffnessAndDampingAreTold) {
  EXPECT_TRUE(notes_of("m: 2", "stiffness: 1, damping: 1").empty());
  const auto both = notes_of("m: 2", "stiffness: -1, damping: -m");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], "test.yaml:7:57: a stiffness of -1 pushes away from where the spring is free");
  EXPECT_EQ(both[1], "test.yaml:7:70: a damping of -2 drives the motion that it should slow down");
}

// ---- beginnings -----------------------------------------------------------------------------------------------------

// A point is put on a circle: the nearest one is along the radius, and the velocity loses its radial part.
TEST(MechanismParts, AssemblyIsTheNearestClosedState) {
  const Scenario s = read_scenario(
      "name: point\nsystem:\n  formulas:\n    coordinates: [x, y]\n    kinetic: x'^2 + y'^2\n    joints: {rod: x^2 + "
      "y^2 - 1}\ninitial: {position: {x: 1.2, y: 0.9}, velocity: {x: 1, y: 2}, assemble: true}\n" +
          std::string(kEnd),
      "test.yaml");
  EXPECT_NEAR(s.initial.q[0], 0.8, 1e-12);
  EXPECT_NEAR(s.initial.q[1], 0.6, 1e-12);
  EXPECT_NEAR(s.initial.v[0], 1 - 0.8 * 2, 1e-12);
  EXPECT_NEAR(s.initial.v[1], 2 - 0.6 * 2, 1e-12);
  ASSERT_EQ(s.notes.size(), 2U);
  EXPECT_THAT(s.notes[0], HasSubstr("x moved most, by 0.4"));
}

/// A four-bar linkage, its places given on the bodies, which stand only about where they belong.
std::string four_bar(double coupler, const std::string& initial, bool redundant = false) {
  const std::string joint = redundant ? "revolute" : "spherical";
  const auto side = [](const char* key, double x) {
    return fmt::format("{}: {{at: [{}, 0, 0], axis: [0, 1, 0]}}", key, x);
  };
  return "name: four bar\nsystem:\n  bodies:\n    crank: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.1, 0, "
         "0.45], "
         "orientation: [0, -1.4, 0], angular_velocity: [0, -2, 0]}\n    coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], "
         "position: [1, 0.05, 1.2], orientation: [0, -0.1, 0]}\n    rocker: {mass: 1, inertia: [0.01, 0.1, 0.1], "
         "position: [2, 0, 0.6], orientation: [0, -1.7, 0]}\n  joints:\n    a: {revolute: [ground, crank], " +
         side("first", 0) + ", " + side("second", -0.5) + "}\n    b: {revolute: [crank, coupler], " +
         side("first", 0.5) + ", " + side("second", -coupler / 2) + "}\n    c: {" + joint + ": [coupler, rocker], " +
         side("first", coupler / 2) + ", " + side("second", 0.6) + "}\n    d: {revolute: [ground, rocker], " +
         side("first", 2) + ", " + side("second", -0.6) + "}\n" + initial + kEnd;
}

// Round-off across the plane of a linkage dies away from step to step, down to numbers on which processors are ten
// times slower. It ends where squares of numbers would be of that kind.
TEST(MechanismParts, WhatDiesAwayEndsAtZero) {
  const Trajectory run = run_text(four_bar(1.9, "initial: {assemble: true}\n", true), "combined", 1e-3, 2);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  double least = 1;
  for (const Row& r : run.rows)
    for (const VectorXd* x : {&r.q, &r.v})
      for (const double value : *x)
        if (value != 0) least = std::min(least, std::abs(value));
  EXPECT_GE(least, 0x1p-511);
  EXPECT_LT(least, 1e-20);  // something dies away
}

TEST(MechanismParts, AFourBarIsClosed) {
  for (const bool redundant : {false, true}) {
    const std::string open = four_bar(1.9, "", redundant);
    EXPECT_THAT(message_of(open), HasSubstr("is open by"));
    EXPECT_THAT(message_of(open), HasSubstr("test.yaml:"));
    const Scenario s = read_scenario(four_bar(1.9, "initial: {assemble: true}\n", redundant), "test.yaml");
    ASSERT_FALSE(s.notes.empty());
    EXPECT_THAT(s.notes[0], HasSubstr("joints were closed"));
    const Trajectory run = run_text(four_bar(1.9, "initial: {assemble: true}\n", redundant), "combined", 1e-3, 1);
    EXPECT_EQ(run.result.status, RunStatus::finished);
    EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10);
    // a coupler of 4 m reaches from no crank of 1 m to a rocker of 1.2 m, 2 m apart
    const std::string message = message_of(four_bar(4.5, "initial: {assemble: true}\n", redundant));
    EXPECT_THAT(message, HasSubstr("cannot be closed"));
    EXPECT_THAT(message, HasSubstr("remains at '"));
  }
}

TEST(MechanismParts, StaticEquilibrium) {
  const auto settled = [](const std::string& system) {
    return read_scenario("name: rest\nsystem:\n" + system + "initial: {equilibrium: true}\n" + kEnd, "test.yaml")
        .initial;
  };
  // a pendulum between gravity and a spring: m g l/2 cos a = k a, from far away
  const State pendulum = settled(
      "  bodies:\n    rod: {mass: 2, inertia: [0.01, 1/6, 1/6], position: [0.5, 0, 0], angular_velocity: [0, 1, 0], "
      "velocity: [0, 0, -0.5]}\n  joints:\n    hinge: {revolute: [ground, rod], axis: [0, 1, 0]}\n  forces:\n    coil: "
      "{torsion: [ground, rod], axis: [0, 1, 0], stiffness: 20}\n");
  const double angle = 2 * std::atan2(pendulum.q[5], pendulum.q[3]);
  EXPECT_NEAR(2 * 9.81 * 0.5 * std::cos(angle), 20 * angle, 1e-9);
  EXPECT_EQ(pendulum.v.norm(), 0);
  // a ball falls on the floor; a box on an incline stays where friction holds it and slides to the stop where not
  const auto box = [&](double mu) {
    return settled(fmt::format(
        "  planar: xz\n  gravity: [9.81*sin(0.3), 0, -9.81*cos(0.3)]\n  bodies:\n    box: {{mass: 1, inertia: 0.1, "
        "position: [0, 0, 0.5]}}\n  contacts:\n    left: {{on_plane: [ground, box], to: [-0.2, 0, 0.4], friction: "
        "{}}}\n "
        "   right: {{on_plane: [ground, box], to: [0.2, 0, 0.4], friction: {}}}\n    stop: {{on_plane: [ground, box], "
        "at: [2, 0, 0], axis: [-1, 0, 0], to: [0.2, 0, 0.5], friction: 0}}\n",
        mu, mu));
  };
  const State slides = box(0.2);
  EXPECT_NEAR(slides.q[1], 0.1, 1e-9);
  EXPECT_NEAR(slides.q[0], 1.8, 1e-9);
  const State holds = box(0.4);
  EXPECT_NEAR(holds.q[1], 0.1, 1e-9);
  EXPECT_LT(holds.q[0], 1);
  EXPECT_THAT(message_of("name: free\nsystem:\n  bodies:\n    b: {mass: 1, inertia: [1, 1, 1]}\ninitial: {equilibrium: "
                         "true}\n" +
                         std::string(kEnd)),
              HasSubstr("no static equilibrium"));
}

// What is found is at rest: nothing moves when it is let go.
TEST(MechanismParts, NothingMovesFromEquilibrium) {
  const std::string text =
      "name: ladder\nsystem:\n  planar: xz\n  bodies:\n    ladder: {mass: 10, inertia: 10*16/12, position: [1, 0, "
      "sqrt(3) + 0.001], orientation: [0, pi/3, 0]}\n  contacts:\n    floor: {on_plane: [ground, ladder], to: [0, 0, "
      "2*sqrt(3) + 0.001], at: [0, 0, 0], axis: [1, 0, 0], friction: 0.5}\n    wall: {on_plane: [ground, ladder], to: "
      "[2, 0, 0.001], axis: [0, 0, 1], friction: 0.5}\n  forces:\n    rope: {spring: [ground, ladder], at: [0, 0, 5], "
      "to: [1, 0, sqrt(3) + 0.001], stiffness: 1000}\ninitial: {equilibrium: true}\n" +
      std::string(kEnd);
  const Trajectory run = run_text(text, "combined", 1e-3, 0.5);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT((run.rows.back().q - run.rows.front().q).norm(), 1e-9);
  EXPECT_LT(run.rows.back().v.norm(), 1e-9);
}

// ---- play in space --------------------------------------------------------------------------------------------------

// A heavy pin lies askew in its bush, held by both rims: the lower one inside, the upper one on the other side. The gap
// of a tilted rim is that of its farthest point, here by a search over the circle.
TEST(MechanismParts, RimsOfAPinAreExact) {
  const Scenario s = read_scenario(
      "name: pin\nsystem:\n  bodies:\n    pin: {mass: 1, inertia: [1, 1, 1]}\n  joints:\n    bush: {cylindrical: "
      "[ground, pin], clearance: 0.02, pin: 0.3, length: 0.8}\n" +
          std::string(kEnd),
      "test.yaml");
  const Model& m = s.model;
  ModelScratch scratch(m);
  for (int k = 0; k < 60; ++k) {
    const double tilt = 0.02 * k, about = 0.7 * k;
    State at = s.initial;
    const Quaterniond Q =
        exp_quaternion(tilt * Vector3d(std::cos(about), std::sin(about), 0)) * exp_quaternion(Vector3d(0, 0, 0.3 * k));
    at.q << 0.015 * std::sin(1. * k), 0.015 * std::cos(2. * k), 0.1, Q.w(), Q.x(), Q.y(), Q.z();
    std::vector<Candidate> candidates;
    m.candidates({0, at.q, at.v}, 0, candidates);
    ConstraintRows rows;
    const int pick[] = {0, 1};
    m.evaluate(0, at.q, {.candidates = candidates.data(), .pick = pick, .count = 2}, rows, scratch);
    for (int side : {0, 1}) {
      const Vector3d centre = at.q.head(3) + Q.toRotationMatrix() * Vector3d(0, 0, side == 0 ? 0.4 : -0.4);
      double far = 0;
      const auto distance = [&](double phi) {
        const Vector3d p = centre + Q.toRotationMatrix() * Vector3d(0.3 * std::cos(phi), 0.3 * std::sin(phi), 0);
        return std::hypot(p.x(), p.y());
      };
      double best = 0;
      for (int i = 0; i < 4000; ++i)
        if (const double phi = i * 2 * std::numbers::pi / 4000; distance(phi) > far) far = distance(best = phi);
      for (double width = 1e-3; width > 1e-9; width /= 2)
        for (const double phi : {best - width, best + width})
          if (distance(phi) > far) far = distance(best = phi);
      EXPECT_NEAR(rows.g[side], 0.32 - far, 1e-12) << k << " " << side;
    }
  }
}

/// A door of 2 kg, 0.6 m wide, on a pin with play: it hangs askew on its two rims and rests on its shoulders.
std::string door(const std::string& pin) {
  return "name: door\nsystem:\n  bodies:\n    door: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.3, 0, 0]}\n  "
         "joints:\n    hinge: " +
         pin + "\n" + kEnd;
}

// Let go, it falls by the axial play and tilts until the upper rim touches on one side and the lower on the other; the
// moment of its weight, 2 kg 9.81 0.3 m, is the couple of the rims, 0.4 m apart.
TEST(MechanismParts, ADoorHangsOnItsTwoRims) {
  const std::string text = door(
      "{revolute: [ground, door], clearance: 1e-3, pin: 0.01, length: 0.4, axial: 2e-3, collar: 0, friction: 0.1}");
  for (const std::string scheme : {"combined", "{name: nonsmooth-alpha, forecast: end}", "decoupled-alpha"}) {
    const Trajectory run = run_text(text, scheme, 1e-3, 1);
    ASSERT_EQ(run.result.status, RunStatus::finished)
        << scheme << " " << name(run.result.failure.status) << " at " << run.result.failed_at;
    EXPECT_LT(run.end.summary.certificate.penetration, 1e-10) << scheme;
    const Row& r = run.rows.back();
    EXPECT_LT(r.v.norm(), 1e-6) << scheme;
    EXPECT_NEAR(r.q[2], -2e-3 - 0.3 * 1e-3 / 0.2, 1e-4) << scheme;  // the shoulder, and the tilt about it
  }
}

// A bar in a square guide, pushed off its centre: corners at both ends hold it.
TEST(MechanismParts, ABlockInItsSlot) {
  const std::string text =
      "name: bar\nsystem:\n  gravity: [0, 0, 0]\n  bodies:\n    bar: {mass: 2, inertia: [0.01, 0.1, 0.1], velocity: "
      "[1, 0, 0]}\n  joints:\n    slot: {prismatic: [ground, bar], axis: [1, 0, 0], x: [0, 1, 0], clearance: 1e-3, "
      "length: 0.4, width: [0.05, 0.08]}\n  forces:\n    push: {load: bar, at: [0.5, 0, 0], force: [0, 3, 5]}\n" +
      std::string(kEnd);
  for (const std::string scheme : {"combined", "nonsmooth-alpha", "decoupled-alpha"}) {
    const Trajectory run = run_text(text, scheme, 1e-3, 0.5);
    ASSERT_EQ(run.result.status, RunStatus::finished)
        << scheme << " " << name(run.result.failure.status) << " at " << run.result.failed_at;
    const Row& r = run.rows.back();
    EXPECT_LT(run.end.summary.certificate.penetration, 1e-10) << scheme;
    EXPECT_NEAR(r.v[0], 1, 1e-2) << scheme;
    EXPECT_LT(r.v.tail(5).norm(), 1e-6) << scheme;
  }
}

// ---- bad input ------------------------------------------------------------------------------------------------------

TEST(MechanismParts, BadInputIsTold) {
  const auto body = [](const std::string& text) {
    return message_of("name: bad\nsystem:\n  bodies:\n    b: " + text + "\n" + kEnd);
  };
  EXPECT_THAT(body("{mass: 1, inertia: [0, 1, 1]}"), HasSubstr("test.yaml:4:"));
  EXPECT_THAT(body("{mass: 1, inertia: [0, 1, 1]}"), HasSubstr("not positive"));
  EXPECT_THAT(body("{mass: 1, inertia: [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 0.05]]}"), HasSubstr("more than the sum"));
  EXPECT_THAT(body("{mass: 1, inertia: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}"), HasSubstr("not symmetric"));
  EXPECT_THAT(body("{mass: 1, inertia: 1}"), HasSubstr("three moments"));
  EXPECT_THAT(body("{mass: 1}"), HasSubstr("inertia"));
  EXPECT_THAT(body("{inertia: [1, 1, 1]}"), HasSubstr("needs `mass`"));
  EXPECT_THAT(body("{shapes: [{box: {size: [1, 1, 1]}}]}"), HasSubstr("density"));
  EXPECT_THAT(body("{shapes: [{cylinder: {radius: 1, length: 1, inner: 1}, mass: 1}]}"), HasSubstr("hole"));
  EXPECT_THAT(body("{shapes: [], mass: 1}"), HasSubstr("shapes"));
  EXPECT_THAT(body("{mass: 1, inertia: [1, 1, 1], orientation: [2, 0, 0, 0]}"), HasSubstr("length 2"));
  const auto joint = [](const std::string& text) {
    return message_of(
        "name: bad\nsystem:\n  planar: xz\n  bodies:\n    b: {mass: 1, inertia: 1}\n  joints:\n    a: {revolute: "
        "[ground, "
        "b]}\n    j: " +
        text + "\n" + kEnd);
  };
  EXPECT_THAT(joint("{gear: [a, a], ratio: 2}"), HasSubstr("itself"));
  EXPECT_THAT(joint("{gear: [a, c], ratio: 2}"), HasSubstr("'c'"));
  EXPECT_THAT(joint("{gear: [a, c]}"), HasSubstr("ratio"));
  EXPECT_THAT(joint("{screw: [ground, b], pitch: 1}"), HasSubstr("plane"));
  EXPECT_THAT(joint("{revolute: [ground, b], clearance: 0.2, bush: 0.1}"), HasSubstr("radius 0.1 of the bush"));
  EXPECT_THAT(joint("{prismatic: [ground, b], axis: [1, 0, 0], clearance: 0.1, length: 1}"), HasSubstr("width"));
  EXPECT_THAT(joint("{prismatic: [ground, b], axis: [1, 0, 0], clearance: 0.1, pin: 1}"), HasSubstr("no meaning"));
  EXPECT_THAT(joint("{fixed: [ground, b], clearance: 0.1}"), HasSubstr("revolute and prismatic"));
  EXPECT_THAT(joint("{revolute: [ground, b], first: {at: [0, 0, 0]}}"), HasSubstr("needs `second`"));
  EXPECT_THAT(joint("{revolute: [ground, b], at: [0, 0, 0], first: {}, second: {}}"), HasSubstr("one or the other"));
  const Scenario soft = read_scenario(
      "name: soft\nsystem:\n  bodies:\n    b: {mass: 1, inertia: [1, 1, 1]}\n  forces:\n    f: {slide: [ground, b], "
      "stiffness: -5}\n" +
          std::string(kEnd),
      "test.yaml");
  ASSERT_EQ(soft.notes.size(), 1U);
  EXPECT_THAT(soft.notes[0], HasSubstr("test.yaml:6:"));
}

}  // namespace
}  // namespace ricochet::test::mechanism_parts_test
