#include "ricochet/analysis/norms.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"

namespace ricochet {

double grid_norm(std::span<const double> h, std::span<const double> error, double p) {
  assert(h.size() == error.size() && p >= 1);
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double e = std::abs(error[i]);
    if (std::isnan(e)) return e;  // max would lose it
    if (std::isinf(p))
      sum = std::max(sum, e);
    else
      sum += h[i] * (p == 1 ? e : p == 2 ? e * e : elementary::pow(e, p));
  }
  return std::isinf(p) || p == 1 ? sum : elementary::pow(sum, 1 / p);
}

double relative_l1(std::span<const double> error, std::span<const double> reference) {
  assert(error.size() == reference.size());
  double above = 0, below = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    above += std::abs(error[i]);
    below += std::abs(reference[i]);
  }
  return above == 0 ? 0 : above / below;
}

namespace {

// Probability of |T| <= t, in finite terms for whole numbers of degrees of freedom.
double student_within(double t, int n) {
  const double angle = elementary::atan(t / std::sqrt(static_cast<double>(n)));
  const double c = elementary::cos(angle), s = elementary::sin(angle);
  double term = n % 2 == 1 ? c : 1, sum = n == 1 ? 0 : term;
  for (int k = n % 2 == 1 ? 3 : 2; k <= n - 2; k += 2) {
    term *= c * c * (k - 1) / k;
    sum += term;
  }
  return n % 2 == 1 ? 2 / M_PI * (angle + s * sum) : s * sum;
}

}  // namespace

double student_quantile(double confidence, int n) {
  assert(n >= 1 && confidence > 0 && confidence < 1);
  double low = 0, high = 1;
  while (student_within(high, n) < confidence) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, n) < confidence ? low : high) = middle;
  }
  return high;
}

OrderFit fit_order(std::span<const double> h, std::span<const double> error) {
  assert(h.size() == error.size());
  std::vector<double> x, y;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (!(h[i] > 0) || !(error[i] > 0) || !std::isfinite(error[i])) continue;
    x.push_back(elementary::log(h[i]));
    y.push_back(elementary::log(error[i]));
  }
  OrderFit fit;
  const auto n = static_cast<double>(x.size());
  fit.points = static_cast<int>(x.size());
  fit.half_width = std::numeric_limits<double>::infinity();
  fit.order = fit.constant = std::numeric_limits<double>::quiet_NaN();
  double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sxx += (x[i] - mean_x) * (x[i] - mean_x);
    sxy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (!(sxx > 0)) return fit;
  fit.order = sxy / sxx;
  fit.constant = elementary::exp(mean_y - fit.order * mean_x);
  if (fit.points < 3) return fit;
  double rest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = y[i] - mean_y - fit.order * (x[i] - mean_x);
    rest += d * d;
  }
  fit.half_width = student_quantile(0.95, fit.points - 2) * std::sqrt(rest / (n - 2) / sxx);
  return fit;
}

std::vector<double> geometric(double largest, double smallest, int count) {
  std::vector<double> h;
  for (int i = 0; i < count; ++i)
    h.push_back(count == 1 ? largest : largest * elementary::pow(smallest / largest, i / (count - 1.0)));
  return h;
}

}  // namespace ricochet
