// One rule for all schemes: a step whose certificate, evaluated anew, is above its tolerance is not applied, whatever a
// solver claimed; and the certificate covers every closed contact. A forged scheme shows the rule, the schemes of the
// table show that they live by it.
#include "ricochet/scheme/pieces/certificate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/problems.hpp"
#include "support/runs.hpp"
#include "support/schemes.hpp"

namespace ricochet::test {
namespace {

// ---------------------------------------------------------------- the rule

/// x and y, a floor under y, a joint on x, for what a forger may want to break.
Scenario plain(double y, double velocity, double x = 0, double x_velocity = 0) {
  Scenario s = read_scenario(R"(
system:
  formulas:
    coordinates: [x, y]
    kinetic: x'^2/2 + y'^2/2
    joints: {rail: x}
    contacts: {floor: {gap: y, restitution: 0.5}}
initial: {position: {y: 1}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 1}
)",
                             "plain");
  s.initial.q << x, y;
  s.initial.v << x_velocity, velocity;
  return s;
}

/// Says `converged` of whatever it was told to leave at the end of the step.
class Forged final : public Scheme {
 public:
  Forged() {
    info_.name = "forged";
    info_.exact_position = true;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return tolerance_; }
  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    next.q = q;
    next.v = v;
    w.impulse[0] = 0;
    w.impulse[1] = impulse;
    end_step(model, state, h, next, w, report);
    report.certificate.complementarity = own;
  }
  VectorXd q = VectorXd::Zero(2), v = VectorXd::Zero(2);
  double impulse = 0, own = 0;
  SchemeInfo info_;
  Tolerances tolerance_;
};

StepReport judged(const Forged& scheme, const Scenario& s) {
  Workspace w(s.model);
  State next = s.initial;
  StepReport report;
  scheme.step(s.model, s.initial, s.policy.step, next, w, report);
  return report;
}

std::string blamed(const Scenario& s, const StepReport& report) {
  return report.blame < 0 ? "" : s.model.items()[static_cast<std::size_t>(report.blame)].name;
}

TEST(Certificate, WhatIsInOrderPasses) {
  Forged scheme;
  scheme.q << 0, 0;
  scheme.v << 0, 0.5;  // e = 0.5
  scheme.impulse = 1.5;
  EXPECT_TRUE(judged(scheme, plain(0, -1)).ok());
  scheme.v << 0, -1;  // in flight
  scheme.q << 0, 0.5;
  scheme.impulse = 0;
  EXPECT_TRUE(judged(scheme, plain(0.51, -1)).ok());
}

TEST(Certificate, EveryEntryAboveItsToleranceFailsTheStep) {
  struct Case {
    const char *what, *item;
    double q[2], v[2], impulse;
    StepStatus status = StepStatus::uncertified;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {"penetration", "floor", {0, -2e-10}, {0, 0.5}, 1.5},
      {"joint position", "rail", {2e-10, 0}, {0, 0.5}, 1.5},
      {"joint velocity", "rail", {0, 0}, {2e-10, 0.5}, 1.5},
      {"restitution", "floor", {0, 0}, {0, 0.5 - 2e-10}, 1.5},
      {"bounces higher", "floor", {0, 0}, {0, 0.6}, 1.5},
      {"pulls", "floor", {0, 0}, {0, 0.5}, -1e-6},
      {"at a distance", "floor", {0, 1}, {0, 1}, 1e-6},
      {"no number", "floor", {0, 0}, {0, 0.5}, nan},
      {"left out", "floor", {0, 0}, {0, -1}, 0, StepStatus::unheld_contact},
  };
  for (const Case& c : cases) {
    Forged scheme;
    scheme.q << c.q[0], c.q[1];
    scheme.v << c.v[0], c.v[1];
    scheme.impulse = c.impulse;
    const Scenario s = plain(0, -1);
    const StepReport report = judged(scheme, s);
    EXPECT_EQ(name(report.status), std::string(name(c.status))) << c.what;
    EXPECT_EQ(blamed(s, report), c.item) << c.what;
    EXPECT_NE(std::string(remedy(report.status)), "") << c.what;
  }
}

