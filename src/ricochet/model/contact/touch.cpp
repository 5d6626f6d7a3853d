#include "ricochet/model/contact/touch.hpp"

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

/// Length and direction of a vector s with derivative ds; x where s vanishes.
struct Polar {
  double length;
  Vector3d u;
  PairMap du;
  Polar(const Vector3d& s, const PairMap& ds, const Vector3d& x) : length(s.norm()), u(x), du(PairMap::Zero()) {
    if (!(length > 0)) return;
    u = s / length;
    du = (ds - u * (u.transpose() * ds)) / length;
  }
};

}  // namespace

Touch touch(const Feature& f, const PlacedFrame& A, const PlacedFrame& B) {
  const Vector3d z = A.R.col(2), d = B.x() - A.x();
  const PairMap dx = origin_map(B, 6), dd = dx - origin_map(A, 0), dz = turned_with_A(z);
  Touch at;
  using Kind = Feature::Kind;
  if (f.kind == Kind::on_plane) {
    at.n = z;
    at.dn = dz;
    at.gap = z.dot(d) - f.r;
  } else {
    const bool cylinder = f.kind == Kind::in_bush || f.kind == Kind::on_shaft;
    const bool inside = f.kind == Kind::in_bush || f.kind == Kind::in_socket;
    const Vector3d s = cylinder ? Vector3d(d - z * z.dot(d)) : d;
    PairMap ds = dd;
    if (cylinder) ds -= z * (z.transpose() * dd + d.transpose() * dz) + z.dot(d) * dz;
    const Polar polar(s, ds, A.R.col(0));
    const double sign = inside ? -1 : 1;
    at.n = sign * polar.u;
    at.dn = sign * polar.du;
    at.gap = inside ? f.R - f.r - polar.length : polar.length - f.R - f.r;
  }
  at.p = B.x() - f.r * at.n;
  at.dp = dx - f.r * at.dn;
  return at;
}

Tangent tangent_in_plane(const Touch& at, const Vector3d& m) { return {m.cross(at.n), skew(m) * at.dn}; }

Tangent tangent_in_space(const Feature& f, const Touch& at, const PlacedFrame& A) {
  const bool cylinder = f.kind == Feature::Kind::in_bush || f.kind == Feature::Kind::on_shaft;
  const Vector3d a = A.R.col(cylinder ? 2 : std::abs(at.n.dot(A.R.col(0))) < 0.9 ? 0 : 1);
  const PairMap da = turned_with_A(a);
  const Vector3d s = a - at.n * at.n.dot(a);
  const PairMap ds = da - at.n.dot(a) * at.dn - at.n * (a.transpose() * at.dn + at.n.transpose() * da);
  const Polar polar(s, ds, a);
  return {polar.u, polar.du};
}

Tangent other_tangent(const Touch& at, const Tangent& first) {
  return {at.n.cross(first.t), skew(at.n) * first.dt - skew(first.t) * at.dn};
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
