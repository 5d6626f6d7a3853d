#pragma once
// Inside of io/scenario: shapes that collide, materials, and bodies in rows and heaps.
#include "ricochet/io/scenario/mechanism.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/contact/collision.hpp"

namespace ricochet::scenario {

const schema::Block& collision_table();
const schema::Block& scene_table(const schema::Block& (*body)());

/// Where one body of a scene stands.
struct SceneBody {
  std::string name;
  Vector3d position;
  Quaterniond turn;  ///< before the orientation of the body
};
/// The bodies of a scene; `size`: of the box along the axes that holds one of them.
std::vector<SceneBody> read_scene(const std::string& name, const schema::Fields& scene, const Vector3d& size,
                                  const Vector3d& plane, Numbers& numbers);

/// Notes the shapes of a body, `mount` among those of the assembly; 0: fixed, where `pose` says.
struct ShapeOwner {
  std::string name, group;
  int mount = 0;
  Pose pose{};                         ///< of a fixed body
  Vector3d centre = Vector3d::Zero();  ///< of mass, in body axes
  Vector3d plane = Vector3d::Zero();   ///< of motion
};
void note_shapes(const schema::Fields& body, const ShapeOwner& owner, Parts& parts);
/// Edges of the box along the body's axes that holds all shapes of a body.
Vector3d extent_of(const schema::Fields& body, Numbers& numbers);

/// Adds the set of contacts of all shapes that were noted, if the system asks for it. `joined`: mounts with a joint.
void add_collision(const schema::Fields& system, const std::vector<std::pair<int, int>>& joined,
                   const Vector3d& gravity, Parts& parts);

}  // namespace ricochet::scenario
