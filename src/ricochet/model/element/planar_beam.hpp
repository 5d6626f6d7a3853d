#pragma once
// Geometrically exact beam in a plane (Reissner): place r(s) and angle phi(s) of the section,
//
//     Gamma = Q(-phi) r' - Gamma_0       axial, shear          kappa = phi' - kappa_0       bending
//
// energy 1/2 integral of Gamma C Gamma + D kappa^2, places and angles by shape functions, strains at the points of
// beam_shape.hpp. Angles add up in the plane, so that this is the element of beam.hpp at a tenth of its price; a node
// may turn as often as it likes. Damping as there.
#include <Eigen/Core>

#include "ricochet/model/element/beam_shape.hpp"

namespace ricochet::element {

/// N = 2, 3 nodes, in the order along the beam, each (x, y, phi); phi = 0: the section's first axis is that of x.
template <int N>
class PlanarBeam {
 public:
  static constexpr int kNodes = N, kFreedoms = 3, kStrains = 3, kPoints = N - 1;
  using Node = Eigen::Vector3d;
  using Nodes = std::array<Node, N>;
  using Stiffness = Eigen::Vector3d;
  using Strain = Eigen::Vector3d;
  using Vector = Eigen::Matrix<double, 3 * N, 1>;
  using Matrix = Eigen::Matrix<double, 3 * N, 3 * N>;

  /// `stiffness`: E A, G A_s, E I; `lag`: tau of the damping.
  PlanarBeam(const Nodes& reference, const Stiffness& stiffness, double lag = 0);

  double length() const { return length_; }
  double lag() const { return lag_; }
  Strain strain(const Nodes& at, int point) const;
  Strain stress(const Nodes& at, const Vector& v, int point) const;
  double energy(const Nodes& at) const;
  /// f += c dW/dq
  void add_force(const Nodes& at, double c, Vector& f) const;
  /// f += c times the damping
  void add_damping(const Nodes& at, const Vector& v, double c, Vector& f) const;
  /// K += c_K d(force + damping)/dq + c_C d(damping)/dv
  void add_tangent(const Nodes& at, const Vector& v, double c_K, double c_C, Matrix& K) const;

 private:
  struct AtPoint;
  Stiffness weighted(int point) const;

  Stiffness stiffness_;
  double lag_, length_ = 0;
  std::array<double, kPoints> rate_;  // ds/dxi
  std::array<Strain, kPoints> natural_;
};

extern template class PlanarBeam<2>;
extern template class PlanarBeam<3>;

}  // namespace ricochet::element
