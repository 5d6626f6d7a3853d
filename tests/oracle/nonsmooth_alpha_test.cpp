// nonsmooth-alpha: the coupled Newton against the sweeps, its rate, stiff systems; forecasts; the smooth multiplier
// after an impact; the modified scheme that does not rest.
#include <gtest/gtest.h>

#include "ricochet/scheme/pieces/alpha_coupled.hpp"
#include "support/runs.hpp"

namespace ricochet::test::nonsmooth_alpha_test {
namespace {

std::string scheme(const std::string& options) { return "simulation.scheme={name: nonsmooth-alpha, " + options + "}"; }

Trajectory simulate_with(const std::string& name, std::vector<std::string> overrides, const std::string& options) {
  overrides.push_back(scheme(options));
  return simulate(name, overrides);
}

TEST(NonsmoothAlpha, MonolithicAndSequentialFindTheSameSteps) {
  struct Case {
    const char* name;
    std::vector<std::string> overrides;
    double largest;  ///< change of a velocity, so that a run in which nothing happens is no test
  };
  const Case cases[] = {
      {"pendulum", {"step=1e-2", "until=2"}, 1},
      {"rocking-block", {"step=2.3e-3", "until=1"}, 0.3},
      {"rocking-block", {"step=2.3e-3", "until=1", "system.formulas.parameters.mu=0.3"}, 0.3},
      {"bouncing-pendulum", {"step=2.3e-3", "until=1.5"}, 3},
      {"bouncing-pendulum-massless", {"step=2.3e-3", "until=1"}, 3},
      {"elastic-bar-bruls", {"system.bar.elements=10", "step=1.9e-3", "until=1.2"}, 5},
  };
  for (const Case& c : cases) {
    const Trajectory a = simulate_with(c.name, c.overrides, "monolithic: false");
    const Trajectory b = simulate_with(c.name, c.overrides, "monolithic: true");
    ASSERT_EQ(a.result.status, RunStatus::finished) << c.name;
    ASSERT_EQ(b.result.status, RunStatus::finished) << c.name;
    ASSERT_EQ(a.rows.size(), b.rows.size()) << c.name;
    double q = 0, v = 0, moved = 0;
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
      q = std::max(q, (a.rows[k].q - b.rows[k].q).cwiseAbs().maxCoeff());
      v = std::max(v, (a.rows[k].v - b.rows[k].v).cwiseAbs().maxCoeff());
      moved = std::max(moved, (a.rows[k].v - a.rows[0].v).cwiseAbs().maxCoeff());
    }
    EXPECT_LE(q, 1e-9) << c.name;  // measured: 4e-12, the bar
    EXPECT_LE(v, 1e-9) << c.name;  // measured: 1.1e-10, the bar, after 632 steps
    EXPECT_GE(moved, c.largest) << c.name;
    EXPECT_LE(b.end.summary.certificate.penetration, 1e-12) << c.name;
    EXPECT_LE(b.end.summary.certificate.joint_position, 1e-12) << c.name;
  }
}

TEST(NonsmoothAlpha, CoupledNewtonConvergesQuadratically) {
  const Scenario s = load_scenario("pendulum", {scheme("monolithic: true")});
  const auto alpha = make_scheme(s.scheme, s.options);
  State state = begin_run(s.model, *alpha, s.initial).state, next = state;
  Workspace w(s.model);
  const double h = 0.1;  // far from the start of each step
  for (int k = 0; k < 20; ++k) {
    StepReport report;
    alpha->step(s.model, state, h, next, w, report);
    ASSERT_TRUE(report.ok()) << k;
    const std::vector<double>& e = w.of<CoupledAlpha>(s.model).changes;
    ASSERT_GE(e.size(), 3u) << k;
    EXPECT_LE(e.size(), 5u) << k;
    for (std::size_t i = 1; i < e.size(); ++i)  // measured: e+/e^2 <= 1.0 until the differences' 1e-7 e, then that
      EXPECT_LE(e[i], 2 * e[i - 1] * e[i - 1] + 1e-6 * e[i - 1] + 1e-15) << k << ", pass " << i;
    swap(state, next);
  }
}

TEST(NonsmoothAlpha, SweepsOnlyConfirmTheCoupledSolution) {
  // the sweeps would repair a wrong coupled solution: one to fill the multipliers, one that finds nothing to do
  for (const char* name : {"pendulum", "bouncing-ball", "rocking-block", "bouncing-pendulum", "linear-oscillator"}) {
    const Scenario s = load_scenario(name, {scheme("monolithic: true")});
    const auto alpha = make_scheme(s.scheme, s.options);
    State state = begin_run(s.model, *alpha, s.initial).state, next = state;
    Workspace w(s.model);
    int impacts = 0;
    for (int k = 0; k < 600; ++k) {
      StepReport report;
      alpha->step(s.model, state, 2.3e-3, next, w, report);
      ASSERT_TRUE(report.ok()) << name;
      const CoupledAlpha& coupled = w.of<CoupledAlpha>(s.model);
      ASSERT_LE(report.newton, static_cast<int>(coupled.changes.size()) + 1) << name << ", step " << k;
      for (int i = 0; i < w.before->rows.G.rows(); ++i) {
        ASSERT_NEAR(coupled.impulses()[i], w.impulse[i], 1e-10) << name << ", step " << k;
        ASSERT_NEAR(coupled.corrections()[i], w.correction[i], 1e-10) << name << ", step " << k;
      }
      impacts += report.impacts;
      swap(state, next);
    }
    EXPECT_TRUE(impacts > 0 || std::string(name) == "pendulum") << name;
  }
}

TEST(NonsmoothAlpha, MonolithicTakesStiffSystemsInOnePass) {
  // at 2e-6 the sweeps do not contract once the bar touches, and the driver has to halve the step
  const Trajectory a = simulate_with("elastic-bar", {"step=2e-6", "until=4e-5"}, "monolithic: false");
  EXPECT_GT(a.end.summary.retries, 0) << "no longer a case for the coupled form";
  for (const char* step : {"step=2e-6", "step=2e-5"}) {
    const Trajectory b = simulate_with("elastic-bar", {step}, "monolithic: true");
    ASSERT_EQ(b.result.status, RunStatus::finished) << step;
    EXPECT_EQ(b.end.summary.retries, 0) << step;
    // one coupled pass and a sweep that confirms it; two more where the set of active contacts changes
    EXPECT_LE(b.end.summary.newton_max, 5) << step;  // measured: 3
    EXPECT_LE(b.end.summary.newton_sum, 2 * b.end.summary.steps + 10) << step;
    const Certificate& c = b.end.summary.certificate;
    EXPECT_LE(c.penetration, 1e-15) << step;                                   // measured: 6.4e-22
    EXPECT_LE(c.complementarity, 1e-14) << step;                               // measured: 4.4e-16
    EXPECT_LE(c.energy_defect, 1e-11 * b.end.summary.energy_initial) << step;  // measured: 1.5e-15, 3.8e-13
    EXPECT_GT(b.end.summary.impacts, 0) << step;
  }
}

TEST(NonsmoothAlpha, MonolithicStepsDependOnTheStateAlone) {
  for (const char* name : {"bouncing-pendulum", "rocking-block", "linear-oscillator"}) {
    const Scenario s = load_scenario(name, {scheme("monolithic: true")});
    const auto alpha = make_scheme(s.scheme, s.options);
    State a = begin_run(s.model, *alpha, s.initial).state, next = a, other = a;
    Workspace kept(s.model);
    for (int k = 0; k < 600; ++k) {
      StepReport report, again;
      Workspace fresh(s.model);
      alpha->step(s.model, a, 2.3e-3, next, kept, report);
      alpha->step(s.model, a, 2.3e-3, other, fresh, again);
      ASSERT_TRUE(report.ok()) << name;
      ASSERT_TRUE(same_bits(next.q, other.q) && same_bits(next.v, other.v)) << name << ", step " << k;
      swap(a, next);
    }
  }
}

/// First row whose gap is closed, and first with an impulse.
std::pair<std::size_t, std::size_t> first_contact(const Trajectory& run) {
  std::size_t closed = 1, hit = 1;
  while (run.rows[closed].gap[0] > 1e-9) ++closed;
  while (!(run.rows[hit].P[0] > 0)) ++hit;
  return {closed, hit};
}

TEST(NonsmoothAlpha, ForecastsDecideTheStepOfTheImpact) {
  for (double h : {0.0437, 0.0131, 0.00317}) {
    const auto run = [&](const char* options) {
      return simulate_with("bouncing-ball", {set("step", h), "until=1.2"}, options);
    };
    // t = 1 is the impact; the ball comes within reach in the step that contains it
    const auto step = static_cast<std::size_t>(std::ceil(1 / h));
    for (const char* options : {"forecast: smooth", "forecast: end", "forecast: explicit"})
      EXPECT_EQ(first_contact(run(options)).second, step) << options << " " << h;
    const auto [closed, hit] = first_contact(run("forecast: previous"));
    EXPECT_EQ(closed, step) << h;
    EXPECT_EQ(hit, step + 1) << h;  // the gap found closed at its beginning
  }
  // q_n + h v_n lies h^2 above q~ here: an impact late in a step is found by one and not by the other
  const double h = (1 + 1e-4) / 20;
  const auto hit = [&](const char* options) {
    return first_contact(simulate_with("bouncing-ball", {set("step", h), "until=1.2"}, options)).second;
  };
  EXPECT_EQ(hit("forecast: smooth"), 20u);
  EXPECT_EQ(hit("forecast: explicit"), 21u);
}

TEST(NonsmoothAlpha, AllForecastsAreExactAndConverge) {
  const ExactBall exact(1, 2, 0.5);
  for (const char* forecast : {"smooth", "previous", "explicit", "end"})
    for (const char* monolithic : {"false", "true"}) {
      const std::string options = std::string("forecast: ") + forecast + ", monolithic: " + monolithic;
      const bool opens = forecast == std::string("explicit");
      std::vector<double> h, error;
      for (double step : geometric(0.0437, 0.00117, 13)) {
        const Trajectory run = simulate_with("bouncing-ball", {set("step", step), "until=5"}, options);
        ASSERT_EQ(run.result.status, RunStatus::finished) << options;
        double e = 0;
        for (const Row& row : run.rows) e += row.h * std::abs(row.q[0] - exact.q(row.t));
        h.push_back(step);
        error.push_back(e);
        EXPECT_LE(run.end.summary.certificate.penetration, 1e-10) << options;
        // q_n + h v_n leaves out what opens as the step begins; its weight closes it again. Measured at most 1.6 h.
        EXPECT_LE(run.end.summary.certificate.complementarity, opens ? 2 * step : 1e-10) << options;
      }
      EXPECT_GT(fitted_order(h, error), 0.85) << options;  // measured: 0.971, 0.881, 0.983, 1.020
      EXPECT_LT(fitted_order(h, error), 1.15) << options;
      const Trajectory block = simulate_with("rocking-block", {"step=2.3e-3", "until=1.5"}, options);
      EXPECT_EQ(block.result.status, RunStatus::finished) << options;
      EXPECT_LE(block.end.summary.certificate.penetration, 1e-10) << options;
      EXPECT_LE(block.end.summary.certificate.complementarity, opens ? 2.3e-2 : 1e-10) << options;  // 1.8e-2
    }
}

/// lambda~ of the first joint row: at the first impact and in the steps after it.
std::vector<double> smooth_multiplier_after_impact(double rho_inf, std::size_t count) {
  class After final : public Observer {
   public:
    void step(const State&, const State&, const StepReport& r) override {
      double lambda = 0;
      for (const ConstraintReport& c : r.constraints) {
        if (c.candidate->bilateral()) lambda = c.smooth[0];
        hit_ = hit_ || (!c.candidate->bilateral() && c.impulse[0] > 0);
      }
      if (hit_) values.push_back(lambda);
    }
    std::vector<double> values;

   private:
    bool hit_ = false;
  } after;
  const Scenario s = load_scenario("bouncing-pendulum", {"simulation.step=1e-3", "simulation.until=0.55",
                                                         scheme(set("rho_inf", rho_inf).replace(7, 1, ": "))});
  const auto alpha = make_scheme(s.scheme, s.options);
  RunState state = begin_run(s.model, *alpha, s.initial);
  run(s.model, *alpha, state, s.policy, &after);
  EXPECT_GE(after.values.size(), count);
  after.values.resize(count);
  return after.values;
}

TEST(NonsmoothAlpha, SmoothMultiplierAlternatesAfterAnImpactAsRhoSays) {
  const std::vector<double> slow = smooth_multiplier_after_impact(0.8, 20);
  for (std::size_t k = 2; k < slow.size(); ++k) {
    const double before = slow[k - 1] - slow[k - 2], now = slow[k] - slow[k - 1];
    EXPECT_LT(now * before, 0) << "step " << k;                  // alternates
    EXPECT_LT(std::abs(now), std::abs(before)) << "step " << k;  // decays
  }
  const std::vector<double> fast = smooth_multiplier_after_impact(0, 20);
  for (std::size_t k = 7; k < fast.size(); ++k)
    EXPECT_GT((fast[k] - fast[k - 1]) * (fast[k - 1] - fast[k - 2]), 0) << "step " << k;
  EXPECT_LT((fast[2] - fast[1]) * (fast[1] - fast[0]), 0) << "the first steps do alternate";
  // and the alternation itself is gone: no step differs by more than the slow motion does
  EXPECT_LT(std::abs(fast[6] - fast[5]), 0.01 * std::abs(fast[1] - fast[0]));  // measured: 0.0014
}

TEST(NonsmoothAlpha, ModifiedPositionLawStillMovesAfterTheAccumulation) {
  const double rest = ExactBall(0.801, 10, 0.8).rest_time();
  EXPECT_NEAR(rest, 3.60225, 1e-5);
  const auto speed_after = [&](const std::string& name, double h) {
    const Trajectory run = simulate("bouncing-ball-bruls", {"scheme=" + name, set("step", h)});
    EXPECT_EQ(run.result.status, RunStatus::finished);
    EXPECT_LE(run.end.summary.certificate.penetration, 1e-10);
    EXPECT_LE(run.end.summary.certificate.energy_defect, 1e-13);
    double speed = 0;
    for (const Row& row : run.rows)
      if (row.t > rest + 0.2) speed = std::max(speed, std::abs(row.v[0]));
    return speed;
  };
  EXPECT_EQ(find_scheme("nonsmooth-alpha-modified")->info.impact_order, 0);
  for (double h : {2e-3, 1e-3}) {
    EXPECT_LT(speed_after("nonsmooth-alpha", h), 1e-12) << h;          // measured: 3.8e-17
    EXPECT_GT(speed_after("nonsmooth-alpha-modified", h), 0.05) << h;  // measured: 0.187, 0.074
  }
}

}  // namespace
}  // namespace ricochet::test::nonsmooth_alpha_test
