#include "ricochet/model/subsystem/rigid_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/math/input_error.hpp"
#include "ricochet/math/symmetric_eigen.hpp"
#include "ricochet/math/team.hpp"

namespace ricochet {
namespace {

using Map3 = Eigen::Map<const Vector3d>;

Quaterniond quaternion(const double* p) { return {p[3], p[4], p[5], p[6]}; }

class RigidBodies final : public Subsystem {
 public:
  RigidBodies(const std::vector<RigidBody>& bodies, const Vector3d& gravity) : gravity_(gravity) {
    for (const RigidBody& b : bodies) {
      if (!(b.mass > 0)) throw InputError(b.name, fmt::format("mass is {}; it must be positive", b.mass));
      const Matrix3d matrix = b.matrix();
      bodies_.push_back({b.name, b.mass, matrix});
      const Vector3d J = b.products.isZero(0) ? b.inertia : symmetric_eigenvalues(matrix);
      if (!(J.minCoeff() > 0))
        throw InputError(b.name, "a principal moment of inertia is not positive; accepted: three positive moments");
      if (!is_inertia(J))
        throw InputError(b.name,
                         fmt::format("{} is more than the sum of the other two moments; accepted: moments that a body "
                                     "can have",
                                     J.maxCoeff()));
    }
  }

  int nq() const override { return 7 * count(); }
  int nv() const override { return 6 * count(); }
  std::vector<std::string> position_names() const override { return names({"x", "y", "z", "qw", "qx", "qy", "qz"}); }
  std::vector<std::string> velocity_names() const override { return names({"x", "y", "z", "wx", "wy", "wz"}); }
  Structure structure() const override { return count() == 1 ? Structure::dense : Structure::block_diagonal; }
  std::vector<Range> blocks() const override {
    std::vector<Range> out;
    for (int b = 0; b < count(); ++b) out.push_back({6 * b, 6});
    return out;
  }
  bool flat() const override { return false; }
  Constancy constancy() const override { return {true, false}; }

