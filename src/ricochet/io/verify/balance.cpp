#include "ricochet/io/verify/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ricochet {
namespace {

constexpr double kParts = 10;      // F inside a step of several parts may change more than it shows at the ends
constexpr double kCombined = 0.1;  // a velocity combined of several solutions, with the impulses of one
constexpr int kRemembered = 16;    // steps over which a correction of the positions lasts
constexpr double kRounding = 256 * std::numeric_limits<double>::epsilon();

/// visit(coordinate, entry) of a row of G^T
template <class Visit>
void each_entry(const Jacobian& G, const Jacobian::Block& b, int k, Visit&& visit) {
  const double* entry = G.row(b, k);
  for (int r = 0; r < b.ranges; ++r) {
    const Range& range = G.ranges(b)[r];
    for (int j = 0; j < range.n; ++j) visit(range.at + j, *entry++);
  }
}

/// y += |G| |p|
void add_sizes(const Jacobian& G, const double* p, double c, VectorXd& y) {
  for (const Jacobian::Block& b : G.blocks())
    for (int k = 0; k < b.dim; ++k)
      if (const double size = c * std::abs(p[b.row + k]); size != 0)
        each_entry(G, b, k, [&](int i, double x) { y[i] += std::abs(x) * size; });
}

/// y += |d G| |p| over a step, for the same constraints over the same coordinates
void add_turning(const Jacobian& begin, const Jacobian& middle, const Jacobian& end, const double* p, VectorXd& y) {
  for (std::size_t i = 0; i < end.blocks().size(); ++i) {
    const Jacobian::Block& b = end.blocks()[i];
    for (int k = 0; k < b.dim; ++k) {
      if (p[b.row + k] == 0) continue;
      const double *x0 = begin.row(begin.blocks()[i], k), *x1 = middle.row(middle.blocks()[i], k);
      each_entry(end, b, k, [&](int j, double x2) {
        y[j] += (std::abs(x2 - *x0) + 4 * std::abs(*x1 - 0.5 * (*x0 + x2))) * std::abs(p[b.row + k]);
        ++x0;
        ++x1;
      });
    }
  }
}

/// y += |A p - B q| term by term, for the same constraints over the same coordinates
void add_changes(const Jacobian& A, const double* p, const Jacobian& B, const double* q, VectorXd& y) {
  for (std::size_t i = 0; i < A.blocks().size(); ++i) {
    const Jacobian::Block& b = A.blocks()[i];
    for (int k = 0; k < b.dim; ++k) {
      const int row = b.row + k;
      if (p[row] == 0 && q[row] == 0) continue;
      const double* other = B.row(B.blocks()[i], k);
      each_entry(A, b, k, [&](int j, double x) { y[j] += std::abs(x * p[row] - *other++ * q[row]); });
    }
  }
}

void add_impulses(const Jacobian& G, const double* p, double c, VectorXd& y) {
  for (const Jacobian::Block& b : G.blocks()) G.add_block_times(b, c, p + b.row, y);
}

}  // namespace

BalanceCheck::BalanceCheck(const Model& model, const Scheme& scheme, const State& initial)
    : model_(model),
      tolerance_(scheme.tolerance()),
      spread_(scheme.info().impact_order == 0 || !scheme.info().exact_velocity),
      parts_(!scheme.info().one_impulse),
      two_(scheme.info().two_impulses),
      w_(model) {
  w_.measure(model, initial);
  for (const std::string& name : model.velocity_names()) {
    position_columns_.push_back("q over " + name);
    velocity_columns_.push_back("v." + name);
  }
  const OperatorLayout& layout = model.layout();
  if (layout.structure == Structure::block_diagonal) bodies_ = layout.blocks;
  if (bodies_.empty()) bodies_.push_back({0, model.nv()});
  const VectorXd x = VectorXd::Constant(model.nv(), 0.1), v = VectorXd::LinSpaced(model.nv(), 1, 2);
  VectorXd rate(model.nv());
  model.increment_rate(x, v, rate);
  curved_ = VectorXd::Zero(model.nv());
  for (Index i = 0; i < v.size(); ++i) curved_[i] = rate[i] != v[i] ? 1 : 0;
  change_ = x_ = impulse_ = impulse_before_ = F_begin_ = F_middle_ = F_end_ = reach_ = size_begin_ = size_end_ =
      scale_ = VectorXd::Zero(model.nv());
}

void BalanceCheck::widen(VectorXd& x) const {
  for (const Range& body : bodies_) x.segment(body.at, body.n).setConstant(x.segment(body.at, body.n).maxCoeff());
}

