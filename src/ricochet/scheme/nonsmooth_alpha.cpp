// Nonsmooth generalized-alpha with constraints at position and velocity level (bruls-2014 (29)-(31)).
//
//     M(q+) v~'+ + convective - f = G_J lambda~,    G_J^T v~ + dg_J/dt = 0                      smooth motion (29a,b)
//     M(q+) U = G nu,    g_J(q+) = 0,    0 <= g(q+) ⊥ nu >= 0                                   position (29c-e)
//     M(q+) W = G Lambda,    G_J^T v+ + dg_J/dt = 0,                                            velocity jump (29f-h)
//         if g(q*) <= 0:  K ∋ Lambda ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*
//     q+ = q ⊕ (x~ + U + h/2 W_T),   v+ = v~ + W,   with x~, v~ of alpha.hpp
//
// W_T = M^-1 G_T Lambda_T is the jump by friction (zero in the papers, which have none), less what joints and contacts
// that carry take of it. U corrects gaps only: without h/2 W_T a sticking contact would creep by the h^2/2 a_T of every
// smooth step. A contact that joints keep from sliding has any friction, and W_T = 0.
//
// The forecast q* is q~, or by choice q_n, q_n ⊕ h v_n, q+ (bruls-2014 7.2); of these three a closed contact's gap is
// round-off and the activation tolerance decides. Of q+ the impulse itself may open a contact, which closes without it:
// after some sweeps what was closed stays in. q~ knows nothing of the other contacts: what they press together may be
// open at q~ and closed, approaching, at q+. Only q+ holds every closed contact; certificate.hpp says what becomes of
// such a step with the others.
//
// One sweep passes over the three sub-problems, each with the others' latest values, until all three hold. The sweeps
// contract while h^2 K and h C are small beside M; where they do not, the step ends with newton_limit and says so. Pins
// with play turn with W_T, and W_T with the pins, by h^2 F/(2 m c) of a force F and a play c: the sweeps are
// accelerated over it after Anderson. Contacts enter the position problem once they are found violated and stay for the
// step: the others satisfy (29e) with nu = 0 as they are. `criterion: relative` lets the smooth motion go once its
// dynamics satisfy cosimo-2020 (51),
//
//     |r| < tol_r (|M v~'| + |f - convective| + |G_J lambda~| + tol_f);
//
// gaps and velocities hold to the tolerance all the same.
//
// monolithic: before the sweeps, Newton on the three sub-problems together (alpha_coupled.hpp); the sweeps then only
// confirm what it found, and multipliers and certificate are theirs. A singular M (massless coordinates), or a coupled
// problem that is not solved, leaves the sweeps alone. `active_set: semi-smooth` takes the active sets of (38),
//
//     A: nu - r g(q+) >= 0,      B: g(q*) <= 0 and Lambda - r (U+ + e U_k) >= 0      (active_set.hpp)
//
// with equalities, in place of a complementarity problem in every pass.
//
// nonsmooth-alpha-modified, for comparison ((25), (27)): the position law holds for mu = nu/h - Lambda instead of nu,
// so that x = x~ + U + h W with M U = G h mu, 0 <= g(q+) ⊥ mu >= 0. An impact then throws the position by h W, the full
// step of its jump, and a closed contact does not stay closed: after an accumulation it chatters, with an amplitude
// that shrinks with h.
//
// Orders: 2 in smooth motion, 1 in L1 across impacts. Exact at both levels. Energy: alpha_ledger.hpp.
#include <algorithm>
#include <cmath>

#include "ricochet/math/anderson.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/active_set.hpp"
#include "ricochet/scheme/pieces/alpha_coupled.hpp"
#include "ricochet/scheme/pieces/alpha_stages.hpp"

