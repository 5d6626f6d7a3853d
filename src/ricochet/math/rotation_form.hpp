#pragma once
// The maps that rotation vectors psi make of a vector, and their derivatives by psi. With u = |psi|^2 they all have the
// form
//
//     F(psi) a = a - alpha(u) psi x a + beta(u) psi x (psi x a)
//
//     turning back, exp(-psi)            alpha = c1      beta = c2
//     right Jacobian (rotation.hpp)      alpha = c2      beta = c3
//     its inverse                        alpha = -1/2    beta = (c3 - 2 c4) / (2 c2)
//
// where ck are the functions of Stumpff, ck(u) = sum (-u)^j / (k + 2 j)!, for which ck = 1/k! - u c(k+2) and
// dck/du = (k c(k+2) - c(k+1)) / 2. The transposed of F has -alpha in the place of alpha.
#include <array>

#include "ricochet/math/rotation.hpp"

namespace ricochet {

/// c1 ... c7 at u = |psi|^2; full precision up to |psi| = pi and somewhat beyond.
class Stumpff {
 public:
  explicit Stumpff(double u);
  double operator[](int k) const { return c_[static_cast<std::size_t>(k)]; }
  double first(int k) const { return (k * (*this)[k + 2] - (*this)[k + 1]) / 2; }  ///< k < 6
  double second(int k) const { return (k * first(k + 2) - first(k + 1)) / 2; }     ///< k < 4

 private:
  std::array<double, 8> c_;
};

class RotationForm {
 public:
  static RotationForm back(const Vector3d& psi, const Stumpff& c);
  static RotationForm jacobian(const Vector3d& psi, const Stumpff& c);
  static RotationForm inverse_jacobian(const Vector3d& psi, const Stumpff& c);  ///< has no `hessian`
  RotationForm transposed() const;

  Vector3d times(const Vector3d& a) const;
  Matrix3d matrix() const;
  /// d(m . F a) / dpsi
  Vector3d gradient(const Vector3d& m, const Vector3d& a) const;
  /// d(F a) / dpsi
  Matrix3d derivative(const Vector3d& a) const;
  /// dF/dpsi along w
  Matrix3d along(const Vector3d& w) const;
  /// d^2(m . F a) / dpsi^2
  Matrix3d hessian(const Vector3d& m, const Vector3d& a) const;

 private:
  struct Coefficient {
    double value, first, second;  ///< and derivatives by u
  };
  RotationForm(const Vector3d& psi, const Coefficient& alpha, const Coefficient& beta)
      : psi_(psi), u_(psi.squaredNorm()), alpha_(alpha), beta_(beta) {}

  Vector3d psi_;
  double u_;
  Coefficient alpha_, beta_;
};

}  // namespace ricochet
