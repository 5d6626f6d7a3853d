// Every kind of subsystem and constraint set against finite differences of its own values, and against each other.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "ricochet/model/callables.hpp"
#include "support/beams.hpp"
#include "support/bodies.hpp"
#include "support/flexible.hpp"
#include "support/kinds.hpp"
#include "support/runs.hpp"

namespace ricochet::test::subsystem_test {
namespace {

struct System {
  std::string name;
  std::function<Scenario()> make;
};
void PrintTo(const System& s, std::ostream* out) { *out << s.name; }

/// The double pendulum-like slider-crank in callables, nothing given but M, V and the gap.
Scenario crank_from_callables() {
  const double l1 = 0.153, l2 = 0.306, m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;
  LagrangianCallables c;
  c.coordinates = {"th1", "th2", "th3"};
  c.mass = [=](double, const VectorXd& q) {
    MatrixXd M = MatrixXd::Zero(3, 3);
    M(0, 0) = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
    M(1, 1) = J2 + (m2 / 4 + m3) * l2 * l2;
    M(0, 1) = M(1, 0) = (m2 / 2 + m3) * l1 * l2 * std::cos(q[0] - q[1]);
    M(2, 2) = J3;
    return M;
  };
  c.potential = [=](double, const VectorXd& q) {
    return 9.81 * ((m1 / 2 + m2 + m3) * l1 * std::sin(q[0]) + (m2 / 2 + m3) * l2 * std::sin(q[1]));
  };
  ModelBuilder builder;
  builder.add(make_lagrangian(c));
  ConstraintCallable lower;
  lower.name = "lower";
  lower.rows = 2;
  lower.law = builder.add(make_law("", {0.4, 0.01}));
  lower.value = [=](double t, const VectorXd& q) {
    VectorXd g(2);
    g << 0.026 + l1 * std::sin(q[0]) + l2 * std::sin(q[1]) - 0.05 * std::sin(q[2]) - 0.025 * std::cos(q[2]) +
             1e-3 * std::sin(5 * t),
        l1 * std::cos(q[0]) + l2 * std::cos(q[1]) - 0.05 * std::cos(q[2]) + 0.025 * std::sin(q[2]);
    return g;
  };
  builder.add(make_constraints({lower}, 3));
  Scenario s;
  s.model = builder.freeze();
  s.initial.q = VectorXd::Zero(3);
  s.initial.v = Eigen::Vector3d(150, -75, 0);
  return s;
}

std::vector<System> systems() {
  std::vector<System> out;
  for (const char* name : {"slider-crank", "rocking-block", "bouncing-pendulum", "moving-table", "rigid-box",
                           "two-balls-oscillator", "rigid-box-points"})
    out.push_back({name, [name] { return load_scenario(name); }});
  out.push_back({"elastic-bar", [] {
                   return load_scenario("elastic-bar", {"system.bar.elements=7", "system.bar.young=90",
                                                        "system.bar.density=1", "system.bar.section=1"});
                 }});
  out.push_back({"callables", crank_from_callables});
  out.push_back({"joints", [] { return read_scenario(joints_of_every_kind(), "joints.yaml"); }});
  out.push_back({"contacts", [] { return read_scenario(contacts_of_every_kind(), "contacts.yaml"); }});
  out.push_back({"planar", [] { return read_scenario(planar_of_every_kind(), "planar.yaml"); }});
  out.push_back({"kinds", [] { return read_scenario(kinds_side_by_side(), "kinds.yaml"); }});
  out.push_back({"beams", [] { return read_scenario(beams_in_space(), "beams.yaml"); }});
  out.push_back({"planar_beams", [] { return read_scenario(beams_in_plane(), "beams.yaml"); }});
  out.push_back({"forces", [] { return read_scenario(forces_of_every_kind(), "forces.yaml"); }});
  for (const char* material : {"linear", "svk", "neo-hookean"})
    out.push_back(
        {std::string("solid-") + material, [material] { return read_scenario(solid_of(material), "solid.yaml"); }});
  for (const char* material : {"linear", "svk"})
    out.push_back({std::string("loaded-solid-") + material,
                   [material] { return read_scenario(solid_with_loads(material), "solid.yaml"); }});
  out.push_back({"solid-and-bodies", [] { return read_scenario(solid_and_bodies(), "solid.yaml"); }});
  return out;
}

class SubsystemContract : public testing::TestWithParam<System> {
 protected:
  void SetUp() override {
    scenario_ = std::make_unique<Scenario>(GetParam().make());
    const Model& m = model();
    scratch_ = std::make_unique<ModelScratch>(m);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    const auto vector = [&](double scale) {
      return VectorXd(VectorXd::NullaryExpr(m.nv(), [&] { return scale * normal(random); }));
    };
    q_.resize(m.nq());
    m.retract(scenario_->initial.q, vector(0.1), q_);
    v_ = vector(1);
    a_ = vector(1);
    w_ = vector(1);
  }
  const Model& model() const { return scenario_->model; }
  VectorXd moved(const VectorXd& x) const {
    VectorXd out(model().nq());
    model().retract(q_, x, out);
    return out;
  }
  VectorXd residual(const VectorXd& q, const VectorXd& v) {
    VectorXd y = VectorXd::Zero(model().nv());
    model().residual({t_, q, v}, a_, 1, y, *scratch_);
    return y;
  }
  /// Directional derivative of a vector function of s at 0.
  template <class F>
  VectorXd along(F&& f) {
    const double h = 1e-4;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  }
  /// S w for an operator that `assemble` fills: solves are what an Operator offers, so compare through S^-1 (S w).
  template <class Assemble>
  VectorXd solve(Assemble&& assemble, VectorXd rhs) {
    Operator S(model().layout());
    S.zero();
    assemble(S);
    EXPECT_TRUE(S.factorise());
    S.solve(rhs);
    return rhs;
  }

