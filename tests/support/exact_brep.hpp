#pragma once
// Curves and surfaces of parts once more, in long double and by their definitions: points and tangents.
#include <array>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet::test {

using Real = long double;
using RealVector = Eigen::Matrix<Real, 3, 1>;

RealVector exact_point(const brep::Curve& c, Real t);
RealVector exact_tangent(const brep::Curve& c, Real t);
RealVector exact_point(const brep::Surface& s, Real u, Real v);
/// S_u and S_v.
std::array<RealVector, 2> exact_tangents(const brep::Surface& s, Real u, Real v);

}  // namespace ricochet::test
