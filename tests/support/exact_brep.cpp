#include "support/exact_brep.hpp"

#include <cmath>
#include <vector>

namespace ricochet::test {

namespace {

/// Function i of degree p, by Cox and de Boor; the last span holds its end too, and both ends go on beyond.
Real basis(const brep::Knots& k, int i, int p, Real t) {
  const auto x = [&](int j) { return static_cast<Real>(k.knots[static_cast<std::size_t>(j)]); };
  if (p == 0) {
    const bool first = x(i) == k.first() && t < k.first(), last = x(i + 1) == k.last() && t >= k.last();
    return x(i) < x(i + 1) && ((x(i) <= t && t < x(i + 1)) || first || last) ? 1 : 0;
  }
  Real out = 0;
  if (x(i + p) > x(i)) out += (t - x(i)) / (x(i + p) - x(i)) * basis(k, i, p - 1, t);
  if (x(i + p + 1) > x(i + 1)) out += (x(i + p + 1) - t) / (x(i + p + 1) - x(i + 1)) * basis(k, i + 1, p - 1, t);
  return out;
}

/// The derivative of that function.
Real basis_slope(const brep::Knots& k, int i, int p, Real t) {
  const auto term = [&](int j) {
    const Real width = Real(k.knots[static_cast<std::size_t>(j + p)]) - Real(k.knots[static_cast<std::size_t>(j)]);
    return width > 0 ? p / width * basis(k, j, p - 1, t) : Real(0);
  };
  return term(i) - term(i + 1);
}

using Basis = Real(const brep::Knots&, int, int, Real);
std::vector<Real> all_of(Basis* function, const brep::Knots& k, Real t) {
  std::vector<Real> out;
  for (int i = 0; i < k.poles(); ++i) out.push_back(function(k, i, k.degree, t));
  return out;
}

/// Sum of weighted poles, and of the weights, of a curve (`in_v` is {1}) or a surface.
struct Weighted {
  RealVector sum = RealVector::Zero();
  Real weight = 0;
  RealVector point() const { return sum / weight; }
  /// Of the quotient; this one is made with a derivative of the functions.
  RealVector tangent(const Weighted& at) const { return (sum - weight * at.point()) / at.weight; }
};
Weighted weighted(const std::vector<Vector3d>& poles, const std::vector<double>& weights, const std::vector<Real>& in_u,
                  const std::vector<Real>& in_v) {
  Weighted out;
  for (std::size_t i = 0; i < in_u.size(); ++i)
    for (std::size_t j = 0; in_u[i] != 0 && j < in_v.size(); ++j) {
      const std::size_t k = i * in_v.size() + j;
      const Real b = in_u[i] * in_v[j] * (weights.empty() ? 1 : weights[k]);
      out.sum += b * poles[k].cast<Real>();
      out.weight += b;
    }
  return out;
}

Weighted weighted(const brep::Curve& c, Real t, Basis* function) {
  return weighted(c.poles, c.weights, all_of(function, c.t, t), {1});
}
Weighted weighted(const brep::Surface& s, Real u, Real v, Basis* in_u, Basis* in_v) {
  return weighted(s.poles, s.weights, all_of(in_u, s.u, u), all_of(in_v, s.v, v));
}

/// Turned by an angle about z, an axis through the origin.
RealVector turned(const RealVector& arm, const RealVector& z, Real angle) {
  const RealVector along = z * z.dot(arm);
  return along + std::cos(angle) * (arm - along) + std::sin(angle) * z.cross(arm);
}

}  // namespace

RealVector exact_point(const brep::Curve& c, Real t) {
  const RealVector o = c.axes.o.cast<Real>(), x = c.axes.x.cast<Real>(), y = c.axes.y.cast<Real>();
  switch (c.kind) {
    case brep::CurveKind::line: return o + t * c.axes.z.cast<Real>();
    case brep::CurveKind::circle: return o + Real(c.a) * (std::cos(t) * x + std::sin(t) * y);
    case brep::CurveKind::ellipse: return o + Real(c.a) * std::cos(t) * x + Real(c.b) * std::sin(t) * y;
    default: return weighted(c, t, basis).point();
  }
}

RealVector exact_tangent(const brep::Curve& c, Real t) {
  const RealVector x = c.axes.x.cast<Real>(), y = c.axes.y.cast<Real>();
  switch (c.kind) {
    case brep::CurveKind::line: return c.axes.z.cast<Real>();
    case brep::CurveKind::circle: return Real(c.a) * (std::cos(t) * y - std::sin(t) * x);
    case brep::CurveKind::ellipse: return Real(c.b) * std::cos(t) * y - Real(c.a) * std::sin(t) * x;
    default: return weighted(c, t, basis_slope).tangent(weighted(c, t, basis));
  }
}

RealVector exact_point(const brep::Surface& s, Real u, Real v) {
  const RealVector o = s.axes.o.cast<Real>(), x = s.axes.x.cast<Real>(), y = s.axes.y.cast<Real>(),
                   z = s.axes.z.cast<Real>();
  const RealVector out = std::cos(u) * x + std::sin(u) * y;
  switch (s.kind) {
    case brep::SurfaceKind::plane: return o + u * x + v * y;
    case brep::SurfaceKind::cylinder: return o + Real(s.a) * out + v * z;
    case brep::SurfaceKind::cone: return o + (Real(s.a) + v * std::sin(Real(s.b))) * out + v * std::cos(Real(s.b)) * z;
    case brep::SurfaceKind::sphere: return o + Real(s.a) * (std::cos(v) * out + std::sin(v) * z);
    case brep::SurfaceKind::torus: return o + (Real(s.a) + Real(s.b) * std::cos(v)) * out + Real(s.b) * std::sin(v) * z;
    case brep::SurfaceKind::extrusion: return exact_point(s.curve, u) + v * z;
    case brep::SurfaceKind::revolution: return o + turned(exact_point(s.curve, v) - o, z, u);
    default: return weighted(s, u, v, basis, basis).point();
  }
}

std::array<RealVector, 2> exact_tangents(const brep::Surface& s, Real u, Real v) {
  const RealVector o = s.axes.o.cast<Real>(), x = s.axes.x.cast<Real>(), y = s.axes.y.cast<Real>(),
                   z = s.axes.z.cast<Real>();
  const RealVector out = std::cos(u) * x + std::sin(u) * y, round = std::cos(u) * y - std::sin(u) * x;
  const Real a = s.a, b = s.b;
  switch (s.kind) {
    case brep::SurfaceKind::plane: return {x, y};
    case brep::SurfaceKind::cylinder: return {a * round, z};
    case brep::SurfaceKind::cone: return {(a + v * std::sin(b)) * round, std::sin(b) * out + std::cos(b) * z};
    case brep::SurfaceKind::sphere: return {a * std::cos(v) * round, a * (std::cos(v) * z - std::sin(v) * out)};
    case brep::SurfaceKind::torus: return {(a + b * std::cos(v)) * round, b * (std::cos(v) * z - std::sin(v) * out)};
    case brep::SurfaceKind::extrusion: return {exact_tangent(s.curve, u), z};
    case brep::SurfaceKind::revolution:
      return {z.cross(exact_point(s, u, v) - o), turned(exact_tangent(s.curve, v), z, u)};
    default: break;
  }
  const Weighted at = weighted(s, u, v, basis, basis);
  return {weighted(s, u, v, basis_slope, basis).tangent(at), weighted(s, u, v, basis, basis_slope).tangent(at)};
}

}  // namespace ricochet::test
