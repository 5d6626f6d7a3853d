#pragma once
// Ideal joints between frames: rows of frame_row.hpp, in each of which the two frames' axes have their part. The axis
// of a joint is z of both frames.
//
//   fixed        origins and axes coincide                                                    6 rows
//   revolute     origins coincide, z_B perpendicular to x_A and y_A                           5
//   prismatic    axes coincide, origin of B on the z axis of A                                5
//   cylindrical  z axes coincide                                                              4
//   spherical    origins coincide                                                             3
//   universal    origins coincide, x_A perpendicular to y_B                                   4
//   planar       origin of B in the plane x_A y_A, z axes parallel                            3
//   distance     origins a length apart                                                       1
#include <string>

#include "ricochet/model/constraint.hpp"
#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {

struct FrameJoint {
  std::string name;
  Frame A, B;
  std::vector<FrameRow> rows;
};

/// The rows of a kind by its name, empty if there is none; `length` is for distance.
std::vector<FrameRow> joint_rows(std::string_view kind, double length = 0);

/// Joints of a model; frames refer to `mounts`.
std::unique_ptr<ConstraintSet> make_frame_joints(std::vector<Mount> mounts, std::vector<FrameJoint> joints);

}  // namespace ricochet
