#pragma once
// What is told of a part's faces: kind, size, place.
#include "ricochet/geometry/brep/part.hpp"

namespace ricochet {

struct FaceSummary {
  std::string name, kind;
  /// In millimetres, "diameter 11, length 28, hole"
  std::string size;
  Vector3d centre = Vector3d::Zero();     ///< the middle of points all over the face
  Vector3d direction = Vector3d::Zero();  ///< out of the material at a plane, along the axis elsewhere; 0: none
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();  ///< a box around those points
};

FaceSummary summary(const brep::Part& part, std::size_t face);

}  // namespace ricochet
