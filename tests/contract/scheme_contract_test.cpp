// What every scheme of the table promises. A new scheme is covered by being in the table; declarations are checked both
// ways. Comparison schemes (impact_order 0) promise determinism and nothing else.
#include <gtest/gtest.h>

#include <cstring>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

struct Example {
  const char* name;
  std::vector<std::string> overrides;
  bool friction = false, rotations = false;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> list = {
      {"bouncing-ball", {"step=0.0097", "until=4"}},
      {"linear-oscillator", {"step=0.0097", "until=2"}},
      {"rocking-block", {"step=2.3e-3", "until=1"}},
      {"rocking-block", {"step=2.3e-3", "until=1", "system.formulas.parameters.mu=0.3"}, true},
      {"bouncing-pendulum", {"step=2.3e-3", "until=1.5"}},
      {"moving-table", {"step=2.3e-3", "until=1"}},
      {"elastic-bar-bruls", {"system.bar.elements=10", "step=1.9e-3", "until=1.2"}},
      {"rigid-box", {"step=1.1e-3", "until=0.69"}, false, true},
  };
  return list;
}

bool same_state(const State& a, const State& b) {
  if (!same_bits(a.t, b.t) || !same_bits(a.t_rest, b.t_rest) || !same_bits(a.h, b.h) || !same_bits(a.q, b.q) ||
      !same_bits(a.v, b.v) || a.memory.size() != b.memory.size() || a.contacts.size() != b.contacts.size())
    return false;
  for (std::size_t i = 0; i < a.memory.size(); ++i)
    if (!same_bits(a.memory[i], b.memory[i])) return false;
  for (std::size_t i = 0; i < a.contacts.size(); ++i)
    if (std::memcmp(&a.contacts[i], &b.contacts[i], sizeof(ContactMemory)) != 0) return false;
  return true;
}

class SchemeContract : public testing::TestWithParam<std::string> {
 protected:
  const SchemeInfo& info() const { return find_scheme(GetParam())->info; }
  bool takes(const Example& e) const { return (info().friction || !e.friction) && (info().rotations || !e.rotations); }
  Scenario scenario(const Example& e, const std::string& options = "") const {
    std::vector<std::string> overrides;
    for (std::string o : e.overrides)
      overrides.push_back(o.rfind("step", 0) == 0 || o.rfind("until", 0) == 0 ? "simulation." + o : o);
    overrides.push_back("simulation.scheme={name: " + GetParam() + options + "}");
    return load_scenario(e.name, overrides);
  }
};

TEST_P(SchemeContract, ThrowingTheWorkspaceAwayChangesNoBit) {
  for (const Example& e : examples()) {
    if (!takes(e)) continue;
    const Scenario s = scenario(e);
    const auto scheme = make_scheme(s.scheme, s.options);
    State a = begin_run(s.model, *scheme, s.initial).state, b = a, next = a;
    Workspace kept(s.model);
    for (int k = 0; k < 300; ++k) {
      StepReport report;
      scheme->step(s.model, a, s.policy.step, next, kept, report);
      if (!report.ok()) break;
      swap(a, next);
      State after = b;
      Workspace fresh(s.model);
      StepReport again;
      scheme->step(s.model, b, s.policy.step, after, fresh, again);
      b = after;
      ASSERT_TRUE(same_state(a, b)) << e.name << ", step " << k;
    }
  }
}

TEST_P(SchemeContract, ARejectedAttemptLeavesNoTrace) {
  for (const Example& e : examples()) {
    if (!takes(e)) continue;
    const Scenario s = scenario(e);
    const auto scheme = make_scheme(s.scheme, s.options);
    State a = begin_run(s.model, *scheme, s.initial).state, b = a, next_a = a, next_b = b;
    Workspace wa(s.model), wb(s.model);
    for (int k = 0; k < 200; ++k) {
      StepReport ra, rb, rejected;
      scheme->step(s.model, a, s.policy.step, next_a, wa, ra);
      State thrown = b;
      scheme->step(s.model, b, 3 * s.policy.step, thrown, wb, rejected);
      scheme->step(s.model, b, s.policy.step, next_b, wb, rb);
      if (!ra.ok()) break;
      swap(a, next_a);
      swap(b, next_b);
      ASSERT_TRUE(same_state(a, b)) << e.name << ", step " << k;
    }
  }
}

TEST_P(SchemeContract, RestartedRunsEndWithTheSameBits) {
  for (const Example& e : examples()) {
    if (!takes(e)) continue;
    Scenario s = scenario(e);
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState whole = begin_run(s.model, *scheme, s.initial), parts = whole;
    run(s.model, *scheme, whole, s.policy, nullptr);
    Policy half = s.policy;
    half.until = parts.t_begin + 37 * half.step;
    run(s.model, *scheme, parts, half, nullptr);
    RunState resumed = parts;  // what a checkpoint holds
    run(s.model, *scheme, resumed, s.policy, nullptr);
    EXPECT_TRUE(same_state(whole.state, resumed.state)) << e.name;
    EXPECT_EQ(whole.summary.steps, resumed.summary.steps);
    EXPECT_TRUE(same_bits(whole.summary.energy.impact, resumed.summary.energy.impact));
  }
}

