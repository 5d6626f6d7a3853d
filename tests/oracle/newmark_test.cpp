// The nonsmooth Newmark family on random linear systems with contacts and joints: members that are one scheme, the
// ledger, the algorithmic energy H and its dissipation (acary-2014 Lemma 2, Propositions 2 to 4, Corollary 1).
#include "ricochet/scheme/newmark.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/constraint/linear_rows.hpp"
#include "ricochet/model/subsystem/linear.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"
#include "support/runs.hpp"

namespace ricochet::test::newmark_test {
namespace {

enum class Load { none, constant, varying };

struct System {
  Scenario scenario;
  MatrixXd M, C, K;
  std::function<VectorXd(double)> F;
};

System random_system(unsigned seed, bool joints, bool damping, Load load) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const int n = 3 + static_cast<int>(random() % 6), contacts = 1 + static_cast<int>(random() % 3);
  const auto vector = [&] { return VectorXd(VectorXd::NullaryExpr(n, [&] { return normal(random); })); };
  const auto positive = [&](double least) {
    const MatrixXd A = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
    return MatrixXd(A * A.transpose() + least * MatrixXd::Identity(n, n));
  };
  System s;
  s.M = positive(1);
  s.C = (damping ? 0.3 : 0) * positive(0);
  s.K = 20 * positive(0);
  const VectorXd amplitude = (load == Load::none ? 0 : 1) * vector();
  const double omega = load == Load::varying ? 3 : 0;
  s.F = [=](double t) { return VectorXd(std::cos(omega * t) * amplitude); };
  LinearParameters p;
  p.M = s.M.sparseView();
  p.C = s.C.sparseView();
  p.K = s.K.sparseView();
  p.load = [F = s.F](double t, View f) { f.vec() = F(t); };
  p.dense = random() % 2 == 0;
  ModelBuilder builder;
  builder.add(make_linear(std::move(p)));
  std::vector<LinearRow> rows;
  const auto row_of = [&](const VectorXd& g, const std::string& name, double offset, const ContactLaw* law) {
    LinearRow row{name, {{}}, {offset}, law};
    for (int i = 0; i < n; ++i) row.rows[0].push_back({i, g[i]});
    rows.push_back(row);
  };
  const VectorXd joint = vector();
  VectorXd v = vector();
  if (joints) v -= joint * (joint.dot(v) / joint.squaredNorm());
  for (int c = 0; c < contacts; ++c) {
    VectorXd g = vector();
    if (g.dot(v) > 0) g = -g;  // the motion begins towards every contact
    row_of(g, "c" + std::to_string(c), 0.03 * uniform(random) * std::abs(g.dot(v)),
           builder.add(make_law("", {uniform(random), 0})));
  }
  if (joints) row_of(joint, "joint", 0, nullptr);
  builder.add(make_linear_rows(rows));
  s.scenario.model = builder.freeze();
  s.scenario.initial.q = VectorXd::Zero(n);
  s.scenario.initial.v = v;
  s.scenario.policy = {0.005 + 0.05 * uniform(random), 3, 4};
  return s;
}

Trajectory with(System& s, const std::string& scheme, OptionValues options, const std::string& forecast) {
  options["forecast"] = forecast;
  s.scenario.scheme = scheme;
  s.scenario.options = options;
  Trajectory run = simulate(s.scenario);
  EXPECT_EQ(run.result.status, RunStatus::finished);
  return run;
}

/// Largest difference in q and v over the run, relative to the largest entry.
double difference(const Trajectory& a, const Trajectory& b) {
  EXPECT_EQ(a.rows.size(), b.rows.size());
  double d = 0, size = 1;
  for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k) {
    d = std::max({d, (a.rows[k].q - b.rows[k].q).lpNorm<Eigen::Infinity>(),
                  (a.rows[k].v - b.rows[k].v).lpNorm<Eigen::Infinity>()});
    size = std::max(size, a.rows[k].v.lpNorm<Eigen::Infinity>());
  }
  return d / size;
}

