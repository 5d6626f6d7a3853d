#include "ricochet/geometry/brep/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet::brep {
namespace {

constexpr int kMostDegree = 25;

/// The basis functions that do not vanish at t, with their derivatives. Of the functions B of degree q those of degree
/// q + 1 and their derivatives come with the same quotients B/(x' - x), which are made once.
struct Basis {
  int first = 0;  // pole of the first one
  int count = 1;
  double N[3][kMostDegree + 1];

  Basis(const Knots& k, double t) : count(k.degree + 1) {
    const int p = k.degree, span = span_of(k, t);
    const double* x = k.knots.data() + span;
    first = span - p;
    double per[kMostDegree], parts[2][kMostDegree];  // 1/(x' - x) of the last degree; quotients of the last two
    parts[0][0] = parts[1][0] = 0;                   // of degree 0
    double* B = N[0];
    B[0] = 1;
    for (int q = 0; q < p; ++q) {
      double* part = parts[q % 2];
      double saved = 0;
      for (int r = 0; r <= q; ++r) {  // to degree q + 1
        const double right = x[r + 1], left = x[r - q];
        per[r] = 1 / (right - left);
        part[r] = B[r] * per[r];
        B[r] = saved + (right - t) * part[r];
        saved = (t - left) * part[r];
      }
      B[q + 1] = saved;
    }
    differences(parts[(p + 1) % 2], p, N[1]);
    if (p < 2) {
      std::fill(N[2], N[2] + count, 0.0);
      return;
    }
    double D[kMostDegree];
    differences(parts[p % 2], p - 1, D);
    for (int r = 0; r < p; ++r) D[r] *= per[r];
    differences(D, p, N[2]);
  }

