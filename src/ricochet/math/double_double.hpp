#pragma once
// Numbers as the sum of two doubles, for the places where one is not enough. T. J. Dekker, A floating-point technique
// for extending the available precision, Numer. Math. 18 (1971); D. E. Knuth, The Art of Computer Programming 2, 4.2.2.
// No fused multiply-add: the bits are the same everywhere.
#include <bit>
#include <cstdint>

namespace ricochet {

struct DoubleDouble {
  double high, low;
};

/// a + b, without error. |a| >= |b| or a = 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b, without error.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a b, without error unless something over- or underflows (splitting costs a factor 2^27).
constexpr DoubleDouble two_product(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const double product = a * b;
  const double at = kSplit * a, ah = at - (at - a), al = a - ah;
  const double bt = kSplit * b, bh = bt - (bt - b), bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.high, b.high);
  return fast_two_sum(s.high, s.low + (a.low + b.low));
}

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.high, b.high);
  return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble operator/(DoubleDouble a, double b) {
  const double quotient = a.high / b;
  const DoubleDouble p = two_product(quotient, b);
  return fast_two_sum(quotient, (((a.high - p.high) - p.low) + a.low) / b);
}

/// The leading 26 bits: products of two such numbers are exact.
constexpr double leading(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xfffffffff8000000u);
}

/// x^2, without error but for over- and underflow.
constexpr DoubleDouble two_square(double x) {
  const double square = x * x, high = leading(x), low = x - high;
  return {square, ((high * high - square) + 2 * high * low) + low * low};
}

/// The quotient as one double, all but rounded correctly.
constexpr double quotient(DoubleDouble a, DoubleDouble b) {
  const double inverse = 1 / b.high, q = a.high * inverse;
  const double q_high = leading(q), b_high = leading(b.high);
  const double rest = ((a.high - q_high * b_high) - q_high * (b.high - b_high)) - (q - q_high) * b.high;
  return q + ((rest + a.low) - q * b.low) * inverse;
}

}  // namespace ricochet
