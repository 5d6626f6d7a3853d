#include "ricochet/scheme/pieces/alpha_stages.hpp"

#include "ricochet/math/input_error.hpp"

namespace ricochet {

void AlphaStages::prepare(const Workspace& w) {
  for (Stage* stage : {&smooth, &position, &velocity}) {
    stage->reset();
    stage == &position ? pick_position_joints(w, stage->L.pick) : pick_joints(w, stage->L.pick);
  }
  gaps.pick.clear();
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (w.candidates[i].unilateral()) gaps.pick.push_back(static_cast<int>(i));
  U.setZero();
  slide.setZero();
}

void AlphaStages::scatter(double h, Workspace& w) const {
  velocity.scatter_impulses(w);
  position.scatter(w, w.correction);
  smooth.scatter(w, w.smooth);
  for (int i = 0; i < w.before->rows.G.rows(); ++i) w.smooth[i] /= h;
}

void AlphaStages::close(const Model& model, const AlphaCoefficients& c, const State& state, double h, State& next,
                        Workspace& w, StepReport& report) {
  motion.finish(c, next);
  for (const Stage* stage : {&smooth, &position, &velocity}) {
    report.minimum_norm = report.minimum_norm || stage->minimum_norm;
    report.solver += stage->solver_iterations;
  }
  report.projections = position.passes;
  report.activations = 1;
  end_step(model, state, h, next, w, report);
}

OptionInfo spectral_radius_option() {
  return number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies");
}

void refuse_idle(const Options& o, bool chosen, const std::string& with, std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (!chosen && o.given(option)) throw InputError(option, "has no effect without " + with);
}

}  // namespace ricochet
