#include "ricochet/scheme/pieces/alpha.hpp"

namespace ricochet {

AlphaCoefficients AlphaCoefficients::of_spectral_radius(double rho) {
  AlphaCoefficients c;
  c.alpha_m = (2 * rho - 1) / (rho + 1);
  c.alpha_f = rho / (rho + 1);
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  return c;
}

void AlphaMotion::predict(const AlphaCoefficients& c, const State& s, double h) {
  const VectorXd &a = s.memory[kPseudoAcceleration], &dv = s.memory[kAcceleration];
  a_next = (c.alpha_f * dv - c.alpha_m * a) / (1 - c.alpha_m);
  v0 = s.v + h * (1 - c.gamma) * a + h * c.gamma * a_next;
  x0 = h * s.v + h * h * (0.5 - c.beta) * a + h * h * c.beta * a_next;
  v = v0;
  x = x0;
  acceleration.setZero();
}

void AlphaMotion::follow(const AlphaCoefficients& c, double h) {
  acceleration = c.c_M() / h * (v - v0);
  x = x0 + h * c.beta / c.gamma * (v - v0);
}

void AlphaMotion::finish(const AlphaCoefficients& c, State& next) const {
  next.memory[kPseudoAcceleration] = a_next + (1 - c.alpha_f) / (1 - c.alpha_m) * acceleration;
  next.memory[kAcceleration] = acceleration;
}

void start_acceleration(const Model& model, State& state, Workspace& w, const Controls& controls) {
  begin_step(model, state, 0, w);
  Stage stage(model, Level::velocity);
  stage.accelerations = true;
  pick_joints(w, stage.L.pick);
  evaluate(model, state.t, state.q, w.candidates, stage.L, w.model);
  const Point at{state.t, state.q, state.v};
  for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
    const Candidate& c = w.candidates[stage.L.pick[k]];
    model.set(c).bias(at, c, c.dim, stage.L.g_t.data() + stage.L.G.blocks()[k].row, w.model.set(c.set));
  }
  VectorXd a = VectorXd::Zero(model.nv());
  stage.r.setZero();
  model.residual(at, a, 1, stage.r, w.model);
  if (stage.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); }))
    stage.solve(model, w, controls, 0, a);
  state.memory.assign(2, a);
}

}  // namespace ricochet
