#include "ricochet/analysis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

// The transform is fast where the number of samples has small factors only.
std::size_t smooth_number(std::size_t n) {
  for (;; --n) {
    std::size_t rest = n;
    for (const std::size_t factor : {2U, 3U, 5U})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return n;
  }
}

std::vector<double> resample(std::span<const double> t, std::span<const double> x) {
  const std::size_t n = t.size();
  std::vector<double> out(smooth_number(n));
  std::size_t k = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double at = t.front() + (t.back() - t.front()) * static_cast<double>(i) / static_cast<double>(out.size() - 1);
    while (k + 2 < n && t[k + 1] < at) ++k;
    const double width = t[k + 1] - t[k];
    const double s = width > 0 ? std::clamp((at - t[k]) / width, 0.0, 1.0) : 1;
    out[i] = (1 - s) * x[k] + s * x[k + 1];
  }
  return out;
}

void take_off_trend(std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, sxy = 0, sxx = 0;
  for (double value : x) mean += value / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = static_cast<double>(i) - (n - 1) / 2;
    sxy += d * x[i];
    sxx += d * d;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= mean + sxy / sxx * (static_cast<double>(i) - (n - 1) / 2);
}

}  // namespace

Spectrum spectrum(std::span<const double> t, std::span<const double> x) {
  Spectrum out;
  const std::size_t given = std::min(t.size(), x.size());
  if (given < 8 || !(t[given - 1] > t[0])) return out;
  std::vector<double> signal = resample(t.first(given), x.first(given));
  const std::size_t n = signal.size();
  take_off_trend(signal);
  double weight = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = 0.5 - 0.5 * elementary::cos(2 * M_PI * static_cast<double>(i) / static_cast<double>(n - 1));
    signal[i] *= w;
    weight += w;
  }
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> modes;
  fft.fwd(modes, signal);
  const double span = (t[given - 1] - t[0]) * static_cast<double>(n) / static_cast<double>(n - 1);
  for (std::size_t k = 1; k <= n / 2; ++k) {
    out.frequency.push_back(static_cast<double>(k) / span);
    out.amplitude.push_back(2 * elementary::hypot(modes[k].real(), modes[k].imag()) / weight);
  }
  return out;
}

}  // namespace ricochet
