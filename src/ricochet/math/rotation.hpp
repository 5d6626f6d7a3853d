#pragma once
// Rotations: unit quaternions (w, x, y, z), the exponential and its differential.
#include <Eigen/Geometry>

namespace ricochet {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

inline Matrix3d skew(const Vector3d& a) {
  Matrix3d A;
  A << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return A;
}

/// exp of the rotation vector x, as a unit quaternion.
Quaterniond exp_quaternion(const Vector3d& x);
/// The rotation vector of a unit quaternion, |x| <= pi.
Vector3d log_quaternion(const Quaterniond& q);
/// exp(skew(x))
Matrix3d exp_rotation(const Vector3d& x);
/// The right Jacobian: exp(x + d) = exp(x) exp(right_jacobian(x) d) to first order in d.
Matrix3d right_jacobian(const Vector3d& x);

}  // namespace ricochet
