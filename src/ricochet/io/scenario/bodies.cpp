// Rigid bodies over a plane.
#include <fmt/format.h>

#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/model/constraint/points_on_plane.hpp"
#include "ricochet/model/joint/frame_joints.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;
using yaml::Node;

Vector3d read_inertia(const Fields& body, double mass, Numbers& numbers) {
  if (body.one_of({"inertia", "box"}) == "inertia") {
    const Vector3d J = numbers.vector(body, "inertia");
    if (!is_inertia(J))
      body.fail("inertia",
                fmt::format("{} is more than the sum of the other two; accepted: moments that a body can have",
                            J.maxCoeff()));
    return J;
  }
  const Vector3d s = numbers.vector(body.block("box"), "size").array().square();
  return mass / 12 * Vector3d(s[1] + s[2], s[2] + s[0], s[0] + s[1]);
}

Quaterniond read_orientation(const Fields& body, Numbers& numbers) {
  const std::vector<double> x = numbers.list(body, "orientation");
  if (x.size() == 3) return exp_quaternion({x[0], x[1], x[2]});
  if (x.size() != 4)
    body.fail("orientation", fmt::format("expected a quaternion [w, x, y, z] or a rotation vector [x, y, z], found {} "
                                         "entries",
                                         x.size()));
  const Quaterniond Q(x[0], x[1], x[2], x[3]);
  if (!(std::abs(Q.norm() - 1) < 1e-3))
    body.fail("orientation", fmt::format("the quaternion has length {:.6g}; accepted: length 1", Q.norm()));
  return Q.normalized();
}

