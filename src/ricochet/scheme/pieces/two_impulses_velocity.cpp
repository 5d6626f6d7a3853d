#include <algorithm>
#include <cmath>

#include "ricochet/scheme/pieces/two_impulses.hpp"

namespace ricochet {
void TwoImpulses::pose_velocity(const TwoImpulseStep& s, const Buffer& impulse) {
  ImpulseProblem& problem = velocity_;
  problem.clear();
  problem.local.unit = s.w.scale.velocity;
  const std::vector<Candidate>& all = s.w.candidates;
  for (int kind = 0; kind < 3; ++kind)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Candidate& c = all[i];
      const int own = c.bilateral() ? 0 : c.velocity_only ? 1 : 2;
      if (own != kind) continue;
      const Jacobian::Block& e = end_.G.blocks()[i];
      const int first = s.w.before->rows.G.blocks()[i].row;
      if (own == 2 && !(end_.g[e.row] <= s.controls.tolerance.activation * s.w.size[first] || first_[first] > 0))
        continue;
      const int row = problem.D.rows();
      append(s, problem, i, e.dim, impulse);
      double* G = problem.D.add(e.dim, end_.G.ranges(e), e.ranges);
      for (int k = 0; k < e.dim; ++k) {
        const double f = problem.factor[row + k];
        for (int j = 0; j < e.length; ++j) G[k * e.length + j] = f * end_.G.row(e, k)[j];
        problem.w[row + k] = f * (end_.G.row_times(e, k, v_star_) + end_.g_t[e.row + k]);
        problem.measure[row + k] = s.w.scale.time / (f * s.w.size[first + (c.bilateral() ? k : 0)]);
      }
    }
  problem.L = problem.D;
  problem.local.rows = problem.D.rows();
}

bool TwoImpulses::solve_velocity(const TwoImpulseStep& s) {
  assign(v_star_, s.next.v);
  const int rows = s.w.before->rows.G.rows();
  std::copy_n(first_.data(), rows, both_.need(rows));
  pose_velocity(s, first_);
  const int m = velocity_.size();
  if (m == 0) return true;
  std::copy_n(velocity_.p.data(), m, given_.need(m));
  std::copy_n(velocity_.w.data(), m, star_rows_.need(m));
  velocity_.r.setZero();
  velocity_.D.add_times(1, given_.data(), velocity_.r);
  const Operator* M = &mass_;
  if (s.model.linear()) {
    auto [S, fresh] = s.w.operators.find(s.model.layout(), {1, 0, 0});
    M = S;
    if (fresh) {
      S->zero();
      s.model.mass({s.next.t, s.next.q, v_star_}, 1, *S, s.w.model);
      S->factorise();
    }
  } else {
    mass_.zero();
    s.model.mass({s.next.t, s.next.q, v_star_}, 1, mass_, s.w.model);
    mass_.factorise();
  }
  if (!M->regular()) return false;
  velocity_.condense(*M, &s.w.solver.crew);
  return apply_rebound(s, 1);
}

/// v+ and the impulses of the step where contacts leave with this part of what restitution asks.
bool TwoImpulses::apply_rebound(const TwoImpulseStep& s, double part) {
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const int row = velocity_.local.blocks[k].row;
    const double change =
        star_rows_[row] - part * wanted_[static_cast<std::size_t>(velocity_.who[k].candidate)] - velocity_.w[row];
    if (change == 0) continue;
    velocity_.w[row] += change;
    velocity_.local.b[row] += change;
  }
  part_ = part;
  if (!solve_linear(s)) return false;
  assign(s.next.v, v_star_);
  velocity_.move(s.next.v);
  scatter(velocity_, both_);
  ++s.report.projections;
  return true;
}

/// Bounds that follow the load of a joint, by the impulses at hand; whether they have moved.
bool TwoImpulses::renew_bounds(const TwoImpulseStep& s) {
  bool moved = false;
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const Candidate& c = s.w.candidates[static_cast<std::size_t>(velocity_.who[k].candidate)];
    if (c.load == Candidate::kNoLoad) continue;
    ConeBlock& block = velocity_.local.blocks[k];
    LocalState local = local_state(s.w, velocity_.who[k].candidate, s.h);
    local.load = load_of(s, c, both_);
    const double mu = c.law->local(local).mu / velocity_.factor[block.row];
    const double change = std::abs(mu - block.mu) * std::abs(velocity_.local.W.diagonal(block.row));
    moved = moved || change * velocity_.measure[block.row] > 0.01 * s.controls.tolerance.constraint;
    block.mu = mu;
  }
  return moved;
}

