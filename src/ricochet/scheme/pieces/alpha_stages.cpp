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

void AlphaStart::append_names(std::vector<std::string>& names) {
  for (const char* name : {"jump", "correction", "slide"}) names.emplace_back(name);
}

void AlphaStages::start(const Model& model, const State& state, double h, const Workspace& w, VectorXd& jump,
                        std::vector<char>& taken) {
  if (model.linear()) return;
  auto memory = state.contacts.begin();  // sorted by key, as candidates are within joints and contacts
  for (std::size_t k = 0; k < gaps.pick.size(); ++k) {
    const Candidate& c = w.candidates[gaps.pick[k]];
    while (memory != state.contacts.end() && memory->key < c.key) ++memory;
    if (memory == state.contacts.end() || memory->key != c.key || !(memory->correction > 0)) continue;
    taken[k] = 1;
    position.L.pick.push_back(gaps.pick[k]);
  }
  position.warm_start(state, h, w);
  const VectorXd* kept = state.memory.data() + state.memory.size() - AlphaStart::kCount;
  jump = h * kept[AlphaStart::kJump];
  U = h * h * kept[AlphaStart::kCorrection];
  slide = h * h * kept[AlphaStart::kSlide];
}

void AlphaStages::keep(const StepReport& report, double h, const VectorXd& jump, State& next) const {
  VectorXd* kept = next.memory.data() + next.memory.size() - AlphaStart::kCount;
  const double lasting = report.impacts == 0 ? 1 / h : 0;
  kept[AlphaStart::kJump] = lasting * jump;
  kept[AlphaStart::kCorrection] = lasting / h * U;
  kept[AlphaStart::kSlide] = lasting / h * slide;
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

RelativeCriterion RelativeCriterion::of(const Options& o) {
  const bool chosen = o.choice("criterion") == "relative";
  refuse_idle(o, chosen, "criterion: relative", {"tol_r", "tol_f"});
  return {chosen, o.number("tol_r"), o.number("tol_f")};
}

std::vector<OptionInfo> RelativeCriterion::options() {
  return {choice_option("criterion", "tolerance", {"tolerance", "relative"},
                        "when the iterations end: all holds to the tolerance, or the dynamics as tol_r and tol_f say"),
          number_option("tol_r", 1e-5, 1e-14, 1e-1, "criterion relative: residual over the sum of its terms"),
          number_option("tol_f", 1e-5, 0, 1e15, "criterion relative: force that counts beside these terms [N]")};
}

bool RelativeCriterion::holds(const Model& model, const Point& at, double h, Workspace& w, AlphaStages& l,
                              double constraint) const {
  if (!chosen) return false;
  const auto norm = [&](auto&& add) {
    l.part.setZero();
    add(l.part);
    return l.part.norm() / h;
  };
  const Jacobian& G = l.smooth.L.G;
  const double* p = l.smooth.p();
  const double residual = norm([&](VectorXd& y) {
    y = l.smooth.r;
    G.add_times(-1, p, y);
  });
  const double terms = norm([&](VectorXd& y) { model.mass_times(at, l.motion.acceleration, h, y, w.model); }) +
                       norm([&](VectorXd& y) { model.residual(at, l.zero, h, y, w.model); }) +
                       norm([&](VectorXd& y) { G.add_times(1, p, y); });
  if (!(residual <= tol_r * (terms + tol_f))) return false;
  const double* u = l.smooth.rows(w, h, l.motion.v);
  for (std::size_t k = 0; k < l.smooth.L.pick.size(); ++k) {
    const Jacobian::Block& b = G.blocks()[k];
    const double* per = w.per_size.data() + w.before->rows.G.blocks()[l.smooth.L.pick[k]].row;
    for (int i = 0; i < b.dim; ++i)
      if (!(std::abs(u[b.row + i]) * per[i] * w.scale.time <= constraint)) return false;
  }
  return true;
}

OptionInfo spectral_radius_option() {
  return number_option("rho_inf", 0.8, 0, 1, "spectral radius at infinity: 1 keeps, 0 annihilates high frequencies");
}

void refuse_idle(const Options& o, bool chosen, const std::string& with, std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (!chosen && o.given(option)) throw InputError(option, "has no effect without " + with);
}

}  // namespace ricochet
