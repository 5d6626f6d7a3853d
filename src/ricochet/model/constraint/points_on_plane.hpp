#pragma once
// Points fixed to rigid bodies over a fixed plane: gap = n . (r + R p) - d, with two tangential directions in the
// plane.
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/constraint.hpp"

namespace ricochet {

struct PointOnPlane {
  std::string name;
  int body = 0;    ///< index into the rigid bodies
  Vector3d point;  ///< in body axes, from the centre of mass
  const ContactLaw* law = nullptr;
};

struct Plane {
  Vector3d normal = Vector3d::UnitZ();
  double offset = 0;
};

/// Where the rigid bodies' coordinates begin in the model, and they themselves among its bodies.
std::unique_ptr<ConstraintSet> make_points_on_plane(std::vector<PointOnPlane> points, const Plane& plane, int first_q,
                                                    int first_v, int first_body = 0);

}  // namespace ricochet
