// Every combination of shapes: distances against brute force in long double. `./dev soak --distances 1000000` goes on.
#include "support/shape_pairs.hpp"

#include <gtest/gtest.h>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/geometry/triangle_mesh.hpp"
#include "ricochet/math/rotation.hpp"

namespace ricochet::test::shape_pairs_test {
namespace {

TEST(ShapePairs, DistancesAgreeWithBruteForce) {
  for (int i = 0; i < kShapes; ++i)
    for (int j = i; j < kShapes; ++j) {
      PairErrors errors;
      // Cylinders and cones have most cases, and rare ones: rims that cross, or lie flat to 1e-8. Each of these was
      // wrong once in some hundred pairs.
      const int trials = j >= 5 ? 200 : 60;
      for (int trial = 0; trial < trials; ++trial)
        errors.add(judge_pair(i, j, 20261116, static_cast<std::uint64_t>(trial)));
      const std::string what =
          std::string(kShapeNames[static_cast<std::size_t>(i)]) + " " + kShapeNames[static_cast<std::size_t>(j)];
      // measured over 3,000 pairs of each: 1e-12, and 1.4e-11 of a box and a cone; asymmetry 9e-13
      EXPECT_LE(errors.distance, 1e-10) << what;
      EXPECT_LE(errors.asymmetry, 1e-10) << what;
      EXPECT_LE(errors.jump, 1e-10) << what;
      EXPECT_EQ(errors.wrong, 0) << what;
      EXPECT_GT(errors.apart, trials / 2) << what;
      EXPECT_LE(errors.unjudged, trials / 20) << what;
      // measured 4e-10, of edges parallel to 1e-7; what of a cylinder or a cone is in another shape is no such way
      EXPECT_LE(errors.depth, j < 5 ? 1e-9 : 0.01) << what;
    }
}

/// The distance, in both orders, within 1e-10 of the size of what brute force finds; an overlap is known as one.
void expect_right(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
  const Bracket brute = brute_distance(A, a, B, b);
  const double round = A.radius + B.radius, off = 1e-10 * std::min(A.size, B.size);
  ASSERT_LT(static_cast<double>(brute.high - brute.low), off);
  for (const double mine : {separation(A, a, B, b), separation(B, b, A, a)}) {
    if (brute.high < 0) {
      EXPECT_LT(mine, 0);
      continue;
    }
    EXPECT_GE(mine, static_cast<double>(brute.low) - round - off);
    EXPECT_LE(mine, static_cast<double>(brute.high) - round + off);
  }
}
Matrix3d axes(const Vector3d& x, const Vector3d& y, const Vector3d& z) {
  Matrix3d R;
  R << x, y, z;
  return R;
}
constexpr double kQuarter = 1.5707963267948966;

// The lowest point of a rim may be under a face and out again on the other side.
TEST(ShapePairs, ARimBehindAThinPieceDoesNotTouchItsFace) {
  const Polytope piece = make_tetrahedron({-0.06848499999493507, -0.023479536288147251, -0.084729144777211135},
                                          {-0.023927346463155724, 0.15660350282096613, -0.084690364614948749},
                                          {0.08763098519011589, -0.082761163580367003, 0.084356157846666113},
                                          {-0.025133593281430035, 0.022237790026840801, -0.031702478646010224});
  const Polytope disc = make_revolved(0.20705375859358907, -0.00145, 0.20705375859358907, 0.00145);
  const Placement a{{0.59234796015654967, -0.3906399064242021, 0.020099380183971838},
                    axes({-0.80847286693762732, -0.58649502499544248, 0.048940873319228556},
                         {0.54209749965424525, -0.7744797249546711, -0.32605437660419895},
                         {0.22913298386367062, -0.2370753915735086, 0.94408333022885138})};
  const Placement b{{0.46798155412251313, -0.43085761725376548, 0.002024041772569039},
                    axes({0.20948521649436813, 0.46172595347600004, 0.86193102273731093},
                         {-0.036047921276290057, -0.87724370035189336, 0.47868991796838301},
                         {0.97714711862746972, -0.1313492827525049, -0.16712532566441451})};
  expect_right(piece, a, disc, b);
}

// An edge over a disc that touches its rim, seen along the axis, has one point and no length in common with it.
TEST(ShapePairs, AnEdgeThatIsATangentOfARim) {
  const Polytope box = make_box_shape({0.125, 0.125, 0.5}), cone = make_revolved(0.0625, 0, 0, 0.375);
  const Placement at{{0, -0.1875, 0.3125}, axes({1, 0, 0}, {0, 0, 1}, {0, -1, 0})};
  expect_right(box, {}, cone, at);
  EXPECT_DOUBLE_EQ(separation(box, {}, cone, at), 0.125);
}

// A point outside of a face by 1e-9 of the size has another distance.
TEST(ShapePairs, ARimBesideTheBorderOfAFace) {
  const Polytope box = make_box_shape({0.375, 0.375, 0.125}), cone = make_revolved(0.1875, 0, 0, 0.125);
  const Placement a{{0.21062207283000856, 0.20679445237464633, -0.068768608804607889},
                    axes({-0.75988584723587671, -0.62465070560058655, -0.17995831507130236},
                         {0.40623491860370081, -0.24018929049579074, -0.88163614696663428},
                         {0.50749058126989643, -0.74304818196656486, 0.43627137105077729})};
  const Placement b{{0.26132567086977071, 0.066067898874331205, 0.20560601160009484},
                    axes({0.69827214366783352, -0.54073746184215377, 0.4690618410593988},
                         {0.58939732311780468, 0.80617126113811, 0.051948948175623504},
                         {-0.40623491834047576, 0.24018929009323683, 0.88163614719759165})};
  expect_right(box, a, cone, b);
}

// Discs face to face that are not quite parallel: beyond the crossing of the rims they are nearer.
TEST(ShapePairs, RimsThatCrossAtASmallAngle) {
  const Polytope can = make_revolved(0.25, -0.1875, 0.25, 0.1875), cone = make_revolved(0.1875, 0, 0, 0.5);
  for (const double tilt : {1e-4, 9e-6, 1e-6, 1e-8})
    for (const double aside : {0.3, 0.4374, 0.43749985, 0.4375})
      expect_right(can, {}, cone, {{aside, 0, 0.25}, exp_rotation({tilt, 0.3 * tilt, 0})});
}

// On its axis a cone's tip bends away in all directions.
TEST(ShapePairs, ASegmentAcrossTheTipOfACone) {
  const Polytope rod = make_segment_shape({0, 0, -0.5}, {0, 0, 0.5}, 0.1), cone = make_revolved(0.1, 0, 0, 1);
  for (const double turn : {0.0, 0.3, kQuarter})
    EXPECT_NEAR(
        separation(rod, {}, cone, {{-1.1, 0, 0}, axes({0, 1, 0}, {0, 0, 1}, {1, 0, 0}) * exp_rotation({0, 0, turn})}),
        0, 1e-15);
}

// A cone's side is nearer than its rim only if it goes on below it.
TEST(ShapePairs, ACylinderBesideAConeOnOneTable) {
  const Polytope can = make_revolved(0.0625, -0.125, 0.0625, 0.125), cone = make_revolved(0.166, 0, 0, 0.292);
  const Placement a{{0, 0, 0.125}, Matrix3d::Identity()}, b{{0.1, 0.24, 0}, Matrix3d::Identity()};
  EXPECT_NEAR(separation(can, a, cone, b), 0.26 - 0.0625 - 0.166, 1e-15);
  expect_right(can, a, cone, b);
}

// A point of a rim in the plane of a disc: beside a cylinder that is parallel its side counts, as if it went on; beside
// one that is not, 53 degrees here, it does not.
TEST(ShapePairs, ARimThroughThePlaneOfADisc) {
  const Polytope can =
                     make_revolved(0.11672432717175663, -0.16103552091383255, 0.11672432717175663, 0.16103552091383255),
                 coin = make_revolved(0.038113687963827546, -0.00037610393973409845, 0.038113687963827546,
                                      0.00037610393973409845);
  const Placement a{{0.01884854770285449, -0.096929220627909096, 0.39965112899438837},
                    axes({-0.78237661440121009, 0.12375093491957621, -0.6103872044404528},
                         {0.25238561084150407, 0.9589791546700609, -0.12907549863725631},
                         {0.56937539170415619, -0.25503859906850634, -0.78151581961398109})};
  const Placement b{{0.03197028904590183, -0.26706834227938103, 0.24618276015748222},
                    axes({0.1086735379839181, 0.2307380683756266, -0.96692812863435862},
                         {-0.31050583765936901, -0.91614156566984595, -0.25351677741612427},
                         {-0.94433902117910562, 0.32778739367810922, -0.027914828034589334})};
  expect_right(can, a, coin, b);
}

// A needle over a disc, near its border: it crosses the rim twice, closer than the points at which one looks.
TEST(ShapePairs, ANeedleAcrossTheBorderOfADisc) {
  const Polytope needle = make_revolved(0.00057925801432020716, 0, 0, 0.46430392623616523),
                 cone = make_revolved(0.20023316593677276, 0, 0, 0.15464328630514196);
  const Placement a{{-0.13180407906683339, 0.028330732049881568, 0.16787956043764374},
                    axes({0.17023468403161646, -0.01666444918075205, 0.98526262919394125},
                         {0.87557440226525474, 0.46128383717238886, -0.14348061772015985},
                         {-0.45209470075471719, 0.88709611525303111, 0.093117473400450068})};
  const Placement b{{-0.23528288268060885, 0.16927443217654151, -0.014497677907619246},
                    axes({-0.18879043498466302, 0.053346026632337312, -0.98056737305543862},
                         {-0.44466575959493809, 0.88564745977508386, 0.13379439165300502},
                         {0.87557440226525474, 0.46128383717238886, -0.14348061772015985})};
  expect_right(needle, a, cone, b);
}

TEST(ShapePairs, DiscsFaceToFaceWhoseRimsTouchSeenAlongTheAxis) {
  const double R = 0.024857164934160802, half = 0.00027607869129372237, r = 0.0033192226888690574;
  const Polytope can = make_revolved(R, -half, R, half), cone = make_revolved(r, 0, 0, 0.0155);
  const Placement a{{-0.34325777164557797, 0.3695873650357373, -0.21379881365305842}, Matrix3d::Identity()};
  const Placement b{{-0.37143415926860784, 0.3695873650357373, -0.71379881365305842},
                    axes({-1, 0, 0}, {0, 1, 0}, {0, 0, -1})};
  for (const double aside : {0.0, 1e-12, -1e-12, 1e-9, -1e-9})
    EXPECT_NEAR(separation(can, {a.x + Vector3d(aside, 0, 0), a.R}, cone, b), 0.5 - half, 1e-15);
}

// Discs that face each other in one plane, side by side: a rim that is a little behind the other disc is beside that
// cone's side, and apart.
TEST(ShapePairs, ConesSideBySideWhoseDiscsFaceEachOtherInOnePlane) {
  const Polytope low = make_revolved(0.1875, 0, 0, 0.125), high = make_revolved(0.25, 0, 0, 0.375);
  const Matrix3d down = axes({1, 0, 0}, {0, -1, 0}, {0, 0, -1});
  for (const double apart : {-1e-7, -1e-8, 0.0, 1e-8})
    for (const double tilt : {-1e-6, 0.0, 1e-6}) {
      const Placement b{{0.4375 + apart, 0, 0}, exp_rotation({0, tilt, 0}) * down};
      expect_right(low, {}, high, b);
    }
}

// The rim of a cone passes through the thin border of a piece, between any points of it that one might look at.
TEST(ShapePairs, ARimThatPassesThroughAThinBorder) {
  const Polytope piece = make_tetrahedron({-0.0314, 0.0713, 0.0018}, {-0.1142, -0.0707, 0.0113},
                                          {-0.1152, 0.0315, -0.0083}, {-0.0921, 0.0177, 0.0056}),
                 cone = make_revolved(0.0611, 0, 0, 0.0123);
  const Matrix3d R = axes({-0.486525476711267, -0.20594074901107545, 0.84904732989841725},
                          {-0.31312131352831546, -0.86615880321881678, -0.38951761272226121},
                          {0.81562736805797342, -0.45536505740263417, 0.35692388680434228});
  int overlaps = 0;
  for (int k = 0; k < 100; ++k) {
    const Placement b{{-0.0959 + 2e-5 * k, 0.0056, 0.0641 - 4e-5 * k}, R};
    const Bracket brute = brute_distance(piece, {}, cone, b);
    if (brute.high > -1e-8L) continue;
    ++overlaps;
    EXPECT_LT(separation(piece, {}, cone, b), 0) << k << " " << static_cast<double>(brute.high);
  }
  EXPECT_GT(overlaps, 50);
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

// Cylinders alike on top of each other, one of them turned over: all six marks, of either, on the border of the disc.
TEST(ShapePairs, CoinsAlikeOnTopOfEachOther) {
  const double r = 0.13259265816485527, half = 0.097952033676783068;
  const Polytope coin = make_revolved(r, -half, r, half);
  const Placement a{{0.016105187884306149, -0.20005052843084831, 0.40436896453162607}, Matrix3d::Identity()};
  for (const double gap : {0.0, 1e-15, -1e-15, 1e-13, -1e-13})
    for (const Matrix3d& R :
         {axes({0, -1, 0}, {-1, 0, 0}, {0, 0, -1}), axes({1, 0, 0}, {0, 1, 0}, {0, 0, 1}), exp_rotation({0, 0, 0.7})}) {
      const Placement b{{a.x.x(), a.x.y(), 0.60027303188519221 + gap}, R};
      EXPECT_NEAR(separation(coin, a, coin, b), gap, 2e-16) << gap;
      EXPECT_EQ(touching(coin, a, coin, b), 12) << gap;
    }
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
}  // namespace ricochet::test::shape_pairs_test
