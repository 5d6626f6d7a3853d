#pragma once
// Distances of random pairs of shapes, every combination, against brute force in long double.
#include <cstdint>
#include <string>

namespace ricochet::soak {

struct DistanceSettings {
  std::int64_t pairs = 0;  ///< of each combination
  std::int64_t first = 0;  ///< number of the first one
  std::uint64_t seed = 1;
  std::string only;    ///< one combination, as "cone cone"; empty: all
  std::string state;   ///< file that holds what is done, for a later call to go on; empty: none
  double minutes = 0;  ///< stop after this time; 0: never
};

/// Prints what each pair beyond the limits is, then a line for each combination. Returns how many combinations are
/// beyond 1e-10 of the size, not symmetric, jump as the shapes move, or are apart where brute force finds an overlap.
int judge_distances(const DistanceSettings& settings);

}  // namespace ricochet::soak
