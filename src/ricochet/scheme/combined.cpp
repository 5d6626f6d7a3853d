// The combined activation/projection scheme (acary-2012 (65)-(70), Algorithm 2): a contact is projected only if it also
// has the velocity-level law in the same step, so that no projection lifts a body without an impulse.
//
//     I = {};  repeat
//       for contacts in I:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*,
//                            g(q+) = 0 with tau of any sign if P_N > 0,   else 0 <= g(q+) ⊥ tau >= 0            (65)
//       joints:              U+ = 0 and g(q+) = 0
//       I <- I ∪ { g(q+) <= activation tolerance }                                                            (66)
//     until I does not grow.       Motion, metric and energy: pieces/projection.hpp
//
// The set only grows, so there are at most as many index sets as contacts plus one. P_N > 0 is asked after each
// velocity solution, rule (70). The first set is empty: the free motion of the step forecasts the contacts. (66) takes
// the activation tolerance in place of zero because a projected gap is zero to the tolerance only.
//
// Orders: 2 for theta = 1/2 in smooth motion, else 1; 1 in L1 across impacts. Exact at both levels. A resting body
// rests at gap 0; dissipates more than projected.
#include "ricochet/scheme/pieces/projection.hpp"

namespace ricochet {
namespace {

struct Local : ProjectedMotion {
  using ProjectedMotion::ProjectedMotion;
  std::vector<char> active;  ///< the index set, by candidate
};

class Combined final : public Scheme {
 public:
  explicit Combined(const Options& o)
      : theta_(o.number("theta")), metric_(metric(o)), coupled_(o.flag("coupled")), controls_(tolerances(o)) {
    info_ = find_scheme("combined")->info;
    info_.smooth_order = theta_ == 0.5 ? 2 : 1;
  }
  const SchemeInfo& info() const override { return info_; }

  void step(const Model& model, const State& state, double h, State& next, Workspace& w,
            StepReport& report) const override {
    Local& l = w.of<Local>(model);
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    const ThetaStep step{model, state, h, theta_, metric_, coupled_, controls_, next, w, report};

    l.active.assign(w.candidates.size(), 0);
    l.projected.assign(w.candidates.size(), 0);
    do {
      l.reset();
      pick_joints(w, l.velocity.L.pick);
      for (std::size_t i = 0; i < w.candidates.size(); ++i)
        if (l.active[i]) l.velocity.L.pick.push_back(static_cast<int>(i));
      l.velocity.warm_start(state, h, w);
      const bool solved = l.solve(step, [&] {
        for (std::size_t i = 0; i < w.candidates.size(); ++i)
          if (l.active[i]) l.projected[i] = l.P(w, i) > 0 ? 2 : 1;
      });
      ++report.activations;
      if (!solved) return;
    } while (grow(w, l));
    l.finish(step);
  }

 private:
  /// (66); false if nothing came in.
  bool grow(const Workspace& w, Local& l) const {
    bool grown = false;
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      if (w.candidates[i].bilateral() || l.active[i] || l.gap(i) > controls_.tolerance.activation) continue;
      l.active[i] = 1;
      grown = true;
    }
    return grown;
  }

  SchemeInfo info_;
  double theta_;
  Metric metric_;
  bool coupled_;
  Controls controls_;
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
      .exact_velocity = true};
  e.options = projection_options();
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Combined>(o); };
  return e;
}

}  // namespace ricochet
