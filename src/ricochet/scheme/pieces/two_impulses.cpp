#include "ricochet/scheme/pieces/two_impulses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

void pick_all(Rows& rows, std::size_t n) {
  if (rows.pick.size() == n) return;
  rows.pick.resize(n);
  for (std::size_t i = 0; i < n; ++i) rows.pick[i] = static_cast<int>(i);
}

}  // namespace

TwoImpulses::TwoImpulses(const Model& m)
    : position_(m.nv()), velocity_(m.nv()), motion_(m), own_(m.layout()), mass_(m.layout()), left_(m.nv()) {}

void TwoImpulses::begin(const TwoImpulseStep& s) {
  const std::size_t n = s.w.candidates.size();
  const int rows = s.w.before->rows.G.rows();
  pick_all(mid_, n);
  pick_all(end_, n);
  closed_.assign(n, 0);
  rests_.assign(n, 0);
  always_.assign(n, 0);
  wanted_.assign(n, 0);
  guess_.zeros(rows);
  rubs_ = false;
  // closed is what Newton's method leaves, and no more: play may be smaller than what counts as closed elsewhere
  const double closed =
      std::max(0.2 * s.controls.tolerance.constraint,
               64 * std::numeric_limits<double>::epsilon() * configuration_size(s.model, s.state.q, s.w));
  auto memory = s.state.contacts.begin();
  for (std::size_t i = 0; i < n; ++i) {
    const Candidate& c = s.w.candidates[i];
    const int k = static_cast<int>(i), row = s.w.before->rows.G.blocks()[i].row;
    const double tolerance = s.controls.tolerance.activation;
    always_[i] = !c.unilateral();
    if (c.unilateral()) {
      closed_[i] = gap_before(s.w, k) <= closed * gap_size(s.w, k);
      rests_[i] = closed_[i] && U_before(s.w, k) >= -tolerance * U_size(s.w, k);
      if (!rests_[i] && U_before(s.w, k) < 0)
        wanted_[i] = -c.law->local(local_state(s.w, k, s.h)).restitution * U_before(s.w, k);
      rubs_ = rubs_ || (rests_[i] && c.dim > 1);
    }
    while (memory != s.state.contacts.end() && memory->key < c.key) ++memory;
    if (memory == s.state.contacts.end() || memory->key != c.key) continue;
    if (c.unilateral() && !(rests_[i] && U_before(s.w, k) <= tolerance * U_size(s.w, k))) continue;
    for (int d = 0; d < c.dim; ++d) guess_[row + d] = memory->reaction[static_cast<std::size_t>(d)] * s.h;
  }
}

double TwoImpulses::load_of(const TwoImpulseStep& s, const Candidate& c, const Buffer& impulse) const {
  if (c.load == Candidate::kNoLoad) return 0;
  const int row = s.w.before->rows.G.blocks()[static_cast<std::size_t>(load_candidate(s.w, c))].row;
  double square = 0;
  for (int k = row; k < row + c.load_rows; ++k) square += impulse[k] * impulse[k];
  return std::sqrt(square);
}

/// Appends a block of `dim` rows of candidate i to what is posed; the caller fills D, L and w.
void TwoImpulses::append(const TwoImpulseStep& s, ImpulseProblem& problem, std::size_t i, int dim,
                         const Buffer& impulse) {
  const Candidate& c = s.w.candidates[i];
  const int first = s.w.before->rows.G.blocks()[i].row, row = problem.D.rows();
  double *factor = problem.factor.need(row + dim) + row, *give = problem.give.need(row + dim) + row;
  double* p = problem.p.need(row + dim) + row;
  problem.measure.need(row + dim);
  problem.w.need(row + dim);
  problem.who.push_back({static_cast<int>(i), first});
  ConeBlock block{Cone::free, row, dim, 0};
  LocalLaw law;
  if (!c.bilateral()) {
    LocalState local = local_state(s.w, static_cast<int>(i), s.h);
    local.load = load_of(s, c, impulse);
    law = c.law->local(local);
    block = {law.cone, row, dim, law.mu, law.roll, law.spin};
    if (c.unilateral() && dim == 1 && c.dim > 1) block = {Cone::nonnegative, row, 1, 0};
  }
  for (int k = 0; k < dim; ++k) {
    const double size = s.w.size[c.bilateral() ? first + k : first];
    const bool even = c.bilateral() || c.velocity_only;
    factor[k] = even ? std::ldexp(1.0, -std::ilogb(size * s.w.scale.per_length)) : 1.0;
    give[k] = law.compliance[static_cast<std::size_t>(k)];
    p[k] = impulse[first + k] / factor[k];
  }
  if (block.cone == Cone::interval) block.mu /= factor[0];
  problem.local.blocks.push_back(block);
}

