// Shapes that collide: distances against brute force in long double, identity and continuity of features, the broad
// phase.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ricochet/geometry/collision/broad.hpp"
#include "ricochet/geometry/collision/narrow.hpp"
#include "support/dense.hpp"

namespace ricochet::collision_test {
namespace {

using Long = long double;
using LongVector = Eigen::Matrix<Long, 3, 1>;

struct Random {
  std::mt19937_64 engine{12345};
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Vector3d vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  Placement placement(double size) { return {vector(size), exp_rotation(vector(3))}; }
};

std::vector<LongVector> corners(const Polytope& p, const Placement& at) {
  std::vector<LongVector> out;
  for (const Vector3d& v : p.vertices) out.push_back(at.x.cast<Long>() + at.R.cast<Long>() * v.cast<Long>());
  return out;
}

/// Largest separation over every direction that may be one: normals of all planes through three corners of one shape,
/// and of all pairs of lines through two corners. Knows nothing of faces and edges.
Long brute_separation(const std::vector<LongVector>& a, const std::vector<LongVector>& b) {
  Long best = -1e30L;
  const auto try_axis = [&](LongVector n) {
    const Long length = n.norm();
    if (!(length > 1e-9L)) return;
    n /= length;
    Long low_a = 1e30L, high_a = -1e30L, low_b = 1e30L, high_b = -1e30L;
    for (const LongVector& x : a) low_a = std::min(low_a, n.dot(x)), high_a = std::max(high_a, n.dot(x));
    for (const LongVector& x : b) low_b = std::min(low_b, n.dot(x)), high_b = std::max(high_b, n.dot(x));
    best = std::max({best, low_b - high_a, low_a - high_b});
  };
  for (const auto* shape : {&a, &b})
    for (std::size_t i = 0; i < shape->size(); ++i)
      for (std::size_t j = i + 1; j < shape->size(); ++j)
        for (std::size_t k = j + 1; k < shape->size(); ++k)
          try_axis(((*shape)[j] - (*shape)[i]).cross((*shape)[k] - (*shape)[i]));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = i + 1; j < a.size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k)
        for (std::size_t l = k + 1; l < b.size(); ++l) try_axis((a[j] - a[i]).cross(b[l] - b[k]));
  return best;
}

/// Distance of a point from a triangle.
Long to_triangle(const LongVector& x, const LongVector& a, const LongVector& b, const LongVector& c) {
  const auto to_segment = [&](const LongVector& p, const LongVector& q) {
    const LongVector e = q - p;
    const Long s = std::clamp<Long>(e.dot(x - p) / e.dot(e), 0, 1);
    return (x - p - s * e).norm();
  };
  const LongVector n = (b - a).cross(c - a);
  const Long u = n.dot((b - a).cross(x - a)), v = n.dot((c - b).cross(x - b)), w = n.dot((a - c).cross(x - c));
  if (u >= 0 && v >= 0 && w >= 0) return std::abs(n.dot(x - a)) / n.norm();
  return std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
}

/// Of a point outside of a polytope, over all triangles of corners: those inside are never the nearest.
Long brute_distance(const LongVector& x, const std::vector<LongVector>& corners) {
  Long out = 1e30L;
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = i + 1; j < corners.size(); ++j)
      for (std::size_t k = j + 1; k < corners.size(); ++k)
        if ((corners[j] - corners[i]).cross(corners[k] - corners[i]).norm() > 1e-9L)
          out = std::min(out, to_triangle(x, corners[i], corners[j], corners[k]));
  return out;
}

Polytope random_hull(Random& random) {
  std::vector<Vector3d> points;
  for (int k = 0; k < 9; ++k) points.push_back(random.vector(0.5));
  return make_hull(points);
}

