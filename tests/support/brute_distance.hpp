#pragma once
// Signed distances of convex shapes by their support alone, in long double.
#include "ricochet/geometry/collision/narrow.hpp"

namespace ricochet::test {

using Long = long double;

struct Bracket {
  Long low = 0, high = 0;  ///< of the signed distance without rounding, negative: the least way that parts them
};

Bracket brute_distance(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b);

/// In double and without rounding. Found: they are apart by at most `high`, along n from A to B.
struct Reach {
  bool found = false;
  double high = 0;
  Vector3d n = Vector3d::UnitX();
};
Reach reach_between(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b, double tolerance);

/// Of all b - a, without rounding and with the origin of A, the one farthest along n.
Vector3d farthest_difference(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b,
                             const Vector3d& n);

}  // namespace ricochet::test
