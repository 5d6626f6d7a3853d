#pragma once
// Motions of shipped scenarios known independently of the program: formulas, or one degree of freedom with a wall
// integrated to rounding. They are asked at times that do not decrease.
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/runs.hpp"

namespace ricochet::test {

using Motion = std::function<VectorXd(double t)>;

/// x'' = a(x) above a wall at height(t), Newton's restitution e. Classical Runge-Kutta with steps of 2^-13 s, impacts
/// by bisection; when flights are shorter than 1e-7 s (heights of 1e-14) the point stays on its wall, which must not
/// move then.
class OneDegree {
 public:
  std::function<double(double)> acceleration;
  std::function<double(double)> height, height_rate;  ///< empty: no wall
  double e = 0, x = 0, v = 0;

  double at(double time) {
    while (!rests_ && t_ < time) advance(std::min(time - t_, std::ldexp(1.0, -13)));
    return x;
  }

 private:
  struct Point {
    double x, v;
  };
  Point moved(double h) const {
    const auto& a = acceleration;
    const double a1 = a(x), a2 = a(x + h / 2 * v), v3 = v + h / 2 * a1, a3 = a(x + h / 2 * v3);
    const double a4 = a(x + h * (v + h / 2 * a2));
    return {x + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)};
  }
  void advance(double h) {
    const Point end = moved(h);
    if (!height || end.x >= height(t_ + h)) {
      x = end.x;
      v = end.v;
      t_ += h;
      return;
    }
    double low = 0, high = h;
    for (int k = 0; k < 80; ++k) {
      const double middle = (low + high) / 2;
      (moved(middle).x >= height(t_ + middle) ? low : high) = middle;
    }
    const Point hit = moved(low);
    t_ += low;
    const double wall = height_rate(t_);
    x = height(t_);
    v = wall - e * (hit.v - wall);
    rests_ = t_ - last_impact_ < 1e-7;
    last_impact_ = t_;
  }
  double t_ = 0, last_impact_ = -1;
  bool rests_ = false;
};

inline VectorXd vector(std::initializer_list<double> numbers) {
  VectorXd x(static_cast<Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), x.data());
  return x;
}

/// Mass on a spring against a stop at its rest position, from 1 at rest; a half period between impacts.
inline double oscillator(double t, double e = 0.7) {
  const double w = 2 * M_PI;
  if (t < 0.25) return std::cos(w * t);
  const double n = std::floor((t - 0.25) / 0.5) + 1;
  return std::pow(e, n) * std::sin(w * (t - 0.25 - (n - 1) * 0.5));
}

/// Slips, sticks when it is as fast as the belt, slips again when the spring holds it back with mu m g; from then on a
/// harmonic motion about that point, which reaches the speed of the belt once a period and no more.
inline double belt(double t, double k = 10, double mu = 0.2, double speed = 0.15) {
  const double w = std::sqrt(k), c = mu * 9.81 / k;
  const double sticks = std::asin(speed / (c * w)) / w;
  if (t < sticks) return c * (1 - std::cos(w * t));
  const double x = c * (1 - std::cos(w * sticks)), slips = sticks + (c - x) / speed;
  return t < slips ? x + speed * (t - sticks) : c + speed / w * std::sin(w * (t - slips));
}

inline double incline(double t) {
  const double slope = 20 * M_PI / 180, brake = 9.81 * (0.55 * std::cos(slope) - std::sin(slope));
  const double s = std::min(t, 1 / brake);
  return s - brake * s * s / 2;
}

/// A ball that brakes a driven roller: every impact with at most mu times its own impulse, at rest with its weight.
class SliderAndRoller {
 public:
  VectorXd at(double t) {
    while (next_ <= t && speed_ > 1e-12) impact();
    const double s = t - last_;
    if (speed_ > 1e-12)
      return vector({height_ + speed_now_ * s - kG * s * s / 2, phi_ + w_ * s + kDrive / kJ * s * s / 2});
    const double brake = (kMu * kG * kR - kDrive) / kJ, stop = std::min(s, w_ / brake);
    return vector({0, phi_ + w_ * stop - brake * stop * stop / 2});
  }