namespace ricochet {
namespace {

struct NonsmoothAlphaLocal : AlphaStages {
  explicit NonsmoothAlphaLocal(const Model& m)
      : AlphaStages(m), correction(m.nv()), jump(m.nv()), q_star(m.nq()), v_begin(m.nv()), moved(m.nv()) {}
  VectorXd correction;  ///< U + slide; modified: U + h W (nv)
  VectorXd jump;        ///< v+ - v~ (nv)
  VectorXd q_star;      ///< forecast (nq)
  VectorXd v_begin;     ///< v~ before the coupled Newton (nv)
  VectorXd moved;       ///< slide as found (nv)
  Anderson sweeps;      ///< over the slide
  double unheld = 0;    ///< what the last velocity jump found to do
  std::vector<char> violated;
  std::vector<char> closed;                                      ///< at some q+ of the step, by place in gaps
  std::vector<int> activated;                                    ///< pick of the last velocity jump
  std::vector<int> position_pick, velocity_pick, previous_pick;  ///< of the coupled problem, and of its last pass
  ActiveSet active;                                              ///< A by place in gaps, then B
};

constexpr int kSettled = 8;  ///< sweeps in which contacts come and go
constexpr int kFirst = 2;    ///< sweeps that are not accelerated

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
    info_.holds_closed = star_ == Star::end;
    if (modified) return;
    criterion_ = RelativeCriterion::of(o);
    semi_smooth_ = o.choice("active_set") == "semi-smooth";
    if (semi_smooth_ && !monolithic_) throw InputError("active_set", "semi-smooth needs monolithic: true");
    refuse_idle(o, semi_smooth_, "active_set: semi-smooth", {"r", "characteristic_mass"});
    r_ = o.number("r");
    mass_ = o.number("characteristic_mass");
    info_.friction = !semi_smooth_;
    info_.velocity_rows = info_.rolling = !monolithic_;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override {
    std::vector<std::string> names{"a", "dv_smooth"};
    AlphaStart::append_names(names);
    return names;
  }
  void start(const Model& model, State& state, Workspace& w) const override {
    start_acceleration(model, state, w, controls_);
    AlphaStart::append_zeros(state, model.nv());
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    NonsmoothAlphaLocal& l = w.of<NonsmoothAlphaLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.motion.predict(c_, state, h);
    l.prepare(w);
    start_over(model, state, h, next, l);
    if (!monolithic_ && !modified_) {
      l.start(model, state, h, w, l.jump, l.violated);
      place(model, state, h, next, l);
    }
    if (monolithic_) couple(model, state, h, next, w, l, report);
    if (!report.ok()) return;

    const int coupled_passes = report.newton;
    double before = 0;
    for (int sweep = 0;; ++sweep) {
      const double errors[] = {smooth_motion(model, state, h, next, w, l, report),
                               position_correction(model, state, h, next, w, l, report),
                               velocity_jump(model, state, h, next, w, l, report)};
      report.newton = coupled_passes + sweep;
      if (!report.ok()) return;
      const double error = *std::max_element(errors, errors + 3);
      const double rounding = std::max(0.1 * controls_.tolerance.constraint, l.velocity.rounding(w, h));
      const bool floor = sweep > 2 && error > 0.5 * before && error <= rounding;
      if (error <= controls_.tolerance.newton || floor) break;
      before = error;
      if (sweep >= controls_.tolerance.max_newton) {
        report.status = StepStatus::newton_limit;
        report.blame = error == errors[1] ? l.position.worst(model, w, l.U) : l.velocity.worst(model, w, next.v);
        return;
      }
    }

    l.scatter(h, w);
    if (modified_)
      for (int i = 0; i < w.before->rows.G.rows(); ++i) w.correction[i] += h * w.impulse[i];  // nu = h mu + h Lambda
    l.close(model, c_, state, h, next, w, report);
    l.keep(report, h, l.jump, next);
    audit_alpha(model, c_, {state, h, next, l.motion, l.correction, l.smooth, l.velocity}, w, report);
  }

 private:
  /// No correction, no jump.
  void start_over(const Model& model, const State& state, double h, State& next, NonsmoothAlphaLocal& l) const {
    l.unheld = 0;
    l.U.setZero();
    l.jump.setZero();
    l.slide.setZero();
    l.violated.assign(l.gaps.pick.size(), 0);
    l.closed.assign(l.gaps.pick.size(), 0);
    place(model, state, h, next, l);
  }

