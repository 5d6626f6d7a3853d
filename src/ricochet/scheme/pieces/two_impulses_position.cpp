#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/scheme/pieces/two_impulses.hpp"

namespace ricochet {
namespace {

constexpr int kRescue = 10;                   ///< passes from which on the sets of a pass are a solver's
constexpr int kMost = 24;                     ///< passes
constexpr int kMostEased = 14, kStages = 40;  ///< passes of a stage with eased gaps; stages

bool same_ranges(const Jacobian& A, const Jacobian::Block& a, const Jacobian& B, const Jacobian::Block& b) {
  return a.ranges == b.ranges && std::equal(A.ranges(a), A.ranges(a) + a.ranges, B.ranges(b),
                                            [](Range x, Range y) { return x.at == y.at && x.n == y.n; });
}

}  // namespace

void TwoImpulses::place(const TwoImpulseStep& s) { motion_.place(s.model, s.state, s.h, kTheta, s.next); }

void TwoImpulses::evaluate_rows(const TwoImpulseStep& s) {
  const Workspace& w = s.w;
  evaluate(s.model, s.state.t + kTheta * s.h, motion_.q_theta, w.candidates, mid_, s.w.model);
  evaluate(s.model, s.next.t, s.next.q, w.candidates, end_, s.w.model);
}

/// Contacts that the present end of the step violates get their rows, and keep them.
bool TwoImpulses::take_in() {
  bool more = false;
  for (std::size_t i = 0; i < in_.size(); ++i)
    if (!in_[i] && end_.g[end_.G.blocks()[i].row] < -ease_) in_[i] = more = true;
  return more;
}

// Directions: the mean of the gradients over the way of the step, by Simpson's rule, for what is closed at its
// beginning: exact where they are of the third degree along it. What is open has those at mid-step.
void TwoImpulses::direction(const TwoImpulseStep& s, Way way, std::size_t i, int dim, double* out, double* drift) {
  const Rows& before = s.w.before->rows;
  const Jacobian::Block &b = before.G.blocks()[i], &m = mid_.G.blocks()[i], &e = end_.G.blocks()[i];
  const bool contact = s.w.candidates[i].unilateral();
  const bool alike = same_ranges(before.G, b, mid_.G, m) && same_ranges(end_.G, e, mid_.G, m);
  double parts[3] = {0, 1, 0};
  if (alike && contact && way != Way::plain) {
    const int at = lean_[i];
    parts[0] = at<0, parts[1] = 0, parts[2] = at> 0;
  } else if (alike && (!contact || closed_[i])) {
    parts[0] = parts[2] = 1.0 / 6, parts[1] = 4.0 / 6;
  }
  for (int k = 0; k < dim; ++k) {
    const double *x = before.G.row(b, k), *y = mid_.G.row(m, k), *z = end_.G.row(e, k);
    double* row = out + static_cast<std::ptrdiff_t>(k) * m.length;
    for (int j = 0; j < m.length; ++j) row[j] = alike ? parts[0] * x[j] + parts[1] * y[j] + parts[2] * z[j] : y[j];
    drift[k] = parts[0] * before.g_t[b.row + k] + parts[1] * mid_.g_t[m.row + k] + parts[2] * end_.g_t[e.row + k];
  }
}

void TwoImpulses::add_position_rows(const TwoImpulseStep& s, Way way, std::size_t i) {
  ImpulseProblem& problem = position_;
  const Candidate& c = s.w.candidates[i];
  const Jacobian::Block &e = end_.G.blocks()[i], &m = mid_.G.blocks()[i];
  const bool rubs = way != Way::frictionless && rests_[i];
  const int dim = c.unilateral() && !rubs ? 1 : e.dim, row = problem.D.rows();
  append(s, problem, i, dim, first_);
  double *D = problem.D.add(dim, mid_.G.ranges(m), m.ranges), *drift = drift_.need(row + dim) + row;
  direction(s, way, i, dim, D, drift);
  const int places = c.velocity_only ? 0 : c.bilateral() ? dim : 1;  // rows that have a position
  // L over the ranges at the end; those at mid-step are the same but for contacts that change what they touch
  const bool alike = same_ranges(end_.G, e, mid_.G, m);
  const Rows& of = alike ? end_ : mid_;
  double* L = problem.L.add(dim, of.G.ranges(alike ? e : m), alike ? e.ranges : m.ranges);
  const double per_step = 1 / (s.h * kTheta);
  for (int k = 0; k < dim; ++k) {
    const double f = problem.factor[row + k],
                 size = s.w.size[s.w.before->rows.G.blocks()[i].row + (c.bilateral() ? k : 0)];
    double* d = D + static_cast<std::ptrdiff_t>(k) * m.length;
    for (int j = 0; j < m.length; ++j) d[j] *= f;
    drift[k] *= f;
    double* l = L + static_cast<std::ptrdiff_t>(k) * m.length;
    if (k < places) {
      const double* g = alike ? end_.G.row(e, k) : mid_.G.row(m, k);
      for (int j = 0; j < m.length; ++j) l[j] = f * g[j];
      problem.w[row + k] = (end_.g[e.row + k] + (c.bilateral() ? 0 : ease_)) * f * per_step;
      problem.measure[row + k] = s.h * kTheta / (f * size);
    } else {
      for (int j = 0; j < m.length; ++j) l[j] = d[j];
      problem.measure[row + k] = s.w.scale.time / (f * size);
    }
  }
  const Jacobian::Block& block = problem.D.blocks().back();
  // what a boundary moves by itself is what the rows have moved by and the coordinates have not
  for (int k = 0; k < places; ++k)
    if (drift[k] != 0) {
      const double change = end_.g[e.row + k] - s.w.before->rows.g[s.w.before->rows.G.blocks()[i].row + k];
      drift[k] = problem.factor[row + k] * change / s.h - problem.D.row_times(block, k, motion_.v_theta);
    }
  for (int k = places; k < dim; ++k)
    problem.w[row + k] = (problem.D.row_times(block, k, motion_.v_theta) + drift[k]) / kTheta;
}

void TwoImpulses::pose_position(const TwoImpulseStep& s, Way way) {
  ImpulseProblem& problem = position_;
  problem.clear();
  problem.local.unit = s.w.scale.velocity;
  const std::vector<Candidate>& all = s.w.candidates;
  for (int kind = 0; kind < 3; ++kind)  // joints, then what has no position, then contacts
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int own = all[i].bilateral() ? 0 : all[i].velocity_only ? 1 : 2;
      if (own == kind && in_[i]) add_position_rows(s, way, i);
    }
  problem.local.rows = problem.D.rows();
  problem.r.setZero();
  s.model.momentum_balance(motion_.motion(s.state, s.h, kTheta, s.next), problem.r, s.w.model);
  // forces between bodies by Simpson's rule over the way: their work is then the change of their potential
  for_each_weight(s, [&](const Point& at, double weight) {
    for (std::size_t i = 0; i < s.model.forces().size(); ++i)
      s.model.forces()[i]->residual(at, weight * s.h, problem.r, s.w.model.force(i));
  });
}