// Measured: at most 6e-15 over all pairs.
class OneScheme : public testing::TestWithParam<unsigned> {
 protected:
  void expect_same(bool damping, Load load, const std::string& a, const OptionValues& oa, const std::string& b,
                   const OptionValues& ob) {
    std::int64_t impacts = 0;
    for (const char* forecast : {"energy-safe", "free", "explicit"})
      for (bool joints : {false, true}) {
        System s = random_system(GetParam(), joints, damping, load);
        const Trajectory first = with(s, a, oa, forecast), second = with(s, b, ob, forecast);
        const double d = difference(first, second);
        worst_ = std::max(worst_, d);
        EXPECT_LT(d, 1e-12) << a << " " << b << " " << forecast;
        impacts += first.end.summary.impacts;
      }
    EXPECT_GT(impacts, 0);
    RecordProperty("difference", fmt::format("{:.2g}", worst_));
  }
  double worst_ = 0;
};

TEST_P(OneScheme, MoreauJeanAtOneHalfAndNewmark) {
  expect_same(true, Load::constant, "moreau-jean", {{"theta", 0.5}}, "newmark", {});
}
TEST_P(OneScheme, MoreauJeanMidpointAndNewmarkWithTwiceBetaGamma) {
  for (double theta : {0.5, 0.7, 1.0})
    expect_same(true, Load::constant, "moreau-jean-midpoint", {{"theta", theta}}, "newmark",
                {{"gamma", theta}, {"beta", theta / 2}});
}
TEST_P(OneScheme, HhtWithoutDissipationAndNewmark) {
  expect_same(true, Load::varying, "hht", {{"alpha", 0.0}}, "newmark", {});
}
TEST_P(OneScheme, GeneralizedAlphaWithoutAlphaMAndHht) {
  expect_same(true, Load::varying, "generalized-alpha", {{"alpha_m", 0.0}, {"alpha_f", 0.2}}, "hht", {{"alpha", 0.2}});
}
TEST_P(OneScheme, KrenkHogsbergAndGeneralizedAlphaUndampedUnderConstantLoad) {
  for (double rho : {0.0, 0.5, 0.8, 1.0})
    expect_same(false, Load::constant, "generalized-alpha-kh", {{"rho_inf", rho}}, "generalized-alpha",
                {{"rho_inf", rho}});
  expect_same(false, Load::constant, "generalized-alpha-kh", {{"preset", std::string("hht-1977")}, {"alpha_f", 0.2}},
              "hht", {{"alpha", 0.2}});
}
TEST_P(OneScheme, KrenkHogsbergDiffersWithDamping) {
  System s = random_system(GetParam(), false, true, Load::varying);
  EXPECT_GT(
      difference(with(s, "generalized-alpha-kh", {}, "energy-safe"), with(s, "generalized-alpha", {}, "energy-safe")),
      1e-8);
}

INSTANTIATE_TEST_SUITE_P(Random, OneScheme, testing::Range(1u, 9u));

/// A member and parameters drawn for it.
std::pair<std::string, OptionValues> random_member(std::mt19937& random, bool within_dissipation) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto u = [&] { return uniform(random); };
  switch (random() % 5) {
    case 0: {
      const double gamma = 0.5 + 0.6 * u();
      return {"newmark", {{"gamma", gamma}, {"beta", gamma / 2 + 0.3 * u()}}};
    }
    case 1: return {"hht", {{"alpha", u() / 3}}};
    case 2: return {"generalized-alpha-kh", {{"rho_inf", random() % 4 == 0 ? 1.0 : u()}}};
    case 3: {
      // (75): 0 <= alpha_f - alpha_m <= gamma - 1/2 <= 1/2 - alpha_m, 2 beta >= gamma
      const double alpha_m = 0.5 - u(), nu = 0.5 - alpha_m, eta = std::max(nu * u(), -alpha_m);
      const double gamma = 0.5 + eta + (nu - eta) * u();
      return {"generalized-alpha-kh",
              {{"alpha_m", alpha_m}, {"alpha_f", alpha_m + eta}, {"gamma", gamma}, {"beta", gamma / 2 + 0.3 * u()}}};
    }
    default:
      if (within_dissipation) return {"newmark", {}};
      return {"generalized-alpha", {{"rho_inf", random() % 4 == 0 ? 1.0 : u()}}};
  }
}

