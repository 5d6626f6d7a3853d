#pragma once
// Inside of geometry/collision: two lines in space.
#include "ricochet/math/rotation.hpp"

namespace ricochet {

/// Direction across both edges, on the side of `like`; false where they are parallel.
inline bool across(const Vector3d& a, const Vector3d& b, const Vector3d& like, Vector3d& n, double sine = 1e-9) {
  n = a.cross(b);
  const double length = n.norm();
  if (!(length > sine * a.norm() * b.norm())) return false;
  n *= (n.dot(like) < 0 ? -1 : 1) / length;
  return true;
}

/// Nearest points of two lines: x = a + s e, y = b + t d.
struct Nearest {
  double s = 0, t = 0;
  bool found = false;
  Nearest(const Vector3d& a, const Vector3d& e, const Vector3d& b, const Vector3d& d) {
    const Vector3d w = b - a;
    const double ee = e.dot(e), ed = e.dot(d), dd = d.dot(d), ew = e.dot(w), dw = d.dot(w), D = ee * dd - ed * ed;
    if (!(D > 1e-12 * ee * dd)) return;
    s = (dd * ew - ed * dw) / D;
    t = (ed * ew - ee * dw) / D;
    found = true;
  }
};

}  // namespace ricochet
