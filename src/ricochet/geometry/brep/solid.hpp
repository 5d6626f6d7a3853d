#pragma once
// What the faces of a part enclose.
#include <vector>

#include "ricochet/geometry/brep/face_shape.hpp"

namespace ricochet::brep {

class Solid {
 public:
  explicit Solid(const Part& part);
  /// Whether faces meet at every edge: else they enclose nothing.
  static bool closed(const Part& part);
  /// How deep x lies in the material, which is its distance from the nearest face; negative outside, by as much as it
  /// is from the nearest face, edge or corner.
  double depth(const Vector3d& x) const;

 private:
  std::vector<FaceShape> faces_;
};

}  // namespace ricochet::brep
