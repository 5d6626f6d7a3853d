// Decoupled nonsmooth generalized-alpha (cosimo-2020 (28)-(43)): the smooth motion does not know the corrections, so
// that the three sub-problems are solved once each, one after the other, with x~, v~, v~' of alpha.hpp:
//
//     M(q~) v~'+ + convective - f(q~, v~) = G_J~ lambda~,   G_J~^T v~ + dg_J/dt = 0      smooth motion  (33)
//     M(q~) U = G nu + h^2 f^p,   g_J(q+) = 0,   0 <= g(q+) ⊥ nu >= 0                    position       (28), (32b)
//     M(q+) W = G Lambda + h f*,  G_J^T v+ + dg_J/dt = 0,
//     if nu - g(q+) >= 0:  K ∋ Lambda ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*                  velocity jump  (30a), (32a)
//     q+ = q ⊕ (x~ + U + h/2 W_T),   v+ = v~ + W
//
// f^p and f* are what the balance of the smooth motion lacks once its forces are those of the corrected motion:
//
//     f^p = G_J(q+) lambda~ - M(q~) v~'+ + (f - convective)(q+, v~)
//     f*  = G_J(q+) lambda~ - M(q+) v~'+ + (f - convective)(q+, v+)
//
// (equal to (29) and (8) by (33)). They make the position implicit in the stiffness and the jump in the damping: one
// pass each on linear systems, at any h. `neglect_forces` leaves them out (DSn of the paper): cheaper, and wrong where
// h^2 K is not small beside M.
//
// `splitting: zero` takes v~' = 0, the fourth splitting of 3.1: x~ = h v, v~ = v, lambda~ = 0, and f^p, f* are all the
// forces there are. Implicit Euler, but for f^p(v~); order 1. It cannot go with neglect_forces.
//
// `criterion: relative` lets the smooth motion go by (51), as in nonsmooth-alpha (alpha_stages.hpp).
//
// The sub-problems are solved exactly, each pass with a complementarity problem. `multipliers: augmented-lagrangian`
// goes the paper's way, active sets by k and p (augmented_lagrangian.hpp), to the same steps.
//
// The jump takes every contact that is closed at both ends of the step, to the activation tolerance, whatever the sign
// that round-off gives its gap. With active sets it takes what these say.
//
// W_T is the jump by friction (the paper has none), as in nonsmooth_alpha.cpp. Position and jump depend on each other
// through it alone: with friction the two are repeated until W_T stays. While all contacts stick on a linear undamped
// system the repetition contracts at least as h^2/2 K (M + h^2 K)^-1 does, by one half at any h; it is accelerated
// after Anderson, since pins with play, which turn in their bushes, contract no better.
//
// Orders: 2 in smooth motion, 1 in L1 across impacts. Exact at both levels. Energy: the balance at the ends holds with
// the force f* missing, M v~' + convective - f = G lambda~ - f*, and the jump brings k h f*, k = 1 (0 if neglected).
// Hence the identity of alpha_ledger.hpp and, in its projection (numerical for v~' = 0),
//
//     + h vbar^T (k f*+ - (f* + f*+)/2).
#include <algorithm>
#include <cmath>

#include "ricochet/math/anderson.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/alpha_stages.hpp"
#include "ricochet/scheme/pieces/augmented_lagrangian.hpp"
#include "ricochet/scheme/pieces/newton.hpp"

