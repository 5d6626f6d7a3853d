#include "ricochet/geometry/surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double kTurn = 2 * std::numbers::pi;

/// Distance from the origin in the space of the columns of E: of a point, of a line, less an offset.
template <class Vector>
Distance from_nearest(const Vector& to_x, const Eigen::Matrix<double, 3, Vector::RowsAtCompileTime>& E, double less) {
  Distance d;
  const double length = to_x.norm();
  d.f = length - less;
  if (!(length > 0)) return d;
  const Vector n = to_x / length;
  d.gradient = E * n;
  d.hessian = (E * E.transpose() - d.gradient * d.gradient.transpose()) / length;
  return d;
}

Distance from_point(const Vector3d& to_x, double less) {
  return from_nearest<Vector3d>(to_x, Matrix3d::Identity(), less);
}

/// A distance in the half plane (rho, z) of a solid of revolution about z.
struct Profile2 {
  double f;
  Vector2d g;
  Matrix2d H;
};
Distance revolve(const Profile2& p, const Vector3d& x) {
  const double rho = std::sqrt(x.x() * x.x() + x.y() * x.y());
  const Vector3d out = rho > 0 ? Vector3d(x.x() / rho, x.y() / rho, 0) : Vector3d(Vector3d::UnitX());
  const Vector3d round(-out.y(), out.x(), 0), z = Vector3d::UnitZ();
  Distance d;
  d.f = p.f;
  d.gradient = p.g[0] * out + p.g[1] * z;
  d.hessian = p.H(0, 0) * out * out.transpose() + p.H(0, 1) * (out * z.transpose() + z * out.transpose()) +
              p.H(1, 1) * z * z.transpose();
  // on the axis of a smooth profile g[0] = 0, and g[0] / rho goes to H(0, 0); at a tip nothing is defined
  const double turns = rho > 0 ? p.g[0] / rho : p.g[0] == 0 ? p.H(0, 0) : 0;
  d.hessian += turns * round * round.transpose();
  return d;
}
Distance extrude(const Profile2& p) {
  Distance d;
  d.f = p.f;
  d.gradient = Vector3d(p.g[0], p.g[1], 0);
  d.hessian.topLeftCorner<2, 2>() = p.H;
  return d;
}

Profile2 from_point_in_plane(const Vector2d& to_x, double sign = 1) {
  const double length = to_x.norm();
  Profile2 p{sign * length, Vector2d::UnitX(), Matrix2d::Zero()};
  if (!(length > 0)) return p;
  const Vector2d n = to_x / length;
  p.g = sign * n;
  p.H = sign / length * (Matrix2d::Identity() - n * n.transpose());
  return p;
}

/// A closed polygon, counter-clockwise. Outside the nearest edge or corner, inside the nearest edge or re-entrant
/// corner.
class Polygon {
 public:
  /// `open`: the last edge is not part of it (the axis of a solid of revolution).
  explicit Polygon(std::vector<Vector2d> corners, bool open = false) : c_(std::move(corners)), open_(open) {}
  Profile2 distance(const Vector2d& x) const {
    std::size_t best = 0;
    double least = -1;
    const std::size_t n = c_.size(), edges = open_ ? n - 1 : n;
    for (std::size_t k = 0; k < edges; ++k) {
      const double d = (x - nearest(k, x)).squaredNorm();
      if (least >= 0 && d >= least) continue;
      least = d;
      best = k;
    }
    const Vector2d p = nearest(best, x), a = c_[best], along = (c_[(best + 1) % n] - a).normalized();
    // at a right angle over its end it is the edge that counts: the end may be on the axis of revolution
    const double s = place(best, x);
    const bool at_end = s < 0 || s > 1;
    const double sign = inside(x) ? -1 : 1;
    if (at_end && least > 0) return from_point_in_plane(x - p, sign);
    const Vector2d out(along.y(), -along.x());
    return {out.dot(x - a), out, Matrix2d::Zero()};
  }

