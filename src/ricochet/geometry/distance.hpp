#pragma once
// A signed distance with its derivatives.
#include "ricochet/math/rotation.hpp"

namespace ricochet {

struct Distance {
  double f = 0;
  Vector3d gradient = Vector3d::UnitX();  ///< of length 1
  Matrix3d hessian = Matrix3d::Zero();
};

}  // namespace ricochet
