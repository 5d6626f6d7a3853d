#pragma once
// Inside of io/scenario: kinds of system side by side.
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

/// All of `system`: its kinds, its named parts, and what couples them. The coordinates of bodies in space come last.
void read_system(const schema::Fields& system, const schema::Fields& initial, Parts& parts);

}  // namespace ricochet::scenario
