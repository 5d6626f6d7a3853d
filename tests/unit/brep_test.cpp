// Curves, surfaces and faces of parts: derivatives against differences, distances and gaps against brute force in long
// double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "ricochet/geometry/brep/gap.hpp"
#include "ricochet/io/cad/brep_text.hpp"
#include "support/exact_brep.hpp"

namespace ricochet::brep::brep_test {
namespace {

constexpr double kPi = std::numbers::pi;

// A part with a face of each kind. Axes are turned, one of them is left-handed.
const Part& part() {
  static const Part p = parse_brep(R"(ricochet-brep 1
part all
vertex 1 0 0 0
edge 1 0 6.283185307179586 1 1 circle 0.1 0 0 1 0 0 0 1 0 0 0 1 0.5
edge 2 0 6.283185307179586 0 0 ellipse 0.1 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 1 0.5 0.3
edge 3 0 1 0 0 spline 3 5 1 0 0 0 0 0.4 1 1 1 1  0 0 0 1  0.2 0.3 0 2  0.5 -0.1 0.2 0.5  0.8 0.2 0.1 1  1 0 0 1
edge 4 -0.5 0.7 0 0 line 0.1 0.2 0.3 0.6 0 0.8
face 1 plane out plane 0.1 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 1
loop
side 1 + circle 0 0 1 0 0 1 0.5
face 2 cylinder out cylinder 0 0 0.1 0.6 0.8 0 -0.8 0.6 0 0 0 1 0.5
loop
side 1 + line 0 -0.6 1 0
loop
side 1 + line 0 0.5 1 0
face 3 bore in cylinder 0 0.2 0 1 0 0 0 1 0 0 0 1 0.5
face 4 cone out cone 0 0 0 1 0 0 0 0 1 0 1 0 0.5 0.4
face 5 sphere out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.5
face 6 torus out torus 0 0 0 1 0 0 0 0 1 0 -1 0 0.5 0.2
face 7 extrusion out extrusion 0 0 1 spline 3 4 0 0 0 0 0 1 1 1 1  0 0 0  0.3 0.4 0  0.6 0.4 0  1 0 0
loop
side 3 + line 0 -0.5 1 0
side 3 - line 0 0.5 1 0
face 8 revolution out revolution 0 0 0 0 0 1 spline 2 3 0 0 0 0 1 1 1  0.5 0 -0.5  0.8 0 0  0.5 0 0.5
face 9 spline out spline 3 2 4 3 1 0 0 0 0 1 1 1 1 0 0 0 1 1 1  0 0 0 1 0 0.5 0.1 1 0 1 0 1  0.3 0 0.1 1 0.3 0.5 0.4 2 0.3 1 0.1 1  0.7 0 0.1 1 0.7 0.5 0.3 1 0.7 1 0.1 1  1 0 0 1 1 0.5 0.1 1 1 1 0 1
end
)",
                                   "all.brep", BrepFit::any);
  return p;
}
FaceShape face(const std::string& name) {
  for (std::size_t k = 0; k < part().faces.size(); ++k)
    if (part().faces[k].name == name) return {part(), k};
  ADD_FAILURE() << name;
  return {part(), 0};
}

TEST(Brep, DerivativesAreThoseOfThePoints) {
  const double h = 1e-6;
  for (const Edge& e : part().edges)
    for (const double part : {0.1, 0.37, 0.9}) {
      const double t = e.from + part * (e.to - e.from);
      const CurvePoint c = evaluate(e.curve, t), a = evaluate(e.curve, t - h), b = evaluate(e.curve, t + h);
      EXPECT_LT((c.t - (b.p - a.p) / (2 * h)).norm(), 2e-9);   // 3e-10
      EXPECT_LT((c.tt - (b.t - a.t) / (2 * h)).norm(), 2e-8);  // 3e-9
    }
  for (const Face& f : part().faces)
    for (const auto& [u, v] : {std::pair(0.2, 0.3), std::pair(0.9, 0.7), std::pair(0.5, 0.05)}) {
      const Surface& S = f.surface;
      const SurfacePoint c = evaluate(S, u, v);
      const SurfacePoint a = evaluate(S, u - h, v), b = evaluate(S, u + h, v);
      const SurfacePoint d = evaluate(S, u, v - h), e = evaluate(S, u, v + h);
      EXPECT_LT((c.u - (b.p - a.p) / (2 * h)).norm(), 2e-8) << f.name;
      EXPECT_LT((c.v - (e.p - d.p) / (2 * h)).norm(), 2e-8) << f.name;
      EXPECT_LT((c.uu - (b.u - a.u) / (2 * h)).norm(), 2e-8) << f.name;
      EXPECT_LT((c.uv - (b.v - a.v) / (2 * h)).norm(), 2e-8) << f.name;
      EXPECT_LT((c.vv - (e.v - d.v) / (2 * h)).norm(), 2e-8) << f.name;
    }
}

// ---- the same geometry in long double

using test::Real;
using Vector3 = test::RealVector;

/// The least of f about (u, v), by grids that close in.
Real least(const std::function<Real(Real, Real)>& f, Real& u, Real& v, Real du, Real dv) {
  Real best = f(u, v);
  for (int round = 0; round < 36; ++round) {
    const Real u0 = u, v0 = v;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        if (const Real x = f(u0 + i * du, v0 + j * dv); x < best) best = x, u = u0 + i * du, v = v0 + j * dv;
    du /= 2, dv /= 2;
  }
  return best;
}

/// Distance from a surface, unsigned, near a known foot.
Real brute(const Surface& s, const Vector3& x, const Vector2d& foot) {
  Real u = foot[0] + 0.01L, v = foot[1] - 0.02L;  // not the answer itself
  return std::sqrt(
      least([&](Real a, Real b) { return (test::exact_point(s, a, b) - x).squaredNorm(); }, u, v, 0.02L, 0.02L));
}

TEST(Brep, DistancesAreThoseOfBruteForce) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  double worst = 0, bend = 0;
  for (const char* name :
       {"plane", "cylinder", "bore", "cone", "sphere", "torus", "extrusion", "revolution", "spline"}) {
    const FaceShape f = face(name);
    for (int k = 0; k < 4; ++k) {
      // from a point of the surface along its normal
      const double u = f.elementary() ? 6 * uniform(random) : 0.15 + 0.7 * uniform(random),
                   v = f.elementary() ? uniform(random) - 0.5 : 0.15 + 0.7 * uniform(random);
      const SurfacePoint s = evaluate(f.surface(), u, v);
      const double away = 0.05 * (uniform(random) - 0.5);
      const Vector3d n = f.sign() * s.u.cross(s.v).normalized(), x = s.p + away * n;
      Vector2d foot;
      const Distance d = f.distance(x, foot);
      EXPECT_NEAR(d.f, away, 1e-14) << name;
      EXPECT_LT((d.gradient - n).norm(), 1e-12) << name;
      worst = std::max(worst, static_cast<double>(std::abs(brute(f.surface(), x.cast<Real>(), foot) - std::abs(d.f))));
      for (int c = 0; c < 3; ++c) {
        const double h = 1e-5;
        Vector2d a, b;
        const Vector3d e = h * Vector3d::Unit(c);
        const Vector3d slope = (f.distance(x + e, a).gradient - f.distance(x - e, b).gradient) / (2 * h);
        bend = std::max(bend, (slope - d.hessian.col(c)).norm());
      }
    }
  }
  EXPECT_LT(worst, 5e-15);  // 7e-16
  EXPECT_LT(bend, 1e-7);    // 5e-9
}

