#include "ricochet/model/contact/touch.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

/// Derivative of the origin of a frame; side 0: of A, 6: of B.
PairMap origin_map(const PlacedFrame& F, int side) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(side).setIdentity();
  m.middleCols<3>(side + 3) = -skew(F.arm);
  return m;
}
/// Of a vector fixed to A.
PairMap turned_with_A(const Vector3d& u) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(3) = -skew(u);
  return m;
}

/// Of one fixed to B.
PairMap turned_with_B(const Vector3d& u) {
  PairMap m = PairMap::Zero();
  m.middleCols<3>(9) = -skew(u);
  return m;
}

/// Length and direction of a vector s with derivative ds; x where s vanishes.
struct Polar {
  double length;
  Vector3d u;
  PairMap du;
  Polar(const Vector3d& s, const PairMap& ds, const Vector3d& x, Ask ask) : length(s.norm()), u(x) {
    if (length > 0) u = s / length;
    if (ask == Ask::values) return;
    if (length > 0)
      du = (ds - u * (u.transpose() * ds)) / length;
    else
      du.setZero();
  }
};

/// A vector and its derivative.
struct Variable {
  Vector3d s;
  PairMap ds;
  /// Less its part along z of A.
  void cross_axis(const PlacedFrame& A, Ask ask) {
    const Vector3d z = A.R.col(2);
    const double along = z.dot(s);
    if (ask == Ask::derivatives) {
      const PairMap dz = turned_with_A(z);
      ds -= z * (z.transpose() * ds + s.transpose() * dz) + along * dz;
    }
    s -= z * along;
  }
};

/// From the axis or the centre to the origin of B.
struct Offset : Variable {
  Offset(const Feature& f, const PlacedFrame& A, const PlacedFrame& B, Ask ask) {
    s = B.x() - A.x();
    if (ask == Ask::derivatives) ds = origin_map(B, 6) - origin_map(A, 0);
    if (f.cylinder()) cross_axis(A, ask);
  }
};

/// An ellipse o + r (a cos + b sin), seen from the origin.
struct Ellipse {
  double aa, bb, ab, oa, ob, r;
  Ellipse(const Vector3d& o, const Vector3d& a, const Vector3d& b, double radius)
      : aa(a.dot(a)), bb(b.dot(b)), ab(a.dot(b)), oa(o.dot(a)), ob(o.dot(b)), r(radius) {}

  /// A point by its angle: cosine and sine.
  struct Place {
    double c, s;
  };
  /// Half the square of the distance, less what is constant, over r.
  double height(const Place& at) const {
    return oa * at.c + ob * at.s + 0.5 * r * (aa * at.c * at.c + 2 * ab * at.s * at.c + bb * at.s * at.s);
  }
  /// The maximum that is uphill from there. The angle is never asked for: a step turns by its arc tangent.
  Place climb(Place at) const {
    const double least = 1e-3 * elementary::hypot(oa, ob);  // where it is flat the way is uphill all the same
    for (int pass = 0; pass < 50; ++pass) {
      const double c = at.c, s = at.s, product = s * c, difference = c * c - s * s;
      const double first = -oa * s + ob * c + r * ((bb - aa) * product + ab * difference);
      const double second = -oa * c - ob * s + r * ((bb - aa) * difference - 4 * ab * product);
      const bool newton = second < -least;
      const double curve = newton ? -second : std::max(std::abs(second), least);
      if (!(curve > 0)) break;
      const double step = first / curve, scale = 1 / std::sqrt(1 + step * step);
      at = {(c - step * s) * scale, (s + step * c) * scale};
      if (std::abs(step) < (newton ? 1e-8 : 1e-15)) break;  // the next one would be its square
    }
    const double length = std::sqrt(at.c * at.c + at.s * at.s);
    return {at.c / length, at.s / length};
  }
  /// The farthest point. As long as the tilt is that of a pin in its bush there is one maximum, about where o points;
  /// an ellipse that is long against its distance has two, about the ends of its longer axis.
  Place farthest() const {
    const double distance = elementary::hypot(oa, ob), excess = elementary::hypot(aa - bb, 2 * ab);
    if (distance > r * excess && distance > 0) return climb({oa / distance, ob / distance});
    const double axis = 0.5 * elementary::atan2(2 * ab, aa - bb);
    const Place end{elementary::cos(axis), elementary::sin(axis)};
    const Place one = climb(end), other = climb({-end.c, -end.s});
    return height(one) >= height(other) ? one : other;
  }
};

