#pragma once
// Systems of many bodies as models, of any size: made without a scenario, whose reading would take longer than the run.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/math/rotation.hpp"
#include "ricochet/model/constraint/points_on_plane.hpp"
#include "ricochet/model/force/frame_forces.hpp"
#include "ricochet/model/joint/frame_joints.hpp"
#include "ricochet/model/model.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet::test {

struct System {
  Model model;
  State initial;
};

inline State at_rest(int bodies) {
  State s;
  s.q = VectorXd::Zero(7 * static_cast<Index>(bodies));
  s.v = VectorXd::Zero(6 * static_cast<Index>(bodies));
  for (int b = 0; b < bodies; ++b) s.q[7 * static_cast<Index>(b) + 3] = 1;
  return s;
}

/// Between the origins of two bodies, of length 0.15.
inline FrameForce spring(const std::string& name, int a, int b, double stiffness) {
  FrameForce out;
  out.name = name;
  out.A.mount = a, out.B.mount = b;
  out.measure = {FrameRow::Kind::distance, Vector3d::UnitX(), Vector3d::UnitX(), 0.15};
  out.stiffness = stiffness;
  return out;
}

/// Cubes of 0.1 m that stand apart on a plane, each on its four lower corners; every second one slides. Of several
/// restitutions and friction coefficients if `mixed`, some of them without friction. `first`: number of the first one.
/// `stiffness`: of springs between neighbours, the first and the second, the third and the fourth ...
inline System boxes_on_a_plane(int count, bool mixed = false, int first = 0, double stiffness = 0) {
  ModelBuilder builder;
  std::vector<const ContactLaw*> laws{builder.add(make_law("", {0, 0.3}))};
  if (mixed) {
    laws.push_back(builder.add(make_law("", {0, 0})));
    laws.push_back(builder.add(make_law("", {0.2, 0.6})));
  }
  std::vector<RigidBody> bodies;
  std::vector<PointOnPlane> points;
  State initial = at_rest(count);
  for (int k = 0; k < count; ++k) {
    const int b = first + k;
    const std::string name = "box" + std::to_string(b);
    bodies.push_back({name, 1, Vector3d::Constant(1.0 / 600)});
    for (int c = 0; c < 4; ++c)
      points.push_back({name + ".corner" + std::to_string(c), k, 0.05 * Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, -1),
                        laws[static_cast<std::size_t>(b) % laws.size()]});
    initial.q.segment(7 * static_cast<Index>(k), 3) << 0.2 * (b % 50), 0.2 * (b / 50), 0.05;
    if (b % 2 == 1) initial.v.segment(6 * static_cast<Index>(k), 2) << 1 + 0.01 * (b % 7), 0.3;
  }
  auto subsystem = make_rigid_bodies(std::move(bodies), {0, 0, -9.81});
  if (stiffness > 0) {
    std::vector<Mount> mounts{{}};
    std::vector<FrameForce> springs;
    for (int b = 0; b < count; ++b) mounts.push_back({subsystem.get(), b, 0, 0});
    for (int b = 1; b < count; b += 2) springs.push_back(spring("spring" + std::to_string(b), b, b + 1, stiffness));
    builder.add(make_frame_forces(mounts, std::move(springs)));
  }
  builder.add(std::move(subsystem));
  builder.add(make_points_on_plane(std::move(points), {}, 0, 0));
  return {builder.freeze(), std::move(initial)};
}

struct Chains {
  int links = 1;
  int copies = 1;  ///< beside each other, in y
  std::string kind = "revolute";
  int tips = 0;          ///< last links whose ends may touch a plane ...
  double floor = 0;      ///< ... at this height
  bool twice = false;    ///< every joint a second time, 0.05 further along its axis: redundant
  double stiffness = 0;  ///< of springs from each link to the one after the next
};

/// Chains of rods of 0.1 m from the ground, straight at the beginning, the joints' axes in turn along y and z.
inline System hanging_chains(const Chains& c) {
  ModelBuilder builder;
  std::vector<RigidBody> bodies;
  State initial = at_rest(c.links * c.copies);
  for (int b = 0; b < c.links * c.copies; ++b) {
    bodies.push_back({"link" + std::to_string(b), 0.1, {1e-5, 1e-4, 1e-4}});
    initial.q[7 * static_cast<Index>(b)] = 0.1 * (b % c.links) + 0.05;
    initial.q[7 * static_cast<Index>(b) + 1] = b / c.links;
  }
  auto subsystem = make_rigid_bodies(std::move(bodies), {0, 0, -9.81});
  std::vector<Mount> mounts{{}};
  for (int b = 0; b < c.links * c.copies; ++b) mounts.push_back({subsystem.get(), b, 0, 0});
  Matrix3d along_y;  // axes with z along y
  along_y.col(0) = Vector3d::UnitZ(), along_y.col(1) = Vector3d::UnitX(), along_y.col(2) = Vector3d::UnitY();
  std::vector<FrameJoint> joints;
  for (int b = 0; b < c.links * c.copies; ++b)
    for (int second = 0; second <= (c.twice ? 1 : 0); ++second) {
      const int k = b % c.links;
      const Matrix3d R = k % 2 == 0 ? along_y : Matrix3d::Identity();
      const Vector3d shift = 0.05 * second * R.col(2), end = 0.05 * Vector3d::UnitX();
      const Vector3d on_A = k == 0 ? Vector3d(0, b / c.links, 0) : end;
      joints.push_back({"joint" + std::to_string(b) + (second > 0 ? "again" : ""),
                        {k == 0 ? 0 : b, on_A + shift, R},
                        {b + 1, shift - end, R},
                        joint_rows(c.kind)});
    }
  builder.add(make_frame_joints(mounts, std::move(joints)));
  if (c.stiffness > 0) {
    std::vector<FrameForce> springs;
    for (int b = 0; b < c.links * c.copies; ++b)
      if (b % c.links + 2 < c.links) springs.push_back(spring("spring" + std::to_string(b), b + 1, b + 3, c.stiffness));
    builder.add(make_frame_forces(mounts, std::move(springs)));
  }
  builder.add(std::move(subsystem));
  if (c.tips > 0) {
    const ContactLaw* law = builder.add(make_law("", {0, 0.3}));
    std::vector<PointOnPlane> points;
    for (int b = 0; b < c.links * c.copies; ++b)
      if (b % c.links >= c.links - c.tips)
        points.push_back({"tip" + std::to_string(b), b, 0.05 * Vector3d::UnitX(), law});
    builder.add(make_points_on_plane(std::move(points), {Vector3d::UnitZ(), c.floor}, 0, 0));
  }
  return {builder.freeze(), std::move(initial)};
}

}  // namespace ricochet::test
