#pragma once
// Contacts that are found where bodies meet. In each step a broad phase finds the shapes that may come together in it,
// at their present velocities, and a narrow phase the features of them that may touch: these are the candidates. A
// candidate is known by its two shapes and its features, over the whole run, and its gap is evaluated at any
// configuration as that of these features, exactly.
//#include <string>

#include "ricochet/geometry/collision/narrow.hpp"
#include "ricochet/model/constraint.hpp"
#include "ricochet/model/frame.hpp"

namespace ricochet {

struct CollidingShape {
  Frame frame;  ///< of the shape, on its mount
  Polytope shape;
  int material = 0;
  int group = 0;
};

struct CollisionSettings {
  Vector3d plane = Vector3d::Zero();  ///< normal of the plane of motion; zero: in space
  double acceleration = 0;            ///< that bodies get by themselves, gravity: how far they fall in a step
  /// Laws of pairs of materials, row by row.
  std::vector<const ContactLaw*> laws;
  int materials = 1;
  std::vector<std::pair<int, int>> ignored;  ///< pairs of mounts that do not meet, the lower one first
  std::vector<std::pair<int, int>> apart;    ///< likewise of groups
};

std::unique_ptr<ConstraintSet> make_collision(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes,
                                              CollisionSettings settings);

/// Two shapes that overlap.
struct Overlap {
  int A = 0, B = 0;  ///< mounts
  double depth = 0;
};
/// The overlaps of a set of make_collision at a configuration, deepest first; of other sets none.
std::vector<Overlap> overlaps(const ConstraintSet& set, ConstView q, double tolerance);

/// Size of the smallest body that moves, of a set of make_collision; 0: it is another set, or nothing in it moves.
double least_size(const ConstraintSet& set);

}  // namespace ricochet
