#include "ricochet/geometry/collision/revolved.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ricochet/geometry/collision/lists.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

/// The half plane of radius and height: ends, and the outward normal (c, s) of the side.
struct Profile {
  double r0, z0, r1, z1, c, s, length;

  explicit Profile(const Polytope& p) {
    const bool tip_up = p.rims.size() == 1 && p.vertices[0].z() > p.rims[0].z;
    const auto low = [&] { return std::pair(p.rims[0].radius, p.rims[0].z); };
    const auto tip = [&] { return std::pair(0.0, p.vertices[0].z()); };
    std::tie(r0, z0) = p.rims.size() == 2 || tip_up ? low() : tip();
    std::tie(r1, z1) = p.rims.size() == 2 ? std::pair(p.rims[1].radius, p.rims[1].z) : tip_up ? tip() : low();
    length = std::sqrt((r1 - r0) * (r1 - r0) + (z1 - z0) * (z1 - z0));
    c = (z1 - z0) / length;
    s = (r0 - r1) / length;
  }
};

}  // namespace

Polytope make_revolved(double r0, double z0, double r1, double z1) {
  Polytope out;
  for (const auto& [r, z, n] : {std::tuple(r0, z0, -1.0), std::tuple(r1, z1, 1.0)}) {
    out.bound = std::max(out.bound, std::sqrt(r * r + z * z));
    if (r > 0) {
      out.rims.push_back({r, z});
      out.faces.push_back({n * Vector3d::UnitZ(), n * z, 0, 0});
    } else {
      out.vertices.emplace_back(0, 0, z);
    }
  }
  out.size = std::max(2 * std::max(r0, r1), z1 - z0);
  return out;
}

double thickness_of_revolved(const Polytope& shape) {
  const Profile p(shape);
  const double wide = 2 * std::max(p.r0, p.r1);
  return std::min(p.z1 - p.z0, wide * p.c);
}

std::pair<double, double> ends_of_revolved(const Polytope& shape) {
  const Profile p(shape);
  return {p.z0, p.z1};
}

std::pair<Vector3d, Vector3d> rim_bounds(const Polytope::Rim& rim, const Placement& at) {
  const Vector3d axis = at.R.col(2), middle = at.x + rim.z * axis;
  const Vector3d wide = rim.radius * (1 - axis.array().square()).max(0).sqrt();
  return {middle - wide, middle + wide};
}

RoundDistance revolved_distance(const Polytope& shape, const Vector3d& x) {
  const Profile p(shape);
  const double rho = std::sqrt(x.x() * x.x() + x.y() * x.y());
  const Vector3d out = rho > 0 ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d(Vector3d::UnitX());
  const Vector3d around(-out.y(), out.x(), 0), up = Vector3d::UnitZ();
  const double low = p.z0 - x.z(), high = x.z() - p.z1, side = p.c * (rho - p.r0) + p.s * (x.z() - p.z0);
  const double along = (-p.s * (rho - p.r0) + p.c * (x.z() - p.z0)) / p.length;
  const auto turned = [&](double inwards) -> Matrix3d {
    return rho > 0 ? Matrix3d(inwards / rho * around * around.transpose()) : Matrix3d(Matrix3d::Zero());
  };
  const RoundDistance of_side{{side, p.c * out + p.s * up, turned(p.c)}, RoundPart::side};
  const RoundDistance of_disc{{std::max(low, high), low > high ? Vector3d(-up) : up, Matrix3d::Zero()},
                              RoundPart::disc};
  if (side > 0 && along >= 0 && along <= 1) return of_side;
  if ((low > 0 && rho <= p.r0) || (high > 0 && rho <= p.r1)) return of_disc;
  if (side <= 0 && low <= 0 && high <= 0) {
    const double at_low = p.r0 > 0 ? low : side, at_high = p.r1 > 0 ? high : side;  // a tip has no disc
    if (side >= std::max(at_low, at_high)) return of_side;
    return {{std::max(at_low, at_high), at_low > at_high ? Vector3d(-up) : up, Matrix3d::Zero()}, RoundPart::disc};
  }
  // a corner of the profile is nearest
  const double d0 = (rho - p.r0) * (rho - p.r0) + low * low, d1 = (rho - p.r1) * (rho - p.r1) + high * high;
  const double r = d0 < d1 ? p.r0 : p.r1, z = d0 < d1 ? p.z0 : p.z1;
  RoundDistance corner;
  corner.part = r > 0 ? RoundPart::rim : RoundPart::tip;
  const Vector3d from = (rho - r) * out + (x.z() - z) * up;
  corner.distance.f = from.norm();
  if (!(corner.distance.f > 0)) return of_side;
  const Vector3d n = from / corner.distance.f;
  corner.distance.gradient = n;
  if (!(r > 0)) {
    corner.distance.hessian = (Matrix3d::Identity() - n * n.transpose()) / corner.distance.f;
    return corner;
  }
  corner.distance.hessian =
      (out * out.transpose() + up * up.transpose() - n * n.transpose()) / corner.distance.f + turned(n.dot(out));
  return corner;
}

namespace {

/// Of the side as if it had no ends: where a rim ends there is no other direction beside it.
Distance side_distance(const Polytope& shape, const Vector3d& x) {
  const Profile p(shape);
  const double rho = std::sqrt(x.x() * x.x() + x.y() * x.y());
  const Vector3d out = rho > 0 ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d(Vector3d::UnitX());
  const Vector3d around(-out.y(), out.x(), 0);
  Distance d{p.c * (rho - p.r0) + p.s * (x.z() - p.z0), p.c * out + p.s * Vector3d::UnitZ(), Matrix3d::Zero()};
  if (rho > 0) d.hessian = p.c / rho * around * around.transpose();
  return d;
}

}  // namespace