  void place(const Model& model, const State& state, double h, State& next, NonsmoothAlphaLocal& l) const {
    l.motion.follow(c_, h);
    l.correction = l.U + l.slide;
    if (modified_) l.correction += h * l.jump;
    l.x = l.motion.x + l.correction;
    model.retract(state.q, l.x, next.q);
    next.v = l.motion.v + l.jump;
  }

  /// Appends the contacts that are violated at q+ and were not yet.
  void violations(const Model& model, const State& next, Workspace& w, NonsmoothAlphaLocal& l,
                  std::vector<int>& pick) const {
    evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k)
      if (!l.violated[k] && l.gaps.g[static_cast<Index>(k)] < 0) {
        l.violated[k] = 1;
        pick.push_back(l.gaps.pick[k]);
      }
  }

  /// Gaps at q* into l.gaps; returns the limit below which they count as closed.
  double forecast(const Model& model, const State& state, double h, const State& next, Workspace& w,
                  NonsmoothAlphaLocal& l) const {
    switch (star_) {
      case Star::smooth: model.retract(state.q, l.motion.x, l.q_star); break;
      case Star::previous: l.q_star = state.q; break;
      case Star::forward:
        l.x = h * state.v;
        model.retract(state.q, l.x, l.q_star);
        break;
      case Star::end: l.q_star = next.q; break;
    }
    evaluate(model, next.t, l.q_star, w.candidates, l.gaps, w.model, true);
    return star_ == Star::smooth ? 0 : controls_.tolerance.activation * w.scale.length;
  }