TEST(NewmarkEnergy, TheLedgerClosesOnRandomLinearSystems) {
  std::mt19937 random(20144);
  int with_impacts = 0;
  double worst = 0;
  for (unsigned k = 0; k < 80; ++k) {
    System s = random_system(100 + k, k % 2 == 1, true, Load::varying);
    const auto [name, options] = random_member(random, false);
    const Trajectory run = with(s, name, options, k % 3 == 0 ? "explicit" : k % 3 == 1 ? "free" : "energy-safe");
    double open = 0;
    for (std::size_t i = 1; i < run.rows.size(); ++i)
      open = std::max({open, std::abs(run.rows[i].ledger.defect), std::abs(run.rows[i].ledger.nonlinear_remainder)});
    worst = std::max(worst, open / run.end.summary.magnitude_max);
    EXPECT_LT(open, 1e-12 * run.end.summary.magnitude_max) << name << ", case " << k;
    EXPECT_EQ(run.end.summary.energy.projection, 0);
    with_impacts += run.end.summary.energy.impact != 0;
  }
  EXPECT_GT(with_impacts, 60);
  RecordProperty("worst", fmt::format("{:.2g}", worst));
}

/// H along a run, and the terms of its identity, from the matrices alone.
class Dissipation final : public Observer {
 public:
  Dissipation(const System& s, const NewmarkMember& member, double h)
      : s_(s), member_(member), h_(h), scratch_(s.scenario.model) {}
  void step(const State& before, const State& after, const StepReport& r) override {
    if (std::abs(r.h - h_) > 1e-9 * h_) return;  // the last step ends at `until`: H belongs to one step size
    const AlphaCoefficients& c = member_.c;
    const double nu = 0.5 - c.alpha_m, eta = c.alpha_f - c.alpha_m;
    const VectorXd x = after.q - before.q;
    const auto weighted = [&](const VectorXd& a, const VectorXd& b) {
      return VectorXd((1 - c.gamma) * a + c.gamma * b);
    };
    VectorXd force = weighted(s_.F(before.t) - s_.C * before.v, s_.F(after.t) - s_.C * after.v);
    if (!member_.stiffness_only) {
      // the filters of load and damping, from rest
      const VectorXd change = s_.F(after.t) - s_.C * after.v - s_.F(before.t) + s_.C * before.v;
      if (filter_.size() == 0) filter_.setZero(x.size());
      const VectorXd next = (change - c.alpha_m * filter_) / (1 - c.alpha_m);
      force -= eta * weighted(filter_, next);
      filter_ = next;
    }
    const double work = x.dot(force);
    double contact = 0, impulse = 0;
    for (const ConstraintReport& k : r.constraints) impulse = std::max(impulse, std::abs(k.impulse[0]));
    contact = r.energy.impact + r.energy.joints;
    const VectorXd da = after.memory[0] - before.memory[0], dz = after.memory[2] - before.memory[2];
    const double damping = -h_ * h_ / 2 * (c.gamma - 0.5) * (2 * c.beta - c.gamma) * da.dot(s_.M * da) -
                           (c.gamma - 0.5 - eta) * x.dot(s_.K * x) -
                           eta * nu * (nu - c.gamma + 0.5) * dz.dot(s_.K * dz);
    const Model& model = s_.scenario.model;
    const double change = algorithmic_energy(model, member_, after, h_, scratch_) -
                          algorithmic_energy(model, member_, before, h_, scratch_);
    size = std::max({size, std::abs(change), std::abs(work), std::abs(damping), r.energy.magnitude()});
    open = std::max(open, std::abs(change - work - contact - damping));
    gain = std::max(gain, change - work - 1e-9 * impulse);
  }
  double open = 0, gain = -1, size = 0;

 private:
  const System& s_;
  NewmarkMember member_;
  double h_;
  ModelScratch scratch_;
  VectorXd filter_;
};

