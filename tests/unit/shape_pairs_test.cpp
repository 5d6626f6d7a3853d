// Every combination of shapes: distances against brute force in long double. `./dev soak --distances 1000000` goes on.
#include "support/shape_pairs.hpp"

#include <gtest/gtest.h>

#include "ricochet/geometry/triangle_mesh.hpp"

namespace ricochet::test {
namespace {

TEST(ShapePairs, DistancesAgreeWithBruteForce) {
  RandomShapes random(20261116);
  for (int i = 0; i < kShapes; ++i)
    for (int j = i; j < kShapes; ++j) {
      PairErrors errors;
      // Cylinders and cones have most cases, and rare ones: rims that cross, or lie flat to 1e-8. Each of these was
      // wrong once in some hundred pairs.
      const int trials = i >= 5 ? 400 : j >= 5 ? 100 : 12;
      for (int trial = 0; trial < trials; ++trial) judge_pair(i, j, random, errors);
      const std::string what =
          std::string(kShapeNames[static_cast<std::size_t>(i)]) + " " + kShapeNames[static_cast<std::size_t>(j)];
      // measured over 10^4 pairs of each: 1e-13 (the pieces are flat), asymmetry 2e-14
      EXPECT_LE(errors.distance, 1e-11) << what;
      EXPECT_LE(errors.asymmetry, 1e-11) << what;
      EXPECT_LE(errors.jump, 1e-11) << what;
      EXPECT_EQ(errors.wrong, 0) << what;
      EXPECT_GT(errors.apart, 0) << what;
    }
}

int touching(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
  std::vector<FeaturePair> found;
  find_features({&A, a}, {&B, b}, 0, 1e-9, found);
  for (const FeaturePair& f : found) {
    const FeatureGap g = feature_gap(f, A, a, B, b);
    EXPECT_NEAR(g.gap, 0, 1e-12);
    EXPECT_NEAR(g.n.norm(), 1, 1e-12);
    const FeaturePair same = feature_of(number_of(f, A, B), A, B);
    EXPECT_TRUE(same.kind == f.kind && same.first == f.first && same.second == f.second);
  }
  return static_cast<int>(found.size());
}

/// A cylinder that lies has the two ends of a line, one that stands enough points of its rim; a cone its tip and a
/// point of its rim; on a box likewise, with what overhangs cut off at its border.
TEST(ShapePairs, CylindersAndConesLieAndStand) {
  const Polytope ground = make_half_space({0, 0, 1}, 0), can = make_revolved(0.5, -1, 0.5, 1),
                 cone = make_revolved(0.6, 0, 0, 0.8), box = make_box_shape({4, 4, 1});
  const Placement lies{{0.1, 0.2, 0.5}, exp_rotation({0, 1.5707963267948966, 0})},
      stands{{0, 0, 1}, Matrix3d::Identity()};
  EXPECT_EQ(touching(ground, {}, can, lies), 2);
  EXPECT_EQ(touching(can, stands, ground, {}), 6);
  EXPECT_EQ(touching(ground, {}, cone, {{0, 0, 0}, Matrix3d::Identity()}), 6);
  // on its side the cone's axis makes the angle atan(r / h) with the ground
  const double slope = std::atan2(0.6, 0.8);
  const Placement side{{0, 0, 0.6 * std::cos(slope)}, exp_rotation({0, 1.5707963267948966 + slope, 0})};
  EXPECT_EQ(touching(ground, {}, cone, side), 2);
  const Vector3d up(0, 0, 0.5);
  EXPECT_EQ(touching(box, {}, can, {lies.x + up, lies.R}), 2);
  EXPECT_EQ(touching(box, {}, can, {stands.x + up, stands.R}), 6);
  // half of it over the border: the rim that is left, and where the border cuts the line or the circle
  EXPECT_EQ(touching(box, {}, can, {Vector3d(2, 0, 0.5) + up, lies.R}), 2);
  EXPECT_GE(touching(box, {}, can, {Vector3d(2, 0.1, 1) + up, stands.R}), 4);
  // two on top of each other, along and across
  EXPECT_EQ(touching(can, lies, can, {lies.x + Vector3d(0, 0, 1), lies.R}), 2);
  EXPECT_EQ(touching(can, lies, can, {lies.x + Vector3d(0, 0, 1), exp_rotation({1.5707963267948966, 0, 0})}), 1);
  EXPECT_GE(touching(can, stands, can, {stands.x + Vector3d(0.3, 0, 2), stands.R}), 4);
}

}  // namespace
}  // namespace ricochet::test
