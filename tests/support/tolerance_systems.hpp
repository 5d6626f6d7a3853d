#pragma once
// Systems with known motions for what a tolerance promises: shipped scenarios (references.hpp) and small ones in which
// a contact opens, begins to slide, turns round, is grazed, accumulates, or has others beside it. All are formulas, or
// formulas between the roots of formulas.
#include "support/references.hpp"

namespace ricochet::test {

struct ToleranceSystem {
  std::string name, kind, text;    ///< no text: a shipped scenario
  std::function<Motion()> motion;  ///< anew for every run: motions are asked at times that do not decrease
  Scenario scenario(double tolerance) const {
    char step[64];
    std::snprintf(step, sizeof step, "simulation.step={control: auto, tolerance: %g}", tolerance);
    const std::vector<std::string> settings{"simulation.scheme=auto", step};
    return text.empty() ? load_scenario(name, settings) : read_scenario(text, name, settings);
  }
};

inline std::string formulas(const std::string& system, const std::string& initial, double until) {
  return "system:\n  formulas: {" + system + "}\ninitial: " + initial +
         "\nsimulation: {until: " + std::to_string(until) + "}\n";
}

/// The root of a function that changes its sign between a and b.
inline double root(const std::function<double(double)>& f, double a, double b) {
  const bool rises = f(b) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = (a + b) / 2;
    ((f(middle) > 0) == rises ? b : a) = middle;
  }
  return (a + b) / 2;
}

/// x'' = a over one stretch of time.
struct Throw {
  double x = 0, v = 0, a = 0;
  double at(double s) const { return x + s * (v + s * a / 2); }
  double speed(double s) const { return v + s * a; }
};

/// On the ground a block is shaken by a sin(w t) and held by friction f: sticks, slides, stops, slides back. Once it
/// slides its velocity is a formula; where that has its next zero is asked of it.
class ShakenBlock {
 public:
  ShakenBlock(double a, double w, double f) : a_(a), w_(w), f_(f) {}
  double at(double t) {
    while (t > next_) advance();
    return position(t);
  }

 private:
  double force(double t) const { return a_ * std::sin(w_ * t); }
  double speed(double t) const {
    return sign_ == 0 ? 0 : -a_ / w_ * (std::cos(w_ * t) - std::cos(w_ * begin_)) - sign_ * f_ * (t - begin_);
  }
  double position(double t) const {
    const double s = t - begin_;
    if (sign_ == 0) return x_;
    return x_ - a_ / (w_ * w_) * (std::sin(w_ * t) - std::sin(w_ * begin_)) + a_ / w_ * std::cos(w_ * begin_) * s -
           sign_ * f_ * s * s / 2;
  }
  void advance() {
    x_ = position(next_);
    begin_ = next_;
    const double step = 1e-3 / w_;
    if (sign_ == 0 || std::abs(force(begin_)) > f_) {  // begins to slide, or turns round
      sign_ = force(begin_) > 0 ? 1 : -1;
      double t = begin_ + step;
      while (sign_ * speed(t) > 0) t += step;
      next_ = root([&](double s) { return sign_ * speed(s); }, t - step, t);
    } else {
      sign_ = 0;
      double t = begin_ + step;
      while (std::abs(force(t)) < f_) t += step;
      next_ = root([&](double s) { return std::abs(force(s)) - f_; }, t - step, t);
    }
  }
  double a_, w_, f_, x_ = 0, begin_ = 0, sign_ = 0;
  double next_ = std::asin(f_ / a_) / w_;
};

/// A point over the ground with friction: every impact brakes it by mu (1 + e) times its normal speed; when it no
/// longer bounces it slides to rest.
class SkippingStone {
 public:
  SkippingStone(double x_speed, double y, double e, double mu) : e_(e), mu_(mu), fall_{y, 0, -kG}, x_{0, x_speed, 0} {
    next_ = std::sqrt(2 * y / kG);
    hit_ = kG * next_;
  }
  VectorXd at(double t) {
    while (t > next_ && hit_ > 1e-13) impact();
    const double s = t - begin_;
    if (hit_ > 1e-13) return vector({x_.at(s), fall_.at(s)});
    const double stop = std::min(s, x_.v / (mu_ * kG));
    return vector({x_.x + stop * (x_.v - mu_ * kG * stop / 2), 0});
  }

