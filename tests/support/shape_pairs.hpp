#pragma once
// Random pairs of shapes: distances against brute force, symmetric in the two, continuous as they move.
//
// What chance never draws is drawn on purpose: needles and plates, sizes of 1e-6 and 1e6 m, shapes alike, axes shared
// or parallel to 1e-16, faces in one plane, pairs that touch exactly.
#include <algorithm>
#include <array>
#include <cstdint>

#include "support/brute_distance.hpp"

namespace ricochet::test {

constexpr std::array<const char*, 7> kShapeNames{"box", "hull", "piece", "sphere", "capsule", "cylinder", "cone"};
constexpr int kShapes = static_cast<int>(kShapeNames.size());

struct ShapePair {
  Polytope A, B;
  Placement a, b;
  double unit = 1;  ///< of lengths
  double thin = 1;  ///< least width of the two
};

/// The pair number `index` of two kinds.
ShapePair draw_pair(int i, int j, std::uint64_t seed, std::uint64_t index);

struct PairErrors {
  double distance = 0;   ///< against brute force, of what is apart
  double depth = 0;      ///< likewise of what overlaps by less than a hundredth of the thinner one
  double asymmetry = 0;  ///< A and B exchanged
  double jump = 0;       ///< beyond what the motion allows
  std::int64_t apart = 0, overlapping = 0;
  std::int64_t wrong = 0;     ///< apart for the one, overlapping for the other
  std::int64_t unjudged = 0;  ///< brute force has not come close enough
  bool holds(double tolerance) const {
    return distance <= tolerance && asymmetry <= tolerance && jump <= tolerance && wrong == 0;
  }
  void add(const PairErrors& e) {
    distance = std::max(distance, e.distance), depth = std::max(depth, e.depth);
    asymmetry = std::max(asymmetry, e.asymmetry), jump = std::max(jump, e.jump);
    apart += e.apart, overlapping += e.overlapping, wrong += e.wrong, unjudged += e.unjudged;
  }
};

/// A short way of B past A, a thousandth of a second for each k.
struct ShortWay {
  static constexpr double kTime = 1e-3;
  Vector3d v, w;
  ShortWay(double unit, std::uint64_t seed, std::uint64_t index);
  Placement at(const Placement& b, int k) const;
  double most(const Polytope& B) const { return (v.norm() + w.norm() * B.bound) * kTime; }
};

/// One pair of the kinds i and j, and a short way of B past A.
PairErrors judge_pair(int i, int j, std::uint64_t seed, std::uint64_t index);

}  // namespace ricochet::test