TEST(Brep, TrimsEndWhereTheirEdgesAre) {
  const FaceShape f = face("plane");  // a disc of radius 1/2
  for (int k = 0; k < 100; ++k) {
    const double a = 0.1 + 0.0628 * k, r = 0.5;
    EXPECT_TRUE(f.holds(Vector2d((r - 1e-13) * std::cos(a), (r - 1e-13) * std::sin(a)))) << k;
    EXPECT_FALSE(f.holds(Vector2d((r + 1e-13) * std::cos(a), (r + 1e-13) * std::sin(a)))) << k;
  }
  const FaceShape g = face("extrusion");
  EXPECT_TRUE(g.holds(Vector2d(0.5, 0.49)));
  EXPECT_FALSE(g.holds(Vector2d(0.5, 0.51)));
  EXPECT_FALSE(g.holds(Vector2d(0.5, -0.51)));
  EXPECT_TRUE(face("torus").holds(Vector2d(17, -30)));
  // all round, whatever rounding does at the seam
  for (const double u : {0.0, -1e-17, 1e-17, 2 * kPi, -2 * kPi, 2 * kPi + 1e-15}) {
    EXPECT_TRUE(face("cylinder").holds(Vector2d(u, 0.2))) << u;
    EXPECT_FALSE(face("cylinder").holds(Vector2d(u, 0.6))) << u;
  }
}

