#pragma once
// Inside of io/scenario: cross-sections of beams.
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/subsystem/beams.hpp"

namespace ricochet::scenario {

/// The keys of system.flexible.NAME.beam.section.
const schema::Block& beam_section();

struct BeamMaterial {
  double young, poisson, density;
};
BeamSection read_section(const schema::Fields& section, const BeamMaterial& material, Numbers& numbers);

}  // namespace ricochet::scenario
