// Step control: what a tolerance buys, what it costs, and that attempts leave no trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "ricochet/math/input_error.hpp"
#include "support/references.hpp"

namespace ricochet::test::adaptive_test {
namespace {

struct Outcome {
  double error = 0;
  Trajectory run;
  std::int64_t work() const { return run.end.summary.solves + run.end.summary.rehearsal_solves; }
};

Outcome outcome(const std::string& name, const std::string& scheme, const std::string& step) {
  Outcome out;
  out.run = simulate(name, {"scheme=" + scheme, "step=" + step});
  out.error = l1_error(out.run, known_motion(name));
  return out;
}

// The references against each other and against what is known of them.
TEST(Reference, OneDegreeOfFreedomIsTheBall) {
  OneDegree body;
  body.acceleration = [](double) { return -2.0; };
  body.height = body.height_rate = [](double) { return 0.0; };
  body.e = 0.5;
  body.x = 1;
  const Motion exact = known_motion("bouncing-ball");
  for (double t = 0; t < 4; t += 0.0137) EXPECT_NEAR(body.at(t), exact(t)[0], 1e-12) << t;  // measured 2e-14
  const Motion roller = known_motion("slider-and-roller");
  const ExactBall ball(1, 9.81, 0.5);
  for (double t = 0; t < 4; t += 0.0137) EXPECT_NEAR(roller(t)[0], ball.q(t), 1e-12) << t;
}

// The work of fixed steps at an error, from runs over a range of steps: the least that any of them needed.
double fixed_work(const std::vector<Outcome>& runs, double error) {
  double least = INFINITY;
  for (const Outcome& o : runs)
    if (o.error <= error) least = std::min(least, static_cast<double>(o.run.end.summary.solves));
  return least;
}

TEST(PrecisionWork, AdaptiveStepsBeatFixedOnesAtEqualError) {
  for (const std::string name : {"bouncing-ball", "linear-oscillator"}) {
    for (const std::string scheme : {"combined", "moreau-jean"}) {
      std::vector<Outcome> fixed;
      for (double h : geometric(1.3e-1, 1.3e-4, 13)) fixed.push_back(outcome(name, scheme, fmt::format("{}", h)));
      for (const std::string order : {"0", "variable"}) {
        for (double atol : {1e-2, 1e-3, 1e-4}) {
          const Outcome o =
              outcome(name, scheme, fmt::format("{{control: both, order: {}, atol: {}, rtol: 0}}", order, atol));
          ASSERT_EQ(o.run.result.status, RunStatus::finished);
          EXPECT_LT(static_cast<double>(o.work()), fixed_work(fixed, o.error))
              << name << ' ' << scheme << " order " << order << " atol " << atol << " error " << o.error;
          RecordProperty(name + scheme + order + fmt::format("{}", atol),
                         fmt::format("error {:.2e} work {} fixed {}", o.error, o.work(), fixed_work(fixed, o.error)));
        }
      }
    }
  }
}

// Every scheme of the table that converges across impacts, as a black box.
TEST(StepControl, AnySchemeOfTheTable) {
  for (const SchemeEntry& entry : schemes()) {
    if (entry.info.impact_order == 0 || entry.info.error_controlled) continue;
    if (!entry.info.exact_velocity) {  // an impact takes it several steps of one size
      EXPECT_THROW(outcome("linear-oscillator", entry.info.name, "half-step"), ricochet::InputError) << entry.info.name;
      continue;
    }
    double before = INFINITY;
    for (double atol : {1e-2, 1e-4}) {
      const Outcome o =
          outcome("linear-oscillator", entry.info.name, fmt::format("{{control: both, atol: {}, rtol: 0}}", atol));
      ASSERT_EQ(o.run.result.status, RunStatus::finished) << entry.info.name;
      EXPECT_EQ(o.run.rows.back().t, 5) << entry.info.name;
      EXPECT_LT(o.error, 0.2 * before) << entry.info.name << ' ' << atol;
      before = o.error;
    }
    EXPECT_LT(before, 2e-2) << entry.info.name;  // measured 2e-4 (mannshardt) to 1.02e-2 (projected)
  }
}

// The accepted half steps, repeated by hand in a fresh workspace, are the same bits: no attempt left a trace.
TEST(StepControl, AttemptsLeaveNoTrace) {
  for (const std::string scheme : {"combined", "moreau-jean", "nonsmooth-alpha"}) {
    const Scenario s = load_scenario("bouncing-pendulum", {"simulation.scheme=" + scheme, "simulation.until=1.5",
                                                           "simulation.step={control: both, atol: 1e-3}"});
    const Trajectory run = simulate(s);
    ASSERT_GT(run.end.summary.rejected, 5);
    const auto made = make_scheme(s.scheme, s.options);
    RunState start = begin_run(s.model, *made, s.initial);
    State state = start.state, next = start.state;
    Workspace w(s.model);
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      StepReport report;
      made->step(s.model, state, run.rows[k].h, next, w, report);
      ASSERT_TRUE(report.ok());
      ASSERT_EQ(next.q, run.rows[k].q) << scheme << " row " << k;
      ASSERT_EQ(next.v, run.rows[k].v) << scheme << " row " << k;
      swap(state, next);
    }
  }
}

class Stopper final : public Observer {
 public:
  explicit Stopper(std::int64_t after) : left_(after) {}
  void step(const State&, const State&, const StepReport&) override {}
  bool grid_step(const RunState&) override { return --left_ > 0; }