  void mass(const Point&, double c, Segment S, Scratch&) const override {
    for (int b = 0; b < count(); ++b)
      for (int i = 0; i < 3; ++i) {
        S.add(6 * b + i, 6 * b + i, c * bodies_[b].mass);
        for (int j = 0; j < 3; ++j)
          if (const double J = bodies_[b].inertia(i, j); J != 0) S.add(6 * b + 3 + i, 6 * b + 3 + j, c * J);
      }
  }
  void mass_times(const Point&, ConstView w, double c, View y, Scratch&) const override {
    for (int b = 0; b < count(); ++b) {
      const Matrix3d& J = bodies_[b].inertia;
      const double* omega = w.data() + 6 * b + 3;
      for (int i = 0; i < 3; ++i) {
        y[6 * b + i] += c * bodies_[b].mass * w[6 * b + i];
        y[6 * b + 3 + i] += c * J(i, 0) * omega[0] + c * J(i, 1) * omega[1] + c * J(i, 2) * omega[2];
      }
    }
  }
  void residual(const Point& at, ConstView a, double c, View y, Scratch& scratch) const override {
    mass_times(at, a, c, y, scratch);
    for (int b = 0; b < count(); ++b) {
      const Map3 omega(at.v.data() + 6 * b + 3);
      const Vector3d gyroscopic = omega.cross(bodies_[b].inertia * omega);
      for (int i = 0; i < 3; ++i) {
        y[6 * b + i] -= c * bodies_[b].mass * gravity_[i];
        y[6 * b + 3 + i] += c * gyroscopic[i];
      }
    }
  }
  void tangents(const Point& at, ConstView, double, double c_C, Segment S, Scratch&) const override {
    if (c_C == 0) return;
    for (int b = 0; b < count(); ++b) {
      const Map3 omega(at.v.data() + 6 * b + 3);
      const Matrix3d& J = bodies_[b].inertia;
      add_angular(S, b, c_C * (skew(omega) * J - skew(J * omega)));
    }
  }
  void momentum_balance(const Motion& m, View y, Scratch& scratch) const override {
    each(scratch, [&](int b) {
      for (int i = 0; i < 3; ++i)
        y[6 * b + i] += bodies_[b].mass * (m.v_next[6 * b + i] - m.v[6 * b + i] - m.h * gravity_[i]);
      const Rotation r(m, b, bodies_[b].inertia);
      const Vector3d change = r.forward * r.L_next - r.backward * r.L;
      for (int i = 0; i < 3; ++i) y[6 * b + 3 + i] += change[i];
    });
  }
  void momentum_tangent(const Motion& m, Segment S, Scratch& scratch) const override {
    each(scratch, [&](int b) {
      for (int i = 0; i < 3; ++i) S.add(6 * b + i, 6 * b + i, bodies_[b].mass);
      // d exp(c x) y = -c exp(c x) skew(y) right_jacobian(c x) dx, with dx = h theta d omega_next
      const Rotation r(m, b, bodies_[b].inertia);
      const Matrix3d& J = bodies_[b].inertia;
      const double s = m.h * m.theta;
      add_angular(S, b,
                  r.forward * J - s * (1 - m.theta) * r.forward * skew(r.L_next) * right_jacobian((1 - m.theta) * r.x) -
                      s * m.theta * r.backward * skew(r.L) * right_jacobian(-m.theta * r.x));
    });
  }
  void retract(ConstView q, ConstView x, View out) const override {
    for (int b = 0; b < count(); ++b) {
      const double *p = q.data() + 7 * b, *d = x.data() + 6 * b;
      double* o = out.data() + 7 * b;
      const Quaterniond Q = (quaternion(p) * exp_quaternion(Map3(d + 3))).normalized();
      for (int i = 0; i < 3; ++i) o[i] = p[i] + d[i];
      o[3] = Q.w();
      o[4] = Q.x();
      o[5] = Q.y();
      o[6] = Q.z();
    }
  }
  void difference(ConstView a, ConstView c, View x) const override {
    for (int b = 0; b < count(); ++b) {
      const double *p = a.data() + 7 * b, *r = c.data() + 7 * b;
      const Vector3d w = log_quaternion(quaternion(p).conjugate() * quaternion(r));
      for (int i = 0; i < 3; ++i) {
        x[6 * b + i] = r[i] - p[i];
        x[6 * b + 3 + i] = w[i];
      }
    }
  }
  /// R = R_0 exp(x), R' = R skew(omega): right_jacobian(x) x' = omega.
  void increment_rate(ConstView x, ConstView v, View out) const override {
    for (int b = 0; b < count(); ++b) {
      const Vector3d rate = right_jacobian(Map3(x.data() + 6 * b + 3)).inverse() * Map3(v.data() + 6 * b + 3);
      for (int i = 0; i < 3; ++i) {
        out[6 * b + i] = v[6 * b + i];
        out[6 * b + 3 + i] = rate[i];
      }
    }
  }
  Energies energies(const Point& at, Scratch&) const override {
    double T = 0, V = 0;
    for (int b = 0; b < count(); ++b) {
      const Map3 v(at.v.data() + 6 * b), omega(at.v.data() + 6 * b + 3);
      T += 0.5 * (bodies_[b].mass * v.squaredNorm() + omega.dot(bodies_[b].inertia * omega));
      V -= bodies_[b].mass * gravity_.dot(Map3(at.q.data() + 7 * b));
    }
    return {T, V};
  }
  Power power(const Point&, ConstView w, Scratch&) const override {
    Power p;
    for (int b = 0; b < count(); ++b) p.potential += bodies_[b].mass * gravity_.dot(Map3(w.data() + 6 * b));
    return p;
  }
  double potential_curvature(const Point&, ConstView, Scratch&) const override { return 0; }
  int mounts() const override { return count(); }
  std::string mount_name(int b) const override { return bodies_[b].name; }
  Range mount_coordinates(int b) const override { return {6 * b, 6}; }
  Pose pose(int b, ConstView q) const override {
    const double* p = q.data() + 7 * b;
    return {Map3(p), quaternion(p).toRotationMatrix()};
  }
  Twist twist(int b, const Pose& pose, ConstView v) const override {
    return {Map3(v.data() + 6 * b), pose.R * Map3(v.data() + 6 * b + 3)};
  }
  void pull(int, const Pose& pose, const Wrench& w, double* row) const override {
    const Vector3d m = pose.R.transpose() * w.m;
    for (int i = 0; i < 3; ++i) {
      row[i] = w.f[i];
      row[3 + i] = m[i];
    }
  }
  void pull_forces(int, const Pose& pose, const PointForces& forces, Lines rows) const override {
    const Matrix3d turn = skew(forces.arm) * pose.R;  // R^T (arm x f) = -(arm x R)^T f
    for (int k = 0; k < forces.count; ++k) {
      const Vector3d f = forces.factor * forces.f[k], m = -turn.transpose() * f;
      double* row = rows[k];
      for (int i = 0; i < 3; ++i) {
        row[i] = f[i];
        row[3 + i] = m[i];
      }
    }
  }
  /// f . R (d x (omega x r)) = d . ((omega x r) x R^T f)
  void turn_forces(int b, const Pose& pose, const PointForces& forces, ConstView v, Lines rows) const override {
    const Vector3d omega = Map3(v.data() + 6 * b + 3);
    const Vector3d rate = forces.factor * omega.cross(pose.R.transpose() * forces.arm);
    for (int k = 0; k < forces.count; ++k) {
      const Vector3d turn = rate.cross(pose.R.transpose() * forces.f[k]);
      double* row = rows[k];
      for (int i = 0; i < 3; ++i) {
        row[i] = 0;
        row[3 + i] = turn[i];
      }
    }
  }
  /// R exp(d): d(R^T m) = (R^T m) x d
  void pull_tangent(int, const Pose& pose, const Wrench& w, double* K) const override {
    const Matrix3d turn = skew(pose.R.transpose() * w.m);
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) K[3 + i + 6 * (3 + j)] = turn(i, j);
  }
  /// m . d(R omega) = R^T m . (d x omega) = d . (omega x R^T m)
  void twist_tangent(int b, const Pose& pose, const Wrench& w, ConstView v, double* row) const override {
    const Vector3d turn = Vector3d(Map3(v.data() + 6 * b + 3)).cross(pose.R.transpose() * w.m);
    for (int i = 0; i < 3; ++i) {
      row[i] = 0;
      row[3 + i] = turn[i];
    }
  }
  CoordinateKind kind(int i) const override { return i % 6 < 3 ? CoordinateKind::length : CoordinateKind::angle; }
  double extent(ConstView q) const override {
    double out = 0;
    for (int b = 0; b < count(); ++b) {
      for (int i = 0; i < 3; ++i) out = std::max(out, std::abs(q[7 * b + i]));
      out = std::max(out, std::sqrt(bodies_[b].inertia.maxCoeff() / bodies_[b].mass));
    }
    return out;
  }
  std::string check_configuration(ConstView q) const override {
    for (int b = 0; b < count(); ++b) {
      const double length = quaternion(q.data() + 7 * b).norm();
      if (!(std::abs(length - 1) < 1e-9))
        return fmt::format("the quaternion of {} has length {}; it must be 1", bodies_[b].name, length);
    }
    return {};
  }

