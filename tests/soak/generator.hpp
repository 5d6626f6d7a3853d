#pragma once
// Random systems: every one follows from a seed and its place in the sequence alone.
#include "soak/random.hpp"
#include "soak/system.hpp"

namespace ricochet::soak {

/// The system at that place of the sequence that begins with the seed.
System generate(std::uint64_t seed, std::uint64_t index);

}  // namespace ricochet::soak
