// Nonsmooth generalized-alpha with constraints at position and velocity level (bruls-2014 (29)-(31)), sequential form.
//
//     M(q+) v~'+ + convective - f = G_J lambda~,    G_J^T v~ + dg_J/dt = 0                      smooth motion    (29a,b)
//     M(q+) U = G nu,    g_J(q+) = 0,    0 <= g(q+) ⊥ nu >= 0                                   position         (29c-e)
//     M(q+) W = G Lambda,    G_J^T v+ + dg_J/dt = 0,
//     if g(q~) <= 0:  K ∋ Lambda ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*                              velocity jump    (29f-h)
//     q+ = q ⊕ (x~ + U + h/2 W_T),   v+ = v~ + W,   with x~, v~ of alpha.hpp
//
// W_T = M^-1 G_T Lambda_T is the jump by friction (zero in the papers, which have none). U corrects gaps only: without
// h/2 W_T a sticking contact would creep by the h^2/2 a_T of every smooth step.
//
// One sweep passes over the three sub-problems, each with the others' latest values, until all three hold. The sweeps
// contract while h^2 K and h C are small beside M; where they do not, the step ends with newton_limit and says so.
// Contacts enter the position problem once they are found violated and stay for the step: the others satisfy (29e) with
// nu = 0 as they are.
//
// Orders: 2 in smooth motion, 1 in L1 across impacts. Exact at both levels. Energy: alpha.hpp.
#include <algorithm>

#include "ricochet/scheme/pieces/alpha.hpp"

namespace ricochet {
namespace {

struct Local {
  explicit Local(const Model& m)
      : smooth(m, Level::velocity), position(m, Level::position), velocity(m, Level::velocity), motion(m), U(m.nv()),
        correction(m.nv()), x(m.nv()), jump(m.nv()), q_smooth(m.nq()) {}
  Stage smooth, position, velocity;
  AlphaMotion motion;
  VectorXd U;           ///< position correction (nv)
  VectorXd correction;  ///< and with the part of friction (nv)
  VectorXd x, jump;     ///< total increment, v+ - v~ (nv)
  VectorXd q_smooth;    ///< q~ (nq)
  Rows gaps;            ///< all contacts, normals
  std::vector<char> violated;
};

class NonsmoothAlpha final : public Scheme {
 public:
  explicit NonsmoothAlpha(const Options& o)
      : c_(AlphaCoefficients::of_spectral_radius(o.number("rho_inf"))), controls_(tolerances(o)) {
    info_ = find_scheme("nonsmooth-alpha")->info;
  }
  const SchemeInfo& info() const override { return info_; }
  std::vector<std::string> memory() const override { return {"a", "dv_smooth"}; }
  void start(const Model& model, State& state, Workspace& w) const override {
    start_acceleration(model, state, w, controls_);
  }

  void step(const Model& model, const State& state, double h, State& next, Workspace& w,
            StepReport& report) const override {
    Local& l = w.of<Local>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.motion.predict(c_, state, h);
    l.U.setZero();
    l.jump.setZero();
    next.v = l.motion.v;
    prepare(w, state, h, l);
    place(model, state, h, next, l);

    double before = 0;
    for (int sweep = 0;; ++sweep) {
      const double errors[] = {smooth_motion(model, state, h, next, w, l, report),
                               position_correction(model, state, h, next, w, l, report),
                               velocity_jump(model, state, h, next, w, l, report)};
      report.newton = sweep;
      if (!report.ok()) return;
      const double error = *std::max_element(errors, errors + 3);
      const bool floor = sweep > 2 && error > 0.5 * before && error <= 0.1 * controls_.tolerance.constraint;
      if (error <= controls_.tolerance.newton || floor) break;
      before = error;
      if (sweep >= controls_.tolerance.max_newton) {
        report.status = StepStatus::newton_limit;
        return;
      }
    }

    l.motion.finish(c_, next);
    l.velocity.scatter(w, w.impulse);
    l.position.scatter(w, w.correction);
    l.smooth.scatter(w, w.smooth);
    for (int i = 0; i < w.before->rows.G.rows(); ++i) w.smooth[i] /= h;
    report.minimum_norm = l.smooth.minimum_norm || l.position.minimum_norm || l.velocity.minimum_norm;
    report.solver = l.smooth.solver_iterations + l.position.solver_iterations + l.velocity.solver_iterations;
    report.projections = l.position.passes;
    report.activations = 1;
    end_step(model, state, h, next, w, report);
    report.certificate.complementarity = l.velocity.complementarity(next.v);
    audit_alpha(model, c_, state, h, next, l.motion, l.correction, l.smooth, l.velocity, w, report);
  }

