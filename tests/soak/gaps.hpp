#pragma once
// Gaps of random poses of points, edges and faces over faces, every combination of kinds, in long double.
#include <cstdint>
#include <string>

namespace ricochet::soak {

/// `poses` of each combination, or of those with this face, this rider. Prints a line for each; returns how many of
/// them are beyond 1e-12 of the size, have another rate than their rows say, or are not those of the nearest place.
int judge_gaps(std::int64_t poses, std::uint64_t seed, const std::string& face, const std::string& rider);

}  // namespace ricochet::soak
