#pragma once
// A subsystem: all bodies of one kind, with the dynamics
//
//     M(t,q) a + c(t,q,v) = f(t,q,v) + G p,        q' = T(q) v
//
// M mass, c the convective inertia forces (what remains of Lagrange's or Euler's equations beside M a), f the applied
// ones. Configurations need not be vectors: q ⊕ x is the retraction of an increment x in velocity coordinates.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/math/operator.hpp"
#include "ricochet/math/rotation.hpp"
#include "ricochet/math/team.hpp"

namespace ricochet {

/// Where something is evaluated. Everything is asked with all three, so that a subsystem may evaluate once and answer
/// several questions.
struct Point {
  double t = 0;
  ConstView q, v;
};

/// One step of a theta-scheme, q_next = q ⊕ x and q_theta = q ⊕ theta x.
struct Motion {
  double t = 0, h = 0, theta = 0.5;
  ConstView q, v, x;
  ConstView q_theta, v_theta, v_next;
  ConstView a;  ///< (v_next - v) / h
  Point at_theta() const { return {t + theta * h, q_theta, v_theta}; }
};

/// w^T f by origin, and the explicit time derivative of the potential.
struct Power {
  double external = 0;        ///< forces that do not vanish at v = 0 and have no potential
  double damping = 0;         ///< the rest of the velocity-dependent forces
  double potential = 0;       ///< -w^T grad V
  double potential_rate = 0;  ///< dV/dt at fixed q
};

struct Energies {
  double kinetic = 0, potential = 0;
};

/// What a velocity coordinate is measured in, for the scales of a run.
enum class CoordinateKind : std::uint8_t {
  unknown,  ///< formulas: its mass says how much of it counts, see scales.hpp
  length,
  angle
};

/// What never changes along a trajectory; it lets the schemes keep factors and skip passes.
struct Constancy {
  bool mass = false;
  bool linear = false;  ///< M a + c - f is affine in (q, v) with constant coefficients
};

/// Where a mount stands: reference point and axes, in space. See frame.hpp.
struct Pose {
  Vector3d c = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();
  ConstView q{};  ///< the subsystem's coordinates there; whoever asks for the pose notes them
};
struct Twist {
  Vector3d v = Vector3d::Zero();      ///< of the reference point
  Vector3d omega = Vector3d::Zero();  ///< in space
};
struct Wrench {
  Vector3d f = Vector3d::Zero();
  Vector3d m = Vector3d::Zero();  ///< about the reference point, in space
};

/// Forces at one place of a mount.
struct PointForces {
  const Vector3d* f = nullptr;
  int count = 0;
  double factor = 1;  ///< of all of them
  Vector3d arm;       ///< from the mount's reference point
};

/// Rows of a matrix, so many entries apart.
struct Lines {
  double* first;
  int stride;
  double* operator[](int k) const { return first + static_cast<std::ptrdiff_t>(k) * stride; }
};

/// The part of an operator that belongs to one subsystem.
class Segment {
 public:
  Segment(Operator& S, int at) : S_(S), at_(at) {}
  void add(int i, int j, double value) const { S_.add(at_ + i, at_ + j, value); }

 private:
  Operator& S_;
  int at_;
};

/// Private scratch of a subsystem or a constraint set: work arrays and the last evaluation, keyed by its arguments bit
/// for bit. Disposable.
class Scratch {
 public:
  virtual ~Scratch() = default;
  Crew* crew = nullptr;  ///< who may share long loops; null: nobody. No bit depends on it
};

class Subsystem {
 public:
  virtual ~Subsystem() = default;

