#include "ricochet/scheme/pieces/alpha_ledger.hpp"

#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {

void AlphaLedger::open(const Model& model, const AlphaCoefficients& c, bool filter_force, const State& s, double h,
                       const State& next, Workspace& w, EnergyLedger& e) {
  c_ = c;
  filter_force_ = filter_force;
  h_ = h;
  projection_ = 0;
  mean = 0.5 * (s.v + next.v);
  begin_ = model.power({s.t, s.q, s.v}, mean, w.model);
  end_ = model.power({next.t, next.q, next.v}, mean, w.model);
  e.external += h / 2 * (begin_.external + end_.external + begin_.potential_rate + end_.potential_rate);
  e.damping += h / 2 * (begin_.damping + end_.damping);
}

double AlphaLedger::contacts(Workspace& w, StepReport& report) const {
  const EnergyLedger& e = report.energy;
  const double before = e.joints + e.impact + e.friction + e.external;
  book_contact_work(w, report);
  return e.joints + e.impact + e.friction + e.external - before;
}

double AlphaLedger::gradient(const Model& model, const State& s, const State& next, ConstView direction,
                             Workspace& w) const {
  return -0.5 * (model.power({s.t, s.q, s.v}, direction, w.model).potential +
                 model.power({next.t, next.q, next.v}, direction, w.model).potential);
}

void AlphaLedger::correct(const Model& model, const State& s, const State& next, ConstView beyond, Workspace& w,
                          EnergyLedger& e) {
  projection_ = gradient(model, s, next, beyond, w);
  e.projection += projection_;
}

double AlphaLedger::work(const Jacobian& G, const double* p) const {
  double sum = 0;
  for (const Jacobian::Block& b : G.blocks())
    for (int i = 0; i < b.dim; ++i) sum += p[b.row + i] * G.row_times(b, i, mean);
  return sum;
}

void AlphaLedger::reaction_begin(const Model& model, const State& s, Workspace& w) {
  reaction.setZero();
  model.residual({s.t, s.q, s.v}, s.memory[filter_force_ ? kPseudoAcceleration : kAcceleration], 1, reaction, w.model);
  if (filter_force_) reaction -= s.memory[kAcceleration];
}

const double* AlphaLedger::multipliers_begin(const Model& model, const State& s, Workspace& w) {
  multipliers_.reset();
  pick_joints(w, multipliers_.L.pick);
  evaluate(model, s.t, s.q, w.candidates, multipliers_.L, w.model);
  multipliers_.L.g_t.zeros(multipliers_.L.G.rows());
  multipliers_.r = reaction;
  test_.setZero();
  const Point at{s.t, s.q, s.v};
  if (!multipliers_.factorise(model, w, {1, 0, 0}, [&](Operator& S) { model.mass(at, 1, S, w.model); })) return nullptr;
  multipliers_.solve(model, w, controls_, 0, test_);
  return multipliers_.p();
}

void AlphaLedger::joints(const Model& model, const State& s, const double* lambda_end, double work_end, Workspace& w,
                         EnergyLedger& e) {
  const double all = 0.5 * (h_ * dot(mean, reaction) + work_end);
  const Rows &begin = w.before->rows, &end = w.after->rows;
  const auto drift = [&](int row) { return 0.5 * (begin.g_t[row] + end.g_t[row]); };
  bool moving = false;
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (const Jacobian::Block& b = begin.G.blocks()[i]; w.candidates[i].bilateral())
      for (int k = b.row; k < b.row + b.dim; ++k) moving = moving || drift(k) != 0;
  e.joints += all;
  const double* lambda = moving ? multipliers_begin(model, s, w) : nullptr;
  if (lambda == nullptr) return;
  double outside = 0;
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (const Jacobian::Block& b = begin.G.blocks()[i]; w.candidates[i].bilateral())
      for (int k = b.row; k < b.row + b.dim; ++k) outside += h_ / 2 * (*lambda++ + lambda_end[k]) * drift(k);
  e.external -= outside;
  e.joints += outside;
}

void AlphaLedger::close(const Model& model, const State& s, const State& next, double turning, Workspace& w,
                        StepReport& report) {
  EnergyLedger& e = report.energy;
  const VectorXd &a = s.memory[kPseudoAcceleration], &a_next = next.memory[kPseudoAcceleration];
  const VectorXd &second = s.memory[kAcceleration], &second_next = next.memory[kAcceleration];  // v~', or e
  const Point begin{s.t, s.q, s.v}, end{next.t, next.q, next.v};

  if (filter_force_) {
    test_ = (c_.gamma - 0.5) * (a_next - a);
  } else {
    test_ = (1 - c_.gamma) * a + c_.gamma * a_next - 0.5 * (second + second_next);
  }
  double kinetic = h_ * product([&] { model.mass_times(end, test_, 1, y_, w.model); });
  if (filter_force_) kinetic += h_ / 2 * (mean.dot(second) + mean.dot(second_next));
  double potential = 0;
  if (c_.gamma != 2 * c_.beta) {
    test_ = h_ * h_ * (c_.gamma / 2 - c_.beta) * (a - a_next);
    potential = gradient(model, s, next, test_, w);
  }
  e.numerical += kinetic + potential;

  // beyond the linear identity: T, V, the mass at the other end, convective forces, the rows' turning
  test_ = next.v - s.v;
  const double kinetic_change = product([&] { model.mass_times(end, test_, 1, y_, w.model); });
  double inertia = 0;
  if (!model.constancy().mass) {
    const VectorXd& balanced = filter_force_ ? a : second;
    inertia = product([&] {
      model.mass_times(begin, balanced, 1, y_, w.model);
      model.mass_times(end, balanced, -1, y_, w.model);
    });
  }
  if (!model.constancy().linear) inertia += convective(model, begin, begin_, w) + convective(model, end, end_, w);
  e.nonlinear_remainder += (e.kinetic - e.kinetic_before - kinetic_change) - h_ / 2 * inertia + turning +
                           (e.potential - e.potential_before + h_ / 2 * (begin_.potential + end_.potential) -
                            potential - projection_ - h_ / 2 * (begin_.potential_rate + end_.potential_rate));
  e.defect = e.change() - e.sum();
  report.certificate.energy_defect = std::abs(e.defect);
}

/// vbar^T convective: what the residual holds beside applied forces.
double AlphaLedger::convective(const Model& model, const Point& at, const Power& p, Workspace& w) {
  return product([&] { model.residual(at, zero_, 1, y_, w.model); }) + p.external + p.damping + p.potential;
}

void audit_alpha(const Model& model, const AlphaCoefficients& c, const AlphaStep& step, Workspace& w,
                 StepReport& report) {
  const State &s = step.begin, &next = step.end;
  AlphaLedger& ledger = w.of<AlphaLedger>(model);
  EnergyLedger& e = report.energy;
  ledger.open(model, c, false, s, step.h, next, w, e);
  const double booked = ledger.contacts(w, report);
  ledger.reaction_begin(model, s, w);
  if (step.missing != nullptr) ledger.reaction += *step.missing;
  ledger.joints(model, s, w.smooth.data(), ledger.work(step.smooth.L.G, step.smooth.p()), w, e);
  w.audit.resize(model.nv());
  for (Index i = 0; i < w.audit.size(); ++i)
    w.audit[i] = step.correction[i] - 0.5 * step.h * (next.v[i] - step.motion.v[i]);
  ledger.correct(model, s, next, w.audit, w, e);
  ledger.close(model, s, next, ledger.work(step.velocity.L.G, step.velocity.p()) - booked, w, report);
}

}  // namespace ricochet
