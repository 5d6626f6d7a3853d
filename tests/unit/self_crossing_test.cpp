#include "ricochet/geometry/self_crossing.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ricochet {
namespace {

// Four corners, looking outwards.
TriangleMesh tetrahedron(const Vector3d& at, double size = 1) {
  TriangleMesh out;
  out.points = {at, at + size * Vector3d::UnitX(), at + size * Vector3d::UnitY(), at + size * Vector3d::UnitZ()};
  out.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return out;
}

TriangleMesh together(TriangleMesh a, const TriangleMesh& b) {
  const int first = static_cast<int>(a.points.size());
  a.points.insert(a.points.end(), b.points.begin(), b.points.end());
  for (const auto& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

// A ball of 8 n^2 triangles.
TriangleMesh ball(int n) {
  TriangleMesh out;
  for (int octant = 0; octant < 8; ++octant) {
    const Vector3d x = Vector3d::UnitX() * (octant & 1 ? -1 : 1), y = Vector3d::UnitY() * (octant & 2 ? -1 : 1),
                   z = Vector3d::UnitZ() * (octant & 4 ? -1 : 1);
    const int first = static_cast<int>(out.points.size());
    const auto index = [&](int i, int j) { return first + i * (n + 1) - i * (i - 1) / 2 + j; };
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) out.points.push_back((i * x + j * y + (n - i - j) * z).normalized());
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        out.triangles.push_back({index(i, j), index(i + 1, j), index(i, j + 1)});
        if (i + j + 1 < n) out.triangles.push_back({index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)});
      }
  }
  repair(out);
  return out;
}

// The same scene turned, scaled and moved.
template <class Check>
void everywhere(const TriangleMesh& mesh, Check check) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1, 1);
  for (const double scale : {1e-6, 1.0, 1e6})
    for (const double far : {0.0, 1e3}) {
      const Quaterniond turn = Quaterniond(part(random), part(random), part(random), part(random)).normalized();
      TriangleMesh moved = mesh;
      for (Vector3d& x : moved.points) x = scale * (turn * x + far * Vector3d::Ones());
      check(self_crossing(moved), scale * (1 + far));
    }
}

TEST(SelfCrossing, WhatPassesThroughItselfIsFound) {
  const auto found = [](const std::optional<Vector3d>& at, double size) {
    ASSERT_TRUE(at);
    EXPECT_LT(at->norm(), 3 * size);
  };
  everywhere(together(tetrahedron({0, 0, 0}), tetrahedron({0.1, 0.1, -0.5})), found);
  everywhere(together(tetrahedron({0, 0, 0}), tetrahedron({0.25, 0.2, 0.3}, 5)), found);
  TriangleMesh dented = ball(12);  // a corner pushed out on the other side
  dented.points[5] *= -1.5;
  everywhere(dented, found);
  everywhere(together(ball(10), tetrahedron({0.9, 0, 0}, 0.4)), found);
}

TEST(SelfCrossing, WhatOnlyTouchesIsNot) {
  const auto nothing = [](const std::optional<Vector3d>& at, double) { EXPECT_FALSE(at); };
  everywhere(tetrahedron({0, 0, 0}), nothing);
  everywhere(ball(16), nothing);
  everywhere(together(tetrahedron({0, 0, 0}), tetrahedron({1.01, 0, 0})), nothing);
  everywhere(together(ball(8), tetrahedron({-0.1, -0.1, -0.1}, 0.4)), nothing);  // one within the other
  const auto bits = together(tetrahedron({0, 0, 0}), tetrahedron({1, 0, 0}));    // a corner in common
  EXPECT_FALSE(self_crossing(bits));
  EXPECT_FALSE(self_crossing(together(tetrahedron({0, 0, 0}), tetrahedron({0, 0, 0}))));  // face on face
  EXPECT_FALSE(self_crossing({}));
}

}  // namespace
}  // namespace ricochet
