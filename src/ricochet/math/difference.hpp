#pragma once
// Derivatives of callables that come without: central differences over five points, error of order step^4 and eps /
// step. With step = 1e-3 max(1, |x|) both are near 1e-12 for functions of order one.
#include "ricochet/math/view.hpp"

namespace ricochet {

inline constexpr double kDifferenceStep = 1e-3;

/// d f / d x by calling evaluate(x + offset), which returns anything with + and *: a number or an Eigen vector.
template <class F>
auto central_difference(F&& evaluate, double x) {
  const double h = kDifferenceStep * std::max(1.0, std::abs(x));
  auto result = evaluate(x + h);
  result = 8 * (result - evaluate(x - h)) - (evaluate(x + 2 * h) - evaluate(x - 2 * h));
  result *= 1 / (12 * h);
  return result;
}

}  // namespace ricochet