  std::unique_ptr<Scenario> scenario_;
  std::unique_ptr<ModelScratch> scratch_;
  VectorXd q_, v_, a_, w_;
  double t_ = 0.3;
};

TEST_P(SubsystemContract, TangentsAreTheDerivativesOfTheResidual) {
  // (M + c_K K + c_C C) w, the latter two by differences of the residual
  const double c_K = 0.3, c_C = 0.2;
  VectorXd rhs = VectorXd::Zero(model().nv());
  model().mass_times({t_, q_, v_}, w_, 10, rhs, *scratch_);
  rhs += c_K * along([&](double s) { return residual(moved(s * w_), v_); });
  rhs += c_C * along([&](double s) { return residual(q_, v_ + s * w_); });
  const VectorXd back = solve(
      [&](Operator& S) {
        model().mass({t_, q_, v_}, 10, S, *scratch_);
        model().tangents({t_, q_, v_}, a_, c_K, c_C, S, *scratch_);
      },
      rhs);
  EXPECT_LT((back - w_).norm(), 1e-7 * w_.norm());
}

TEST_P(SubsystemContract, MomentumTangentIsTheDerivativeOfTheBalance) {
  const double h = 1e-3, theta = 0.6;
  const auto balance = [&](const VectorXd& v_next, bool assemble, Operator* S) {
    const VectorXd v_theta = (1 - theta) * v_ + theta * v_next, x = h * v_theta, a = (v_next - v_) / h;
    const VectorXd q_theta = moved(theta * x);
    const Motion motion{t_, h, theta, q_, v_, x, q_theta, v_theta, v_next, a};
    VectorXd y = VectorXd::Zero(model().nv());
    model().momentum_balance(motion, y, *scratch_);
    if (assemble) model().momentum_tangent(motion, *S, *scratch_);
    return y;
  };
  const VectorXd v_next = v_ + 0.01 * a_;
  const VectorXd derivative = along([&](double s) { return balance(v_next + s * w_, false, nullptr); });
  const VectorXd back = solve([&](Operator& S) { balance(v_next, true, &S); }, derivative);
  EXPECT_LT((back - w_).norm(), 1e-7 * w_.norm());
}

TEST_P(SubsystemContract, PowerIsTheRateOfEnergy) {
  // dV/dt along the motion = -power.potential + potential_rate; the forces' power adds up to v^T f
  const Power p = model().power({t_, q_, v_}, v_, *scratch_);
  const double h = 1e-4;
  const auto V = [&](double s) { return model().energies({t_ + s, moved(s * v_), v_}, *scratch_).potential; };
  const double rate = (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h);
  EXPECT_NEAR(rate, p.potential_rate - p.potential, 1e-7 * (1 + std::abs(rate)));
  // T: v^T (M a + convective) is dT/dt for the acceleration a
  const auto T = [&](double s) {
    return model().energies({t_ + s, moved(s * v_), VectorXd(v_ + s * a_)}, *scratch_).kinetic;
  };
  const double kinetic = (8 * (T(h) - T(-h)) - (T(2 * h) - T(-2 * h))) / (12 * h);
  EXPECT_NEAR(kinetic, v_.dot(residual(q_, v_)) + p.external + p.damping + p.potential, 1e-6 * (1 + std::abs(kinetic)));
}

TEST_P(SubsystemContract, RetractionAndDifferenceAreInverse) {
  VectorXd x(model().nv());
  model().difference(q_, moved(w_), x);
  EXPECT_LT((x - w_).norm(), 1e-12 * (1 + w_.norm() + q_.norm()));
  EXPECT_LT((moved(VectorXd::Zero(model().nv())) - q_).norm(), 1e-15 * (1 + q_.norm()));
}

TEST_P(SubsystemContract, IncrementRateMovesAlongTheVelocity) {
  // q ⊕ x(t) at x = w with x' = rate: the next instant lies at velocity v from q ⊕ w.
  const VectorXd here = moved(w_);
  VectorXd rate(model().nv()), back(model().nv());
  model().increment_rate(w_, v_, rate);
  const VectorXd velocity = along([&](double s) {
    model().difference(here, moved(w_ + s * rate), back);
    return back;
  });
  EXPECT_LT((velocity - v_).norm(), 1e-8 * (1 + v_.norm())) << GetParam().name;
}

TEST_P(SubsystemContract, GradientsRatesAndBiasOfTheConstraints) {
  std::vector<Candidate> candidates;
  model().candidates({t_, q_, v_}, 0, candidates);
  for (const Candidate& c : candidates) {
    const int only = 0;
    const Selection selection{&c, &only, 1};
    const auto rows = [&](double t, const VectorXd& q, const VectorXd& v, bool values) {
      ConstraintRows out;
      model().evaluate(t, q, selection, out, *scratch_);
      VectorXd u(c.dim);
      out.G.transpose_times(v, u.data());
      for (int i = 0; i < c.dim; ++i) u[i] = values ? out.g[i] : u[i] + out.g_t[i];
      return u;
    };
    // dg/dt + G^T v is the rate of g along the motion (a contact's slip has no value of its own)
    const VectorXd U = rows(t_, q_, v_, false);
    const VectorXd rate = along([&](double s) { return rows(t_ + s, moved(s * v_), v_, true); });
    for (int i = 0; i < (c.velocity_only ? 0 : c.bilateral() ? c.dim : 1); ++i)
      EXPECT_NEAR(U[i], rate[i], 1e-8 * (1 + std::abs(U[i])));
    // bias is U' at v' = 0, rate() the derivative of U by q
    VectorXd bias(c.dim);
    model().set(c).bias({t_, q_, v_}, c, c.dim, bias.data(), scratch_->set(c.set));
    const VectorXd dU = along([&](double s) { return rows(t_ + s, moved(s * v_), v_, false); });
    EXPECT_LT((bias - dU).norm(), 1e-7 * (1 + dU.norm()))
        << GetParam().name << " " << model().items()[model().index_of(c)].name;
    Jacobian R;
    model().set(c).rate({t_, q_, v_}, c, c.dim, R, scratch_->set(c.set));
    VectorXd Rw(c.dim);
    R.transpose_times(w_, Rw.data());
    const VectorXd dq = along([&](double s) { return rows(t_, moved(s * w_), v_, false); });
    EXPECT_LT((Rw - dq).norm(), 1e-7 * (1 + dq.norm()));
    // curvature: d(G lambda)/dq w
    if (model().layout().structure == Structure::sparse) continue;
    const VectorXd lambda = VectorXd::LinSpaced(c.dim, 1, 2);
    const auto reaction = [&](const VectorXd& q) {
      ConstraintRows out;
      model().evaluate(t_, q, selection, out, *scratch_);
      VectorXd y = VectorXd::Zero(model().nv());
      out.G.add_times(1, lambda.data(), y);
      return y;
    };
    VectorXd rhs = along([&](double s) { return reaction(moved(s * w_)); });
    rhs += 100 * w_;
    const VectorXd back = solve(
        [&](Operator& S) {
          for (int i = 0; i < model().nv(); ++i) S.add(i, i, 100);
          model().set(c).curvature(t_, q_, c, c.dim, lambda.data(), 1, S, scratch_->set(c.set));
        },
        rhs);
    EXPECT_LT((back - w_).norm(), 1e-7 * w_.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SubsystemContract, testing::ValuesIn(systems()), [](const auto& parameter) {
  std::string name = parameter.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Callables, MoveLikeTheFormulas) {
  // the same system once by exact, once by numerical derivatives, contact-free
  Scenario a = load_scenario("slider-crank-free", {"simulation.step=1e-5", "simulation.until=2e-3"});
  Scenario b = crank_from_callables();
  b.scheme = a.scheme;
  b.options = a.options;
  b.policy = a.policy;
  const Trajectory x = simulate(a), y = simulate(b);
  ASSERT_EQ(x.rows.size(), y.rows.size());
  for (std::size_t k = 0; k < x.rows.size(); ++k)
    EXPECT_LT((x.rows[k].v - y.rows[k].v).norm(), 1e-8 * x.rows[k].v.norm());
}

}  // namespace
}  // namespace ricochet::test::subsystem_test
