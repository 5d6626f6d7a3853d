#pragma once
// Random mechanisms with loops whose joints hold some motions more than once, of which freedoms are known.
#include <cstdint>

namespace ricochet::soak {

/// `count` mechanisms under the default scheme, 50 steps each. Prints a line for each kind and each one that is wrong;
/// returns how many are: another number of redundant rows than is known, a run that does not finish, joints that open,
/// energy from nowhere.
int judge_loops(std::int64_t count, std::uint64_t seed);

}  // namespace ricochet::soak