TEST_P(SchemeContract, ExactAtTheDeclaredLevels) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
  double penetration = 0, joint_position = 0;
  for (const char* tolerance : {"1e-10", "1e-12"}) {
    for (const Example& e : examples()) {
      if (!takes(e)) continue;
      const Scenario s = scenario(e, std::string(", tolerance: ") + tolerance);
      const Trajectory run = simulate(s);
      EXPECT_EQ(run.result.status, RunStatus::finished) << e.name << " " << ricochet::name(run.result.failure.status);
      const Certificate& c = run.end.summary.certificate;
      const double limit = std::atof(tolerance);
      if (info().exact_velocity) {
        EXPECT_LE(c.joint_velocity, limit) << e.name;
        EXPECT_LE(c.complementarity, limit) << e.name;
      }
      if (info().exact_position) {
        EXPECT_LE(c.penetration, limit) << e.name;
        EXPECT_LE(c.joint_position, limit) << e.name;
      }
      penetration = std::max(penetration, c.penetration);
      joint_position = std::max(joint_position, c.joint_position);
    }
  }
  if (!info().exact_position) {
    EXPECT_GT(std::max(penetration, joint_position), 1e-10) << "a promise kept and not made";
  }
}

TEST_P(SchemeContract, OrderOneInL1AcrossImpacts) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
  const ExactBall exact(1, 2, 0.5);
  std::vector<double> h, error;
  for (double step : geometric(0.0437, 0.00117, 31)) {
    const Trajectory run = simulate("bouncing-ball", {"scheme=" + GetParam(), set("step", step), "until=5"});
    double e = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      e += run.rows[k].h * std::abs(run.rows[k].q[0] - exact.q(run.rows[k].t));
    h.push_back(step);
    error.push_back(e);
  }
  if (info().error_controlled) {                                      // whatever the step
    EXPECT_LT(*std::max_element(error.begin(), error.end()), 1e-13);  // measured 1.3e-14
    return;
  }
  const double order = fitted_order(h, error);
  EXPECT_GT(order, info().impact_order == 1 ? 0.8 : info().impact_order - 0.3);
  if (info().impact_order == 1) {
    EXPECT_LT(order, 1.2);
  }
}

TEST_P(SchemeContract, SmoothOrderAsDeclared) {
  // a pendulum, contact-free, against a fine run of the same scheme
  std::vector<double> h, error;
  const Trajectory fine = simulate("pendulum", {"scheme=" + GetParam(), set("step", 1.0 / 12800), "until=1"});
  for (int n : {50, 100, 200, 400}) {
    const Trajectory run = simulate("pendulum", {"scheme=" + GetParam(), set("step", 1.0 / n), "until=1"});
    double e = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      e += (run.rows[k].q - fine.rows[k * 12800 / static_cast<std::size_t>(n)].q).norm() / n;
    h.push_back(1.0 / n);
    error.push_back(e);
  }
  if (info().error_controlled) {
    EXPECT_LT(*std::max_element(error.begin(), error.end()), 5e-14);  // measured 4e-15
    return;
  }
  EXPECT_NEAR(fitted_order(h, error), info().smooth_order, 0.25);
}

TEST_P(SchemeContract, ARestingBlockStaysAtRest) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
  const Trajectory run =
      simulate("rocking-block", {"scheme=" + GetParam(), "initial.position.y=0.75", "initial.position.theta=0",
                                 "initial.velocity={}", "step=1e-2", "until=0.5"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT((run.rows.back().q - run.rows.front().q).norm(), 1e-9);
  EXPECT_LT(run.rows.back().v.norm(), 1e-9);
  EXPECT_NEAR(run.rows.back().P[0] + run.rows.back().P[1], 9.81 * 1e-2, 1e-9);
}

TEST_P(SchemeContract, AStickingBlockDoesNotCreep) {
  if (info().impact_order == 0 || !info().friction) GTEST_SKIP() << "no friction";
  const Trajectory run =
      simulate("block-on-incline", {"scheme=" + GetParam(), "initial.velocity={}", "step=1e-2", "until=5"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(std::abs(run.rows.back().q[0]), 1e-12);
}

TEST_P(SchemeContract, LabelsOfContactsDoNotMatter) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
  // the mirrored block with its corners' names exchanged moves as the mirror image
  const Trajectory a = simulate("rocking-block", {"scheme=" + GetParam(), "step=2.3e-3", "until=0.6"});
  const Trajectory b = simulate("rocking-block", {"scheme=" + GetParam(), "initial.position.theta=-0.2",
                                                  "initial.velocity={theta: -0.2}", "step=2.3e-3", "until=0.6"});
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t k = 0; k < a.rows.size(); ++k) {
    EXPECT_NEAR(a.rows[k].q[1], b.rows[k].q[1], 1e-9);
    EXPECT_NEAR(a.rows[k].q[2], -b.rows[k].q[2], 1e-9);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const SchemeEntry& e : schemes()) out.push_back(e.info.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Table, SchemeContract, testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ricochet::test
