#include "ricochet/geometry/brep/face_shape.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::brep {
namespace {

constexpr int kFootPasses = 50;
constexpr double kFootClose = 1e-9;  // of the parameters: what is left is of its square

/// Distance from a profile in the half plane of a solid of revolution: gradient g, Hessian H of the profile.
struct Round {
  Vector3d out, round, z;
  double rho, height;
  Round(const Axes& e, const Vector3d& d) : z(e.z), height(e.z.dot(d)) {
    const double x = e.x.dot(d), y = e.y.dot(d);
    rho = std::sqrt(x * x + y * y);
    out = rho > 0 ? Vector3d((x * e.x + y * e.y) / rho) : e.x;
    round = z.cross(out);
  }
  void put(Distance& d, const Vector2d& g, const Eigen::Matrix2d& H) const {
    d.gradient = g[0] * out + g[1] * z;
    d.hessian = H(0, 0) * out * out.transpose() + H(1, 1) * z * z.transpose() +
                H(0, 1) * (out * z.transpose() + z * out.transpose());
    if (rho > 0) d.hessian += g[0] / rho * round * round.transpose();
  }
};

bool closes(const Vector3d& a, const Vector3d& b, const Vector3d& ta, const Vector3d& tb, double size) {
  return (a - b).norm() < 1e-9 * size && (ta - tb).norm() < 1e-6 * (ta.norm() + tb.norm());
}

}  // namespace

// ---- edges

EdgeShape::EdgeShape(Curve curve, double from, double to) : curve_(std::move(curve)), from_(from), to_(to) {
  const CurvePoint a = evaluate(curve_, from), b = evaluate(curve_, to);
  closed_ =
      curve_.kind != CurveKind::line && closes(a.p, b.p, a.t, b.t, (evaluate(curve_, (from + to) / 2).p - a.p).norm());
  for (int k = 0; k < kSeeds; ++k) seeds_.push_back(evaluate(curve_, seed(k)).p);
}

double EdgeShape::within(double t) const {
  if (!closed_) return std::clamp(t, from_, to_);
  const double turn = to_ - from_;
  return t - turn * std::floor((t - from_) / turn);
}

double EdgeShape::nearest(const Vector3d& x) const {
  const Vector3d d = x - curve_.axes.o;
  if (curve_.kind == CurveKind::line) return std::clamp(curve_.axes.z.dot(d), from_, to_);
  if (curve_.kind == CurveKind::circle) {
    double t = elementary::atan2(curve_.axes.y.dot(d), curve_.axes.x.dot(d));
    const double middle = (from_ + to_) / 2;
    t -= kTurn * std::nearbyint((t - middle) / kTurn);
    return closed_ ? t : std::clamp(t, from_, to_);  // the nearer end is the nearer one along the circle too
  }
  int best = 0;
  for (int k = 1; k < kSeeds; ++k)
    if ((x - seeds_[static_cast<std::size_t>(k)]).squaredNorm() <
        (x - seeds_[static_cast<std::size_t>(best)]).squaredNorm())
      best = k;
  const double most = (to_ - from_) / kSeeds;
  double t = seed(best);
  for (int pass = 0; pass < kFootPasses; ++pass) {
    const CurvePoint c = evaluate(curve_, within(t));
    const Vector3d away = x - c.p;
    const double slope = away.dot(c.t), curve = c.t.squaredNorm() - away.dot(c.tt);
    double step = std::clamp(curve > 0 ? slope / curve : slope / c.t.squaredNorm(), -most, most);
    if (!closed_) step = std::clamp(t + step, from_, to_) - t;
    t += step;
    if (std::abs(step) < kFootClose * most) break;
  }
  return within(t);
}

// ---- faces

FaceShape::FaceShape(const Part& part, std::size_t face)
    : surface_(part.faces[face].surface), trim_(part.faces[face], part.edges) {
  const Face& f = part.faces[face];
  hand_ = surface_.axes.x.cross(surface_.axes.y).dot(surface_.axes.z) < 0 ? -1 : 1;
  sign_ = f.reversed ? -1 : 1;
  for (const Loop& loop : f.loops)
    for (const Side& s : loop)
      if (std::find(edges_.begin(), edges_.end(), s.edge) == edges_.end()) edges_.push_back(s.edge);
  for (const int e : edges_) bounds_.emplace_back(part.edges[static_cast<std::size_t>(e)]);
  if (!elementary()) make_seeds();
  if (surface_.kind != SurfaceKind::cone) return;
  const double v = height_of_tip();
  if (holds(Vector2d((trim_.low()[0] + trim_.high()[0]) / 2, v))) tip_ = evaluate(surface_, 0, v).p;
}

double FaceShape::height_of_tip() const { return -surface_.a / elementary::sin(surface_.b); }

