#include "ricochet/math/rotation.hpp"

#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/sincos.hpp"

namespace ricochet {
namespace {

/// sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3, by their series where the quotients lose digits.
struct Coefficients {
  double s, c, d;
  explicit Coefficients(double a2) {
    if (a2 < 1e-4) {
      s = 1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42));
      c = 0.5 - a2 / 24 * (1 - a2 / 30 * (1 - a2 / 56));
      d = 1.0 / 6 - a2 / 120 * (1 - a2 / 42 * (1 - a2 / 72));
    } else {
      const double a = std::sqrt(a2), half = elementary::sin(a / 2);
      s = elementary::sin(a) / a;
      c = 2 * half * half / a2;
      d = (1 - s) / a2;
    }
  }
};

}  // namespace

Quaterniond exp_quaternion(const Vector3d& x) {
  const double a2 = x.squaredNorm(), half = std::sqrt(a2) / 2;
  const SineCosine at = sine_cosine(half);
  const double s = a2 < 1e-4 ? 0.5 * (1 - a2 / 24 * (1 - a2 / 80)) : at.sine / (2 * half);
  return {at.cosine, s * x.x(), s * x.y(), s * x.z()};
}

Vector3d log_quaternion(const Quaterniond& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const Vector3d v = sign * q.vec();
  const double s = v.norm(), angle = 2 * elementary::atan2(s, sign * q.w());
  return s < 1e-8 ? Vector3d(2 * v) : Vector3d(angle / s * v);
}

Matrix3d exp_rotation(const Vector3d& x) {
  const Coefficients k(x.squaredNorm());
  const Matrix3d X = skew(x);
  return Matrix3d::Identity() + k.s * X + k.c * X * X;
}

Matrix3d right_jacobian(const Vector3d& x) {
  const Coefficients k(x.squaredNorm());
  const Matrix3d X = skew(x);
  return Matrix3d::Identity() - k.c * X + k.d * X * X;
}

}  // namespace ricochet