/// The point of a rim that touches.
struct RimPoint {
  Vector3d arm;  // from the rim's centre to it
  Variable s;    // from the axis to it
  PairMap dp;    // of the point
  RimPoint(const Feature& f, const PlacedFrame& A, const PlacedFrame& B, const Offset& o, Ask ask) {
    const Vector3d z = A.R.col(2), x = B.R.col(0), y = B.R.col(1);
    const auto [cos, sin] = Ellipse(o.s, x - z * z.dot(x), y - z * z.dot(y), f.r).farthest();
    const Vector3d along = f.r * (y * cos - x * sin);  // d arm / d phi
    arm = f.r * (x * cos + y * sin);
    Variable a, t;
    a.s = arm;
    if (ask == Ask::values) {
      a.cross_axis(A, ask);
      s.s = o.s + a.s;
      return;
    }
    const PairMap darm = turned_with_B(arm);
    a.ds = darm;
    t = {along, turned_with_B(along)};
    a.cross_axis(A, ask);
    t.cross_axis(A, ask);
    s = {o.s + a.s, o.ds + a.ds};
    // phi stays where s . t = 0; its derivative by phi is t . t - s . a
    const double slope = t.s.squaredNorm() - s.s.dot(a.s);
    dp = origin_map(B, 6) + darm;
    if (!(slope < 0)) return;
    const Eigen::Matrix<double, 1, 12> dphi = -(t.s.transpose() * s.ds + s.s.transpose() * t.ds) / slope;
    s.ds += t.s * dphi;
    dp += along * dphi;
  }
};

Touch rim_on_plane(const Feature& f, const PlacedFrame& A, const PlacedFrame& B, Ask ask) {
  Touch at;
  at.n = A.R.col(2);
  at.dn = turned_with_A(at.n);
  const Vector3d z = B.R.col(2);
  const PairMap dz = turned_with_B(z);
  const double along = z.dot(at.n);
  // down the rim: -n, less its part along z
  const Vector3d s = z * along - at.n;
  const PairMap ds = dz * along + z * (at.n.transpose() * dz + z.transpose() * at.dn) - at.dn;
  const Polar down(s, ds, B.R.col(0), ask);
  at.gap = at.n.dot(B.x() - A.x()) - f.R * down.length;
  at.p = B.x() + f.R * down.u;
  if (ask == Ask::values) return at;
  at.dp = origin_map(B, 6) + f.R * (down.length > 0 ? down.du : turned_with_B(down.u));
  return at;
}

Touch flat_on_surface(const Feature& f, const PlacedFrame& A, const PlacedFrame& B) {
  Touch at;
  at.n = B.R.col(2);
  at.dn = turned_with_B(at.n);
  const SupportPoint s = f.surface->support(A.R.transpose() * at.n);
  const Vector3d arm = A.R * s.point;
  at.gap = at.n.dot(B.x() - A.x()) - s.h;
  at.p = A.x() + arm;
  at.dp = origin_map(A, 0) + turned_with_A(arm) + A.R * s.turn * A.R.transpose() * (at.dn - turned_with_A(at.n));
  return at;
}

constexpr double kCore = 0.5;  ///< of the play: where an aim holds

/// `held`: the direction that an aim holds, in space; zero: none.
Touch rim(const Feature& f, const RimPoint& point, const PlacedFrame& B, const Vector3d& held, Ask ask) {
  const Polar polar(point.s.s, point.s.ds, B.R.col(0), ask);
  Touch at;
  at.gap = f.R - polar.length;
  const bool free = held.isZero(0);
  at.n = free ? Vector3d(-polar.u) : Vector3d(-held);
  at.p = B.x() + (free ? point.arm : Vector3d(f.r * held));
  if (ask == Ask::values) return at;
  if (free) {
    at.dn = -polar.du;
    at.dp = point.dp;
    return at;
  }
  at.dn = -turned_with_A(held);
  at.dp = origin_map(B, 6) + f.r * turned_with_A(held);
  return at;
}

}  // namespace

Touch touch(const Feature& f, const PlacedFrame& A, const PlacedFrame& B, const Vector3d& aim, Ask ask) {
  const bool bends = ask == Ask::derivatives;
  if (f.kind == Feature::Kind::rim_on_plane) return rim_on_plane(f, A, B, ask);
  if (f.kind == Feature::Kind::flat_on_surface) return flat_on_surface(f, A, B);
  Touch at;
  if (f.kind == Feature::Kind::on_plane) {
    at.n = A.R.col(2);
    if (bends) at.dn = turned_with_A(at.n);
    at.gap = at.n.dot(B.x() - A.x()) - f.r;
  } else if (f.kind == Feature::Kind::on_surface) {
    const Vector3d s = B.x() - A.x();
    const Distance d = f.surface->distance(A.R.transpose() * s);
    at.gap = d.f - f.r;
    at.n = A.R * d.gradient;
    if (bends) {
      PairMap seen = origin_map(B, 6) - origin_map(A, 0);  // of s, as A sees it
      seen.middleCols<3>(3) += skew(s);
      at.dn = A.R * d.hessian * A.R.transpose() * seen + turned_with_A(at.n);
    }
  } else {
    const Offset o(f, A, B, ask);
    Polar polar(o.s, o.ds, A.R.col(0), ask);
    if (f.kind == Feature::Kind::rim_in_bush) {
      const bool core = !aim.isZero(0) && polar.length < kCore * (f.R - f.r);
      return rim(f, RimPoint(f, A, B, o, ask), B, core ? Vector3d(A.R * aim) : Vector3d(Vector3d::Zero()), ask);
    }
    if (!aim.isZero(0) && polar.length < kCore * (f.R - f.r)) {
      polar.u = A.R * aim;
      if (bends) polar.du = turned_with_A(polar.u);
    }
    const double sign = f.inside() ? -1 : 1;
    at.n = sign * polar.u;
    if (bends) at.dn = sign * polar.du;
    at.gap = f.inside() ? f.R - f.r - polar.length : polar.length - f.R - f.r;
  }
  at.p = B.x() - f.r * at.n;
  if (bends) at.dp = origin_map(B, 6) - f.r * at.dn;
  return at;
}