void FaceShape::make_seeds() {
  low_ = trim_.low();
  high_ = trim_.high();
  if (!(low_.allFinite() && high_.allFinite()))
    throw InputError("", "a face on an extrusion or a surface of revolution has no end; accepted: faces with edges");
  const Vector2d middle = (low_ + high_) / 2;
  const SurfacePoint m = evaluate(surface_, middle[0], middle[1]);
  for (const int k : {0, 1}) {
    Vector2d a = middle, b = middle;
    a[k] = low_[k], b[k] = high_[k];
    const SurfacePoint A = evaluate(surface_, a[0], a[1]), B = evaluate(surface_, b[0], b[1]);
    closes_[static_cast<std::size_t>(k)] =
        k == 0 ? closes(A.p, B.p, A.u, B.u, (A.p - m.p).norm()) : closes(A.p, B.p, A.v, B.v, (A.p - m.p).norm());
  }
  const auto points = [&](const Knots& knots) {
    return std::clamp(4 * (knots.poles() - knots.degree), 12, kMostSeeds);
  };
  std::array<int, 2>& n = counts_;
  n = {24, 24};
  if (surface_.kind == SurfaceKind::spline) n[0] = points(surface_.u), n[1] = points(surface_.v);
  if (surface_.curve.kind == CurveKind::spline)
    n[surface_.kind == SurfaceKind::extrusion ? 0 : 1] = points(surface_.curve.t);
  if (surface_.kind == SurfaceKind::extrusion) n[1] = 8;
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j) {
      const Vector2d part((i + 0.5) / n[0], (j + 0.5) / n[1]);
      const Vector2d uv = low_ + part.cwiseProduct(high_ - low_);
      seeds_.push_back({uv, evaluate(surface_, uv[0], uv[1]).p});
    }
}

bool FaceShape::lowest_around(const double* f, int k) const {
  const auto [rows, columns] = counts_;
  for (const int du : {-1, 0, 1})
    for (const int dv : {-1, 0, 1}) {
      int i = k / columns + du, j = k % columns + dv;
      if (closes_[0]) i = (i + rows) % rows;
      if (closes_[1]) j = (j + columns) % columns;
      if (i < 0 || i >= rows || j < 0 || j >= columns) continue;
      const int beside = i * columns + j;
      if (f[beside] < f[k] || (f[beside] == f[k] && beside < k)) return false;
    }
  return true;
}

Vector2d FaceShape::wrapped(Vector2d uv) const {
  for (const int k : {0, 1})
    if (closes_[static_cast<std::size_t>(k)]) {
      const double turn = high_[k] - low_[k];
      uv[k] -= turn * std::floor((uv[k] - low_[k]) / turn);
    }
  return uv;
}

Distance FaceShape::closed_form(const Vector3d& x, Vector2d& foot) const {
  const Axes& e = surface_.axes;
  const Vector3d d = x - e.o;
  Distance out;
  if (surface_.kind == SurfaceKind::plane) {
    foot = {e.x.dot(d), e.y.dot(d)};
    out.gradient = sign_ * hand_ * e.z;
    out.f = out.gradient.dot(d);
    return out;
  }
  const Round at(e, d);
  foot[0] = elementary::atan2(e.y.dot(d), e.x.dot(d));
  switch (surface_.kind) {
    case SurfaceKind::cylinder:
      foot[1] = at.height;
      out.f = at.rho - surface_.a;
      at.put(out, {1, 0}, Eigen::Matrix2d::Zero());
      break;
    case SurfaceKind::cone: {
      const double cos = elementary::cos(surface_.b), sin = elementary::sin(surface_.b);
      foot[1] = sin * (at.rho - surface_.a) + cos * at.height;
      out.f = cos * (at.rho - surface_.a) - sin * at.height;
      at.put(out, {cos, -sin}, Eigen::Matrix2d::Zero());
      break;
    }
    default: {
      const bool sphere = surface_.kind == SurfaceKind::sphere;
      const Vector2d away(at.rho - (sphere ? 0 : surface_.a), at.height);
      const double length = away.norm();
      foot[1] = elementary::atan2(away[1], away[0]);
      out.f = length - (sphere ? surface_.a : surface_.b);
      if (!(length > 0)) return out;
      const Vector2d g = away / length;
      at.put(out, g, (Eigen::Matrix2d::Identity() - g * g.transpose()) / length);
    }
  }
  if (sign_ * hand_ < 0) out = {-out.f, -out.gradient, -out.hessian};
  return out;
}

