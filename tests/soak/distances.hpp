#pragma once
// Distances of random pairs of shapes, every combination, against brute force in long double.
#include <cstdint>

namespace ricochet::soak {

/// Prints a line for each combination; returns how many of them are beyond 1e-10 of the size, not symmetric, jump as
/// the shapes move, or are apart where brute force finds an overlap.
int judge_distances(std::int64_t pairs, std::uint64_t seed);

}  // namespace ricochet::soak
