// Exponentials, logarithms and powers.
//
// exp: x = n ln2/128 + r, |r| <= ln2/256, e^x = 2^(n/128) e^r; 2^(i/128) from a table of double-doubles, e^r - 1 by a
// polynomial. The result is had to some 2^-60, as a sum of two doubles where a hyperbolic function needs it.
// log: x = 2^k z; a reciprocal 1/c of 11 bits from a table makes r = z/c - 1, |r| <= 2^-7, exact in two parts, and
// log x = k ln2 + log c + log1p(r). Around 1, c = 1: nothing cancels, and no branch is needed.
// pow: e^(y log x), log x to some 2^-67.
//
// The tables are computed by the compiler, in double-doubles. Polynomials are near-minimax: interpolation at Chebyshev
// nodes in sixty digits.
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "ricochet/math/double_double.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr DoubleDouble kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

constexpr double power_of_two(int n) {  // within the normal numbers
  return std::bit_cast<double>(static_cast<std::int64_t>(n + 1023) << 52);
}

// ---- exponentials ----

constexpr int kSteps = 128;

constexpr std::array<DoubleDouble, kSteps> powers_of_two() {
  std::array<DoubleDouble, kSteps> table{};
  for (int i = 0; i < kSteps; ++i) {
    const DoubleDouble x = kLn2 * DoubleDouble{static_cast<double>(i) / kSteps, 0};
    DoubleDouble sum = {1, 0};
    for (int n = 28; n > 0; --n) sum = DoubleDouble{1, 0} + (x * sum) / n;
    table[static_cast<std::size_t>(i)] = sum;
  }
  return table;
}
constexpr auto kPowers = powers_of_two();

/// e^x = 2^exponent (high + low); high in [1, 2), |low| < 2^-8.
struct Exponential {
  double high, low;
  int exponent;
};

/// Of x + x_low, |x| < 1100.
[[gnu::always_inline]] inline Exponential exponential(double x, double x_low) {
  constexpr double kRound = 0x1.8p52;
  const double shifted = x * 0x1.71547652b82fep+7 + kRound;  // 128/ln2
  const double n = shifted - kRound;
  const auto whole = static_cast<int>(std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kRound));
  const double r = ((x - n * 0x1.62e42fefa0000p-8) - n * 0x1.cf79abc9e3b3ap-47) + x_low;  // ln2/128 in two parts
  const double square = r * r;
  const double less_one = r + square * ((0x1.fffffffffff57p-2 + r * 0x1.5555555555525p-3) +
                                        square * (0x1.55555acf8df82p-5 + r * 0x1.1111143255ff1p-7));
  const DoubleDouble& power = kPowers[static_cast<unsigned>(whole) % kSteps];
  return {power.high, power.low + power.high * less_one, whole >> 7};
}

/// 2^exponent value, for a value in [1/2, 4), rounded once where the result is subnormal.
[[gnu::always_inline]] inline double scaled(double value, int exponent) {
  if (exponent > -1020 && exponent < 1020) [[likely]]
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(value) + (static_cast<std::int64_t>(exponent) << 52));
  return exponent > 0 ? value * 0x1p1000 * power_of_two(exponent - 1000)
                      : value * power_of_two(exponent + 100) * 0x1p-100;
}

/// e^x as two doubles to some 2^-60, for |x| < 700.
DoubleDouble exp_in_two(double x) {
  const Exponential e = exponential(x, 0);
  const double scale = power_of_two(e.exponent);
  const DoubleDouble sum = fast_two_sum(e.high, e.low);
  return {sum.high * scale, sum.low * scale};
}

// ---- logarithms ----

constexpr std::uint64_t kFirst = std::bit_cast<std::uint64_t>(0.703125);  // z in [0.703125, 1.40625)

struct Reciprocal {
  double inverse;       ///< 1/c, a multiple of 2^-10
  double log, log_low;  ///< log c; the first part a multiple of 2^-42
};

constexpr double multiple_of(double x, double unit) {
  const double shift = 0x1.8p52 * unit;
  return (x + shift) - shift;
}

constexpr std::array<Reciprocal, 128> reciprocals() {
  std::array<Reciprocal, 128> table{};
  for (std::uint64_t i = 0; i < 128; ++i) {
    const double from = std::bit_cast<double>(kFirst + (i << 45)), to = std::bit_cast<double>(kFirst + ((i + 1) << 45));
    const bool around_one = from == 1 || to == 1;
    const double inverse = around_one ? 1 : multiple_of(2 / (from + to), 0x1p-10);
    const DoubleDouble s = DoubleDouble{1 - inverse, 0} / (1 + inverse);  // log c = 2 artanh s
    const DoubleDouble square = s * s;
    DoubleDouble sum = {0, 0};
    for (int n = 61; n > 0; n -= 2) sum = sum * square + DoubleDouble{2, 0} / n;
    sum = s * sum;
    const double first = multiple_of(sum.high, 0x1p-42);
    table[i] = {inverse, first, (sum.high - first) + sum.low};
  }
  return table;
}
constexpr auto kReciprocals = reciprocals();