 private:
  /// Along an edge, from 0 to 1.
  double place(std::size_t k, const Vector2d& x) const {
    const Vector2d &a = c_[k], ab = c_[(k + 1) % c_.size()] - a;
    return ab.dot(x - a) / ab.squaredNorm();
  }
  Vector2d nearest(std::size_t k, const Vector2d& x) const {
    const Vector2d &a = c_[k], &b = c_[(k + 1) % c_.size()], ab = b - a;
    const double s = place(k, x);
    if (s <= 0) return a;
    if (s >= 1) return b;
    return a + s * ab;
  }
  bool inside(const Vector2d& x) const {
    bool in = false;
    for (std::size_t k = 0; k < c_.size(); ++k) {
      const Vector2d &a = c_[k], &b = c_[(k + 1) % c_.size()];
      if ((a.y() > x.y()) != (b.y() > x.y()) && x.x() < a.x() + (x.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x()))
        in = !in;
    }
    return in;
  }
  std::vector<Vector2d> c_;
  bool open_;
};

class Capsule final : public Surface {
 public:
  Capsule(double radius, double length) : radius_(radius), half_(length / 2) {}
  Distance distance(const Vector3d& x) const override {
    if (std::abs(x.z()) > half_) return from_point(x - Vector3d(0, 0, std::copysign(half_, x.z())), radius_);
    Eigen::Matrix<double, 3, 2> E = Eigen::Matrix<double, 3, 2>::Zero();
    E(0, 0) = E(1, 1) = 1;
    return from_nearest<Vector2d>(x.head<2>(), E, radius_);
  }

 private:
  double radius_, half_;
};

class Box final : public Surface {
 public:
  explicit Box(const Vector3d& size) : half_(size / 2) {}
  Distance distance(const Vector3d& x) const override {
    // outside: of the nearest point, along the axes on which x is beyond the faces
    const Vector3d beyond = x.cwiseAbs() - half_;
    Vector3d to_x = Vector3d::Zero();
    Vector3d free = Vector3d::Zero();
    for (int i = 0; i < 3; ++i)
      if (beyond[i] > 0) {
        to_x[i] = std::copysign(beyond[i], x[i]);
        free[i] = 1;
      }
    if (free.isZero(0)) return face(x, beyond);
    Distance d = from_point(to_x, 0);
    const Matrix3d P = free.asDiagonal();
    d.hessian = (P - d.gradient * d.gradient.transpose()) / d.f;
    if (free.sum() < 1.5) d.hessian.setZero();  // a face is flat, to the last bit
    return d;
  }

 private:
  static Distance face(const Vector3d& x, const Vector3d& beyond) {
    Eigen::Index axis = 0;
    Distance d;
    d.f = beyond.maxCoeff(&axis);
    d.gradient = std::copysign(1, x[axis]) * Vector3d::Unit(axis);
    return d;
  }
  Vector3d half_;
};

class Ring final : public Surface {
 public:
  Ring(double radius, double thin) : radius_(radius), thin_(thin) {}
  Distance distance(const Vector3d& x) const override {
    const double rho = std::sqrt(x.x() * x.x() + x.y() * x.y());
    Profile2 p = from_point_in_plane({rho - radius_, x.z()});
    p.f -= thin_;
    return revolve(p, x);
  }

 private:
  double radius_, thin_;
};

class Cone final : public Surface {
 public:
  Cone(double radius, double height) : side_({{0, 0}, {radius, 0}, {0, height}}, true) {}
  Distance distance(const Vector3d& x) const override {
    return revolve(side_.distance({std::sqrt(x.x() * x.x() + x.y() * x.y()), x.z()}), x);
  }

 private:
  Polygon side_;
};