bool TwoImpulses::solve_linear(const TwoImpulseStep& s) {
  constexpr int kSets = 16, kBounds = 20;
  ImpulseProblem& problem = velocity_;
  const int m = problem.size();
  double largest = problem.local.unit;
  for (int i = 0; i < m; ++i) largest = std::max(largest, std::abs(problem.local.b[i]));
  const auto residual = [&] {
    double* u = u_.need(m);
    problem.local.W.apply(problem.p.data(), u, scratch_);
    for (int i = 0; i < m; ++i) u[i] += problem.local.b[i];
    return natural_residual(problem.local, problem.p.data(), u);
  };
  const bool own = SetNewton::takes(problem.local) && !s.controls.solver_options.minimum_norm;
  for (int round = 0;; ++round) {
    bool found = false;
    sets_.begin();
    for (int pass = 0; own && pass < kSets && !found; ++pass) {
      const bool same = sets_.pass(problem.local, problem.p.data());
      redundant_ = redundant_ || sets_.redundant();
      ++s.report.solver;
      const double left = residual();
      found = left <= s.controls.tolerance.solver * largest ||
              (same && left <= 1e-2 * s.controls.tolerance.constraint * problem.local.unit);
    }
    if (!found && !solve_by_solver(s, problem)) return false;
    scatter(problem, both_);
    if (!renew_bounds(s)) return true;
    if (round == kBounds) return false;
  }
}

/// Work of the position problem's impulses at contacts, and of all that the velocity problem adds: against the rows.
double TwoImpulses::gain(const TwoImpulseStep& s) const {
  double sum = 0;
  for (std::size_t k = 0; k < position_.who.size(); ++k) {
    const ConeBlock& block = position_.local.blocks[k];
    if (s.w.candidates[static_cast<std::size_t>(position_.who[k].candidate)].bilateral()) continue;
    const Jacobian::Block& d = position_.D.blocks()[k];
    for (int i = 0; i < block.dim; ++i)
      if (const double p = position_.p[block.row + i]; p != 0)
        sum += p * (position_.D.row_times(d, i, motion_.v_theta) + drift_[block.row + i]);
  }
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const Jacobian::Block& d = velocity_.D.blocks()[k];
    for (int i = d.row; i < d.row + d.dim; ++i) {
      const double more = velocity_.D.row_times(d, i - d.row, s.next.v) - velocity_.D.row_times(d, i - d.row, v_star_);
      sum += (velocity_.p[i] - given_[i]) * (star_rows_[i] + 0.5 * more);
    }
  }
  return sum;
}

/// What Newton's tolerance leaves of the work of zero gaps, and rounding.
double TwoImpulses::margin(const TwoImpulseStep& s) const {
  const Tolerances& tolerance = s.controls.tolerance;
  double sum = 0;
  for (std::size_t k = 0; k < position_.who.size(); ++k) {
    const ConeBlock& block = position_.local.blocks[k];
    if (s.w.candidates[static_cast<std::size_t>(position_.who[k].candidate)].bilateral()) continue;
    sum += std::abs(position_.p[block.row]) * tolerance.constraint * s.w.size[position_.who[k].first] / s.h;
  }
  return sum + 1e-13 * (s.w.before->energies.kinetic + star_.kinetic);
}

bool TwoImpulses::restitute(const TwoImpulseStep& s) {
  if (velocity_.size() == 0) return true;
  star_ = s.model.energies({s.next.t, s.next.q, v_star_}, s.w.model);
  const double enough = margin(s);
  double high = gain(s);
  if (high <= enough) return true;
  if (std::all_of(wanted_.begin(), wanted_.end(), [](double x) { return x == 0; })) return false;
  if (!apply_rebound(s, 0)) return false;
  const double low = gain(s);
  if (low > enough) return false;
  // the gain is a quadratic of the part where the sets stay: the root between, then what is certain
  if (!apply_rebound(s, 0.5)) return false;
  const double middle = gain(s);
  const double a = 2 * (high - 2 * middle + low), b = high - low - a;
  const double root = a > 0 ? (-b + std::sqrt(std::max(0.0, b * b - 4 * a * low))) / (2 * a) : b > 0 ? -low / b : 0;
  double part = std::min(1.0, std::max(0.0, root));
  for (int k = 0; k < 8; ++k, part *= k < 4 ? 1 - 1e-9 : 0.5) {
    if (!apply_rebound(s, part)) return false;
    if (gain(s) <= enough) return true;
  }
  return apply_rebound(s, 0);
}

}  // namespace ricochet
