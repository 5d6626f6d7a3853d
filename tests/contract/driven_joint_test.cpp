// A joint that depends on t is driven from outside: its work, the multiplier times -dg/dt, is external in every scheme,
// and the joint itself does none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/problems.hpp"
#include "support/runs.hpp"
#include "support/schemes.hpp"

namespace ricochet::test::driven_joint_test {
namespace {

class DrivenJoint : public ::testing::TestWithParam<std::string> {
 protected:
  const SchemeInfo& info() const { return find_scheme(GetParam())->info; }
  Trajectory simulated(Scenario s, double step) const {
    s.scheme = GetParam();
    s.options = {};
    s.policy.step = step;
    return simulate(s);
  }
  /// Of a work of size 1: what a step of h leaves.
  double allowed(double h) const {
    return info().error_controlled ? 1e-8 : std::pow(h, std::min(info().smooth_order, 2));
  }
};

// x = 0.1 sin 5t against a spring and a damper: the driver's work is that of all forces on the known motion.
TEST_P(DrivenJoint, WorkOfTheDriverInClosedForm) {
  const double m = 2, k = 30, c = 0.7, a = 0.1, w = 5, until = 0.95;
  const auto driven = [&](double step) {
    return simulated(read_scenario(R"(
system:
  formulas:
    coordinates: [x]
    kinetic: x'^2
    potential: 30/2*x^2
    forces: {x: -0.7*x'}
    joints: {d: x - 0.1*sin(5*t)}
initial: {velocity: {x: 0.5}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 0.95}
)",
                                   "driven"),
                     step);
  };
  const double x = a * std::sin(w * until), v = a * w * std::cos(w * until), v0 = a * w;
  const double squares = a * a * w * w * (until / 2 + std::sin(2 * w * until) / (4 * w));  // of v over time
  const double work = m / 2 * (v * v - v0 * v0) + k / 2 * x * x + c * squares;
  const double h = 1e-3;
  const Trajectory run = driven(h);
  ASSERT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
  const EnergyLedger& e = run.end.summary.energy;
  // measured, of h or h^2: at most 4 (galerkin-0, schatzman-paoli, generalized-alpha-kh: order 1), 3 (order 2)
  EXPECT_NEAR(e.external, work, 10 * allowed(h));
  EXPECT_NEAR(e.joints, 0, info().exact_velocity ? 1e-10 : 10 * allowed(h));
  EXPECT_NEAR(e.damping, -c * squares, 10 * allowed(h));
  if (info().smooth_order < 2) return;
  const EnergyLedger& fine = driven(h / 4).end.summary.energy;
  EXPECT_LE(std::abs(fine.external - work), 0.15 * std::abs(e.external - work) + 1e-8);
}

// drive.yaml: a driven mass and nothing else; its energy rises because it is driven.
TEST_P(DrivenJoint, NoGainIsNotedThatIsNone) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  const Trajectory run = simulated(load_scenario((test::data_folder() / "found" / "drive.yaml").string()), 1e-3);
  ASSERT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
  const Summary& s = run.end.summary;
  EXPECT_NEAR(s.energy.joints, 0, info().exact_velocity ? 1e-12 : 10 * allowed(1e-3));
  const double change = run.rows.back().energy - run.rows.front().energy;
  EXPECT_NEAR(s.energy.external, change, 10 * allowed(1e-3));
  // the driver gives up to 6e-4 J a step; measured at most 5.8e-7 (smooth-alpha: the dissipation of rho_inf at work)
  EXPECT_LE(s.energy_gain_max, info().smooth_order < 2 ? 1e-5 : 1e-6);
}

// A pendulum whose pivot moves: rows that turn and move. What the pivot gives is what the pendulum gains.
TEST_P(DrivenJoint, AMovingPivotWorksFromOutside) {
  Scenario s = read_scenario(R"(
system:
  formulas:
    coordinates: [x, y]
    kinetic: x'^2/2 + y'^2/2
    potential: 9.81*y
    joints: {rod: (x - 0.2*sin(3*t))^2 + y^2 - 1}
initial: {position: {x: 0, y: -1}, velocity: {x: 0.6}}
simulation: {scheme: moreau-jean, step: 1e-3, until: 1.3}
)",
                             "pivot");
  const double h = 1e-3;
  const Trajectory run = simulated(std::move(s), h);
  ASSERT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
  const EnergyLedger& e = run.end.summary.energy;
  const double change = run.rows.back().energy - run.rows.front().energy;
  ASSERT_GT(std::abs(change), 0.3);
  EXPECT_NEAR(e.external, change, 20 * allowed(h));
  EXPECT_NEAR(e.joints, 0, 20 * allowed(h));
}

INSTANTIATE_TEST_SUITE_P(Table, DrivenJoint, ::testing::ValuesIn(scheme_names()), scheme_test_name);

}  // namespace
}  // namespace ricochet::test::driven_joint_test