namespace ricochet {
namespace {

/// f* of the last step, for the ledger and to tell it from the joints' reactions.
constexpr std::size_t kForceChange = 2;

struct DecoupledAlphaLocal : AlphaStages {
  explicit DecoupledAlphaLocal(const Model& m) : AlphaStages(m), moved(m.nv()), y(m.nv()), q_smooth(m.nq()) {}
  VectorXd moved;            ///< slide as found (nv)
  VectorXd y;                ///< scratch (nv)
  VectorXd q_smooth;         ///< q~ (nq)
  std::vector<char> closed;  ///< contacts (by place in position.L.pick) that the jump takes
  ActiveSet active, none;    ///< of position and jump; of joints alone
  Anderson repetition;       ///< of position and jump, over the slide
};

class DecoupledAlpha final : public Scheme {
 public:
  explicit DecoupledAlpha(const Options& o)
      : c_(AlphaCoefficients::of_spectral_radius(o.number("rho_inf"))),
        forces_(!o.flag("neglect_forces")),
        zero_(o.choice("splitting") == "zero"),
        augmented_(o.choice("multipliers") == "augmented-lagrangian"),
        lagrangian_{o.number("k"), o.number("p"), o.number("characteristic_mass")},
        criterion_(RelativeCriterion::of(o)),
        controls_(tolerances(o)) {
    info_ = find_scheme("decoupled-alpha")->info;
    if (criterion_.chosen && (zero_ || augmented_))
      throw InputError("criterion", "relative goes with splitting smooth and exact multipliers only");
    if (zero_ && !forces_) throw InputError("neglect_forces", "contradicts splitting zero, where all forces are in f*");
    refuse_idle(o, augmented_, "multipliers: augmented-lagrangian", {"k", "p", "characteristic_mass"});
    refuse_idle(o, !zero_, "splitting: smooth", {"rho_inf"});
    if (zero_) info_.smooth_order = 1;
    info_.friction = info_.velocity_rows = info_.rolling = !augmented_;
    info_.holds_closed = !augmented_;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }
  std::vector<std::string> memory() const override {
    std::vector<std::string> names{"a", "dv_smooth", "force_change"};
    AlphaStart::append_names(names);
    return names;
  }
  void start(const Model& model, State& state, Workspace& w) const override {
    if (!zero_) {
      start_acceleration(model, state, w, controls_);
      state.memory.push_back(VectorXd::Zero(model.nv()));
    } else {  // all the forces are f*
      state.memory.assign(3, VectorXd::Zero(model.nv()));
      model.residual({state.t, state.q, state.v}, state.memory[kAcceleration], -1, state.memory[kForceChange], w.model);
    }
    AlphaStart::append_zeros(state, model.nv());
  }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    DecoupledAlphaLocal& l = w.of<DecoupledAlphaLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.motion.predict(c_, state, h);
    prepare(w, l);

    report.status = zero_ ? rest(model, state, l) : smooth_motion(model, state, h, next, w, l);
    l.moved.setZero();
    if (!zero_ && !augmented_) {
      l.closed.assign(l.gaps.pick.size(), 0);
      l.start(model, state, h, w, l.moved, l.closed);
      leave(l.closed, l.gaps.pick);
      l.closed.clear();
    }
    next.v = l.motion.v + l.moved;
    for (int pass = 0; report.ok(); ++pass) {
      report.status = position_correction(model, state, h, next, w, l);
      if (report.ok()) report.status = velocity_jump(model, state, h, next, w, l);
      l.moved.setZero();
      l.velocity.add_friction(h / 2, l.moved);
      l.y = l.slide - l.moved;
      if (!(w.scale.of_position(l.y) > controls_.tolerance.newton)) {
        l.slide = l.moved;
        break;
      }
      if (pass == 0) l.repetition.start(static_cast<std::size_t>(model.nv()), w.scale.per_position.data());
      l.repetition.step(l.slide.data(), l.moved.data());
      if (pass >= controls_.tolerance.max_newton) report.status = StepStatus::newton_limit;
    }
    if (report.status == StepStatus::newton_limit)
      report.blame = l.velocity.passes > 0 ? l.velocity.worst(model, w, next.v) : l.position.worst(model, w, l.U);
    report.newton = l.smooth.passes + l.position.passes + l.velocity.passes;
    report.projections = l.position.passes;
    if (!report.ok()) return;
    close(model, state, h, next, w, l, report);
  }