/// log x = first + (second + base_low) + (log1p(r) - r). The first two are exact.
struct Reduced {
  double first, second, base_low, r;
};

/// Of a positive, finite, normal number times 2^extra, given by its bits.
[[gnu::always_inline]] inline Reduced reduce(std::uint64_t bits, int extra) {
  const std::uint64_t offset = bits - kFirst;
  const Reciprocal& c = kReciprocals[(offset >> 45) % 128];
  const double k = static_cast<double>(static_cast<int>(static_cast<std::int64_t>(offset) >> 52) + extra);
  const double z = std::bit_cast<double>(bits - (offset & 0xfff0000000000000u));
  const double z_high = leading(z);
  const double base = k * 0x1.62e42fefa3800p-1 + c.log;
  // z/c - 1 in two parts: a multiple of 2^-36, which base, a multiple of 2^-42, takes up without error, and the rest
  const double r_high = z_high * c.inverse - 1, r_low = (z - z_high) * c.inverse;
  const double r = r_high + r_low;
  if (base == 0) return {r, 0, 0, r};  // around 1, where the parts may cancel: r is exact
  return {base + r_high, r_low, k * 0x1.ef35793c76730p-45 + c.log_low, r};
}

/// A subnormal number made normal; else x itself.
struct Normal {
  std::uint64_t bits;
  int extra;
};
inline Normal normal(double x) {
  if (x < std::numeric_limits<double>::min()) return {std::bit_cast<std::uint64_t>(x * 0x1p52), -52};
  return {std::bit_cast<std::uint64_t>(x), 0};
}

/// log x to some 2^-67, for a positive finite x other than 1.
[[gnu::always_inline]] inline DoubleDouble log_in_two(double x) {
  const Normal n = normal(x);
  const auto [first, second, base_low, r] = reduce(n.bits, n.extra);
  const double square = r * r;
  const double cubic =
      r * square *
      ((0x1.5555555555555p-2 - r * 0x1.000000000002dp-2) +
       square * ((0x1.99999999999ebp-3 - r * 0x1.5555554a21e57p-3) +
                 square * ((0x1.2492491a63858p-3 - r * 0x1.000599b0ef46fp-3) + square * 0x1.c726a07dd3b00p-4)));
  // r^2/2 in two parts, the first exact
  const double r_high = leading(r), half = -0.5 * r_high;
  const DoubleDouble sum = fast_two_sum(first, half * r_high);
  const double rest = (r - r_high) * (half - 0.5 * r);
  return fast_two_sum(sum.high, sum.low + (second + (rest + base_low)) + cubic);
}

/// Where the logarithm is not that of a positive finite number.
double log_of_special(double x) {
  if (x == 0) return -kInfinity;
  return x > 0 ? x : kNaN;  // infinity stays
}

bool is_whole(double y) { return std::abs(y) >= 0x1p53 || y == std::floor(y); }
bool is_odd(double y) { return std::abs(y) < 0x1p53 && is_whole(y) && std::fmod(y, 2) != 0; }

/// Zero, infinite or undefined bases and exponents; x and y not 1 and not 0.
double pow_of_special(double x, double y) {
  if (x != x || y != y) return kNaN;
  const double size = std::abs(x);
  if (std::abs(y) == kInfinity) return size == 1 ? 1 : (size > 1) == (y > 0) ? kInfinity : 0;
  const double value = (size == 0) == (y > 0) ? 0 : kInfinity;  // the base is zero or infinite
  return std::signbit(x) && is_odd(y) ? -value : value;
}

}  // namespace

double exp(double x) {
  if (!(std::abs(x) < 746)) [[unlikely]]
    return x != x ? x : x > 0 ? kInfinity : 0;
  const Exponential e = exponential(x, 0);
  return scaled(e.high + e.low, e.exponent);
}

double expm1(double x) {
  if (std::abs(x) < 0x1p-60) return x;
  if (std::abs(x) < 0.125) {
    const double square = x * x;
    return x + square * ((0.5 + x * 0x1.5555555555553p-3) +
                         square * ((0x1.5555555555555p-5 + x * 0x1.11111111175f6p-7) +
                                   square * ((0x1.6c16c16c1af5ap-10 + x * 0x1.a01a0034e2fafp-13) +
                                             square * ((0x1.a01a00adf7125p-16 + x * 0x1.71fc7e8d7f45ap-19) +
                                                       square * 0x1.27f928d5df576p-22))));
  }
  if (x < -40) return -1;
  if (!(x < 40)) return exp(x);
  const DoubleDouble e = exp_in_two(x), sum = two_sum(e.high, -1);
  return sum.high + (sum.low + e.low);
}

