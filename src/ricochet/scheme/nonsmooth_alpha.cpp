// Nonsmooth generalized-alpha with constraints at position and velocity level (bruls-2014 (29)-(31)).
//
//     M(q+) v~'+ + convective - f = G_J lambda~,    G_J^T v~ + dg_J/dt = 0                      smooth motion (29a,b)
//     M(q+) U = G nu,    g_J(q+) = 0,    0 <= g(q+) ⊥ nu >= 0                                   position (29c-e) M(q+)
//     W = G Lambda,    G_J^T v+ + dg_J/dt = 0, if g(q*) <= 0:  K ∋ Lambda ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K* velocity
//     jump    (29f-h) q+ = q ⊕ (x~ + U + h/2 W_T),   v+ = v~ + W,   with x~, v~ of alpha.hpp
//
// W_T = M^-1 G_T Lambda_T is the jump by friction (zero in the papers, which have none). U corrects gaps only: without
// h/2 W_T a sticking contact would creep by the h^2/2 a_T of every smooth step.
//
// The forecast q* is q~, or by choice q_n, q_n ⊕ h v_n, q+ (bruls-2014 7.2); of these three a closed contact's gap is
// round-off and the activation tolerance decides.
//
// One sweep passes over the three sub-problems, each with the others' latest values, until all three hold. The sweeps
// contract while h^2 K and h C are small beside M; where they do not, the step ends with newton_limit and says so.
// Contacts enter the position problem once they are found violated and stay for the step: the others satisfy (29e) with
// nu = 0 as they are.
//
// monolithic: before the sweeps, Newton on the three sub-problems together (alpha_coupled.hpp); the sweeps then only
// confirm what it found, and multipliers and certificate are theirs. A singular M (massless coordinates), or a coupled
// problem that is not solved, leaves the sweeps alone.
//
// nonsmooth-alpha-modified, for comparison ((25), (27)): the position law holds for mu = nu/h - Lambda instead of nu,
// so that x = x~ + U + h W with M U = G h mu, 0 <= g(q+) ⊥ mu >= 0. An impact then throws the position by h W, the full
// step of its jump, and a closed contact does not stay closed: after an accumulation it chatters, with an amplitude
// that shrinks with h.
//
// Orders: 2 in smooth motion, 1 in L1 across impacts. Exact at both levels. Energy: alpha.hpp.
#include <algorithm>

#include "ricochet/scheme/pieces/alpha_coupled.hpp"