// The ball of a part that was read: ends of its seams and its pole are known to some twelve digits, and differently
// from each edge. The face goes on through all of it.
TEST(Brep, SeamsAndPolesBelongToTheirFace) {
  const Part ball = parse_brep(R"(ricochet-brep 1
part ball
vertex 1 0 0 0.002
vertex 2 0.0012 0 -0.0016
edge 1 1.5707963267949 7.85398163397448 2 2 circle 0 0 -0.0016 0 -1 0 1 0 0 0 0 1 0.0012
edge 2 5.35589008917797 7.85398163397448 2 1 circle 0 0 0 1 -2.449293598295e-16 0 0 0 1 -2.449293598295e-16 -1 0 0.002
face 1 cap out sphere 0 0 0 1 0 0 0 1 0 0 0 1 0.002
loop
side 2 + line 6.28318530717959 -6.28318530717959 0 1
side 2 - line 4.13891143580258e-13 -6.28318530717959 0 1
side 1 + line -1.570796326795 -0.927295218002 1 0
end
)",
                               "ball.brep");
  const FaceShape cap(ball, 0);
  for (const double v : {kPi / 2, kPi / 2 - 1e-15, kPi / 2 - 1e-12, 1.0, -0.92}) {
    for (const double u : {0.0, 1e-17, -1e-17, 1e-14, -1e-14, 3e-13, -3e-13, 2 * kPi, kPi})
      EXPECT_TRUE(cap.holds(Vector2d(u, v))) << u << ", " << v;
  }
  for (const double u : {0.0, -1e-14, 3e-13, kPi}) EXPECT_FALSE(cap.holds(Vector2d(u, -0.93))) << u;
}
// Loops that go round begin where they like.
TEST(Brep, LoopsThatGoRoundBeginAnywhere) {
  const Part pin = parse_brep(R"(ricochet-brep 1
part pin
edge 1 0 6.283185307179586 0 0 circle 0 0 -1 1 0 0 0 1 0 0 0 1 0.5
edge 2 0 6.283185307179586 0 0 circle 0 0 1 1 0 0 0 1 0 0 0 1 0.5
face 1 side out cylinder 0 0 0 1 0 0 0 1 0 0 0 1 0.5
loop
side 1 + line -1.5707963267949 -1 1 0
loop
side 2 - line 0 1 1 0
end
)",
                              "pin.brep", BrepFit::any);
  const FaceShape side(pin, 0);
  for (int k = 0; k < 64; ++k) {
    const double u = -7 + 0.22 * k;
    EXPECT_TRUE(side.holds(Vector2d(u, 0.9))) << u;
    EXPECT_FALSE(side.holds(Vector2d(u, -1.1))) << u;
    EXPECT_FALSE(side.holds(Vector2d(u, 1.1))) << u;
  }
}