void TwoImpulses::scatter(const ImpulseProblem& problem, Buffer& all) const {
  for (std::size_t k = 0; k < problem.who.size(); ++k) {
    const ConeBlock& block = problem.local.blocks[k];
    for (int i = 0; i < block.dim; ++i)
      all[problem.who[k].first + i] = problem.p[block.row + i] * problem.factor[block.row + i];
  }
}

/// One pass: p of the present problem by sets, or by a solver.
bool TwoImpulses::advance(const TwoImpulseStep& s, ImpulseProblem& problem, bool rescue) {
  if (problem.size() == 0) return true;
  if (!rescue && SetNewton::takes(problem.local)) {
    sets_.pass(problem.local, problem.p.data());
    redundant_ = redundant_ || sets_.redundant();
    ++s.report.solver;
    return true;
  }
  return solve_by_solver(s, problem);
}

bool TwoImpulses::solve_by_solver(const TwoImpulseStep& s, ImpulseProblem& problem) {
  const int m = problem.size();
  solution_.fit(m);
  std::copy_n(problem.p.data(), m, solution_.p.data());
  s.controls.solver->solve(problem.local, s.controls.solver_options, solution_, s.w.solver);
  s.report.solver += solution_.iterations;
  std::copy_n(solution_.p.data(), m, problem.p.data());
  redundant_ = redundant_ || solution_.minimum_norm;
  return solution_.status == SolveStatus::converged ||
         solution_.residual <= 0.5 * s.controls.tolerance.constraint * problem.local.unit;
}

bool TwoImpulses::solve(const TwoImpulseStep& s) {
  begin(s);
  s.report.status = StepStatus::newton_limit;
  for (const Way way : {Way::plain, Way::lean, Way::frictionless}) {
    if (way == Way::frictionless && !rubs_) break;
    ++s.report.activations;
    redundant_ = false;
    if (!solve_position(s, way)) continue;
    if (!solve_velocity(s)) {
      s.report.status = StepStatus::solver_failed;
      continue;
    }
    if (!restitute(s)) {
      s.report.status = StepStatus::energy_gain;
      continue;
    }
    s.report.status = StepStatus::converged;
    finish(s);
    return true;
  }
  return false;
}

void TwoImpulses::describe(const TwoImpulseStep& s) {
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const ConeBlock& block = velocity_.local.blocks[k];
    double trace = 0;
    for (int i = block.row; i < block.row + block.dim; ++i) {
      const double f = velocity_.factor[i];
      trace += velocity_.local.W.diagonal(i) / (f * f);
      s.w.load = std::max(s.w.load, std::abs(velocity_.local.b[i]));
    }
    double* mobile = s.w.compliance.data() + velocity_.who[k].first;
    if (block.cone == Cone::rolling)
      put_mobility(block.dim, mobility(velocity_.local, block), mobile);
    else if (trace > 0)
      *mobile = trace / block.dim;
  }
}

/// What was asked for and applied, for the certificate and for whoever observes.
void TwoImpulses::tell_restitution(const TwoImpulseStep& s) {
  s.w.reduces = true;
  double* told = s.w.restitution.zeros(2 * static_cast<Index>(wanted_.size()));
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (wanted_[i] != 0) told[2 * i] = told[2 * i + 1] = -wanted_[i] / U_before(s.w, static_cast<int>(i));
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const auto i = static_cast<std::size_t>(velocity_.who[k].candidate);
    if (wanted_[i] == 0) continue;
    const double part = part_[island(velocity_.D, velocity_.D.blocks()[k])];
    told[2 * i + 1] *= part;
    if (!(both_[velocity_.who[k].first] > 0)) continue;
    ++s.report.rebounds;
    if (part == 1) continue;
    ++s.report.reduced;
    s.report.least_part = std::min(s.report.least_part, part);
  }
}

