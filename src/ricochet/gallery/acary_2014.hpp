#pragma once
// Acary (2014) in two files.
#include "ricochet/gallery/entry.hpp"

namespace ricochet::gallery::acary_2014_parts {

/// Remark 1, (41) to (43).
void works_and_integrals(Outcome& out);
/// Sections 5 and 6.
void identities(Outcome& out);
void algorithmic_energy(Outcome& out);
void no_filter(Outcome& out);
void contact_work(Outcome& out);
void corollary(Outcome& out);

}  // namespace ricochet::gallery::acary_2014_parts