bool in_core(const Feature& f, const PlacedFrame& A, const PlacedFrame& B) {
  return f.inside() && Offset(f, A, B, Ask::values).s.norm() < kCore * (f.R - f.r);
}

Vector3d aim(const Feature& f, const PlacedFrame& A, const PlacedFrame& B, const PairVector& twist, double h) {
  const double play = f.R - f.r;
  if (!in_core(f, A, B)) return Vector3d::Zero();
  const Offset o(f, A, B, Ask::derivatives);
  const double length = o.s.norm();
  const Vector3d s = A.R.transpose() * o.s;
  const Vector3d path = h * (A.R.transpose() * (o.ds * twist - twist.segment<3>(3).cross(o.s)));
  const double travel = path.norm();
  constexpr double kCentre = 1e-12;  // of the play: rounding
  const bool centred = length <= kCentre * play;
  if (!(travel > 0)) return Vector3d::Zero();
  if (travel + length < play) return centred ? Vector3d(path / travel) : Vector3d::Zero();
  // |s + tau path| = play; s is inside, so that one root is positive
  const double a = travel * travel, b = s.dot(path), c = length * length - play * play;
  const double tau = -c / (b + std::sqrt(b * b - a * c));
  if (!(tau < 1)) return centred ? Vector3d(path / travel) : Vector3d::Zero();
  const Vector3d wall = (s + tau * path).normalized();
  constexpr double kSameSide = 0.5;  // cosine
  return !centred && wall.dot(s) > kSameSide * length ? Vector3d::Zero() : wall;
}

Tangent tangent_in_plane(const Touch& at, const Vector3d& m, Ask ask) {
  Tangent out;
  out.t = m.cross(at.n);
  if (ask == Ask::derivatives) out.dt = skew(m) * at.dn;
  return out;
}

Tangent tangent_in_space(const Feature& f, const Touch& at, const PlacedFrame& A, Ask ask) {
  const Vector3d a = A.R.col(f.cylinder() ? 2 : std::abs(at.n.dot(A.R.col(0))) < 0.9 ? 0 : 1);
  const Vector3d s = a - at.n * at.n.dot(a);
  Tangent out;
  if (ask == Ask::values) {
    const double length = s.norm();
    out.t = length > 0 ? Vector3d(s / length) : a;
    return out;
  }
  const PairMap da = turned_with_A(a);
  const PairMap ds = da - at.n.dot(a) * at.dn - at.n * (a.transpose() * at.dn + at.n.transpose() * da);
  const Polar polar(s, ds, a, ask);
  out.t = polar.u;
  out.dt = polar.du;
  return out;
}

Tangent other_tangent(const Touch& at, const Tangent& first, Ask ask) {
  Tangent out;
  out.t = at.n.cross(first.t);
  if (ask == Ask::derivatives) out.dt = skew(at.n) * first.dt - skew(first.t) * at.dn;
  return out;
}

PairVector pair_of_forces_at(const Vector3d& e, const Vector3d& p, const PlacedFrame& A, const PlacedFrame& B) {
  PairVector w;
  w << -e, -(p - A.c).cross(e), e, (p - B.c).cross(e);
  return w;
}

PairVector pair_of_moments(const Vector3d& e) {
  PairVector w;
  w << Vector3d::Zero(), -e, Vector3d::Zero(), e;
  return w;
}

void add_tangent_of_moments(const PairMap& de, double lambda, PairMatrix& H) {
  H.middleRows<3>(3) -= lambda * de;
  H.middleRows<3>(9) += lambda * de;
}

void add_tangent_of_pair(const Vector3d& e, const PairMap& de, const Touch& at, const PlacedFrame& A,
                         const PlacedFrame& B, double lambda, PairMatrix& H) {
  const Matrix3d E = skew(e);
  const auto moment = [&](const Vector3d& c, int side) {
    PairMap dp = at.dp;
    dp.middleCols<3>(side) -= Matrix3d::Identity();
    return PairMap(skew(at.p - c) * de - E * dp);
  };
  H.middleRows<3>(0) -= lambda * de;
  H.middleRows<3>(3) -= lambda * moment(A.c, 0);
  H.middleRows<3>(6) += lambda * de;
  H.middleRows<3>(9) += lambda * moment(B.c, 6);
}

}  // namespace ricochet
