#pragma once
// Which features of two convex shapes may touch within a step, and how far apart they are.
//
// A feature pair has a gap that is smooth in the poses of both shapes, and is the same pair as long as it touches:
//
//   point_on_face   a vertex of one shape over a face of the other:                     g = n . (x - f)
//   edges           two edges that cross, n at right angles to both:                    g = n . (x_B - x_A); an edge
//   that
//                   may come to lie in a face whose border it crosses: g as of point_on_face, at the crossing
//   point_on_shape  a vertex of one against all of the other, where one of them is round: the distance
//   curve_on        an edge or a rim against a face or all of the other, where one of them is a cylinder or a cone: the
//                   least distance along the curve (revolved.hpp)
//   mark_on         a point of an edge or a rim that is fixed to it for the step, against the same
//   laterals        the sides of two cylinders or cones, where they cross
//
// each less the radii. The direction n pushes B; p is where B is touched.
//
// Faces that may come to lie on each other within the step, and edges that may come to lie in a face, have more points
// than they have ways to move: three of a line, four of a face. Such points must not contradict each other on the way,
// or the multipliers of a contact problem wander without end. So all of them have the one normal n of the face that
// parts the shapes, and their gaps are heights over it of one line or one plane, of the other shape, at the corners of
// what both have in common; also for a corner of the parting face itself (`aim` of point_on_face). A point that wanders
// along its edge leaves n where it is: the gap is exact, its gradient lacks the slope times the wandering, which
// vanishes where they lie on each other.
//
// Polytopes that are not round are separated by an axis: a face of one of them, or two edges. The axis of a step is the
// one along which they stay apart longest at their present velocities; where they overlap already, that of the least
// depth. A face gives the patch that the face and the one that looks at it have in common, with all its corners; two
// edges that are not along a face give one point. A pair of features that lies outside of the axis' patch is left out:
// the plane of a face ends where the face ends.
#include <cstdint>
#include <optional>
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
/// Where it is after a time t.
Placement moved(const MovingShape& s, double t);

struct FeaturePair {
  enum class Kind : std::uint8_t {
    B_point_on_A_face,
    A_point_on_B_face,
    edges,
    B_point_on_A,
    A_point_on_B,
    B_curve_on_A,
    A_curve_on_B,
    B_mark_on_A,
    A_mark_on_B,
    laterals
  };
  Kind kind = Kind::B_point_on_A_face;
  /// Of the first word of the kind, and of the second: vertex, edge; face, edge. `edges`: of A, of B.
  /// Curves: edges, then two places of each rim; marks: two of each edge, then eight of each rim; on a face, or on all
  /// of the shape, which counts as one more.
  int first = 0, second = 0;
  /// laterals: n of the step, whose side holds; edges: likewise, or, where one lies in a face, `EdgeInFace`; point on
  /// face: the direction of the gap in the axes of the point's shape, zero: that of the face; curves and marks: where
  /// on it, 0 ... 1 or the angle, as x.
  Vector3d aim = Vector3d::Zero();
};

/// Whether a point or a curve of A is on B, and not the other way round.
bool of_A(FeaturePair::Kind kind);
/// Whether the gap of a point on a face has the direction of a face of the point's shape.
bool along_own_face(const FeaturePair& f);

/// An edge that lies in a face of the other shape, at the border of that face: one of the two edges of the pair. Where
/// the edges are nearly parallel the point is fixed to its edge for the step, else it is where they cross.
struct EdgeInFace {
  bool of_A = false;   ///< the face
  bool left = false;   ///< of its border
  double t = 0;        ///< where on the edge that lies in it, 0 ... 1
  bool fixed = false;  ///< it stays there
  /// A first number that no unit vector has.
  Vector3d aim() const { return {2.0 + (of_A ? 2 : 0) + (left ? 1 : 0), t, fixed ? 1.0 : 0.0}; }
};
std::optional<EdgeInFace> edge_in_face(const FeaturePair& f);

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
