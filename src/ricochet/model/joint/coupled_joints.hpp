#pragma once
// Joints that couple the coordinates of two others, gears, belts, racks: with m1 and m2 measures of two pairs of frames
// (frame_row.hpp),
//
//     g = m2 - ratio m1,        which is wrapped to half a period about 0.
//
// An angle is known up to whole turns. Those of m1 and m2 change g by multiples of the period: a tooth of wheels whose
// ratio is a quotient of whole numbers, a turn of a pinion. So no turn has to be counted: the row holds the wheels at
// position level for as long as they turn.
#include <string>

#include "ricochet/model/constraint.hpp"
#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {

struct CoupledJoint {
  struct Side {
    Frame A, B;
    FrameRow measure;
  };
  std::string name;
  Side first, second;
  double ratio = 1;
  double period = 0;  ///< of g; 0: none
};

/// Frames refer to `mounts`.
std::unique_ptr<ConstraintSet> make_coupled_joints(const std::vector<Mount>& mounts, std::vector<CoupledJoint> joints);

/// q of the quotient of whole numbers p/q that x is but for rounding, q at most 10000; 0: none.
int whole_denominator(double x);

}  // namespace ricochet
