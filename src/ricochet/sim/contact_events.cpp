#include "ricochet/sim/contact_events.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

// Inside the cone by more than the solvers leave.
constexpr double kInside = 1e-7;

const ContactMemory* find(const State& s, Key key) {
  const auto at = std::lower_bound(s.contacts.begin(), s.contacts.end(), key,
                                   [](const ContactMemory& m, Key k) { return m.key < k; });
  return at != s.contacts.end() && at->key == key && at->reaction[0] > 0 ? &*at : nullptr;
}

double tangential(const double* reaction, int dim) {
  return dim == 1   ? 0
         : dim == 2 ? std::abs(reaction[1])
                    : std::sqrt(reaction[1] * reaction[1] + reaction[2] * reaction[2]);
}

double margin(const double* reaction, int dim, double mu) { return mu * reaction[0] - tangential(reaction, dim); }

bool sticks(const double* reaction, int dim, double mu) {
  return margin(reaction, dim, mu) > kInside * mu * reaction[0];
}

// Change of friction that turns by more than 60 degrees, else zero.
double turned(const double* a, const double* b, int dim) {
  double dot = 0, square = 0;
  for (int k = 1; k < dim; ++k) {
    dot += a[k] * b[k];
    square += (b[k] - a[k]) * (b[k] - a[k]);
  }
  return dot < 0.5 * tangential(a, dim) * tangential(b, dim) ? std::sqrt(square) : 0;
}

// May a margin that had these means vanish before another half step is over?
bool may_vanish(double s1, double s2, double d) { return 2 * s2 - s1 < 4 * d || std::min(s1, s2) < 4 * d; }

}  // namespace

double lowest_gap(double g0, double U0, double g1, double U1, double h) {
  // g(x) = g0 + h U0 x + b x^2 + a x^3, x in [0, 1]
  const double m0 = h * U0, m1 = h * U1, d = g1 - g0, a = m0 + m1 - 2 * d, b = 3 * d - 2 * m0 - m1;
  // 3 a x^2 + 2 b x + m0 = 0: the root at which it rises, in the form that does not cancel
  const double root = std::sqrt(std::max(0.0, b * b - 3 * a * m0));
  const double x = b >= 0 ? (b + root > 0 ? -m0 / (b + root) : 0) : (root - b) / (3 * a);
  if (!(x > 0 && x < 1)) return std::min(g0, g1);
  return g0 + x * (m0 + x * (b + x * a));
}

namespace {
/// Normal and slips; what rolls is left to the comparison.
int slip_rows(const Candidate& c) { return c.law->rolling() && c.dim > 1 ? 1 + friction_rows(c.dim).slip : c.dim; }
}  // namespace

/// One contact in one half step.
struct ContactEvents::Half {
  const Candidate* c = nullptr;
  double reaction[3] = {0, 0, 0};
  double gain[3] = {0, 0, 0};  ///< of U over the half, per time
};

ContactEvents::ContactEvents(const Model& model)
    : model_(model), scratch_(model), mass_(model.layout()), x_(VectorXd::Zero(model.nv())) {
  for (const ConstraintItem& item : model.items()) any_contacts_ = any_contacts_ || !item.bilateral;
}

void ContactEvents::begin(const State& from, double h) {
  if (!model_.constant_candidates() || candidates_.empty()) {
    candidates_.clear();
    model_.candidates({from.t, from.q, from.v}, h, candidates_);
  }
  rows_.pick.resize(candidates_.size());
  for (std::size_t i = 0; i < candidates_.size(); ++i) rows_.pick[i] = static_cast<int>(i);
  evaluate(model_, from.t, from.q, candidates_, rows_, scratch_);
  double* U = U_.need(rows_.rows);
  rows_.G.transpose_times(from.v, U);
  for (int i = 0; i < rows_.rows; ++i) U[i] += rows_.g_t[i];
  mass_known_ = false;
}

