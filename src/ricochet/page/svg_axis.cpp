// Ticks at round numbers, and the choice of the samples that are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet::svg {
namespace {

std::string superscript(int exponent) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (char c : std::to_string(std::abs(exponent))) out += digits[c - '0'];
  return out;
}

// A minus sign is wider than a hyphen and stands at the height of the digits.
std::string with_minus(const std::string& text) { return text.starts_with('-') ? "−" + text.substr(1) : text; }

std::string fixed(double x, int decimals) {
  std::string out = fmt::format("{:.{}f}", x, decimals);
  if (out.starts_with('-') && out.find_first_of("123456789") == std::string::npos) out.erase(0, 1);  // no "-0.0"
  return with_minus(out);
}

// The nearest of 1, 2, 5 times a power of ten, by ratio.
double nice_step(double span, int about) {
  const double raw = span / std::max(about, 1);
  const double power = elementary::pow(10.0, std::floor(elementary::log10(raw)));
  const double mantissa = raw / power;
  return power * (mantissa < 1.4142 ? 1 : mantissa < 3.1623 ? 2 : mantissa < 7.0711 ? 5 : 10);
}

// 1, 2, 5 in every decade.
Ticks parts_of_decades(double min, double max, int low, int high) {
  Ticks out;
  const bool plain = min >= 1e-3 && max <= 2e4;
  for (int d = low; d <= high; ++d) {
    for (int m = 1; m < 10; ++m) {
      const double at = m * elementary::pow(10.0, d);
      if (at < min * 0.999999 || at > max * 1.000001) continue;
      if (m != 1 && m != 2 && m != 5) {
        out.minor.push_back(at);
        continue;
      }
      out.at.push_back(at);
      out.labels.push_back(plain ? fixed(at, std::max(0, -d))
                                 : fmt::format("{}10{}", m == 1 ? "" : fmt::format("{}·", m), superscript(d)));
    }
  }
  return out;
}

bool drawable(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

// First, lowest, highest and last of the samples [from, to), in their order.
void keep_extremes(std::span<const double> y, std::size_t from, std::size_t to, std::vector<std::size_t>& out) {
  std::size_t low = from;
  std::size_t high = from;
  for (std::size_t i = from; i < to; ++i) {
    if (y[i] < y[low]) low = i;
    if (y[i] > y[high]) high = i;
  }
  std::size_t four[] = {from, std::min(low, high), std::max(low, high), to - 1};
  for (const std::size_t i : four)
    if (out.empty() || out.back() < i) out.push_back(i);
}

std::vector<std::size_t> slices(std::span<const double> x, std::span<const double> y, std::size_t count) {
  const auto n = x.size();
  double lo = std::numeric_limits<double>::infinity();
  double hi = -lo;
  for (const double value : x) {
    if (!std::isfinite(value)) continue;
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  const double scale = hi > lo ? static_cast<double>(count) / (hi - lo) : 0;
  const auto slice = [&](std::size_t i) { return std::min(std::floor((x[i] - lo) * scale), double(count - 1)); };
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < n;) {
    if (!drawable(x[i], y[i])) {  // of a run of gaps, one
      if (out.empty() || drawable(x[out.back()], y[out.back()])) out.push_back(i);
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < n && drawable(x[end], y[end]) && slice(end) == slice(i)) ++end;
    keep_extremes(y, i, end, out);
    i = end;
  }
  return out;
}

// For curves in a plane: a sample is kept when it left the neighbourhood of the last one.
std::vector<std::size_t> wanderers(std::span<const double> x, std::span<const double> y, std::size_t limit) {
  double x_lo = 1e308, x_hi = -1e308, y_lo = 1e308, y_hi = -1e308;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!drawable(x[i], y[i])) continue;
    x_lo = std::min(x_lo, x[i]), x_hi = std::max(x_hi, x[i]);
    y_lo = std::min(y_lo, y[i]), y_hi = std::max(y_hi, y[i]);
  }
  const double x_scale = 1 / std::max(x_hi - x_lo, 1e-300);
  const double y_scale = 1 / std::max(y_hi - y_lo, 1e-300);
  std::vector<std::size_t> out;
  for (double tolerance = 5e-4; tolerance < 0.01; tolerance *= 2) {
    out.clear();
    bool gap = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool here = drawable(x[i], y[i]);
      const bool far =
          out.empty() || gap != !here || i + 1 == x.size() ||
          (here && elementary::hypot((x[i] - x[out.back()]) * x_scale, (y[i] - y[out.back()]) * y_scale) > tolerance);
      gap = !here;
      if (far) out.push_back(i);
    }
    if (out.size() <= 2 * limit) return out;
  }
  // Longer than the plot can show: the latest part of the curve is the one of interest.
  if (out.size() > 4 * limit) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(4 * limit));
  return out;
}

}  // namespace

