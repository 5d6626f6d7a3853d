// Time-discontinuous Galerkin schemes, half-explicit at velocity level (after Schindler and Acary; acary-2018,
// outlook). The velocity is a polynomial of degree 0 or 1 inside a step and may jump between steps; the position is its
// integral. Forces, masses and impulse directions D are taken at what is known already, the rows L of the constraints
// at what follows: no equation is nonlinear beyond the contact laws.
//
// galerkin-0. v is constant inside the step, all that happens is one jump at its beginning:
//
//     M(q)(v+ - v) + h (convective - f)(t, q, v) = D(q) P,        q+ = q ⊕ h v+
//     joints:  U+ = L(q+)^T v+ + dg/dt = 0;     contacts with g <= tolerance:  K ∋ P ⊥ U+ + e U (+ mu |U_T+| n) ∈ K*
//
// (only here q+ depends on the unknown v+: where gradients change, a few linear solves follow each other).
//
// galerkin-1. v is linear inside the step, from v to v-; the weak form with the trapezoidal rule, explicitly:
//
//     M(q)(V - v)                 = h   (f - convective)(t, q, v)   + D(q) p_1,     L(Q)^T V + dg/dt  : 0, or ⊥ p_1
//     M(Q)(v- - v - (V - v)/2)    = h/2 (f - convective)(t+, Q, V)  + D(Q) p_2,     L(q+)^T v- + dg/dt: 0, or ⊥ p_2
//     Q = q ⊕ h v,    q+ = q ⊕ h/2 (v + x'(h v, V))        x' = V in a vector space
//     M(q+)(v+ - v-) = L(q+) P,       joints U+ = 0;  contacts with g(q+) <= tolerance: K ∋ P ⊥ U+ + e U- (+ ...) ∈ K*
//
// The jump of the velocity is the impact, first order in time. Inside, p_1/2 + p_2 are the continuous reactions of
// joints and of contacts that are closed at the beginning of the step, K ∋ p ⊥ U (+ mu |U_T| n) ∈ K* without
// restitution; a contact that carried a reaction at the end of the last step counts as closed although its gap drifts
// with the order of the scheme. Bounces too small for the step end there. What is closed and yet approaches, a body
// thrown against what it touches, has no continuous reaction: it meets the impact, with its restitution.
//
// Orders in smooth motion, with joints, closed contacts and plane friction: 1 and 2 (friction in space whose direction
// turns: 1); 1 in L1 across impacts. Exact at velocity level, not in position: gaps overlap by O(h) at an impact,
// joints drift by O(h), O(h^2). Explicit in the forces: stable while h times the largest frequency is below about 2.
#include <algorithm>

#include "ricochet/scheme/pieces/frozen_impact.hpp"
#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {
namespace {

constexpr std::int64_t kClosed = 1;  // ContactMemory::mode: pressed at the end of the element

struct GalerkinLocal {
  explicit GalerkinLocal(const Model& m)
      : first(m, Level::velocity),
        second(m, Level::velocity),
        impact(m),
        ledger(m),
        zero(VectorXd::Zero(m.nv())),
        x(m.nv()),
        rate(m.nv()),
        V(m.nv()),
        v_minus(m.nv()),
        a(m.nv()),
        mean(m.nv()),
        Q(m.nq()) {}
  Stage first, second;  ///< degree 0: the first alone
  FrozenImpact impact;
  WorkLedger ledger;
  VectorXd zero, x, rate, V, v_minus, a, mean;  ///< (nv)
  VectorXd Q;                                   ///< (nq)
};

class Galerkin final : public Scheme {
 public:
  Galerkin(const Options& o, int degree) : degree_(degree), controls_(tolerances(o)) {
    info_ = find_scheme(degree == 0 ? "galerkin-0" : "galerkin-1")->info;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    GalerkinLocal& l = w.of<GalerkinLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.ledger.reset();
    degree_ == 0 ? constant(model, state, h, next, w, l, report) : linear(model, state, h, next, w, l, report);
  }

 private:
  /// Joints, and contacts that are closed at the beginning of the step; `at_rest`: those alone that do not approach.
  void pick_closed(const State& state, const Workspace& w, bool at_rest, std::vector<int>& pick) const {
    const double activation = controls_.tolerance.activation;
    pick_joints(w, pick);
    auto memory = state.contacts.begin();
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Candidate& c = w.candidates[i];
      if (c.bilateral()) continue;
      while (memory != state.contacts.end() && memory->key < c.key) ++memory;
      const bool pressed = memory != state.contacts.end() && memory->key == c.key && memory->mode == kClosed;
      const int id = static_cast<int>(i);
      const double near = activation * gap_size(w, id);
      if (pressed || (gap_before(w, id) <= near && !(at_rest && U_before(w, id) * w.scale.time < -near)))
        pick.push_back(id);
    }
  }

