#include "soak/gaps.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "support/gap_pairs.hpp"

namespace ricochet::soak {

int judge_gaps(std::int64_t poses, std::uint64_t seed, const std::string& face, const std::string& rider) {
  using namespace test;
  constexpr double kTolerance = 1e-12, kRate = 1e-7;  // of the size, which is 1
  constexpr int kLookEvery = 64, kTries = 2000;
  int bad = 0;
  fmt::print("{:<26} {:>9} {:>9} {:>10} {:>10} {:>9} {:>8} {:>8}\n", "face, rider", "open", "overlap", "gap", "rate",
             "unsolved", "nearer", "us/pose");
  for (std::size_t i = 0; i < kBaseNames.size(); ++i)
    for (std::size_t j = 0; j < kRiderNames.size(); ++j) {
      if ((!face.empty() && face != kBaseNames[i]) || (!rider.empty() && rider != kRiderNames[j])) continue;
      const std::clock_t begin = std::clock();
      GapPairs pairs(static_cast<int>(i), static_cast<int>(j), seed + 100 * i + j);
      GapErrors e;
      std::int64_t judged = 0;
      for (std::int64_t tries = 0; judged < poses && (judged > 0 || tries < kTries); ++tries)
        judged += pairs.judge(judged % kLookEvery == 0, e);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      fmt::print("{:<26} {:>9} {:>9} {:>10.2g} {:>10.2g} {:>9} {:>8} {:>8.0f}\n",
                 fmt::format("{}, {}", kBaseNames[i], kRiderNames[j]), e.open, e.penetrating, e.gap, e.rate, e.unsolved,
                 fmt::format("{}/{}", e.nearer, e.looked),
                 1e6 * seconds / static_cast<double>(std::max<std::int64_t>(judged, 1)));
      std::fflush(stdout);  // a long run tells as it goes
      bad += !(e.gap <= kTolerance && e.rate <= kRate && e.unsolved == 0 && e.nearer == 0);
    }
  return bad;
}

}  // namespace ricochet::soak