TEST(Certificate, OnlyWhatIsDeclaredIsHeld) {
  Forged scheme;
  scheme.info_.exact_position = false;
  scheme.q << 1e-3, -1e-3;
  scheme.v << 0, 0.5;
  scheme.impulse = 1.5;
  EXPECT_TRUE(judged(scheme, plain(0, -1)).ok());
  scheme.v << 1e-3, 7;
  EXPECT_FALSE(judged(scheme, plain(0, -1)).ok());
  scheme.info_.exact_velocity = false;
  EXPECT_TRUE(judged(scheme, plain(0, -1)).ok());
  scheme.own = 1e-9;  // its own conditions are held in any case
  EXPECT_EQ(judged(scheme, plain(0, -1)).status, StepStatus::uncertified);
}

// A scheme of the velocity level that does not promise to hold every closed contact says that it left one out.
TEST(Certificate, AForecastThatLeavesAContactOutIsCounted) {
  Forged scheme;
  scheme.info_.exact_position = scheme.info_.holds_closed = false;
  scheme.q << 0, -1e-3;
  scheme.v << 0, -1;
  const StepReport report = judged(scheme, plain(0, 0));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.unheld, 1);
  EXPECT_DOUBLE_EQ(report.certificate.complementarity, 1);
  scheme.info_.exact_position = true;  // there nothing would show
  scheme.q << 0, 0;
  EXPECT_EQ(judged(scheme, plain(0, 0)).status, StepStatus::unheld_contact);
}

// Round-off of what the terms are: no more, and never that of the impulses.
TEST(Certificate, RoundOffOfLargeTermsIsNoError) {
  Forged scheme;
  scheme.impulse = 1.5e6;
  scheme.v << 0, 0.5e6 + 1e-8;  // 1e-14 of the velocities
  EXPECT_TRUE(judged(scheme, plain(0, -1e6)).ok());
  scheme.v << 0, 0.5e6 + 1e-3;
  EXPECT_EQ(judged(scheme, plain(0, -1e6)).status, StepStatus::uncertified);
  scheme.v << 0, 0.5;
  scheme.q << 1e-8, 0;
  EXPECT_EQ(judged(scheme, plain(0, -1)).status, StepStatus::uncertified);
  scheme.impulse = 1e18;
  scheme.q << 0, 0;
  scheme.v << 0, 0.6;
  EXPECT_EQ(judged(scheme, plain(0, -1)).status, StepStatus::uncertified);
}

// Fixed grid, step control, rehearsals: what is not certified is not applied.
TEST(Certificate, NoDriverAppliesWhatDoesNotHold) {
  Forged scheme;
  scheme.v << 1e-3, 0;
  for (const Control kind : {Control::fixed, Control::half_step, Control::both, Control::violation})
    for (const double tolerance : {0.0, 1e-3}) {
      if (kind == Control::fixed && tolerance > 0) continue;
      Scenario s = plain(0, 0);
      s.policy.control.kind = kind;
      s.policy.control.tolerance = tolerance;
      s.policy.control.initial = s.policy.control.largest = s.policy.step;
      s.policy.control.floor = 1e-4 * s.policy.step;
      RunState state = begin_run(s.model, scheme, s.initial);
      const RunResult result = run(s.model, scheme, state, s.policy, nullptr);
      EXPECT_EQ(result.status, RunStatus::failed);
      EXPECT_EQ(result.failure.status, StepStatus::uncertified);
      EXPECT_EQ(blamed(s, result.failure), "rail");
      EXPECT_EQ(state.summary.steps, 0);
      EXPECT_EQ(state.state.v, s.initial.v);
      EXPECT_GT(state.summary.failures[static_cast<std::size_t>(StepStatus::uncertified)], 0);
    }
}

// ---------------------------------------------------------------- the schemes

std::string found(const std::string& file) { return (testing::data_folder() / "found" / file).string(); }

/// What a run leaves of the laws, computed here from what an observer sees.
struct Found {
  double worst = 0;      ///< violation by a contact that carries an impulse or is closed at both ends of a step
  double approach = 0;   ///< velocity of a contact that is closed at both ends and has no impulse
  double certified = 0;  ///< what the steps say of themselves
  double largest_P = 0;
};