  /// (29h): joints, and the contacts that the forecast closes.
  void activate(const Model& model, const State& state, double h, const State& next, Workspace& w,
                NonsmoothAlphaLocal& l, std::vector<int>& pick) const {
    const double limit = forecast(model, state, h, next, w, l);
    const bool keeps = star_ == Star::end && l.velocity.passes >= kSettled;
    pick_velocity_rows(w, pick);
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k) {
      const bool closed = l.gaps.g[static_cast<Index>(k)] <= limit;
      if (closed && keeps) l.closed[k] = 1;
      if (closed || l.closed[k]) pick.push_back(l.gaps.pick[k]);
    }
  }

  /// (38): A into position_pick, B into velocity_pick.
  ActiveSet::Change choose_sets(const Model& model, const State& state, double h, const State& next, double r,
                                const CoupledAlpha& coupled, Workspace& w, NonsmoothAlphaLocal& l) const {
    const std::size_t contacts = l.gaps.pick.size();
    const auto row = [&](std::size_t k) { return w.before->rows.G.blocks()[l.gaps.pick[k]].row; };
    l.active.xi.assign(2 * contacts, -kAlways);
    evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
    for (std::size_t k = 0; k < contacts; ++k)
      l.active.xi[k] = coupled.corrections()[row(k)] - r * l.gaps.g[static_cast<Index>(k)];
    l.velocity.L.pick = l.gaps.pick;
    evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    const double* u = l.velocity.rows(w, h, next.v);
    const double limit = forecast(model, state, h, next, w, l);
    for (std::size_t k = 0; k < contacts; ++k)
      if (l.gaps.g[static_cast<Index>(k)] <= limit)
        l.active.xi[contacts + k] = coupled.impulses()[row(k)] - r * u[l.velocity.L.G.blocks()[k].row];
    const ActiveSet::Change change = l.active.choose(r * controls_.tolerance.newton * w.scale.length);
    pick_joints(w, l.position_pick);
    pick_joints(w, l.velocity_pick);
    for (std::size_t k = 0; k < contacts; ++k) {
      if (l.active.marks[k]) l.position_pick.push_back(l.gaps.pick[k]);
      if (l.active.marks[contacts + k]) l.velocity_pick.push_back(l.gaps.pick[k]);
    }
    return change;
  }

  /// The sets of the next pass; true if they are those of the last.
  bool same_sets(const Model& model, const State& state, double h, const State& next, Workspace& w,
                 NonsmoothAlphaLocal& l) const {
    const std::size_t known = l.position_pick.size();
    std::swap(l.velocity_pick, l.previous_pick);
    violations(model, next, w, l, l.position_pick);
    activate(model, state, h, next, w, l, l.velocity_pick);
    return known == l.position_pick.size() && l.previous_pick == l.velocity_pick;
  }

  /// Newton on the three sub-problems together; leaves the step as it was if that does not converge.
  void couple(const Model& model, const State& state, double h, State& next, Workspace& w, NonsmoothAlphaLocal& l,
              StepReport& report) const {
    CoupledAlpha& coupled = w.of<CoupledAlpha>(model);
    coupled.begin(w);
    l.v_begin = l.motion.v;
    CoupledAlpha::Motion motion{c_, state, h, next, l.x, l.motion, l.U, l.jump, l.slide};
    pick_joints(w, l.position_pick);
    l.active.begin();
    double r = 0;
    if (semi_smooth_) {
      evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
      r = r_ * (mass_ > 0 ? mass_ : characteristic_mass(model, {next.t, next.q, next.v}, l.gaps.G, w));
    }
    bool converged = false, cycle = false;
    double before = 0;
    for (int pass = 0; pass <= controls_.tolerance.max_newton; ++pass) {
      bool same = false;
      if (semi_smooth_) {
        const ActiveSet::Change change = choose_sets(model, state, h, next, r, coupled, w, l);
        same = change == ActiveSet::Change::none;
        cycle = change == ActiveSet::Change::repeated && (model.linear() || pass == controls_.tolerance.max_newton);
      } else {
        same = same_sets(model, state, h, next, w, l);
      }
      place(model, state, h, next, l);
      if (pass > 0 && same) {
        const double change = coupled.change;
        const bool floor = pass > 2 && change > 0.5 * before && change <= 0.1 * controls_.tolerance.constraint;
        converged = model.linear() || change <= controls_.tolerance.newton || floor;
      }
      if (converged || cycle) break;
      before = coupled.change;
      if (!coupled.pass(model, controls_, l.position_pick, l.velocity_pick, semi_smooth_, motion, w)) break;
      ++report.newton;
      place(model, state, h, next, l);
    }
    report.solver += coupled.solver_iterations;
    if (cycle) report.status = StepStatus::activation_cycle;
    if (converged) {
      l.position.L.pick = l.position_pick;
      if (semi_smooth_) std::copy_n(l.active.marks.begin(), l.violated.size(), l.violated.begin());
      return;
    }
    l.motion.v = l.v_begin;
    start_over(model, state, h, next, l);
  }

  /// One pass over a stage unless it holds already, and must not be better than that: returns the error found on entry.
  template <class Assemble>
  double pass(const Model& model, Stage& stage, double h, VectorXd& x, const OperatorCache::Coefficients& c,
              Workspace& w, StepReport& report, Assemble&& assemble, bool better = false) const {
    const double error = stage.error(x, w, h);
    if ((error <= controls_.tolerance.newton && !better) || !report.ok()) return error;
    stage.bend(model, stage.passes > 0);
    if (!stage.factorise(model, w, c, assemble)) {
      report.status = StepStatus::singular;
      return error;
    }
    stage.solve(model, w, controls_, h, x);
    if (stage.solved != SolveStatus::converged) report.status = StepStatus::solver_failed;
    return error;
  }

  double smooth_motion(const Model& model, const State& state, double h, State& next, Workspace& w,
                       NonsmoothAlphaLocal& l, StepReport& report) const {
    const Point at{next.t, next.q, next.v};
    const double follow = h * c_.beta / c_.gamma, c_K = h * follow;
    l.smooth.bending = {follow, follow, next.t, next.q, {next.t, next.q, l.motion.v}};
    evaluate(model, next.t, next.q, w.candidates, l.smooth.L, w.model);
    l.smooth.r.setZero();
    model.residual(at, l.motion.acceleration, h, l.smooth.r, w.model);
    if (l.smooth.passes > 0 && criterion_.holds(model, at, h, w, l, controls_.tolerance.constraint)) return 0;
    const double error = pass(model, l.smooth, h, l.motion.v, {c_.c_M(), c_K, h}, w, report, [&](Operator& S) {
      model.mass(at, c_.c_M(), S, w.model);
      model.tangents(at, l.motion.acceleration, c_K, h, S, w.model);
    });
    place(model, state, h, next, l);
    return error;
  }

  double position_correction(const Model& model, const State& state, double h, State& next, Workspace& w,
                             NonsmoothAlphaLocal& l, StepReport& report) const {
    violations(model, next, w, l, l.position.L.pick);
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.position.L, w.model, true);
    l.position.bending = {1, 0, next.t, next.q, {}};
    l.position.r.setZero();
    model.mass_times(at, l.U, 1, l.position.r, w.model);
    // Rows that turn within a play of micrometres make velocities of the last digits of a position.
    const bool better = l.position.passes > 0 && l.unheld > controls_.tolerance.newton;
    const double error = pass(
        model, l.position, h, l.U, {1, 0, 0}, w, report, [&](Operator& S) { model.mass(at, 1, S, w.model); }, better);
    place(model, state, h, next, l);
    return error;
  }

  double velocity_jump(const Model& model, const State& state, double h, State& next, Workspace& w,
                       NonsmoothAlphaLocal& l, StepReport& report) const {
    activate(model, state, h, next, w, l, l.velocity.L.pick);
    l.velocity.load_beside = l.smooth.p();
    const bool changed = l.velocity.L.pick != l.activated;
    if (l.velocity.passes == 0) {
      l.velocity.warm_start(state, h, w);
    } else if (changed) {
      l.velocity.forget();
    }
    l.activated = l.velocity.L.pick;
    const Point at{next.t, next.q, next.v};
    evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    l.velocity.r.setZero();
    const int passes = l.velocity.passes;
    model.mass_times(at, l.jump, 1, l.velocity.r, w.model);
    const double error =
        pass(model, l.velocity, h, next.v, {1, 0, 0}, w, report, [&](Operator& S) { model.mass(at, 1, S, w.model); });
    l.jump = next.v - l.motion.v;
    l.unheld = error;
    if (l.velocity.passes > passes && !modified_) {
      l.moved.setZero();
      l.velocity.add_friction(h / 2, l.moved);
      if (changed || l.velocity.passes <= kFirst) {
        l.sweeps.start(static_cast<std::size_t>(model.nv()), w.scale.per_position.data());
        l.slide = l.moved;
      } else {
        l.sweeps.step(l.slide.data(), l.moved.data());
      }
    }
    place(model, state, h, next, l);
    return error;
  }

  SchemeInfo info_;
  AlphaCoefficients c_;
  Controls controls_;
  Star star_;
  bool monolithic_, modified_;
  RelativeCriterion criterion_;
  bool semi_smooth_ = false;
  double r_ = 1, mass_ = 0;
};

}  // namespace

