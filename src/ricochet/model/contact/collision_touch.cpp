#include "ricochet/model/contact/collision_touch.hpp"

#include <algorithm>

#include "ricochet/geometry/collision/revolved.hpp"

namespace ricochet {
namespace {

using Kind = FeaturePair::Kind;
constexpr int kA = 0, kB = 6;

/// Derivative of a point at x that is fixed to a mount at c.
PairMap fixed_point(const Vector3d& x, const Vector3d& c, int side) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(side).setIdentity();
  m.middleCols<3>(side + 3) = -skew(x - c);
  return m;
}
/// Of a vector fixed to a mount.
PairMap fixed_vector(const Vector3d& u, int side) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(side + 3) = -skew(u);
  return m;
}

/// Two crossing edges x + s e of A and y + t d of B.
void cross(const FeaturePair& f, const Polytope& A, const PlacedFrame& a, const Polytope& B, const PlacedFrame& b,
           Touch& at) {
  const Polytope::Edge &ea = A.edges[static_cast<std::size_t>(f.first)],
                       &eb = B.edges[static_cast<std::size_t>(f.second)];
  const Vector3d &u = A.vertices[static_cast<std::size_t>(ea.a)], &v = B.vertices[static_cast<std::size_t>(eb.a)];
  const Vector3d e = a.R * (A.vertices[static_cast<std::size_t>(ea.b)] - u);
  const Vector3d d = b.R * (B.vertices[static_cast<std::size_t>(eb.b)] - v);
  const Vector3d x = a.x() + a.R * u, y = b.x() + b.R * v, w = y - x;
  const PairMap de = fixed_vector(e, kA), dd = fixed_vector(d, kB), dy = fixed_point(y, b.c, kB);
  const PairMap dw = dy - fixed_point(x, a.c, kA);
  const Vector3d m = e.cross(d);
  const double sign = m.dot(at.n) < 0 ? -1 : 1, length = m.norm();
  if (!(length > 0)) return;
  const PairMap dm = sign * (skew(e) * dd - skew(d) * de);
  at.dn = (dm - at.n * (at.n.transpose() * dm)) / length;
  // s and t of the nearest points, from e . (w + t d - s e) = 0 and d . (w + t d - s e) = 0
  const double aa = e.dot(e), ab = e.dot(d), bb = d.dot(d), D = aa * bb - ab * ab;
  const double s = (bb * e.dot(w) - ab * d.dot(w)) / D, t = (ab * e.dot(w) - aa * d.dot(w)) / D;
  using Row = Eigen::Matrix<double, 1, 12>;
  const Row dab = d.transpose() * de + e.transpose() * dd;
  const Row r1 = w.transpose() * de + e.transpose() * dw + t * dab,
            r2 = w.transpose() * dd + d.transpose() * dw - s * dab;
  const Row dt = (ab * r1 - aa * r2) / D;
  at.dp = dy + t * dd + d * dt - B.radius * at.dn;
}

bool is_curve(Kind kind) { return kind == Kind::A_curve_on_B || kind == Kind::B_curve_on_A; }
bool on_curve(Kind kind) { return is_curve(kind) || kind == Kind::A_mark_on_B || kind == Kind::B_mark_on_A; }

/// Of a curve of X on Y.
CurveMinimum minimum(const FeaturePair& f, const Polytope& X, const PlacedFrame& x, const Polytope& Y,
                     const PlacedFrame& y) {
  const Placement px{x.x(), x.R}, py{y.x(), y.R};
  return is_curve(f.kind) ? curve_minimum(X, px, f.first, Y, py, f.second, f.aim.x())
                          : curve_at(X, px, curve_of_mark(X, f.first), Y, py, f.second, f.aim.x());
}

/// Derivatives of two sides that cross, by differences: they enter nothing but rates of rates.
void differ(const FeaturePair& f, const Polytope& A, const PlacedFrame& a, const Polytope& B, const PlacedFrame& b,
            Touch& at) {
  const double size = std::min(A.size, B.size);
  for (const int side : {kA, kB}) {
    const PlacedFrame& moved = side == kA ? a : b;
    for (int k = 0; k < 6; ++k) {
      const double step = 1e-5 * (k < 3 ? size : 1);
      FeatureGap ends[2];
      for (const int sign : {0, 1}) {
        const Vector3d by = (sign ? step : -step) * Vector3d::Unit(k % 3);
        Placement to{moved.x(), moved.R};
        if (k < 3) {
          to.x += by;
        } else {
          const Matrix3d turn = exp_rotation(by);
          to = {moved.c + turn * (moved.x() - moved.c), turn * moved.R};
        }
        ends[sign] = side == kA ? feature_gap(f, A, to, B, {b.x(), b.R}) : feature_gap(f, A, {a.x(), a.R}, B, to);
      }
      at.dn.col(side + k) = (ends[1].n - ends[0].n) / (2 * step);
      at.dp.col(side + k) = (ends[1].p - ends[0].p) / (2 * step);
    }
  }
}

}  // namespace

Touch touch(const FeaturePair& f, const Polytope& A, const PlacedFrame& a, const Polytope& B, const PlacedFrame& b) {
  const FeatureGap here = feature_gap(f, A, {a.x(), a.R}, B, {b.x(), b.R});
  Touch at;
  at.gap = here.gap;
  at.n = here.n;
  at.p = here.p;
  const auto lies = edge_in_face(f);
  if (f.kind == Kind::edges && !lies) {
    at.dn.setZero();
    at.dp.setZero();
    cross(f, A, a, B, b, at);
    return at;
  }
  if (f.kind == Kind::laterals) {
    differ(f, A, a, B, b, at);
    return at;
  }
  // whose point it is, the other's is the normal
  const bool first = lies ? !lies->of_A : of_A(f.kind) != along_own_face(f);
  const PlacedFrame &point = first ? a : b, &base = first ? b : a;
  const int moving = first ? kA : kB, still = kB - moving;
  const double radius = (first ? A : B).radius, away = first ? -1 : 1;  // of n, from the base
  const Vector3d x = at.p + away * radius * at.n;
  const PairMap dx = fixed_point(x, point.c, moving);
  at.dn = fixed_vector(at.n, still);
  if (f.kind == Kind::A_point_on_B || f.kind == Kind::B_point_on_A) {
    PairMap seen = dx - fixed_point(base.x(), base.c, still);
    seen.middleCols<3>(still + 3) += skew(x - base.x());
    const Distance d = distance(first ? B : A, base.R.transpose() * (x - base.x()));
    at.dn += away * (base.R * d.hessian * base.R.transpose() * seen);
  }
  if (on_curve(f.kind)) {
    const CurveMinimum m = minimum(f, first ? A : B, point, first ? B : A, base);
    PairMap seen = dx - fixed_point(base.x(), base.c, still);
    seen.middleCols<3>(still + 3) += skew(x - base.x());
    const Vector3d n = away * at.n, d1 = base.R * m.at.d1;
    const Matrix3d H = base.R * m.distance.hessian * base.R.transpose();
    const PairMap turn = fixed_vector(n, still) + H * seen;
    PairMap along = PairMap::Zero();  // of the point on its curve
    const double K = d1.dot(H * d1) + n.dot(base.R * m.at.d2);
    if (is_curve(f.kind) && m.interior && K > 0)
      along = d1 * (-1 / K * (n.transpose() * fixed_vector(d1, moving) + d1.transpose() * turn));
    at.dn = away * (turn + H * along);
    at.dp = dx + along - away * radius * at.dn;
    return at;
  }
  at.dp = dx - away * radius * at.dn;
  return at;
}

}  // namespace ricochet
