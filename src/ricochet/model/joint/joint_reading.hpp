#pragma once
// What an engineer reads off a joint: its angle or displacement, and the wrench it transmits, in the axes of its first
// frame.
#include <array>
#include <string>

#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {

struct JointReading {
  std::string name;
  FramePair pair;
  std::vector<FrameRow> rows;
  enum class Coordinate : std::uint8_t { none, angle, displacement } coordinate = Coordinate::none;
  FrameRow measure{};  ///< of the coordinate

  /// An angle within half a turn of the beginning; a displacement.
  double value(ConstView q) const;
  /// Force and moment on the second body at the second frame's origin, in the axes of the first frame, of the
  /// multipliers of the rows.
  std::array<double, 6> reaction(ConstView q, const double* lambda) const;
};

}  // namespace ricochet