 private:
  /// `pick` without what is marked.
  static void leave(const std::vector<char>& marked, std::vector<int>& pick) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pick.size(); ++k)
      if (!marked[k]) pick[kept++] = pick[k];
    pick.resize(kept);
  }

  void prepare(const Workspace& w, DecoupledAlphaLocal& l) const {
    l.prepare(w);
    l.closed.clear();
    pick_position_joints(w, l.smooth.L.pick);  // the others act by the jump alone: f^p knows rows of positions
    if (zero_) l.smooth.L.pick.clear();
    if (!augmented_) return;
    l.position.L.pick.insert(l.position.L.pick.end(), l.gaps.pick.begin(), l.gaps.pick.end());
    l.gaps.pick.clear();
  }

  /// One sub-problem, by the way that was chosen.
  template <class Place, class Evaluate, class Assemble, class Enough = NeverEnough>
  StepStatus solve(const Model& model, Workspace& w, Stage& stage, double h, VectorXd& x,
                   const OperatorCache::Coefficients& c, const Point& at, ActiveSet& set, Place&& place,
                   Evaluate&& evaluate, Assemble&& assemble, Enough&& enough = {}) const {
    if (!augmented_ || stage.L.pick.empty())
      return newton(model, w, stage, controls_, h, x, c, model.linear(), place, evaluate, assemble, enough);
    return augmented_newton(model, w, stage, controls_, h, x, c, model.linear(), place, evaluate, assemble, lagrangian_,
                            at, set);
  }

  /// v~' = 0: what predict() left.
  static StepStatus rest(const Model& model, const State& state, DecoupledAlphaLocal& l) {
    model.retract(state.q, l.motion.x, l.q_smooth);
    return StepStatus::converged;
  }

  StepStatus smooth_motion(const Model& model, const State& state, double h, const State& next, Workspace& w,
                           DecoupledAlphaLocal& l) const {
    const Point at{next.t, l.q_smooth, l.motion.v};
    const double follow = h * c_.beta / c_.gamma, c_K = h * follow;
    l.smooth.bending = {follow, follow, next.t, l.q_smooth, at};
    return solve(
        model, w, l.smooth, h, l.motion.v, {c_.c_M(), c_K, h}, at, l.none,
        [&] {
          l.motion.follow(c_, h);
          model.retract(state.q, l.motion.x, l.q_smooth);
        },
        [&] {
          evaluate(model, next.t, l.q_smooth, w.candidates, l.smooth.L, w.model);
          l.smooth.r.setZero();
          model.residual(at, l.motion.acceleration, h, l.smooth.r, w.model);
        },
        [&](Operator& S) {
          model.mass(at, c_.c_M(), S, w.model);
          model.tangents(at, l.motion.acceleration, c_K, h, S, w.model);
        },
        [&] { return criterion_.holds(model, at, h, w, l, controls_.tolerance.constraint); });
  }

  /// Up to where a gap counts as closed: one that was closed as the step began is zero to the tolerance only, and the
  /// sign of what is left is round-off; one that was open arrives with the next step.
  double closed_below(const Workspace& w, int contact) const {
    const double limit = controls_.tolerance.activation * gap_size(w, contact);
    return !w.candidates[contact].bilateral() && gap_before(w, contact) <= limit ? limit : 0;
  }

  /// Contacts enter once they are found violated and stay for the step: the others satisfy (32b) with nu = 0.
  bool enter_violated(const Model& model, const State& next, Workspace& w, DecoupledAlphaLocal& l) const {
    evaluate(model, next.t, next.q, w.candidates, l.gaps, w.model, true);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < l.gaps.pick.size(); ++k) {
      const int i = l.gaps.pick[k];
      if (l.gaps.g[l.gaps.G.blocks()[k].row] <= closed_below(w, i)) {
        l.position.L.pick.push_back(i);
      } else {
        l.gaps.pick[kept++] = i;
      }
    }
    const bool entered = kept < l.gaps.pick.size();
    l.gaps.pick.resize(kept);
    return entered;
  }

  StepStatus position_correction(const Model& model, const State& state, double h, State& next, Workspace& w,
                                 DecoupledAlphaLocal& l) const {
    const Point smooth{next.t, l.q_smooth, l.motion.v}, at{next.t, next.q, l.motion.v};
    bool entered = false;
    const auto place = [&] {
      l.x = l.motion.x + l.U + l.slide;
      model.retract(state.q, l.x, next.q);
    };
    const auto conditions = [&] {
      entered = enter_violated(model, next, w, l);
      evaluate(model, next.t, next.q, w.candidates, l.position.L, w.model, true);
      l.position.r.setZero();
      if (!forces_) return model.mass_times(smooth, l.U, 1, l.position.r, w.model);
      l.y = l.U + h * h * l.motion.acceleration;
      model.mass_times(smooth, l.y, 1, l.position.r, w.model);
      model.residual(at, l.zero, h * h, l.position.r, w.model);
      add_smooth_reaction(-h, l.smooth, l.position.L, l.position.r);
    };
    // The usual step of a system without joints has nothing to correct, whatever it began with.
    if (l.position.L.pick.empty() && !zero_) {
      l.U.setZero();
      place();
      if (!enter_violated(model, next, w, l)) return StepStatus::converged;
    }
    StepStatus status;
    const double c_K = forces_ ? h * h : 0;
    l.position.bending = {1, 0, next.t, next.q, {}};
    do {
      status = solve(model, w, l.position, h, l.U, {1, c_K, 0}, smooth, l.active, place, conditions, [&](Operator& S) {
        model.mass(smooth, 1, S, w.model);
        if (forces_) model.tangents(at, l.zero, c_K, 0, S, w.model);
      });
    } while (status == StepStatus::converged && entered);
    return status;
  }

  StepStatus velocity_jump(const Model& model, const State& state, double h, State& next, Workspace& w,
                           DecoupledAlphaLocal& l) const {
    pick_position_joints(w, l.velocity.L.pick);
    l.closed.resize(l.position.L.pick.size(), 0);
    const std::size_t held = l.velocity.L.pick.size();
    pick_velocity_rows(w, l.velocity.L.pick);
    const std::size_t always = l.velocity.L.pick.size();
    for (std::size_t k = held; k < l.closed.size(); ++k) {
      const int row = l.position.L.G.blocks()[k].row;
      // (32a) as nu - g >= 0: of the two one vanishes. What friction lifts in a repetition stays, or it would fall back
      // in the next.
      const bool closed = l.position.p()[row] > 0 || l.position.L.g[row] <= closed_below(w, l.position.L.pick[k]);
      if (augmented_ ? l.active.marks[k] : closed) l.closed[k] = 1;
      if (l.closed[k]) l.velocity.L.pick.push_back(l.position.L.pick[k]);
    }
    std::sort(l.velocity.L.pick.begin() + static_cast<std::ptrdiff_t>(always), l.velocity.L.pick.end());
    evaluate(model, next.t, next.q, w.candidates, l.velocity.L, w.model);
    if (l.position.L.pick.empty() && l.velocity.L.pick.empty() && !zero_) {
      next.v = l.motion.v;  // and no jump
      return StepStatus::converged;
    }
    l.velocity.load_beside = l.smooth.L.pick.empty() ? nullptr : l.smooth.p();
    if (l.velocity.passes == 0) l.velocity.warm_start(state, h, w);
    const Point at{next.t, next.q, next.v};
    const double c_C = forces_ ? h : 0;
    return solve(
        model, w, l.velocity, h, next.v, {1, 0, c_C}, at, l.active, [] {},
        [&] {
          l.velocity.r.setZero();
          l.y = next.v - l.motion.v;
          if (!forces_) return model.mass_times(at, l.y, 1, l.velocity.r, w.model);
          model.mass_times(at, l.y, 1, l.velocity.r, w.model);
          model.residual(at, l.motion.acceleration, h, l.velocity.r, w.model);
          add_smooth_reaction(-1, l.smooth, l.velocity.L, l.velocity.r);
        },
        [&](Operator& S) {
          model.mass(at, 1, S, w.model);
          if (forces_) model.tangents(at, l.motion.acceleration, 0, c_C, S, w.model);
        });
  }

  /// y += c G_J (h lambda~), G_J being among the first of these rows.
  static void add_smooth_reaction(double c, const Stage& smooth, const Rows& rows, VectorXd& y) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < smooth.L.pick.size(); ++k, ++at) {
      while (rows.pick[at] != smooth.L.pick[k]) ++at;
      rows.G.add_block_times(rows.G.blocks()[at], c, smooth.p() + smooth.L.G.blocks()[k].row, y);
    }
  }

  void close(const Model& model, const State& state, double h, State& next, Workspace& w, DecoupledAlphaLocal& l,
             StepReport& report) const {
    l.scatter(h, w);
    l.close(model, c_, state, h, next, w, report);
    l.y = next.v - l.motion.v;
    l.keep(report, h, l.y, next);

    evaluate(model, next.t, next.q, w.candidates, l.smooth.L, w.model);  // from q~ to q+, where the ledger ends
    VectorXd& change = next.memory[kForceChange];
    change.setZero();
    model.residual({next.t, next.q, next.v}, l.motion.acceleration, -1, change, w.model);
    add_smooth_reaction(1 / h, l.smooth, l.smooth.L, change);
    l.x = l.U + l.slide;
    audit_alpha(model, c_, {state, h, next, l.motion, l.x, l.smooth, l.velocity, &state.memory[kForceChange]}, w,
                report);
    EnergyLedger& e = report.energy;
    l.y = 0.5 * (state.v + next.v);
    const double begin = h * l.y.dot(state.memory[kForceChange]), end = h * l.y.dot(change);
    e.projection += (forces_ ? end : 0) - (begin + end) / 2;
    if (zero_) {  // no smooth motion to be corrected: this is Euler's own
      e.numerical += e.projection;
      e.projection = 0;
    }
    e.defect = e.change() - e.sum();
    report.certificate.energy_defect = std::abs(e.defect);
  }

  SchemeInfo info_;
  AlphaCoefficients c_;
  bool forces_, zero_, augmented_;
  AugmentedLagrangian lagrangian_;
  RelativeCriterion criterion_;
  Controls controls_;
};

}  // namespace

