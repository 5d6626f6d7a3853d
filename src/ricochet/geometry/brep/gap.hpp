#pragma once
// The gap between a face (the base) and something of another part: a point, an edge or a face, grown by a radius. It is
// the least signed distance of that from the surface of the base, less the radius:
//
//   g = min f(y) - r,  y = C(t) or S(u, v),   grad f . C' = 0   or   grad f . S_u = grad f . S_v = 0
//
// which is S_1 + g n_1 = S_2 with n_1 at right angles to the second one. It is found by Newton from a start, which a
// search over all of the rider finds; at the end of an edge it stays there.
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
inline CurvePoint moved(const CurvePoint& c, const Placement& at) {
  return {at.x + at.R * c.p, at.R * c.t, at.R * c.tt};
}

/// Where it touches, in the axes of the base.
struct GapPoint {
  Distance base;   ///< at y; without the radius
  Vector3d y;      ///< of the rider, before it is grown
  int free = 0;    ///< parameters of the rider that follow: 0, 1 or 2
  Vector3d t[2];   ///< y by them
  Vector3d tt[3];  ///< second derivatives: 11, 12, 22
  Vector2d at;     ///< the rider's parameters
  Vector2d foot;   ///< those of the base
};

/// `start`: the rider's parameters.
GapPoint gap(const FaceShape& base, const Rider& rider, const Placement& at, const Vector2d& start);
/// Whether both feet are within their faces.
bool within_faces(const FaceShape& base, const Rider& rider, const Placement& at, const GapPoint& g);
/// The best start, among points all over the rider.
Vector2d search(const FaceShape& base, const Rider& rider, const Placement& at);

/// An edge between two faces of its part.
struct Ridge {
  std::shared_ptr<const EdgeShape> edge{};
  std::array<std::shared_ptr<const FaceShape>, 2> faces{};
  /// Whether a direction points out of the material at a point of the edge, between its faces: along neither of them
  /// it goes further than it goes here.
  bool faces_towards(const CurvePoint& at, const Vector3d& n) const;
};
/// Two edges that cross: r = C_2(t) - C_1(s) at right angles to both, g = n . r with n along +-(C_1' x C_2').
struct CrossingPoint {
  double gap = 0;
  Vector3d n;         ///< out of the first one; in its axes, as everything
  CurvePoint a, b;    ///< of both
  Vector2d at;        ///< s, t
  bool there = true;  ///< within both edges, and not along each other
};
/// `sign` as crossing_sign has it; `start`: s, t.
CrossingPoint crossing(const EdgeShape& first, const EdgeShape& second, const Placement& at, const Vector2d& start,
                       double sign);
/// Where they are nearest: s, t, and the sign with which n points out of the first and into the second one; 0: none.
/// `turn`: an angle by which they may turn while the answer is used; edges that may come to lie along each other by it
/// do not cross.
Vector3d search_crossing(const Ridge& first, const Ridge& second, const Placement& at, double turn);

}  // namespace ricochet::brep
