// The variant of Moreau-Jean that, without damping, dissipates for every restitution (acary-2014 (31); Newmark with
// gamma = theta, beta = theta/2).
//
//     M(q_theta)(v+ - v) + h (convective - f)(t_theta, q_theta, v_theta) = D P,     q+ = q ⊕ x,   x = h v_1/2
//     q_theta = q ⊕ theta x,     v_theta = (1-theta) v + theta v+,     v_1/2 = (v + v+)/2
//     joints:    U+ = L^T v+ + dg/dt = 0
//     contacts that the forecast closes:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*;   others P = 0
//
// D at q_theta and L at q+, as moreau-jean.
//
// Energy (acary-2014 (92)). The balance times v_1/2, whose product with M (v+ - v) is the change of T exactly, and
// x^T K q_theta = dV - (1/2 - theta) |x|_K^2: for a linear system
//
//     dE = h v_1/2^T (F + damping)_theta + U_1/2^T P + (1/2 - theta) |x|_K^2.
//
// The impulses work at mid-step whatever theta is, so theta >= 1/2 dissipates with no bound on e, given the energy-safe
// forecast and C = 0: damping is taken at v_theta and tested with v_1/2, and that product may be positive. For theta =
// 1/2 the scheme is moreau-jean.
//
// Orders: 2 for theta = 1/2 in smooth motion, else 1; 1 in L1 across impacts. Exact at velocity level, not in position.
#include "ricochet/scheme/pieces/forecast.hpp"
#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {
namespace {

struct MidpointLocal {
  explicit MidpointLocal(const Model& m) : velocity(m, Level::velocity), motion(m), part(m.nv()) {}
  Stage velocity;
  ThetaMotion motion;
  VectorXd part;  ///< theta x, later the test velocity (nv)
};

class MoreauJeanMidpoint final : public Scheme {
 public:
  explicit MoreauJeanMidpoint(const Options& o)
      : theta_(o.number("theta")), forecast_(o, 0.5), controls_(tolerances(o)) {
    info_ = find_scheme("moreau-jean-midpoint")->info;
    info_.smooth_order = theta_ == 0.5 ? 2 : 1;
    info_.holds_closed = forecast_.holds_closed();
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    auto& [velocity, motion, part] = w.of<MidpointLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);

    const Motion step = motion.motion(state, h, theta_, next);
    const double c_K = h * h * theta_ / 2, c_C = h * theta_;
    const auto solve = [&] {
      const auto place_here = [&] { place(model, state, h, next, motion, part); };
      const auto evaluate_here = [&] {
        velocity.collocated = model.constant_gradients();
        evaluate(model, next.t, next.q, w.candidates, velocity.L, w.model);
        if (!velocity.collocated) {
          velocity.D.pick = velocity.L.pick;
          evaluate(model, state.t + theta_ * h, motion.q_theta, w.candidates, velocity.D, w.model);
        }
        velocity.r.setZero();
        model.momentum_balance(step, velocity.r, w.model);
      };
      const auto assemble = [&](Operator& S) {
        model.mass(step.at_theta(), 1, S, w.model);
        model.tangents(step.at_theta(), motion.a, c_K, c_C, S, w.model);
      };
      velocity.bending = {h / 2 * theta_, h / 2, state.t + theta_ * h, motion.q_theta, {next.t, next.q, next.v}};
      report.status = newton(model, w, velocity, controls_, h, next.v, {1, c_K, c_C}, model.linear(), place_here,
                             evaluate_here, assemble);
      report.newton += velocity.passes;
      report.solver += velocity.solver_iterations;
      ++report.activations;
    };

    velocity.reset();
    pick_velocity_rows(w, velocity.L.pick);
    if (forecast_.needs_free_velocity() && velocity.L.pick.size() < w.candidates.size()) {
      solve();
      if (!report.ok()) return;
      velocity.reset();
    }
    forecast_.activate(h, next.v, controls_.tolerance.activation, w, velocity.L.pick);
    velocity.warm_start(state, h, w);
    solve();
    if (!report.ok()) return;

    report.minimum_norm = velocity.minimum_norm;
    velocity.scatter_impulses(w);
    end_step(model, state, h, next, w, report);
    audit(model, state, h, motion, velocity, part, w, report);
  }

 private:
  void place(const Model& model, const State& s, double h, State& next, ThetaMotion& m, VectorXd& part) const {
    for (Index i = 0; i < m.x.size(); ++i) {
      m.v_theta[i] = (1 - theta_) * s.v[i] + theta_ * next.v[i];
      m.x[i] = h * 0.5 * (s.v[i] + next.v[i]);
      m.a[i] = (next.v[i] - s.v[i]) / h;
      part[i] = theta_ * m.x[i];
    }
    model.retract(s.q, m.x, next.q);
    model.retract(s.q, part, m.q_theta);
  }

  void audit(const Model& model, const State& s, double h, const ThetaMotion& motion, const Stage& velocity,
             VectorXd& test, Workspace& w, StepReport& report) const {
    EnergyLedger& e = report.energy;
    test = motion.x / h;
    const Point at{s.t + theta_ * h, motion.q_theta, motion.v_theta};
    const Power power = model.power(at, test, w.model);
    e.external += h * (power.external + power.potential_rate);
    e.damping += h * power.damping;
    const double before = e.joints + e.impact + e.friction + e.external;
    book_contact_work(w, report);
    const double booked = e.joints + e.impact + e.friction + e.external - before;
    const double weight = 0.5 - theta_;
    const double potential = weight != 0 ? weight * model.potential_curvature(at, motion.x, w.model) : 0;
    e.numerical += potential;

    const double work = dot(test, velocity.r) + h * (power.external + power.damping + power.potential);
    double reaction = 0;
    const Jacobian& D = velocity.directions();
    for (const Jacobian::Block& b : D.blocks())
      for (int i = 0; i < b.dim; ++i) reaction += velocity.p()[b.row + i] * D.row_times(b, i, test);
    e.nonlinear_remainder +=
        (e.kinetic - e.kinetic_before - work) +
        (e.potential - e.potential_before + h * (power.potential - power.potential_rate) - potential) +
        (reaction - booked);
    e.defect = e.change() - e.sum();
    report.certificate.energy_defect = std::abs(e.defect);
  }

  SchemeInfo info_;
  double theta_;
  Forecast forecast_;
  Controls controls_;
};

}  // namespace

SchemeEntry moreau_jean_midpoint() {
  SchemeEntry e;
  e.info = {
      .name = "moreau-jean-midpoint",
      .summary = "theta-method whose position moves with the mean velocity; dissipates for every e without damping",
      .reference = "acary-2014 (31), (92)",
      .smooth_order = 2,
      .impact_order = 1,
      .exact_position = false,
      .exact_velocity = true,
      .velocity_rows = true,
      .rolling = true,
      .collision = true};
  e.options = {number_option("theta", 0.5, 0, 1, "weight of the end of the step in the forces; above 1/2 dissipates")};
  for (auto& o : forecast_options()) e.options.push_back(o);
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<MoreauJeanMidpoint>(o); };
  e.dissipating = [](double, const std::function<double()>& uniform) -> OptionValues {
    return {{"theta", 0.5 + 0.5 * uniform()}, {"forecast", std::string("energy-safe")}};
  };
  return e;
}

}  // namespace ricochet