void BalanceCheck::add_turning_axes(const RecordedStep& s, VectorXd& accepted) {
  const State &a = s.begin.state, &b = s.end.state;
  const VectorXd jump = b.v - a.v;
  VectorXd size = VectorXd::Zero(model_.nv());
  model_.mass_times({b.t, b.q, b.v}, jump, 1, size, w_.model);
  size = size.cwiseAbs() + s.h * (size_begin_ + size_end_);
  add_sizes(s.end.rows.G, s.sizes.data(), 1, size);
  for (const Range& body : model_.layout().blocks) {
    double angle = 0, largest = 0;
    for (int i = body.at; i < body.at + body.n; ++i) {
      if (curved_[i] == 0) continue;
      angle += std::abs(x_[i]);
      largest = std::max(largest, size[i]);
    }
    for (int i = body.at; i < body.at + body.n; ++i) accepted[i] += curved_[i] * angle * largest;
  }
}

void BalanceCheck::forces(const EvaluatedRow& at, const std::vector<double>& smooth, VectorXd& F, VectorXd& size) {
  F.setZero();
  const VectorXd rest = VectorXd::Zero(model_.nv());
  model_.residual({at.state.t, at.state.q, at.state.v}, rest, -1, F, w_.model);
  size = F.cwiseAbs();
  add_impulses(at.rows.G, smooth.data(), 1, F);
  add_sizes(at.rows.G, smooth.data(), 1, size);
}

void BalanceCheck::unwind(const RecordedStep& s) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const Range& body : model_.layout().blocks) {
    int first = body.at;
    const int end = body.at + body.n;
    while (first < end && curved_[first] == 0) ++first;
    if (end - first != 3) continue;
    auto x = x_.segment<3>(first);
    const Vector3d way = s.h / 2 * (s.begin.state.v + s.end.state.v).segment<3>(first);
    const double angle = x.norm(), length = way.norm();
    if (!(angle + length > kTurn / 2) || !std::isfinite(length)) continue;
    const Vector3d axis = angle > 1e-6 ? Vector3d(x / angle) : Vector3d(way / length);
    x += kTurn * std::round((axis.dot(way) - angle) / kTurn) * axis;
  }
}

void BalanceCheck::check(const RecordedStep& s, Findings& findings) {
  forces(s.begin, s.smooth_before, F_begin_, size_begin_);
  forces(s.end, s.smooth, F_end_, size_end_);
  model_.difference(s.begin.state.q, s.end.state.q, x_);
  unwind(s);
  check_momentum(s, findings);
  check_kinematics(s, findings);
}

BalanceCheck::Middle BalanceCheck::middle(const RecordedStep& s) const {
  const State &a = s.begin.state, &b = s.end.state;
  Middle out{a.t + s.h / 2, a.q, {}, 0.5 * (a.v + b.v)};
  const VectorXd half = 0.5 * x_, bowed = half - s.h / 8 * (b.v - a.v);
  model_.retract(a.q, half, out.q);
  out.bowed = a.q;
  model_.retract(a.q, bowed, out.bowed);
  return out;
}

void BalanceCheck::add_force_change(const RecordedStep& s, const Middle& at) {
  VectorXd F = VectorXd::Zero(model_.nv()), begin = F_begin_, end = F_end_;
  const VectorXd rest = VectorXd::Zero(model_.nv());
  model_.residual({at.t, at.bowed, at.v}, rest, -1, F, w_.model);
  F_middle_.setZero();
  model_.residual({at.t, at.q, at.v}, rest, -1, F_middle_, w_.model);
  // Multipliers of the smooth motion are known at the ends alone; the forces of one joint may cancel in a coordinate.
  add_impulses(s.begin.rows.G, s.smooth_before.data(), -1, begin);
  add_impulses(s.end.rows.G, s.smooth.data(), -1, end);
  if (spread_ && s.h != h_before_) change_ += 2 * F_begin_.cwiseAbs();
  h_before_ = s.h;
  change_ = change_ / 2 + (end - begin).cwiseAbs() + 4 * (F - 0.5 * (begin + end)).cwiseAbs();
  // Straight between the ends a beam that turns is shorter than on its arcs: stiff forces differ by that strain.
  change_ += (F_middle_ - F).cwiseAbs();
  add_changes(s.end.rows.G, s.smooth.data(), s.begin.rows.G, s.smooth_before.data(), change_);
}

