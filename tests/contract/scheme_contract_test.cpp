// What every scheme of the table promises. A new scheme is covered by being in the table; declarations are checked both
// ways. Comparison schemes (impact_order 0) promise determinism and nothing else.
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <limits>
#include <set>

#include "ricochet/scheme/remedy.hpp"
#include "support/random_linear.hpp"

namespace ricochet::test::scheme_contract_test {
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

// What is named as a remedy exists: options of the scheme itself, or of another scheme that is named with them.
TEST_P(SchemeContract, RemediesNameOptionsThatThereAre) {
  const auto words = [](const std::string& text) {
    std::set<std::string> out;
    std::string word;
    for (const char c : text + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
        word += c;
        continue;
      }
      out.insert(word);
      word.clear();
    }
    return out;
  };
  const auto has = [](const SchemeEntry& e, const std::string& option) {
    return std::any_of(e.options.begin(), e.options.end(), [&](const OptionInfo& o) { return o.name == option; });
  };
  for (std::size_t k = 1; k < kStepStatuses; ++k) {
    const auto status = static_cast<StepStatus>(k);
    const std::string text = remedy(status, GetParam());
    EXPECT_FALSE(text.empty()) << name(status);
    EXPECT_EQ(text.find_first_of("[]|"), std::string::npos) << text;
    const std::set<std::string> said = words(text);
    // Words that are plain English as well.
    const std::set<std::string> plain = {"tolerance", "method", "form", "order"};
    for (const SchemeEntry& other : schemes())
      for (const OptionInfo& option : other.options) {
        if (said.count(option.name) == 0 || plain.count(option.name) > 0 || has(*find_scheme(GetParam()), option.name))
          continue;
        const bool of_another = std::any_of(schemes().begin(), schemes().end(), [&](const SchemeEntry& e) {
          return said.count(e.info.name) > 0 && has(e, option.name);
        });
        EXPECT_TRUE(of_another) << name(status) << ": '" << option.name << "' in: " << text;
      }
  }
}

// A body thrown against what it touches rebounds: q(0.1) = 0.8 * 0.1 - 9.81 / 2 * 0.1^2.
TEST_P(SchemeContract, ThrownAgainstWhatItTouches) {
  if (info().impact_order == 0) return;
  const Scenario s = read_scenario(R"(
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    potential: 9.81*q
    contacts: {f: {gap: q, restitution: 0.8}}
initial: {velocity: {q: -1}}
simulation: {step: 1e-3, until: 0.1}
)",
                                   "thrown", {"simulation.scheme=" + GetParam()});
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[0], 0.03095, 2e-3);  // measured: 1e-15 to 1.8e-3 (galerkin-1, splitting)
}

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
      // a forecast that may leave closed contacts out is seen in the certificate: certificate_test.cpp
      const char* forecast = info().holds_closed || info().exact_position ? "" : ", forecast: explicit";
      const Scenario s = scenario(e, std::string(", tolerance: ") + tolerance + forecast);
      const Trajectory run = simulate(s);
      EXPECT_EQ(run.result.status, RunStatus::finished) << e.name << " " << ricochet::name(run.result.failure.status);
      const Certificate& c = run.end.summary.certificate;
      const double limit = std::atof(tolerance);
      const Scales& scales = *s.initial.scales;
      if (info().exact_velocity) {
        EXPECT_LE(c.joint_velocity_relative, limit) << e.name;
        EXPECT_LE(c.complementarity, limit * scales.velocity) << e.name;
      }
      if (info().exact_position) {
        EXPECT_LE(c.penetration, limit * scales.length) << e.name;
        EXPECT_LE(c.joint_position_relative, limit) << e.name;
      }
      penetration = std::max(penetration, c.penetration);
      joint_position = std::max(joint_position, c.joint_position);
    }
  }
  if (!info().exact_position) {
    EXPECT_GT(std::max(penetration, joint_position), 1e-10) << "a promise kept and not made";
  }
}