TEST(Polytope, ABoxHasItsFacesEdgesAndCorners) {
  const Polytope box = make_box_shape({1, 2, 3});
  EXPECT_EQ(box.vertices.size(), 8u);
  EXPECT_EQ(box.edges.size(), 12u);
  EXPECT_EQ(box.faces.size(), 6u);
  for (const Polytope::Edge& e : box.edges) EXPECT_NE(e.left, e.right);
  for (const Polytope::Face& f : box.faces) {
    EXPECT_EQ(f.count, 4);
    EXPECT_GT(f.offset, 0.4);
  }
}

TEST(Polytope, HullsObeyEuler) {
  Random random;
  for (int trial = 0; trial < 200; ++trial) {
    const Polytope hull = random_hull(random);
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
    for (const Polytope::Face& f : hull.faces)
      for (const Vector3d& v : hull.vertices) EXPECT_LE(f.n.dot(v), f.offset + 1e-8);
  }
}

TEST(Polytope, DistanceFromPointsAgreesWithBruteForce) {
  Random random;
  for (int trial = 0; trial < 400; ++trial) {
    const Polytope hull =
        trial % 2 == 0 ? make_box_shape(random.vector(0.4).cwiseAbs() + Vector3d::Constant(0.1)) : random_hull(random);
    const Vector3d x = random.vector(1.2);
    const Distance d = distance(hull, x);
    if (d.f <= 0) continue;
    EXPECT_NEAR(d.f, static_cast<double>(brute_distance(x.cast<Long>(), corners(hull, {}))), 1e-12);
    const double step = 1e-6;  // derivatives against differences
    for (int k = 0; k < 3; ++k) {
      const Vector3d e = step * Vector3d::Unit(k);
      EXPECT_NEAR((distance(hull, x + e).f - distance(hull, x - e).f) / (2 * step), d.gradient[k], 1e-4);
    }
  }
}

TEST(NarrowPhase, SeparationAgreesWithBruteForce) {
  Random random;
  int apart = 0, touching = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const bool boxes = trial % 2 == 0;
    const auto shape = [&] {
      return boxes ? make_box_shape(random.vector(0.4).cwiseAbs() + Vector3d::Constant(0.2)) : random_hull(random);
    };
    const Polytope A = shape(), B = shape();
    const Placement a = random.placement(0.4), b = random.placement(0.4);
    const double mine = separation(A, a, B, b);
    const auto brute = static_cast<double>(brute_separation(corners(A, a), corners(B, b)));
    // Apart, axes through a corner and an edge may part them more; those that overlap are parted by these axes alone.
    if (brute <= 0) {
      EXPECT_NEAR(mine, brute, 1e-12);
    }
    EXPECT_EQ(mine > 0, brute > 0) << mine << " " << brute;
    EXPECT_NEAR(mine, separation(B, b, A, a), 1e-13);
    (mine > 0 ? apart : touching)++;
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(touching, 50);
}

// Two boxes of a heap, one on a corner of the other, tilted against it by 5e-5 while their edges, half a degree apart,
// run along each other. Where they touch the faces and the tilt alone would say that they overlap by 1e-6.
TEST(NarrowPhase, EdgesThatAreNearlyParallelPartShapes) {
  const Polytope box = make_box_shape(Vector3d::Constant(0.1));
  Placement a, b;
  a.x << 0.25877484377705118, -0.17375978739128228, 0.15000355450021807;
  a.R << 7.0254497431809781e-06, 0.21219874653786003, 0.97722653050273045,  //
      -5.5934876061411454e-05, 0.97722652908150487, -0.21219874582712411,   //
      -0.99999999841096632, -5.3170253243209342e-05, 1.873476645575245e-05;
  b.x << 0.36231765580039887, -0.16675798036701231, 0.25000222984703824;
  b.R << -0.20374723971417286, 4.3662427778146107e-05, -0.97902352392700331,  //
      -0.97902352490063049, -9.0867062145782995e-06, 0.20374723951154883,     //
      -8.992806499463768e-15, 0.99999999900551206, 4.4597935258350319e-05;
  const auto brute = static_cast<double>(brute_separation(corners(box, a), corners(box, b)));
  EXPECT_NEAR(brute, -3.7e-7, 1e-8);  // -1.2e-6 without these edges
  EXPECT_NEAR(separation(box, a, box, b), brute, 1e-12);
  EXPECT_NEAR(separation(box, b, box, a), brute, 1e-12);
  // and at any angle between edges
  Random random;
  for (int trial = 0; trial < 200; ++trial) {
    const double angle = random(-6, -1), tilt = random(-6, -2);
    const Vector3d turn = random.vector(1);
    Placement over{
        {0.1 * random(0.9, 1), 0.1 * random(0.9, 1), 0.1 - 1e-4 * random(0, 1)},
        exp_rotation(Vector3d(std::pow(10, tilt) * turn.x(), std::pow(10, tilt) * turn.y(), std::pow(10, angle)))};
    const auto expected = static_cast<double>(brute_separation(corners(box, {}), corners(box, over)));
    EXPECT_NEAR(separation(box, {}, box, over), expected, 1e-11) << angle << " " << tilt;
  }
}