bool ContactEvents::response(const State& at, const Candidate& c, int row, bool per_velocity, VectorXd& x) {
  if (!mass_known_) {
    mass_.zero();
    model_.mass({at.t, at.q, at.v}, 1, mass_, scratch_);
    mass_regular_ = mass_.factorise();
    mass_known_ = true;
  }
  if (!mass_regular_) return false;
  const int pick = 0;
  one_.clear(false);
  model_.evaluate(at.t, at.q, {.candidates = &c, .pick = &pick, .count = 1}, one_, scratch_);
  double unit[kMostContactRows] = {};
  unit[row] = 1;
  x.setZero();
  one_.G.add_block_times(one_.G.blocks()[0], 1, unit, x);
  reach_ = x.cwiseAbs().sum();
  mass_.solve(x);
  if (!per_velocity) return true;
  const double W = one_.G.row_times(one_.G.blocks()[0], row, x);
  if (!(W > 0)) return false;
  x /= W;
  return true;
}

/// e += |M^-1 G| force + |M^-1 G / W| rate, of one row.
void ContactEvents::add(const State& at, const Candidate& c, int row, double force, double rate, VectorXd& e) {
  if (force > 0 && response(at, c, row, false, x_)) e += force * x_.cwiseAbs();
  if (rate > 0 && response(at, c, row, true, x_)) e += rate * x_.cwiseAbs();
}

bool ContactEvents::normal(const ComparedStep& s, const Half& a, const Half& b, VectorXd& e) {
  const ContactMemory *m0 = find(s.from, a.c->key), *mc = find(s.coarse, a.c->key);
  const double n1 = a.reaction[0], n2 = b.reaction[0], nc = mc != nullptr ? mc->reaction[0] : 0;
  const double weight = s.h / 8;
  if (m0 != nullptr && n1 > 0 && n2 > 0) {
    const double d = std::abs(nc - (n1 + n2) / 2);
    if (!may_vanish(n1, n2, d)) return nc == 0;
    add(s.from, *a.c, 0, weight * (std::abs(n1 - n2) + d), 0, e);
  } else if (m0 != nullptr && n1 > 0) {
    add(s.from, *a.c, 0, weight * n1, weight * std::abs(b.gain[0]), e);
  } else if (m0 != nullptr && n2 == 0) {
    add(s.from, *a.c, 0, 0, weight * std::abs(b.gain[0] - a.gain[0]), e);
  }
  return true;
}

double ContactEvents::driven(const State& at, const Half& half) {
  double square = 0;
  for (int k = 1; k < slip_rows(*half.c); ++k) {
    if (!response(at, *half.c, k, false, x_)) return 0;
    const double W = one_.G.row_times(one_.G.blocks()[0], k, x_);
    const double f = W > 0 ? half.gain[k] / W - half.reaction[k] : 0;
    square += f * f;
  }
  return std::sqrt(square);
}

bool ContactEvents::tangent(const ComparedStep& s, const Half& a, const Half& b, VectorXd& e) {
  const int dim = slip_rows(*a.c);
  if (dim == 1 || a.reaction[0] == 0 || b.reaction[0] == 0) return false;
  const double mu = a.c->law->local({.h = s.h, .dim = a.c->dim}).mu;
  const ContactMemory* m0 = find(s.from, a.c->key);
  const bool stick0 = m0 != nullptr && sticks(m0->reaction.data(), dim, mu), stick1 = sticks(a.reaction, dim, mu),
             stick2 = sticks(b.reaction, dim, mu);
  const double weight = s.h / 8;
  double force = 0, rate = 0;
  bool event = stick0 != stick1 || stick1 != stick2;
  if (stick1 && stick2) {
    const ContactMemory* mc = find(s.coarse, a.c->key);
    const double s1 = margin(a.reaction, dim, mu), s2 = margin(b.reaction, dim, mu);
    const double d = mc != nullptr ? std::abs(margin(mc->reaction.data(), dim, mu) - (s1 + s2) / 2) : 0;
    if (may_vanish(s1, s2, d)) {
      event = true;
      force = weight * (std::abs(s1 - s2) + d);
    }
  } else if (stick1) {
    force = weight * margin(a.reaction, dim, mu);
    rate = weight * tangential(b.gain, dim);
  } else if (stick0 && !stick2) {
    rate = weight * std::abs(tangential(b.gain, dim) - tangential(a.gain, dim));
  }
  // Sliding that ends because the step ends it, while the forces are more than friction: it turns round.
  const auto turns_back = [&](const Half& half) {
    return s.h / 2 * std::max(0.0, driven(s.from, half) - mu * half.reaction[0]);
  };
  if (!stick0 && stick1) force = std::max(force, turns_back(a));
  if (!stick1 && stick2) force = std::max(force, turns_back(b));
  double turn = 0;
  if (m0 != nullptr && !stick0 && !stick1) turn = turned(m0->reaction.data(), a.reaction, dim);
  if (!stick1 && !stick2) turn = std::max(turn, turned(a.reaction, b.reaction, dim));
  force = std::max(force, s.h / 2 * turn);
  for (int k = 1; k < dim; ++k) add(s.from, *a.c, k, force, rate, e);
  return event || turn > 0;
}

