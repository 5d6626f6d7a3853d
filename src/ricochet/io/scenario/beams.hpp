#pragma once
// Inside of io/scenario: beams, one of the shapes of flexible bodies.
#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

/// The keys of system.flexible.NAME.beam.
const schema::Block& beam();
/// `name`: with the prefix of its part. `body`: the flexible body, whose block `beam` is given. `system`: that of the
/// system or part, for `planar`.
void read_beam(const std::string& name, const schema::Fields& body, const schema::Fields& system,
               const Vector3d& gravity, Parts& parts);

}  // namespace ricochet::scenario
