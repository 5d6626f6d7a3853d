#pragma once
// Sine and cosine together, in fewer instructions than a library's, and with the same bits on every machine (libraries
// choose among code with and without fused multiply-add at run time).
//
// Reduction: x = n pi/2 + (y + y_low), |y| <= pi/4, with pi/2 in three parts of 33, 33 and 53 bits; n below 2^20 makes
// the first two products exact, and 119 bits of pi/2 suffice for the worst double in that range. Kernels: with z = y^2
//   sin y = y + y z S(z),   cos y = 1 - z/2 + z^2 C(z),   S and C of degree 5, near-minimax on [0, (pi/4)^2].
// For one argument S and C are evaluated side by side in the two lanes of a vector, for two arguments the lanes hold
// the arguments; the bits are the same. Largest error measured: 0.84 ulp (tests/unit/expression_test.cpp).
#include <bit>
#include <cmath>
#include <cstdint>

namespace ricochet {

struct SineCosine {
  double sine, cosine;
};

namespace sincos_detail {

using Lanes [[gnu::vector_size(16)]] = double;
using Bits [[gnu::vector_size(16)]] = std::int64_t;

inline constexpr double kLargest = 0x1.8p20;
inline constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
inline constexpr double kS[] = {-0x1.5555555555555p-3, 0x1.1111111110bb2p-7,   -0x1.a01a019e83816p-13,
                                0x1.71de379654304p-19, -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33};
inline constexpr double kC[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4e9b4p-16,
                                -0x1.27e4fa17bf139p-22, 0x1.1eeb68cd22f56p-29,  -0x1.907d8f29fe831p-37};

inline constexpr double kParts[] = {0x1.45f306dc9c883p-1, kRound, 0x1.921fb54400000p+0, 0x1.0b4611a600000p-34,
                                    0x1.3198a2e037073p-69};  // 2/pi, the rounding constant, pi/2 in three parts

template <class T>  // double or Lanes
struct Reduced {
  T shifted, y, low;
};

template <class T>
[[gnu::always_inline]] inline Reduced<T> reduce(T x, const T* part) {
  const T shifted = x * part[0] + part[1];
  const T n = shifted - part[1];
  const T a = x - n * part[2];
  const T middle = n * part[3];
  const T high = a - middle;
  const T rest = n * part[4] - ((a - high) - middle);
  const T y = high - rest;
  return {shifted, y, (high - y) - rest};
}

/// c_0 + c_1 z + ... + c_5 z^5, lane by lane.
[[gnu::always_inline]] inline Lanes series(Lanes z, const Lanes* c) {
  const Lanes square = z * z;
  return (c[0] + z * c[1]) + square * ((c[2] + z * c[3]) + square * (c[4] + z * c[5]));
}

#define RICOCHET_LANES(a, b)                                                                               \
  {                                                                                                        \
    Lanes{a[0], b[0]}, Lanes{a[1], b[1]}, Lanes{a[2], b[2]}, Lanes{a[3], b[3]}, Lanes{a[4], b[4]}, Lanes { \
      a[5], b[5]                                                                                           \
    }                                                                                                      \
  }
inline constexpr Lanes kSineCosine[] = RICOCHET_LANES(kS, kC);
struct PairTable {
  Lanes sine[6] = RICOCHET_LANES(kS, kS);
  Lanes cosine[6] = RICOCHET_LANES(kC, kC);
  Lanes part[5] = {Lanes{kParts[0], kParts[0]}, Lanes{kParts[1], kParts[1]}, Lanes{kParts[2], kParts[2]},
                   Lanes{kParts[3], kParts[3]}, Lanes{kParts[4], kParts[4]}};
  Lanes half = {0.5, 0.5}, one = {1, 1};
};
inline constexpr PairTable kPairTable;
#undef RICOCHET_LANES

}  // namespace sincos_detail

struct SineCosine2 {
  sincos_detail::Lanes sine, cosine;
};

namespace sincos_detail {

/// x less a multiple of pi/2, for any finite x; the multiple modulo 4 is in the low bits of `shifted`.
Reduced<double> reduce_large(double x);

[[gnu::always_inline]] inline SineCosine kernel(const Reduced<double>& at) {
  const auto [shifted, y, low] = at;
  const double z = y * y;
  const double half = 0.5 * z;
  const double one_less = 1 - half;
  const Lanes zz = {z, z};
  const Lanes lows = {low * one_less, ((1 - one_less) - half) - y * low};
  Lanes both = Lanes{y, one_less} + (zz * Lanes{y, z} * series(zz, kSineCosine) + lows);

  constexpr std::int64_t kMinus = INT64_MIN;
  alignas(16) static constexpr std::int64_t kSigns[4][2] = {{0, 0}, {0, kMinus}, {kMinus, kMinus}, {kMinus, 0}};
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted) & 3u;
  if (quadrant & 1u) both = Lanes{both[1], both[0]};
  both = std::bit_cast<Lanes>(std::bit_cast<Bits>(both) ^ Bits{kSigns[quadrant][0], kSigns[quadrant][1]});
  return {both[0], both[1]};
}

SineCosine sine_cosine_large(double x);

}  // namespace sincos_detail

[[gnu::always_inline]] inline SineCosine sine_cosine(double x) {
  using namespace sincos_detail;
  if (!(std::abs(x) < kLargest)) [[unlikely]]
    return sine_cosine_large(x);
  return kernel(reduce(x, kParts));
}

/// Of two arguments, for little more than the price of one.
[[gnu::always_inline]] inline SineCosine2 sine_cosine_pair(double first, double second) {
  using namespace sincos_detail;
  if (!(std::abs(first) < kLargest && std::abs(second) < kLargest)) [[unlikely]] {
    const SineCosine a = sine_cosine(first), b = sine_cosine(second);
    return {Lanes{a.sine, b.sine}, Lanes{a.cosine, b.cosine}};
  }
  // hidden from the compiler, which would build each constant in two instructions instead of reading it as an operand
  const PairTable* table = &kPairTable;
  asm("" : "+r"(table));
  const auto [shifted, y, low] = reduce(Lanes{first, second}, table->part);
  const Lanes z = y * y;
  const Lanes half = table->half * z;
  const Lanes one_less = table->one - half;
  const Lanes s = y + (z * y * series(z, table->sine) + low * one_less);
  const Lanes c = one_less + (z * z * series(z, table->cosine) + (((table->one - one_less) - half) - y * low));

  const Bits n = std::bit_cast<Bits>(shifted);
  const Bits odd = -(n & 1);
  const Bits s_bits = std::bit_cast<Bits>(s), c_bits = std::bit_cast<Bits>(c);
  const Bits swap = (s_bits ^ c_bits) & odd;
  return {std::bit_cast<Lanes>((s_bits ^ swap) ^ ((n & 2) << 62)),
          std::bit_cast<Lanes>((c_bits ^ swap) ^ (((n + 1) & 2) << 62))};
}

}  // namespace ricochet
