#include "ricochet/model/subsystem/planar_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/sincos.hpp"

namespace ricochet {
namespace {

class PlanarBodies final : public Subsystem {
 public:
  PlanarBodies(std::vector<PlanarBody> bodies, PlaneOfMotion plane, const Vector3d& gravity)
      : bodies_(std::move(bodies)),
        plane_(std::move(plane)),
        n_(plane_.n()),
        gravity_{plane_.e1.dot(gravity), plane_.e2.dot(gravity)} {
    const Matrix3d N = skew(n_), along = n_ * n_.transpose();
    for (const PlanarBody& b : bodies_)
      turns_.push_back({along * b.home.R, (Matrix3d::Identity() - along) * b.home.R, N * b.home.R});
  }

  int nq() const override { return 3 * count(); }
  int nv() const override { return 3 * count(); }
  std::vector<std::string> position_names() const override {
    std::vector<std::string> out;
    for (const PlanarBody& b : bodies_)
      for (const std::string& part : {plane_.names[0], plane_.names[1], std::string("angle")})
        out.push_back(b.name.empty() ? part : b.name + "." + part);
    return out;
  }
  std::vector<std::string> velocity_names() const override { return position_names(); }
  Structure structure() const override { return count() == 1 ? Structure::dense : Structure::block_diagonal; }
  std::vector<Range> blocks() const override {
    std::vector<Range> out;
    for (int b = 0; b < count(); ++b) out.push_back({3 * b, 3});
    return out;
  }
  Constancy constancy() const override { return {true, true}; }

  void mass(const Point&, double c, Segment S, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) S.add(i, i, c * mass_of(i));
  }
  void mass_times(const Point&, ConstView w, double c, View y, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) y[i] += c * mass_of(i) * w[i];
  }
  void residual(const Point&, ConstView a, double c, View y, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) y[i] += c * mass_of(i) * (a[i] - gravity_of(i));
  }
  void tangents(const Point&, ConstView, double, double, Segment, Scratch&) const override {}
  Energies energies(const Point& at, Scratch&) const override {
    Energies e;
    for (int i = 0; i < nv(); ++i) {
      e.kinetic += 0.5 * mass_of(i) * at.v[i] * at.v[i];
      e.potential -= mass_of(i) * gravity_of(i) * at.q[i];
    }
    return e;
  }
  Power power(const Point&, ConstView w, Scratch&) const override {
    Power p;
    for (int i = 0; i < nv(); ++i) p.potential += mass_of(i) * gravity_of(i) * w[i];
    return p;
  }
  double potential_curvature(const Point&, ConstView, Scratch&) const override { return 0; }

  CoordinateKind kind(int i) const override { return i % 3 == 2 ? CoordinateKind::angle : CoordinateKind::length; }
  double extent(ConstView q) const override {
    double out = 0;
    for (int b = 0; b < count(); ++b) {
      const Pose at = pose(b, q);
      out = std::max({out, at.c.cwiseAbs().maxCoeff(), std::sqrt(bodies_[b].inertia / bodies_[b].mass)});
    }
    return out;
  }

  int mounts() const override { return count(); }
  std::string mount_name(int b) const override { return bodies_[b].name; }
  Range mount_coordinates(int b) const override { return {3 * b, 3}; }
  Pose pose(int b, ConstView q) const override {
    const double* p = q.data() + std::ptrdiff_t{3} * b;
    const SineCosine at = sine_cosine(p[2]);
    const Turn& turn = turns_[b];
    return {bodies_[b].home.c + p[0] * plane_.e1 + p[1] * plane_.e2,
            turn.still + at.cosine * turn.by_cosine + at.sine * turn.by_sine};
  }
  Twist twist(int b, const Pose&, ConstView v) const override {
    const double* p = v.data() + std::ptrdiff_t{3} * b;
    return {p[0] * plane_.e1 + p[1] * plane_.e2, p[2] * n_};
  }
  void pull(int, const Pose&, const Wrench& w, double* row) const override {
    row[0] = w.f.dot(plane_.e1);
    row[1] = w.f.dot(plane_.e2);
    row[2] = w.m.dot(n_);
  }
  void pull_forces(int, const Pose&, const PointForces& forces, Lines rows) const override {
    const Vector3d turn = n_.cross(forces.arm);  // n . (arm x f) = (n x arm) . f
    for (int k = 0; k < forces.count; ++k) {
      const Vector3d& f = forces.f[k];
      double* row = rows[k];
      row[0] = forces.factor * f.dot(plane_.e1);
      row[1] = forces.factor * f.dot(plane_.e2);
      row[2] = forces.factor * f.dot(turn);
    }
  }
  void turn_forces(int b, const Pose&, const PointForces& forces, ConstView v, Lines rows) const override {
    const Vector3d turn = forces.factor * v[3 * b + 2] * n_.cross(n_.cross(forces.arm));
    for (int k = 0; k < forces.count; ++k) {
      double* row = rows[k];
      row[0] = row[1] = 0;
      row[2] = forces.f[k].dot(turn);
    }
  }
  void twist_tangent(int, const Pose&, const Wrench&, ConstView, double* row) const override {
    row[0] = row[1] = row[2] = 0;
  }

 private:
  int count() const { return static_cast<int>(bodies_.size()); }
  double mass_of(int i) const { return i % 3 == 2 ? bodies_[i / 3].inertia : bodies_[i / 3].mass; }
  double gravity_of(int i) const { return i % 3 == 2 ? 0 : gravity_[i % 3]; }

  /// Axes of a body as a function of its angle.
  struct Turn {
    Matrix3d still, by_cosine, by_sine;
  };
  std::vector<PlanarBody> bodies_;
  std::vector<Turn> turns_;
  PlaneOfMotion plane_;
  Vector3d n_;
  double gravity_[2];
};

}  // namespace

std::unique_ptr<Subsystem> make_planar_bodies(std::vector<PlanarBody> bodies, const PlaneOfMotion& plane,
                                              const Vector3d& gravity) {
  return std::make_unique<PlanarBodies>(std::move(bodies), plane, gravity);
}

}  // namespace ricochet
