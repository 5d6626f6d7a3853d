#include "ricochet/scheme/pieces/alpha.hpp"

#include "ricochet/scheme/pieces/theta.hpp"

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

void audit_alpha(const Model& model, const AlphaCoefficients& c, const State& s, double h, const State& next,
                 const AlphaMotion& motion, ConstView U, const Stage& smooth, const Stage& velocity, Workspace& w,
                 StepReport& report) {
  EnergyLedger& e = report.energy;
  const VectorXd &a = s.memory[kPseudoAcceleration], &a_next = next.memory[kPseudoAcceleration];
  const VectorXd &dv = s.memory[kAcceleration], &dv_next = next.memory[kAcceleration];
  const Point begin{s.t, s.q, s.v}, end{next.t, next.q, next.v};
  const Index n = model.nv();
  auto scratch = [&](int k) { return View(w.audit.data() + k * n, n); };
  w.audit.resize(5 * n);
  const View mean = scratch(0), y = scratch(1), test = scratch(2), zero = scratch(3), jump = scratch(4);
  for (Index i = 0; i < n; ++i) {
    mean[i] = 0.5 * (s.v[i] + next.v[i]);
    zero[i] = 0;
    jump[i] = next.v[i] - motion.v[i];
  }
  const auto product = [&](auto&& add) {
    y.vec().setZero();
    add();
    return dot(mean, y);
  };
  const auto gradient = [&](const View& direction) {  // direction^T grad V, mean of both ends
    return -0.5 * (model.power(begin, direction, w.model).potential + model.power(end, direction, w.model).potential);
  };

  // works, with the mean of the forces at both ends
  const Power p = model.power(begin, mean, w.model), p_next = model.power(end, mean, w.model);
  e.external += h / 2 * (p.external + p_next.external + p.potential_rate + p_next.potential_rate);
  e.damping += h / 2 * (p.damping + p_next.damping);
  const double before = e.joints + e.impact + e.friction + e.external;
  book_contact_work(w, report);
  const double booked = e.joints + e.impact + e.friction + e.external - before;
  // smooth reactions: at the beginning from the dynamics that the previous step solved, at the end from lambda~
  const double residual_begin = product([&] { model.residual(begin, dv, 1, y, w.model); });
  double reaction_end = 0;
  for (const Jacobian::Block& b : smooth.L.G.blocks())
    for (int i = 0; i < b.dim; ++i) reaction_end += smooth.p()[b.row + i] * smooth.L.G.row_times(b, i, mean);
  e.joints += 0.5 * (h * residual_begin + reaction_end);

  // the scheme's own dissipation
  for (Index i = 0; i < n; ++i) test[i] = (1 - c.gamma) * a[i] + c.gamma * a_next[i] - 0.5 * (dv[i] + dv_next[i]);
  const double kinetic = h * product([&] { model.mass_times(end, test, 1, y, w.model); });
  for (Index i = 0; i < n; ++i) test[i] = h * h * (c.gamma / 2 - c.beta) * (a[i] - a_next[i]);
  const double potential = gradient(test);
  e.numerical += kinetic + potential;
  for (Index i = 0; i < n; ++i) test[i] = U[i] - 0.5 * h * jump[i];
  const double projection = gradient(test);
  e.projection += projection;

  // what is beyond the linear identity: T, V, the mass at the other end, convective forces, the rows' turning
  for (Index i = 0; i < n; ++i) test[i] = next.v[i] - s.v[i];
  const double kinetic_change = product([&] { model.mass_times(end, test, 1, y, w.model); });
  const double convective_begin =
      product([&] { model.residual(begin, zero, 1, y, w.model); }) + p.external + p.damping + p.potential;
  const double convective_end =
      product([&] { model.residual(end, zero, 1, y, w.model); }) + p_next.external + p_next.damping + p_next.potential;
  const double mass_change = product([&] {
    model.mass_times(end, dv, 1, y, w.model);
    model.mass_times(begin, dv, -1, y, w.model);
  });
  double reaction = 0;
  for (const Jacobian::Block& b : velocity.L.G.blocks())
    for (int i = 0; i < b.dim; ++i) reaction += velocity.p()[b.row + i] * velocity.L.G.row_times(b, i, mean);
  e.nonlinear_remainder += (e.kinetic - e.kinetic_before - kinetic_change) -
                           h / 2 * (convective_begin + convective_end) + h / 2 * mass_change + (reaction - booked) +
                           (e.potential - e.potential_before - h * gradient(mean) - potential - projection -
                            h / 2 * (p.potential_rate + p_next.potential_rate));
  e.defect = e.change() - e.sum();
  report.certificate.energy_defect = std::abs(e.defect);
}

}  // namespace ricochet
