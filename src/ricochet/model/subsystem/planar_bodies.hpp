#pragma once
// Rigid bodies that move in a plane: place of the centre along e1 and e2, and the angle about n = e1 x e2. Constant
// mass, no convective forces; a third of the work of bodies in space.
//
// Configurations are three numbers a body. In space the body stands at home + e1 x + e2 y, turned by the angle about n
// from its orientation at home.
#include <array>
#include <string>
#include <vector>

#include "ricochet/model/subsystem.hpp"

namespace ricochet {

struct PlanarBody {
  std::string name;
  double mass = 0;
  double inertia = 0;  ///< about n, through the centre of mass
  Pose home;           ///< at x = y = angle = 0
};

struct PlaneOfMotion {
  Vector3d e1 = Vector3d::UnitX(), e2 = Vector3d::UnitY();
  std::array<std::string, 2> names{"x", "y"};  ///< of the coordinates along e1 and e2
  Vector3d n() const { return e1.cross(e2); }
};

std::unique_ptr<Subsystem> make_planar_bodies(std::vector<PlanarBody> bodies, const PlaneOfMotion& plane,
                                              const Vector3d& gravity);

}  // namespace ricochet
