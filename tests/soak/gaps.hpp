#pragma once
// Gaps of random poses of points, edges and faces over faces, every combination of kinds, in long double.
#include <cstdint>

namespace ricochet::soak {

/// `poses` of each combination. Prints a line for each; returns how many of them are beyond 1e-12 of the size, have
/// another rate than their rows say, or are not those of the nearest place.
int judge_gaps(std::int64_t poses, std::uint64_t seed);

}  // namespace ricochet::soak
