// Gaps of every pair of kinds of faces and edges: a slice of `./dev soak --gaps`.
#include "support/gap_pairs.hpp"

#include <gtest/gtest.h>

namespace ricochet::test::gap_pairs_test {
namespace {

TEST(GapPairs, AgreeWithExtendedPrecision) {
  constexpr int kPoses = 10, kTries = 300;
  int pairs = 0;
  for (std::size_t i = 0; i < kBaseNames.size(); ++i)
    for (std::size_t j = 0; j < kRiderNames.size(); ++j) {
      GapPairs random(static_cast<int>(i), static_cast<int>(j), 7 + 100 * i + j);
      GapErrors e;
      int judged = 0;
      for (int tries = 0; judged < kPoses && tries < kTries; ++tries) judged += random.judge(true, e);
      if (judged == 0) continue;  // straight along straight: no place of its own
      ++pairs;
      EXPECT_LT(e.gap, 2e-15) << kBaseNames[i] << ", " << kRiderNames[j];  // 5e-16 in 400,000 poses
      EXPECT_LT(e.rate, 1e-8) << kBaseNames[i] << ", " << kRiderNames[j];
      EXPECT_EQ(e.unsolved, 0) << kBaseNames[i] << ", " << kRiderNames[j];
      EXPECT_EQ(e.nearer, 0) << kBaseNames[i] << ", " << kRiderNames[j];
    }
  EXPECT_GE(pairs, 66);
}

/// A spline in a bore and over a cone: poses among which one has a shallow lowest place between points of the search's
/// grid that fall towards the edge, so that none of them is lower than those around it.
TEST(GapPairs, ShallowPlacesAreFound) {
  constexpr int kSpline = 7, kPoses = 60;
  for (const auto& [base, seed] : {std::pair{2, 1}, std::pair{3, 5}}) {
    GapPairs random(base, kSpline, static_cast<std::uint64_t>(seed + 100 * base + kSpline));
    GapErrors e;
    for (int judged = 0; judged < kPoses;) judged += random.judge(true, e);
    EXPECT_EQ(e.looked, kPoses);
    EXPECT_EQ(e.nearer, 0) << kBaseNames[static_cast<std::size_t>(base)];
  }
}

}  // namespace
}  // namespace ricochet::test::gap_pairs_test
