// The ledger of random linear systems closes to round-off, scheme by scheme: damping, time-dependent load, several
// contacts, theta, e and rho_inf over their ranges. The entries are computed apart from each other, so a wrong sign or
// a missing term shows: see theta.hpp and alpha.hpp for the identities.
#include <gtest/gtest.h>

#include "support/random_linear.hpp"

namespace ricochet::test::energy_identity_test {
namespace {

TEST(EnergyIdentity, MoreauJeanOnRandomLinearSystems) {
  std::mt19937 random(20141);
  std::uniform_real_distribution<double> uniform(0, 1);
  int with_impacts = 0;
  for (int k = 0; k < 40; ++k) {
    Scenario s = random_system(random, k % 2 == 1);
    s.scheme = "moreau-jean";
    const double theta = uniform(random);
    s.options["theta"] = theta;
    if (theta < 0.5) s.policy.until = 60 * s.policy.step;  // unstable: the identity holds as long as numbers are finite
    s.options["forecast"] = std::string(k % 3 == 0 ? "energy-safe" : k % 3 == 1 ? "explicit" : "free");
    with_impacts += expect_closed(simulate(s), 1e-12, "case " + std::to_string(k));
  }
  EXPECT_GT(with_impacts, 30);
}

// Sequential sweeps stop at the Newton tolerance, and what they leave is the defect: measured 1.2e-12.
TEST(EnergyIdentity, NonsmoothAlphaOnRandomLinearSystems) {
  std::mt19937 random(20142);
  std::uniform_real_distribution<double> uniform(0, 1);
  int with_impacts = 0;
  for (int k = 0; k < 40; ++k) {
    Scenario s = random_system(random, k % 2 == 1);
    s.scheme = "nonsmooth-alpha";
    s.options["rho_inf"] = uniform(random);
    s.options["max_newton"] = 500.0;
    s.options["forecast"] = std::string("end");  // holds every closed contact
    with_impacts += expect_closed(simulate(s), 1e-11, "case " + std::to_string(k));
  }
  EXPECT_GT(with_impacts, 30);
}

// Proposition 1 of the energy report: with the energy-safe forecast and 1/2 <= theta <= 1/(1+e) nothing is gained.
TEST(EnergyIdentity, EnergySafeForecastDissipates) {
  std::mt19937 random(20143);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 60; ++k) {
    const double e_max = uniform(random);
    Scenario s = random_system(random, false, e_max);
    s.scheme = "moreau-jean";
    s.options["theta"] = 0.5 + (1 / (1 + e_max) - 0.5) * uniform(random);
    s.options["forecast"] = std::string("energy-safe");
    const Trajectory run = simulate(s);
    ASSERT_EQ(run.result.status, RunStatus::finished);
    double impulse = 0;
    for (const Row& r : run.rows)
      for (double P : r.P) impulse = std::max(impulse, P);
    for (std::size_t i = 1; i < run.rows.size(); ++i) {
      const EnergyLedger& e = run.rows[i].ledger;
      // activation tolerance times impulse, and round-off
      EXPECT_LE(e.change(), e.external + e.damping + 1e-9 * impulse + 1e-12 * run.end.summary.magnitude_max)
          << "case " << k << ", step " << i;
      EXPECT_LE(e.damping, 0);
    }
  }
}

// The column of nonlinear systems: it vanishes with the order of the scheme and stays out of the defect.
TEST(EnergyIdentity, NonlinearRemainderVanishesWithTheOrder) {
  std::vector<double> h, remainder;
  for (double step : geometric(4e-2, 2.5e-3, 6)) {
    const Trajectory run = simulate("pendulum", {"scheme=moreau-jean", set("step", step), "until=1"});
    double sum = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k) sum += std::abs(run.rows[k].ledger.nonlinear_remainder);
    h.push_back(step);
    remainder.push_back(sum);
    EXPECT_LT(run.end.summary.certificate.energy_defect, 1e-11);
  }
  EXPECT_NEAR(fitted_order(h, remainder), 2, 0.3);
}

}  // namespace
}  // namespace ricochet::test::energy_identity_test
