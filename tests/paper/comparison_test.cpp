// Each comparison scheme violates one inequality that the schemes for impacts satisfy, as the papers show.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::comparison_test {
namespace {

double largest_energy(const Trajectory& run) {
  double e = 0;
  for (const Row& r : run.rows) e = std::max(e, r.energy);
  return e;
}

constexpr const char* kSound[] = {"combined", "newmark", "nonsmooth-alpha"};

// bruls-2014 10.1, Figure 5.
TEST(Comparison, SmoothAlphaGainsEnergyAtImpacts) {
  const Trajectory run = simulate("bouncing-ball-bruls", {"scheme=smooth-alpha"});
  EXPECT_GT(largest_energy(run), 5 * run.rows[0].energy);  // measured: 12.8
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
  for (const char* scheme : kSound) {
    const Trajectory sound = simulate("bouncing-ball-bruls", {std::string("scheme=") + scheme});
    EXPECT_LE(largest_energy(sound), sound.rows[0].energy * (1 + 1e-12)) << scheme;
  }
}

// acary-2018, the slides after (67).
TEST(Comparison, NewmarkVelocityBlowsUpForOneHalfAndNotForOne) {
  const auto gain = [](const std::string& scheme) {
    const Trajectory run = simulate("bouncing-ball-lecture", {"scheme=" + scheme, "step=1.03e-3", "until=3"});
    return largest_energy(run) / run.rows[0].energy;
  };
  EXPECT_GT(gain("{name: newmark-velocity, gamma: 0.5}"), 10);  // measured: 62
  EXPECT_LE(gain("{name: newmark-velocity, gamma: 1, alpha: 0}"), 1 + 1e-12);
  for (const char* scheme : kSound) EXPECT_LE(gain(scheme), 1 + 1e-12) << scheme;
}

/// Speed after the first impact over the speed before it, the ball let fall so that the impact lies at `phase` in a
/// step.
double apparent_restitution(const std::string& scheme, double phase, double e) {
  const double h = 1e-3, g = 9.81, t = (450 + phase) * h;
  const Trajectory run = simulate(
      "bouncing-ball-lecture", {"scheme=" + scheme, set("step", h), "until=0.6", set("system.formulas.parameters.e", e),
                                set("initial.position.x", g * t * t / 2)});
  // the flight after the impact: v + g t is constant along it
  const Row& last = run.rows.back();
  return (last.v[0] + g * (last.t - t)) / (g * t);
}

// acary-2018 (65), (66).
TEST(Comparison, RestitutionOfNewmarkPositionDependsOnThePhaseAndNotOnE) {
  for (const char* scheme : {"{name: newmark-position, gamma: 0.5}", "{name: newmark-position, gamma: 1}"}) {
    double low = 1e9, high = -1e9;
    for (double phase = 0.05; phase < 1; phase += 0.1) {
      const double r = apparent_restitution(scheme, phase, 0.9);
      EXPECT_EQ(r, apparent_restitution(scheme, phase, 0.2));
      low = std::min(low, r);
      high = std::max(high, r);
    }
    EXPECT_GT(high - low, 0.3) << scheme;  // measured: 0.40 to 2.80, and 0.30 to 0.90
  }
  for (const char* scheme : kSound)
    for (double e : {0.9, 0.2})
      for (double phase : {0.05, 0.35, 0.65, 0.95})
        EXPECT_NEAR(apparent_restitution(scheme, phase, e), e, 0.01) << scheme << " " << phase;
}

// acary-2012 section 6.2, Figure 11.
TEST(Comparison, TrapezoidalPositionAlternatesTheTipOfTheBar) {
  const auto alternation = [](const std::string& scheme, double& gap) {
    const Trajectory run = simulate("elastic-bar", {"scheme=" + scheme, "step=2e-6"});
    double largest = 0;
    for (std::size_t k = 2; k < run.rows.size(); ++k) {
      const Row &a = run.rows[k - 1], &b = run.rows[k];
      if (a.t < 1e-4 || b.t > 3e-4) continue;  // inside the contact
      largest = std::max(largest, std::abs(b.v[0] - a.v[0]));
      gap = std::max(gap, std::abs(b.gap[0]));
    }
    return largest;
  };
  double gap = 0;
  const double tip = alternation("trapezoidal-position", gap);
  EXPECT_GT(tip, 0.3 * 0.1);  // measured: 0.131
  EXPECT_LT(gap, 1e-12);
  for (const char* scheme : {"combined", "newmark", "generalized-alpha"}) {
    gap = 0;
    EXPECT_LT(alternation(scheme, gap), 1e-10) << scheme;
  }
}

// bruls-2014 (27): the accumulation is at 3.60225 s.
TEST(Comparison, ModifiedPositionLawMovesAfterTheAccumulation) {
  const auto fastest = [](const std::string& scheme) {
    const Trajectory run = simulate("bouncing-ball-bruls", {"scheme=" + scheme, "step=2e-3"});
    double v = 0;
    for (const Row& r : run.rows)
      if (r.t > 3.60225 + 0.2) v = std::max(v, std::abs(r.v[0]));
    return v;
  };
  EXPECT_GT(fastest("nonsmooth-alpha-modified"), 0.05);  // measured: 0.187
  for (const char* scheme : {"combined", "nonsmooth-alpha"}) EXPECT_LT(fastest(scheme), 1e-9) << scheme;
}

TEST(Comparison, TheirLedgersCloseAllTheSame) {
  for (const char* scheme : {"smooth-alpha", "newmark-position", "newmark-velocity", "trapezoidal-position"}) {
    const Trajectory run =
        simulate("linear-oscillator", {std::string("scheme=") + scheme, "until=2", "system.formulas.parameters.c=0.5"});
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    double open = 0;
    for (const Row& r : run.rows)
      open = std::max({open, std::abs(r.ledger.defect), std::abs(r.ledger.nonlinear_remainder)});
    EXPECT_LT(open, 1e-14 * run.end.summary.magnitude_max) << scheme;  // measured: 2.3e-16
    EXPECT_NE(run.end.summary.energy.impact, 0) << scheme;
  }
}

}  // namespace
}  // namespace ricochet::test::comparison_test