class Laws final : public Observer {
 public:
  Laws(const Model& model, Found& out) : out_(out), model_(model), w_(model) {}
  void step(const State& before, const State& after, const StepReport& report) override {
    evaluate_at(before, begin_, U_begin_);
    evaluate_at(after, end_, U_end_);
    for (std::size_t i = 0; i < w_.candidates.size(); ++i) {
      const Candidate& c = w_.candidates[i];
      if (c.bilateral()) continue;
      const int row = end_.G.blocks()[i].row;
      const double* P = report.constraints[i].impulse;
      LocalState local{report.h, begin_.g[row], {}, c.dim};
      for (int k = 0; k < c.dim; ++k) local.U_before[static_cast<std::size_t>(k)] = U_begin_[row + k];
      const LocalLaw law = c.law->local(local);
      const double u = U_end_[row] + law.restitution * local.U_before[0];
      out_.largest_P = std::max(out_.largest_P, std::abs(P[0]));
      const bool closed = begin_.g[row] <= 1e-9 && end_.g[row] <= 1e-9;
      if (P[0] > 0) out_.worst = std::max(out_.worst, std::abs(u));
      if (P[0] == 0 && closed && -u * report.h > 1e-9) {  // less is rest
        out_.worst = std::max(out_.worst, -u);
        out_.approach = std::max(out_.approach, -U_end_[row]);
      }
      out_.worst = std::max(out_.worst, -P[0]);
      if (c.dim == 2 && law.mu > 0) {
        const double slip = U_end_[row + 1];
        out_.worst = std::max(out_.worst, std::abs(P[1]) - law.mu * P[0]);
        if (std::abs(slip) > 1e-9)
          out_.worst = std::max(out_.worst, std::abs(P[1] + std::copysign(law.mu * P[0], slip)));
      }
    }
    out_.certified = std::max(out_.certified, report.certificate.complementarity);
  }

 private:
  void evaluate_at(const State& s, Rows& rows, VectorXd& U) {
    model_.candidates({s.t, s.q, s.v}, 0, w_.candidates);
    rows.pick.resize(w_.candidates.size());
    for (std::size_t i = 0; i < rows.pick.size(); ++i) rows.pick[i] = static_cast<int>(i);
    evaluate(model_, s.t, s.q, w_.candidates, rows, w_.model);
    U.resize(rows.G.rows());
    rows.G.transpose_times(s.v, U.data());
    for (Index i = 0; i < U.size(); ++i) U[i] += rows.g_t[i];
  }
  Found& out_;
  const Model& model_;
  Workspace w_;
  Rows begin_, end_;
  VectorXd U_begin_, U_end_;
};

struct Watched {
  RunResult result;
  RunState end;
  Found laws;
};
Watched watch(const Scenario& s, const std::string& scheme_name, const OptionValues& options = {}) {
  const auto scheme = make_scheme(scheme_name, options);
  Watched out{{}, begin_run(s.model, *scheme, s.initial), {}};
  Laws laws(s.model, out.laws);
  out.result = run(s.model, *scheme, out.end, s.policy, &laws);
  return out;
}

class Certified : public ::testing::TestWithParam<std::string> {
 protected:
  const SchemeInfo& info() const { return find_scheme(GetParam())->info; }
};

// redundant.yaml: a joint given twice, and a closed contact with friction on its coordinate. The joints leave the
// contact nothing but rounding to move, which a huge impulse could use.
TEST_P(Certified, RedundantJointsWithAContactOnTheirCoordinate) {
  if (!info().friction || !info().exact_velocity) GTEST_SKIP() << "takes no friction";
  if (testing::data_files("found").empty()) GTEST_SKIP() << testing::no_data();
  const Watched run = watch(load_scenario(found("redundant.yaml")), GetParam());
  if (info().one_impulse) {
    EXPECT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
  }
  if (run.result.status != RunStatus::finished) return;
  const Certificate& c = run.end.summary.certificate;
  EXPECT_LE(c.complementarity, 1e-10);
  EXPECT_LE(c.joint_velocity, 1e-10);
  EXPECT_LT(run.laws.largest_P, 1e3);
  if (info().one_impulse) {
    EXPECT_LT(run.laws.worst, 1e-8);
  }
}

// stack.yaml, stack10.yaml: what others press together while it rests. No run says `finished` with a closed contact
// that approaches and a clean certificate.
TEST_P(Certified, StacksAreHeldOrTheStepSaysSo) {
  if (!info().exact_velocity || info().impact_order == 0) GTEST_SKIP() << "nothing is promised at velocity level";
  if (testing::data_files("found").empty()) GTEST_SKIP() << testing::no_data();
  for (const char* file : {"stack.yaml", "stack10.yaml"}) {
    const Watched run = watch(load_scenario(found(file)), GetParam());
    if (info().holds_closed || !info().exact_position) {
      EXPECT_EQ(run.result.status, RunStatus::finished) << file << " " << name(run.result.failure.status);
    }
    if (run.result.status != RunStatus::finished) continue;
    EXPECT_LE(run.laws.approach, std::max(1e-10, run.laws.certified)) << file;
    if (info().holds_closed) {
      EXPECT_LE(run.laws.certified, 1e-10) << file;
      EXPECT_LT(info().one_impulse ? run.laws.worst : 0, 1e-8) << file;
    }
  }
}