CurvePoint curve_point(const Polytope& shape, int curve, double t) {
  if (curve < count(shape.edges)) {
    const Polytope::Edge& e = item(shape.edges, curve);
    const Vector3d &a = item(shape.vertices, e.a), along = item(shape.vertices, e.b) - a;
    return {a + t * along, along, Vector3d::Zero()};
  }
  const Polytope::Rim& rim = item(shape.rims, (curve - count(shape.edges)) / 2);
  const double c = rim.radius * elementary::cos(t), s = rim.radius * elementary::sin(t);
  return {{c, s, rim.z}, {-s, c, 0}, {-c, -s, 0}};
}

int curve_of_mark(const Polytope& shape, int mark) {
  const int edges = count(shape.edges);
  return mark < 2 * edges ? mark / 2 : edges + (mark - 2 * edges) / 8 * 2;
}

CurveMinimum curve_at(const Polytope& X, const Placement& x, int curve, const Polytope& Y, const Placement& y, int face,
                      double t) {
  CurveMinimum out;
  out.t = t;
  const CurvePoint own = curve_point(X, curve, t);
  const Matrix3d turn = y.R.transpose() * x.R;
  out.at = {turn * own.x + y.R.transpose() * (x.x - y.x), turn * own.d1, turn * own.d2};
  if (face < count(Y.faces)) {
    const Polytope::Face& plane = item(Y.faces, face);
    out.distance = {plane.n.dot(out.at.x) - plane.offset, plane.n, Matrix3d::Zero()};
  } else {
    out.distance = face > count(Y.faces) ? side_distance(Y, out.at.x) : distance(Y, out.at.x);
  }
  return out;
}

CurveMinimum curve_minimum(const Polytope& X, const Placement& x, int curve, const Polytope& Y, const Placement& y,
                           int face, double t) {
  const auto at = [&](double where) { return curve_at(X, x, curve, Y, y, face, where); };
  const auto slope = [](const CurveMinimum& m) { return m.distance.gradient.dot(m.at.d1); };
  const bool edge = curve < count(X.edges);
  // between which the slope changes its sign from below to above
  double low = edge ? 0 : t, high = edge ? 1 : t;
  if (edge) {
    for (const double end : {low, high})
      if (CurveMinimum m = at(end); end == low ? slope(m) >= 0 : slope(m) <= 0) {
        m.interior = false;
        return m;
      }
  } else {
    if (face < count(Y.faces)) {
      // of a circle over a plane: where n points away from
      const Vector3d n = x.R.transpose() * y.R * item(Y.faces, face).n;
      if (n.x() != 0 || n.y() != 0) t = elementary::atan2(-n.y(), -n.x());
      return at(t);
    }
    constexpr double kLook = 0.1;
    const double sense = slope(at(t)) > 0 ? -1 : 1;
    int looks = 0;
    while (++looks < 32 && sense * slope(at(t + sense * looks * kLook)) < 0)
      ;
    low = t + sense * (looks - 1) * kLook, high = t + sense * looks * kLook;
    if (low > high) std::swap(low, high);
  }
  CurveMinimum m = at(std::clamp(t, low, high));
  // Newton's method, which takes few steps; across a kink of the slope, where a rim begins, it may go to and fro
  // without coming closer: then the rest halves what is between
  constexpr int kNewton = 40;
  for (int k = 0; k < 100; ++k) {
    const double f = slope(m), K = m.at.d1.dot(m.distance.hessian * m.at.d1) + m.distance.gradient.dot(m.at.d2);
    (f > 0 ? high : low) = m.t;
    double next = K > 0 ? m.t - f / K : low;
    if (k >= kNewton || !(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - m.t) <= 4e-16 * std::max(1.0, std::abs(m.t)) || f == 0) break;
    m = at(next);
  }
  return m;
}

bool laterals(const Polytope& A, const Placement& a, const Polytope& B, const Placement& b, const Vector3d& aim,
              Laterals& out) {
  const Profile pa(A), pb(B);
  const Vector3d u = a.R.col(2), v = b.R.col(2), w = u.cross(v);
  const double square = w.squaredNorm();
  if (!(square > 1e-10)) return false;  // a finer angle than 1e-5: rims alone part them as well
  // n = alpha u + beta v + gamma w with n . u = s_A, n . v = -s_B, |n| = 1
  const double k = u.dot(v), alpha = (pa.s + k * pb.s) / square, beta = (-pb.s - k * pa.s) / square;
  const Vector3d flat = alpha * u + beta * v;
  const double rest = 1 - flat.squaredNorm();
  if (!(rest > 0)) return false;
  out.n = flat + (w.dot(aim) < 0 ? -1 : 1) * std::sqrt(rest / square) * w;
  const auto generator = [](const Profile& p, const Placement& at, const Vector3d& n, Vector3d& from, Vector3d& along) {
    const Vector3d axis = at.R.col(2), radial = (n - axis * axis.dot(n)).normalized();
    from = at.x + p.z0 * axis + p.r0 * radial;
    along = (p.z1 - p.z0) * axis + (p.r1 - p.r0) * radial;
  };
  generator(pa, a, out.n, out.a, out.e);
  generator(pb, b, -out.n, out.b, out.d);
  out.gap = out.n.dot(out.b - out.a);
  return true;
}

}  // namespace ricochet
