// The direct projected scheme (acary-2012 (28), Algorithm 1): Moreau-Jean, then the position is projected on all
// constraints, whether the velocity level knows of them or not.
//
//     contacts that the forecast closes:   K ∋ P ⊥ U+ + e U_k (+ mu |U_T+| n) ∈ K*;   others P = 0
//     all contacts:   0 <= g(q+) ⊥ tau >= 0;     joints:  U+ = 0 and g(q+) = 0
//     motion, metric and energy: pieces/projection.hpp;   forecasts: pieces/forecast.hpp
//
// The forecast counts a gap as closed below the activation tolerance, strictly larger than the tolerance of the
// projection: after a projection the sign of a gap is round-off. Contacts enter the projection if they are closed as
// the step begins or once they are violated, and stay for the step: the others satisfy their condition with tau = 0 as
// they are.
//
// The scheme chatters with the explicit forecast: a projection lifts the body without an impulse and gives back the
// energy that the next impact takes. The free forecast does not; combined was made for this.
//
// Orders: 2 for theta = 1/2 in smooth motion, else 1; 1 in L1 across impacts. Exact at both levels.
#include "ricochet/scheme/pieces/forecast.hpp"
#include "ricochet/scheme/pieces/projection.hpp"

namespace ricochet {
namespace {

class Projected final : public Scheme {
 public:
  explicit Projected(const Options& o) : settings_(o), forecast_(o, settings_.theta) {
    info_ = find_scheme("projected")->info;
    info_.smooth_order = settings_.smooth_order();
    info_.velocity_rows = info_.rolling = !settings_.coupled;
    info_.holds_closed = forecast_.holds_closed();
  }
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return settings_.controls.tolerance; }

  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    ProjectedMotion& l = w.of<ProjectedMotion>(model);
    begin_step(model, state, h, w, true);
    prepare_next(state, h, next);
    const Tolerances& tolerance = settings_.controls.tolerance;
    const ThetaStep step{settings_, model, state, h, next, w, report};

    l.reset();
    pick_velocity_rows(w, l.velocity.L.pick);
    if (forecast_.needs_free_velocity() && l.velocity.L.pick.size() < w.candidates.size()) {
      if (!l.solve_velocity(step)) return;
      l.reset();
    }
    forecast_.activate(h, next.v, tolerance.activation, w, l.velocity.L.pick);
    l.velocity.warm_start(state, h, w);
    l.projected.assign(w.candidates.size(), 0);
    for (std::size_t i = 0; i < w.candidates.size(); ++i) {
      const int k = static_cast<int>(i);
      if (w.candidates[i].unilateral() && gap_before(w, k) <= tolerance.activation * gap_size(w, k)) l.projected[i] = 1;
    }
    report.activations = 1;
    const bool solved = l.solve(step, [&] {
      for (std::size_t i = 0; i < w.candidates.size(); ++i)
        if (w.candidates[i].unilateral() && l.gap(i) < -tolerance.constraint * gap_size(w, static_cast<int>(i)))
          l.projected[i] = 1;
      return true;
    });
    if (solved) l.finish(step);
  }

 private:
  SchemeInfo info_;
  ProjectionSettings settings_;
  Forecast forecast_;
};

}  // namespace

SchemeEntry projected() {
  SchemeEntry e;
  e.info = {.name = "projected",
            .summary = "Moreau-Jean, then the position projected on all constraints; chatters where combined rests",
            .reference = "acary-2012 (28), Algorithm 1",
            .smooth_order = 2,
            .impact_order = 1,
            .exact_position = true,
            .exact_velocity = true,
            .velocity_rows = true,
            .rolling = true,
            .collision = true};
  e.options = projection_options();
  for (auto& o : forecast_options()) e.options.push_back(o);
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<Projected>(o); };
  return e;
}

}  // namespace ricochet
