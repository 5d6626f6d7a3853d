#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {

void ThetaMotion::place(const Model& model, const State& s, double h, double theta, State& next) {
  const Index n = x.size();
  const double *v = s.v.data(), *v_next = next.v.data(), *q = s.q.data(), rate = 1 / h;
  double *at_theta = v_theta.data(), *whole = x.data(), *part = half_.data(), *mean = a.data();
  double *q_next = next.q.data(), *q_part = q_theta.data();
  const bool flat = model.flat();
  for (Index i = 0; i < n; ++i) {
    const double vi = v[i], to = v_next[i], middle = (1 - theta) * vi + theta * to, xi = h * middle, half = theta * xi;
    at_theta[i] = middle;
    whole[i] = xi;
    part[i] = half;
    mean[i] = (to - vi) * rate;
    if (!flat) continue;
    q_next[i] = q[i] + xi;
    q_part[i] = q[i] + half;
  }
  if (flat) return;
  model.retract(s.q, x, next.q);
  model.retract(s.q, half_, q_theta);
}

double book_contact_work(const Workspace& w, StepReport& report) {
  const auto& blocks = w.before->rows.G.blocks();
  EnergyLedger& e = report.energy;
  double change = 0;
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const bool joint = w.candidates[i].bilateral(), normal = w.candidates[i].unilateral();
    for (int k = 0; k < blocks[i].dim; ++k) {
      const int row = blocks[i].row + k;
      const double P = w.impulse[row];
      if (P == 0) continue;
      const double drift = 0.5 * (w.before->rows.g_t[row] + w.after->rows.g_t[row]);
      (joint ? e.joints : normal && k == 0 ? e.impact : e.friction) += P * 0.5 * (w.before->U[row] + w.after->U[row]);
      e.external -= P * drift;
      change += P * (w.after->U[row] - w.after->rows.g_t[row] - w.before->U[row] + w.before->rows.g_t[row]);
    }
  }
  return change;
}

void audit_theta(const Model& model, const State& s, double h, double theta, const ThetaMotion& motion,
                 const Stage& stage, Workspace& w, StepReport& report) {
  EnergyLedger& e = report.energy;
  const Point at{s.t + theta * h, motion.q_theta, motion.v_theta};
  const Power power = model.power(at, motion.v_theta, w.model);
  e.external += h * (power.external + power.potential_rate);
  e.damping += h * power.damping;
  double dU = 0, booked = 0, reaction = 0;
  if (!stage.L.pick.empty()) {
    const double before = e.joints + e.impact + e.friction + e.external;
    dU = book_contact_work(w, report);
    booked = e.joints + e.impact + e.friction + e.external - before;
    double* along = w.along.need(stage.directions().rows());
    stage.directions().transpose_times(motion.v_theta, along, &w.solver.crew);
    for (int i = 0; i < stage.directions().rows(); ++i)
      if (stage.p()[i] != 0) reaction += stage.p()[i] * along[i];  // v_theta^T D P
  }
  double kinetic = 0, potential = 0;
  const double weight = 0.5 - theta;
  if (weight != 0) {
    VectorXd& y = w.audit;
    y.setZero(model.nv());
    model.mass_times(at, motion.a, h, y, w.model);
    kinetic = weight * h * motion.a.dot(y);
    potential = weight * model.potential_curvature(at, motion.x, w.model);
  }
  e.numerical += kinetic + potential - weight * dU;

  const double work = dot(motion.v_theta, stage.r) + h * (power.external + power.damping + power.potential);
  e.nonlinear_remainder +=
      (e.kinetic - e.kinetic_before - work - kinetic) +
      (e.potential - e.potential_before + h * (power.potential - power.potential_rate) - potential) +
      (reaction - booked + weight * dU);
  e.defect = e.change() - e.sum();
  report.certificate.energy_defect = std::abs(e.defect);
}

}  // namespace ricochet
