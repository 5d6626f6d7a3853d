// Circular functions and their inverses, and the reduction of large arguments.
//
// tan: sine and cosine of the reduced argument, each as a sum of two doubles, and their quotient.
// asin: x + x^3 P(x^2) up to 1/2; beyond, asin x = pi/2 - 2 asin(sqrt((1 - x)/2)), the root in two doubles.
// atan: x + x^3 Q(x^2) up to 7/16; beyond, atan x = atan c + atan((x - c)/(1 + c x)) with c = 1/2, 1, 3/2, infinity.
//
// Polynomials are near-minimax: interpolation at Chebyshev nodes in sixty digits.
#include <bit>
#include <cstdint>
#include <limits>

#include "ricochet/math/double_double.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/sincos.hpp"

namespace ricochet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr DoubleDouble kQuarterTurn = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoubleDouble kHalfTurn = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

__extension__ using Wide = unsigned __int128;

/// 2/pi, behind 64 zeros.
constexpr std::uint64_t kTwoOverPi[] = {0,
                                        0xa2f9836e4e441529,
                                        0xfc2757d1f534ddc0,
                                        0xdb6295993c439041,
                                        0xfe5163abdebbc561,
                                        0xb7246e3a424dd2e0,
                                        0x06492eea09d1921c,
                                        0xfe1deb1cb129a73e,
                                        0xe88235f52ebb4484,
                                        0xe99c7026b45f7e41,
                                        0x3991d639835339f4,
                                        0x9c845f8bbdf9283b,
                                        0x1ff897ffde05980f,
                                        0xef2f118b5a0a6d1f,
                                        0x6d367ecf27cb09b7,
                                        0x4f463f669e5fea2d,
                                        0x7527bac7ebe5f17b,
                                        0x3d0739f78a5292ea,
                                        0x6bfb5fb11f8d5d08,
                                        0x56033046fc7b6bab,
                                        0xf0cfbc209af4361d};

/// The 64 bits of 2/pi from a place on.
std::uint64_t bits_from(int place) {
  const int word = place / 64, shift = place % 64;
  return shift == 0 ? kTwoOverPi[word] : kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

/// The first 117 bits of the fraction w0 w1 w2 behind the binary point, as two doubles.
DoubleDouble fraction(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2) {
  int zeros = 0;
  if (w0 == 0) w0 = w1, w1 = w2, w2 = 0, zeros = 64;
  if (const int more = std::countl_zero(w0); more > 0 && more < 64) {
    w0 = w0 << more | w1 >> (64 - more);
    w1 = w1 << more | w2 >> (64 - more);
    zeros += more;
  }
  return {std::ldexp(static_cast<double>(w0 >> 11), -53 - zeros),
          std::ldexp(static_cast<double>(w0 << 53 | w1 >> 11), -117 - zeros)};
}

}  // namespace

namespace sincos_detail {

// M. H. Payne and R. N. Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983). With
// x = m 2^e, the bits of 2/pi that make multiples of 4 are left out; of the others 192 are multiplied with m.
Reduced<double> reduce_large(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  const std::uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int place = exponent - 2 + 64;
  const Wide third = Wide(m) * bits_from(place + 128);
  const Wide second = Wide(m) * bits_from(place + 64) + static_cast<std::uint64_t>(third >> 64);
  std::uint64_t w0 = m * bits_from(place) + static_cast<std::uint64_t>(second >> 64);
  std::uint64_t w1 = static_cast<std::uint64_t>(second), w2 = static_cast<std::uint64_t>(third);
  std::uint64_t quadrant = w0 >> 62;
  w0 = w0 << 2 | w1 >> 62, w1 = w1 << 2 | w2 >> 62, w2 <<= 2;
  const bool upper = w0 >> 63 != 0;  // more than half a quadrant: count from the next
  if (upper) w0 = ~w0, w1 = ~w1, w2 = ~w2, ++quadrant;
  const DoubleDouble y = fraction(w0, w1, w2) * kQuarterTurn;
  const bool negative = std::signbit(x);
  const double sign = upper != negative ? -1 : 1;
  return {std::bit_cast<double>(negative ? 4 - quadrant : quadrant), sign * y.high, sign * y.low};
}

SineCosine sine_cosine_large(double x) {
  if (!(std::abs(x) < kInfinity)) return {kNaN, kNaN};
  return kernel(reduce_large(x));
}

}  // namespace sincos_detail