TEST(NarrowPhase, FeaturesHaveNumbers) {
  const Polytope box = make_box_shape({1, 1, 1}), ball = make_point_shape(0.5), ground = make_half_space({0, 0, 1}, 0);
  for (const auto& [A, B] : {std::pair(&box, &box), std::pair(&ball, &box), std::pair(&ground, &box)}) {
    EXPECT_TRUE(can_number(*A, *B));
    std::uint32_t number = 0;
    for (; number < 2000; ++number) {
      const auto total = B->vertices.size() * A->faces.size() + A->vertices.size() * B->faces.size() +
                         A->edges.size() * B->edges.size() + B->vertices.size() + A->vertices.size();
      if (number >= total) break;
      EXPECT_EQ(number_of(feature_of(number, *A, *B), *A, *B), number);
    }
    EXPECT_GT(number, 1u);
  }
}

int count(const std::vector<FeaturePair>& features, FeaturePair::Kind kind) {
  int out = 0;
  for (const FeaturePair& f : features) out += f.kind == kind;
  return out;
}

TEST(NarrowPhase, PatchesHaveAllTheirCorners) {
  using Kind = FeaturePair::Kind;
  const Polytope box = make_box_shape({1, 1, 1}), plank = make_box_shape({3, 0.4, 1});
  const auto features = [](const Polytope& A, const Placement& a, const Polytope& B, const Placement& b) {
    std::vector<FeaturePair> out;
    find_features({&A, a}, {&B, b}, 0, 1e-3, out);
    for (const FeaturePair& f : out) EXPECT_NEAR(feature_gap(f, A, a, B, b).gap, 0, 1e-12);
    return out;
  };
  // one on the other, aligned: four corners, once each
  auto found = features(box, {}, box, {{0, 0, 1}, Matrix3d::Identity()});
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(count(found, Kind::B_point_on_A_face), 4);
  // half over half: two corners of each, on a line with borders: nothing twice
  found = features(box, {}, box, {{0.5, 0, 1}, Matrix3d::Identity()});
  EXPECT_EQ(found.size(), 4u);
  // a corner overhangs: one corner of each, and two crossings
  found = features(box, {}, box, {{0.5, 0.3, 1}, Matrix3d::Identity()});
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(count(found, Kind::edges), 2);
  // a cross: four crossings
  found = features(box, {}, plank, {{0, 0, 1}, Matrix3d::Identity()});
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(count(found, Kind::edges), 4);
  // turned by an eighth: an octagon
  found = features(box, {}, box, {{0, 0, 1}, exp_rotation({0, 0, 0.7853981633974483})});
  EXPECT_EQ(found.size(), 8u);
}

