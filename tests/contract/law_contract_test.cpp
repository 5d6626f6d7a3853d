// What every contact law of the table keeps, sampled on random single contacts. Each is a system of its own, with the
// mass W^-1 and the contact's rows as coordinates, and one step of it goes the way of every step: the law's answer
// through the assembly of the stages, the solver and the certificate. Then what a law may ask for beside its cone:
// compliance, and variables that it keeps.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/model/constraint/linear_rows.hpp"
#include "ricochet/model/law.hpp"
#include "ricochet/model/subsystem/linear.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"
#include "ricochet/sim/driver.hpp"
#include "support/dense.hpp"

namespace ricochet::law_contract_test {
namespace {

/// A contact that is closed, of which the coordinates are the rows; `load` is a force on the first.
Model one_contact(std::unique_ptr<ContactLaw> law, const Eigen::MatrixXd& W, double load = 0) {
  ModelBuilder builder;
  const int n = static_cast<int>(W.rows());
  LinearParameters parameters;
  parameters.M = Eigen::MatrixXd(test::inverse(W).selfadjointView<Eigen::Lower>()).sparseView(0, 0);
  parameters.dense = true;
  if (load != 0)
    parameters.load = [n, load](double, View f) {
      for (int i = 0; i < n; ++i) f[i] = i == 0 ? load : 0;
    };
  builder.add(make_linear(std::move(parameters)));
  LinearRow row{"contact", {}, {}, builder.add(std::move(law))};
  for (int i = 0; i < n; ++i) row.rows.push_back({{i, 1.0}});
  row.offset.assign(static_cast<std::size_t>(n), 0.0);
  builder.add(make_linear_rows({std::move(row)}));
  return builder.freeze();
}

State at_rest(int n) {
  State s;
  s.q = VectorXd::Zero(n);
  s.v = VectorXd::Zero(n);
  return s;
}

struct Impact {
  Eigen::VectorXd P, U;
  EnergyLedger energy;
};

/// One step from a contact that is closed and has the velocity U.
Impact strike(std::unique_ptr<ContactLaw> law, const Eigen::MatrixXd& W, const Eigen::VectorXd& U,
              const std::string& name = "moreau-jean") {
  const int n = static_cast<int>(W.rows());
  const Model model = one_contact(std::move(law), W);
  const auto scheme = make_scheme(name);
  Workspace w(model);
  State state = at_rest(n), next;
  state.v = U;
  scheme->start(model, state, w);
  StepReport report;
  scheme->step(model, state, 1e-3, next, w, report);
  EXPECT_TRUE(report.ok()) << ricochet::name(report.status);
  if (!report.ok()) return {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), {}};
  EXPECT_LE(report.certificate.complementarity, 1e-10);
  Impact out{Eigen::VectorXd(n), next.v, report.energy};
  for (int i = 0; i < n; ++i) out.P[i] = report.constraints[0].impulse[i];
  EXPECT_LT((next.v - U - W * out.P).norm(), 1e-9 * (1 + U.norm()));  // it is the impulse that did it
  return out;
}

class LawContract : public testing::TestWithParam<std::string> {
 protected:
  std::mt19937 random_{3};
  std::normal_distribution<double> normal_;
  /// Rows that the law has in space.
  std::unique_ptr<ContactLaw> make(const LawParameters& p) {
    auto law = make_law(GetParam(), p);
    dim_ = law->dim(2);
    return law;
  }
  Eigen::MatrixXd matrix() {
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(dim_, dim_, [&] { return normal_(random_); });
    return A * A.transpose() + 0.1 * Eigen::MatrixXd::Identity(dim_, dim_);
  }
  Eigen::VectorXd velocity() {
    Eigen::VectorXd U = Eigen::VectorXd::NullaryExpr(dim_, [&] { return normal_(random_); });
    U[0] = -std::abs(U[0]);
    return U;
  }
  int dim_ = 1;
};

/// A disc: inside, and at its edge against the velocity wherever that is not zero.
void expect_disc(const Eigen::VectorXd& p, const Eigen::VectorXd& u, double radius, double size) {
  EXPECT_LE(p.norm(), radius * (1 + 1e-12) + 1e-14);
  if (u.norm() <= 1e-9) return;
  EXPECT_NEAR(p.norm(), radius, 1e-9 * (1 + size));
  EXPECT_NEAR(p.dot(u), -p.norm() * u.norm(), 1e-8 * (1 + size) * (1 + u.norm()));
}

TEST_P(LawContract, ConeComplementarityAndNewton) {
  for (int k = 0; k < 200; ++k) {
    const double e = (k % 5) / 4.0, mu = (k % 7) / 3.0, roll = (k % 3) / 4.0, spin = (k % 4) / 8.0;
    auto law = make({e, mu, roll, spin});
    const bool rolling = law->rolling();
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    const Impact i = strike(std::move(law), W, U);
    ASSERT_GE(i.P[0], 0);
    EXPECT_GT(i.P[0], 0);  // approaching: something must push
    EXPECT_NEAR(i.U[0], -e * U[0], 1e-9 * (1 + U.norm()));
    if (dim_ == 1) continue;
    if (!rolling) {
      expect_disc(i.P.tail(dim_ - 1), i.U.tail(dim_ - 1), mu * i.P[0], i.P[0]);
      continue;
    }
    for_each_disc(dim_, {mu, roll, spin}, [&](int first, int rows, double coefficient) {
      expect_disc(i.P.segment(first, rows), i.U.segment(first, rows), coefficient * i.P[0], i.P[0]);
    });
  }
}

TEST_P(LawContract, FrictionlessImpactsDissipate) {
  for (int k = 0; k < 100; ++k) {
    const double e = (k % 11) / 10.0;
    auto law = make({e, 0});
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    const Impact i = strike(std::move(law), W, U);
    EXPECT_LE(i.P[0] * (i.U[0] + U[0]) / 2, 1e-9 * (1 + U.squaredNorm()));  // Thomson and Tait; zero for e = 1
    if (e == 1) {
      EXPECT_NEAR(i.P[0] * (i.U[0] + U[0]) / 2, 0, 1e-9 * (1 + U.squaredNorm()));
    }
  }
}

TEST_P(LawContract, TurningTheTangentFrameTurnsTheImpulse) {
  for (int k = 0; k < 50; ++k) {
    const LawParameters p{0.3, 0.6, 0.2, 0.1};
    auto law = make(p);
    if (dim_ < 3) GTEST_SKIP() << "no tangential rows";
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    Eigen::MatrixXd R = Eigen::MatrixXd::Identity(dim_, dim_);
    const Eigen::Matrix2d turn = Eigen::Rotation2Dd(normal_(random_)).toRotationMatrix();
    R.block(1, 1, 2, 2) = turn;
    if (dim_ > 4) R.block(3, 3, 2, 2) = turn;
    const Impact a = strike(std::move(law), W, U), b = strike(make(p), R * W * R.transpose(), R * U);
    EXPECT_LT((R * a.P - b.P).norm(), 1e-7 * (1 + a.P.norm()));
  }
}

TEST_P(LawContract, WithoutFrictionAllLawsAgreeWithNewton) {
  for (int k = 0; k < 50; ++k) {
    auto law = make({0.4, 0});
    const Eigen::MatrixXd W = matrix();
    const Eigen::VectorXd U = velocity();
    EXPECT_NEAR(strike(std::move(law), W, U).P[0], -1.4 * U[0] / W(0, 0), 1e-8 * (1 + U.norm() / W(0, 0)));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const LawInfo& law : laws()) out.push_back(law.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Table, LawContract, testing::ValuesIn(names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- compliance
// ------------------------------------------------------------------------------------------------------

/// Friction with a contact that gives way by c_N P_N, and slips by c_T P_T before it slides.
class Soft final : public ContactLaw {
 public:
  Soft(double normal, double tangential) : normal_(normal), tangential_(tangential) {}
  std::string_view name() const override { return "soft"; }
  int dim(int tangents) const override { return 1 + tangents; }
  LocalLaw local(const LocalState& s) const override {
    LocalLaw law{.cone = s.dim == 1 ? Cone::nonnegative : Cone::coulomb, .mu = 0.4};
    law.compliance[0] = normal_;
    for (int k = 1; k < s.dim; ++k) law.compliance[static_cast<std::size_t>(k)] = tangential_;
    return law;
  }

 private:
  double normal_, tangential_;
};

TEST(Compliance, IsAddedToTheDiagonal) {
  const std::vector<std::string> schemes{"moreau-jean", "combined", "newmark", "nonsmooth-alpha", "decoupled-alpha"};
  const Eigen::MatrixXd W1 = Eigen::MatrixXd::Constant(1, 1, 0.5);
  for (const std::string& scheme : schemes) {
    const Impact i = strike(std::make_unique<Soft>(0.3, 0), W1, Eigen::VectorXd::Constant(1, -2), scheme);
    EXPECT_NEAR(i.P[0], 2 / 0.8, 1e-9) << scheme;
    EXPECT_NEAR(i.U[0], -0.3 * i.P[0], 1e-9) << scheme;
    // The work of the impulse at the mean velocity, and nothing unexplained.
    EXPECT_NEAR(i.energy.impact, i.P[0] * (i.U[0] - 2) / 2, 1e-9) << scheme;
    EXPECT_NEAR(i.energy.defect, 0, 1e-12) << scheme;
  }
  // Sticking: the slip is what the compliance lets through; beyond the cone it slides as ever.
  Eigen::Matrix3d W;
  W << 1, 0.2, 0, 0.2, 2, 0.1, 0, 0.1, 2;
  const Impact stick = strike(std::make_unique<Soft>(0, 5), W, Eigen::Vector3d(-3, 0.5, 0.2));
  EXPECT_NEAR(stick.U[0], 0, 1e-9);
  EXPECT_LT((stick.U.tail(2) + 5 * stick.P.tail(2)).norm(), 1e-9);
  EXPECT_LT(stick.P.tail(2).norm(), 0.4 * stick.P[0]);
  const Impact slide = strike(std::make_unique<Soft>(0, 5), W, Eigen::Vector3d(-1, 9, 2));
  EXPECT_NEAR(slide.P.tail(2).norm(), 0.4 * slide.P[0], 1e-9);
}

// ---- variables
// -------------------------------------------------------------------------------------------------------

/// Restitution that falls with the impulse a contact has borne: e = e0 / (1 + sum of P). The second variable counts.
class Worn final : public ContactLaw {
 public:
  std::string_view name() const override { return "worn"; }
  int dim(int) const override { return 1; }
  int variables() const override { return 2; }
  LocalLaw local(const LocalState& s) const override {
    return {.cone = Cone::nonnegative, .restitution = 0.9 / (1 + s.kept[0])};
  }
  void after(const LocalState& before, const double* P, const double*, double* kept) const override {
    if (before.U_before[0] < -1e-3 && P[0] > 0) kept[0] += P[0], kept[1] += 1;
  }
};

TEST(LawVariables, AreKeptFromStepToStepAndInCheckpoints) {
  for (const char* name : {"moreau-jean", "combined", "newmark", "nonsmooth-alpha"}) {
    const Model model = one_contact(std::make_unique<Worn>(), Eigen::MatrixXd::Constant(1, 1, 1), -10);
    const auto scheme = make_scheme(name);
    State state = at_rest(1);
    state.q[0] = 0.3;
    RunState run_state = begin_run(model, *scheme, state);
    Policy policy;
    policy.step = 1.7e-3;
    struct Watch final : Observer {
      double worn = 0, e_least = 1;
      int impacts = 0;
      void step(const State& before, const State& after, const StepReport& report) override {
        const double P = report.constraints[0].impulse[0];
        if (!(before.v[0] < -1e-3 && P > 0)) return;
        const double e = -after.v[0] / before.v[0];
        EXPECT_NEAR(e, impacts < 3 ? 0.9 / (1 + worn) : e, 1e-9);  // by what was kept, not by what comes
        worn += P;
        ++impacts;
      }
    } watch;
    policy.until = 0.6;
    ASSERT_EQ(run(model, *scheme, run_state, policy, &watch).status, RunStatus::finished) << name;
    ASSERT_GE(watch.impacts, 1) << name;
    ASSERT_EQ(run_state.state.contacts.size(), 1u) << name;  // in flight, and remembered
    EXPECT_DOUBLE_EQ(run_state.state.contacts[0].kept[0], watch.worn) << name;
    EXPECT_EQ(run_state.state.contacts[0].kept[1], watch.impacts) << name;

    const std::string path = testing::TempDir() + "law_variables.h5";
    {
      h5::File file = h5::File::create(path);
      Checkpoint checkpoint;
      checkpoint.run = run_state;
      store_checkpoint(file.root().group("checkpoint"), checkpoint);
    }
    RunState restored = load_checkpoint(h5::File::open(path).root().group("checkpoint")).run;
    policy.until = 2;
    run(model, *scheme, run_state, policy, &watch);
    run(model, *scheme, restored, policy, nullptr);
    EXPECT_GT(watch.impacts, 3) << name;
    ASSERT_EQ(restored.state.contacts.size(), run_state.state.contacts.size());
    EXPECT_EQ(std::memcmp(restored.state.contacts.data(), run_state.state.contacts.data(), sizeof(ContactMemory)), 0);
    EXPECT_EQ(restored.state.v[0], run_state.state.v[0]) << name;
  }
}

}  // namespace
}  // namespace ricochet::law_contract_test