 private:
  std::int64_t left_;
};

TEST(StepControl, StoppedAndContinuedIsTheSame) {
  const Scenario s = load_scenario("rocking-block", {"simulation.scheme=auto", "simulation.step=auto"});
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState whole = begin_run(s.model, *scheme, s.initial), parts = whole;
  ASSERT_EQ(run(s.model, *scheme, whole, s.policy, nullptr).status, RunStatus::finished);
  int stops = 0;
  for (;; ++stops) {
    Stopper stopper(37);
    if (run(s.model, *scheme, parts, s.policy, &stopper).status == RunStatus::finished) break;
  }
  EXPECT_GT(stops, 4);
  EXPECT_EQ(whole.state.q, parts.state.q);
  EXPECT_EQ(whole.state.v, parts.state.v);
  EXPECT_EQ(whole.summary.solves, parts.summary.solves);
  EXPECT_EQ(whole.summary.rejected, parts.summary.rejected);
  EXPECT_EQ(whole.summary.rehearsal_solves, parts.summary.rehearsal_solves);
  EXPECT_EQ(whole.state.t, 2);
}

// A run whose last step was cut, continued to a later time, is the long run.
class Tail final : public Observer {
 public:
  void step(const State&, const State&, const StepReport&) override {}
  void tail(const RunState& run) override { state = run; }
  RunState state;
};

TEST(StepControl, CutStepsAreForgottenByARunThatGoesOn) {
  for (const std::string step : {"1.3e-3", "{control: both, atol: 1e-4, initial: 1e-3, largest: 0.1, floor: 1e-10}"}) {
    const auto scenario = [&](double until) {
      return load_scenario("bouncing-ball",
                           {"simulation.scheme=combined", "simulation.step=" + step, set("simulation.until", until)});
    };
    const Scenario small = scenario(1.4142), large = scenario(2.5);
    const auto scheme = make_scheme(small.scheme, small.options);
    RunState part = begin_run(small.model, *scheme, small.initial), whole = part;
    Tail tail;
    run(small.model, *scheme, part, small.policy, &tail);
    ASSERT_GT(tail.state.step, 10);
    ASSERT_NEAR(part.state.t, 1.4142, 1e-15);
    run(large.model, *scheme, tail.state, large.policy, nullptr);
    run(large.model, *scheme, whole, large.policy, nullptr);
    EXPECT_EQ(whole.state.q, tail.state.state.q);
    EXPECT_EQ(whole.state.v, tail.state.state.v);
    EXPECT_EQ(whole.summary.solves, tail.state.summary.solves);
  }
}

TEST(StepControl, FloorIsNeverPassedSilently) {
  const std::string floor = "{control: half-step, atol: 1e-6, rtol: 0, floor: 1e-4, at_floor: ";
  const Trajectory accepted = simulate("bouncing-ball", {"scheme=combined", "step=" + floor + "accept}"});
  EXPECT_EQ(accepted.result.status, RunStatus::finished);
  EXPECT_GT(accepted.end.summary.floor_hits, 0);
  EXPECT_GE(accepted.end.summary.step_smallest, 1e-4);
  ASSERT_TRUE(accepted.result.limit.has_value());
  EXPECT_EQ(accepted.result.limit->item, 0);
  EXPECT_NEAR(accepted.result.limit->t, 1, 1e-3);
  EXPECT_GT(accepted.result.limit->error, 1);

  const Trajectory stopped = simulate("bouncing-ball", {"scheme=combined", "step=" + floor + "stop}"});
  EXPECT_EQ(stopped.result.status, RunStatus::failed);
  ASSERT_TRUE(stopped.result.limit.has_value());
  EXPECT_EQ(stopped.rows.back().t, stopped.result.failed_at);
  EXPECT_NEAR(stopped.result.failed_at, 1, 1e-3);
}

TEST(StepControl, ViolationStaysBelowItsTolerance) {
  const double loose =
      simulate("bouncing-ball", {"scheme=moreau-jean", "step=0.05"}).end.summary.certificate.penetration;
  for (double atol : {1e-3, 1e-5}) {
    const Trajectory run =
        simulate("bouncing-ball", {"scheme=moreau-jean", fmt::format("step={{control: violation, atol: {}}}", atol)});
    ASSERT_EQ(run.result.status, RunStatus::finished);
    EXPECT_EQ(run.end.summary.floor_hits, 0);
    EXPECT_LE(run.end.summary.certificate.penetration, 2 * atol);  // measured 1.29, 1.40: rises that came together
    EXPECT_GT(loose, 10 * atol);
  }
}

// Factors of linear systems are found again: few sizes, each a power of two times the first.
TEST(StepControl, StepsRepeat) {
  const Trajectory run = simulate("linear-oscillator", {"scheme=combined", "step={control: half-step, atol: 1e-5}"});
  std::set<double> sizes;
  for (const Row& row : run.rows) sizes.insert(row.h);
  EXPECT_GT(run.rows.size(), 500u);
  EXPECT_LT(sizes.size(), 30u);
}

}  // namespace
}  // namespace ricochet::test::adaptive_test
