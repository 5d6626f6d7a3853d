// Elementary functions: errors against extended precision, special values, and bits that no machine may change.
#include "ricochet/math/elementary.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "ricochet/math/sincos.hpp"

namespace ricochet::elementary_test {
namespace {

using Real = long double;
using Random = std::mt19937_64;
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Numbers of [-2^high, -2^low] and [2^low, 2^high], any order of magnitude as likely as any other. No function of the
/// library: the arguments are the same everywhere.
double spread(Random& random, int low, int high) {
  const auto exponent = low + static_cast<int>(random() % static_cast<unsigned>(high - low));
  const double mantissa = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent);
}
double between(Random& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

struct Function {
  std::string name;
  double (*own)(double);
  Real (*reference)(Real);
  double low, high;    ///< the range of most interest
  int exponents[2];    ///< orders of magnitude where it is defined and neither zero nor infinite
  double worst;        ///< bound of the error in ulp, a little above the largest measured
  std::uint64_t bits;  ///< hash of 20,000 values
};

// The bounds: largest errors of the arguments drawn below, rounded up.
const std::vector<Function> kFunctions = {
    {"sin", elementary::sin, std::sin, -7, 7, {-40, 60}, 0.86, 0x91f630a15212af5d},
    {"cos", elementary::cos, std::cos, -7, 7, {-40, 60}, 0.86, 0x6088f433c28c9e8a},
    {"tan", elementary::tan, std::tan, -2, 2, {-40, 60}, 0.92, 0xfd5bbf54cc057473},
    {"asin", elementary::asin, std::asin, -1, 1, {-300, 0}, 0.66, 0x7b56a8fc8684e148},
    {"acos", elementary::acos, std::acos, -1, 1, {-60, 0}, 0.68, 0x2aefca648e2e738a},
    {"atan", elementary::atan, std::atan, -4, 4, {-300, 300}, 0.75, 0x0776ed75e107a70b},
    {"exp", elementary::exp, std::exp, -2, 2, {-60, 9}, 0.52, 0x501f301155675a17},
    {"expm1", elementary::expm1, std::expm1, -1, 1, {-60, 9}, 0.66, 0x4c3908b093f102bf},
    {"sinh", elementary::sinh, std::sinh, -3, 3, {-60, 9}, 0.83, 0xbf6b36241289b04e},
    {"cosh", elementary::cosh, std::cosh, -3, 3, {-60, 9}, 0.65, 0x6904d357515596bc},
    {"tanh", elementary::tanh, std::tanh, -3, 3, {-60, 6}, 0.77, 0x70c3406ef1399457},
    {"log", elementary::log, std::log, 0.3, 3, {-1000, 1000}, 0.52, 0x1d492793425d7b66},
    {"log10", elementary::log10, std::log10, 0.3, 3, {-1000, 1000}, 0.52, 0x5cff410606b2e5db},
};

struct Function2 {
  std::string name;
  double (*own)(double, double);
  Real (*reference)(Real, Real);
  double worst;
  std::uint64_t bits;
};
const std::vector<Function2> kFunctions2 = {
    {"atan2", elementary::atan2, std::atan2, 0.75, 0x579057512cb94813},
    {"pow", elementary::pow, std::pow, 0.52, 0xa9ce4c701b85fdad},
    {"hypot", elementary::hypot, std::hypot, 1.23, 0xff16f43fb8d214a3},
};

Real error_in_ulp(double value, Real reference) {
  const double size = std::abs(static_cast<double>(reference));
  const double ulp = std::max(std::nextafter(size, kInf) - size, 0x1p-1074);
  return std::abs(static_cast<Real>(value) - reference) / ulp;
}

double argument(Random& random, const Function& f, int i) {
  const double x = i % 2 == 0 ? between(random, f.low, f.high) : spread(random, f.exponents[0], f.exponents[1]);
  return f.low > 0 ? std::abs(x) : x;
}

struct Arguments {
  double x, y;
};
Arguments arguments(Random& random, const Function2& f, int i) {
  if (f.name == "pow") {
    const double x = std::abs(i % 2 == 0 ? between(random, 0, 4) : spread(random, -20, 20)) + 1e-9;
    return {x, between(random, -30, 30)};
  }
  const int middle = i % 2 == 0 ? 0 : static_cast<int>(random() % 1800) - 900;
  return {spread(random, middle - 3, middle + 3), spread(random, middle - 3, middle + 3)};
}

std::uint64_t mixed(std::uint64_t hash, double value) {  // FNV-1a, eight bytes at a time
  return (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
}

TEST(Elementary, ErrorsBelowOneUlp) {
  constexpr int kCount = 60000;
  for (const Function& f : kFunctions) {
    Random random(17);
    Real worst = 0;
    for (int i = 0; i < kCount; ++i) {
      const double x = argument(random, f, i);
      worst = std::max(worst, error_in_ulp(f.own(x), f.reference(x)));
    }
    EXPECT_LT(worst, f.worst) << f.name;
    RecordProperty(f.name, std::to_string(worst));
  }
  for (const Function2& f : kFunctions2) {
    Random random(17);
    Real worst = 0;
    for (int i = 0; i < kCount; ++i) {
      const auto [x, y] = arguments(random, f, i);
      worst = std::max(worst, error_in_ulp(f.own(x, y), f.reference(x, y)));
    }
    EXPECT_LT(worst, f.worst) << f.name;
    RecordProperty(f.name, std::to_string(worst));
  }
}

TEST(Elementary, WhereReductionCancels) {
  Real worst = 0;
  for (int n = 1; n < 100000; ++n) {
    const double x = n * (std::numbers::pi / 2);
    worst = std::max(worst, error_in_ulp(elementary::sin(x), std::sin(static_cast<Real>(x))));
    worst = std::max(worst, error_in_ulp(elementary::cos(x), std::cos(static_cast<Real>(x))));
    worst = std::max(worst, error_in_ulp(elementary::tan(x), std::tan(static_cast<Real>(x))));
  }
  EXPECT_LT(worst, 0.9L);  // measured 0.84
  // The double that comes closest to a multiple of pi/2 (J.-M. Muller, Elementary Functions, 2006, table 9.3):
  // reference from sixty digits.
  const double closest = 0x1.6ac5b262ca1ffp+849;
  EXPECT_EQ(elementary::cos(closest), -0x1.14ae72e6ba22fp-61);
  EXPECT_EQ(elementary::sin(closest), 1);
  EXPECT_EQ(elementary::sin(1e22), -0x1.b453ab76bf397p-1);
  EXPECT_EQ(elementary::cos(1e300), -0x1.2699022adc4c1p-1);
  EXPECT_EQ(elementary::tan(1e300), 0x1.6be411f37ac77p+0);
  EXPECT_EQ(elementary::sin(std::numeric_limits<double>::max()), 0x1.452fc98b34e97p-8);
}

/// As the C library has them; NaN equals NaN, signs of zeros count.
void expect_same(double own, double expected, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(own)) << what << " = " << own;
  } else {
    EXPECT_EQ(own, expected) << what;
    EXPECT_EQ(std::signbit(own), std::signbit(expected)) << what;
  }
}

TEST(Elementary, SpecialValues) {
  using Unary = double (*)(double);
  const std::vector<std::pair<Unary, Unary>> unary = {
      {elementary::tan, std::tan},   {elementary::asin, std::asin},  {elementary::acos, std::acos},
      {elementary::atan, std::atan}, {elementary::exp, std::exp},    {elementary::expm1, std::expm1},
      {elementary::sinh, std::sinh}, {elementary::cosh, std::cosh},  {elementary::tanh, std::tanh},
      {elementary::log, std::log},   {elementary::log10, std::log10}};
  const double denormal = std::numeric_limits<double>::denorm_min(), nan = std::nan("");
  for (std::size_t k = 0; k < unary.size(); ++k)
    for (const double x : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, nan, denormal, -denormal, 1e-310})
      if (!(k >= 9 && x > 0 && x < 1) && !(k == 0 && std::abs(x) == 1) && !(k >= 4 && k <= 8 && std::abs(x) == 1))
        expect_same(unary[k].first(x), unary[k].second(x),
                    "function " + std::to_string(k) + " of " + std::to_string(x));
  for (const double x : {710.0, 720.0, 745.0, 750.0, 1e4, 1e300}) {
    EXPECT_EQ(elementary::exp(x), kInf);
    EXPECT_EQ(elementary::exp(-x - 40), 0);
    EXPECT_EQ(elementary::expm1(-x), -1);
    EXPECT_EQ(elementary::tanh(-x), -1);
    EXPECT_EQ(elementary::sinh(-x - 10), -kInf);
    EXPECT_EQ(elementary::cosh(-x - 10), kInf);
  }
  EXPECT_TRUE(std::isnan(elementary::asin(1.1)));
  EXPECT_TRUE(std::isnan(elementary::acos(-1.1)));
  for (int n = -300; n <= 300; ++n) EXPECT_EQ(elementary::log10(std::stod("1e" + std::to_string(n))), n);