 private:
  static constexpr double kG = 9.81;
  void impact() {
    const double s = next_ - begin_;
    x_ = {x_.at(s), std::max(0.0, x_.v - mu_ * (1 + e_) * hit_), 0};
    hit_ *= e_;
    fall_ = {0, hit_, -kG};
    begin_ = next_;
    next_ += 2 * hit_ / kG;
  }
  double e_, mu_;
  Throw fall_, x_;
  double begin_ = 0, next_ = 0, hit_ = 0;
};

/// q'' = -q from 1 at rest against a stop at -(1 - depth).
inline double grazing(double t, double depth, double e) {
  if (depth < 0) return std::cos(t);
  const double stop = -(1 - depth), first = std::acos(stop);
  if (t <= first) return std::cos(t);
  // From the stop with speed u up to the stop again: q = stop cos s + u sin s.
  double u = e * std::sin(first), begin = first;
  for (;;) {
    const double period = 2 * M_PI - 2 * std::atan2(u, -stop);
    if (t <= begin + period) return stop * std::cos(t - begin) + u * std::sin(t - begin);
    begin += period;
    u *= e;
  }
}

inline std::vector<ToleranceSystem> tolerance_systems() {
  std::vector<ToleranceSystem> out;
  const auto shipped = [&](const char* name, const char* kind) {
    out.push_back({name, kind, "", [name] { return known_motion(name); }});
  };
  const auto add = [&](const char* name, const char* kind, std::string text, std::function<Motion()> motion) {
    out.push_back({name, kind, std::move(text), std::move(motion)});
  };
  const auto same = [](Motion motion) { return [motion] { return motion; }; };
  const auto one = [](std::function<double(double)> x) {
    return [x]() -> Motion { return [x](double t) { return vector({x(t)}); }; };
  };
  shipped("bouncing-ball", "accumulation");
  shipped("bouncing-ball-elastic", "impacts");
  shipped("bouncing-ball-lecture", "impacts");
  shipped("bouncing-ball-bruls", "accumulation");
  shipped("linear-oscillator", "impacts");
  shipped("moving-table", "accumulation, moving wall");
  shipped("block-on-incline", "slides to rest");
  shipped("belt-oscillator", "sticks, slides");
  shipped("slider-and-roller", "accumulation, friction");
  shipped("pendulum", "smooth");
  shipped("bouncing-pendulum", "impacts, joints");
  add("lift", "opens",
      formulas("coordinates: [q], kinetic: q'^2/2, potential: 5*q, forces: {q: 5*t/4.3667}, contacts: {w: {gap: q}}",
               "{}", 10),
      one([](double t) { return 5 / (6 * 4.3667) * std::pow(std::max(0.0, t - 4.3667), 3); }));
  add("lift-exponential", "opens",
      formulas("coordinates: [q], kinetic: q'^2/2, forces: {q: exp(t - 2.3) - 1}, contacts: {w: {gap: q}}", "{}", 4),
      one([](double t) {
        const double s = std::max(0.0, t - 2.3);
        return std::exp(s) - 1 - s - s * s / 2;
      }));
  add("preload", "opens",
      formulas("coordinates: [q], kinetic: q'^2/2, potential: 4*q^2/2 + 1.7*q, forces: {q: 0.6*t}, "
               "contacts: {w: {gap: q, restitution: 0.5}}",
               "{}", 8),
      one([](double t) {
        const double s = std::max(0.0, t - 1.7 / 0.6);
        return 0.6 / 4 * (s - std::sin(2 * s) / 2);
      }));
  add("pusher", "opens, both move",
      formulas("coordinates: [a, b], kinetic: a'^2/2 + b'^2/2, forces: {b: 2 - t}, contacts: {w: {gap: a - b}}", "{}",
               4.3),
      same([](double t) {
        const auto together = [](double s) { return s * s * (1 - s / 6) / 2; };
        if (t <= 2) return vector({together(t), together(t)});
        const double s = t - 2, a = together(2) + s;  // the speed is 1
        return vector({a, a - s * s * s / 6});
      }));
  add("landing", "several contacts, opens",
      formulas("coordinates: [a, b], kinetic: a'^2/2 + b'^2/2, potential: 9.81*(a + b), forces: {b: 3*t}, "
               "contacts: {ground: {gap: a}, top: {gap: b - a}}",
               "{position: {b: 1}}", 4.5),
      same([](double t) {
        // b'' = 3 t - 9.81 from 1 until it lands; the pull lifts it again when it is its weight.
        const auto fall = [](double s) { return 1 + s * s * (s / 2 - 9.81 / 2); };
        static const double lands = root(fall, 0.3, 1);
        const double s = std::max(0.0, t - 9.81 / 3);
        return vector({0, t < lands ? fall(t) : s * s * s / 2});
      }));
  add("two-balls", "several contacts, accumulation",
      formulas("coordinates: [a, b], kinetic: a'^2/2 + b'^2/2, potential: 9.81*(a + 2*b), "
               "contacts: {low: {gap: a, restitution: 0.4}, high: {gap: b, restitution: 0.6}}",
               "{position: {a: 1, b: 1.3}}", 3),
      same([low = ExactBall(1, 9.81, 0.4), high = ExactBall(1.3, 2 * 9.81, 0.6)](double t) {
        return vector({low.q(t), high.q(t)});
      }));
  const std::string block =
      "coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, potential: 9.81*y, "
      "contacts: {ground: {gap: y, slip: x, friction: 0.3}}, ";
  const double f = 0.3 * 9.81;
  const auto along = [](std::function<double(double)> x) {
    return [x]() -> Motion { return [x](double t) { return vector({x(t), 0}); }; };
  };
  const auto shaken = [f](double a, double w) {
    return [=]() -> Motion {
      return [b = std::make_shared<ShakenBlock>(a, w, f)](double t) { return vector({b->at(t), 0}); };
    };
  };
  add("slip", "begins to slide", formulas(block + "forces: {x: 1.1*t}", "{}", 5),
      along([f](double t) { return 1.1 / 6 * std::pow(std::max(0.0, t - f / 1.1), 3); }));
  add("dragged-block", "begins to slide", formulas(block + "forces: {x: 9*(0.7*t - x)}", "{}", 2.2),
      along([f](double t) {
        const double s = std::max(0.0, t - f / (9 * 0.7));
        return 0.7 * (s - std::sin(3 * s) / 3);
      }));
  add("shaken-block", "sticks, slides, turns", formulas(block + "forces: {x: 4*sin(3*t)}", "{}", 6), shaken(4, 3));
  add("shaken-hard", "turns round", formulas(block + "forces: {x: 30*sin(5*t)}", "{}", 4), shaken(30, 5));
  add("thrown-uphill", "turns round",
      formulas("coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, potential: 6*x + 8*y, "
               "contacts: {slope: {gap: y, slip: x, friction: 0.25}}",
               "{velocity: {x: 3.3}}", 2),
      along([](double t) {
        const double up = 3.3 / 8, s = std::max(0.0, t - up), r = std::min(t, up);
        return r * (3.3 - 4 * r) - 2 * s * s;
      }));
  add("skipping-stone", "accumulation, friction, slides to rest",
      formulas("coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, potential: 9.81*y, "
               "contacts: {ground: {gap: y, slip: x, friction: 0.2, restitution: 0.5}}",
               "{position: {y: 0.6}, velocity: {x: 4}}", 3),
      []() -> Motion {
        return [stone = std::make_shared<SkippingStone>(4, 0.6, 0.5, 0.2)](double t) { return stone->at(t); };
      });
  const auto graze = [&](const char* name, const char* kind, double depth, double until) {
    char gap[64];
    std::snprintf(gap, sizeof gap, "q + 1 - (%g)", depth);
    add(name, kind,
        formulas("coordinates: [q], kinetic: q'^2/2, potential: q^2/2, contacts: {w: {gap: " + std::string(gap) +
                     ", restitution: 0.5}}",
                 "{position: {q: 1}}", until),
        one([depth](double t) { return grazing(t, depth, 0.5); }));
  };
  graze("graze", "grazed", 1e-9, 6);
  graze("graze-missed", "grazed", -1e-9, 6);
  graze("graze-deeper", "grazed", 1e-5, 12);
  return out;
}

}  // namespace ricochet::test