 private:
  void prepare(const Workspace& w, const State& state, double h, Local& l) const {
    for (Stage* stage : {&l.smooth, &l.position, &l.velocity}) {
      stage->reset();
      pick_joints(w, stage->L.pick);
    }
    l.position.warm_start(state, h, w);
    l.gaps.pick.clear();
    for (std::size_t i = 0; i < w.candidates.size(); ++i)
      if (!w.candidates[i].bilateral()) l.gaps.pick.push_back(static_cast<int>(i));
    l.violated.assign(l.gaps.pick.size(), 0);
  }

  void place(const Model& model, const State& state, double h, State& next, Local& l) const {
    l.motion.follow(c_, h);
    l.correction = l.U;
    l.velocity.add_friction(h / 2, l.correction);
    l.x = l.motion.x + l.correction;
    model.retract(state.q, l.x, next.q);
    next.v = l.motion.v + l.jump;
  }

  /// One pass over a stage unless it holds already: returns the error found on entry.
  template <class Assemble>
  double pass(const Model& model, Stage& stage, double h, VectorXd& x, const OperatorCache::Coefficients& c,
              Workspace& w, StepReport& report, Assemble&& assemble) const {
    const double error = stage.error(x);
    if (error <= controls_.tolerance.newton || !report.ok()) return error;
    if (!stage.factorise(model, w, c, assemble)) {
      report.status = StepStatus::singular;
      return error;
    }
    stage.solve(model, w, controls_, h, x);
    if (stage.solved != SolveStatus::converged) report.status = StepStatus::solver_failed;
    return error;
  }

  double smooth_motion(const Model& model, const State& state, double h, State& next, Workspace& w, Local& l,
                       StepReport& report) const {
    const Point at{next.t, next.q, next.v};
    const double c_K = h * h * c_.beta / c_.gamma;
    evaluate(model, next.t, next.q, w.candidates, l.smooth.L, w.model);
    l.smooth.r.setZero();
    model.residual(at, l.motion.acceleration, h, l.smooth.r, w.model);
    const double error = pass(model, l.smooth, h, l.motion.v, {c_.c_M(), c_K, h}, w, report, [&](Operator& S) {
      model.mass(at, c_.c_M(), S, w.model);
      model.tangents(at, l.motion.acceleration, c_K, h, S, w.model);
    });
    place(model, state, h, next, l);
    return error;
  }

  double position_correction(const Model& model, const State& state, double h, State& next, Workspace& w, Local& l,
                             StepReport& report) const {
    evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k)
      if (!l.violated[k] && l.gaps.g[static_cast<Index>(k)] < 0) {
        l.violated[k] = 1;
        l.position.L.pick.push_back(l.gaps.pick[k]);
      }
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.position.L, w.model, true);
    l.position.r.setZero();
    model.mass_times(at, l.U, 1, l.position.r, w.model);
    const double error = pass(model, l.position, h, l.U, {1, 0, 0}, w, report,
                              [&](Operator& S) { model.mass(at, 1, S, w.model); });
    place(model, state, h, next, l);
    return error;
  }

  double velocity_jump(const Model& model, const State& state, double h, State& next, Workspace& w, Local& l,
                       StepReport& report) const {
    // (29h): the contacts that the smooth motion alone would close
    model.retract(state.q, l.motion.x, l.q_smooth);
    evaluate(model, next.t, l.q_smooth, w.candidates, l.gaps, w.model, true);
    pick_joints(w, l.velocity.L.pick);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k)
      if (l.gaps.g[static_cast<Index>(k)] <= 0) l.velocity.L.pick.push_back(l.gaps.pick[k]);
    if (l.velocity.passes == 0) l.velocity.warm_start(state, h, w);
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    l.velocity.r.setZero();
    model.mass_times(at, l.jump, 1, l.velocity.r, w.model);
    const double error = pass(model, l.velocity, h, next.v, {1, 0, 0}, w, report,
                              [&](Operator& S) { model.mass(at, 1, S, w.model); });
    l.jump = next.v - l.motion.v;
    place(model, state, h, next, l);
    return error;
  }

  SchemeInfo info_;
  AlphaCoefficients c_;
  Controls controls_;
};

}  // namespace

SchemeEntry nonsmooth_alpha() {
  SchemeEntry e;
  e.info = {.name = "nonsmooth-alpha",
            .summary = "generalized-alpha for the smooth motion, impacts by impulses, exact at both levels; sequential",
            .reference = "bruls-2014 (29)-(31), Algorithm 1",
            .smooth_order = 2,
            .impact_order = 1,
            .exact_position = true,
            .exact_velocity = true};
  e.options = {number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothAlpha>(o); };
  return e;
}

}  // namespace ricochet