 private:
  static constexpr double kG = 9.81, kMu = 0.3, kR = 0.2, kE = 0.5, kJ = 2 * kR * kR / 2;
  static constexpr double kDrive = 0.6 * kMu * kG * kR;
  void impact() {
    const double s = next_ - last_, w = w_ + kDrive / kJ * s;
    phi_ += w_ * s + kDrive / kJ * s * s / 2;
    const double most = kMu * (1 + kE) * speed_ * kR / kJ;  // change of w by sliding friction
    w_ = w > most ? w - most : 0;
    speed_ *= kE;
    height_ = 0;
    speed_now_ = speed_;
    last_ = next_;
    next_ += 2 * speed_ / kG;
  }
  double last_ = 0, next_ = std::sqrt(2 / kG), speed_ = std::sqrt(2 * kG), speed_now_ = 0, height_ = 1, phi_ = 0,
         w_ = 0;
};

inline Motion ball(double q0, double g, double e, double offset = 0) {
  return [exact = ExactBall(q0, g, e), offset](double t) { return vector({offset + exact.q(t)}); };
}

inline Motion one_degree(OneDegree body, std::function<VectorXd(double)> coordinates) {
  const auto shared = std::make_shared<OneDegree>(std::move(body));
  return [shared, coordinates](double t) { return coordinates(shared->at(t)); };
}

inline Motion known_motion(const std::string& scenario) {
  if (scenario == "bouncing-ball") return ball(1, 2, 0.5);
  if (scenario == "bouncing-ball-elastic") return ball(1, 2, 1);
  if (scenario == "bouncing-ball-lecture") return ball(1, 9.81, 0.9);
  if (scenario == "bouncing-ball-bruls") return ball(0.801, 10, 0.8, 0.2);
  if (scenario == "linear-oscillator") return [](double t) { return vector({oscillator(t)}); };
  if (scenario == "belt-oscillator") return [](double t) { return vector({belt(t), 0}); };
  if (scenario == "block-on-incline") return [](double t) { return vector({incline(t), 0}); };
  if (scenario == "slider-and-roller") {
    const auto motion = std::make_shared<SliderAndRoller>();
    return [motion](double t) { return motion->at(t); };
  }
  OneDegree body;
  if (scenario == "pendulum") {
    body.acceleration = [](double phi) { return -9.81 * std::sin(phi); };
    body.x = M_PI / 3;
    return one_degree(body, [](double phi) { return vector({std::sin(phi), -std::cos(phi)}); });
  }
  if (scenario == "bouncing-pendulum") {
    body.acceleration = [](double theta) { return -10 * std::cos(theta) / 1.1; };
    body.height = [](double) { return -M_PI / 4; };
    body.height_rate = [](double) { return 0.0; };
    body.e = 0.8;
    body.x = M_PI / 12;
    return one_degree(body, [](double theta) { return vector({std::cos(theta), std::sin(theta), theta}); });
  }
  if (scenario == "moving-table") {
    const double w = 8 * M_PI;
    body.acceleration = [](double) { return -9.81; };
    body.height = [w](double t) { return 0.1 * std::sin(w * t); };
    body.height_rate = [w](double t) { return 0.1 * w * std::cos(w * t); };
    body.e = 0.5;
    body.x = 0.5;
    return one_degree(body, [](double y) { return vector({y}); });
  }
  throw std::logic_error("no motion is known of " + scenario);
}

/// Integral over time of the largest error of a coordinate, trapezoidal over the rows.
inline double l1_error(const Trajectory& run, const Motion& motion) {
  double sum = 0, before = 0, t = 0;
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    const double error = (run.rows[k].q - motion(run.rows[k].t)).cwiseAbs().maxCoeff();
    if (k > 0) sum += (run.rows[k].t - t) * (error + before) / 2;
    before = error;
    t = run.rows[k].t;
  }
  return sum;
}

}  // namespace ricochet::test
