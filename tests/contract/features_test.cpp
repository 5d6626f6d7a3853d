// What works with what, both ways: what the table of features says runs, and comes out right; what it does not say is
// refused with a message that names who has it.
#include "ricochet/scheme/features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/math/input_error.hpp"
#include "support/runs.hpp"
#include "support/schemes.hpp"

namespace ricochet::test::features_test {
namespace {

using testing::HasSubstr;

class Features : public testing::TestWithParam<std::string> {
 protected:
  Support of(SchemeFeature feature) const { return support(find_scheme(GetParam())->info, feature); }
  Scenario read(const std::string& text, std::vector<std::string> overrides = {}) const {
    overrides.push_back("simulation.scheme=" + GetParam());
    return read_scenario(text, "features", overrides);
  }
  /// What the reader says; empty: it takes it.
  std::string refusal(const std::string& text, std::vector<std::string> overrides = {}) const {
    try {
      read(text, std::move(overrides));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  /// The refusal names somebody who takes it.
  void expect_refused(SchemeFeature feature, const std::string& text) const {
    const std::string said = refusal(text);
    EXPECT_THAT(said, HasSubstr(GetParam()));
    EXPECT_THAT(said, HasSubstr("accepted: "));
    EXPECT_THAT(said, HasSubstr(schemes_with(feature).back()));
  }
};

INSTANTIATE_TEST_SUITE_P(All, Features, testing::ValuesIn(scheme_names()), scheme_test_name);

/// A free symmetric top: omega = (cos t, sin t, 2) in its own axes.
TEST_P(Features, Bodies) {
  const std::string top = R"(
system:
  gravity: [0, 0, 0]
  bodies: {top: {mass: 1, inertia: [0.1, 0.1, 0.15], angular_velocity: [1, 0, 2], velocity: [0.3, 0, 0]}}
simulation: {step: 1e-3, until: 1}
)";
  if (of(SchemeFeature::bodies) == Support::yes) {
    const Trajectory run = simulate(read(top));
    ASSERT_EQ(run.result.status, RunStatus::finished);
    const VectorXd& v = run.rows.back().v;
    EXPECT_NEAR(v[0], 0.3, 1e-12);
    EXPECT_NEAR(v[3], std::cos(1.0), 2e-3);  // measured: 9.2e-4 (galerkin-0), others 1e-6 and less
    EXPECT_NEAR(v[4], std::sin(1.0), 2e-3);
    EXPECT_NEAR(run.rows.back().q[0], 0.3, 1e-12);
    return;
  }
  EXPECT_EQ(of(SchemeFeature::bodies), Support::plane);
  expect_refused(SchemeFeature::bodies, top);
  const Trajectory run = simulate(read(top, {"system.planar=xy", "system.bodies.top.angular_velocity=[0, 0, 2]"}));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[2], 2, 1e-9);
}

/// A rod on a pivot, as one angle with a far smaller step and as a body with a joint.
TEST_P(Features, Joints) {
  const std::string rod = R"(
system:
  planar: xz
  bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}}
  joints: {pin: {revolute: [ground, rod]}}
simulation: {step: 1e-3, until: 1}
)";
  if (of(SchemeFeature::joints) != Support::yes) return expect_refused(SchemeFeature::joints, rod);
  const Trajectory run = simulate(read(rod));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  static const double angle = [] {
    const Scenario s = read_scenario(R"(
system: {formulas: {coordinates: [a], kinetic: 0.35/2*a'^2, potential: 9.81*0.5*sin(a)}}
simulation: {scheme: event-driven, step: 0.1, until: 1}
)",
                                     "angle");
    return simulate(s).rows.back().q[0];
  }();
  const VectorXd& q = run.rows.back().q;
  EXPECT_NEAR(q[2], angle, 4e-2);  // measured: 2.2e-2 (schatzman-paoli), others 7.5e-3 and less
  const Certificate& c = run.end.summary.certificate;
  const SchemeInfo& info = find_scheme(GetParam())->info;
  EXPECT_LE(c.joint_position, info.exact_position ? 1e-10 : 5e-3);  // measured: 2e-3 (galerkin-0)
  if (info.exact_velocity && !info.error_controlled) {
    EXPECT_LE(c.joint_velocity, 1e-10);
  }
}

/// A clamped beam swings under its weight.
TEST_P(Features, Flexible) {
  const std::string beam = R"(
system:
  flexible:
    beam:
      beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, section: {rectangle: [0.1, 0.1]}}
      young: 3e6
      density: 1000
      clamp: from
