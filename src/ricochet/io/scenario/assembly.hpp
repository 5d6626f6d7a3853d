#pragma once
// Inside of io/scenario: what joints, contacts and forces can be fixed to, gathered from all kinds of system.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/geometry/brep/part.hpp"
#include "ricochet/geometry/collision/polytope.hpp"
#include "ricochet/io/yaml/yaml.hpp"
#include "ricochet/math/input_error.hpp"
#include "ricochet/model/compiled_function.hpp"
#include "ricochet/model/constraint/points_on_plane.hpp"
#include "ricochet/model/frame.hpp"

namespace ricochet::scenario {

inline constexpr const char* kGround = "ground";

/// How something may move: in space, in a plane, or as formulas have it.
struct Freedom {
  Vector3d plane = Vector3d::Zero();  ///< normal of the plane of motion; zero: none
  Vector3d e1 = Vector3d::UnitX();    ///< and its first axis
  bool formula = false;               ///< then:
  std::array<bool, 3> moves{};        ///< along x, y, z
  bool turns = false;
  Vector3d axis = Vector3d::UnitZ();
  bool node = false;  ///< of a flexible body: it moves by fixed directions, and does not turn

  bool within(const Vector3d& normal) const;
};

/// Points of bodies that may touch a plane.
struct TouchingPoint {
  std::string name;
  int body = 0;    ///< among those of its part
  Vector3d point;  ///< in body axes
};
struct TouchingPoints {
  Plane plane;
  const ContactLaw* law = nullptr;
  std::vector<TouchingPoint> points;
  int first_mount = 1;  ///< of its part's bodies
};

/// A displacement of a node that is given.
struct DrivenNode {
  std::string name;
  int mount = 0;
  Vector3d direction = Vector3d::UnitX();
  CompiledFunction motion;  ///< of t: its value, rate and acceleration
};

/// A shape of a body that collides.
struct NotedShape {
  std::string body, group;
  int mount = 0;  ///< 0: fixed
  Vector3d at;    ///< in the mount's axes
  Matrix3d R;
  Polytope shape;
  std::string material;
  Vector3d plane;  ///< of motion; zero: in space
  yaml::Node node;
};

/// A body whose faces contacts may name.
struct NotedPart {
  std::string body;
  Frame frame;  ///< axes of the part on its mount
  std::shared_ptr<const brep::Part> part;
};

/// Bodies and frames at the beginning, and how they move.
struct Assembly {
  std::vector<std::string> names;
  std::vector<Pose> poses;
  std::vector<Vector3d> centres;  ///< of mass, in the axes of each: where its mount is
  std::vector<Freedom> freedoms;
  std::vector<Mount> mounts{{}};  ///< ground, then what has a name
  std::vector<TouchingPoints> touching;
  std::vector<NotedShape> colliding;
  std::vector<NotedPart> parts;
  std::optional<InputError>
      cannot_collide;  ///< the first shape that has mass only; wrong where `collision` is asked for
  std::map<std::string, std::vector<int>> sets;  ///< mounts of node sets
  std::vector<DrivenNode> driven;

  Vector3d plane = Vector3d::Zero();  ///< in which the pair that is read just now moves; zero: space
  Vector3d e1 = Vector3d::UnitX();    ///< first axis of that plane
  bool planar() const { return !plane.isZero(0); }
  int tangents() const { return planar() ? 1 : 2; }

  void add(const std::string& name, const Pose& pose, const Freedom& freedom, const Mount& mount,
           const Vector3d& centre = Vector3d::Zero());
  /// Of a mount; that of all that is fixed is `ground`.
  std::string name(int mount) const {
    return mount == 0 ? std::string(kGround) : names[static_cast<std::size_t>(mount - 1)];
  }
  /// Makes the plane of two mounts the present one.
  void look_at(int a, int b);
  /// Normal of the plane in which two mounts move against each other; zero: in space.
  Vector3d common_plane(int a, int b) const;
};

}  // namespace ricochet::scenario