/// Order of the errors that stand above the floor of tolerances and round-off; infinite where fewer than three do.
double order_above(double floor, const std::vector<double>& h, const std::vector<double>& error) {
  std::vector<double> step, e;
  for (std::size_t k = 0; k < h.size(); ++k)
    if (error[k] > floor) {
      step.push_back(h[k]);
      e.push_back(error[k]);
    }
  return e.size() < 3 ? std::numeric_limits<double>::infinity() : fitted_order(step, e);
}

class ImpactOrder : public SchemeContract {
 protected:
  /// `steps`: 1.5 decades and more, off the grid of the impacts. `exact(t)`: position and velocity of the one
  /// coordinate.
  template <class Exact>
  void expect_declared(const std::string& name, double until, const std::vector<double>& steps, const Exact& exact) {
    if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
    std::vector<double> q1, v1;
    for (double step : steps) {
      const Trajectory run = simulate(name, {"scheme=" + GetParam(), set("step", step), set("until", until)});
      ASSERT_EQ(run.result.status, RunStatus::finished) << name << " " << step;
      double q = 0, v = 0;
      for (std::size_t k = 1; k < run.rows.size(); ++k) {
        const auto [qe, ve] = exact(run.rows[k].t);
        q += run.rows[k].h * std::abs(run.rows[k].q[0] - qe);
        v += run.rows[k].h * std::abs(run.rows[k].v[0] - ve);
      }
      q1.push_back(q);
      v1.push_back(v);
    }
    if (info().error_controlled) {                                       // at the tolerance, whatever the step
      EXPECT_LT(*std::max_element(q1.begin(), q1.end()), 1e-8) << name;  // measured 4e-10, past the accumulation
      return;
    }
    const int p = info().impact_order;
    const double q = order_above(1e-10, steps, q1), v = order_above(1e-10, steps, v1);
    RecordProperty(name, std::to_string(q) + " " + std::to_string(v));
    EXPECT_GT(q, p == 1 ? 0.8 : p - 0.3) << name;
    EXPECT_GT(v, p == 1 ? 0.8 : p - 0.3) << name;
    if (p > 1) return;
    EXPECT_LT(q, 1.2) << name;
    EXPECT_LT(v, 1.2) << name;
  }
};

TEST_P(ImpactOrder, AsDeclaredInL1OnTheBall) {
  // across the accumulation at t = 3; what follows impacts one by one is measured before it
  const ExactBall ball(1, 2, 0.5);
  expect_declared("bouncing-ball", info().impact_order == 1 ? 5 : 2.7, geometric(0.0437, 0.00097, 27),
                  [&](double t) { return std::pair(ball.q(t), ball.v(t)); });
}

TEST_P(ImpactOrder, AsDeclaredInL1OnTheOscillator) {
  // q = e^n |cos 2 pi t| after the n-th impact, at 1/4, 3/4, ...
  expect_declared("linear-oscillator", 2, geometric(0.0231, 0.00061, 27), [](double t) {
    const double n = std::floor((t + 0.25) / 0.5), c = std::cos(2 * M_PI * t), s = std::sin(2 * M_PI * t);
    const double scale = std::pow(0.7, n);
    return std::pair(scale * std::abs(c), -scale * 2 * M_PI * s * (c > 0 ? 1 : -1));
  });
}

