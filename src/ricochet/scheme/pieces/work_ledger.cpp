#include "ricochet/scheme/pieces/work_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {

void WorkLedger::reset() {
  work_ = {};
  inertia_ = potential_ = quadrature_ = time_ = 0;
  least_ = std::numeric_limits<double>::infinity();
  most_ = -least_;
}

void WorkLedger::balance(const Model& model, const Point& at, ConstView a, double h, ConstView w,
                         ModelScratch& scratch) {
  r_.setZero();
  model.residual(at, a, h, r_, scratch);
  const Power power = model.power(at, w, scratch);
  work_.external += h * (power.external + power.potential_rate);
  // Of forces that depend on velocities, the power is that on the velocity they are taken at.
  const double damping = w.data() == at.v.data() ? power.damping : model.power(at, at.v, scratch).damping;
  time_ += h;
  least_ = std::min(least_, damping);
  most_ = std::max(most_, damping);
  quadrature_ += h * power.damping;
  inertia_ += dot(w, r_) + h * (power.external + power.damping + power.potential);
  potential_ += h * (power.potential_rate - power.potential);
}

void WorkLedger::jump(const Model& model, const Point& at, ConstView dv, ConstView w, ModelScratch& scratch) {
  r_.setZero();
  model.mass_times(at, dv, 1, r_, scratch);
  inertia_ += dot(w, r_);
}

void WorkLedger::impulses(Workspace& workspace, const Rows& rows, const double* p, double c, ConstView w) {
  for (std::size_t k = 0; k < rows.pick.size(); ++k) {
    const Jacobian::Block& b = rows.G.blocks()[k];
    const bool joint = workspace.candidates[rows.pick[k]].bilateral();
    const int first = workspace.before->rows.G.blocks()[rows.pick[k]].row;
    for (int i = 0; i < b.dim; ++i) {
      const double P = c * p[b.row + i];
      if (P == 0) continue;
      workspace.impulse[first + i] += P;
      const double drift = rows.g_t[b.row + i];  // moving boundaries work from outside
      (joint ? work_.joints : i == 0 ? work_.impact : work_.friction) += P * (rows.G.row_times(b, i, w) + drift);
      work_.external -= P * drift;
    }
  }
}

void WorkLedger::projection(const Energies& before, const Energies& after) {
  work_.projection += after.kinetic + after.potential - before.kinetic - before.potential;
}

void WorkLedger::close(const Model& model, StepReport& report) const {
  EnergyLedger& e = report.energy;
  e.external += work_.external;
  const double damping = time_ == 0 ? 0 : std::min(std::max(quadrature_, time_ * least_), time_ * most_);
  e.damping += damping;
  e.joints += work_.joints;
  e.impact += work_.impact;
  e.friction += work_.friction;
  e.projection += work_.projection;
  const double rest = (e.kinetic - e.kinetic_before - inertia_) + (e.potential - e.potential_before - potential_) +
                      (quadrature_ - damping) - work_.projection;
  (model.linear() ? e.numerical : e.nonlinear_remainder) += rest;
  e.defect = e.change() - e.sum();
  report.certificate.energy_defect = std::abs(e.defect);
}

}  // namespace ricochet