std::vector<std::size_t> decimate(std::span<const double> x, std::span<const double> y, std::size_t limit) {
  const std::size_t n = std::min(x.size(), y.size());
  x = x.first(n);
  y = y.first(n);
  if (n <= limit) {
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    return all;
  }
  double last = -std::numeric_limits<double>::infinity();
  bool forward = true;
  for (const double value : x) {
    if (!std::isfinite(value)) continue;
    forward = forward && value >= last;
    last = value;
  }
  return forward ? slices(x, y, std::max<std::size_t>(limit / 4, 1)) : wanderers(x, y, limit);
}

Ticks linear_ticks(double min, double max, int about) {
  Ticks out;
  if (!(max - min > 1e-300 && max - min < 1e301)) return out;
  const double step = nice_step(max - min, about);
  const double largest = std::max(std::abs(min), std::abs(max));
  // Values that differ only far behind the point: the common part is written once.
  double offset = 0;
  if (largest / step > 1e5) {
    offset = std::round(min / (step * 10)) * step * 10;
    out.note = fmt::format("{} {:.10g}", offset < 0 ? "−" : "+", std::abs(offset));
  }
  const double shown = offset != 0 ? max - min : largest;
  int exponent = static_cast<int>(std::floor(elementary::log10(shown) + 1e-9));
  if (exponent >= -3 && exponent <= 4) exponent = 0;
  const double unit = elementary::pow(10.0, exponent);
  if (exponent != 0) out.note = "×10" + superscript(exponent) + (out.note.empty() ? "" : " " + out.note);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-elementary::log10(step / unit) - 1e-9)), 0, 12);
  const double first = std::ceil(min / step - 2e-3);
  for (double k = first; k * step <= max + 2e-3 * step && out.at.size() < 100; k += 1) {
    out.at.push_back(k * step);
    out.labels.push_back(fixed((k * step - offset) / unit, decimals));
  }
  return out;
}

Ticks log_ticks(double min, double max, int about) {
  if (!(min > 0 && max >= min && std::isfinite(max))) return {};
  const int low = static_cast<int>(std::floor(elementary::log10(min) + 1e-9));
  const int high = static_cast<int>(std::ceil(elementary::log10(max) - 1e-9));
  const int decades = high - low;
  // Within two decades the decades alone say too little.
  if (elementary::log10(max / min) <= 2) {
    const Ticks few = parts_of_decades(min, max, low, high);
    return few.at.size() >= 2 ? few : linear_ticks(min, max, about);
  }
  Ticks out;
  const int every = std::max(1, (decades + about - 1) / std::max(about, 1));
  for (int d = low; d <= high; ++d) {
    const double at = elementary::pow(10.0, d);
    for (int m = 2; m < 10 && every == 1 && decades <= 6; ++m)
      if (m * at > min && m * at < max) out.minor.push_back(m * at);
    if (at < min * 0.999999 || at > max * 1.000001) continue;
    if (((d % every) + every) % every == 0) {
      out.at.push_back(at);
      out.labels.push_back("10" + superscript(d));
    }
  }
  return out;
}

std::string packed(std::span<const double> numbers) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  for (const double number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<unsigned char>(bits >> (8 * k)));
  }
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8U | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace ricochet::svg
