// cosimo-2020 section 4.4: a soft cube of 125 hexahedra falls on a plane, e = 0. The flight is that of a rigid body and
// takes four fifths of the time of the paper; here the cube begins just above the plane with the velocity that it has
// there.
#include <gtest/gtest.h>

#include "ricochet/io/scenario/drawing.hpp"
#include "support/runs.hpp"

namespace ricochet::test::cosimo_cube_test {
namespace {

const std::string kScheme = "decoupled-alpha, rho_inf: 0.8, tolerance: 1e-5";  // the tolerances of the paper

/// The most passes that the sub-problems of a step took, forces, and a corner.
class Passes final : public Observer {
 public:
  explicit Passes(Index corner) : corner_(corner) {}
  void step(const State&, const State& after, const StepReport& r) override {
    position = std::max(position, r.projections);
    others = std::max(others, r.newton - r.projections);
    double P = 0;
    int loaded = 0;
    for (const ConstraintReport& c : r.constraints) {
      P += c.impulse[0];
      loaded += c.impulse[0] > 0 ? 1 : 0;
    }
    most = std::max(most, loaded);
    impulse.push_back(P);
    height.push_back(after.q[corner_]);
    time.push_back(after.t);
  }
  int position = 0, others = 0, most = 0;
  std::vector<double> impulse, height, time;

 private:
  Index corner_;
};

struct Bounce {
  Scenario scenario;
  RunState end;
  RunResult result;
  Passes passes;
  Bounce(const std::string& scheme, double h, std::vector<std::string> more = {})
      : scenario(load(scheme, h, std::move(more))), passes(corner(scenario)) {
    const auto made = make_scheme(scenario.scheme, scenario.options);
    end = begin_run(scenario.model, *made, scenario.initial);
    result = run(scenario.model, *made, end, scenario.policy, &passes);
  }
  static Scenario load(const std::string& scheme, double h, std::vector<std::string> more) {
    std::vector<std::string> all{"simulation.scheme={name: " + scheme + "}", set("simulation.step", h),
                                 "simulation.until=0.03", "system.flexible.cube.position=[0, 0, 0.052]",
                                 "system.flexible.cube.velocity=[0, 0, -2.418]"};
    all.insert(all.end(), more.begin(), more.end());
    return load_scenario("flexible-cube", all);
  }
  static Index corner(const Scenario& s) { return s.drawing->flexible.front().body->coordinate_of(0) + 2; }
};

/// (52) of the corner's height.
double error(const Bounce& run, const Bounce& reference) {
  const std::size_t every = reference.passes.height.size() / run.passes.height.size();
  double difference = 0, sum = 0;
  for (std::size_t k = 0; k < run.passes.height.size(); ++k) {
    const double exact = reference.passes.height[every * (k + 1) - 1];
    difference += std::abs(run.passes.height[k] - exact);
    sum += std::abs(exact);
  }
  return difference / sum;
}

// Figures 9 and 10: few iterations at every step, order one, all nodes touch and release, and what the plane gives is
// what the momentum changes by.
TEST(CosimoCube, DecoupledBouncesInFewIterations) {
  const Bounce run(kScheme, 1e-3, {"simulation.until=0.04"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.retries, 0);
  EXPECT_EQ(run.passes.most, 36);
  EXPECT_EQ(run.passes.impulse.back(), 0);  // all have released
  EXPECT_LE(run.passes.position, 6);
  EXPECT_LE(run.passes.others, 6 + 1);  // smooth motion, and the jump, which is linear: one
  double contact = 0, P = 0;
  for (const double p : run.passes.impulse) {
    P += p;
    if (p > 0) contact += 1e-3;
  }
  VectorXd p = VectorXd::Zero(run.scenario.model.nv());
  ModelScratch scratch(run.scenario.model);
  run.scenario.model.mass_times({0, run.end.state.q, run.end.state.v}, run.end.state.v, 1, p, scratch);
  double up = 0;
  for (Index i = 2; i < p.size(); i += 3) up += p[i];
  const double mass = 1e-3, balance = (up + mass * (2.418 + 9.81 * run.end.state.t)) / contact;
  EXPECT_NEAR(P / contact / balance, 1, 0.01);  // the mean force
}

TEST(CosimoCube, DisplacementAtTheContactIsOfOrderOne) {
  const std::vector<std::string> short_run{"simulation.until=0.02"};
  const Bounce reference(kScheme, 1.25e-4, short_run);
  std::vector<double> steps, errors;
  for (const double h : {1e-3, 5e-4}) {
    const Bounce run(kScheme, h, short_run);
    ASSERT_EQ(run.result.status, RunStatus::finished) << h;
    EXPECT_LE(run.passes.position, 6) << h;
    EXPECT_LE(run.passes.others, 6 + 1) << h;
    steps.push_back(h);
    errors.push_back(error(run, reference));
  }
  EXPECT_GT(fitted_order(steps, errors), 0.9);
}

// Figure 10 has no coupled scheme at these steps. Here its sweeps settle; but as the face begins to leave the plane its
// forecast lets nodes go that the others press in again, which the certificate refuses. Held by the end of the step
// they leave as they should.
TEST(CosimoCube, CoupledSettlesButLosesContacts) {
  const std::string coupled =
      "nonsmooth-alpha, rho_inf: 0.8, criterion: relative, tol_r: 1e-5, tol_f: 1e-5, max_newton: 100";
  const Bounce run(coupled, 1e-3, {"simulation.max_halvings=0"});
  EXPECT_EQ(run.result.status, RunStatus::failed);
  EXPECT_EQ(run.result.failure.status, StepStatus::unheld_contact);
  EXPECT_NEAR(run.result.failed_at, 0.024, 1e-9);
  EXPECT_LE(run.end.summary.newton_max, 12);  // measured 10
  const Bounce held(coupled + ", forecast: end", 1e-3, {"simulation.max_halvings=0", "simulation.until=0.027"});
  EXPECT_EQ(held.result.status, RunStatus::finished);
  EXPECT_LE(held.end.summary.newton_max, 12);  // measured 10
}

// With E = 90 finer meshes fold: the run says which element, keeps what it has, and a stiffer cube goes on.
TEST(CosimoCube, FinerMeshesFoldUnlessTheyAreStiffer) {
  const Bounce soft(kScheme, 1e-3, {"system.flexible.cube.box.elements=[6, 6, 6]"});
  EXPECT_EQ(soft.result.status, RunStatus::failed);
  EXPECT_EQ(soft.result.failure.status, StepStatus::not_finite);
  EXPECT_GT(soft.scenario.drawing->flexible.front().body->broken_element(), 0);
  EXPECT_GT(soft.passes.time.size(), 5U);
}

}  // namespace
}  // namespace ricochet::test::cosimo_cube_test
