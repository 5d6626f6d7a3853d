#include "soak/exact.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet::soak {
namespace {

constexpr double kTurn = 2 * M_PI;
constexpr int kMostImpacts = 100000;  ///< after them what is left of a bounce counts as rest
constexpr double kRest = 1e-12;       ///< of the largest speed: a bounce that is no more

}  // namespace

ExactWall::ExactWall(const Wall& wall, double until) : wall_(wall), w_(std::sqrt(wall.w2)), rest_(INFINITY) {
  Flight now{0, wall.z, wall.velocity};
  const double fall = std::sqrt(2 * wall.a * wall.z + wall.w2 * wall.z * wall.z + wall.velocity * wall.velocity);
  largest_ = fall;
  for (int n = 0; n <= kMostImpacts; ++n) {
    const bool at_wall = now.z <= 0;
    if (at_wall && now.velocity < 0) now = {now.t, 0, -wall.e * now.velocity};
    flights_.push_back(now);
    if (at_wall && now.velocity <= kRest * fall) {
      // Pressed or not: without velocity it stays where it is.
      rest_ = now.t;
      return;
    }
    const double d = duration(now);
    if (!(now.t + d < until)) return;
    now = {now.t + d, 0, speed(now, now.t + d)};
  }
  rest_ = now.t;
}

double ExactWall::flown(const Flight& from, double t) const {
  const double s = t - from.t;
  if (wall_.w2 == 0) return from.z + from.velocity * s - wall_.a * s * s / 2;
  const double middle = -wall_.a / wall_.w2;
  return middle + (from.z - middle) * std::cos(w_ * s) + from.velocity / w_ * std::sin(w_ * s);
}

double ExactWall::speed(const Flight& from, double t) const {
  const double s = t - from.t;
  if (wall_.w2 == 0) return from.velocity - wall_.a * s;
  const double middle = -wall_.a / wall_.w2;
  return -(from.z - middle) * w_ * std::sin(w_ * s) + from.velocity * std::cos(w_ * s);
}

double ExactWall::duration(const Flight& from) const {
  if (wall_.w2 == 0) {
    if (wall_.a == 0) return from.velocity < 0 ? -from.z / from.velocity : INFINITY;
    return (from.velocity + std::sqrt(from.velocity * from.velocity + 2 * wall_.a * from.z)) / wall_.a;
  }
  // middle + R cos(w s - phase) = 0 on the way down.
  const double middle = -wall_.a / wall_.w2;
  const double c = from.z - middle, d = from.velocity / w_, R = std::hypot(c, d), phase = std::atan2(d, c);
  const double s = (phase + std::acos(std::clamp(-middle / R, -1.0, 1.0))) / w_;
  return s > 0 ? s : s + kTurn / w_;
}

double ExactWall::z(double t) const {
  if (t >= rest_) return 0;
  const auto after = std::upper_bound(flights_.begin(), flights_.end(), t,
                                      [](double time, const Flight& flight) { return time < flight.t; });
  return flown(after == flights_.begin() ? flights_.front() : *(after - 1), t);
}

int ExactWall::impacts(double t) const {
  int n = wall_.z <= 0 && wall_.velocity < 0 ? 1 : 0;
  for (std::size_t k = 1; k < flights_.size() && flights_[k].t <= t; ++k) ++n;
  return n;
}

}  // namespace ricochet::soak