void TwoImpulses::finish(const TwoImpulseStep& s) {
  const int rows = s.w.before->rows.G.rows();
  std::copy_n(both_.data(), rows, s.w.impulse.data());
  std::copy_n(first_.data(), rows, s.w.correction.data());
  tell_restitution(s);
  describe(s);
  s.report.minimum_norm = redundant_;
  star_ = s.model.energies({s.next.t, s.next.q, v_star_}, s.w.model);
  mean_ = 0.5 * (v_star_ + s.next.v);
  if (!s.model.constant_gradients()) take_rows(end_, s.w);
  end_step(s.model, s.state, s.h, s.next, s.w, s.report);
  audit(s);
}

void TwoImpulses::audit(const TwoImpulseStep& s) {
  EnergyLedger& e = s.report.energy;
  const Point at{s.state.t + kTheta * s.h, motion_.q_theta, motion_.v_theta};
  Power power = s.model.power(at, motion_.v_theta, s.w.model);
  for_each_weight(s, [&](const Point& place, double weight) {
    for (std::size_t i = 0; i < s.model.forces().size(); ++i) {
      const Power part = s.model.forces()[i]->power(place, motion_.v_theta, s.w.model.force(i));
      power.external += weight * part.external;
      power.damping += weight * part.damping;
      power.potential += weight * part.potential;
      power.potential_rate += weight * part.potential_rate;
    }
  });
  e.external += s.h * (power.external + power.potential_rate);
  e.damping += s.h * power.damping;
  const auto book = [&](int candidate, int k, double work, double drift) {
    const Candidate& c = s.w.candidates[static_cast<std::size_t>(candidate)];
    (c.bilateral() ? e.numerical : c.unilateral() && k == 0 ? e.impact : e.friction) += work + drift;
    e.external -= drift;
  };
  for (std::size_t k = 0; k < position_.who.size(); ++k) {
    const Jacobian::Block& d = position_.D.blocks()[k];
    for (int i = 0; i < d.dim; ++i)
      if (const double p = position_.p[d.row + i]; p != 0)
        book(position_.who[k].candidate, i, p * position_.D.row_times(d, i, motion_.v_theta), p * drift_[d.row + i]);
  }
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const Jacobian::Block& d = velocity_.D.blocks()[k];
    for (int i = 0; i < d.dim; ++i) {
      const double p = velocity_.p[d.row + i] - given_[d.row + i];
      if (p == 0) continue;
      const double drift = star_rows_[d.row + i] - velocity_.D.row_times(d, i, v_star_);
      book(velocity_.who[k].candidate, i, p * velocity_.D.row_times(d, i, mean_), p * drift);
    }
  }
  // Of joints that is theirs which the velocities at both ends tell; what the second problem takes of a velocity that
  // left them within the step is the scheme's.
  for (std::size_t i = 0; i < s.w.candidates.size(); ++i) {
    const Jacobian::Block& b = s.w.before->rows.G.blocks()[i];
    for (int row = b.row; s.w.candidates[i].bilateral() && row < b.row + b.dim; ++row) {
      const double work = s.w.impulse[row] * 0.5 * (s.w.before->U[row] + s.w.after->U[row]);
      e.joints += work;
      e.numerical -= work;
    }
  }
  // what a quadratic energy and forces along the way of the step do not have
  VectorXd& y = s.w.audit;
  y.setZero(s.model.nv());
  left_ = s.next.v - v_star_;
  s.model.mass_times({s.next.t, s.next.q, mean_}, left_, 1, y, s.w.model);
  const double work = dot(motion_.v_theta, position_.r) + s.h * (power.external + power.damping + power.potential);
  e.nonlinear_remainder += (star_.kinetic - e.kinetic_before - work) +
                           (e.potential - e.potential_before + s.h * (power.potential - power.potential_rate)) +
                           (e.kinetic - star_.kinetic - mean_.dot(y));
  e.defect = e.change() - e.sum();
  s.report.certificate.energy_defect = std::abs(e.defect);
}

}  // namespace ricochet