/// How far gaps are from being heights of one plane over one face, at the points where they are measured; infinite
/// where their directions differ.
double contradiction(const std::vector<FeaturePair>& features, const Polytope& A, const Placement& a, const Polytope& B,
                     const Placement& b) {
  const auto rows = static_cast<Eigen::Index>(features.size());
  Eigen::MatrixXd points(rows, 3);
  Eigen::VectorXd gaps(rows);
  const Vector3d n = feature_gap(features.front(), A, a, B, b).n, along = n.unitOrthogonal();
  for (Eigen::Index i = 0; i < rows; ++i) {
    const FeatureGap g = feature_gap(features[static_cast<std::size_t>(i)], A, a, B, b);
    if ((g.n - n).norm() > 1e-14) return 1e300;
    points.row(i) << 1, g.p.dot(along), g.p.dot(n.cross(along));
    gaps[i] = g.gap;
  }
  return (points * (test::pseudo_inverse(points) * gaps) - gaps).norm();
}

// Four points and more of two faces, three of an edge and a face: on the way to lying flat they agree with each other,
// or the multipliers of a contact problem wander without end. A face that cannot come to lie flat has its own normal.
TEST(NarrowPhase, PointsOfAPatchDoNotContradictEachOther) {
  Random random;
  const Polytope low = make_box_shape({1, 1, 1}), high = make_box_shape({0.8, 0.9, 0.5});
  int patches = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3d tilt = random.vector(1e-3), place(0.6 * random.vector(1).x(), 0.5 * random.vector(1).y(), 0.754);
    const Placement a{}, b{place, exp_rotation(tilt) * exp_rotation({0, 0, 3 * random.vector(1).x()})};
    std::vector<FeaturePair> found;
    find_features({&low, a}, {&high, b, Vector3d::Zero(), {10, 0, 0}}, 1e-3, 0.1, found);
    if (found.size() < 4) continue;
    ++patches;
    EXPECT_LT(contradiction(found, low, a, high, b), 1e-14) << trial;  // measured: 1e-15
    // the same points when they have moved on
    const Placement later{place + 1e-3 * random.vector(1), exp_rotation(1e-3 * random.vector(1)) * b.R};
    EXPECT_LT(contradiction(found, low, a, high, later), 1e-14) << trial;
  }
  EXPECT_GT(patches, 100);
}

// A contact is known by the same number whichever of two parallel faces parts the bodies.
TEST(NarrowPhase, PatchesKeepTheirNumbers) {
  const Polytope low = make_box_shape({1, 1, 1}), high = make_box_shape({0.8, 0.9, 0.5});
  std::vector<std::uint32_t> numbers[2];
  for (const double tilt : {-1e-8, 1e-8}) {
    std::vector<FeaturePair> found;
    find_features({&low, {}},
                  {&high, {{0.3, 0.2, 0.75 + 1e-8}, exp_rotation({tilt, tilt, 0}) * exp_rotation({0, 0, 1})}}, 0, 1e-3,
                  found);
    for (const FeaturePair& f : found) numbers[tilt > 0].push_back(number_of(f, low, high));
    std::sort(numbers[tilt > 0].begin(), numbers[tilt > 0].end());
  }
  EXPECT_GE(numbers[0].size(), 4u);
  EXPECT_EQ(numbers[0], numbers[1]);
}

// Features of a body that slides over the joint of two others, flush, do not get caught.
TEST(NarrowPhase, AnEdgeInTheGroundCatchesNothing) {
  const Polytope box = make_box_shape({1, 1, 1});
  const MovingShape tile{&box, {}};
  MovingShape slider{&box, {{-1 - 1e-5, 0, 1}, Matrix3d::Identity()}, {1, 0, 0}};  // comes over the tile in the step
  std::vector<FeaturePair> found;
  find_features(tile, slider, 1e-3, 1e-2, found);
  for (const FeaturePair& f : found) EXPECT_GT(std::abs(feature_gap(f, box, tile.at, box, slider.at).n.z()), 0.99);
}