simulation: {step: 4e-4, until: 0.3}
)";
  const Support taken = of(SchemeFeature::flexible);
  if (taken != Support::yes) expect_refused(SchemeFeature::flexible, beam);
  const Trajectory run = simulate(read(beam, {"system.planar=xz"}));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  static const double tip =
      simulate(read_scenario(beam, "beam", {"system.planar=xz", "simulation.scheme=event-driven"})).rows.back().q[10];
  EXPECT_NEAR(run.rows.back().q[10], tip, 2e-3);
  if (taken != Support::yes) return;
  const Trajectory space = simulate(read(beam));
  ASSERT_EQ(space.result.status, RunStatus::finished);
  EXPECT_NEAR(space.rows.back().q[23], tip, 2e-3);
}

/// A pin falls in its bush like a ball on the ground.
TEST_P(Features, Play) {
  const std::string pin = R"(
system:
  planar: xz
  bodies: {pin: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}}
  joints: {bush: {revolute: [ground, pin], clearance: 0.05, pin: 0.01, restitution: 0.5}}
simulation: {step: 2.3e-4, until: 0.25}
)";
  const Scenario s = read(pin);  // comparison schemes are not refused either
  const Trajectory run = simulate(s);
  if (of(SchemeFeature::play) == Support::comparison) return;  // what becomes of them: SchemeContract
  EXPECT_EQ(of(SchemeFeature::play), Support::yes);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_GE(run.end.summary.impacts, 1);
  const ExactBall exact(0.05, 9.81, 0.5);
  double error = 0;
  for (const Row& row : run.rows) error += row.h * std::abs(row.q[1] + 0.05 - exact.q(row.t));
  EXPECT_LE(error, 0.25 * 1e-3);  // measured: at most 0.25 * 2.4e-4
}

/// A block thrown along a plane stops after v / (mu g), v^2 / (2 mu g) away.
TEST_P(Features, Friction) {
  const std::string block = R"(
system:
  planar: xz
  plane: {friction: 0.3}
  bodies: {box: {mass: 1, box: {size: [0.1, 0.1, 0.1]}, position: [0, 0, 0.05], velocity: [1, 0, 0]}}
simulation: {step: 1e-3, until: 0.5}
)";
  if (of(SchemeFeature::friction) != Support::yes) return expect_refused(SchemeFeature::friction, block);
  const Trajectory run = simulate(read(block));
  if (find_scheme(GetParam())->info.impact_order == 0) return;
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[0], 1 / (2 * 0.3 * 9.81), 2e-3);
  EXPECT_NEAR(run.rows.back().v[0], 0, 1e-9);
}

/// A block on a rail that rubs: v^2 / (2 mu g) again.
TEST_P(Features, DryJoints) {
  const std::string block = R"(
system:
  planar: xz
  bodies: {box: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}}
  joints: {rail: {prismatic: [ground, box], axis: [1, 0, 0], friction: 0.3}}
simulation: {step: 1e-3, until: 0.5}
)";
  if (of(SchemeFeature::dry_joints) != Support::yes) return expect_refused(SchemeFeature::dry_joints, block);
  const Trajectory run = simulate(read(block));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[0], 1 / (2 * 0.3 * 9.81), 2e-3);
  EXPECT_NEAR(run.rows.back().v[0], 0, 1e-9);
}

/// A hoop that rolls against a resistance: v^2 / (2 a) with a = mu_R g / (2 R).
TEST_P(Features, Rolling) {
  const std::string hoop = R"(
system:
  planar: xz
  bodies: {hoop: {mass: 1, inertia: [1e-2, 1e-2, 1e-2], position: [0, 0, 0.1], velocity: [0.2, 0, 0], angular_velocity: [0, 2, 0]}}
  contacts: {floor: {on_plane: [ground, hoop], to: [0, 0, 0.1], tip: 0.1, friction: 0.5, rolling: 0.01}}
simulation: {step: 1e-3, until: 0.6}
)";
  if (of(SchemeFeature::rolling) != Support::yes) return expect_refused(SchemeFeature::rolling, hoop);
  const Trajectory run = simulate(read(hoop));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[0], 0.2 * 0.2 / (0.1 * 9.81), 1e-3);
  EXPECT_NEAR(run.rows.back().v[0], 0, 1e-9);
}

class Events final : public Observer {
 public:
  std::vector<Event> all;
  void step(const State&, const State&, const StepReport& report) override {
    all.insert(all.end(), report.events.begin(), report.events.end());
  }
};