namespace ricochet {
namespace {

struct Local {
  explicit Local(const Model& m)
      : smooth(m, Level::velocity),
        position(m, Level::position),
        velocity(m, Level::velocity),
        motion(m),
        U(m.nv()),
        slide(m.nv()),
        correction(m.nv()),
        x(m.nv()),
        jump(m.nv()),
        q_star(m.nq()),
        v_begin(m.nv()) {}
  Stage smooth, position, velocity;
  AlphaMotion motion;
  VectorXd U;           ///< position correction (nv)
  VectorXd slide;       ///< h/2 W_T (nv)
  VectorXd correction;  ///< their sum; modified: U + h W (nv)
  VectorXd x, jump;     ///< total increment, v+ - v~ (nv)
  VectorXd q_star;      ///< forecast (nq)
  VectorXd v_begin;     ///< v~ before the coupled Newton (nv)
  Rows gaps;            ///< all contacts, normals
  std::vector<char> violated;
  std::vector<int> position_pick, velocity_pick, previous_pick;  ///< of the coupled problem, and of its last pass
};

enum class Star { smooth, previous, forward, end };

Star star(const std::string& word) {
  return word == "previous"   ? Star::previous
         : word == "explicit" ? Star::forward
         : word == "end"      ? Star::end
                              : Star::smooth;
}

class NonsmoothAlpha final : public Scheme {
 public:
  NonsmoothAlpha(const Options& o, bool modified)
      : c_(AlphaCoefficients::of_spectral_radius(o.number("rho_inf"))),
        controls_(tolerances(o)),
        star_(modified ? Star::smooth : star(o.choice("forecast"))),
        monolithic_(!modified && o.flag("monolithic")),
        modified_(modified) {
    info_ = find_scheme(modified ? "nonsmooth-alpha-modified" : "nonsmooth-alpha")->info;
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
    prepare(w, state, h, l);
    start_over(model, state, h, next, l);
    if (monolithic_) couple(model, state, h, next, w, l, report);

    const int coupled_passes = report.newton;
    double before = 0;
    for (int sweep = 0;; ++sweep) {
      const double errors[] = {smooth_motion(model, state, h, next, w, l, report),
                               position_correction(model, state, h, next, w, l, report),
                               velocity_jump(model, state, h, next, w, l, report)};
      report.newton = coupled_passes + sweep;
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
    for (int i = 0; i < w.before->rows.G.rows(); ++i) {
      w.smooth[i] /= h;
      if (modified_) w.correction[i] += h * w.impulse[i];  // nu = h mu + h Lambda
    }
    report.minimum_norm = l.smooth.minimum_norm || l.position.minimum_norm || l.velocity.minimum_norm;
    report.solver += l.smooth.solver_iterations + l.position.solver_iterations + l.velocity.solver_iterations;
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

  /// No correction, no jump.
  void start_over(const Model& model, const State& state, double h, State& next, Local& l) const {
    l.U.setZero();
    l.jump.setZero();
    l.slide.setZero();
    place(model, state, h, next, l);
  }

  void place(const Model& model, const State& state, double h, State& next, Local& l) const {
    l.motion.follow(c_, h);
    l.correction = l.U + l.slide;
    if (modified_) l.correction += h * l.jump;
    l.x = l.motion.x + l.correction;
    model.retract(state.q, l.x, next.q);
    next.v = l.motion.v + l.jump;
  }

  /// Appends the contacts that are violated at q+ and were not yet.
  void violations(const Model& model, const State& next, Workspace& w, Local& l, std::vector<int>& pick) const {
    evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k)
      if (!l.violated[k] && l.gaps.g[static_cast<Index>(k)] < 0) {
        l.violated[k] = 1;
        pick.push_back(l.gaps.pick[k]);
      }
  }

  /// (29h): joints, and the contacts that the forecast closes.
  void activate(const Model& model, const State& state, double h, const State& next, Workspace& w, Local& l,
                std::vector<int>& pick) const {
    switch (star_) {
      case Star::smooth: model.retract(state.q, l.motion.x, l.q_star); break;
      case Star::previous: l.q_star = state.q; break;
      case Star::forward:
        l.x = h * state.v;
        model.retract(state.q, l.x, l.q_star);
        break;
      case Star::end: l.q_star = next.q; break;
    }
    const double limit = star_ == Star::smooth ? 0 : controls_.tolerance.activation;
    evaluate(model, next.t, l.q_star, w.candidates, l.gaps, w.model, true);
    pick_joints(w, pick);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k)
      if (l.gaps.g[static_cast<Index>(k)] <= limit) pick.push_back(l.gaps.pick[k]);
  }

