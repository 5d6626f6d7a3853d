// cosimo-2020 section 4.3: a beam of eight elements falls about its end and hits a wall with its tip, e = 0. The
// lecture's rotating beam (acary-2018, Figure 10) is printed without parameters; it is taken for the same.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::cosimo_pendulum_test {
namespace {

constexpr Index kTip = 25;  // y of the ninth node

/// The most passes that the sub-problems of a step took, and the tip.
class Passes final : public Observer {
 public:
  void step(const State&, const State& after, const StepReport& r) override {
    position = std::max(position, r.projections);
    others = std::max(others, r.newton - r.projections);
    tip.push_back(after.q[kTip]);
    double gap = 1;
    for (const ConstraintReport& c : r.constraints) gap = c.g[0];  // the contact is the last
    if (first < 0 && gap <= 1e-9) first = after.t;
  }
  int position = 0, others = 0;
  double first = -1;  ///< time of the first contact
  std::vector<double> tip;
};

struct Fall {
  RunState end;
  RunResult result;
  Passes passes;
};

Fall pendulum(const std::string& scheme, double h) {
  const Scenario s =
      load_scenario("flexible-pendulum", {"simulation.scheme={name: " + scheme + "}", set("simulation.step", h)});
  Fall out;
  const auto made = make_scheme(s.scheme, s.options);
  out.end = begin_run(s.model, *made, s.initial);
  out.result = run(s.model, *made, out.end, s.policy, &out.passes);
  return out;
}

/// (52) of the tip's y; every run's steps are multiples of the reference's.
double error(const Fall& run, const Fall& reference) {
  const std::size_t every = reference.passes.tip.size() / run.passes.tip.size();
  double difference = 0, sum = 0;
  for (std::size_t k = 0; k < run.passes.tip.size(); ++k) {
    const double exact = reference.passes.tip[every * (k + 1) - 1];
    difference += std::abs(run.passes.tip[k] - exact);
    sum += std::abs(exact);
  }
  return difference / sum;
}

// Figures 7(b) and 8: the decoupled scheme takes few iterations at every step, and the displacement converges with
// order one. Below 2e-4 s the micro-impacts of e = 0 leave a floor of 3e-5.
TEST(CosimoPendulum, DecoupledTakesFewIterations) {
  const std::string scheme = "decoupled-alpha, rho_inf: 0.8, tolerance: 1e-5";
  const Fall reference = pendulum(scheme, 1e-5);
  std::vector<double> steps, errors;
  for (const double h : {1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3}) {
    const Fall run = h == 1e-5 ? Fall() : pendulum(scheme, h);
    const Fall& r = h == 1e-5 ? reference : run;
    ASSERT_EQ(r.result.status, RunStatus::finished) << h;
    EXPECT_EQ(r.end.summary.retries, 0) << h;
    EXPECT_GE(r.end.summary.impacts, 1) << h;
    // measured for the whole step: 4 4 5 7 9 9 9 10; every sub-problem takes one at least, since there is a joint
    EXPECT_LE(r.passes.position, 6) << h;
    EXPECT_LE(r.passes.others, 6 + 1) << h;
    if (h > 4e-4) {
      steps.push_back(h);
      errors.push_back(error(r, reference));
    }
  }
  EXPECT_GT(fitted_order(steps, errors), 0.9);  // measured: 1.07
}

// The program's own tolerance, 1e-10, is below what places known to 1e-15 m leave of velocities over 2e-5 s; once 2166
// steps of this run were repeated in halves, which only made it worse, and it ended at 0.186 s.
TEST(CosimoPendulum, RoundingOfPlacesIsNoReasonToFail) {
  const Scenario s = load_scenario("flexible-pendulum", {"simulation.scheme={name: decoupled-alpha, rho_inf: 0.8}",
                                                         "simulation.step=2e-5", "simulation.until=0.2"});
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.retries, 0);
  EXPECT_LE(run.end.summary.newton_max, 12);  // measured 9
}

// Figure 8(b): sweeps of the sequential scheme grow with the step. The authors gave up at the three largest steps; the
// contraction is slow there, but it is one.
TEST(CosimoPendulum, SequentialNeedsMoreSweepsAsTheStepGrows) {
  long long before = 0;
  for (const double h : {1e-5, 1e-4, 5e-4, 1e-3, 2e-3}) {
    const Fall run =
        pendulum("nonsmooth-alpha, rho_inf: 0.8, criterion: relative, tol_r: 1e-5, tol_f: 1e-5, max_newton: 100", h);
    ASSERT_EQ(run.result.status, RunStatus::finished) << h;
    EXPECT_GT(run.end.summary.newton_max, before) << h;  // measured: 5 17 31 44 81
    before = run.end.summary.newton_max;
  }
  EXPECT_GT(before, 50);
}

// (51) ends the Newton loop of the smooth motion earlier; what is left of its dynamics is taken by the jump. A demand
// at rounding gives the steps of the tolerance.
TEST(CosimoPendulum, DecoupledByTheRelativeCriterion) {
  const std::string decoupled = "decoupled-alpha";
  const Fall full = pendulum(decoupled, 1e-3), early = pendulum(decoupled + ", criterion: relative, tol_r: 1e-3", 1e-3),
             late = pendulum(decoupled + ", criterion: relative, tol_r: 1e-14", 1e-3);
  for (const Fall* run : {&full, &early, &late}) ASSERT_EQ(run->result.status, RunStatus::finished);
  EXPECT_LT(10 * early.end.summary.newton_sum, 9 * full.end.summary.newton_sum);
  EXPECT_LT(error(early, full), 1e-4);
  EXPECT_GT(error(early, full), 1e-12);
  EXPECT_LE(early.end.summary.certificate.joint_position, 1e-10);
  EXPECT_EQ(late.end.state.q, full.end.state.q);
  EXPECT_THROW(pendulum(decoupled + ", tol_r: 1e-3", 1e-3), InputError);
  EXPECT_THROW(pendulum(decoupled + ", criterion: relative, splitting: zero", 1e-3), InputError);
}

// The lecture's schemes on it: the same fall, the same impact, and the same displacement afterwards.
TEST(RotatingBeam, SchemesOfTheLecture) {
  const Fall reference = pendulum("decoupled-alpha, rho_inf: 0.8, tolerance: 1e-8", 1e-4);
  for (const char* scheme :
       {"moreau-jean", "newmark, gamma: 0.6, beta: 0.3025", "hht, alpha: 0.1", "generalized-alpha, rho_inf: 0.8"}) {
    const Fall run = pendulum(std::string(scheme) + ", tolerance: 1e-8", 1e-4);
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    // a rigid rod takes 0.3302; masses at nodes have 1 + 1 / (2 8^2) times its moment of inertia
    EXPECT_NEAR(run.passes.first, 0.3302 * std::sqrt(1 + 1.0 / 128), 3e-4) << scheme;  // measured: 0.3315, 0.3316
    EXPECT_LT(error(run, reference), 2e-4) << scheme;
  }
}

}  // namespace
}  // namespace ricochet::test::cosimo_pendulum_test