/// Only those that say so report events, and then at their times.
TEST_P(Features, LocatedEvents) {
  const Scenario s = read(R"(
system: {formulas: {coordinates: [y], kinetic: y'^2/2, potential: 9.81*y, contacts: {floor: {gap: y, restitution: 0.5}}}}
initial: {position: {y: 0.1}}
simulation: {step: 2.3e-3, until: 0.2}
)");
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState state = begin_run(s.model, *scheme, s.initial);
  Events events;
  run(s.model, *scheme, state, s.policy, &events);
  EXPECT_EQ(!events.all.empty(), of(SchemeFeature::events) == Support::yes);
  for (const Event& e : events.all) {
    EXPECT_EQ(e.kind, EventKind::impact);
    EXPECT_NEAR(e.t, std::sqrt(2 * 0.1 / 9.81), 1e-9);
  }
}

/// Steps that the control chooses for a stiffening oscillator are of several sizes.
TEST_P(Features, StepControl) {
  const std::string text = R"(
system: {formulas: {coordinates: [x], kinetic: x'^2/2, potential: x^2/2 + 10*x^4}}
initial: {position: {x: 1}}
simulation: {step: half-step, until: 1}
)";
  const std::string said = refusal(text);
  if (of(SchemeFeature::step_control) == Support::yes) {
    ASSERT_EQ(said, "");
    const Trajectory run = simulate(read(text));
    ASSERT_EQ(run.result.status, RunStatus::finished);
    EXPECT_LT(run.end.summary.step_smallest, run.end.summary.step_largest);
    return;
  }
  EXPECT_THAT(said, HasSubstr("simulation.step"));
  EXPECT_THAT(said, HasSubstr(GetParam()));
  EXPECT_THAT(said, HasSubstr("accepted: "));
  const std::string automatic = refusal(text, {"simulation.step=auto"});
  EXPECT_EQ(automatic.empty(), of(SchemeFeature::step_control) == Support::own) << automatic;
}

/// A box on another one, which slides under it and stops with it; a ball that bounces on both.
TEST_P(Features, Collision) {
  const std::string text = R"(
system:
  collision: {friction: 0.5, materials: {steel: {restitution: 0.5}}}
  bodies:
    ground: {fixed: true, shapes: [{plane: {}}]}
    lower: {box: {size: [0.4, 0.2, 0.1]}, mass: 1, position: [0, 0, 0.05], velocity: [0.2, 0, 0]}
    upper: {box: {size: [0.2, 0.2, 0.1]}, mass: 1, position: [0, 0, 0.15], velocity: [0.2, 0, 0]}
    ball: {shapes: [{sphere: {radius: 0.05}, mass: 1e-3}], position: [0.02, 0, 0.3], velocity: [0.2, 0, 0]}
simulation: {step: 1e-3, until: 0.2}
)";
  if (of(SchemeFeature::collision) != Support::yes) return expect_refused(SchemeFeature::collision, text);
  const Trajectory run = simulate(read(text));
  // A forecast that lets go of what others press together says so.
  if (!find_scheme(GetParam())->info.holds_closed && run.result.failure.status == StepStatus::unheld_contact) return;
  ASSERT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
  const VectorXd& q = run.rows.back().q;
  EXPECT_NEAR(q[0], 0.2 * 0.2 / (2 * 0.5 * 9.81), 4e-4);  // measured: 1.1e-4
  EXPECT_NEAR(q[2], 0.05, 1e-4);
  EXPECT_NEAR(q[7 + 2], 0.15, 2e-4);
  EXPECT_NEAR(q[7] - q[0], 0, 1e-3);
  EXPECT_GT(q[14 + 2], 0.25 - 1e-3);
}

TEST(FeatureTable, WhatIsAbsentHasNoKeys) {
  for (const SchemeEntry& entry : schemes())
    for (const FeatureInfo& f : features()) {
      if (support(entry.info, f.feature) != Support::absent) continue;
      const std::string key = "flexible: {}";
      try {
        read_scenario("system: {bodies: {a: {mass: 1, inertia: [1, 1, 1]}}, " + key +
                          "}\nsimulation: {step: 1e-3, until: 1, scheme: " + entry.info.name + "}",
                      "absent");
        ADD_FAILURE() << f.name;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(key.substr(0, key.find(':'))));
      }
    }
}

/// Who is not in the table of features has no declaration to check: each feature is somebody's, or nobody's yet.
TEST(FeatureTable, EveryFeatureIsSomebodysOrNobodys) {
  for (const FeatureInfo& f : features()) {
    const bool absent = support(schemes().front().info, f.feature) == Support::absent;
    EXPECT_EQ(schemes_with(f.feature).empty(), absent) << f.name;
  }
}

}  // namespace
}  // namespace ricochet::test::features_test
