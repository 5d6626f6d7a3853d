// Norms, orders, Hausdorff distance, exact motions, spectrum: each against something independent of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/hausdorff.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/analysis/spectrum.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::analysis_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Norms, OfAGridFunction) {
  const std::vector<double> h{0.5, 0.25, 0.25}, e{1, -2, 4};
  EXPECT_DOUBLE_EQ(grid_norm(h, e, 1), 0.5 + 0.5 + 1);
  EXPECT_DOUBLE_EQ(grid_norm(h, e, 2), std::sqrt(0.5 + 1 + 4));
  EXPECT_DOUBLE_EQ(grid_norm(h, e, 3), std::cbrt(0.5 + 2 + 16));
  EXPECT_DOUBLE_EQ(grid_norm(h, e, kInfinity), 4);
  EXPECT_TRUE(std::isnan(grid_norm(h, std::vector<double>{1, NAN, 0}, kInfinity)));
  EXPECT_DOUBLE_EQ(relative_l1(e, std::vector<double>{10, -4, 0}), 0.5);
}

TEST(Norms, StudentQuantilesAsTabulated) {
  // two-sided 95 %, to the digits of the usual tables
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 5), 2.571, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 12), 2.179, 5e-4);
  EXPECT_NEAR(student_quantile(0.99, 7), 3.499, 5e-4);
}

TEST(Norms, FitOfAnExactPower) {
  std::vector<double> h = geometric(0.1, 0.001, 9), e;
  EXPECT_DOUBLE_EQ(h.front(), 0.1);
  EXPECT_NEAR(h.back(), 0.001, 1e-17);
  for (double x : h) e.push_back(3 * std::pow(x, 1.7));
  e[4] = 0;  // an error of zero has no logarithm
  const OrderFit fit = fit_order(h, e);
  EXPECT_EQ(fit.points, 8);
  EXPECT_NEAR(fit.order, 1.7, 1e-12);
  EXPECT_NEAR(fit.constant, 3, 1e-11);
  EXPECT_LT(fit.half_width, 1e-12);
  EXPECT_TRUE(std::isnan(fit_order(std::vector<double>{0.1}, std::vector<double>{1}).order));
}

// The interval is what it says: of many noisy fits it holds the true slope in 95 %.
TEST(Norms, ConfidenceIntervalCovers) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.4);
  int held = 0;
  constexpr int kTrials = 4000;
  const std::vector<double> h = geometric(0.1, 0.001, 8);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> e;
    for (double x : h) e.push_back(std::exp(std::log(x) + noise(random)));
    const OrderFit fit = fit_order(h, e);
    held += static_cast<int>(fit.low() <= 1 && 1 <= fit.high());
  }
  EXPECT_NEAR(held / double{kTrials}, 0.95, 0.012);  // measured 0.9518; three standard deviations are 0.010
}

// ---- Hausdorff ------------------------------------------------------------------------------------------------------

using Point = std::array<double, 4>;  // time first, then up to three values, in units of the scales

std::vector<Point> points(const FilledGraph& g, const HausdorffScales& scales) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < g.size(); ++i) {
    Point p{g.t[i] / scales.time};
    for (int k = 0; k < g.dim; ++k) p[1 + static_cast<std::size_t>(k)] = g.at(i)[k] / scales.value;
    out.push_back(p);
  }
  if (out.size() == 1) out.push_back(out[0]);
  return out;
}

double metric(const Point& a, const Point& b) {
  return std::max(std::abs(a[0] - b[0]), std::hypot(a[1] - b[1], a[2] - b[2], a[3] - b[3]));
}

Point between(const Point& a, const Point& b, double l) {
  Point p{};
  for (std::size_t k = 0; k < 4; ++k) p[k] = (1 - l) * a[k] + l * b[k];
  return p;
}

// Golden section: the distance is convex along the segment.
double to_segment(const Point& p, const Point& from, const Point& to) {
  constexpr double kRatio = 0.6180339887498949;
  const auto f = [&](double l) { return metric(p, between(from, to, l)); };
  double l = 0, r = 1, x = r - kRatio, y = l + kRatio, fx = f(x), fy = f(y);
  for (int i = 0; i < 60; ++i) {
    if (fx < fy) {
      r = y, y = x, fy = fx;
      x = r - kRatio * (r - l), fx = f(x);
    } else {
      l = x, x = y, fx = fy;
      y = l + kRatio * (r - l), fy = f(y);
    }
  }
  return std::min({fx, fy, f(0), f(1)});
}

