#include "ricochet/model/subsystem/planar_bodies.hpp"

#include <fmt/format.h>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

class PlanarBodies final : public Subsystem {
 public:
  PlanarBodies(std::vector<PlanarBody> bodies, const PlaneAxes& plane, const Vector3d& gravity)
      : bodies_(std::move(bodies)), plane_(plane), gravity_{gravity.dot(plane.e1), gravity.dot(plane.e2), 0} {
    for (const PlanarBody& b : bodies_) {
      if (!(b.mass > 0)) throw InputError(b.name, fmt::format("mass is {}; it must be positive", b.mass));
      if (!(b.inertia > 0)) throw InputError(b.name, fmt::format("inertia is {}; it must be positive", b.inertia));
    }
  }

  int nq() const override { return nv(); }
  int nv() const override { return 3 * count(); }
  std::vector<std::string> position_names() const override {
    std::vector<std::string> out;
    for (const PlanarBody& b : bodies_)
      for (const std::string& c : {axis_name(plane_.e1), axis_name(plane_.e2), std::string("angle")})
        out.push_back(b.name + "." + c);
    return out;
  }
  std::vector<std::string> velocity_names() const override { return position_names(); }
  Structure structure() const override { return count() == 1 ? Structure::dense : Structure::block_diagonal; }
  std::vector<Range> blocks() const override {
    std::vector<Range> out;
    for (int b = 0; b < count(); ++b) out.push_back({3 * b, 3});
    return out;
  }
  bool symmetric() const override { return true; }
  Constancy constancy() const override { return {true, true}; }

  void mass(const Point&, double c, Segment S, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) S.add(i, i, c * inertia(i));
  }
  void mass_times(const Point&, ConstView w, double c, View y, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) y[i] += c * inertia(i) * w[i];
  }
  void residual(const Point&, ConstView a, double c, View y, Scratch&) const override {
    for (int i = 0; i < nv(); ++i) y[i] += c * inertia(i) * (a[i] - gravity_[i % 3]);
  }
  void tangents(const Point&, ConstView, double, double, Segment, Scratch&) const override {}
  Energies energies(const Point& at, Scratch&) const override {
    Energies e;
    for (int i = 0; i < nv(); ++i) {
      e.kinetic += 0.5 * inertia(i) * at.v[i] * at.v[i];
      e.potential -= inertia(i) * gravity_[i % 3] * at.q[i];
    }
    return e;
  }
  Power power(const Point&, ConstView w, Scratch&) const override {
    Power p;
    for (int i = 0; i < nv(); ++i) p.potential += inertia(i) * gravity_[i % 3] * w[i];
    return p;
  }
  double potential_curvature(const Point&, ConstView, Scratch&) const override { return 0; }

  int mounts() const override { return count(); }
  std::string mount_name(int b) const override { return bodies_[b].name; }
  Range mount_coordinates(int b) const override { return {3 * b, 3}; }
  Pose pose(int b, ConstView q) const override {
    return {q[3 * b] * plane_.e1 + q[3 * b + 1] * plane_.e2, exp_rotation(q[3 * b + 2] * plane_.normal())};
  }
  Twist twist(int b, const Pose&, ConstView v) const override {
    return {v[3 * b] * plane_.e1 + v[3 * b + 1] * plane_.e2, v[3 * b + 2] * plane_.normal()};
  }
  void pull(int, const Pose&, const Wrench& w, double* row) const override {
    row[0] = w.f.dot(plane_.e1);
    row[1] = w.f.dot(plane_.e2);
    row[2] = w.m.dot(plane_.normal());
  }
  void twist_tangent(int, const Pose&, const Wrench&, ConstView, double* row) const override {
    row[0] = row[1] = row[2] = 0;
  }

 private:
  int count() const { return static_cast<int>(bodies_.size()); }
  double inertia(int i) const { return i % 3 == 2 ? bodies_[i / 3].inertia : bodies_[i / 3].mass; }
  static std::string axis_name(const Vector3d& e) {
    return std::abs(e.x()) > 0.9 ? "x" : std::abs(e.y()) > 0.9 ? "y" : "z";
  }

  std::vector<PlanarBody> bodies_;
  PlaneAxes plane_;
  std::array<double, 3> gravity_;
};

}  // namespace

std::unique_ptr<Subsystem> make_planar_bodies(std::vector<PlanarBody> bodies, const PlaneAxes& plane,
                                              const Vector3d& gravity) {
  return std::make_unique<PlanarBodies>(std::move(bodies), plane, gravity);
}

}  // namespace ricochet