SchemeEntry decoupled_alpha() {
  SchemeEntry e;
  e.info = {
      .name = "decoupled-alpha",
      .summary = "nonsmooth-alpha whose smooth motion stands alone: three problems in turn, any step on stiff systems",
      .reference = "cosimo-2020 (28)-(43), Algorithm 1",
      .smooth_order = 2,
      .impact_order = 1,
      .exact_position = true,
      .exact_velocity = true,
      .velocity_rows = true,
      .rolling = true,
      .collision = true};
  e.options = {
      spectral_radius_option(),
      flag_option("neglect_forces", false, "leave f^p and f* out of the corrections (DSn): needs h^2 K small beside M"),
      choice_option("splitting", "smooth", {"smooth", "zero"},
                    "smooth motion with the joints, or none: v~' = 0, order 1, without rho_inf"),
      choice_option("multipliers", "exact", {"exact", "augmented-lagrangian"},
                    "sub-problems by a complementarity solver, or by active sets on an augmented Lagrangian"),
      number_option("k", 1, 1e-9, 1e9, "augmented Lagrangian: scale of the multipliers, in characteristic masses"),
      number_option("p", 1, 1e-9, 1e9, "augmented Lagrangian: penalty, in characteristic masses"),
      characteristic_mass_option()};
  for (auto& o : RelativeCriterion::options()) e.options.push_back(o);
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<DecoupledAlpha>(o); };
  return e;
}

}  // namespace ricochet