std::vector<double> to_all(const Point& p, const std::vector<Point>& line) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) out.push_back(to_segment(p, line[i], line[i + 1]));
  return out;
}

// All pairs. A piece is halved as long as no single segment of the other line shows that the distance within it stays
// below the largest one found.
class BruteForce {
 public:
  BruteForce(const std::vector<Point>& of, const std::vector<Point>& from, double tolerance)
      : from_(from), tolerance_(tolerance) {
    for (std::size_t i = 0; i + 1 < of.size(); ++i)
      refine(of[i], to_all(of[i], from), of[i + 1], to_all(of[i + 1], from));
  }
  double excess() const { return best_; }

 private:
  void refine(const Point& a, const std::vector<double>& da, const Point& b, const std::vector<double>& db) {
    best_ = std::max({best_, *std::min_element(da.begin(), da.end()), *std::min_element(db.begin(), db.end())});
    for (std::size_t j = 0; j < da.size(); ++j)
      if (std::max(da[j], db[j]) <= best_ + tolerance_) return;
    const Point middle = between(a, b, 0.5);
    const auto d = to_all(middle, from_);
    refine(a, da, middle, d);
    refine(middle, d, b, db);
  }
  const std::vector<Point>& from_;
  double tolerance_, best_ = 0;
};

FilledGraph random_graph(std::mt19937& random, int dim) {
  std::uniform_real_distribution<double> value(-1, 1), pace(0, 0.5);
  std::uniform_int_distribution<int> count(1, 9), jump(0, 3);
  FilledGraph g(dim);
  double t = value(random) / 4;
  for (int n = count(random); n > 0; --n) {
    std::vector<double> x;
    for (int k = 0; k < dim; ++k) x.push_back(value(random));
    g.add(t, x.data());
    if (jump(random) != 0) t += pace(random);  // else a vertical segment follows
  }
  return g;
}

TEST(Hausdorff, AsBruteForceOnAThousandRandomPairs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> scale(-1, 1);
  double worst = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const int dim = 1 + trial % 3;
    const FilledGraph a = random_graph(random, dim), b = random_graph(random, dim);
    const HausdorffScales scales{std::pow(10, scale(random)), std::pow(10, scale(random))};
    constexpr double kTolerance = 1e-9;
    const auto pa = points(a, scales), pb = points(b, scales);
    const double ab = BruteForce(pa, pb, kTolerance).excess(), ba = BruteForce(pb, pa, kTolerance).excess();
    const double one = excess(a, b, scales).distance, both = hausdorff(a, b, scales).distance;
    // brute force is below the truth by no more than its tolerance
    ASSERT_GE(one, ab - 1e-11) << trial;
    ASSERT_LE(one, ab + kTolerance) << trial;
    ASSERT_GE(both, std::max(ab, ba) - 1e-11) << trial;
    ASSERT_LE(both, std::max(ab, ba) + kTolerance) << trial;
    EXPECT_DOUBLE_EQ(both, hausdorff(b, a, scales).distance);
    EXPECT_EQ(hausdorff(a, a, scales).distance, 0);
    worst = std::max(worst, std::abs(both - std::max(ab, ba)));
  }
  RecordProperty("largest difference", ::testing::PrintToString(worst));
}

// A jump from 0 to 1 that comes 0.3 too late: every point of the late part of the horizontal is 0.3 in time away.
TEST(Hausdorff, AJumpTooLateIsAnErrorInTime) {
  FilledGraph a, b;
  for (auto [g, t] : {std::pair{&a, 1.0}, std::pair{&b, 1.3}}) {
    g->add(0, 0.0);
    g->add(t, 0.0);
    g->add(t, 1.0);
    g->add(3, 1.0);
  }
  EXPECT_DOUBLE_EQ(hausdorff(a, b).distance, 0.3);
  EXPECT_DOUBLE_EQ(hausdorff(a, b, {.time = 0.5}).distance, 0.6);
  // with time counted little, the height of the jump bounds it: half of it in the middle
  EXPECT_DOUBLE_EQ(hausdorff(a, b, {.time = 1e-3}).distance, 0.5 * 2);
  EXPECT_DOUBLE_EQ(hausdorff(a, b, {.time = 0.3, .value = 4}).distance, 0.25);
}

