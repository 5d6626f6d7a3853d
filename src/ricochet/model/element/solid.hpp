#pragma once
// Solid elements, total Lagrangian, displacements as unknowns. With H = du/dX, F = 1 + H, J = det F, C = F^T F and
// E = (H + H^T + H^T H)/2 the energy per volume is
//
//   linear       lambda/2 (tr e)^2 + mu e:e,     e = (H + H^T)/2
//   svk          lambda/2 (tr E)^2 + mu E:E                                    St. Venant-Kirchhoff
//   neo-hookean  lambda/2 (ln J)^2 + mu ((tr C - 3)/2 - ln J)                  compressible, needs J > 0
//
// Against volumetric locking the part with lambda has one value in a hexahedron: tr E is replaced by its mean over the
// element, ln J by the logarithm of the mean of J. It follows from an energy, so that tangents are symmetric; constant
// strains are left as they are. In tetrahedra the parts are taken point by point. Bending in one layer of hexahedra
// stays too stiff (shear locking): take several layers, or tet10.
//
// Damping is a viscous stress, b (lambda tr(E') 1 + 2 mu E'), in F S form: it does not resist rigid motions, and is b K
// v for small ones.
#include "ricochet/model/element/shapes.hpp"

namespace ricochet {

struct SolidMaterial {
  enum class Kind : std::uint8_t { linear, svk, neo_hookean };
  Kind kind = Kind::svk;
  double lambda = 0, mu = 1;  ///< Lame's constants
  double density = 1;
  double viscosity = 0;  ///< b, a time
  static SolidMaterial elastic(Kind kind, double young, double poisson, double density) {
    return {kind, young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson)), density, 0};
  }
};

/// The stress of a tension that would strain the material as much without changing its volume.
double von_mises(const Matrix3d& stress);

/// The quadrature of one element: dN/dX (3 x nodes) and volume of each point.
struct SolidPoints {
  const double* gradients;
  const double* volumes;
};

/// One element. All matrices are over its coordinates, node by node: u, v, f (3 nodes), K (3 nodes)^2.
class SolidElement {
 public:
  SolidElement(ElementKind kind, const SolidMaterial& material, const SolidPoints& points)
      : kind_(kind), material_(material), points_(points) {}

  double energy(const double* u) const;
  /// f += c times what the stress resists with: dV/du, and the viscous part if v is not null. False: the element is
  /// inside out at a point, which no body can be, and what was added means nothing.
  bool add_force(const double* u, const double* v, double c, double* f) const;
  /// f += c times the viscous part alone.
  void add_viscous(const double* u, const double* v, double c, double* f) const;
  /// K += c_K df/du + c_C df/dv of both parts; v may be null.
  void add_tangent(const double* u, const double* v, double c_K, double c_C, double* K) const;
  /// Least J of its points: not positive where the element is inside out.
  double least_volume_ratio(const double* u) const;
  /// Mean of Cauchy's stress over the element, without the viscous part.
  Matrix3d mean_stress(const double* u) const;

 private:
  ElementKind kind_;
  const SolidMaterial& material_;
  SolidPoints points_;
};

}  // namespace ricochet
