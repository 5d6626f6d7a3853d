#pragma once
// Acary (2012) in two files.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::acary_2012_parts {

/// Sections 4 and 5: ball, oscillator, roller, rocking block.
std::vector<Entry> examples();

}  // namespace ricochet::gallery::acary_2012_parts