TEST(Hausdorff, StepsAreFilledIn) {
  FilledGraph samples, line;
  for (int i = 0; i <= 10; ++i) samples.add(0.1 * i, 0.1 * i);
  line.add(0, 0.0);
  line.add(1, 1.0);
  // corners of the stairs (t, t + h) against the line (s, s): h/2
  EXPECT_NEAR(hausdorff(filled_steps(samples), line).distance, 0.05, 1e-15);
}

TEST(Hausdorff, RefusesWhatIsNoGraph) {
  FilledGraph a, b, plane(2);
  a.add(0, 0.0);
  EXPECT_THROW(hausdorff(a, b), InputError);
  b.add(1, 0.0);
  b.add(0, 0.0);
  EXPECT_THROW(hausdorff(a, b), InputError);
  plane.x = {0, 0};
  plane.t = {0};
  EXPECT_THROW(hausdorff(a, plane), InputError);
  EXPECT_THROW(hausdorff(a, a, {.time = 0}), InputError);
  a.add(1, std::nan(""));
  EXPECT_THROW(hausdorff(a, a), InputError);
}

/// A second for all; an algorithm that is quadratic would not come back for minutes.
TEST(Hausdorff, AHundredThousandSamples) {
  constexpr int kSamples = 100000;
  // near to each other, far from each other, noise: what makes some algorithms quadratic
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(-1, 1);
  for (int kind = 0; kind < 4; ++kind) {
    FilledGraph a(kind == 3 ? 3 : 1), b(kind == 3 ? 3 : 1);
    for (int i = 0; i < kSamples; ++i) {
      const double t = 10.0 * i / kSamples, s = std::sin(20 * t);
      const double x[3] = {kind == 2 ? noise(random) : s, std::cos(20 * t), t};
      const double y[3] = {kind == 2   ? noise(random)
                           : kind == 1 ? s + 3
                                       : std::sin(20 * t + 1e-3),
                           std::cos(20 * t), t};
      a.add(t, x);
      b.add(t, y);
    }
    EXPECT_GT(hausdorff(a, b).distance, 0) << kind;
  }
}

// ---- exact motions --------------------------------------------------------------------------------------------------

// Between impacts the equation of motion holds, by central differences; at impacts the law does.
TEST(ExactStop, SatisfiesItsEquations) {
  const ExactStop::Parameters cases[] = {
      {.a = -2, .zeta = 0, .w2 = 0, .e = 0.5, .y0 = 1},
      {.a = -2, .zeta = 0.3, .w2 = 0, .e = 0.5, .y0 = 1},
      {.a = 0, .zeta = 0, .w2 = 39.478, .e = 0.7, .y0 = 1},
      {.a = -5, .zeta = 0.4, .w2 = 30, .e = 0.8, .y0 = 1},
      {.a = 5, .zeta = 0.4, .w2 = 30, .e = 0.8, .y0 = 1},
      {.a = -5, .zeta = 8, .w2 = 30, .e = 0.8, .y0 = 1},
      {.a = -5, .zeta = std::sqrt(30), .w2 = 30, .e = 0, .y0 = 0.5, .v0 = 3, .t0 = 1},
  };
  for (const auto& p : cases) {
    const ExactStop exact(p, 6);
    double worst = 0;
    for (double t = p.t0 + 0.0137; t < 5.9; t += 0.0137) {
      constexpr double d = 5e-5;
      bool near_impact = false;
      for (const auto& i : exact.impacts()) near_impact = near_impact || std::abs(i.t - t) < 3 * d;
      if (near_impact || std::abs(t - exact.rest_time()) < 3 * d || t > exact.rest_time()) continue;
      const double y = exact.y(t), v = exact.v(t);
      ASSERT_GE(y, -1e-12);
      EXPECT_NEAR((exact.y(t + d) - exact.y(t - d)) / (2 * d), v, 1e-6);
      const double a = (exact.v(t + d) - exact.v(t - d)) / (2 * d);
      worst = std::max(worst, std::abs(a + 2 * p.zeta * v + p.w2 * y - p.a));
    }
    EXPECT_LT(worst, 1e-5) << "a " << p.a << " zeta " << p.zeta << " w2 " << p.w2;
    for (const auto& i : exact.impacts()) {
      EXPECT_DOUBLE_EQ(i.after, -p.e * i.before);
      EXPECT_LE(i.before, 0);
      EXPECT_NEAR(exact.y(i.t), 0, 1e-13);
    }
    ASSERT_GT(exact.impacts().size(), 0U);
  }
}

