#pragma once
// Geometrically exact beam in space (Reissner, Simo): place r(s) and axes R(s) of the section along the arc length s,
// strains in the axes of the section
//
//     Gamma = R^T r' - Gamma_0       axial, shear, shear
//     kappa = axial(R^T R') - kappa_0       torsion, bending, bending
//
// energy 1/2 integral of Gamma C Gamma + kappa D kappa; strains vanish in the reference configuration, straight or not.
//
// Interpolation. Places linearly by the shape functions N_i. Rotations relative to one node of the element, c, the
// middle one of three: with psi_i the rotation vector of R_c^T R_i,
//
//     R(s) = R_c exp(psi(s)),     psi(s) = sum N_i(s) psi_i,     kappa = J(psi) psi'
//
// (J the right Jacobian; Crisfield and Jelenic 1999). What is interpolated does not change when everything is turned,
// so rigid motions leave no strain; it depends on where the nodes are, not on how they came there. With two nodes the
// rotation is the shortest one from either, kappa is constant along the element. Relative rotations within an element
// must stay below pi.
//
// Derivation. In the axes of node c an element has the coordinates d_i = R_c^T (r_i - r_c) and psi_i of the other
// nodes, a vector space, on which strains at a point are
//
//     z = sum N_i' d_i,      R^T r' = exp(-psi) z,      kappa = J(psi) psi'
//
// Gradient g and Hessian H of the energy come from rotation_form.hpp. Increments of the nodes (x_i in space, t_i in
// the axes of the section, as of rigid_bodies.hpp) change the coordinates by
//
//     d(d_i) = R_c^T (x_i - x_c) + d_i x t_c,       d(psi_i) = A_i t_i - A_i^T t_c,       A_i = J(psi_i)^-1
//
// or T in short: forces are T^T g, their derivative T^T H T + (dT^T) g. It is not symmetric, since rotations do not
// commute, but where the forces are in balance.
//
// Damping is proportional to the stiffness: stresses C (strain + tau strain rate). It is objective, and vanishes in
// rigid motion.
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/element/beam_shape.hpp"

namespace ricochet::element {

/// Place, and axes of the section: x along the beam.
struct BeamNode {
  Vector3d r = Vector3d::Zero();
  Quaterniond Q = Quaterniond::Identity();
};

/// N = 2, 3 nodes, in the order along the beam.
template <int N>
class Beam {
 public:
  static constexpr int kNodes = N, kFreedoms = 6, kStrains = 6, kPoints = N - 1;
  using Node = BeamNode;
  using Nodes = std::array<BeamNode, N>;
  using Stiffness = Eigen::Matrix<double, 6, 1>;
  using Strain = Eigen::Matrix<double, 6, 1>;
  using Vector = Eigen::Matrix<double, 6 * N, 1>;  ///< by node: along space, about the axes of the section
  using Matrix = Eigen::Matrix<double, 6 * N, 6 * N>;

  /// `stiffness`: E A, G A_y, G A_z, G J, E I_y, E I_z; `lag`: tau of the damping.
  Beam(const Nodes& reference, const Stiffness& stiffness, double lag = 0);

  double length() const { return length_; }
  double lag() const { return lag_; }
  Strain strain(const Nodes& at, int point) const;
  /// Forces and moments in the section's axes at a point: C (strain + tau strain rate).
  Strain stress(const Nodes& at, const Vector& v, int point) const;
  double energy(const Nodes& at) const;
  /// f += c dW/dq
  void add_force(const Nodes& at, double c, Vector& f) const;
  /// f += c times the damping, the other part of the stresses
  void add_damping(const Nodes& at, const Vector& v, double c, Vector& f) const;
  /// K += c_K d(force + damping)/dq + c_C d(damping)/dv
  void add_tangent(const Nodes& at, const Vector& v, double c_K, double c_C, Matrix& K) const;

 private:
  struct Local;
  struct AtPoint;
  Stiffness weighted(int point) const;  // stiffness times the length that the point stands for

  Stiffness stiffness_;
  double lag_, length_ = 0;
  std::array<double, kPoints> rate_;  // ds/dxi
  std::array<Strain, kPoints> natural_;
};

extern template class Beam<2>;
extern template class Beam<3>;

}  // namespace ricochet::element
