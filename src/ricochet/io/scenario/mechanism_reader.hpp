#pragma once
// Inside of io/scenario/mechanism: the reader of joints, contacts and forces, in several files.
#include <array>

#include "ricochet/io/scenario/mechanism.hpp"

namespace ricochet::scenario {

using schema::Expression;
using schema::Fields;

/// Joints, contacts and forces at the initial pose of the bodies. Mount 0 is the ground, the others are the bodies in
/// their order.
class MechanismReader {
 public:
  MechanismReader(const Assembly& assembly, Parts& parts) : parts_(parts), all_(assembly), names_{kGround} {
    names_.insert(names_.end(), all_.names.begin(), all_.names.end());
  }

  Mechanism read(const Fields& system);

 private:
  struct Ends {
    int a, b;
  };
  struct Place {
    Vector3d at, to;
    Matrix3d R;
  };

  /// What the axis of something is, if everything moves in a plane.
  enum class Axis { normal, inside, none };

  int end(const std::string& name, const Fields& fields, const std::string& kind) const;
  /// From here on planes are those of this pair.
  Ends ends(const Fields& fields, const std::string& kind);
  Place place(const Fields& fields, Axis kind) const;
  void turn_to_x(const Fields& fields, Matrix3d& R) const;
  void only_for(const Fields& fields, const char* key, bool belongs, const char* whose) const;
  /// A frame at a point of space with the axes R, on a body in its initial pose.
  Frame fix(const Vector3d& at, const Matrix3d& R, int mount) const;
  void read_joint(const std::string& name, const Fields& fields);
  /// The place in the axes of one body.
  Place place_on(const Fields& fields, const char* key, Axis axis, int mount) const;
  /// Frames that are given in the axes of their bodies, and need not meet at the beginning; false: they are not.
  bool place_apart(const Fields& fields, std::array<Axis, 2> axes, const Ends& e, Frame& A, Frame& B) const;
  Vector3d in_space(const Frame& f) const;
  /// Couples the angles or displacements of two joints.
  void read_gear(const std::string& name, const Fields& fields);
  std::vector<FrameRow> rows(const Fields& fields, const std::string& kind, double length) const;
  /// A joint with play is contacts.
  void clearance(const Fields& fields, const std::string& kind, const FrameJoint& joint);

  // mechanism_contacts.cpp
  void read_contact(const std::string& name, const Fields& fields);
  void read_radii(const Fields& fields, const std::string& kind, Feature& feature);

  // cad.cpp
  /// The ways in which faces of two parts touch.
  void read_faces(const std::string& name, const Fields& fields);
  std::vector<MountedFace> find_faces(const Fields& fields, const std::string& name) const;

  // mechanism_nodes.cpp
  /// What the second name of a pair stands for: each node of a set, with a name below that of the pair, or one body.
  struct Pair {
    std::string name;
    Ends ends;
    bool node;
  };
  std::vector<Pair> pairs(const std::string& name, const Fields& fields, const std::string& kind);
  /// Mounts of the node set that a name stands for; null if it is no set.
  const std::vector<int>* node_set(const std::string& name) const;
  /// Nodes do not turn: what holds or drives an angle has nothing to act on.
  void refuse_node(const Fields& fields, const std::string& kind, const Ends& e, const char* accepted) const;
  /// Every node of a set held where it is on the body: the set moves rigidly with it.
  void tie(const std::string& name, const Fields& fields, const std::string& kind);
  /// A set that goes with the body in the mean.
  void tie_mean(const std::string& name, const Fields& fields);
  /// Rows for what flexible bodies say of the motion of their nodes.
  void drive_nodes();
  /// The same contact for each node of a set.
  void touch_nodes(const std::vector<Pair>& all, const Fields& fields, FrameContact contact);

  // mechanism_motions.cpp
  /// What is given of the motion along a joint: its value, its rate, its acceleration.
  void drive(const Fields& fields, FrameJoint joint);
  /// Dry friction in the joint that was read last: along its axis, about it at the radius of the pin, or both.
  void friction(const Fields& fields, FrameJoint joint, const std::string& kind);
  void limit(const Fields& fields, const FrameJoint& joint, bool turns);

  // mechanism_forces.cpp
  void read_force(const std::string& name, const Fields& fields);
  /// One number, or a list of them; none if not given.
  std::vector<double> numbers(const Fields& fields, const char* key) const;
  void read_linear_law(const Fields& fields, FrameForce& f);
  void note_negative(const Fields& fields, std::string_view key, double least);
  /// Six springs: along the axes of the first frame, and about them by the sines of the angles.
  void read_bushing(const std::string& name, const Fields& fields);
  /// A force at a point: three, along the axes of space or of the body.
  void read_load(const std::string& name, const Fields& fields);
  /// F(x, v, t), or of v and t where there is no x.
  CompiledFunction formula(const Expression& text, bool without_x);

  Parts& parts_;
  Assembly all_;
  std::vector<std::string> names_;
  std::vector<FrameJoint> bounded_, limits_;
  Mechanism out_;
};

}  // namespace ricochet::scenario
