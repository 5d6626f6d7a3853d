// Splitting: the smooth motion by a Runge-Kutta method of high order, the impacts after it at a frozen position
// (acary-2018 (140)-(143)).
//
//     1.  M(q) v' + convective = f + G lambda,     from (q, v) over h to (q+, v-);     joints with multipliers
//     2.  M(q+)(v+ - v-) = G(q+) P,     joints U+ = 0;   contacts with g(q+) <= tolerance:  K ∋ P ⊥ U+ + e U- (+ ...) ∈
//     K*
//
// contact_forces   impulsive:   lambda of the joints alone; a contact that stays closed is one small impact after the
// other
//                               (140), (141), and sinks by the free fall of every step: O(h)
//                  continuous:  contacts that are closed and pressed at the beginning of the step have multipliers too,
//                               0 <= G^T a + bias ⊥ lambda >= 0 at every stage (142), (143). Restitution then belongs
//                               to contacts that were open, or approached, at the beginning: what leaves and comes back
//                               within the step is closed. A contact that would pull over the step, by the negative
//                               weights of a method, opens in it: it is left to the impact at its end.
// adaptive         the smooth part takes inner steps of its own, by the error estimate of the pair
//
// order p of the method (5: Fehlberg's pair, propagated at order 5) without contact; 1 in L1 across impacts and, with
// impulsive forces, in persistent contact; of the method in contact that stays closed with continuous ones. Exact at
// velocity level, not in position: gaps overlap by O(h) at an impact, joints drift with the order. Explicit: stable
// while h times the largest frequency is below about 3. Friction with impulsive forces only.
#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/scheme/pieces/acceleration.hpp"
#include "ricochet/scheme/pieces/constrained_runge_kutta.hpp"
#include "ricochet/scheme/pieces/frozen_impact.hpp"

namespace ricochet {
namespace {

constexpr std::int64_t kHeldSmooth = 1;  // ContactMemory::mode: held in the smooth part
constexpr int kMaxInner = 100000;

struct SplittingLocal {
  explicit SplittingLocal(const Model& m)
      : rk(m), acceleration(m), impact(m), ledger(m), q(m.nq()), v(m.nv()), a(m.nv()) {}
  ConstrainedRungeKutta rk;
  Accelerations acceleration;
  FrozenImpact impact;
  WorkLedger ledger;
  VectorXd q, v, a;
  std::vector<int> held;
};

class Splitting final : public Scheme {
 public:
  explicit Splitting(const Options& o)
      : continuous_(o.choice("contact_forces") == "continuous"),
        adaptive_(o.flag("adaptive")),
        atol_(o.number("atol")),
        rtol_(o.number("rtol")),
        controls_(tolerances(o)) {
    info_ = find_scheme("splitting")->info;
    const double order = o.number("order");
    tableau_ = order == 5 ? find_tableau("rkf45") : explicit_tableau(static_cast<int>(order));
    if (!tableau_ || order != std::floor(order))
      throw InputError("order", "no explicit method of this order; accepted: 1 to 5 and 8");
    if (adaptive_ && order != 5) throw InputError("order", "adaptive steps need an error estimate; accepted: 5");
    info_.smooth_order = static_cast<int>(order);
    info_.friction = !continuous_;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return controls_.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    SplittingLocal& l = w.of<SplittingLocal>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    l.ledger.reset();
    l.rk.passes = l.acceleration.solver_iterations = 0;
    l.rk.minimum_norm = false;
    l.rk.unilateral = true;
    l.q = state.q;
    l.v = state.v;
    report.activations = 1;
    if (!choose(model, state, w, l, report) || !smooth(model, state, h, next, w, l, report)) return;
    if (!hold_velocity(model, next.t, w, l, report)) return;
    report.newton += l.rk.passes;
    report.solver += l.acceleration.solver_iterations;
    report.minimum_norm = l.rk.minimum_norm;

    next.q = l.q;
    next.v = l.v;
    const Point at{next.t, next.q, next.v};
    l.impact.prepare(model, at, w);
    for (int i = 0; i < static_cast<int>(w.candidates.size()); ++i) {
      if (w.candidates[i].bilateral()) continue;
      const bool held = std::find(l.held.begin(), l.held.end(), i) != l.held.end();
      const double near = controls_.tolerance.activation * gap_size(w, i);
      if (!held && l.impact.gap(i) > near) continue;
      const bool comes = gap_before(w, i) > near || U_before(w, i) * w.scale.time < -near;
      l.impact.pick(i, !continuous_ || (!held && comes));
    }
    report.status = l.impact.solve(model, at, h, controls_, w, next.v, report);
    if (!report.ok()) return;
    l.impact.book(model, at, next.v, w, l.ledger);
    end_step(model, state, h, next, w, report);
    l.ledger.close(model, report);
    for (ContactMemory& m : next.contacts)
      for (int i : l.held)
        if (w.candidates[i].key == m.key) m.mode = kHeldSmooth;
  }