 private:
  struct Rotation {
    Vector3d x, L, L_next;       // increment; angular momenta in their own body axes
    Matrix3d forward, backward;  // exp((1-theta) x), exp(-theta x)
    Rotation(const Motion& m, int b, const Matrix3d& J)
        : x(Map3(m.x.data() + 6 * b + 3)),
          L(J * Map3(m.v.data() + 6 * b + 3)),
          L_next(J * Map3(m.v_next.data() + 6 * b + 3)),
          forward(exp_rotation((1 - m.theta) * x)),
          backward(exp_rotation(-m.theta * x)) {}
  };
  static void add_angular(Segment S, int b, const Matrix3d& A) {
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) S.add(6 * b + 3 + i, 6 * b + 3 + j, A(i, j));
  }
  int count() const { return static_cast<int>(bodies_.size()); }
  /// visit(body) of all, shared: each has rows of its own.
  template <class Visit>
  void each(const Scratch& scratch, Visit visit) const {
    constexpr int kShared = 200;
    share(scratch.crew, count(), kShared, [&](int first, int last) {
      for (int b = first; b < last; ++b) visit(b);
    });
  }
  std::vector<std::string> names(std::initializer_list<const char*> parts) const {
    std::vector<std::string> out;
    for (const Body& b : bodies_)
      for (const char* part : parts) out.push_back(b.name.empty() ? part : b.name + "." + part);
    return out;
  }

  struct Body {
    std::string name;
    double mass;
    Matrix3d inertia;
  };
  std::vector<Body> bodies_;
  Vector3d gravity_;
};

}  // namespace

bool is_inertia(const Vector3d& moments) { return 2 * moments.maxCoeff() <= moments.sum() * (1 + 1e-12); }

std::unique_ptr<Subsystem> make_rigid_bodies(const std::vector<RigidBody>& bodies, const Vector3d& gravity) {
  return std::make_unique<RigidBodies>(bodies, gravity);
}

}  // namespace ricochet
