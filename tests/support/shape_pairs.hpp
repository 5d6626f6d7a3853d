#pragma once
// Random pairs of shapes: distances against brute force, symmetric in the two, continuous as they move.
#include <cmath>
#include <random>
#include <string>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"
#include "support/brute_distance.hpp"

namespace ricochet::test {

constexpr std::array<const char*, 7> kShapeNames{"box", "hull", "piece", "sphere", "capsule", "cylinder", "cone"};
constexpr int kShapes = static_cast<int>(kShapeNames.size());

class RandomShapes {
 public:
  explicit RandomShapes(std::uint64_t seed) : engine_(seed) {}
  double number(double low, double high) {  // the same everywhere, unlike the library's distributions
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Placement placement(double size) {
    const Vector3d x = vector(size);
    return {x, exp_rotation(vector(3))};
  }
  Polytope shape(int kind) {
    switch (kind) {
      case 0: return make_box_shape(vector(0.4).cwiseAbs() + Vector3d::Constant(0.1));
      case 1: {
        std::vector<Vector3d> points;
        for (int k = 0; k < 9; ++k) points.push_back(vector(0.5));
        return make_hull(points);
      }
      case 2: {
        const Vector3d a = vector(0.5), b = vector(0.5), c = vector(0.5), n = (b - a).cross(c - a);
        return make_tetrahedron(a, b, c, (a + b + c) / 3 - 0.1 * n.normalized());
      }
      case 3: return make_point_shape(number(0.1, 0.4));
      case 4: return make_segment_shape({0, 0, -0.3}, {0, 0, 0.3}, number(0.05, 0.3));
      case 5: {
        const double r = number(0.05, 0.4), half = number(0.05, 0.4);
        return make_revolved(r, -half, r, half);
      }
      default: return make_revolved(number(0.05, 0.4), 0, 0, number(0.1, 0.6));
    }
  }

 private:
  std::mt19937_64 engine_;
};

struct PairErrors {
  double distance = 0;                        ///< against brute force, of what is apart and has a distance
  double asymmetry = 0;                       ///< A and B exchanged
  double jump = 0;                            ///< beyond what the motion allows
  int apart = 0, overlapping = 0, wrong = 0;  ///< wrong: apart for the one, overlapping for the other
  bool holds(double tolerance) const {
    return distance <= tolerance && asymmetry <= tolerance && jump <= tolerance && wrong == 0;
  }
};

/// B where it is nearly in touch with A, apart or overlapping by little, often nearly along one of A's axes: there
/// features take turns.
inline Placement nearly_touching(const Polytope& A, const Placement& a, const Polytope& B, Placement b,
                                 RandomShapes& random) {
  if (random.number(0, 1) < 0.5) {
    constexpr double kQuarter = 1.5707963267948966;
    const double tilt = elementary::pow(10, random.number(-9, -0.5));
    const Vector3d quarters(std::floor(random.number(0, 4)), std::floor(random.number(0, 4)), 0);
    b.R = exp_rotation(random.vector(tilt)) * a.R * exp_rotation({kQuarter * quarters.x(), 0, 0}) *
          exp_rotation({0, kQuarter * quarters.y(), 0});
  }
  const Vector3d way = (b.x - a.x).normalized();
  const double wanted = random.number(-0.002, 0.01) * std::min(A.size, B.size);
  double low = 0, high = A.bound + B.bound + 0.1;
  for (int k = 0; k < 30; ++k) {
    const double middle = 0.5 * (low + high);
    b.x = a.x + middle * way;
    (separation(A, a, B, b) > wanted ? high : low) = middle;
  }
  b.x = a.x + high * way;
  return b;
}

/// One pair of the kinds i and j, every other one nearly in touch, and a short way of B past A.
inline void judge_pair(int i, int j, RandomShapes& random, PairErrors& out) {
  const Polytope A = random.shape(i), B = random.shape(j);
  const Placement a = random.placement(0.6), drawn = random.placement(0.6);
  const Placement b = random.number(0, 1) < 0.5 ? drawn : nearly_touching(A, a, B, drawn, random);
  const double mine = separation(A, a, B, b), size = std::min(A.size, B.size);
  out.asymmetry = std::max(out.asymmetry, std::abs(mine - separation(B, b, A, a)) / size);
  const Bracket brute = brute_distance(A, a, B, b);
  const double r = A.radius + B.radius, true_one = static_cast<double>(brute.high) - r;
  if (brute.low > 1e-9L && brute.high - brute.low < 1e-12L) {
    // Polytopes are apart along an axis, which bounds their distance from below; all others have a distance.
    const bool axis = i < 3 && j < 3;
    const double error = axis ? std::max(0.0, mine - true_one) : std::abs(mine - true_one);
    out.distance = std::max(out.distance, error / size);
    if (std::abs(true_one) > 1e-9 && (mine > 0) != (true_one > 0)) ++out.wrong;
    ++(true_one > 0 ? out.apart : out.overlapping);
  } else if (brute.low < 0) {
    if (mine > 1e-9) ++out.wrong;
    ++out.overlapping;
  }
  const Vector3d v = random.vector(1), w = random.vector(2);
  const double dt = 1e-3, fastest = (v.norm() + w.norm() * B.bound) * dt;
  double last = mine;
  for (int k = 1; k <= 4; ++k) {
    const double now = separation(A, a, B, {b.x + k * dt * v, exp_rotation(k * dt * w) * b.R});
    // What is deep in each other is parted the nearest way, which may change; so may the axis of polytopes apart.
    const bool near = std::min(now, last) > -0.01 * size && (i > 2 || j > 2 || std::max(now, last) < 0.01 * size);
    if (near) out.jump = std::max(out.jump, (std::abs(now - last) - fastest) / size);
    last = now;
  }
}

}  // namespace ricochet::test