  virtual int nq() const = 0;
  virtual int nv() const = 0;
  virtual std::vector<std::string> position_names() const = 0;
  virtual std::vector<std::string> velocity_names() const = 0;
  virtual Structure structure() const { return Structure::dense; }
  /// block_diagonal, blocks: the blocks; others: one block.
  virtual std::vector<Range> blocks() const { return {{0, nv()}}; }
  /// sparse, blocks: entries that may be nonzero; sparse: whether all operators are symmetric.
  virtual void pattern(std::vector<Eigen::Triplet<double>>& entries) const;
  virtual bool symmetric() const { return false; }
  /// Configurations are vectors: q ⊕ x = q + x.
  virtual bool flat() const { return true; }
  virtual Constancy constancy() const { return {}; }
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  /// S += c M
  virtual void mass(const Point& at, double c, Segment S, Scratch& scratch) const = 0;
  /// y += c M w
  virtual void mass_times(const Point& at, ConstView w, double c, View y, Scratch& scratch) const = 0;
  /// y += c (M a + convective - f)
  virtual void residual(const Point& at, ConstView a, double c, View y, Scratch& scratch) const = 0;
  /// S += c_K d(M a + convective - f)/dq + c_C d(convective - f)/dv
  virtual void tangents(const Point& at, ConstView a, double c_K, double c_C, Segment S, Scratch& scratch) const = 0;

  /// y += the change of momentum over the step, less h f(q_theta, v_theta). In a vector space
  /// M(q_theta)(v_next - v) + h (convective - f)(q_theta, v_theta); a rotating body balances spatial momentum instead.
  virtual void momentum_balance(const Motion& motion, View y, Scratch& scratch) const;
  /// S += its derivative by v_next when x = h v_theta: M + h theta C + h^2 theta^2 K
  virtual void momentum_tangent(const Motion& motion, Segment S, Scratch& scratch) const;

  virtual void retract(ConstView q, ConstView x, View out) const;   ///< out = q ⊕ x
  virtual void difference(ConstView a, ConstView b, View x) const;  ///< a ⊕ x = b
  /// x' of the motion q ⊕ x(t) with velocity v: v itself in a vector space.
  virtual void increment_rate(ConstView x, ConstView v, View out) const;

  virtual Energies energies(const Point& at, Scratch& scratch) const = 0;
  virtual Power power(const Point& at, ConstView w, Scratch& scratch) const = 0;
  /// w^T (d^2 V/dq^2) w
  virtual double potential_curvature(const Point& at, ConstView w, Scratch& scratch) const = 0;

  /// What frames can be fixed to.
  virtual int mounts() const { return 0; }
  virtual std::string mount_name(int) const { return {}; }
  virtual Range mount_coordinates(int) const { return {}; }  ///< of this subsystem's velocities
  virtual bool mounts_are_blocks() const { return true; }    ///< none lies over more than one of `blocks`
  virtual Pose pose(int mount, ConstView q) const;
  virtual Twist twist(int mount, const Pose& pose, ConstView v) const;
  /// row[i] = wrench . d twist / d v_i over the mount's coordinates
  virtual void pull(int mount, const Pose& pose, const Wrench& wrench, double* row) const;
  /// K(i, j) = d(pulled wrench)_i / dq_j at a wrench fixed in space; column major, zero where nothing is said
  virtual void pull_tangent(int mount, const Pose& pose, const Wrench& wrench, double* K) const;
  /// row[j] = wrench . d twist / dq_j at fixed v
  virtual void twist_tangent(int mount, const Pose& pose, const Wrench& wrench, ConstView v, double* row) const;
  /// The acceleration at v' = 0 of reference point and angular velocity, quadratic in v; of rigid bodies none.
  virtual Twist mount_bias(int, const Pose&, ConstView) const { return {}; }

  virtual CoordinateKind kind(int /*velocity*/) const { return CoordinateKind::unknown; }
  /// The largest length of a configuration: places and radii of gyration; not asked of coordinates of unknown kind.
  virtual double extent(ConstView) const { return 0; }

  /// Text of what is wrong with a configuration (a quaternion of length zero, say); empty if nothing is.
  virtual std::string check_configuration(ConstView) const { return {}; }

  /// `pull` of several forces, a row for each of them.
  virtual void pull_forces(int mount, const Pose& pose, const PointForces& forces, Lines rows) const;
  /// d(row . v)/dq of these rows.
  virtual void turn_forces(int mount, const Pose& pose, const PointForces& forces, ConstView v, Lines rows) const;
};

}  // namespace ricochet
