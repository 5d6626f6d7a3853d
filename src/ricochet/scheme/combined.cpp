// The combined activation/projection scheme (acary-2012 (65)-(70), Algorithm 2): a contact is projected only if it also
// has the velocity-level law in the same step, so that no projection lifts a body without an impulse.
//
//     I = { what is closed and does not open, and carried an impulse in the step before or rests };  repeat
//       for contacts in I:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*,
//                            g(q+) = 0 with tau of any sign if P_N > 0,   else 0 <= g(q+) ⊥ tau >= 0            (65)
//       joints:              U+ = 0 and g(q+) = 0
//       I <- I ∪ { g(q+) <= 0, to tolerance }                                                                  (66)
//     until I does not grow.       Motion, metric and energy: pieces/projection.hpp
//
// The set only grows, so there are at most as many index sets as contacts plus one. P_N > 0 is asked after each
// velocity solution: rule (70), and (69) where the coupled problem is posed with it. With curved constraints (65) may
// have no solution: a gap at zero turns the rows so that the impulse vanishes, and the gap that then opens brings it
// back. A gap is therefore let go once only; at the second time it stays closed. Nor has it one where the forecast
// takes in more contacts than can close together, say two walls, one a little behind the other, which share the
// impulse: the gaps are then left to complementarity, and of those that carry though they end open the one that would
// close last leaves the set for this step. The paper begins with the empty set (`first_set: empty`): the free motion of
// the step forecasts the contacts. What is held for many steps is then let fall and caught again in each of them, pin
// after pin. A contact that is closed, does not open and carried an impulse is in the set that grows from there anyway,
// unless the step ends without an impulse of its own; and then it changes nothing. So is one that rests: of the four
// corners of a face three may carry, others in each step. Zero in (66) is the activation tolerance for a contact that
// is closed at the beginning of the step, because a projected gap is zero to the tolerance only, and minus the
// constraint tolerance for one that is open: a body that just arrives at the end of a step hits in the next one, with
// the velocity that it has there. Gaps put to zero make such arrivals a rule, not a rare case: a ball with e = 1/2
// flies a whole number of steps. Taken into the step before, an impact would see the velocity of a step too early.
//
// Orders: 2 for theta = 1/2 in smooth motion, else 1; 1 in L1 across impacts. Exact at both levels. A resting body
// rests at gap 0; dissipates more than projected.
#include "ricochet/scheme/pieces/projection.hpp"

namespace ricochet {
namespace {

class Combined final : public Scheme {
 public:
  explicit Combined(const Options& o) : settings_(o), empty_(o.choice("first_set") == "empty") {
    info_ = find_scheme("combined")->info;
    info_.smooth_order = settings_.smooth_order();
    info_.velocity_rows = info_.rolling = !settings_.coupled;
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return settings_.controls.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    ProjectedMotion& l = w.of<ProjectedMotion>(model);
    begin_step(model, state, h, w, true);
    l.begin(model, w);
    prepare_next(state, h, next);
    const ThetaStep step{settings_, model, state, h, next, w, report};

    l.active.assign(w.candidates.size(), 0);
    l.projected.assign(w.candidates.size(), 0);
    l.barred.assign(w.candidates.size(), 0);
    if (!empty_) begin(state, w, l);
    for (bool changed = true; changed;) {
      if (solve(step, l, true)) {
        changed = grow(w, l);
      } else if (contradicts(report.status) && solve(step, l, false)) {
        changed = bar(w, l) || grow(w, l);
      } else {
        return;
      }
    }
    l.finish(step);
  }

