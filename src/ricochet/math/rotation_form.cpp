#include "ricochet/math/rotation_form.hpp"

namespace ricochet {

Stumpff::Stumpff(double u) : c_{} {
  double c6 = 1, c7 = 1;
  for (int j = u < 0.25 ? 6 : 13; j > 0; --j) {  // 0.25^7 6! / 20! < 1e-19, 10^14 6! / 34! < 1e-21
    c6 = 1 - u / ((5 + 2 * j) * (6 + 2 * j)) * c6;
    c7 = 1 - u / ((6 + 2 * j) * (7 + 2 * j)) * c7;
  }
  c_[7] = c7 / 5040;
  c_[6] = c6 / 720;
  c_[5] = 1.0 / 120 - u * c_[7];
  c_[4] = 1.0 / 24 - u * c_[6];
  c_[3] = 1.0 / 6 - u * c_[5];
  c_[2] = 0.5 - u * c_[4];
  c_[1] = 1 - u * c_[3];
}

RotationForm RotationForm::back(const Vector3d& psi, const Stumpff& c) {
  return {psi, {c[1], c.first(1), c.second(1)}, {c[2], c.first(2), c.second(2)}};
}

RotationForm RotationForm::jacobian(const Vector3d& psi, const Stumpff& c) {
  return {psi, {c[2], c.first(2), c.second(2)}, {c[3], c.first(3), c.second(3)}};
}

RotationForm RotationForm::inverse_jacobian(const Vector3d& psi, const Stumpff& c) {
  const double beta = (c[3] - 2 * c[4]) / (2 * c[2]);
  return {psi, {-0.5, 0, 0}, {beta, (c.first(3) - 2 * c.first(4) - 2 * beta * c.first(2)) / (2 * c[2]), 0}};
}

RotationForm RotationForm::transposed() const { return {psi_, {-alpha_.value, -alpha_.first, -alpha_.second}, beta_}; }

Vector3d RotationForm::times(const Vector3d& a) const {
  return a - alpha_.value * psi_.cross(a) + beta_.value * (psi_.dot(a) * psi_ - u_ * a);
}

Matrix3d RotationForm::matrix() const {
  return (1 - beta_.value * u_) * Matrix3d::Identity() - alpha_.value * skew(psi_) +
         beta_.value * psi_ * psi_.transpose();
}

Vector3d RotationForm::gradient(const Vector3d& m, const Vector3d& a) const {
  const Vector3d turn = a.cross(m);
  const double ma = m.dot(a), mp = m.dot(psi_), ap = a.dot(psi_), t = psi_.dot(turn), s = mp * ap - u_ * ma;
  return (2 * beta_.first * s - 2 * alpha_.first * t - 2 * beta_.value * ma) * psi_ - alpha_.value * turn +
         beta_.value * (ap * m + mp * a);
}

Matrix3d RotationForm::derivative(const Vector3d& a) const {
  const double ap = a.dot(psi_);
  const Vector3d column =
      -2 * alpha_.first * psi_.cross(a) - 2 * beta_.value * a + 2 * beta_.first * (ap * psi_ - u_ * a);  // times psi^T
  return column * psi_.transpose() + alpha_.value * skew(a) + beta_.value * psi_ * a.transpose() +
         beta_.value * ap * Matrix3d::Identity();
}

Matrix3d RotationForm::along(const Vector3d& w) const {
  const double d = 2 * psi_.dot(w);
  return -alpha_.first * d * skew(psi_) - alpha_.value * skew(w) +
         beta_.value * (psi_ * w.transpose() + w * psi_.transpose()) + beta_.first * d * psi_ * psi_.transpose() -
         (beta_.value + beta_.first * u_) * d * Matrix3d::Identity();
}

Matrix3d RotationForm::hessian(const Vector3d& m, const Vector3d& a) const {
  const Vector3d turn = a.cross(m);
  const double ma = m.dot(a), mp = m.dot(psi_), ap = a.dot(psi_), t = psi_.dot(turn), s = mp * ap - u_ * ma;
  const Vector3d side = 2 * beta_.first * (ap * m + mp * a - 2 * ma * psi_) - 2 * alpha_.first * turn;
  const Matrix3d mixed = psi_ * side.transpose() + beta_.value * m * a.transpose();
  const double own = 2 * beta_.first * s - 2 * alpha_.first * t - 2 * beta_.value * ma;
  return mixed + mixed.transpose() + own * Matrix3d::Identity() +
         4 * (beta_.second * s - alpha_.second * t) * psi_ * psi_.transpose();
}

}  // namespace ricochet