  /// One linear problem at a known place: M(at) (x+ - x) = -r + D p. False: the report says why.
  bool solve(const Model& model, const Point& at, double h, Workspace& w, Stage& stage, VectorXd& x,
             StepReport& report) const {
    const bool regular = stage.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); });
    if (regular) stage.solve(model, w, controls_, h, x);
    report.status = !regular                                 ? StepStatus::singular
                    : stage.solved != SolveStatus::converged ? StepStatus::solver_failed
                                                             : StepStatus::converged;
    count(stage, report);
    return report.ok();
  }
  static void count(const Stage& stage, StepReport& report) {
    report.newton += stage.passes;
    report.solver += stage.solver_iterations;
    report.minimum_norm = report.minimum_norm || stage.minimum_norm;
  }

  void constant(const Model& model, const State& state, double h, State& next, Workspace& w, GalerkinLocal& l,
                StepReport& report) const {
    Stage& stage = l.first;
    stage.reset();
    stage.restitution = true;
    stage.collocated = model.constant_gradients();
    pick_closed(state, w, false, stage.L.pick);
    stage.warm_start(state, h, w);
    const Point begin{state.t, state.q, state.v};
    if (!stage.collocated) {
      stage.D.pick = stage.L.pick;
      evaluate(model, state.t, state.q, w.candidates, stage.D, w.model);
    }
    stage.bending = {0, h, 0, {}, {next.t, next.q, next.v}};
    report.status = newton(
        model, w, stage, controls_, h, next.v, {1, 0, 0}, model.linear(),
        [&] {
          l.x = h * next.v;
          model.retract(state.q, l.x, next.q);
        },
        [&] {
          evaluate(model, next.t, next.q, w.candidates, stage.L, w.model);
          l.a = (next.v - state.v) / h;
          stage.r.setZero();
          model.residual(begin, l.a, h, stage.r, w.model);
        },
        [&](Operator& S) { model.mass(begin, 1, S, w.model); });
    count(stage, report);
    report.activations = 1;
    if (!report.ok()) return;
    l.mean = 0.5 * (state.v + next.v);
    l.a = (next.v - state.v) / h;
    stage.scatter_impulses(w);
    end_step(model, state, h, next, w, report);
    audit_constant(model, begin, h, w, l, report);
    remember(w, stage, next);
  }

  /// The contact work at mid-step with the rows of both ends, as every scheme of one impulse books it; that D stands at
  /// the beginning alone is part of the remainder.
  static void audit_constant(const Model& model, const Point& begin, double h, Workspace& w, GalerkinLocal& l,
                             StepReport& report) {
    EnergyLedger& e = report.energy;
    const double before = e.sum();
    book_contact_work(w, report);
    const double booked = e.sum() - before;
    double reaction = 0;
    const Jacobian& D = l.first.directions();
    for (const Jacobian::Block& b : D.blocks())
      for (int i = 0; i < b.dim; ++i) reaction += l.first.p()[b.row + i] * D.row_times(b, i, l.mean);
    e.nonlinear_remainder += reaction - booked;
    l.ledger.balance(model, begin, l.a, h, l.mean, w.model);
    l.ledger.close(model, report);
  }

  void linear(const Model& model, const State& state, double h, State& next, Workspace& w, GalerkinLocal& l,
              StepReport& report) const {
    const Point begin{state.t, state.q, state.v}, predicted{next.t, l.Q, l.V};
    // Prediction over the whole step.
    Stage& first = l.first;
    start(model, first);
    pick_closed(state, w, true, first.L.pick);
    first.warm_start(state, h, w);
    l.x = h * state.v;
    model.retract(state.q, l.x, l.Q);
    rows(model, {next.t, l.Q, {}}, begin, w, first);
    first.r.setZero();
    model.residual(begin, l.zero, h, first.r, w.model);
    l.V = state.v;
    if (!solve(model, begin, h, w, first, l.V, report)) return;
    report.certificate.complementarity = first.complementarity(l.V);
    // Trapezoidal rule.
    model.increment_rate(l.x, l.V, l.rate);
    l.x = h / 2 * (state.v + l.rate);
    model.retract(state.q, l.x, next.q);
    Stage& second = l.second;
    start(model, second);
    second.L.pick = first.L.pick;
    second.warm_start(state, h / 2, w);
    rows(model, {next.t, next.q, {}}, predicted, w, second);
    second.r.setZero();
    model.residual(predicted, l.zero, h / 2, second.r, w.model);
    l.v_minus = 0.5 * (state.v + l.V);
    if (!solve(model, predicted, h, w, second, l.v_minus, report)) return;
    report.certificate.complementarity =
        std::max(report.certificate.complementarity, second.complementarity(l.v_minus));
    if (!impact(model, h, next, w, l, report)) return;
    report.activations = 1;

    l.a = (l.V - state.v) / h;
    l.ledger.balance(model, begin, l.a, h / 2, state.v, w.model);
    l.ledger.impulses(w, first.D, first.p(), 0.5, state.v);
    l.a = 2 / h * (l.v_minus - 0.5 * (state.v + l.V));
    l.ledger.balance(model, predicted, l.a, h / 2, l.V, w.model);
    l.ledger.impulses(w, second.D, second.p(), 1, l.V);
    l.impact.book(model, {next.t, next.q, next.v}, next.v, w, l.ledger);
    end_step(model, state, h, next, w, report);
    l.ledger.close(model, report);
    remember(w, second, next);
  }

  static void start(const Model& model, Stage& stage) {
    stage.reset();
    stage.restitution = false;
    stage.collocated = model.constant_gradients();
  }
  static void rows(const Model& model, const Point& condition, const Point& direction, Workspace& w, Stage& stage) {
    evaluate(model, condition.t, condition.q, w.candidates, stage.L, w.model);
    stage.D.pick = stage.L.pick;
    evaluate(model, direction.t, direction.q, w.candidates, stage.D, w.model);  // dg/dt moves where gradients do not
  }

  /// Newton's law at the end of the element: contacts that are closed there, or were inside it.
  bool impact(const Model& model, double h, State& next, Workspace& w, GalerkinLocal& l, StepReport& report) const {
    const Point at{next.t, next.q, next.v};
    next.v = l.v_minus;
    l.impact.prepare(model, at, w);
    std::size_t k = 0;
    const std::vector<int>& inside = l.second.L.pick;
    for (int i = 0; i < static_cast<int>(w.candidates.size()); ++i) {
      const bool closed = k < inside.size() && inside[k] == i;
      if (closed) ++k;
      if (!w.candidates[i].bilateral() &&
          (closed || l.impact.gap(i) <= controls_.tolerance.activation * gap_size(w, i)))
        l.impact.pick(i, true);
    }
    report.status = l.impact.solve(model, at, h, controls_, w, next.v, report);
    return report.ok();
  }

  /// Contacts with a reaction at the end of the element that do not bounce stay closed.
  void remember(const Workspace& w, const Stage& stage, State& next) const {
    auto memory = next.contacts.begin();
    for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
      const int i = stage.L.pick[k];
      const Candidate& c = w.candidates[i];
      if (c.bilateral() || !(stage.p()[stage.L.G.blocks()[k].row] > 0)) continue;
      if (std::abs(w.after->U[w.after->rows.G.blocks()[i].row]) > controls_.tolerance.activation * U_size(w, i))
        continue;
      while (memory != next.contacts.end() && memory->key < c.key) ++memory;
      if (memory != next.contacts.end() && memory->key == c.key) memory->mode = kClosed;
    }
  }

  SchemeInfo info_;
  int degree_;
  Controls controls_;
};

template <int degree>
SchemeEntry entry(SchemeInfo info) {
  SchemeEntry e;
  e.info = std::move(info);
  e.options = common_options();
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Galerkin>(o, degree); };
  return e;
}

}  // namespace

SchemeEntry galerkin_0() {
  return entry<0>({.name = "galerkin-0",
                   .summary = "time-discontinuous Galerkin, piecewise constant velocity, explicit in the forces",
                   .reference = "acary-2018, outlook",
                   .smooth_order = 1,
                   .impact_order = 1,
                   .exact_position = false,
                   .exact_velocity = true});
}
SchemeEntry galerkin_1() {
  return entry<1>({.name = "galerkin-1",
                   .summary = "time-discontinuous Galerkin, piecewise linear velocity, explicit in the forces; impacts "
                              "apart from continuous reactions",
                   .reference = "acary-2018, outlook",
                   .smooth_order = 2,
                   .impact_order = 1,
                   .exact_position = false,
                   .exact_velocity = true,
                   .one_impulse = false});
}

}  // namespace ricochet
