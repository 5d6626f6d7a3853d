#pragma once
// Inside of io/scenario: what connects bodies.
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/contact/frame_contacts.hpp"
#include "ricochet/model/force/frame_forces.hpp"
#include "ricochet/model/joint/frame_joints.hpp"

namespace ricochet::scenario {

struct Mechanism {
  std::vector<FrameJoint> joints;
  std::vector<FrameContact> contacts;
  std::vector<FrameForce> forces;
};

/// `joints`, `contacts` and `forces` of a system. Frames refer to the mounts ground, then the bodies.
Mechanism read_mechanism(const schema::Fields& system, const Assembly& assembly, Parts& parts);

}  // namespace ricochet::scenario
