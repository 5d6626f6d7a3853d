// acary-2012 with Algorithms 1 and 2: Table 3 of the slider-crank, the elastic bar of Table 1.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

struct Counts {
  double sets, projections, penetration, tilt, revolutions;
};

/// Steps one by one: at h = 1e-6 the trajectory need not be kept.
Counts slider_crank(const std::string& scheme, double h) {
  class Watch final : public Observer {
   public:
    void step(const State&, const State& after, const StepReport&) override { tilt = std::max(tilt, std::abs(after.q[2])); }
    double tilt = 0;
  } watch;
  const Scenario s = load_scenario("slider-crank", {"simulation.scheme=" + scheme, set("simulation.step", h)});
  const auto made = make_scheme(s.scheme, s.options);
  RunState state = begin_run(s.model, *made, s.initial);
  EXPECT_EQ(run(s.model, *made, state, s.policy, &watch).status, RunStatus::finished) << scheme << " h " << h;
  EXPECT_EQ(state.summary.retries, 0);
  const auto n = static_cast<double>(state.summary.steps);
  return {static_cast<double>(state.summary.activation_sum) / n, static_cast<double>(state.summary.projection_sum) / n,
          state.summary.certificate.penetration, watch.tilt, state.state.q[0] / (2 * M_PI)};
}

struct Published {
  double h, sets, projections, sets_within, projections_within;
};

// Measured: 1.1595, 0.203;  1.1281, 0.0202;  1.1252, 0.00037.
TEST(Table3, IndexSetsAndProjectionsOfAlgorithm2) {
  for (const Published& p : {Published{1e-4, 1.18, 0.20, 0.30, 0.30}, Published{1e-5, 1.127, 0.019, 0.03, 0.15},
                             Published{1e-6, 1.12, 0.00036, 0.03, 0.15}}) {
    const Counts c = slider_crank("combined", p.h);
    EXPECT_NEAR(c.sets, p.sets, p.sets_within * p.sets) << p.h;
    EXPECT_NEAR(c.projections, p.projections, p.projections_within * p.projections) << p.h;
    EXPECT_LE(c.penetration, 1e-10) << p.h;
    EXPECT_LT(c.tilt, 1e-9) << p.h;
  }
}

TEST(Table3, ViolationOfAlgorithm1) {
  for (double h : {1e-4, 1e-5}) {
    const Counts c = slider_crank("projected", h);
    EXPECT_LE(c.penetration, 1e-10) << h;
    EXPECT_GT(c.projections, 0.01) << h;
    EXPECT_LT(c.tilt, 1e-9) << h;
  }
}

TEST(SliderCrank, SchemesAgreeOnTheRevolutions) {
  const double reference = slider_crank("combined", 1e-6).revolutions;  // 2.8780
  for (const char* scheme : {"moreau-jean", "moreau-jean-midpoint", "projected", "{name: projected, metric: mass}",
                             "{name: projected, forecast: free}", "combined", "{name: combined, metric: mass}"})
    EXPECT_NEAR(slider_crank(scheme, 1e-5).revolutions, reference, 1e-3) << scheme;  // measured within 1.5e-4
}

struct Bar {
  double duration = 0, force = 0, ripple = 0, penetration = 0, energy_loss = 0;
};

Bar elastic_bar(const std::string& scheme, double h, double elements = 1000) {
  const double length = 2 / std::sqrt(210e9 / 7800);
  const Trajectory run = simulate("elastic-bar", {"scheme=" + scheme, set("step", h), set("system.bar.elements", elements)});
  EXPECT_EQ(run.result.status, RunStatus::finished) << scheme;
  Bar bar;
  double first = 0, last = 0, impulse = 0, time = 0, largest = 0, least = 1e300;
  for (const Row& r : run.rows) {
    if (r.P.empty() || !(r.P[0] > 0)) continue;
    if (first == 0) first = r.t;
    last = r.t;
    if (r.t < first + 0.1 * length || r.t > first + 0.9 * length) continue;
    impulse += r.P[0];
    time += r.h;
    if (r.t < first + 0.5 * length) continue;  // the ripple behind the front has died out where it dies out
    largest = std::max(largest, r.P[0] / r.h);
    least = std::min(least, r.P[0] / r.h);
  }
  bar.duration = last - first;
  bar.force = impulse / time;
  bar.ripple = (largest - least) / bar.force;
  bar.penetration = run.end.summary.certificate.penetration;
  bar.energy_loss = 1 - run.rows.back().energy / run.rows.front().energy;
  return bar;
}

TEST(ElasticBarCombined, ContactTimeForceAndNoPenetration) {
  const double c0 = std::sqrt(210e9 / 7800), duration = 2 / c0, force = 210e9 * M_PI * 1e-4 * 0.1 / c0, h = 2e-6;
  for (const char* scheme : {"combined", "{name: combined, metric: mass}"}) {
    const Bar bar = elastic_bar(scheme, h);
    EXPECT_NEAR(bar.duration, duration, 2 * h) << scheme;
    EXPECT_NEAR(bar.force, force, 1e-3 * force) << scheme;
    EXPECT_LE(bar.penetration, 1e-15) << scheme;
  }
  EXPECT_GT(elastic_bar("moreau-jean", h).penetration, 1e-7);
}

}  // namespace
}  // namespace ricochet::test
