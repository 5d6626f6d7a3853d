#pragma once
// Cylinders and cones: what of them touches. Seen in the half plane of radius and height they are convex polygons, of
// which the distance follows. A contact is then that of a curve, an edge of the other shape or a rim of its own, with a
// shape F, a face or all of the other: g is the least F(x(t)) along the curve. By the stationarity of t,
//
//     x'(t) . n = 0,   n = grad F,       dt = -(x' . dn + n . dx') / K,   K = x' . H x' + n . x'',
//
// gap and normal are smooth in the poses as long as K > 0. Where it nearly vanishes (a cylinder that stands, an edge
// along its side) no point is the nearest: then there are marks, points that are fixed to the curve for a step: six of
// a rim, the ends of what an edge has in common with the shape, the crossings of two rims.
#include "ricochet/geometry/collision/narrow.hpp"

namespace ricochet {

/// A cylinder, a cone or what is left of it: radius r0 at z0, r1 at z1 > z0. One of the radii may be zero.
Polytope make_revolved(double r0, double z0, double r1, double z1);

/// Its least width, and where it begins and ends on the axis.
double thickness_of_revolved(const Polytope& shape);
std::pair<double, double> ends_of_revolved(const Polytope& shape);
/// Corners of the box along the axes of space that holds a rim.
std::pair<Vector3d, Vector3d> rim_bounds(const Polytope::Rim& rim, const Placement& at);

enum class RoundPart : std::uint8_t { side, disc, rim, tip };
struct RoundDistance {
  Distance distance;
  RoundPart part = RoundPart::side;
};
/// Signed distance from a solid of revolution, and what of it is nearest.
RoundDistance revolved_distance(const Polytope& shape, const Vector3d& x);

/// A point of a curve with its derivatives along it.
struct CurvePoint {
  Vector3d x, d1, d2;
};
/// Number of a curve, or a mark, among those of a shape; see FeaturePair::first.
CurvePoint curve_point(const Polytope& shape, int curve, double t);
int curve_of_mark(const Polytope& shape, int mark);

/// Where on the curve of X its distance from Y, face `face` or all of it, is least near t; the curve is seen from Y's
/// axes. `interior`: not at an end.
struct CurveMinimum {
  double t = 0;
  bool interior = true;
  CurvePoint at;  ///< in Y's axes
  Distance distance;
};
CurveMinimum curve_minimum(const Polytope& X, const Placement& x, int curve, const Polytope& Y, const Placement& y,
                           int face, double t);
/// At t itself.
CurveMinimum curve_at(const Polytope& X, const Placement& x, int curve, const Polytope& Y, const Placement& y, int face,
                      double t);

/// Sides of two solids of revolution: n from A to B along both normals, the generators that touch. False: they are
/// parallel.
struct Laterals {
  Vector3d n, a, e, b, d;  ///< generators a + s e of A, b + t d of B, s and t in 0 ... 1
  double gap = 0;
};
bool laterals(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b, const Vector3d& aim,
              Laterals& out);

/// Feature pairs of two shapes of which one at least is a solid of revolution. Where one rests on a face of the other,
/// or slides over it, all of them have the direction of that face: what is beside it, of tiles or triangles that are
/// flush, is not hit.
void find_with_revolved(const MovingShape& A, const MovingShape& B, double h, std::vector<FeaturePair>& out);
/// Those of which the nearest gives the distance, with such as may be the nearest as long as the shapes are apart, but
/// are none or have no direction when they touch: of two rims that cross, one over the other; of a rim or an edge that
/// touches another rim, seen along the axis, and goes on outside.
void find_with_revolved(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b,
                        std::vector<FeaturePair>& out);

}  // namespace ricochet