TEST_P(SchemeContract, SmoothOrderAsDeclared) {
  // a pendulum, contact-free, against a fine run of the same scheme
  std::vector<double> h, error;
  const int finest = 12800;
  const Trajectory fine = simulate("pendulum", {"scheme=" + GetParam(), set("step", 1.0 / finest), "until=1"});
  for (int n : {25, 50, 100, 200, 400}) {
    if (n == 25 && info().smooth_order <= 2) continue;  // not yet the order of the limit
    const Trajectory run = simulate("pendulum", {"scheme=" + GetParam(), set("step", 1.0 / n), "until=1"});
    double e = 0;
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      e += (run.rows[k].q - fine.rows[k * static_cast<std::size_t>(finest / n)].q).norm() / n;
    h.push_back(1.0 / n);
    error.push_back(e);
  }
  const double order = order_above(1e-10, h, error);
  if (info().error_controlled) {
    EXPECT_LT(*std::max_element(error.begin(), error.end()), 1e-10);
  } else if (std::isfinite(order)) {
    EXPECT_NEAR(order, info().smooth_order, info().smooth_order <= 2 ? 0.25 : 0.5);
  } else {
    EXPECT_GT(info().smooth_order, 3) << "three errors above the floor are wanted for less";
  }
}

// Every entry is computed by itself; what they leave open is round-off, here of the largest step. Joints in every
// second system; all that a scheme promises dissipation for, else its defaults.
TEST_P(SchemeContract, TheLedgerClosesOnRandomLinearSystems) {
  const SchemeEntry& entry = *find_scheme(GetParam());
  std::mt19937 random(20147);
  const std::function<double()> uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  double worst = 0;
  int with_impacts = 0;
  for (int k = 0; k < 16; ++k) {
    Scenario s = random_system(random, k % 2 == 1);
    s.scheme = GetParam();
    if (entry.dissipating && k % 4 > 1) s.options = entry.dissipating(1, uniform);
    if (std::any_of(entry.options.begin(), entry.options.end(), [](const auto& o) { return o.name == "max_newton"; }))
      s.options["max_newton"] = 500.0;
    if (GetParam() == "nonsmooth-alpha") s.options["forecast"] = std::string("end");  // holds every closed contact
    const Trajectory run = simulate(s);
    if (info().impact_order > 0) {
      EXPECT_EQ(run.result.status, RunStatus::finished)
          << "case " << k << ": " << ricochet::name(run.result.failure.status);
    }
    worst = std::max(worst, left_open(run));
    with_impacts += run.end.summary.energy.impact != 0;
  }
  RecordProperty("worst", std::to_string(std::log10(worst)));
  EXPECT_LT(worst, 1e-11);
  EXPECT_GE(with_impacts, 8);
}

// Pendulum: a joint that turns; slider-crank: a mass that changes. What a linear system does not have stays in its own
// column, vanishes with the order of the scheme, and leaves nothing open.
TEST_P(SchemeContract, TheNonlinearRemainderVanishesWithTheOrder) {
  struct Case {
    const char* name;
    double until, largest, smallest;
  };
  for (const Case& c : {Case{"pendulum", 1, 4e-2, 2.5e-3}, Case{"slider-crank-free", 2.4e-3, 1e-4, 6.25e-6}}) {
    const std::vector<double> steps = geometric(c.largest, c.smallest, 5);
    std::vector<double> sums;
    for (double h : steps) {
      const Trajectory run = simulate(c.name, {"scheme=" + GetParam(), set("step", h), set("until", c.until)});
      sums.push_back(0);
      for (const Row& r : run.rows) sums.back() += std::abs(r.ledger.nonlinear_remainder);
      EXPECT_LT(run.end.summary.certificate.energy_defect, 1e-10) << c.name << " " << h;
    }
    const double order = order_above(1e-11, steps, sums);
    RecordProperty(c.name, std::to_string(order));
    if (info().error_controlled) {
      EXPECT_LT(*std::max_element(sums.begin(), sums.end()), 1e-4) << c.name;
    } else {
      // an extrapolated scheme books the steps that it is made of, which are of order 2
      EXPECT_GT(order, std::min(info().smooth_order, 2) - 0.3) << c.name;
    }
  }
}