bool TwoImpulses::factorise_position(const TwoImpulseStep& s, Way way) {
  const double end = s.h * kTheta;
  const OperatorCache::Coefficients key{1, end * end, end};
  const Motion step = motion_.motion(s.state, s.h, kTheta, s.next);
  if (s.model.linear()) {
    auto [S, fresh] = s.w.operators.find(s.model.layout(), key);
    S_ = S;
    if (!fresh) return S->regular();
    S->zero();
    s.model.momentum_tangent(step, *S, s.w.model);
    return S->factorise();
  }
  S_ = &own_;
  own_.zero();
  s.model.momentum_tangent(step, own_, s.w.model);
  if (!s.model.constant_gradients() && own_.accepts_curvature()) {
    double lambda[kMostContactRows];
    for (std::size_t k = 0; k < position_.who.size(); ++k) {
      const ConeBlock& block = position_.local.blocks[k];
      const std::size_t i = static_cast<std::size_t>(position_.who[k].candidate);
      const Candidate& c = s.w.candidates[i];
      bool any = false;
      for (int j = 0; j < block.dim; ++j) {
        lambda[j] = position_.p[block.row + j] * position_.factor[block.row + j];
        any = any || lambda[j] != 0;
      }
      if (!any) continue;
      const int lean = way != Way::plain && c.unilateral() ? lean_[i] : 0;
      if (lean < 0) continue;
      s.model.set(c).curvature(lean > 0 ? s.next.t : s.state.t + end,
                               lean > 0 ? ConstView(s.next.q) : ConstView(motion_.q_theta), c, block.dim, lambda,
                               lean > 0 ? -end : -end * kTheta, own_, s.w.model.set(c.set));
    }
  }
  return own_.factorise();
}

/// Of the gradients at the two ends of the way of the step that one along which a contact cannot gain: for a gap that
/// is concave, or convex, along it, G^T x <= g+ - g_k there.
void TwoImpulses::find_lean(const TwoImpulseStep& s) {
  const Rows& before = s.w.before->rows;
  lean_.assign(s.w.candidates.size(), 1);
  for (std::size_t i = 0; i < lean_.size(); ++i) {
    if (!s.w.candidates[i].unilateral()) continue;
    const Jacobian::Block &b = before.G.blocks()[i], &e = end_.G.blocks()[i];
    const double first = before.G.row_times(b, 0, motion_.x), last = end_.G.row_times(e, 0, motion_.x);
    lean_[i] = first + 0.01 * (std::abs(first) + std::abs(last)) < last ? -1 : 1;
  }
}

