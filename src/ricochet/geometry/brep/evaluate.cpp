#include "ricochet/geometry/brep/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet::brep {
namespace {

constexpr int kMostDegree = 25;

/// The basis functions that do not vanish at t, with their derivatives.
struct Basis {
  int first = 0;  // pole of the first one
  int count = 1;
  double N[3][kMostDegree + 1];

  Basis(const Knots& k, double t) : count(k.degree + 1) {
    const int p = k.degree;
    const double* x = k.knots.data();
    // the last span whose beginning is not above t, among those that span something
    const double* begin = x + p;
    const double* end = x + k.poles();
    int span = static_cast<int>(std::upper_bound(begin, end, t) - x) - 1;
    span = std::max(span, p);
    while (span > p && x[span] == x[span + 1]) --span;
    while (x[span] == x[span + 1]) ++span;
    first = span - p;
    // lower[q]: those of degree p - q
    double B[kMostDegree + 1] = {1}, lower[3][kMostDegree + 1] = {};
    for (int q = 0;; ++q) {
      if (q >= p - 2) std::copy(B, B + q + 1, lower[p - q]);
      if (q == p) break;
      double saved = 0;
      for (int r = 0; r <= q; ++r) {  // to degree q + 1
        const double right = x[span + r + 1], left = x[span + r - q];
        const double part = B[r] / (right - left);
        B[r] = saved + (right - t) * part;
        saved = (t - left) * part;
      }
      B[q + 1] = saved;
    }
    std::copy(lower[0], lower[0] + count, N[0]);
    raise(x, span, p, lower[1], N[1]);
    if (p < 2) {
      std::fill(N[2], N[2] + count, 0.0);
      return;
    }
    double D[kMostDegree + 1];
    raise(x, span, p - 1, lower[2], D);
    raise(x, span, p, D, N[2]);
  }

 private:
  /// Derivatives of functions of degree q from (derivatives of) those of degree q - 1.
  static void raise(const double* x, int span, int q, const double* lower, double* out) {
    for (int r = 0; r <= q; ++r) {  // function span - q + r
      const int i = span - q + r;
      out[r] = 0;
      if (r > 0) out[r] += q * lower[r - 1] / (x[i + q] - x[i]);
      if (r < q) out[r] -= q * lower[r] / (x[i + q + 1] - x[i + 1]);
    }
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

SurfacePoint spline(const Surface& s, double u, double v) {
  const Basis bu(s.u, u), bv(s.v, v);
  constexpr int kOrders[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
  Vector3d sum[6];
  double w[6] = {};
  for (Vector3d& x : sum) x.setZero();
  for (int i = 0; i < bu.count; ++i) {
    Vector3d row[3] = {Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
    double weigh[3] = {};
    const std::size_t at = static_cast<std::size_t>(bu.first + i) * static_cast<std::size_t>(s.v.poles()) +
                           static_cast<std::size_t>(bv.first);
    for (int j = 0; j < bv.count; ++j) {
      const std::size_t k = at + static_cast<std::size_t>(j);
      const double weight = s.weights.empty() ? 1 : s.weights[k];
      for (int d = 0; d < 3; ++d) {
        row[d] += bv.N[d][j] * weight * s.poles[k];
        weigh[d] += bv.N[d][j] * weight;
      }
    }
    for (int m = 0; m < 6; ++m) {
      sum[m] += bu.N[kOrders[m][0]][i] * row[kOrders[m][1]];
      w[m] += bu.N[kOrders[m][0]][i] * weigh[kOrders[m][1]];
    }
  }
  if (s.weights.empty()) return {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
  SurfacePoint out;
  out.p = sum[0] / w[0];
  out.u = (sum[1] - w[1] * out.p) / w[0];
  out.v = (sum[2] - w[2] * out.p) / w[0];
  out.uu = (sum[3] - 2 * w[1] * out.u - w[3] * out.p) / w[0];
  out.uv = (sum[4] - w[1] * out.v - w[2] * out.u - w[4] * out.p) / w[0];
  out.vv = (sum[5] - 2 * w[2] * out.v - w[5] * out.p) / w[0];
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
