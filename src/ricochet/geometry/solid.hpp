#pragma once
// Uniform solids, of which bodies are put together: volume, centroid and second moments, all per density 1.
//
//   box       size along x, y, z, about the origin
//   sphere    radius, about the origin
//   cylinder  radius, length along z, about the origin
//   tube      a cylinder less another about the same axis
//   capsule   a cylinder along z with half spheres on its ends
//   cone      radius of the base, which is centred on the origin, and height along z
#include "ricochet/math/rotation.hpp"

namespace ricochet {

/// Mass, centre of mass and inertia about it, of a body or of one of density 1.
struct MassProperties {
  double mass = 0;
  Vector3d centre = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();

  /// Two bodies as one.
  MassProperties operator+(const MassProperties& other) const;
  MassProperties scaled(double density) const { return {density * mass, centre, density * inertia}; }
  /// In axes in which the solid's own stand turned by R, its origin at x.
  MassProperties moved(const Vector3d& x, const Matrix3d& R) const {
    return {mass, x + R * centre, R * inertia * R.transpose()};
  }
};

MassProperties solid_box(const Vector3d& size);
MassProperties solid_sphere(double radius);
MassProperties solid_cylinder(double radius, double length);
MassProperties solid_tube(double outer, double inner, double length);
MassProperties solid_capsule(double radius, double length);
MassProperties solid_cone(double radius, double height);
/// Volume and moments of what lies between the origin and triangles, counter-clockwise from outside.
struct SolidMoments {
  double volume = 0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();  ///< integral of x x^T
};
void add_tetrahedron(const Vector3d& a, const Vector3d& b, const Vector3d& c, SolidMoments& out);
MassProperties solid_of(const SolidMoments& moments);
struct Polytope;
/// Of a convex polyhedron that is not round.
MassProperties solid_hull(const Polytope& hull);

}  // namespace ricochet
