#pragma once
// Which features of two convex shapes may touch within a step, and how far apart they are.
//
// A feature pair has a gap that is smooth in the poses of both shapes, and is the same pair as long as it touches:
//
//   point_on_face   a vertex of one shape over a face of the other:                     g = n . (x - f)
//   edge_on_face    the point at which an edge of one crosses the border of a face of the other, where edge and border
//                   are nearly parallel: as point_on_face, the point fixed to its edge for the step
//   edges           two edges that cross, n at right angles to both:                    g = n . (x_B - x_A)
//   point_on_shape  a vertex of one against all of the other, where one of them is round: the distance
//   curve_on        an edge or a rim against a face or all of the other, where one of them is a cylinder or a cone: the
//                   least distance along the curve (revolved.hpp)
//   mark_on         a point of an edge or a rim that is fixed to it for the step, against the same
//   laterals        the sides of two cylinders or cones, where they cross
//
// each less the radii. The direction n pushes B; p is where B is touched.
//
// Polytopes that are not round are separated by an axis: a face of one of them, or two edges. The axis of a step is the
// one along which they stay apart longest at their present velocities; where they overlap already, that of the least
// depth. A face gives the patch that the face and the one that looks at it have in common, with all its corners; two
// edges that are not along a face give one point. A pair of features that lies outside of the axis' patch is left out:
// the plane of a face ends where the face ends.
#include <cstdint>
#include <vector>

#include "ricochet/geometry/collision/polytope.hpp"

namespace ricochet {

/// Where a shape stands.
struct Placement {
  Vector3d x = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();
};
/// A shape with its place and how it moves: velocity of its origin and angular velocity, both in space.
struct MovingShape {
  const Polytope* shape = nullptr;
  Placement at{};
  Vector3d v = Vector3d::Zero();
  Vector3d omega = Vector3d::Zero();
};

struct FeaturePair {
  enum class Kind : std::uint8_t {
    B_point_on_A_face,
    A_point_on_B_face,
    edges,
    B_edge_on_A_face,
    A_edge_on_B_face,
    B_point_on_A,
    A_point_on_B,
    B_curve_on_A,
    A_curve_on_B,
    B_mark_on_A,
    A_mark_on_B,
    laterals
  };
  Kind kind = Kind::B_point_on_A_face;
  /// Of the first word of the kind, and of the second: vertex, edge; face, half-edge, edge. `edges`: of A, of B.
  /// Curves: edges, then two places of each rim; marks: two of each edge, then eight of each rim; on a face, or on all
  /// of the shape, which counts as one more.
  int first = 0, second = 0;
  /// edges, laterals: n of the step, whose side holds; edge on face: where on the edge, 0 ... 1, as x; curves and
  /// marks: where on it, 0 ... 1 or the angle, as x.
  Vector3d aim = Vector3d::Zero();
};

/// Whether a point or a curve of A is on B, and not the other way round.
bool of_A(FeaturePair::Kind kind);

/// Number of a feature pair among those of two shapes; below 2^16 where can_number.
std::uint32_t number_of(const FeaturePair& f, const Polytope& A, const Polytope& B);
FeaturePair feature_of(std::uint32_t number, const Polytope& A, const Polytope& B);
bool can_number(const Polytope& A, const Polytope& B);

struct FeatureGap {
  double gap = 0;
  Vector3d n = Vector3d::UnitZ(), p = Vector3d::Zero();
};
FeatureGap feature_gap(const FeaturePair& f, const Polytope& A, const Placement& a, const Polytope& B,
                       const Placement& b);

/// Appends the feature pairs that may touch within h: those whose gap is now at most `reach`.
void find_features(const MovingShape& A, const MovingShape& B, double h, double reach, std::vector<FeaturePair>& out);

/// Largest separation over all axes of two polytopes that are not round, the distance where one is: positive apart; the
/// least translation that parts them where they overlap. Apart, of polytopes, it is a lower bound of the distance.
double separation(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b);

}  // namespace ricochet
