#pragma once
// Newton-Euler bodies. Per body, q = (centre of mass in space, unit quaternion w x y z of body to space), v = (velocity
// of the centre in space, angular velocity in body axes):
//
//     m a = m g,        J alpha + omega x J omega = 0,        q ⊕ x = (r + x_r, Q exp(x_w))
//
// Over a theta-step the spatial angular momentum R J omega is balanced, written in the axes at q_theta,
//
//     R_theta^T (R_next J omega_next - R J omega) = exp((1-theta) x) J omega_next - exp(-theta x) J omega,
//
// so that a free body keeps it to round-off, and its energy too when theta = 1/2: x = h omega_1/2 is an eigenvector of
// exp(x), hence omega_1/2 . (the left side) = omega_1/2 . J (omega_next - omega) is the change of kinetic energy.
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

struct RigidBody {
  std::string name;
  double mass = 1;
  Vector3d inertia = Vector3d::Ones();   ///< moments about the body's axes, through the centre of mass
  Vector3d products = Vector3d::Zero();  ///< J_yz, J_zx, J_xy, the entries beside the diagonal; zero in principal axes
  Matrix3d matrix() const {
    Matrix3d J = inertia.asDiagonal();
    for (int i = 0; i < 3; ++i) J((i + 1) % 3, (i + 2) % 3) = J((i + 2) % 3, (i + 1) % 3) = products[i];
    return J;
  }
};

/// Whether no moment is more than the sum of the two others. Equality, a flat body, is legal, but for rounding: in
/// doubles 0.7 + 0.1 is less than 0.8.
bool is_inertia(const Vector3d& moments);

std::unique_ptr<Subsystem> make_rigid_bodies(const std::vector<RigidBody>& bodies, const Vector3d& gravity);

}  // namespace ricochet
