#pragma once
// Inside of io/scenario: rods and solids, flexible bodies of nodes with displacements.
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

struct SolidText {
  std::string name;   ///< with the prefix of its part
  std::string shape;  ///< rod, box, cylinder, mesh
  schema::Fields body;
  schema::Fields system;  ///< of the system or part, which may hold a plane
};
void read_solid(const SolidText& text, const Vector3d& gravity, Parts& parts);

}  // namespace ricochet::scenario
