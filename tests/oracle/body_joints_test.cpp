// Bodies with joints in maximal coordinates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ricochet/math/input_error.hpp"
#include "support/bodies.hpp"
#include "support/runs.hpp"

namespace ricochet::test::body_joints_test {
namespace {

Trajectory run_text(const std::string& text, const std::string& scheme, double step, double until) {
  return simulate(
      read_scenario(text, "test.yaml",
                    {"simulation.scheme=" + scheme, set("simulation.step", step), set("simulation.until", until)}));
}

/// The rod in one angle, J theta'' = m g l/2 cos theta about the hinge, by event tracking, at the times of the run.
std::vector<double> heights(double step, double until) {
  const std::string text =
      "name: rod\nsystem:\n  formulas:\n    coordinates: [a]\n    kinetic: (1/12 + 1/4)/2*a'^2\n"
      "    potential: -9.81/2*sin(a)\nsimulation: {scheme: event-driven, step: 1e-3, until: 1}\n";
  std::vector<double> out;
  for (const Row& r : run_text(text, "{name: event-driven, atol: 1e-12, rtol: 1e-12}", step, until).rows)
    out.push_back(-std::sin(r.q[0]) / 2);
  return out;
}

TEST(BodyJoints, ARodOnAHingeSwingsWithOrderTwo) {
  for (const char* scheme : {"moreau-jean", "combined", "newmark", "nonsmooth-alpha", "decoupled-alpha"}) {
    std::vector<double> steps, errors;
    for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
      const Trajectory run = run_text(rod_on_a_hinge(), scheme, h, 1);
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme << " " << h;
      const std::vector<double> exact = heights(h, 1);
      ASSERT_EQ(exact.size(), run.rows.size());
      double sum = 0;
      for (std::size_t k = 0; k < exact.size(); ++k) sum += h * std::abs(run.rows[k].q[2] - exact[k]);
      steps.push_back(h);
      errors.push_back(sum);
    }
    const double order = fitted_order(steps, errors);
    EXPECT_GT(order, 1.9) << scheme;
    EXPECT_LT(order, 2.1) << scheme;
    EXPECT_LT(errors.back(), 1e-5) << scheme;
  }
}

TEST(BodyJoints, BothLevelsHoldWhereTheyArePromised) {
  for (const char* scheme : {"combined", "projected", "nonsmooth-alpha", "decoupled-alpha", "event-driven"}) {
    const Trajectory run = run_text(chain(3), scheme, 1e-3, 0.5);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10) << scheme;
    EXPECT_LE(run.end.summary.certificate.joint_velocity, 1e-10) << scheme;
  }
}

/// Where joints alone act, v+ and the correction of the position come out of one loop; with `coupled` they come out of
/// sweeps over both levels, which share no line with it.
TEST(BodyJoints, OneLoopForBothLevelsGivesTheMotionOfTheSweeps) {
  for (const std::string& text : {chain(3), rod_on_a_hinge()}) {
    const Trajectory one = run_text(text, "{name: combined, tolerance: 1e-12}", 1e-3, 0.5);
    const Trajectory sweeps = run_text(text, "{name: combined, tolerance: 1e-12, coupled: true}", 1e-3, 0.5);
    ASSERT_EQ(one.result.status, RunStatus::finished);
    ASSERT_EQ(sweeps.result.status, RunStatus::finished);
    EXPECT_LE(one.end.summary.certificate.joint_position, 1e-12);
    EXPECT_LE(one.end.summary.certificate.joint_velocity, 1e-12);
    EXPECT_LE((one.end.state.q - sweeps.end.state.q).lpNorm<Eigen::Infinity>(), 1e-9);
    EXPECT_LE((one.end.state.v - sweeps.end.state.v).lpNorm<Eigen::Infinity>(), 1e-8);
    const double passes = static_cast<double>(one.end.summary.newton_sum) / static_cast<double>(one.end.summary.steps);
    EXPECT_LE(passes, 4);  // measured 3.87, 2.99
  }
}

