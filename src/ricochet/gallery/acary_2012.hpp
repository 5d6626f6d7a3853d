#pragma once
// Acary (2012) in three files.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::acary_2012_parts {

/// Sections 4 and 5: ball, oscillator, roller, rocking block.
std::vector<Entry> examples();
/// Section 6.3.
std::vector<Entry> ring_entries();
/// Section 6.4.2.
std::vector<Entry> clearance_entries();

}  // namespace ricochet::gallery::acary_2012_parts
