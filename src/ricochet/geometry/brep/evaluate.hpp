#pragma once
// Points of curves and surfaces with first and second derivatives by their parameters. Beyond the ends of a spline its
// last piece goes on.
#include <numbers>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet::brep {

inline constexpr double kTurn = 2 * std::numbers::pi;

struct CurvePoint {
  Vector3d p, t, tt;
};
struct SurfacePoint {
  Vector3d p, u, v, uu, uv, vv;
};

CurvePoint evaluate(const Curve& curve, double t);
SurfacePoint evaluate(const Surface& surface, double u, double v);
/// The point and its derivative.
std::array<Vector2d, 2> evaluate(const Curve2& curve, double t);

}  // namespace ricochet::brep