/// How far from its solution the position problem is, at the present place and with the present impulses.
TwoImpulses::Left TwoImpulses::left_open(const TwoImpulseStep& s) {
  Left out;
  position_.balance(left_);
  S_->solve(left_);
  double size = 1;
  for (Index i = 0; i < left_.size(); ++i) {
    const double per = s.w.scale.per_rate[static_cast<std::size_t>(i)];
    out.velocity = std::max(out.velocity, std::abs(left_[i]) * per);
    size = std::max(size, std::abs(s.next.v[i]) * per);
  }
  out.velocity /= size;
  out.rows = position_.left();
  return out;
}

/// How deep the motion of the beginning, gone on with, ends beyond its contacts.
double TwoImpulses::depth() const {
  double most = 0;
  for (std::size_t i = 0; i < in_.size(); ++i)
    if (in_[i] && !always_[i]) most = std::max(most, -end_.g[end_.G.blocks()[i].row]);
  return most;
}

// Where contacts are passed by far, pins that cross their play a hundred times in a step, the normals of the place
// where the free motion ends say nothing. Their gaps are then eased: enlarged by as much as half of that, and less and
// less, each solution being the guess for the next; the normals follow the impulse. Where a solution is not found from
// the one before, the way between is halved.
bool TwoImpulses::solve_position(const TwoImpulseStep& s, Way way) {
  const Tolerances& tolerance = s.controls.tolerance;
  const std::size_t n = s.w.candidates.size();
  in_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) in_[i] = always_[i] || closed_[i];
  prepare_next(s.state, s.h, s.next);
  const int rows = s.w.before->rows.G.rows();
  std::copy_n(guess_.data(), rows, first_.need(rows));
  ease_ = 0;
  if (way == Way::plain) return iterate(s, way, kMost);
  place(s);
  evaluate_rows(s);
  find_lean(s);
  take_in();
  const double depth = this->depth(), least = tolerance.constraint * s.w.scale.length;
  double good = depth, part = 0.5;  // the ease with a solution; of it the next one
  assign(v_good_, s.next.v);
  std::copy_n(first_.data(), rows, good_.need(rows));
  for (int stage = 0; stage < kStages; ++stage) {
    ease_ = good * part < least ? 0 : good * part;
    if (iterate(s, way, ease_ > 0 ? kMostEased : kMost)) {
      if (ease_ == 0) return true;
      good = ease_;
      part = std::max(0.125, part * part);
      assign(v_good_, s.next.v);
      std::copy_n(first_.data(), rows, good_.data());
      continue;
    }
    if (depth <= least) return false;
    part = std::sqrt(part);
    assign(s.next.v, v_good_);
    std::copy_n(good_.data(), rows, first_.data());
    if (part > 0.95) return false;
  }
  return false;
}

/// Newton's passes from the present velocity and impulses.
bool TwoImpulses::iterate(const TwoImpulseStep& s, Way way, int most) {
  const Tolerances& tolerance = s.controls.tolerance;
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * s.w.scale.time / s.h;
  const double floor = std::max(0.1 * tolerance.constraint, rounding);
  const double enough = std::max(0.1 * tolerance.constraint, 0.05 * ease_ * s.w.scale.per_length);
  const double slow = ease_ > 0 ? 1e-2 : tolerance.newton;
  double before = std::numeric_limits<double>::infinity();
  sets_.begin();
  for (int pass = 0;; ++pass) {
    place(s);
    evaluate_rows(s);
    const bool more = take_in();
    pose_position(s, way);
    double error = std::numeric_limits<double>::infinity();
    if (pass > 0 && !more) {
      const Left left = left_open(s);
      error = std::max(left.velocity, left.rows);
      if (!(error >= 0)) return false;
      if (left.rows <= enough && left.velocity <= slow) return true;
      if (pass > 1 && error > 0.5 * before && error <= floor) return true;
    }
    if (pass >= most) return false;
    if ((pass == 0 || error > 0.02 * std::min(before, 1e-4)) && !factorise_position(s, way)) return false;
    before = error;
    position_.condense(*S_, &s.w.solver.crew);
    if (!advance(s, position_, pass >= kRescue)) return false;
    position_.move(s.next.v);
    scatter(position_, first_);
    ++s.report.newton;
  }
}

}  // namespace ricochet