namespace elementary {
namespace {

/// (asin(x) - x)/x^3 of z = x^2 <= 1/4.
double asin_rest(double z) {
  const double square = z * z, fourth = square * square;
  return ((0x1.5555555555556p-3 + z * 0x1.3333333332ecap-4) +
          square * (0x1.6db6db6e31f13p-5 + z * 0x1.f1c71c1db0623p-6)) +
         fourth *
             (((0x1.6e8bb1c8209a2p-6 + z * 0x1.1c4d35cf95421p-6) +
               square * (0x1.c9cf07674736ap-7 + z * 0x1.782651caa6547p-7)) +
              fourth * ((0x1.52420b04b37bep-7 + z * 0x1.65a9c4dfcf8b2p-8) +
                        square * (0x1.1d189408314eep-6 - z * 0x1.e6aaa8a0a04ccp-7) + fourth * 0x1.d72b2bc8155f8p-6));
}

/// acos(x) for 1/2 < x < 1, as two doubles.
DoubleDouble acos_near_one(double x) {
  const double z = 0.5 * (1 - x), root = std::sqrt(z);
  const DoubleDouble square = two_square(root);
  const double root_low = ((z - square.high) - square.low) / (2 * root);
  return {2 * root, 2 * (root_low + root * z * asin_rest(z))};
}

double difference(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = two_sum(a.high, -b.high);
  return sum.high + (sum.low + (a.low - b.low));
}

/// (atan(x) - x)/x^3 of z = x^2 <= (7/16)^2.
double atan_rest(double z) {
  const double square = z * z, fourth = square * square;
  return ((-0x1.5555555555555p-2 + z * 0x1.99999999998c5p-3) +
          square * (-0x1.2492492485503p-3 + z * 0x1.c71c71bd2b8bcp-4)) +
         fourth * (((-0x1.745d154c84f7ap-4 + z * 0x1.3b1375ce5bdc6p-4) +
                    square * (-0x1.110c9ce7b0572p-4 + z * 0x1.e170800a46210p-5)) +
                   fourth * ((-0x1.ab59b417b2d3fp-5 + z * 0x1.7001816fd063fp-5) +
                             square * (-0x1.0f62bba6a2558p-5 + z * 0x1.e4167464d3de8p-7)));
}

/// atan(x + low) for x >= 0, as two doubles.
[[gnu::always_inline]] inline DoubleDouble atan_in_two(double x, double low) {
  if (x < 0.4375) {
    const double z = x * x;
    return {x, x * z * atan_rest(z) + low * (1 - z)};
  }
  DoubleDouble base = kQuarterTurn;
  double t = 0;
  if (x < 0.6875) {
    base = {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56};
    t = (2 * x - 1) / (2 + x);
  } else if (x < 1.1875) {
    base = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
    t = (x - 1) / (x + 1);
  } else if (x < 2.4375) {
    base = {0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56};
    t = (x - 1.5) / (1 + 1.5 * x);
  } else {
    t = -1 / x;
  }
  const double z = t * t;
  const DoubleDouble sum = fast_two_sum(base.high, t);
  return {sum.high, sum.low + (t * z * atan_rest(z) + (base.low + low / (1 + x * x)))};
}

/// atan(y/x) for positive finite numbers, as two doubles.
DoubleDouble atan_of_quotient(double y, double x) {
  const double q = y / x;
  if (!(q > 0x1p-60 && q < 0x1p60)) return atan_in_two(q, 0);
  const double largest = y > x ? y : x;
  const double scale = largest > 0x1p500 ? 0x1p-500 : largest < 0x1p-400 ? 0x1p500 : 1;
  x *= scale, y *= scale;
  const DoubleDouble p = two_product(q, x);
  return atan_in_two(q, ((y - p.high) - p.low) / x);
}

}  // namespace

double sin(double x) { return sine_cosine(x).sine; }
double cos(double x) { return sine_cosine(x).cosine; }

double tan(double x) {
  using namespace sincos_detail;
  const double size = std::abs(x);
  if (!(size < kInfinity)) return kNaN;
  if (size < 0x1p-27) return x;
  const auto [shifted, y, low] = size < kLargest ? sincos_detail::reduce(x, kParts) : reduce_large(x);
  const auto [z, z_low] = two_square(y);
  const double half = 0.5 * z, one_less = 1 - half;
  const Lanes rest = series(Lanes{z, z}, kSineCosine);
  const DoubleDouble part[] = {
      fast_two_sum(y, z * y * rest[0] + (low * one_less - y * z_low * (1.0 / 6))),
      fast_two_sum(one_less, z * z * rest[1] + (((1 - one_less) - half) - (y * low + 0.5 * z_low)))};
  const unsigned odd = std::bit_cast<std::uint64_t>(shifted) & 1u;
  const double value = quotient(part[odd], part[1 - odd]);
  return odd != 0 ? -value : value;
}

double asin(double x) {
  const double a = std::abs(x);
  if (a <= 0.5) {
    const double z = x * x;
    return x + x * z * asin_rest(z);
  }
  if (!(a < 1)) return a == 1 ? std::copysign(kQuarterTurn.high, x) : kNaN;
  return std::copysign(difference(kQuarterTurn, acos_near_one(a)), x);
}

double acos(double x) {
  const double a = std::abs(x);
  if (a <= 0.5) {
    const double z = x * x;
    return difference(kQuarterTurn, {x, x * z * asin_rest(z)});
  }
  if (!(a < 1)) return x == 1 ? 0 : x == -1 ? kHalfTurn.high : kNaN;
  const DoubleDouble near = acos_near_one(a);
  return x > 0 ? near.high + near.low : difference(kHalfTurn, near);
}

double atan(double x) {
  const DoubleDouble value = atan_in_two(std::abs(x), 0);
  return std::copysign(value.high + value.low, x);
}

double atan2(double y, double x) {
  if (x != x || y != y) return kNaN;
  const double a = std::abs(y), b = std::abs(x);
  DoubleDouble value = {0, 0};  // of the angle to the nearer half axis
  if (a == 0 || b == kInfinity)
    value = a == kInfinity ? DoubleDouble{0.5 * kQuarterTurn.high, 0.5 * kQuarterTurn.low} : value;
  else if (b == 0 || a == kInfinity)
    value = kQuarterTurn;
  else
    value = atan_of_quotient(a, b);
  return std::copysign(std::signbit(x) ? difference(kHalfTurn, value) : value.high + value.low, y);
}

}  // namespace elementary
}  // namespace ricochet
