#pragma once
// Inside of io/scenario: what connects bodies.
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/contact/face_contacts.hpp"
#include "ricochet/model/contact/frame_contacts.hpp"
#include "ricochet/model/force/frame_forces.hpp"
#include "ricochet/model/joint/coupled_joints.hpp"
#include "ricochet/model/joint/frame_joints.hpp"
#include "ricochet/model/joint/mean_ties.hpp"

namespace ricochet::scenario {

struct Mechanism {
  std::vector<FrameJoint> joints;
  std::vector<CoupledJoint> couplings;
  std::vector<MeanTie> means;
  /// Names of the joints that have a coordinate, and what it is.
  struct Measured {
    std::string name;
    CoupledJoint::Side side;
    bool turns;
  };
  std::vector<Measured> measured;
  std::vector<FrameContact> contacts;
  std::vector<FaceContact> faces;
  std::vector<FrameForce> forces;
};

/// The contacts of a joint with `clearance`, without their law; one has the joint's name, several names below it.
std::vector<FrameContact> clearance_contacts(const schema::Fields& fields, const std::string& kind,
                                             const FrameJoint& joint, bool planar, Numbers& numbers);

/// Surfaces of contacts by the name of their kind, for a frame at `at` with the axes R.
std::shared_ptr<const Surface> read_surface(const schema::Fields& fields, const std::string& kind, const Vector3d& at,
                                            const Matrix3d& R, Numbers& numbers);

/// `joints`, `contacts` and `forces` of a system. Frames refer to the mounts ground, then the bodies.
Mechanism read_mechanism(const schema::Fields& system, const Assembly& assembly, Parts& parts);

}  // namespace ricochet::scenario