  /// Newton on the three sub-problems together; leaves the step as it was if that does not converge.
  void couple(const Model& model, const State& state, double h, State& next, Workspace& w, Local& l,
              StepReport& report) const {
    CoupledAlpha& coupled = w.of<CoupledAlpha>(model);
    coupled.begin(w);
    l.v_begin = l.motion.v;
    CoupledAlpha::Motion motion{c_, state, h, next, l.x, l.motion, l.U, l.jump, l.slide};
    pick_joints(w, l.position_pick);
    bool converged = false;
    double before = 0;
    for (int pass = 0; pass <= controls_.tolerance.max_newton; ++pass) {
      const std::size_t known = l.position_pick.size();
      std::swap(l.velocity_pick, l.previous_pick);
      violations(model, next, w, l, l.position_pick);
      activate(model, state, h, next, w, l, l.velocity_pick);
      place(model, state, h, next, l);
      if (pass > 0 && known == l.position_pick.size() && l.previous_pick == l.velocity_pick) {
        const double change = coupled.change;
        const bool floor = pass > 2 && change > 0.5 * before && change <= 0.1 * controls_.tolerance.constraint;
        converged = model.linear() || change <= controls_.tolerance.newton || floor;
        if (converged) break;
      }
      before = coupled.change;
      if (!coupled.pass(model, controls_, l.position_pick, l.velocity_pick, motion, w)) break;
      ++report.newton;
      place(model, state, h, next, l);
    }
    report.solver += coupled.solver_iterations;
    if (converged) {
      l.position.L.pick = l.position_pick;
      return;
    }
    l.motion.v = l.v_begin;
    l.violated.assign(l.gaps.pick.size(), 0);
    start_over(model, state, h, next, l);
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
    violations(model, next, w, l, l.position.L.pick);
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.position.L, w.model, true);
    l.position.r.setZero();
    model.mass_times(at, l.U, 1, l.position.r, w.model);
    const double error =
        pass(model, l.position, h, l.U, {1, 0, 0}, w, report, [&](Operator& S) { model.mass(at, 1, S, w.model); });
    place(model, state, h, next, l);
    return error;
  }

  double velocity_jump(const Model& model, const State& state, double h, State& next, Workspace& w, Local& l,
                       StepReport& report) const {
    activate(model, state, h, next, w, l, l.velocity.L.pick);
    if (l.velocity.passes == 0) l.velocity.warm_start(state, h, w);
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    l.velocity.r.setZero();
    const int passes = l.velocity.passes;
    model.mass_times(at, l.jump, 1, l.velocity.r, w.model);
    const double error =
        pass(model, l.velocity, h, next.v, {1, 0, 0}, w, report, [&](Operator& S) { model.mass(at, 1, S, w.model); });
    l.jump = next.v - l.motion.v;
    if (l.velocity.passes > passes && !modified_) {
      l.slide.setZero();
      l.velocity.add_friction(h / 2, l.slide);
    }
    place(model, state, h, next, l);
    return error;
  }

  SchemeInfo info_;
  AlphaCoefficients c_;
  Controls controls_;
  Star star_;
  bool monolithic_, modified_;
};

OptionInfo rho_option() {
  return number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies");
}

}  // namespace

SchemeEntry nonsmooth_alpha() {
  SchemeEntry e;
  e.info = {.name = "nonsmooth-alpha",
            .summary = "generalized-alpha for the smooth motion, impacts by impulses, exact at both levels",
            .reference = "bruls-2014 (29)-(31), Algorithm 1",
            .smooth_order = 2,
            .impact_order = 1,
            .exact_position = true,
            .exact_velocity = true};
  e.options = {rho_option(),
               choice_option("forecast", "smooth", {"smooth", "previous", "explicit", "end"},
                             "where a closed gap activates a contact: smooth motion's end, q_n, q_n + h v_n, q_n+1"),
               flag_option("monolithic", false, "solve the three sub-problems together: stiff systems, large steps")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothAlpha>(o, false); };
  return e;
}

SchemeEntry nonsmooth_alpha_modified() {
  SchemeEntry e;
  e.info = {
      .name = "nonsmooth-alpha-modified",
      .summary =
          "comparison: nonsmooth-alpha with the position law on mu = nu/h - Lambda; chatters where it should rest",
      .reference = "bruls-2014 (25), (27)",
      .smooth_order = 2,
      .impact_order = 0,
      .exact_position = true,
      .exact_velocity = true,
      .friction = false};
  e.options = {rho_option()};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothAlpha>(o, true); };
  return e;
}

}  // namespace ricochet
