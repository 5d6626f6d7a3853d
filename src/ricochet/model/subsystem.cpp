#include "ricochet/model/subsystem.hpp"

#include <array>
#include <cassert>

namespace ricochet {

void Subsystem::pattern(std::vector<Eigen::Triplet<double>>& entries) const {
  for (const Range& r : blocks())
    for (int j = r.at; j < r.at + r.n; ++j)
      for (int i = r.at; i < r.at + r.n; ++i) entries.emplace_back(i, j, 0.0);
}

void Subsystem::momentum_balance(const Motion& m, View y, Scratch& scratch) const {
  residual(m.at_theta(), m.a, m.h, y, scratch);
}

void Subsystem::momentum_tangent(const Motion& m, Segment S, Scratch& scratch) const {
  mass(m.at_theta(), 1, S, scratch);
  tangents(m.at_theta(), m.a, m.h * m.h * m.theta * m.theta, m.h * m.theta, S, scratch);
}

void Subsystem::retract(ConstView q, ConstView x, View out) const {
  for (Index i = 0; i < q.size(); ++i) out[i] = q[i] + x[i];
}

void Subsystem::difference(ConstView a, ConstView b, View x) const {
  for (Index i = 0; i < a.size(); ++i) x[i] = b[i] - a[i];
}

void Subsystem::increment_rate(ConstView, ConstView v, View out) const {
  for (Index i = 0; i < out.size(); ++i) out[i] = v[i];
}

Pose Subsystem::pose(int, ConstView) const { return {}; }
Twist Subsystem::twist(int, const Pose&, ConstView) const { return {}; }
void Subsystem::pull(int, const Pose&, const Wrench&, double*) const {}
void Subsystem::pull_forces(int mount, const Pose& pose, const PointForces& forces, Lines rows) const {
  for (int k = 0; k < forces.count; ++k) {
    const Vector3d f = forces.factor * forces.f[k];
    pull(mount, pose, {f, forces.arm.cross(f)}, rows[k]);
  }
}
void Subsystem::turn_forces(int mount, const Pose& pose, const PointForces& forces, ConstView v, Lines rows) const {
  const int n = mount_coordinates(mount).n;
  const Vector3d omega = twist(mount, pose, v).omega;
  constexpr std::size_t kMost = 24;  // coordinates of a mount
  std::array<double, kMost> own;
  assert(n <= static_cast<int>(kMost));
  for (int k = 0; k < forces.count; ++k) {
    // f . (omega x (dphi x arm)) = dphi . ((arm . omega) f - (arm . f) omega), and what the twist itself turns
    const Vector3d f = forces.factor * forces.f[k];
    pull(mount, pose, {Vector3d::Zero(), forces.arm.dot(omega) * f - forces.arm.dot(f) * omega}, rows[k]);
    twist_tangent(mount, pose, {f, forces.arm.cross(f)}, v, own.data());
    for (int i = 0; i < n; ++i) rows[k][i] += own[static_cast<std::size_t>(i)];
  }
}
void Subsystem::pull_tangent(int, const Pose&, const Wrench&, double*) const {}
void Subsystem::twist_tangent(int, const Pose&, const Wrench&, ConstView, double*) const {}

}  // namespace ricochet
