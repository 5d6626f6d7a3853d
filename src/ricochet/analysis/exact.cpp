#include "ricochet/analysis/exact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"

namespace ricochet {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

ExactStop::ExactStop(const Parameters& p, double until) : p_(p), rest_(kNever) {
  flights_.push_back({p.t0, p.y0, p.v0});
  advance(until);
}

ExactStop::Basis ExactStop::basis(double s) const {
  const double size = std::max({std::abs(p_.zeta), std::sqrt(std::abs(p_.w2)), 1e-300}) * s;
  if (size < 0.5) {
    // Series of D; the closed form of D cancels for short times. c_{n+2} (n+1)(n+2) = -2 zeta (n+1) c_{n+1} - w2 c_n.
    double before = 0, c = 0.5, power = s * s;  // c_{n-1}, c_n, s^n
    Basis b{c * power, s, 1};
    double dE = 0, E = 0;  // beyond the first terms
    double D = b.D;
    for (int n = 2; n < 24; ++n) {
      const double next = -(2 * p_.zeta * n * c + p_.w2 * before) / (n * (n + 1.0));
      before = c;
      c = next;
      dE += c * (n + 1) * n * power / s;  // D''
      E += c * (n + 1) * power;           // D'
      power *= s;
      D += c * power;
    }
    return s == 0 ? Basis{0, 0, 1} : Basis{D, s + E, 1 + dE};
  }
  const double square = p_.w2 - p_.zeta * p_.zeta;
  const double root = std::sqrt(std::abs(square));
  const double decay = elementary::exp(-p_.zeta * s);
  double C = 1, S = s;
  if (square > 0) C = elementary::cos(root * s), S = elementary::sin(root * s) / root;
  if (square < 0) C = elementary::cosh(root * s), S = elementary::sinh(root * s) / root;
  const double E = decay * S, dE = decay * (C - p_.zeta * S);
  // From the equation of D, D'' + 2 zeta D' + w2 D = 1; without stiffness its integral, 2 zeta D = s - E.
  const double D = p_.w2 != 0 ? (1 - dE - 2 * p_.zeta * E) / p_.w2 : (s - E) / (2 * p_.zeta);
  return {D, E, dE};
}

std::pair<double, double> ExactStop::in_flight(const Flight& f, double s) const {
  const Basis b = basis(s);
  return {f.y * (1 - p_.w2 * b.D) + f.v * b.E + p_.a * b.D, f.v * b.dE + (p_.a - p_.w2 * f.y) * b.E};
}

/// No flight has two impacts closer than this: a part of the half period; any length for a parabola.
double ExactStop::longest_scan() const {
  const double rate = std::sqrt(std::max(p_.w2, p_.zeta * p_.zeta));
  return rate > 0 ? 0.1 / rate : kNever;
}

double ExactStop::next_impact(const Flight& f, double longest) const {
  if (p_.zeta == 0 && p_.w2 == 0) {  // a parabola; the form that does not cancel
    const double square = f.v * f.v - 2 * p_.a * f.y;
    if (square < 0 || (p_.a >= 0 && f.v >= 0)) return kNever;
    const double root = std::sqrt(square);
    return p_.a < 0 && f.v >= 0 ? (f.v + root) / -p_.a : 2 * f.y / (root - f.v);
  }
  // y/s instead of y where the flight begins at the stop: that root is not meant.
  const auto height = [&](double s) { return f.y == 0 ? in_flight(f, s).first / s : in_flight(f, s).first; };
  const double scan = longest_scan();
  double low = 0;
  for (double high = std::min(scan, longest); low < longest; low = high, high = std::min(high + scan, longest)) {
    if (height(high) >= 0) continue;
    double inside = high;  // above the stop in [low, inside)
    if (low == 0)
      while (height(inside) < 0 && inside > 1e-300) inside /= 2;
    double l = low == 0 ? inside : low, r = high;
    if (low == 0 && inside < high) r = 2 * inside;
    for (int i = 0; i < 200; ++i) {
      const double middle = (l + r) / 2;
      if (middle <= l || middle >= r) break;
      (height(middle) >= 0 ? l : r) = middle;
    }
    return r;
  }
  return kNever;
}

void ExactStop::advance(double until) {
  constexpr std::size_t kMost = 1000000;
  double fastest = std::abs(p_.v0);
  while (flights_.size() < kMost) {
    const Flight f = flights_.back();
    if (f.y == 0 && f.v == 0 && p_.a <= 0) {
      rest_ = f.t;
      return;
    }
    const bool touches = f.y == 0 && f.v < 0;
    const double flight = touches ? 0 : next_impact(f, until - f.t);
    if (!(f.t + flight <= until)) return;
    const double before = touches ? f.v : in_flight(f, flight).second;
    const double after = -p_.e * before;
    fastest = std::max(fastest, std::abs(before));
    impacts_.push_back({f.t + flight, before, after});
    // The rest of the accumulation is shorter than what can be told: each flight is e times the one before.
    if (p_.a < 0 && p_.e < 1 && after <= 1e-15 * fastest) {
      flights_.push_back({f.t + flight + 2 * after / -p_.a / (1 - p_.e), 0, 0});
      continue;
    }
    flights_.push_back({f.t + flight, 0, after});
  }
}

std::pair<double, double> ExactStop::at(double t) const {
  if (t >= rest_) return {0, 0};
  // The last flight that began; between the last impact of an accumulation and the rest nothing can be told from rest.
  auto f = std::upper_bound(flights_.begin(), flights_.end(), t, [](double x, const Flight& g) { return x < g.t; });
  if (f != flights_.begin()) --f;
  return in_flight(*f, std::max(0.0, t - f->t));
}

ExactBar::ExactBar(const Parameters& p) : p_(p), c_(std::sqrt(p.young / p.density)), t1_(p.gap / -p.v0) {}

// Behind the wave that starts at the wall the bar stands still; behind the one that comes back from the free end it
// moves with -v0.
double ExactBar::v(double x, double t) const {
  const double s = t - t1_, out = x / c_, back = (2 * p_.length - x) / c_;
  return s < out ? p_.v0 : s < back ? 0 : -p_.v0;
}

double ExactBar::u(double x, double t) const {
  const double s = t - t1_, out = x / c_, back = (2 * p_.length - x) / c_;
  return p_.v0 * t1_ + p_.v0 * std::min(s, out) - p_.v0 * std::max(0.0, s - back);
}

double ExactBar::force(double t) const {
  return t >= t1_ && t < t1_ + contact_time() ? p_.young * p_.section * -p_.v0 / c_ : 0;
}

}  // namespace ricochet
