#include "soak/distances.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "support/shape_pairs.hpp"

namespace ricochet::soak {

int judge_distances(std::int64_t pairs, std::uint64_t seed) {
  using namespace test;
  constexpr double kTolerance = 1e-10;  // of the size
  constexpr int kCombinations = kShapes * (kShapes + 1) / 2;
  int bad = 0;
  fmt::print("{:<20} {:>9} {:>9} {:>11} {:>11} {:>11} {:>6}\n", "shapes", "apart", "overlap", "distance", "asymmetry",
             "jump", "wrong");
  for (int i = 0; i < kShapes; ++i)
    for (int j = i; j < kShapes; ++j) {
      RandomShapes random(seed + static_cast<std::uint64_t>(kShapes * i + j));
      PairErrors e;
      for (std::int64_t k = 0; k < (pairs + kCombinations - 1) / kCombinations; ++k) judge_pair(i, j, random, e);
      fmt::print(
          "{:<20} {:>9} {:>9} {:>11.2g} {:>11.2g} {:>11.2g} {:>6}\n",
          fmt::format("{} {}", kShapeNames[static_cast<std::size_t>(i)], kShapeNames[static_cast<std::size_t>(j)]),
          e.apart, e.overlapping, e.distance, e.asymmetry, std::max(0.0, e.jump), e.wrong);
      std::fflush(stdout);  // a long run tells as it goes
      bad += !e.holds(kTolerance);
    }
  return bad;
}

}  // namespace ricochet::soak