TEST(BodyJoints, ADoorOnTwoHingesHasReactionsOfLeastNorm) {
  // where the position is put right by the masses, another hinge has no part in it; levers know of it
  const char* const scheme = "{name: combined, metric: mass}";
  const std::string second = "    upper: {revolute: [ground, rod], at: [0, 1, 0], axis: [0, 1, 0]}\n";
  const Trajectory door = run_text(rod_on_a_hinge(second), scheme, 1e-3, 1);
  const Trajectory rod = run_text(rod_on_a_hinge(), scheme, 1e-3, 1);
  ASSERT_EQ(door.result.status, RunStatus::finished);
  EXPECT_TRUE(door.end.summary.minimum_norm);
  EXPECT_FALSE(rod.end.summary.minimum_norm);
  EXPECT_LE(door.end.summary.certificate.joint_position, 1e-10);
  EXPECT_LT((door.rows.back().q - rod.rows.back().q).norm(), 1e-8);
}

TEST(BodyJoints, AChainOfManyIsSparse) {
  const Trajectory run = run_text(chain(12), "combined", 1e-3, 0.05);  // 72 coordinates: blocks
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10);
  EXPECT_LE(run.end.summary.certificate.joint_velocity, 1e-10);
  const double fall = std::abs(run.end.summary.energy.kinetic);
  EXPECT_GT(fall, 0.01);
  EXPECT_LT(std::abs(run.rows.back().energy - run.rows.front().energy), 1e-3 * fall);
}

/// A mass of 10 g on a rod of 1 cm under 1 kN: the joint's directions turn within a pass as far as the forces move it.
TEST(BodyJoints, LoadedPendulumTakesFewPasses) {
  const std::string text =
      "name: loaded pendulum\nsystem:\n  formulas:\n    parameters: {m: 0.01, l: 0.01, F: 1000}\n"
      "    coordinates: [x, y]\n    kinetic: m/2*(x'^2 + y'^2)\n    potential: F*y\n"
      "    joints: {rod: sqrt(x^2 + y^2) - l}\n"
      "initial: {position: {x: l*sin(0.5), y: -l*cos(0.5)}, velocity: {}}\n"
      "simulation: {scheme: combined, step: 1e-4, until: 0.01}\n";
  // measured means at 1e-4: 4.9, 4.9, 4.6, 4.8, 4.7, 4.0; without the turning 8.5, 8.5, 8.1, 8.3, 8.2, -
  for (const char* scheme :
       {"moreau-jean", "moreau-jean-midpoint", "newmark", "hht", "generalized-alpha", "nonsmooth-alpha"}) {
    const Trajectory small = run_text(text, scheme, 1e-4, 0.01);
    ASSERT_EQ(small.result.status, RunStatus::finished) << scheme;
    EXPECT_LE(static_cast<double>(small.end.summary.newton_sum) / static_cast<double>(small.end.summary.steps), 5.2)
        << scheme;
    const Trajectory large = run_text(text, scheme, 1e-3, 0.01);
    EXPECT_EQ(large.result.status, RunStatus::finished) << scheme;
    EXPECT_LE(large.end.summary.retries, 2) << scheme;  // 21 to 30 without the turning
  }
}

TEST(BodyJoints, BadInputIsTold) {
  const auto error = [](const std::string& joint) -> std::string {
    try {
      read_scenario(rod_on_a_hinge("    x: " + joint + "\n"), "test.yaml");
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using testing::HasSubstr;
  EXPECT_THAT(error("{revolute: [ground, rood]}"), HasSubstr("rood"));
  EXPECT_THAT(error("{revolute: [rod, rod]}"), HasSubstr("with itself"));
  EXPECT_THAT(error("{revolute: [ground, rod], axis: [0, 0, 0]}"), HasSubstr("length zero"));
  EXPECT_THAT(error("{distance: [ground, rod], at: [1, 0, 0]}"), HasSubstr("distance needs it"));
  EXPECT_THAT(error("{distance: [ground, rod], at: [1, 0, 0], to: [1, 0, 0]}"), HasSubstr("coincide"));
  EXPECT_THAT(error("{revolute: [ground, rod], to: [1, 0, 0]}"), HasSubstr("belongs to distance"));
  EXPECT_THAT(error("{revolute: [ground]}"), HasSubstr("revolute"));
}

}  // namespace
}  // namespace ricochet::test::body_joints_test
