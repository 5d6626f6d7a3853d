#pragma once
// Curves and surfaces of parts once more, in long double and by their definitions: points alone.
#include <cmath>
#include <vector>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet::test {

using Real = long double;
using RealVector = Eigen::Matrix<Real, 3, 1>;

/// Function i of degree p, by Cox and de Boor; the last span holds its end too, and both ends go on beyond.
inline Real basis(const brep::Knots& k, int i, int p, Real t) {
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

inline RealVector exact_point(const brep::Curve& c, Real t) {
  const RealVector o = c.axes.o.cast<Real>(), x = c.axes.x.cast<Real>(), y = c.axes.y.cast<Real>();
  switch (c.kind) {
    case brep::CurveKind::line: return o + t * c.axes.z.cast<Real>();
    case brep::CurveKind::circle: return o + Real(c.a) * (std::cos(t) * x + std::sin(t) * y);
    case brep::CurveKind::ellipse: return o + Real(c.a) * std::cos(t) * x + Real(c.b) * std::sin(t) * y;
    default: break;
  }
  RealVector sum = RealVector::Zero();
  Real weight = 0;
  for (std::size_t i = 0; i < c.poles.size(); ++i) {
    const Real b = basis(c.t, static_cast<int>(i), c.t.degree, t) * (c.weights.empty() ? 1 : c.weights[i]);
    sum += b * c.poles[i].cast<Real>();
    weight += b;
  }
  return sum / weight;
}

inline RealVector exact_point(const brep::Surface& s, Real u, Real v) {
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
    case brep::SurfaceKind::revolution: {
      const RealVector arm = exact_point(s.curve, v) - o, along = z * z.dot(arm);
      return o + along + std::cos(u) * (arm - along) + std::sin(u) * z.cross(arm);
    }
    default: break;
  }
  RealVector sum = RealVector::Zero();
  Real weight = 0;
  std::vector<Real> in_v;
  for (int j = 0; j < s.v.poles(); ++j) in_v.push_back(basis(s.v, j, s.v.degree, v));
  for (int i = 0; i < s.u.poles(); ++i) {
    const Real in_u = basis(s.u, i, s.u.degree, u);
    for (int j = 0; in_u != 0 && j < s.v.poles(); ++j) {
      const auto k = static_cast<std::size_t>(i * s.v.poles() + j);
      const Real b = in_u * in_v[static_cast<std::size_t>(j)] * (s.weights.empty() ? 1 : s.weights[k]);
      sum += b * s.poles[k].cast<Real>();
      weight += b;
    }
  }
  return sum / weight;
}

}  // namespace ricochet::test
