#pragma once
// Sine and cosine together, in fewer instructions than a library's two calls, and with the same bits on every machine
// (libraries choose among code with and without fused multiply-add at run time).
//
// Reduction: x = n pi/2 + (y + y_low), |y| <= pi/4, with pi/2 in three parts of 33, 33 and 53 bits; n below 2^20 makes
// the first two products exact, and 119 bits of pi/2 suffice for the worst double in that range. Kernels: with z = y^2
//   sin y = y + y z S(z),   cos y = 1 - z/2 + z^2 C(z),   S and C of degree 5, near-minimax on [0, (pi/4)^2],
// evaluated side by side in the two lanes of a vector. Largest error measured: 0.84 ulp (tests/unit/expression_test).
#include <bit>
#include <cmath>
#include <cstdint>

namespace ricochet {

struct SineCosine {
  double sine, cosine;
};

[[gnu::always_inline]] inline SineCosine sine_cosine(double x) {
  using Lanes [[gnu::vector_size(16)]] = double;
  using Bits [[gnu::vector_size(16)]] = std::int64_t;
  // beyond, and for what is not a number, the library's reduction
  if (!(std::abs(x) < 0x1.8p20)) [[unlikely]]
    return {std::sin(x), std::cos(x)};

  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRound;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted) & 3u;
  const double n = shifted - kRound;
  const double a = x - n * 0x1.921fb54400000p+0;
  const double middle = n * 0x1.0b4611a600000p-34;
  const double high = a - middle;
  const double rest = n * 0x1.3198a2e037073p-69 - ((a - high) - middle);
  const double y = high - rest;
  const double y_low = (high - y) - rest;

  const double z = y * y;
  const Lanes zz = {z, z};
  const Lanes z4 = zz * zz;
  const Lanes p0 =
      Lanes{-0x1.5555555555555p-3, 0x1.5555555555555p-5} + zz * Lanes{0x1.1111111110bb2p-7, -0x1.6c16c16c16967p-10};
  const Lanes p2 =
      Lanes{-0x1.a01a019e83816p-13, 0x1.a01a019f4e9b4p-16} + zz * Lanes{0x1.71de379654304p-19, -0x1.27e4fa17bf139p-22};
  const Lanes p4 =
      Lanes{-0x1.ae600aca92c64p-26, 0x1.1eeb68cd22f56p-29} + zz * Lanes{0x1.5e0b05bff20f2p-33, -0x1.907d8f29fe831p-37};
  const Lanes series = p0 + z4 * (p2 + z4 * p4);

  const double half = 0.5 * z;
  const double one_less = 1 - half;
  const Lanes low = {y_low * one_less, ((1 - one_less) - half) - y * y_low};
  Lanes both = Lanes{y, one_less} + (zz * Lanes{y, z} * series + low);

  constexpr std::int64_t kMinus = INT64_MIN;
  alignas(16) static constexpr std::int64_t kSigns[4][2] = {{0, 0}, {0, kMinus}, {kMinus, kMinus}, {kMinus, 0}};
  if (quadrant & 1u) both = Lanes{both[1], both[0]};
  both = std::bit_cast<Lanes>(std::bit_cast<Bits>(both) ^ Bits{kSigns[quadrant][0], kSigns[quadrant][1]});
  return {both[0], both[1]};
}

}  // namespace ricochet