VectorXd BalanceCheck::force_rounding(const Middle& at) {
  constexpr double kDigits = 8 * std::numeric_limits<double>::epsilon();
  const VectorXd rest = VectorXd::Zero(model_.nv());
  VectorXd here = rest, out = rest, x(model_.nv()), q = at.q;
  model_.residual({at.t, at.q, at.v}, rest, 1, here, w_.model);
  for (const int pattern : {1, 2}) {  // neighbours to opposite sides, and pairs of them
    for (Index i = 0; i < x.size(); ++i) x[i] = (i & pattern) == 0 ? kDigits : -kDigits;
    x *= at.q.cwiseAbs().maxCoeff();
    model_.retract(at.q, x, q);
    VectorXd there = rest;
    model_.residual({at.t, q, at.v}, rest, 1, there, w_.model);
    out += (there - here).cwiseAbs();
  }
  return out;
}

VectorXd BalanceCheck::mass_change(const RecordedStep& s, const Middle& at) {
  const State &a = s.begin.state, &b = s.end.state;
  const VectorXd jump = b.v - a.v;
  VectorXd begin = VectorXd::Zero(model_.nv()), middle = begin, end = begin;
  model_.mass_times({a.t, a.q, a.v}, jump, 1, begin, w_.model);
  model_.mass_times({at.t, at.bowed, at.v}, jump, 1, middle, w_.model);
  model_.mass_times({b.t, b.q, b.v}, jump, 1, end, w_.model);
  return (end - begin).cwiseAbs() + 4 * (middle - 0.5 * (begin + end)).cwiseAbs();
}

void BalanceCheck::check_momentum(const RecordedStep& s, Findings& findings) {
  const State &a = s.begin.state, &b = s.end.state;
  const Middle mid = middle(s);
  const VectorXd mean = (b.v - a.v) / s.h;
  VectorXd r = VectorXd::Zero(model_.nv()), y = r;
  model_.momentum_balance({a.t, s.h, 0.5, a.q, a.v, x_, mid.q, mid.v, b.v, mean}, r, w_.model);
  add_impulses(s.begin.rows.G, s.smooth_before.data(), -s.h / 2, r);
  add_impulses(s.end.rows.G, s.smooth.data(), -s.h / 2, r);

  add_force_change(s, mid);
  VectorXd accepted = mass_change(s, mid) + s.h * force_rounding(mid);
  subtract_impulses(s, mid, r, accepted);
  const VectorXd ones = VectorXd::Ones(model_.nv());
  scale_.setZero();
  model_.mass_times({b.t, b.q, b.v}, ones, 1, scale_, w_.model);
  scale_ = scale_.cwiseAbs();
  if (std::any_of(s.correction.begin(), s.correction.end(), [](double x) { return x != 0; })) corrected_ = kRemembered;
  const VectorXd& shared = parts_ || spread_ || corrected_ > 0 ? ones : curved_;
  corrected_ = std::max(0, corrected_ - 1);
  y = kParts * s.h * change_;
  s.inertia->solve(y);
  y = y.cwiseAbs().cwiseProduct(shared);
  widen(y);
  accepted += scale_.cwiseProduct(y).cwiseProduct(shared);
  if (parts_) add_sizes(s.end.rows.G, s.P.data(), kCombined, accepted);
  add_turning_axes(s, accepted);
  accepted += s.h * change_;
  VectorXd speeds(model_.nv());  // those of the scales
  for (Index i = 0; i < speeds.size(); ++i) speeds[i] = 1 / w_.scale.per_rate[static_cast<std::size_t>(i)];
  y.setZero();
  model_.mass_times({b.t, b.q, b.v}, speeds, 10 * s.tolerance, y, w_.model);
  accepted += y.cwiseAbs();
  // rounding and tolerance, of the terms
  VectorXd size = s.h * (size_begin_ + size_end_);
  for (const State* at : {&a, &b}) {
    y.setZero();
    model_.mass_times({at->t, at->q, at->v}, at->v, 1, y, w_.model);
    size += y.cwiseAbs();
  }
  add_sizes(s.end.rows.G, s.sizes.data(), 1, size);
  const bool known = r.allFinite() && accepted.allFinite();
  if (!known && a.q.allFinite() && a.v.allFinite() && b.q.allFinite() && b.v.allFinite()) {
    unjudged_.push_back(static_cast<std::int64_t>(s.row));
    change_.setZero();  // what the next steps go on with
    return;
  }
  const double largest = size.maxCoeff();
  for (Index i = 0; i < r.size(); ++i)
    findings.hold(CheckKind::momentum, velocity_columns_[static_cast<std::size_t>(i)], static_cast<std::int64_t>(s.row),
                  r[i], accepted[i] + 1e-9 * size[i] + kRounding * largest);
}

