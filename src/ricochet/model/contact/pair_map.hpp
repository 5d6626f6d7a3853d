#pragma once
// How what is fixed to a mount moves with it.
#include "ricochet/model/contact/touch.hpp"

namespace ricochet {

constexpr int kSideA = 0, kSideB = 6;  ///< columns of a PairMap

/// Derivative of a point at x that is fixed to a mount at c.
inline PairMap fixed_point(const Vector3d& x, const Vector3d& c, int side) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(side).setIdentity();
  m.middleCols<3>(side + 3) = -skew(x - c);
  return m;
}
/// Of a vector fixed to a mount.
inline PairMap fixed_vector(const Vector3d& u, int side) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(side + 3) = -skew(u);
  return m;
}

}  // namespace ricochet
