#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/scheme/pieces/two_impulses.hpp"

namespace ricochet {
namespace {
constexpr double kRounding = 1e-13;  ///< of an impulse times velocities
}
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
  first_.zeros(rows);  // nothing of the guess that had no rows
  scatter(position_, first_);
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
  find_islands(s);
  return apply_rebound(s);
}

/// Who hangs together, by coordinates: bodies that rows join.
void TwoImpulses::find_islands(const TwoImpulseStep& s) {
  islands_.start(static_cast<std::size_t>(s.model.nv()));
  const OperatorLayout& layout = s.model.layout();
  const bool apart = layout.structure == Structure::block_diagonal || layout.structure == Structure::blocks;
  const Range whole{0, s.model.nv()};
  for (const Range& r : apart ? layout.blocks : std::vector<Range>{whole})
    for (int i = r.at + 1; i < r.at + r.n; ++i) islands_.join(r.at, i);
  for (const ImpulseProblem* problem : {&position_, &velocity_})
    for (const Jacobian::Block& b : problem->D.blocks())
      for (int k = 1; k < b.ranges; ++k) islands_.join(problem->D.ranges(b)[0].at, problem->D.ranges(b)[k].at);
  part_.assign(static_cast<std::size_t>(s.model.nv()), 1);
}

std::size_t TwoImpulses::island(const Jacobian& D, const Jacobian::Block& b) {
  return static_cast<std::size_t>(b.ranges > 0 ? islands_.root(D.ranges(b)[0].at) : 0);
}

/// v+ and the impulses of the step where contacts leave with their island's part of what restitution asks.
bool TwoImpulses::apply_rebound(const TwoImpulseStep& s) {
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const int row = velocity_.local.blocks[k].row;
    const double part = part_[island(velocity_.D, velocity_.D.blocks()[k])];
    const double asked = part * wanted_[static_cast<std::size_t>(velocity_.who[k].candidate)];
    const double change = star_rows_[row] - asked - velocity_.w[row];
    if (change == 0) continue;
    velocity_.w[row] += change;
    velocity_.local.b[row] += change;
  }
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

/// By island: the work of the position problem's impulses at contacts and of all that the velocity problem adds,
/// against the rows, beyond that of gaps that are not quite zero at the ends of the step, and rounding.
void TwoImpulses::find_gains(const TwoImpulseStep& s, std::vector<double>& gains) {
  gains.assign(part_.size(), 0);
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * s.w.scale.length / s.h;
  for (std::size_t k = 0; k < position_.who.size(); ++k) {
    const Jacobian::Block& d = position_.D.blocks()[k];
    if (s.w.candidates[static_cast<std::size_t>(position_.who[k].candidate)].bilateral()) continue;
    double& sum = gains[island(position_.D, d)];
    for (int i = 0; i < d.dim; ++i)
      if (const double p = position_.p[d.row + i]; p != 0)
        sum += p * (position_.D.row_times(d, i, motion_.v_theta) + drift_[d.row + i]);
    const double begin = std::max(0.0, -gap_before(s.w, position_.who[k].candidate)) / s.h;
    sum -= std::abs(position_.p[d.row]) * (kTheta * std::abs(position_.w[d.row]) + begin + rounding);
  }
  for (std::size_t k = 0; k < velocity_.who.size(); ++k) {
    const Jacobian::Block& d = velocity_.D.blocks()[k];
    double& sum = gains[island(velocity_.D, d)];
    for (int i = 0; i < d.dim; ++i) {
      const int row = d.row + i;
      const double more = velocity_.D.row_times(d, i, s.next.v) - velocity_.D.row_times(d, i, v_star_);
      const double P = velocity_.p[row] - given_[row], U = star_rows_[row] + 0.5 * more;
      sum += P * U - kRounding * (std::abs(P) + std::abs(given_[row])) *
                         (std::abs(star_rows_[row]) + std::abs(more) + s.w.scale.velocity);
    }
  }
}

/// Reduces restitution, island by island, until nobody gains. False: somebody does with none.
bool TwoImpulses::restitute(const TwoImpulseStep& s) {
  if (velocity_.size() == 0) return true;
  std::vector<double>&high = high_, &now = now_;
  find_gains(s, high);
  const auto gaining = [](double x) { return x > 0; };
  if (std::none_of(high.begin(), high.end(), gaining)) return true;
  const auto set = [&](auto part) {
    for (std::size_t i = 0; i < high.size(); ++i)
      if (high[i] > 0) part_[i] = part(i);
    if (!apply_rebound(s)) return false;
    find_gains(s, now);
    return true;
  };
  if (std::all_of(wanted_.begin(), wanted_.end(), [](double x) { return x == 0; })) return false;
  if (!set([](std::size_t) { return 0.0; }) || std::any_of(now.begin(), now.end(), gaining)) return false;
  low_ = now;
  if (!set([](std::size_t) { return 0.5; })) return false;
  // a quadratic of the part where the sets stay: the root between; then less, until it is enough
  middle_ = now;
  const auto root = [&](std::size_t i) {
    const double a = 2 * (high[i] - 2 * middle_[i] + low_[i]), b = high[i] - low_[i] - a;
    const double square = std::sqrt(std::max(0.0, b * b - 4 * a * low_[i]));
    return std::clamp(-2 * low_[i] / (b + square), 0.0, 1.0);
  };
  double share = 1;
  for (int k = 0; k < 6; ++k, share *= k == 1 ? 1 - 1e-6 : 0.5) {
    if (!set([&](std::size_t i) { return share * root(i); })) return false;
    if (std::none_of(now.begin(), now.end(), gaining)) return true;
  }
  return set([](std::size_t) { return 0.0; });
}

}  // namespace ricochet