// What joints do at the very beginning is not recorded: a scheme that has half of its first step from there may differ
// from what the first row says by as much as a joint's force, in whatever direction that had.
void BalanceCheck::add_first_joints(const RecordedStep& s, VectorXd& accepted) const {
  std::vector<double> joints(s.P.size(), 0);
  for (std::size_t i = 0; i < s.candidates.size(); ++i) {
    if (!s.candidates[i].bilateral()) continue;
    const auto first = static_cast<std::size_t>(s.first_row(i)), dim = static_cast<std::size_t>(s.candidates[i].dim);
    double largest = 0;
    for (std::size_t k = first; k < first + dim; ++k) largest = std::max(largest, s.h * std::abs(s.smooth[k]));
    std::fill_n(joints.begin() + static_cast<std::ptrdiff_t>(first), dim, largest);
  }
  add_sizes(s.end.rows.G, joints.data(), 1, accepted);
}

void BalanceCheck::subtract_impulses(const RecordedStep& s, const Middle& at, VectorXd& r, VectorXd& accepted) {
  impulse_before_.swap(impulse_);
  impulse_.setZero();
  add_impulses(s.end.rows.G, s.P.data(), 1, impulse_);
  middle_.pick = s.end.rows.pick;
  evaluate(model_, at.t, at.bowed, s.candidates, middle_, w_.model);
  add_turning(s.begin.rows.G, middle_.G, s.end.rows.G, s.sizes.data(), accepted);
  if (s.row <= 1) add_first_joints(s, accepted);
  if (spread_) {
    change_ += (impulse_ - impulse_before_).cwiseAbs() / s.h;
    r -= 0.5 * (impulse_ + impulse_before_);
  } else {
    // Straight between the ends, where the theta-schemes have it; a short way between two bodies that turn (a pin in
    // its bush) points elsewhere there than on their arcs, by h^2 omega^2 / 8 times their lengths over its own.
    straight_.pick = s.end.rows.pick;
    evaluate(model_, at.t, at.q, s.candidates, straight_, w_.model);
    add_impulses(straight_.G, s.P.data(), -1, r);
    add_changes(straight_.G, s.sizes.data(), middle_.G, s.sizes.data(), accepted);
    if (two_) add_changes(straight_.G, s.sizes.data(), s.end.rows.G, s.sizes.data(), accepted);  // the second is there
  }
}

void BalanceCheck::reach(const RecordedStep& s) {
  VectorXd corrections = VectorXd::Zero(model_.nv());
  add_sizes(s.end.rows.G, s.correction.data(), 1, corrections);
  const State &a = s.begin.state, &b = s.end.state;
  reach_ = s.h * (b.v - a.v).cwiseAbs();
  for (const VectorXd* F : {&F_begin_, &F_middle_, &F_end_}) {
    if (!F->allFinite()) continue;
    VectorXd y = *F;
    s.inertia->solve(y);
    reach_ += s.h * s.h * y.cwiseAbs();
  }
  add_sizes(s.inertia->response(), s.sizes.data(), s.h, reach_);
  add_sizes(s.inertia->response(), s.correction.data(), 1, corrections);
  widen(corrections);
  if (parts_ || !s.inertia->regular()) widen(reach_);
  if (!s.inertia->regular()) reach_ *= kParts;
  reach_ += corrections;
  // A projection weighs coordinates by their arms: what counts less than a length there moves by more.
  corrections.setZero();
  add_sizes(s.end.rows.G, s.correction.data(), 1, corrections);
  for (Index i = 0; i < corrections.size(); ++i) {
    const double arm = w_.scale.arm[static_cast<std::size_t>(i)];
    reach_[i] += std::max(0.0, 1 / (arm * arm) - 1) * corrections[i];
  }
}

void BalanceCheck::check_kinematics(const RecordedStep& s, Findings& findings) {
  const VectorXd &v = s.begin.state.v, &w = s.end.state.v;
  reach(s);
  const VectorXd mean = 0.5 * (v + w);
  VectorXd rate(model_.nv());
  model_.increment_rate(x_, mean, rate);  // x' where coordinates are curved
  const double length = s.end.state.q.cwiseAbs().maxCoeff();
  for (Index i = 0; i < x_.size(); ++i) {
    const double accepted =
        reach_[i] + s.h * std::abs(rate[i] - mean[i]) + kRounding * (length + s.h * (std::abs(v[i]) + std::abs(w[i])));
    findings.compare(CheckKind::kinematics, position_columns_[static_cast<std::size_t>(i)],
                     static_cast<std::int64_t>(s.row), x_[i], s.h * v[i], accepted);
  }
}

}  // namespace ricochet