  std::vector<double> values = {0, 0.5, 1, 2, 3, 1e300, 1e-300, denormal, 0x1p53, 0x1p53 + 2, kInf, nan};
  for (std::size_t k = values.size(); k-- > 0;) values.push_back(-values[k]);
  for (const double x : values)
    for (const double y : values) {
      const std::string what = "of " + std::to_string(x) + ", " + std::to_string(y);
      const double power = std::pow(x, y);
      if (power == 0 || !std::isfinite(power) || power == std::round(power))
        expect_same(elementary::pow(x, y), power, what);
      if (x == 0 || y == 0 || !std::isfinite(x) || !std::isfinite(y)) {
        expect_same(elementary::atan2(x, y), std::atan2(x, y), what);
        expect_same(elementary::hypot(x, y), std::hypot(x, y), what);
      }
    }
  EXPECT_EQ(elementary::hypot(3e300, 4e300), 5e300);
  EXPECT_EQ(elementary::hypot(3 * denormal, 4 * denormal), 5 * denormal);
}

TEST(Elementary, SubnormalResults) {
  Random random(5);
  Real worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = between(random, -745, -708);
    worst = std::max(worst, error_in_ulp(elementary::exp(x), std::exp(static_cast<Real>(x))));
    worst = std::max(worst, error_in_ulp(elementary::pow(0.5, -x * 1.4), std::pow(0.5L, static_cast<Real>(-x * 1.4))));
  }
  EXPECT_LT(worst, 0.76L);  // measured 0.75: rounded twice
}

