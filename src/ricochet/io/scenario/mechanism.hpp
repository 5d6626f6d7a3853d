#pragma once
// Inside of io/scenario: what connects bodies.
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/contact/frame_contacts.hpp"
#include "ricochet/model/force/frame_forces.hpp"
#include "ricochet/model/joint/frame_joints.hpp"

namespace ricochet::scenario {

inline constexpr const char* kGround = "ground";

/// The bodies in their initial poses, and how they move.
struct Assembly {
  std::vector<std::string> names;
  std::vector<Pose> poses;
  Vector3d plane = Vector3d::Zero();  ///< normal of the plane of motion; zero in space
  bool planar() const { return !plane.isZero(0); }
  int tangents() const { return planar() ? 1 : 2; }
};

struct Mechanism {
  std::vector<FrameJoint> joints;
  std::vector<FrameContact> contacts;
  std::vector<FrameForce> forces;
};

/// `joints`, `contacts` and `forces` of a system. Frames refer to the mounts ground, then the bodies.
Mechanism read_mechanism(const schema::Fields& system, const Assembly& assembly, Parts& parts);

}  // namespace ricochet::scenario
