#pragma once
// A part as its boundary: faces on surfaces, trimmed by loops of edges; edges on curves, between vertices. Lengths are
// in metres, in the axes of the part. Parameters are those of STEP:
//
//   curve     line        C(t) = o + t z
//             circle      C(t) = o + a (cos t x + sin t y)
//             ellipse     C(t) = o + a cos t x + b sin t y
//             spline      B-spline, rational if it has weights
//   surface   plane       S(u, v) = o + u x + v y
//             cylinder    S(u, v) = o + a (cos u x + sin u y) + v z
//             cone        S(u, v) = o + (a + v sin b) (cos u x + sin u y) + v cos b z
//             sphere      S(u, v) = o + a cos v (cos u x + sin u y) + a sin v z
//             torus       S(u, v) = o + (a + b cos v) (cos u x + sin u y) + b sin v z
//             extrusion   S(u, v) = C(u) + v z
//             revolution  S(u, v) = C(v) turned by u about the axis z through o
//             spline      B-spline, rational if it has weights
//
// Axes x, y, z are of length 1 and at right angles; they may be left-handed. Which side of a face is outside is told by
// the face, whatever its surface.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/geometry/solid.hpp"

namespace ricochet::brep {

using Vector2d = Eigen::Vector2d;

struct Axes {
  Vector3d o = Vector3d::Zero(), x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
};

/// One direction of a B-spline: knots with their repetitions, poles + degree + 1 of them.
struct Knots {
  int degree = 1;
  std::vector<double> knots;
  int poles() const { return static_cast<int>(knots.size()) - degree - 1; }
  double first() const { return knots[static_cast<std::size_t>(degree)]; }
  double last() const { return knots[static_cast<std::size_t>(poles())]; }
};

enum class CurveKind : std::uint8_t { line, circle, ellipse, spline };

struct Curve {
  CurveKind kind = CurveKind::line;
  Axes axes;
  double a = 0, b = 0;
  Knots t;                      ///< of a spline
  std::vector<Vector3d> poles;  ///< likewise
  std::vector<double> weights;  ///< empty: all 1
};

/// In the parameters (u, v) of a surface: o + t x; o + a (cos t x + sin t y); o + a cos t x + b sin t y; a spline.
struct Curve2 {
  CurveKind kind = CurveKind::line;
  Vector2d o = Vector2d::Zero(), x = Vector2d::UnitX(), y = Vector2d::UnitY();
  double a = 0, b = 0;
  Knots t;
  std::vector<Vector2d> poles;
  std::vector<double> weights;
};

enum class SurfaceKind : std::uint8_t { plane, cylinder, cone, sphere, torus, extrusion, revolution, spline };

struct Surface {
  SurfaceKind kind = SurfaceKind::plane;
  Axes axes;
  double a = 0, b = 0;          ///< radius; half angle of a cone, small radius of a torus
  Curve curve;                  ///< of an extrusion or a revolution
  Knots u, v;                   ///< of a spline
  std::vector<Vector3d> poles;  ///< v runs first: pole (i, j) is at i * v.poles() + j
  std::vector<double> weights;
};

struct Edge {
  Curve curve;
  double from = 0, to = 0;              ///< from < to
  std::array<int, 2> vertices{-1, -1};  ///< where it begins and ends; the same: closed; -1: none
};

/// An edge as it bounds a face. The curve in (u, v) has the parameter of the edge.
struct Side {
  int edge = 0;
  bool reversed = false;  ///< the loop runs against the edge
  Curve2 trace;
};

/// Closed; the face is to its left, seen with S_u x S_v towards the eye.
using Loop = std::vector<Side>;

struct Face {
  std::string name;
  Surface surface;
  bool reversed = false;    ///< S_u x S_v points into the material
  std::vector<Loop> loops;  ///< none: the whole surface
};

struct Part {
  std::string name;
  MassProperties solid;  ///< at density 1
  std::vector<Vector3d> vertices;
  std::vector<Edge> edges;
  std::vector<Face> faces;
};

}  // namespace ricochet::brep