/// The largest rise of the energy in question beyond activation tolerance times impulse, and the energy's size.
class Gain final : public Observer {
 public:
  Gain(const Model& model, const Scheme& scheme, double h) : model_(model), scheme_(scheme), h_(h), w_(model) {}
  void step(const State& before, const State& after, const StepReport& report) override {
    if (std::abs(report.h - h_) > 1e-9 * h_)
      return;  // the last step is shorter: an algorithmic energy belongs to one h
    double impulse = 0;
    for (const ConstraintReport& c : report.constraints) impulse += std::abs(c.impulse[0]);
    impulses += impulse;
    const double energy = scheme_.energy(model_, before, h_, w_);
    size = std::max(size, std::abs(energy));
    gain = std::max(gain, scheme_.energy(model_, after, h_, w_) - energy - 1e-9 * impulse);
  }
  double gain = -1, size = 0, impulses = 0;

 private:
  const Model& model_;
  const Scheme& scheme_;
  double h_;
  Workspace w_;
};

TEST_P(SchemeContract, NoEnergyIsGainedWhereDissipationIsPromised) {
  const SchemeEntry& entry = *find_scheme(GetParam());
  if (!entry.dissipating) GTEST_SKIP() << "nothing is promised";
  std::mt19937 random(20148);
  const std::function<double()> uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  int with_impacts = 0;
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    const double e = k % 10 == 0 ? 0 : k % 10 == 1 ? 1 : uniform();
    Scenario s = random_system(random, false, e, true);
    const auto scheme = make_scheme(GetParam(), entry.dissipating(e, uniform));
    RunState state = begin_run(s.model, *scheme, s.initial);
    Gain gain(s.model, *scheme, s.policy.step);
    ASSERT_EQ(run(s.model, *scheme, state, s.policy, &gain).status, RunStatus::finished) << "case " << k;
    EXPECT_LE(gain.gain, 1e-12 * gain.size) << "case " << k;
    worst = std::max(worst, gain.gain / gain.size);
    with_impacts += gain.impulses > 0;
  }
  RecordProperty("worst", std::to_string(worst * 1e12));
  EXPECT_GE(with_impacts, 40);
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
  const auto rocking = [&](const std::string& first, const std::string& second) {
    const auto corner = [](const std::string& name, const char* sign, const char* other) {
      const std::string contact = "system.formulas.contacts." + name;
      return std::vector<std::string>{contact + ".gap=y - l/2*cos(theta) " + sign + " L/2*sin(theta)",
                                      contact + ".slip=x + l/2*sin(theta) " + other + " L/2*cos(theta)"};
    };
    std::vector<std::string> overrides = {
        "scheme=" + GetParam(), "step=2.3e-3", "until=1.2",
        std::string("system.formulas.parameters.mu=") + (info().friction ? "0.3" : "0")};
    for (const auto& part : {corner(first, "+", "+"), corner(second, "-", "-")})
      overrides.insert(overrides.end(), part.begin(), part.end());
    return simulate("rocking-block", overrides);
  };
  const Trajectory a = rocking("A", "B"), b = rocking("B", "A");
  ASSERT_EQ(a.result.status, RunStatus::finished);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t k = 1; k < a.rows.size(); ++k) {
    EXPECT_LT((a.rows[k].q - b.rows[k].q).lpNorm<Eigen::Infinity>(), 1e-9);
    EXPECT_LT((a.rows[k].v - b.rows[k].v).lpNorm<Eigen::Infinity>(), 1e-7);
    EXPECT_NEAR(a.rows[k].gap[0], b.rows[k].gap[1], 1e-9);
  }
}

TEST_P(SchemeContract, AMirroredBlockMovesAsTheMirrorImage) {
  if (info().impact_order == 0) GTEST_SKIP() << "comparison scheme";
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
std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Table, SchemeContract, testing::ValuesIn(names()), test_name);
INSTANTIATE_TEST_SUITE_P(Table, ImpactOrder, testing::ValuesIn(names()), test_name);

}  // namespace
}  // namespace ricochet::test::scheme_contract_test