// With J = (S_u, S_v), I = J^T J and K = I - (x - S) . S'' the foot moves by da = K^-1 J^T (x - S + dx), and the normal
// by dn = -J I^-1 (n . S'') da.
FaceShape::Approach FaceShape::approach(const Vector3d& x, const Vector2d& foot) const {
  const SurfacePoint s = evaluate(surface_, foot[0], foot[1]);
  const Vector3d away = x - s.p, cross = s.u.cross(s.v), n = cross * (sign_ / cross.norm());
  const double uu = s.u.dot(s.u), uv = s.u.dot(s.v), vv = s.v.dot(s.v), area = uu * vv - uv * uv;
  Eigen::Matrix2d K, bends;
  const double mixed = uv - away.dot(s.uv);
  K << uu - away.dot(s.uu), mixed, mixed, vv - away.dot(s.vv);
  // downhill: where it is not convex, as if the surface were flat
  if (!(K.determinant() > 1e-6 * area && K.trace() > 0)) K << uu, uv, uv, vv;
  const Eigen::Matrix2d inverse = K.inverse();
  Approach out;
  out.foot.row(0) = inverse(0, 0) * s.u + inverse(0, 1) * s.v;
  out.foot.row(1) = inverse(1, 0) * s.u + inverse(1, 1) * s.v;
  out.step = out.foot * away;
  out.length = out.step.cwiseAbs().cwiseQuotient((high_ - low_) / 8).maxCoeff();
  if (out.length > 1) out.step /= out.length;
  // J I^-1
  const Vector3d du = (vv * s.u - uv * s.v) / area, dv = (uu * s.v - uv * s.u) / area;
  const double bend = n.dot(s.uv);
  bends << n.dot(s.uu), bend, bend, n.dot(s.vv);
  const Vector2d turn = bends * out.step;
  out.at.gradient = n - turn[0] * du - turn[1] * dv;
  out.at.f = n.dot(away);
  const Eigen::Matrix<double, 2, 3> turns = bends * out.foot;
  out.at.hessian = -du * turns.row(0) - dv * turns.row(1);
  return out;
}

Distance FaceShape::parametric(const Vector3d& x, Vector2d& foot) const {
  for (int pass = 0;; ++pass) {
    const Approach next = approach(x, foot);
    foot = wrapped(foot + next.step);
    if (pass == kFootPasses || next.length < kFootClose) return next.at;
  }
}

Distance FaceShape::distance(const Vector3d& x, Vector2d& foot) const {
  if (elementary()) return closed_form(x, foot);
  foot = nearest_seed(x);
  return parametric(x, foot);
}

Vector2d FaceShape::nearest_seed(const Vector3d& x) const {
  const Seed* best = &seeds_.front();
  double least = (x - best->x).squaredNorm();
  for (const Seed& s : seeds_)
    if (const double d = (x - s.x).squaredNorm(); d < least) least = d, best = &s;
  return best->uv;
}

Distance FaceShape::distance_from(const Vector3d& x, Vector2d& foot) const {
  return elementary() ? closed_form(x, foot) : parametric(x, foot);
}

bool FaceShape::holds(const Vector3d& x) const {
  Vector2d foot;
  distance(x, foot);
  return holds(foot);
}

Distance FaceShape::bounded(const Vector3d& x) const {
  Vector2d foot;
  const Distance on = distance(x, foot);
  // beyond the tip of a cone the tip is nearest
  const bool beyond = tip_ && convex() && (foot[1] - height_of_tip()) * elementary::sin(surface_.b) < 0;
  if (!beyond && (bounds_.empty() || holds(foot))) return on;
  Distance best;
  best.f = -1;
  if (const Vector3d away = beyond ? Vector3d(x - *tip_) : Vector3d(Vector3d::Zero()); away.squaredNorm() > 0) {
    best.f = away.norm();
    best.gradient = away / best.f;
    best.hessian = (Matrix3d::Identity() - best.gradient * best.gradient.transpose()) / best.f;
  }
  for (const EdgeShape& e : bounds_) {
    const double t = e.nearest(x);
    const CurvePoint c = evaluate(e.curve(), t);
    const Vector3d away = x - c.p;
    const double length = away.norm();
    if (best.f >= 0 && length >= best.f) continue;
    best.f = length;
    if (!(length > 0)) return on;
    best.gradient = away / length;
    best.hessian = (Matrix3d::Identity() - best.gradient * best.gradient.transpose()) / length;
    const bool end = !e.closed() && (t == e.from() || t == e.to());
    // along the curve the foot follows: (|C'|^2 - away . C'') dt = C' . dx
    if (const double slope = c.t.squaredNorm() - away.dot(c.tt); !end && slope > 0)
      best.hessian -= c.t * c.t.transpose() / (slope * length);
  }
  return best;
}

namespace {

class BoundedFace final : public ricochet::Surface {
 public:
  explicit BoundedFace(std::shared_ptr<const FaceShape> face) : face_(std::move(face)) {}
  Distance distance(const Vector3d& x) const override { return face_->bounded(x); }

 private:
  std::shared_ptr<const FaceShape> face_;
};

}  // namespace

std::shared_ptr<const ricochet::Surface> make_bounded_face(std::shared_ptr<const FaceShape> face) {
  return std::make_shared<BoundedFace>(std::move(face));
}

}  // namespace ricochet::brep
