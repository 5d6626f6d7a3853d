#pragma once
// The gap between a face (the base) and something of another part: a point, an edge or a face, grown by a radius. It is
// the least signed distance of that from the surface of the base, less the radius:
//
//   g = min f(y) - r,  y = C(t) or S(u, v),   grad f . C' = 0   or   grad f . S_u = grad f . S_v = 0
//
// which is S_1 + g n_1 = S_2 with n_1 at right angles to the second one. It is found by Newton from the best of a table
// of points (edges), or from a start (faces); at the ends of an edge, and where a face ends, it stays there.
#include "ricochet/geometry/brep/face_shape.hpp"

namespace ricochet::brep {

/// What moves over a base, in the axes of its own part.
struct Rider {
  enum class Kind : std::uint8_t { point, edge, face };
  Kind kind = Kind::point;
  Vector3d point = Vector3d::Zero();
  std::shared_ptr<const EdgeShape> edge{};
  std::shared_ptr<const FaceShape> face{};
  double radius = 0;
};

/// Axes of the rider's part in those of the base.
struct Placement {
  Vector3d x;
  Matrix3d R;
};

/// Where it touches, in the axes of the base.
struct GapPoint {
  Distance base;                         ///< at y; without the radius
  Vector3d y;                            ///< of the rider, before it is grown
  int free = 0;                          ///< parameters of the rider that follow: 0, 1 or 2
  Vector3d t[2];                         ///< y by them
  Vector3d tt[3];                        ///< second derivatives: 11, 12, 22
  Vector2d at;                           ///< the rider's parameters
  Vector2d foot;                         ///< those of the base
  bool on_base = true, on_rider = true;  ///< both feet are within their faces
};

/// `start`: the rider's parameters, for faces.
GapPoint gap(const FaceShape& base, const Rider& rider, const Placement& at, const Vector2d& start);
/// The best start for a face, among points all over it.
Vector2d search(const FaceShape& base, const Rider& rider, const Placement& at);

}  // namespace ricochet::brep
