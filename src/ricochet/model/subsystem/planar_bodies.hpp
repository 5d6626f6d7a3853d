#pragma once
// Bodies that move in a plane: q = v-coordinates (x, y, angle), three a body, with the centre of mass at
// origin + x e1 + y e2 and the angle counted from e1 to e2, about e1 x e2:
//
//     m a = m g,        J angle'' = 0.
//
// Mass matrix and forces are constant: the dynamics are linear, whatever joints and contacts do. The angle is not cut
// at a turn.
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// Orthonormal directions of a plane.
struct PlaneAxes {
  Vector3d e1 = Vector3d::UnitX(), e2 = Vector3d::UnitZ();
  Vector3d normal() const { return e1.cross(e2); }
};

struct PlanarBody {
  std::string name;
  double mass = 1;
  double inertia = 1;  ///< about the centre of mass
};

std::unique_ptr<Subsystem> make_planar_bodies(std::vector<PlanarBody> bodies, const PlaneAxes& plane,
                                              const Vector3d& gravity);

}  // namespace ricochet