TEST(NarrowPhase, WhatWouldPassThroughIsSeen) {
  const Polytope wall = make_box_shape({0.01, 1, 1}), ball = make_point_shape(0.02),
                 box = make_box_shape({0.02, 0.02, 0.02});
  for (const Polytope* bullet : {&ball, &box}) {
    const MovingShape A{&wall, {}}, B{bullet, {{-0.3, 0, 0}, Matrix3d::Identity()}, {1000, 0, 0}};
    std::vector<FeaturePair> found;
    find_features(A, B, 1e-3, 1, found);
    ASSERT_FALSE(found.empty());
    for (const FeaturePair& f : found) EXPECT_LT(feature_gap(f, wall, A.at, *bullet, B.at).n.x(), -0.99);
  }
}

TEST(NarrowPhase, RoundShapesAgreeWithTheirDistances) {
  Random random;
  for (int trial = 0; trial < 300; ++trial) {
    const Polytope box = make_box_shape(random.vector(0.3).cwiseAbs() + Vector3d::Constant(0.2));
    const Polytope rod = make_segment_shape({0, 0, -0.3}, {0, 0, 0.3}, 0.1);
    const Placement a = random.placement(0.6), b = random.placement(0.6);
    // sampled along the rod
    Long least = 1e30L;
    for (int k = 0; k <= 2000; ++k) {
      const Vector3d x = a.R.transpose() * (b.x + b.R * Vector3d(0, 0, -0.3 + 0.6 * k / 2000) - a.x);
      least = std::min<Long>(least, distance(box, x).f);
    }
    const double mine = separation(box, a, rod, b);
    if (least > 0) {
      // Half a sample beside the nearest point it is as much farther as the hypotenuse is longer.
      const double sampled = static_cast<double>(least) - 0.1, beside = 0.5 * 0.6 / 2000;
      EXPECT_LE(mine, sampled + 1e-12);
      EXPECT_GE(mine, sampled - beside * beside / (2 * static_cast<double>(least)) - 1e-12);
    }
    EXPECT_NEAR(mine, separation(rod, b, box, a), 1e-13);
  }
}

// Gaps do not jump as bodies move.
TEST(NarrowPhase, SeparationIsContinuous) {
  Random random;
  for (int trial = 0; trial < 60; ++trial) {
    const Polytope A = make_box_shape({0.3, 0.4, 0.5}),
                   B = trial % 2 == 0 ? make_box_shape({0.5, 0.2, 0.3}) : random_hull(random);
    const Placement a = random.placement(0.1), b = random.placement(0.5);
    const Vector3d v = random.vector(1), w = random.vector(3);
    double last = separation(A, a, B, b);
    const double dt = 1e-3, speed = v.norm() + 0.9 * w.norm();
    for (int k = 1; k < 500; ++k) {
      const double now = separation(A, a, B, {b.x + k * dt * v, exp_rotation(k * dt * w) * b.R});
      EXPECT_LE(std::abs(now - last), 1.01 * speed * dt);
      last = now;
    }
  }
}

TEST(BroadPhase, FindsAllPairsAndNoOthers) {
  Random random;
  for (const double spread : {1.0, 8.0}) {
    std::vector<Bounds> boxes;
    for (int k = 0; k < 400; ++k) {
      const Vector3d at = random.vector(spread);
      const double size = std::exp(random(-6, 0.5));
      boxes.push_back({at, at + size * (random.vector(0.5) + Vector3d::Constant(0.6))});
    }
    boxes.push_back({Vector3d::Constant(-1e300) / 1e-10, {1e300 / 1e-10, 1e300 / 1e-10, -0.5}});  // a half space
    std::vector<std::pair<int, int>> brute;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
      for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j)
        if (boxes[static_cast<std::size_t>(i)].overlap(boxes[static_cast<std::size_t>(j)])) brute.emplace_back(i, j);
    BroadPhase broad;
    EXPECT_EQ(broad.pairs(boxes), brute);
    EXPECT_EQ(broad.pairs(boxes), brute);  // and again
    EXPECT_GT(brute.size(), 100u);
  }
}

}  // namespace
}  // namespace ricochet::collision_test