class Arc final : public Surface {
 public:
  Arc(double radius, double thin, double from, double to)
      : radius_(radius), thin_(thin), middle_((from + to) / 2), half_((to - from) / 2) {
    for (int k : {0, 1}) {
      const double a = k == 0 ? from : to;
      ends_[k] = radius * Vector2d(elementary::cos(a), elementary::sin(a));
    }
  }
  Distance distance(const Vector3d& x3) const override {
    const Vector2d x = x3.head<2>();
    double a = elementary::atan2(x.y(), x.x()) - middle_;
    a -= kTurn * std::nearbyint(a / kTurn);
    Profile2 p;
    if (std::abs(a) > half_) {
      p = from_point_in_plane(x - ends_[a < 0 ? 0 : 1]);
    } else {
      p = from_point_in_plane(x);
      p.f -= radius_;
      if (p.f < 0) p = {-p.f, -p.g, -p.H};  // the arc has two sides
    }
    p.f -= thin_;
    return extrude(p);
  }

 private:
  double radius_, thin_, middle_, half_;
  Vector2d ends_[2];
};

/// Outside the wedge the nearest edge or its ends, within it the round side; inside of all whatever is nearest.
class Sector final : public Surface {
 public:
  Sector(double radius, double thin, double from, double to)
      : radius_(radius), thin_(thin), middle_((from + to) / 2), half_((to - from) / 2) {
    for (int k : {0, 1}) {
      const double a = k == 0 ? from : to;
      along_[k] = {elementary::cos(a), elementary::sin(a)};
      out_[k] = k == 0 ? Vector2d(along_[k].y(), -along_[k].x()) : Vector2d(-along_[k].y(), along_[k].x());
    }
  }
  Distance distance(const Vector3d& x3) const override {
    const Vector2d x = x3.head<2>();
    double a = elementary::atan2(x.y(), x.x()) - middle_;
    a -= kTurn * std::nearbyint(a / kTurn);
    Profile2 p = std::abs(a) > half_ ? beside(x, a < 0 ? 0 : 1) : within(x);
    p.f -= thin_;
    return extrude(p);
  }

 private:
  Profile2 edge(const Vector2d& x, int k) const { return {out_[k].dot(x), out_[k], Matrix2d::Zero()}; }
  Profile2 beside(const Vector2d& x, int k) const {
    const double s = along_[k].dot(x);
    return s > 0 && s < radius_ ? edge(x, k) : from_point_in_plane(x - std::clamp(s, 0.0, radius_) * along_[k]);
  }
  Profile2 within(const Vector2d& x) const {
    Profile2 p = from_point_in_plane(x);
    p.f -= radius_;
    for (int k : {0, 1})
      if (const double f = out_[k].dot(x); p.f < 0 && f > p.f) p = edge(x, k);
    return p;
  }
  double radius_, thin_, middle_, half_;
  Vector2d along_[2], out_[2];
};

class PolygonSurface final : public Surface {
 public:
  explicit PolygonSurface(std::vector<Vector2d> corners) : polygon_(std::move(corners)) {}
  Distance distance(const Vector3d& x) const override { return extrude(polygon_.distance(x.head<2>())); }

 private:
  Polygon polygon_;
};

/// Of a curve in polar form.
struct Curve {
  Vector2d p, p1, p2;  // and its derivatives by phi
  Curve(const Profile& profile, double phi) {
    const Vector3d r = profile(phi);
    const Vector2d u(elementary::cos(phi), elementary::sin(phi)), w(-u.y(), u.x());
    p = r[0] * u;
    p1 = r[1] * u + r[0] * w;
    p2 = (r[2] - r[0]) * u + 2 * r[1] * w;
  }
  /// > 0: convex.
  double curvature() const {
    const double speed = p1.norm();
    return (p1.x() * p2.y() - p1.y() * p2.x()) / (speed * speed * speed);
  }
};