double log(double x) {
  if (!(x > 0 && x < kInfinity)) [[unlikely]]
    return log_of_special(x);
  const Normal n = normal(x);
  const Reduced at = reduce(n.bits, n.extra);
  const double r = at.r, square = r * r;
  const double rest =
      square *
      ((-0.5 + r * 0x1.5555555555587p-2) +
       square * ((-0x1.000000000002dp-2 + r * 0x1.9999998d27905p-3) +
                 square * ((-0x1.5555554a21e57p-3 + r * 0x1.24988221953dep-3) - square * 0x1.000599b0ef46fp-3)));
  return at.first + ((at.second + at.base_low) + rest);
}

double log10(double x) {
  if (x == 1) return 0;
  if (!(x > 0 && x < kInfinity)) return log_of_special(x);
  const DoubleDouble result = log_in_two(x) * DoubleDouble{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  return result.high;
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (!(std::abs(x) > 0 && std::abs(x) < kInfinity && std::abs(y) < kInfinity)) [[unlikely]]
    return pow_of_special(x, y);
  double sign = 1;
  if (x < 0) {
    if (!is_whole(y)) return kNaN;
    if (is_odd(y)) sign = -1;
    x = -x;
    if (x == 1) return sign;
  }
  const DoubleDouble logarithm = log_in_two(x);
  const double size = y * logarithm.high;
  if (!(std::abs(size) < 746)) [[unlikely]]
    return size > 0 ? sign * kInfinity : sign * 0.0;
  const double y_high = leading(y), log_high = leading(logarithm.high);
  const double log_low = (logarithm.high - log_high) + logarithm.low;
  const Exponential e = exponential(y_high * log_high, (y - y_high) * log_high + y * log_low);
  return sign * scaled(e.high + e.low, e.exponent);
}

double sinh(double x) {
  const double a = std::abs(x);
  if (a < 1) {
    const double z = x * x, square = z * z;
    const double rest =
        (0x1.5555555555555p-3 + z * 0x1.11111111110fdp-7) +
        square * ((0x1.a01a01a01ee70p-13 + z * 0x1.71de3a4e14f40p-19) +
                  square * ((0x1.ae6460fae3728p-26 + z * 0x1.611cb330c1fe8p-33) + square * 0x1.b41232cf9950fp-41));
    return x + x * z * rest;
  }
  double value = kInfinity;
  if (a < 25) {
    const DoubleDouble e = exp_in_two(a);
    const double inverse = 1 / e.high;
    const DoubleDouble sum = fast_two_sum(e.high, -inverse);
    value = 0.5 * (sum.high + (sum.low + (e.low + inverse * inverse * e.low)));
  } else if (a < 720) {
    const Exponential e = exponential(a, 0);
    value = scaled(e.high + e.low, e.exponent - 1);
  } else if (x != x) {
    return x;
  }
  return std::copysign(value, x);
}

double cosh(double x) {
  const double a = std::abs(x);
  if (a < 25) {
    const DoubleDouble e = exp_in_two(a);
    const double inverse = 1 / e.high;
    const DoubleDouble sum = fast_two_sum(e.high, inverse);
    return 0.5 * (sum.high + (sum.low + (e.low - inverse * inverse * e.low)));
  }
  if (!(a < 720)) return x != x ? x : kInfinity;
  const Exponential e = exponential(a, 0);
  return scaled(e.high + e.low, e.exponent - 1);
}

double tanh(double x) {
  const double a = std::abs(x);
  if (a < 0x1p-30) return x;
  if (a < 0.5) {
    const double z = x * x, square = z * z;
    const double rest = (-0x1.5555555555555p-2 + z * 0x1.11111111110ecp-3) +
                        square * ((-0x1.ba1ba1ba15daap-5 + z * 0x1.664f487fed22ap-6) +
                                  square * ((-0x1.226e34a851d2cp-7 + z * 0x1.d6d39b48449bfp-9) +
                                            square * ((-0x1.7d9e74586c684p-10 + z * 0x1.350ce30757046p-11) +
                                                      square * ((-0x1.efab6555ccc22p-13 + z * 0x1.71eb85bee4b4ap-14) -
                                                                square * 0x1.8117b15cbb104p-16))));
    return x + x * z * rest;
  }
  if (!(a < 22)) return x != x ? x : std::copysign(1, x);
  const DoubleDouble e = exp_in_two(2 * a);
  const DoubleDouble above = fast_two_sum(e.high, -1), below = fast_two_sum(e.high, 1);
  return std::copysign(quotient({above.high, above.low + e.low}, {below.high, below.low + e.low}), x);
}

double hypot_scaled(double x, double y) {
  if (std::abs(x) == kInfinity || std::abs(y) == kInfinity) return kInfinity;
  if (x != x || y != y) return kNaN;
  const double scale = std::abs(x) > 1 || std::abs(y) > 1 ? 0x1p-600 : 0x1p600;
  const double a = x * scale, b = y * scale;
  return std::sqrt(a * a + b * b) / scale;
}

}  // namespace ricochet::elementary
