// The forecast rules of Moreau-Jean, and why the implicit ones of Remark 4 (acary-2012) are comparisons only.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::forecast_test {
namespace {

TEST(Forecast, ImplicitRulesCycle) {
  for (const char* rule : {"implicit", "semi-implicit"}) {
    const Trajectory run = simulate("bouncing-ball", {std::string("scheme={name: moreau-jean, forecast: ") + rule + "}",
                                                      "step=0.0437", "simulation.max_halvings=0"});
    EXPECT_EQ(run.result.status, RunStatus::failed) << rule;
    EXPECT_EQ(run.result.failure.status, StepStatus::activation_cycle) << rule;
    EXPECT_GT(run.end.summary.failures[static_cast<std::size_t>(StepStatus::activation_cycle)], 0) << rule;
    EXPECT_NEAR(run.end.state.t, 1, 0.05) << rule;  // the first impact: activating takes its own reason away
  }
}

TEST(Forecast, RestIsReachedByEveryConvergentRule) {
  // not energy-safe: with e > 0 its condition U_k <= 0 lets a rebound of order h alternate with a fall for ever
  for (const char* rule : {"forecast: explicit, gamma: 0", "forecast: explicit, gamma: 1", "forecast: free"}) {
    const Trajectory run =
        simulate("bouncing-ball", {std::string("scheme={name: moreau-jean, ") + rule + "}", "step=0.0097", "until=5"});
    ASSERT_EQ(run.result.status, RunStatus::finished) << rule;
    const Row& resting = run.rows[run.rows.size() - 2];  // the last step is a shorter one
    EXPECT_NEAR(resting.v[0], 0, 1e-12) << rule;
    EXPECT_NEAR(resting.P[0], 2 * 0.0097, 1e-12) << rule;
    EXPECT_NEAR(resting.q[0], 0, 2e-2) << rule;
  }
}

TEST(Forecast, CollocatedFormConvergesAsWell) {
  const ExactBall exact(1, 2, 0.5);
  std::vector<double> h, error;
  for (double step : geometric(0.0437, 0.00117, 13)) {
    const Trajectory run = simulate(
        "bouncing-ball", {"scheme={name: moreau-jean, form: collocated, rho_inf: 0.8}", set("step", step), "until=5"});
    double e = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      e += run.rows[k].h * std::abs(run.rows[k].q[0] - exact.q(run.rows[k].t));
    h.push_back(step);
    error.push_back(e);
    for (std::size_t k = 1; k < run.rows.size(); ++k) EXPECT_LT(std::abs(run.rows[k].ledger.defect), 1e-12);
  }
  EXPECT_NEAR(fitted_order(h, error), 1, 0.2);
  // on linear dynamics with theta = 1/2 both forms are the trapezoidal rule
  const Trajectory a = simulate("linear-oscillator", {"scheme={name: moreau-jean, form: collocated}", "step=0.0013"});
  const Trajectory b = simulate("linear-oscillator", {"scheme=moreau-jean", "step=0.0013"});
  ASSERT_EQ(a.rows.size(), b.rows.size());
  double difference = 0;
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    difference = std::max(difference, std::abs(a.rows[k].q[0] - b.rows[k].q[0]));
  EXPECT_LT(difference, 0.02);
}

}  // namespace
}  // namespace ricochet::test::forecast_test