Dissipation follow(System& s, const std::string& name, OptionValues options) {
  options["forecast"] = std::string("energy-safe");
  const auto scheme = make_scheme(name, options);
  Dissipation d(s, newmark_member(name, Options(find_scheme(name)->options, options)), s.scenario.policy.step);
  RunState run_state = begin_run(s.scenario.model, *scheme, s.scenario.initial);
  EXPECT_EQ(run(s.scenario.model, *scheme, run_state, s.scenario.policy, &d).status, RunStatus::finished);
  EXPECT_EQ(run_state.summary.retries, 0);
  return d;
}

// Lemma 2 with the corrections: damping, varying load, joints, rho_inf = 1 among the samples. Measured: 4e-14.
TEST(NewmarkEnergy, TheAlgorithmicEnergyChangesAsLemma2Says) {
  std::mt19937 random(20145);
  for (unsigned k = 0; k < 80; ++k) {
    System s = random_system(200 + k, k % 2 == 1, true, Load::varying);
    const auto [name, options] = random_member(random, false);
    const Dissipation d = follow(s, name, options);
    EXPECT_LT(d.open, 1e-12 * d.size) << name << ", case " << k;
  }
}

// Propositions 2 to 4: no gain beyond the works, but for activation tolerance times impulse.
TEST(NewmarkEnergy, TheAlgorithmicEnergyNeverRisesBeyondTheWorks) {
  std::mt19937 random(20146);
  for (unsigned k = 0; k < 80; ++k) {
    System s = random_system(300 + k, false, k % 2 == 1, k % 3 == 0 ? Load::varying : Load::constant);
    const auto [name, options] = random_member(random, true);
    const Dissipation d = follow(s, name, options);
    EXPECT_LE(d.gain, 1e-13 * d.size) << name << ", case " << k;
  }
}

// Corollary 1: gamma = 2 beta: H is E.
TEST(NewmarkEnergy, TheEnergyItselfIsDissipatedWhereGammaIsTwiceBeta) {
  for (double gamma : {0.5, 0.8, 1.0}) {
    System s = random_system(400, false, false, Load::none);
    const Trajectory run = with(s, "newmark", {{"gamma", gamma}, {"beta", gamma / 2}}, "energy-safe");
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      const EnergyLedger& e = run.rows[k].ledger;
      EXPECT_LE(e.change(), 1e-9 + 1e-13 * e.magnitude());
      if (gamma == 0.5) {
        EXPECT_NEAR(e.numerical, 0, 1e-13 * run.end.summary.magnitude_max);
      }
    }
    EXPECT_LT(run.end.summary.energy.impact, 0);
  }
}

TEST(NewmarkOptions, PresetsAndContradictions) {
  const auto member = [](const std::string& name, const OptionValues& values) {
    return newmark_member(name, Options(find_scheme(name)->options, values)).c;
  };
  const auto word = [](const char* text) { return OptionValue(std::string(text)); };
  EXPECT_EQ(member("newmark", {{"preset", word("fox-goodwin")}}).beta, 1.0 / 12);
  EXPECT_EQ(member("newmark", {{"preset", word("central-difference")}}).beta, 0);
  EXPECT_NEAR(member("newmark", {{"gamma", 0.9}}).beta, 0.49, 1e-15);  // lecture (57)
  EXPECT_NEAR(member("hht", {{"alpha", 0.2}}).gamma, 0.7, 1e-15);
  EXPECT_NEAR(member("hht", {{"alpha", 0.2}}).beta, 1.44 / 4, 1e-15);
  EXPECT_NEAR(member("generalized-alpha", {{"rho_inf", 0.5}}).alpha_f, 1.0 / 3, 1e-15);
  EXPECT_EQ(member("generalized-alpha-kh", {{"preset", word("wood-bossak-zienkiewicz")}}).alpha_f, 0);
  EXPECT_THROW(make_scheme("newmark", {{"preset", word("fox-goodwin")}, {"gamma", 0.6}}), InputError);
  EXPECT_THROW(make_scheme("generalized-alpha", {{"rho_inf", 0.5}, {"alpha_m", 0.1}}), InputError);
  EXPECT_THROW(make_scheme("generalized-alpha-kh", {{"preset", word("hht-1977")}, {"alpha_m", 0.1}}), InputError);
}

}  // namespace
}  // namespace ricochet::test::newmark_test
