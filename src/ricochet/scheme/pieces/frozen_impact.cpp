#include "ricochet/scheme/pieces/frozen_impact.hpp"

#include <algorithm>

namespace ricochet {

void FrozenImpact::prepare(const Model& model, const Point& at, Workspace& w) {
  all_.pick = w.before->rows.pick;
  evaluate(model, at.t, at.q, w.candidates, all_, w.model);
  const int m = all_.G.rows();
  double* U = U_.need(m);
  all_.G.transpose_times(at.v, U);
  for (int i = 0; i < m; ++i) U[i] += all_.g_t[i];
  stage_.reset();
  stage_.U_before = U;
  pick_joints(w, stage_.L.pick);
}

void FrozenImpact::pick(int i, bool restitution) {
  stage_.L.pick.push_back(i);
  if (!restitution) U_[all_.G.blocks()[static_cast<std::size_t>(i)].row] = 0;
}

StepStatus FrozenImpact::solve(const Model& model, const Point& at, double h, const Controls& controls, Workspace& w,
                               VectorXd& v, StepReport& report) {
  before_ = v;
  evaluate(model, at.t, at.q, w.candidates, stage_.L, w.model);
  stage_.r.setZero();
  if (!stage_.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); }))
    return StepStatus::singular;
  stage_.solve(model, w, controls, h, v);
  report.newton += stage_.passes;
  report.solver += stage_.solver_iterations;
  report.minimum_norm = report.minimum_norm || stage_.minimum_norm;
  if (stage_.solved != SolveStatus::converged) return StepStatus::solver_failed;
  Certificate& c = report.certificate;
  c.complementarity = std::max(c.complementarity, stage_.complementarity(v));
  return StepStatus::converged;
}

void FrozenImpact::book(const Model& model, const Point& at, const VectorXd& v, Workspace& w, WorkLedger& ledger) {
  part_ = v - before_;
  before_ = 0.5 * (before_ + v);
  ledger.jump(model, at, part_, before_, w.model);
  ledger.impulses(w, stage_.L, stage_.p(), 1, before_);
}

}  // namespace ricochet
