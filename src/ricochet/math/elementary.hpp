#pragma once
// Elementary functions whose bits depend on nothing but their arguments. A library's may not be used where numbers are
// made: it chooses at run time among code with and without fused multiply-add, and changes from release to release.
// What is exact by definition (sqrt, fmod, floor, ldexp, ...) is taken from <cmath>; tests/architecture sees to it.
//
// Largest errors measured (tests/unit/elementary_test.cpp): 0.51 to 0.9 ulp, hypot 1.2. Special values are those of the
// C standard, annex F, but for sin(-0) = +0; no errno, no floating-point exceptions on purpose.
#include <cmath>

namespace ricochet::elementary {

double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double atan2(double y, double x);
double exp(double x);
double expm1(double x);
double log(double x);
double log10(double x);
double pow(double x, double y);
double sinh(double x);
double cosh(double x);
double tanh(double x);

/// Of what is too large or too small to be squared, or is not a number.
double hypot_scaled(double x, double y);

inline double hypot(double x, double y) {
  const double a = std::abs(x), b = std::abs(y), largest = a > b ? a : b;
  if (!(largest > 0x1p-480 && largest < 0x1p510 && b == b)) [[unlikely]]
    return hypot_scaled(x, y);
  return std::sqrt(a * a + b * b);
}

}  // namespace ricochet::elementary