 private:
  /// Nearly dependent rows let Newton for the position go astray where a solver would find no solution.
  static bool contradicts(StepStatus status) {
    return status == StepStatus::solver_failed || status == StepStatus::newton_limit;
  }
  /// Both levels with the present set; `closed`: contacts that carry an impulse end with gap zero.
  bool solve(const ThetaStep& step, ProjectedMotion& l, bool closed) const {
    const std::size_t n = step.w.candidates.size();
    if (!closed) prepare_next(step.state, step.h, step.next);
    l.reset();
    l.released.assign(n, 0);
    pick_velocity_rows(step.w, l.velocity.L.pick);
    for (std::size_t i = 0; i < n; ++i)
      if (l.active[i]) l.velocity.L.pick.push_back(static_cast<int>(i));
    l.velocity.warm_start(step.state, step.h, step.w);
    ++step.report.activations;
    return l.solve(step, [&] {
      for (std::size_t i = 0; i < n; ++i) {
        if (!l.active[i]) continue;
        const bool carries = closed && l.P(step.w, i) > 0, lets_go = !carries && l.projected[i] == 2;
        l.projected[i] = carries || (lets_go && l.released[i]) ? 2 : 1;
        if (lets_go) l.released[i] = 1;
      }
      return false;
    });
  }
  /// Of the contacts that carry though they were open and end open the one that would close last leaves the set, with
  /// those that close with it; false if there is none.
  bool bar(const Workspace& w, ProjectedMotion& l) const {
    const Tolerances& tolerance = settings_.controls.tolerance;
    const auto closes = [&](std::size_t i) {  // when, with the velocity of the beginning
      const int k = static_cast<int>(i);
      const double open = tolerance.activation * gap_size(w, k), gap = gap_before(w, k);
      if (!l.active[i] || !(l.P(w, i) > 0) || !(l.gap(i) > open) || !(gap > open)) return 0.0;
      return gap / std::max(-U_before(w, k), tolerance.activation * U_size(w, k));
    };
    double last = 0;
    for (std::size_t i = 0; i < w.candidates.size(); ++i) last = std::max(last, closes(i));
    for (std::size_t i = 0; i < w.candidates.size() && last > 0; ++i)
      if (closes(i) >= (1 - 1e-9) * last) l.active[i] = l.projected[i] = 0, l.barred[i] = 1;
    return last > 0;
  }
  /// The first set: closed contacts that do not open, and carried an impulse or rest.
  void begin(const State& state, const Workspace& w, ProjectedMotion& l) const {
    const double tolerance = settings_.controls.tolerance.activation;
    auto memory = state.contacts.begin();  // sorted by key, as candidates are within joints and contacts
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const Candidate& c = w.candidates[i];
      const int k = static_cast<int>(i);
      const double small = tolerance * U_size(w, k);
      if (!c.unilateral() || gap_before(w, k) > tolerance * gap_size(w, k) || U_before(w, k) > small) continue;
      while (memory != state.contacts.end() && memory->key < c.key) ++memory;
      const bool known = memory != state.contacts.end() && memory->key == c.key;
      l.active[i] = U_before(w, k) >= -small || (known && memory->reaction[0] > 0);
    }
  }
  /// (66); false if nothing came in.
  bool grow(const Workspace& w, ProjectedMotion& l) const {
    const Tolerances& tolerance = settings_.controls.tolerance;
    bool grown = false;
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      if (!w.candidates[i].unilateral() || l.active[i] || l.barred[i]) continue;
      const double size = gap_size(w, static_cast<int>(i));
      const bool was_closed = gap_before(w, static_cast<int>(i)) <= tolerance.activation * size;
      if (l.gap(i) > (was_closed ? tolerance.activation : -tolerance.constraint) * size) continue;
      l.active[i] = 1;
      grown = true;
    }
    return grown;
  }

  SchemeInfo info_;
  ProjectionSettings settings_;
  bool empty_;
};

}  // namespace

SchemeEntry combined() {
  SchemeEntry e;
  e.info = {
      .name = "combined",
      .summary = "activation and projection together; exact at both levels, with friction, rests without chattering",
      .reference = "acary-2012 (65)-(70), Algorithm 2",
      .smooth_order = 2,
      .impact_order = 1,
      .exact_position = true,
      .exact_velocity = true,
      .velocity_rows = true,
      .rolling = true,
      .collision = true};
  e.options = projection_options();
  e.options.push_back(choice_option("first_set", "carrying", {"carrying", "empty"},
                                    "contacts that a step begins with: those that carry, or none as printed"));
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Combined>(o); };
  return e;
}

}  // namespace ricochet