/// The nearest point of the curve by Newton on its angle, from the best of a table and from where x itself points to.
class Cam final : public Surface {
 public:
  explicit Cam(Profile profile) : profile_(std::move(profile)) {
    for (int k = 0; k < kTable; ++k) {
      const double phi = k * kTurn / kTable;
      table_.push_back(profile_(phi)[0] * Vector2d(elementary::cos(phi), elementary::sin(phi)));
    }
  }
  Distance distance(const Vector3d& x3) const override {
    const Vector2d x = x3.head<2>();
    std::size_t best = 0;
    for (std::size_t k = 1; k < table_.size(); ++k)
      if ((x - table_[k]).squaredNorm() < (x - table_[best]).squaredNorm()) best = k;
    double phi = static_cast<double>(best) * kTurn / kTable;
    Curve c(profile_, phi);
    for (int pass = 0; pass < 40; ++pass) {
      const Vector2d d = x - c.p;
      const double slope = d.dot(c.p1), curve = c.p1.squaredNorm() - d.dot(c.p2);
      // of |d|^2 / 2: downhill, at most one place of the table
      double step = curve > 0 ? slope / curve : slope / c.p1.squaredNorm();
      step = std::clamp(step, -kTurn / kTable, kTurn / kTable);
      phi += step;
      c = Curve(profile_, phi);
      if (std::abs(step) < 1e-9 && curve > 0) break;
    }
    const double speed = c.p1.norm();
    const Vector2d t = c.p1 / speed, n(t.y(), -t.x());
    const double kappa = c.curvature();
    const double f = n.dot(x - c.p);
    return extrude({f, n, kappa / (1 + kappa * f) * t * t.transpose()});
  }
  SupportPoint support(const Vector3d& direction) const override {
    const Vector2d u = direction.head<2>();
    std::size_t best = 0;
    for (std::size_t k = 1; k < table_.size(); ++k)
      if (u.dot(table_[k]) > u.dot(table_[best])) best = k;
    double phi = static_cast<double>(best) * kTurn / kTable;
    Curve c(profile_, phi);
    for (int pass = 0; pass < 40; ++pass) {
      const double slope = u.dot(c.p1), curve = -u.dot(c.p2);
      double step = curve > 0 ? slope / curve : slope / c.p1.norm();
      step = std::clamp(step, -kTurn / kTable, kTurn / kTable);
      phi += step;
      c = Curve(profile_, phi);
      if (std::abs(step) < 1e-9 && curve > 0) break;
    }
    SupportPoint s;
    s.h = u.dot(c.p);
    s.point.head<2>() = c.p;
    s.turn.topLeftCorner<2, 2>() = c.p1 * c.p1.transpose() / -u.dot(c.p2);
    return s;
  }

 private:
  static constexpr int kTable = 128;
  Profile profile_;
  std::vector<Vector2d> table_;
};

}  // namespace

std::shared_ptr<const Surface> make_capsule(double radius, double length) {
  return std::make_shared<Capsule>(radius, length);
}
std::shared_ptr<const Surface> make_box(const Vector3d& size) { return std::make_shared<Box>(size); }
std::shared_ptr<const Surface> make_ring(double radius, double thin) { return std::make_shared<Ring>(radius, thin); }
std::shared_ptr<const Surface> make_cone(double radius, double height) {
  return std::make_shared<Cone>(radius, height);
}
std::shared_ptr<const Surface> make_arc(double radius, double thin, double from, double to) {
  return std::make_shared<Arc>(radius, thin, from, to);
}
std::shared_ptr<const Surface> make_sector(double radius, double thin, double from, double to) {
  return std::make_shared<Sector>(radius, thin, from, to);
}
std::shared_ptr<const Surface> make_polygon(std::vector<Vector2d> corners) {
  return std::make_shared<PolygonSurface>(std::move(corners));
}
std::shared_ptr<const Surface> make_cam(Profile profile) { return std::make_shared<Cam>(std::move(profile)); }
double least_curvature(const Profile& profile, int places) {
  double least = Curve(profile, 0).curvature();
  for (int k = 1; k < places; ++k) least = std::min(least, Curve(profile, k * kTurn / places).curvature());
  return least;
}

}  // namespace ricochet
