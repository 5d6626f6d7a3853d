#pragma once
// Forces along a measure x of two frames (frame_row.hpp): springs, dampers, buffers, ropes, motors, loads. A force F
// pushes the measure up; on the coordinates it is F dx/dq, so that its power is F x'.
//
//   spring    F = -(preload + stiffness x + damping x'),   V = preload x + stiffness x^2 / 2
//             x counts from the offset of the measure, the free length or angle. `tension` acts above it only, a rope;
//             `compression` below it only, a buffer. Where it does not act, neither does its damper.
//   formula   F(x, x', t); booked as work from outside, what x' changes of it as damping
#include <cstdint>
#include <string>

#include "ricochet/model/compiled_function.hpp"
#include "ricochet/model/force.hpp"
#include "ricochet/model/joint/frame_row.hpp"

namespace ricochet {

struct FrameForce {
  enum class Acts : std::uint8_t { always, tension, compression };
  std::string name;
  Frame A, B;
  FrameRow measure;
  double stiffness = 0, damping = 0, preload = 0;
  Acts acts = Acts::always;
  CompiledFunction formula{};  ///< of (x, x', t): F, dF/dx, dF/dx', F at x' = 0; empty: a spring
};

/// Frames refer to `mounts`.
std::unique_ptr<ForceSet> make_frame_forces(const std::vector<Mount>& mounts, std::vector<FrameForce> forces);

}  // namespace ricochet