 private:
  /// The last span whose beginning is not above t, among those that span something.
  static int span_of(const Knots& k, double t) {
    const double* x = k.knots.data();
    int span = static_cast<int>(std::upper_bound(x + k.degree, x + k.poles(), t) - x) - 1;
    span = std::max(span, k.degree);
    while (span > k.degree && x[span] == x[span + 1]) --span;
    while (x[span] == x[span + 1]) ++span;
    return span;
  }
  /// Derivatives of the q + 1 functions of degree q from the quotients of those (or their derivatives) of degree q - 1.
  static void differences(const double* part, int q, double* out) {
    out[0] = -q * part[0];
    for (int r = 1; r < q; ++r) out[r] = q * (part[r - 1] - part[r]);
    out[q] = q * part[q - 1];
  }
};

template <class Vector>
struct Jet {
  Vector p, t, tt;
};

/// Of a spline of any dimension.
template <class Vector>
Jet<Vector> spline(const Knots& knots, const std::vector<Vector>& poles, const std::vector<double>& weights, double t) {
  const Basis b(knots, t);
  Vector sum[3] = {Vector::Zero(), Vector::Zero(), Vector::Zero()};
  double w[3] = {};
  for (int r = 0; r < b.count; ++r) {
    const auto k = static_cast<std::size_t>(b.first + r);
    const double weight = weights.empty() ? 1 : weights[k];
    for (int d = 0; d < 3; ++d) {
      sum[d] += b.N[d][r] * weight * poles[k];
      w[d] += b.N[d][r] * weight;
    }
  }
  if (weights.empty()) return {sum[0], sum[1], sum[2]};
  const Vector p = sum[0] / w[0], p1 = (sum[1] - w[1] * p) / w[0];
  return {p, p1, (sum[2] - 2 * w[1] * p1 - w[2] * p) / w[0]};
}

/// Sums over poles, or over poles times weights and the weights themselves as the fourth component.
template <class Vector, class Pole>
std::array<Vector, 6> sums(const Surface& s, double u, double v, Pole&& pole) {
  const Basis bu(s.u, u), bv(s.v, v);
  std::array<Vector, 6> out;
  out.fill(Vector::Zero());
  for (int i = 0; i < bu.count; ++i) {
    Vector row[3] = {Vector::Zero(), Vector::Zero(), Vector::Zero()};
    const std::size_t at = static_cast<std::size_t>(bu.first + i) * static_cast<std::size_t>(s.v.poles()) +
                           static_cast<std::size_t>(bv.first);
    for (int j = 0; j < bv.count; ++j) {
      const Vector& p = pole(at + static_cast<std::size_t>(j));
      for (int d = 0; d < 3; ++d) row[d] += bv.N[d][j] * p;
    }
    constexpr int kOrders[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    for (std::size_t m = 0; m < 6; ++m) out[m] += bu.N[kOrders[m][0]][i] * row[kOrders[m][1]];
  }
  return out;
}

SurfacePoint spline(const Surface& s, double u, double v) {
  if (s.weights.empty()) {
    const auto sum = sums<Vector3d>(s, u, v, [&](std::size_t k) -> const Vector3d& { return s.poles[k]; });
    return {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
  }
  const auto sum = sums<Eigen::Vector4d>(s, u, v, [&](std::size_t k) -> Eigen::Vector4d {
    return (Eigen::Vector4d() << s.weights[k] * s.poles[k], s.weights[k]).finished();
  });
  const auto p = [&](std::size_t m) { return sum[m].head<3>(); };
  const auto w = [&](std::size_t m) { return sum[m][3]; };
  SurfacePoint out;
  out.p = p(0) / w(0);
  out.u = (p(1) - w(1) * out.p) / w(0);
  out.v = (p(2) - w(2) * out.p) / w(0);
  out.uu = (p(3) - 2 * w(1) * out.u - w(3) * out.p) / w(0);
  out.uv = (p(4) - w(1) * out.v - w(2) * out.u - w(4) * out.p) / w(0);
  out.vv = (p(5) - 2 * w(2) * out.v - w(5) * out.p) / w(0);
  return out;
}

/// x turned by an angle with cosine c and sine s about the unit vector z.
Vector3d turned(const Vector3d& x, const Vector3d& z, double c, double s) {
  const Vector3d along = z * z.dot(x);
  return along + c * (x - along) + s * z.cross(x);
}

}  // namespace

CurvePoint evaluate(const Curve& c, double t) {
  if (c.kind == CurveKind::line) return {c.axes.o + t * c.axes.z, c.axes.z, Vector3d::Zero()};
  if (c.kind == CurveKind::spline) {
    const Jet<Vector3d> j = spline(c.t, c.poles, c.weights, t);
    return {j.p, j.t, j.tt};
  }
  const double b = c.kind == CurveKind::ellipse ? c.b : c.a, C = elementary::cos(t), S = elementary::sin(t);
  const Vector3d arm = c.a * C * c.axes.x + b * S * c.axes.y;
  return {c.axes.o + arm, b * C * c.axes.y - c.a * S * c.axes.x, -arm};
}

std::array<Vector2d, 2> evaluate(const Curve2& c, double t) {
  if (c.kind == CurveKind::line) return {Vector2d(c.o + t * c.x), c.x};
  if (c.kind == CurveKind::spline) {
    const Jet<Vector2d> j = spline(c.t, c.poles, c.weights, t);
    return {j.p, j.t};
  }
  const double b = c.kind == CurveKind::ellipse ? c.b : c.a, C = elementary::cos(t), S = elementary::sin(t);
  return {Vector2d(c.o + c.a * C * c.x + b * S * c.y), Vector2d(b * C * c.y - c.a * S * c.x)};
}

SurfacePoint evaluate(const Surface& s, double u, double v) {
  const Axes& e = s.axes;
  const Vector3d none = Vector3d::Zero();
  switch (s.kind) {
    case SurfaceKind::plane: return {e.o + u * e.x + v * e.y, e.x, e.y, none, none, none};
    case SurfaceKind::extrusion: {
      const CurvePoint c = evaluate(s.curve, u);
      return {c.p + v * e.z, c.t, e.z, c.tt, none, none};
    }
    case SurfaceKind::revolution: {
      const CurvePoint c = evaluate(s.curve, v);
      const double C = elementary::cos(u), S = elementary::sin(u);
      const Vector3d arm = turned(c.p - e.o, e.z, C, S), along = turned(c.t, e.z, C, S);
      const Vector3d round = e.z.cross(arm);
      return {e.o + arm, round, along, e.z.cross(round), e.z.cross(along), turned(c.tt, e.z, C, S)};
    }
    case SurfaceKind::spline: return spline(s, u, v);
    default: break;
  }
  const double C = elementary::cos(u), S = elementary::sin(u);
  const Vector3d out = C * e.x + S * e.y, round = C * e.y - S * e.x;
  switch (s.kind) {
    case SurfaceKind::cylinder: return {e.o + s.a * out + v * e.z, s.a * round, e.z, -s.a * out, none, none};
    case SurfaceKind::cone: {
      const double sin = elementary::sin(s.b), cos = elementary::cos(s.b), r = s.a + v * sin;
      return {e.o + r * out + v * cos * e.z, r * round, sin * out + cos * e.z, -r * out, sin * round, none};
    }
    default: {  // sphere: a torus whose great radius is zero
      const bool sphere = s.kind == SurfaceKind::sphere;
      const double cos = elementary::cos(v), sin = elementary::sin(v), small = sphere ? s.a : s.b;
      const double r = (sphere ? 0 : s.a) + small * cos;
      const Vector3d along = small * (cos * e.z - sin * out);
      return {e.o + r * out + small * sin * e.z, r * round, along, -r * out, -small * sin * round,
              -small * (cos * out + sin * e.z)};
    }
  }
}

}  // namespace ricochet::brep