TEST(ExactStop, BallOfTheLecture) {
  const ExactStop ball({.a = -2, .e = 0.5, .y0 = 1}, 5);
  for (int n = 0; n < 20; ++n) EXPECT_NEAR(ball.impacts()[n].t, 3 - std::pow(2, 1 - n), 1e-14);
  EXPECT_NEAR(ball.rest_time(), 3, 1e-14);
  for (double t = 1.01; t < 2.99; t += 0.0173) {  // acary-2018 (124), n from 0
    const double n = std::floor(1 - std::log2(3 - t)), power = std::pow(2, -n);
    EXPECT_NEAR(ball.y(t), -(t - 3) * (t - 3) - 3 * power * (t - 1) + 2 * power * (3 - power), 1e-13) << t;
    EXPECT_NEAR(ball.v(t), -2 * (t - 3) - 3 * power, 1e-13);
  }
  EXPECT_EQ(ball.y(4), 0);
  EXPECT_EQ(ball.v(4), 0);
}

// The oscillator whose stop is at its rest position: each half swing is e times as high as the one before.
TEST(ExactStop, OscillatorAtItsRestPosition) {
  const double w = 2 * M_PI;
  const ExactStop stop({.a = 0, .w2 = w * w, .e = 0.7, .y0 = 1}, 5);
  ASSERT_EQ(stop.impacts().size(), 10U);
  for (int n = 0; n < 10; ++n) EXPECT_NEAR(stop.impacts()[n].t, 0.25 + 0.5 * n, 1e-14);
  for (int n = 1; n < 9; ++n) EXPECT_NEAR(stop.y(0.5 * n), std::pow(0.7, n), 1e-13);
}

TEST(ExactBar, WaveMeetsItsConditions) {
  const ExactBar bar({.length = 10, .section = 1, .young = 900, .density = 1, .gap = 5.005, .v0 = -10});
  EXPECT_DOUBLE_EQ(bar.touch_time(), 0.5005);
  EXPECT_NEAR(bar.contact_time(), 2.0 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(bar.force(0.9), 300);
  for (double t = 0.01; t < 1.5; t += 0.0137) {
    double momentum = 0, energy = 0;
    constexpr int kParts = 4000;
    for (int i = 0; i < kParts; ++i) {
      const double x = (i + 0.5) * 10 / kParts, d = 1e-6;
      const double strain = (bar.u(x + d, t) - bar.u(x - d, t)) / (2 * d);
      momentum += bar.v(x, t) * 10 / kParts;
      energy += (bar.v(x, t) * bar.v(x, t) + 900 * strain * strain) / 2 * 10 / kParts;
      EXPECT_NEAR((bar.u(x, t + d) - bar.u(x, t)) / d, bar.v(x, t), 10.1);  // at a front, half a jump
    }
    EXPECT_GE(bar.u(0, t), -5.005 - 1e-12);
    EXPECT_NEAR(energy, 500, 0.5);  // the parts that the fronts cut
    EXPECT_NEAR(momentum, -100 + 300 * std::clamp(t - 0.5005, 0.0, 2.0 / 3), 0.2);
  }
}

TEST(Spectrum, OfTwoHarmonics) {
  std::vector<double> t, x;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> step(0.5e-3, 1.5e-3);
  for (double at = 0; at < 20; at += step(random)) {
    t.push_back(at);
    x.push_back(5 + 0.1 * at + 2 * std::sin(2 * M_PI * 3 * at) + 0.5 * std::sin(2 * M_PI * 40 * at));
  }
  const Spectrum s = spectrum(t, x);
  const auto peak = [&](double from, double to) {
    double at = 0, height = 0;
    for (std::size_t k = 0; k < s.frequency.size(); ++k)
      if (s.frequency[k] > from && s.frequency[k] < to && s.amplitude[k] > height)
        at = s.frequency[k], height = s.amplitude[k];
    return std::pair{at, height};
  };
  EXPECT_NEAR(peak(1, 20).first, 3, 0.05);
  EXPECT_NEAR(peak(1, 20).second, 2, 0.35);  // between two lines a Hann window loses up to 15 %
  EXPECT_NEAR(peak(20, 200).first, 40, 0.05);
  EXPECT_NEAR(peak(20, 200).second, 0.5, 0.09);
  EXPECT_LT(peak(100, 400).second, 0.02);
  EXPECT_TRUE(spectrum(std::vector<double>{0, 1}, std::vector<double>{0, 1}).frequency.empty());
}

}  // namespace
}  // namespace ricochet::analysis_test