 private:
  /// Joints, and the contacts that the accelerations press together.
  bool choose(const Model& model, const State& state, Workspace& w, SplittingLocal& l, StepReport& report) const {
    pick_joints(w, l.held);
    for (int i = 0; i < static_cast<int>(w.candidates.size()); ++i)
      if (!w.candidates[i].bilateral() && continuous_ && at_rest(state, w, i)) l.held.push_back(i);
    return keep_pressed(model, {state.t, state.q, state.v}, w, l, report);
  }
  /// Of the contacts in l.held only those that the accelerations at a point press together.
  bool keep_pressed(const Model& model, const Point& at, Workspace& w, SplittingLocal& l, StepReport& report) const {
    if (l.held.empty() || w.candidates[l.held.back()].bilateral()) return true;
    fill(l);
    ++report.newton;
    if (!l.acceleration.evaluate(model, at, w)) {
      report.status = StepStatus::singular;
    } else if (l.acceleration.choose(controls_, w.solver, l.a) != SolveStatus::converged) {
      report.status = StepStatus::solver_failed;
    }
    if (!report.ok()) return false;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < l.held.size(); ++k)
      if (w.candidates[l.held[k]].bilateral() || l.acceleration.reaction(k)[0] > 0) l.held[kept++] = l.held[k];
    l.held.resize(kept);
    return true;
  }
  static void fill(SplittingLocal& l) {
    l.acceleration.held.clear();
    for (int i : l.held) l.acceleration.held.push_back({i, Hold::frictionless, {}});
  }
  /// Multipliers hold accelerations: what contacts that are still pressed drifted in velocity is taken out, of either
  /// sign.
  bool hold_velocity(const Model& model, double t, Workspace& w, SplittingLocal& l, StepReport& report) const {
    if (l.held.empty() || w.candidates[l.held.back()].bilateral()) return true;
    const Point end{t, l.q, l.v};
    if (!keep_pressed(model, end, w, l, report)) return false;
    fill(l);
    ++report.newton;
    const Energies before = model.energies(end, w.model);
    if (!l.acceleration.evaluate(model, end, w)) {
      report.status = StepStatus::singular;
    } else if (!(l.acceleration.project_velocity(l.v) <= controls_.tolerance.constraint * velocity_size(l.v, w))) {
      report.status = StepStatus::newton_limit;
    }
    if (!report.ok()) return false;
    l.ledger.projection(before, model.energies(end, w.model));
    return true;
  }
  bool at_rest(const State& state, const Workspace& w, int i) const {
    const double near = controls_.tolerance.activation * gap_size(w, i);
    if (std::abs(U_before(w, i)) * w.scale.time > near) return false;
    if (gap_before(w, i) <= near) return true;
    return std::any_of(state.contacts.begin(), state.contacts.end(),
                       [&](const ContactMemory& m) { return m.key == w.candidates[i].key && m.mode == kHeldSmooth; });
  }

  /// Contacts that pulled over the last inner step are held no longer. True: there were some.
  static bool release(const Workspace& w, SplittingLocal& l) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < l.held.size(); ++k)
      if (w.candidates[l.held[k]].bilateral() || !(l.rk.impulse(k) < 0)) l.held[kept++] = l.held[k];
    const bool some = kept < l.held.size();
    l.held.resize(kept);
    return some;
  }

  bool smooth(const Model& model, const State& state, double h, State& next, Workspace& w, SplittingLocal& l,
              StepReport& report) const {
    double done = 0, inner = adaptive_ && state.h > 0 ? state.h : h;
    for (int pass = 0; done < h; ++pass) {
      const double left = h - done;
      double size = adaptive_ ? std::min(inner, left) : h;
      if (left - size < 1e-12 * h) size = left;
      do {
        report.status = w.stopped()
                            ? StepStatus::interrupted
                            : l.rk.step(model, *tableau_, {state.t + done, l.q, l.v}, size, l.held, controls_, w);
        if (!report.ok()) return false;
      } while (release(w, l));
      if (adaptive_) {
        const double error = l.rk.error(atol_, rtol_, w);
        const double factor = std::clamp(0.9 * elementary::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
        if (size < left || error > 1 || factor * size > inner) inner = factor * size;
        if (error > 1) {
          if (pass < kMaxInner && inner > 1e-12 * h) continue;
          report.status = StepStatus::inner_step;
          return false;
        }
      }
      l.rk.book(model, w, l.ledger);
      l.q = l.rk.q;
      l.v = l.rk.v;
      done = size == left ? h : done + size;
    }
    if (adaptive_) next.h = inner;
    return true;
  }

  SchemeInfo info_;
  bool continuous_, adaptive_;
  double atol_, rtol_;
  Controls controls_;
  const Tableau* tableau_ = nullptr;
};

}  // namespace

SchemeEntry splitting() {
  SchemeEntry e;
  e.info = {.name = "splitting",
            .summary = "Runge-Kutta for the smooth motion, impacts after it at a frozen position",
            .reference = "acary-2018 (140)-(143)",
            .smooth_order = 5,
            .impact_order = 1,
            .exact_position = false,
            .exact_velocity = true,
            .friction = false,
            .one_impulse = false};
  e.options = {
      number_option("order", 5, 1, 8, "order of the smooth part: 1 to 5 and 8; 5 is Fehlberg's pair"),
      choice_option("contact_forces", "continuous", {"continuous", "impulsive"},
                    "continuous: closed contacts have multipliers in the smooth part; impulsive: impacts alone, "
                    "with friction"),
      flag_option("adaptive", false, "inner steps of the smooth part by its error estimate"),
      number_option("atol", 1e-9, 1e-15, 1, "adaptive: absolute tolerance of an inner step"),
      number_option("rtol", 1e-9, 1e-15, 1, "adaptive: relative tolerance of an inner step")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Splitting>(o); };
  return e;
}

}  // namespace ricochet
