#pragma once
// Distances of convex shapes by their support alone, in long double: Gilbert, Johnson and Keerthi's method, with all
// subsets of the simplex tried. Knows nothing of faces, edges and rims. The distance is certified: it lies between the
// support along the last direction and the length of the last vector.
#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/geometry/collision/narrow.hpp"

namespace ricochet::test {

using Long = long double;
using LongVector = Eigen::Matrix<Long, 3, 1>;
using LongMatrix = Eigen::Matrix<Long, 3, 3>;

/// Farthest point of a shape along n, without its rounding.
inline LongVector farthest(const Polytope& p, const Placement& at, const LongVector& n) {
  const LongMatrix R = at.R.cast<Long>();
  const LongVector local = R.transpose() * n;
  LongVector best = LongVector::Zero();
  Long most = -1e300L;
  const auto take = [&](const LongVector& x) {
    if (const Long s = local.dot(x); s > most) most = s, best = x;
  };
  for (const Vector3d& v : p.vertices) take(v.cast<Long>());
  const Long wide = std::sqrt(local.x() * local.x() + local.y() * local.y());
  for (const Polytope::Rim& rim : p.rims) {
    const Long r = rim.radius;
    take(wide > 0 ? LongVector(r * local.x() / wide, r * local.y() / wide, rim.z) : LongVector(r, 0, rim.z));
  }
  return at.x.cast<Long>() + R * best;
}

/// Up to four points; no memory is taken for it.
struct Simplex {
  std::array<LongVector, 4> x;
  int size = 0;
  void add(const LongVector& point) { x[static_cast<std::size_t>(size++)] = point; }
  /// Those whose bit is set.
  Simplex part(unsigned set) const {
    Simplex out;
    for (unsigned k = 0; k < static_cast<unsigned>(size); ++k)
      if (set >> k & 1U) out.add(x[k]);
    return out;
  }
};

/// The point of a simplex that is nearest to the origin; keeps the corners that carry it.
inline LongVector nearest_of(Simplex& simplex) {
  LongVector best = simplex.x[static_cast<std::size_t>(simplex.size - 1)];
  Long least = 1e300L;
  unsigned kept = 0;
  for (unsigned set = 1; set < 1U << simplex.size; ++set) {
    const Simplex s = simplex.part(set);
    LongVector at = s.x[0];
    bool inside = true;
    if (s.size > 1) {
      // x0 + E w at right angles to all of E
      Eigen::Matrix<Long, 3, Eigen::Dynamic, Eigen::ColMajor, 3, 3> E(3, s.size - 1);
      for (int k = 1; k < s.size; ++k) E.col(k - 1) = s.x[static_cast<std::size_t>(k)] - s.x[0];
      const auto qr = E.colPivHouseholderQr();
      if (qr.rank() < E.cols()) continue;
      const Eigen::Matrix<Long, Eigen::Dynamic, 1, Eigen::ColMajor, 3, 1> w = qr.solve(-s.x[0]);
      inside = w.minCoeff() >= -1e-18L && w.sum() <= 1 + 1e-18L;
      at = s.x[0] + E * w;
    }
    if (inside && at.norm() < least) least = at.norm(), best = at, kept = set;
  }
  simplex = simplex.part(kept);
  return best;
}

struct Bracket {
  Long low = -1, high = 0;  ///< of the distance without rounding; low <= 0 where they overlap
};
inline Bracket brute_distance(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
  const auto difference = [&](const LongVector& n) {
    return LongVector(farthest(B, b, n) - farthest(A, a, LongVector(-n)));
  };
  LongVector v = difference(LongVector(a.x.cast<Long>() - b.x.cast<Long>() + LongVector(1e-9L, 2e-9L, 3e-9L)));
  Simplex simplex;
  simplex.add(v);
  Bracket out;
  for (int k = 0; k < 2000; ++k) {
    const Long length = v.norm();
    out.high = length;
    if (length < 1e-15L) return {-1, 0};
    const LongVector next = difference(LongVector(-v));
    out.low = std::max(out.low, v.dot(next) / length);
    if (out.high - out.low < 1e-14L) break;
    simplex.add(next);
    v = nearest_of(simplex);
    if (simplex.size == 4) return {-1, 0};  // the origin is inside
    if (!(v.norm() < length)) break;
  }
  return out;
}

}  // namespace ricochet::test
