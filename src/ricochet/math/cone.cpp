#include "ricochet/math/cone.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {

const char* name(Cone cone) {
  switch (cone) {
    case Cone::free: return "free";
    case Cone::nonnegative: return "nonnegative";
    case Cone::coulomb: return "coulomb";
    case Cone::second_order: return "second-order";
    case Cone::interval: return "interval";
    case Cone::rolling: return "rolling";
  }
  return "";
}

void project_on_disc(int dim, double radius, double* z) {
  double size = dim == 1 ? std::abs(z[0]) : elementary::hypot(z[0], z[1]);
  if (dim == 3) size = elementary::hypot(size, z[2]);
  if (size <= radius) return;
  if (dim == 1) {
    z[0] = std::copysign(radius, z[0]);
  } else {
    for (int i = 0; i < dim; ++i) z[i] *= radius / size;
  }
}

void project(Cone cone, int dim, const Friction& friction, double* z) {
  switch (cone) {
    case Cone::free: return;
    case Cone::nonnegative:
      for (int i = 0; i < dim; ++i) z[i] = std::max(0.0, z[i]);
      return;
    case Cone::coulomb:
    case Cone::second_order: break;
    case Cone::interval: return project_on_disc(dim, friction.slip, z);
    case Cone::rolling:
      z[0] = std::max(0.0, z[0]);
      return for_each_disc(dim, friction, [z](int first, int rows, double coefficient) {
        project_on_disc(rows, coefficient * z[0], z + first);
      });
  }
  const double mu = friction.slip;
  const double zt = dim == 2 ? std::abs(z[1]) : elementary::hypot(z[1], z[2]);
  if (z[0] >= 0 && zt <= mu * z[0]) return;  // without friction zt may be zero outside
  if (mu * zt <= -z[0]) {
    std::fill(z, z + dim, 0.0);
    return;
  }
  const double n = (z[0] + mu * zt) / (1 + mu * mu);
  z[0] = n;
  for (int i = 1; i < dim; ++i) z[i] *= mu * n / zt;
}

}  // namespace ricochet