// Whoever changes a function changes the bits of every run that calls it; whoever changes nothing must find them.
TEST(Elementary, BitsAreTheSameEverywhere) {
  constexpr int kCount = 20000;
  for (const Function& f : kFunctions) {
    Random random(23);
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (int i = 0; i < kCount; ++i) hash = mixed(hash, f.own(argument(random, f, i)));
    EXPECT_EQ(hash, f.bits) << f.name;
  }
  for (const Function2& f : kFunctions2) {
    Random random(23);
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (int i = 0; i < kCount; ++i) {
      const auto [x, y] = arguments(random, f, i);
      hash = mixed(hash, f.own(x, y));
    }
    EXPECT_EQ(hash, f.bits) << f.name;
  }
}

// Neighbours keep their order, but for the last bit.
TEST(Elementary, NearlyMonotone) {
  for (const Function& f : kFunctions) {
    if (f.name == "sin" || f.name == "cos" || f.name == "tan" || f.name == "cosh") continue;
    const double direction = f.name == "acos" ? -1 : 1;
    Random random(29);
    for (int i = 0; i < 20000; ++i) {
      const double x = argument(random, f, i), next = std::nextafter(x, kInf);
      const double here = direction * f.own(x), there = direction * f.own(next);
      if (std::isnan(there)) continue;
      EXPECT_GE(std::nextafter(there, kInf), here) << f.name << " at " << x;
    }
  }
}

TEST(SineCosine, TwoAtOnceHaveTheSameBits) {
  std::mt19937_64 random(19);
  for (const double largest : {0.8, 7.0, 1e3, 1e7}) {
    std::uniform_real_distribution<double> range(-largest, largest);
    for (int i = 0; i < 20000; ++i) {
      const double x = range(random), y = range(random);
      const SineCosine2 both = sine_cosine_pair(x, y);
      EXPECT_EQ(both.sine[0], sine_cosine(x).sine) << x;
      EXPECT_EQ(both.cosine[0], sine_cosine(x).cosine) << x;
      EXPECT_EQ(both.sine[1], sine_cosine(y).sine) << y;
      EXPECT_EQ(both.cosine[1], sine_cosine(y).cosine) << y;
    }
  }
}

TEST(SineCosine, SpecialArguments) {
  EXPECT_EQ(sine_cosine(0.0).sine, 0);
  EXPECT_EQ(sine_cosine(0.0).cosine, 1);
  EXPECT_EQ(sine_cosine(5e-324).sine, 5e-324);
  EXPECT_TRUE(std::isnan(sine_cosine(std::numeric_limits<double>::infinity()).sine));
  EXPECT_TRUE(std::isnan(sine_cosine(std::nan("")).cosine));
  for (const double x : {0.3, 1.2, 2.5, 4.0, 5.5, 1e5}) {
    EXPECT_EQ(sine_cosine(-x).sine, -sine_cosine(x).sine);
    EXPECT_EQ(sine_cosine(-x).cosine, sine_cosine(x).cosine);
  }
}

}  // namespace
}  // namespace ricochet::elementary_test
