#pragma once
// Entries of flexible bodies: cosimo-2020, figures 7 to 10, and acary-2018, the rotating beam.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery {

void pendulum_motion(Outcome& out);
void pendulum_iterations(Outcome& out);
void cube_motion(Outcome& out);
void cube_iterations(Outcome& out);
void rotating_beam(Outcome& out);

}  // namespace ricochet::gallery
