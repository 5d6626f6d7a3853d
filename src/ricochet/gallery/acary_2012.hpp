#pragma once
// Acary (2012) in four files.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::acary_2012_parts {

/// Sections 4 and 5: ball, oscillator, roller, rocking block.
std::vector<Entry> examples();
/// Section 6.2: the bar.
std::vector<Entry> bars();
/// Section 6.3.
void local_order(Outcome& out);
void coupled(Outcome& out);
void metric(Outcome& out);
void forecasts_that_cycle(Outcome& out);
void ring_gap(Outcome& out);
/// Section 6.4.2.
void pin_moreau(Outcome& out);
void pin_combined(Outcome& out);
void pin_larger(Outcome& out);

}  // namespace ricochet::gallery::acary_2012_parts