TEST(NonsmoothAlpha, LeavesAStackedContactOutUnlessItForecastsTheEnd) {
  if (testing::data_files("found").empty()) GTEST_SKIP() << testing::no_data();
  for (const char* file : {"stack.yaml", "stack10.yaml"}) {
    const Scenario s = load_scenario(found(file));
    const Watched published = watch(s, "nonsmooth-alpha");
    EXPECT_EQ(published.result.status, RunStatus::failed) << file;
    EXPECT_EQ(published.result.failure.status, StepStatus::unheld_contact) << file;
    EXPECT_GE(published.result.failure.blame, 0) << file;
    EXPECT_NE(std::string(remedy(StepStatus::unheld_contact)).find("forecast: end"), std::string::npos);
    const OptionValues end{{"forecast", std::string("end")}};
    EXPECT_TRUE(make_scheme("nonsmooth-alpha", end)->info().holds_closed);
    const Watched held = watch(s, "nonsmooth-alpha", end);
    EXPECT_EQ(held.result.status, RunStatus::finished) << file;
    EXPECT_LT(held.laws.worst, 1e-8) << file;
    EXPECT_LE(held.laws.certified, 1e-10) << file;
  }
}

/// A block on the floor that just lifts off, and another that hits it from above in the same step; `over`: its gap
/// beyond what the two close in the step.
Scenario lifting(double lift, double over) {
  Scenario s = read_scenario(R"(
system:
  formulas:
    coordinates: [a, b]
    kinetic: a'^2/2 + 10/2*b'^2
    contacts: {floor: {gap: a}, top: {gap: b - a}}
initial: {velocity: {b: -1}}
simulation: {scheme: moreau-jean, step: 1e-2, until: 1e-2, max_halvings: 0}
)",
                             "lifting");
  s.initial.v[0] = lift;
  if (over != 0) s.initial.q[1] = 1e-2 * (1 + lift) + over;
  return s;
}

// Both ways: who promises it holds every closed contact, who does not is seen to leave one out.
TEST_P(Certified, ClosedContactsAreHeldAsDeclared) {
  if (!info().exact_velocity || !info().one_impulse || info().impact_order == 0) GTEST_SKIP() << "nothing is promised";
  bool left_out = false;
  const std::pair<double, double> cases[] = {{0, 0}, {1e-8, 0}, {1e-3, 0}, {8e-8, -5e-10}};
  for (const auto& [lift, over] : cases) {
    const Watched run = watch(lifting(lift, over), GetParam());
    left_out = left_out || run.result.failure.status == StepStatus::unheld_contact || run.laws.certified > 1e-10;
    if (info().holds_closed) {
      EXPECT_EQ(run.result.status, RunStatus::finished) << lift << " " << name(run.result.failure.status);
      EXPECT_LE(run.laws.worst, 1e-10) << lift;
    }
  }
  EXPECT_EQ(left_out, !info().holds_closed);
}

// Velocities of 1e6 m/s and impulses of 1e-9 N s: rounding rejects no good step.
TEST_P(Certified, AnyScaleOfVelocityAndImpulse) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
  for (const double speed : {1e-6, 1.0, 1e6}) {
    if (GetParam() == "nonsmooth-alpha" && speed > 1) continue;  // its sweeps want lengths to 1e-12 m: newton-limit
    char text[1024];
    std::snprintf(text, sizeof text, R"(
system:
  formulas:
    parameters: {m: %.17g, c: %.17g}
    coordinates: [x, y]
    kinetic: m/2*(x'^2 + y'^2)
    potential: m*9.81*c*y
    joints: {slope: x - y/3}
    contacts: {floor: {gap: y, restitution: 0.5}}
initial: {position: {y: %.17g, x: %.17g}}
simulation: {scheme: moreau-jean, step: 1.1e-2, until: 1.5}
)",
                  speed == 1 ? 1.0 : 1e-9 / speed, speed, speed, speed / 3);
    const Watched run = watch(read_scenario(text, "scaled"), GetParam());
    EXPECT_EQ(run.result.status, RunStatus::finished) << speed << " " << name(run.result.failure.status);
    EXPECT_GT(run.end.summary.impacts + run.end.summary.events, 0) << speed;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Certified, ::testing::ValuesIn(scheme_names()), scheme_test_name);

}  // namespace
}  // namespace ricochet::test
