#pragma once
// Joints between frames, and limits on them: rows of frame_row.hpp, in each of which the two frames' axes have their
// part. The axis of a joint is z of both frames.
//
//   fixed        origins and axes coincide                                                    6 rows
//   revolute     origins coincide, z_B perpendicular to x_A and y_A                           5
//   prismatic    axes coincide, origin of B on the z axis of A                                5
//   cylindrical  z axes coincide                                                              4
//   spherical    origins coincide                                                             3
//   universal    origins coincide, x_A perpendicular to y_B                                   4
//   planar       origin of B in the plane x_A y_A, z axes parallel                            3
//   distance     origins a length apart                                                       1
//   screw        z axes coincide, advance in proportion to the angle                          5
//
// A driven joint has one row of which the value is prescribed, g = measure - drive(t). A limit is one unilateral row,
// g = sign (measure) >= 0, without friction.
//
// Rows of the velocity alone, with x the measure and x' its rate:
//
//   friction       U = x',                               |P| <= coefficient times the joint's impulse
//   speed motor    U = x' - speed(t)                     P free, or |P| <= h torque
//   servo          U = x' - drive'(t) + (x - drive(t)) / lag      |P| <= h torque: what it lost it makes up for
//
// A servo that is not at its limit brings x to drive(t) like exp(-t / lag).
#include <string>

#include "ricochet/model/compiled_function.hpp"
#include "ricochet/model/constraint.hpp"
#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {

struct FrameJoint {
  std::string name;
  Frame A, B;
  std::vector<FrameRow> rows;
  CompiledFunction drive{};         ///< of t: the value of the only row, its rate, its acceleration; empty: none
  const ContactLaw* law = nullptr;  ///< of a limit, of friction, of a motor with a limit; null: a joint
  double sign = 1;                  ///< of a limit: +1 holds the measure above its offset, -1 below
  bool velocity_only = false;
  double rate = 0;  ///< of a servo: 1 / lag
  int load = -1;    ///< of friction: the joint that it is in, among these; its first rows are forces
  int load_rows = 0;
};

/// The rows of a kind by its name, empty if there is none; `length` is that of distance, or the advance of a screw per
/// radian.
std::vector<FrameRow> joint_rows(std::string_view kind, double length = 0);

/// In the plane with normal n, in which everything moves: fixed, revolute (and spherical), prismatic, distance. Both
/// frames of a prismatic joint have z along its axis and x at right angles to it in the plane.
std::vector<FrameRow> planar_joint_rows(std::string_view kind, const Vector3d& n, double length = 0);

/// Joints, then what has a law; frames refer to `mounts`.
std::unique_ptr<ConstraintSet> make_frame_joints(const std::vector<Mount>& mounts, std::vector<FrameJoint> joints);

}  // namespace ricochet
