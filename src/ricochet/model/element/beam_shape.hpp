#pragma once
// Shape functions of beam elements with two and three nodes along their length, -1 <= xi <= 1, at the points at which
// strains are taken: one fewer than nodes, Gauss's. Transverse shear and bending then share what they can both
// represent, and no element locks, however slender. There are as many strains as ways to deform, so that none of them
// is without energy.
#include <array>
#include <cstddef>

namespace ricochet::element {

/// Values and derivatives by xi of the functions of all nodes, weight of the point.
template <int N>
struct BeamPoint {
  std::array<double, N> value, slope;
  double weight;
};

template <int N>
constexpr std::array<BeamPoint<N>, N - 1> beam_points();

template <>
constexpr std::array<BeamPoint<2>, 1> beam_points<2>() {
  return {{{{0.5, 0.5}, {-0.5, 0.5}, 2}}};
}

template <>
constexpr std::array<BeamPoint<3>, 2> beam_points<3>() {
  constexpr double x = 0.57735026918962576;  // 1 / sqrt(3)
  const auto at = [](double xi) {
    return BeamPoint<3>{{xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2}, {xi - 0.5, -2 * xi, xi + 0.5}, 1};
  };
  return {at(-x), at(x)};
}

/// Part of an element's length that each node carries: the trapezoidal rule, Simpson's rule.
template <int N>
constexpr std::array<double, N> beam_shares();

template <>
constexpr std::array<double, 2> beam_shares<2>() {
  return {0.5, 0.5};
}

template <>
constexpr std::array<double, 3> beam_shares<3>() {
  return {1.0 / 6, 2.0 / 3, 1.0 / 6};
}

}  // namespace ricochet::element