// A ball that rolls over the edge of a disc: its distance and the gradient go on.
TEST(Brep, FeetThatLeaveAFaceGoOnAlongItsEdge) {
  const FaceShape f = face("plane");
  const Vector3d o(0.1, 0, 0), along = Vector3d(1, 0.3, 0).normalized();
  double before = 0;
  Vector3d n = Vector3d::UnitZ();
  for (int k = 0; k <= 200; ++k) {
    const double s = 0.45 + 0.0005 * k;
    const Distance d = f.bounded(o + s * along + 0.1 * Vector3d::UnitZ());
    EXPECT_NEAR(d.f, s < 0.5 ? 0.1 : std::hypot(0.1, s - 0.5), 1e-15);
    EXPECT_LT((d.gradient - n).norm(), k == 0 ? 1e-15 : 0.006);  // 0.0005/0.1 per place: no jump
    if (s > 0.5) {
      EXPECT_GT(d.f, before);
    }
    before = d.f;
    n = d.gradient;
  }
}

Rider edge_rider(int k, double radius) {
  Rider r;
  r.kind = Rider::Kind::edge;
  r.edge = std::make_shared<EdgeShape>(part().edges[static_cast<std::size_t>(k)]);
  r.radius = radius;
  return r;
}

TEST(Brep, GapsAreThoseOfBruteForce) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&] { return Vector3d(uniform(random), uniform(random), uniform(random)); };
  double worst = 0;
  int compared = 0;
  for (const char* name : {"plane", "cylinder", "cone", "sphere", "torus", "spline"}) {
    const FaceShape base = face(name);
    // of riders of each kind, near the base: at a point of it, turned at random
    for (const int kind : {0, 1, 2, 9})
      for (int k = 0; k < 2; ++k) {
        Rider rider;
        if (kind == 9) {
          rider.kind = Rider::Kind::face;
          rider.face = std::make_shared<FaceShape>(face("revolution"));
        } else {
          rider = edge_rider(kind, 0);
        }
        const SurfacePoint s = evaluate(base.surface(), 0.5, 0.5);
        const Vector3d n = base.sign() * s.u.cross(s.v).normalized();
        const Placement at{s.p + (0.8 + 0.02 * uniform(random)) * n, exp_rotation(2 * draw())};
        const Vector2d start = search(base, rider, at);
        const GapPoint g = gap(base, rider, at, start);
        const auto f = [&](Real u, Real v) {
          Vector3 y;
          if (kind == 9) {
            y = test::exact_point(rider.face->surface(), u, v);
          } else {
            y = test::exact_point(rider.edge->curve(), u);
          }
          y = at.x.cast<Real>() + at.R.cast<Real>() * y;
          return brute(base.surface(), y, g.foot);
        };
        if (!(g.base.f > 0.01) || (base.surface().kind == SurfaceKind::spline && !base.holds(g.foot))) continue;
        const Real here = f(g.at[0], g.at[1]);
        // the value, and that nothing about is less
        worst = std::max(worst, static_cast<double>(std::abs(here - g.base.f)));
        for (int i = 0; i < g.free; ++i) {
          EXPECT_NEAR(g.base.gradient.dot(g.t[i]), 0, 1e-13) << name << ' ' << kind;
          for (const double aside : {1e-3, -1e-3}) {
            const Vector3d y =
                kind == 9
                    ? evaluate(rider.face->surface(), g.at[0] + (i == 0 ? aside : 0), g.at[1] + (i == 1 ? aside : 0)).p
                    : evaluate(rider.edge->curve(), rider.edge->within(g.at[0] + aside)).p;
            Vector2d foot = g.foot;
            EXPECT_GT(base.distance_from(at.x + at.R * y, foot).f, g.base.f) << name << ' ' << kind;
          }
        }
        ++compared;
      }
  }
  EXPECT_GT(compared, 25);
  EXPECT_LT(worst, 1e-14);
}

}  // namespace
}  // namespace ricochet::brep::brep_test