SchemeEntry nonsmooth_alpha() {
  SchemeEntry e;
  e.info = {.name = "nonsmooth-alpha",
            .summary = "generalized-alpha for the smooth motion, impacts by impulses, exact at both levels",
            .reference = "bruls-2014 (29)-(31), Algorithm 1",
            .smooth_order = 2,
            .impact_order = 1,
            .exact_position = true,
            .exact_velocity = true,
            .velocity_rows = true,
            .rolling = true,
            .collision = true,
            .holds_closed = false};
  e.options = {spectral_radius_option(),
               choice_option("forecast", "smooth", {"smooth", "previous", "explicit", "end"},
                             "where a closed gap activates a contact: smooth motion's end, q_n, q_n + h v_n, q_n+1"),
               flag_option("monolithic", false, "solve the three sub-problems together: stiff systems, large steps"),
               choice_option("active_set", "exact", {"exact", "semi-smooth"},
                             "monolithic: a complementarity problem in every pass, or active sets by r"),
               number_option("r", 1, 1e-9, 1e9, "active sets: weight of gap and velocity, in characteristic masses"),
               characteristic_mass_option()};
  for (auto& o : RelativeCriterion::options()) e.options.push_back(o);
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
      .friction = false,
      .holds_closed = false};
  e.options = {spectral_radius_option()};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothAlpha>(o, true); };
  return e;
}

}  // namespace ricochet