void ContactEvents::graze(const ComparedStep& s, std::size_t i, VectorXd& e) {
  const int row = rows_.G.blocks()[i].row;
  const ConstraintReport middle = s.half_report.constraints[i], end = s.next_report.constraints[i];
  const double g[3] = {rows_.g[row], middle.g[0], end.g[0]}, U[3] = {U_[row], middle.U[0], end.U[0]}, h = s.h / 2;
  for (int k = 0; k < 2; ++k) {
    if (!(U[k] < 0 && U[k + 1] > 0 && g[k] > 0 && g[k + 1] > 0)) continue;
    const double lowest = lowest_gap(g[k], U[k], g[k + 1], U[k + 1], h);
    if (lowest >= 0) continue;
    const Candidate& c = candidates_[i];
    const double restitution = c.law->local({.h = h, .gap_before = g[k], .U_before = {U[k]}, .dim = c.dim}).restitution;
    add(s.from, c, 0, 0, (1 + restitution) * std::sqrt(-2 * lowest * (U[k + 1] - U[k]) / h), e);
  }
}

bool ContactEvents::look_at(const ComparedStep& s, std::size_t i, VectorXd& e) {
  const Candidate& c = candidates_[i];
  if (!c.unilateral()) return false;
  const ConstraintReport middle = s.half_report.constraints[i], end = s.next_report.constraints[i];
  Half a{&c}, b{&c};
  const int row = rows_.G.blocks()[i].row;
  for (int k = 0; k < slip_rows(c); ++k) {
    a.reaction[k] = middle.impulse[k] / (s.h / 2);
    b.reaction[k] = end.impulse[k] / (s.h / 2);
    a.gain[k] = (middle.U[k] - U_[row + k]) / (s.h / 2);
    b.gain[k] = (end.U[k] - middle.U[k]) / (s.h / 2);
  }
  const bool loaded =
      a.reaction[0] > 0 || b.reaction[0] > 0 || find(s.from, c.key) != nullptr || find(s.coarse, c.key) != nullptr;
  if (!loaded) {
    graze(s, i, e);
    return false;
  }
  const bool n = normal(s, a, b, e), t = tangent(s, a, b, e);
  return n || t;
}

bool ContactEvents::look(const ComparedStep& s, VectorXd& e) {
  e.setZero();
  if (!any_contacts_) return false;
  begin(s.from, s.h);
  const ConstraintViews &first = s.half_report.constraints, &second = s.next_report.constraints;
  const auto same = [&](const ConstraintViews& views) {
    if (views.size() != candidates_.size()) return false;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (views[i].candidate->key != candidates_[i].key) return false;
    return true;
  };
  if (!same(first) || !same(second)) return true;  // other candidates: something comes near
  bool event = false;
  for (std::size_t i = 0; i < candidates_.size(); ++i) event = look_at(s, i, e) || event;
  if (s.half_report.impacts > 0 || s.next_report.impacts > 0) {
    e.setZero();
    event = true;
  }
  return event;
}

}  // namespace ricochet