// Points of one body that may touch the plane; without a plane there is no law.
void read_points(const std::string& name, const Fields& body, int index, const ContactLaw* law, Parts& parts,
                 std::vector<PointOnPlane>& points) {
  const bool box = body.has("box"), own = body.has("points");
  const bool corners = body.has("contacts") ? body.text("contacts") == "corners" : box && law != nullptr && !own;
  if (corners && !box) body.fail("contacts", "corners need a box; accepted: none, or box: {size: [x, y, z]}");
  if ((corners || own) && law == nullptr)
    body.fail(own ? "points" : "contacts",
              "there is nothing to touch; give system.plane (bodies do not touch each other)");
  const auto add = [&](const std::string& label, const Vector3d& point, const Node& node) {
    points.push_back({name + "." + label, index, point, law});
    declare_constraint(points.back().name, node, parts);
  };
  if (corners) {
    const Vector3d half = parts.numbers.vector(body.block("box"), "size") / 2;
    for (int c = 0; c < 8; ++c) {
      const Vector3d side(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
      add(fmt::format("corner{}", c + 1), half.cwiseProduct(side), body.node());
    }
  }
  for (const auto& [label, node] : body.named_nodes("points")) {
    const std::vector<Node> x = node.items();
    if (x.size() != 3) node.fail(fmt::format("expected a point [x, y, z], found {} entries", x.size()));
    add(label, {parts.numbers.value(x[0]), parts.numbers.value(x[1]), parts.numbers.value(x[2])}, node);
  }
}

constexpr const char* kGround = "ground";

/// A frame at a point of space with the axes R, on a body in its initial pose.
Frame fix(const Vector3d& at, const Matrix3d& R, int mount, const State& initial) {
  if (mount == 0) return {mount, at, R};
  const double* p = initial.q.data() + 7 * (mount - 1);
  const Matrix3d body = Quaterniond(p[3], p[4], p[5], p[6]).toRotationMatrix();
  return {mount, body.transpose() * (at - Vector3d(p[0], p[1], p[2])), body.transpose() * R};
}

/// Right-handed axes with z along `axis`.
Matrix3d axes_along(const Vector3d& axis) {
  Matrix3d R;
  R.col(2) = axis.normalized();
  Index least = 0;
  R.col(2).cwiseAbs().minCoeff(&least);
  R.col(0) = R.col(2).cross(Vector3d::Unit(least)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

/// Joints at the initial pose of the bodies. Mount 0 is the ground, the others are the bodies in their order.
std::vector<FrameJoint> read_joints(const Fields& system, const std::vector<RigidBody>& bodies, Parts& parts) {
  std::vector<std::string> names{kGround};
  for (const RigidBody& b : bodies) names.push_back(b.name);
  std::vector<FrameJoint> joints;
  for (const auto& [name, fields] : system.named_blocks("joints")) {
    const std::string kind = fields.one_of(
        {"fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "distance"});
    std::vector<int> ends;
    for (const std::string& end : fields.texts(kind)) {
      const auto found = std::find(names.begin(), names.end(), end);
      if (found == names.end()) fields.fail(kind, unknown_word("body", end, names));
      ends.push_back(static_cast<int>(found - names.begin()));
    }
    if (ends[0] == ends[1])
      fields.fail(kind, fmt::format("joins '{}' with itself; accepted: two bodies, or one and ground", names[ends[0]]));
    const Vector3d at = parts.numbers.vector(fields, "at"), axis = parts.numbers.vector(fields, "axis");
    if (!(axis.norm() > 1e-100)) fields.fail("axis", "the direction has length zero; accepted: any other");
    if (fields.has("to") != (kind == "distance"))
      fields.fail(fields.has("to") ? "to" : kind, "`to` belongs to distance, and distance needs it");
    const Vector3d to = kind == "distance" ? parts.numbers.vector(fields, "to") : at;
    const double length = (to - at).norm();
    if (kind == "distance" && !(length > 0))
      fields.fail("to", "the points coincide; accepted: points apart, or a spherical joint");
    const Matrix3d R = axes_along(axis);
    declare_constraint(name, fields.node(), parts);
    joints.push_back(
        {name, fix(at, R, ends[0], parts.initial), fix(to, R, ends[1], parts.initial), joint_rows(kind, length)});
  }
  return joints;
}

}  // namespace

void read_bodies(const Fields& system, const Fields& initial, Parts& parts) {
  Numbers& numbers = parts.numbers;
  for (const char* key : {"position", "velocity"})
    if (initial.has(key))
      initial.node(key).fail_key("bodies hold their initial state; give position and velocity there");
  Plane plane;
  const ContactLaw* law = nullptr;
  if (system.has("plane")) {
    const Fields block = system.block("plane");
    plane.normal = numbers.vector(block, "normal");
    if (!(plane.normal.norm() > 1e-100)) block.fail("normal", "the direction has length zero; accepted: any other");
    plane.offset = numbers.number(block, "offset");
    law = read_law(block, 2, parts);
  }
  const auto named = system.named_blocks("bodies");
  if (named.empty()) system.fail("bodies", "no body is given; name at least one");
  std::vector<RigidBody> bodies;
  std::vector<PointOnPlane> points;
  parts.initial.q.setZero(7 * std::ssize(named));
  parts.initial.v.setZero(6 * std::ssize(named));
  for (const auto& [name, body] : named) {
    if (name == kGround) body.node().fail("'ground' is what does not move; accepted: another name");
    const auto k = static_cast<Index>(bodies.size());
    const double mass = numbers.number(body, "mass");
    const Quaterniond Q = read_orientation(body, numbers);
    bodies.push_back({name, mass, read_inertia(body, mass, numbers)});
    // One body alone is checked here, so that what is wrong is told at its place.
    try {
      make_rigid_bodies({bodies.back()}, Vector3d::Zero());
    } catch (const InputError& error) {
      body.node().fail(error.message);
    }
    read_points(name, body, static_cast<int>(k), law, parts, points);
    parts.initial.q.segment(7 * k, 3) = numbers.vector(body, "position");
    parts.initial.q.segment(7 * k + 3, 4) << Q.w(), Q.x(), Q.y(), Q.z();
    parts.initial.v.segment(6 * k, 3) = numbers.vector(body, "velocity");
    parts.initial.v.segment(6 * k + 3, 3) = numbers.vector(body, "angular_velocity");
  }
  std::vector<FrameJoint> joints = read_joints(system, bodies, parts);
  auto subsystem = make_rigid_bodies(std::move(bodies), numbers.vector(system, "gravity"));
  if (!joints.empty()) {
    std::vector<Mount> mounts{{}};
    for (int b = 0; b < subsystem->mounts(); ++b) mounts.push_back({subsystem.get(), b, 0, 0});
    parts.builder.add(make_frame_joints(std::move(mounts), std::move(joints)));
  }
  parts.builder.add(std::move(subsystem));
  if (!points.empty()) parts.builder.add(make_points_on_plane(std::move(points), plane, 0, 0));
  parts.check_mass = false;
}

}  // namespace ricochet::scenario
