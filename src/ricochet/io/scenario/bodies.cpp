// Rigid bodies over a plane.
#include <fmt/format.h>

#include "ricochet/io/scenario/mechanism.hpp"
#include "ricochet/model/constraint/points_on_plane.hpp"
#include "ricochet/model/subsystem/planar_bodies.hpp"
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

struct TouchingPoint {
  std::string name;
  int body = 0;
  Vector3d point;  ///< in body axes
};

/// Where points of bodies are to be read for: whether there is a plane to touch, and the normal of that of motion.
struct Touchable {
  bool plane;
  Vector3d n;
};

// Points of one body that may touch the plane.
void read_points(const std::string& name, const Fields& body, int index, const Touchable& what, Parts& parts,
                 std::vector<TouchingPoint>& points) {
  const bool plane = what.plane, box = body.has("box"), own = body.has("points");
  const bool corners = body.has("contacts") ? body.text("contacts") == "corners" : box && plane && !own;
  if (corners && !box) body.fail("contacts", "corners need a box; accepted: none, or box: {size: [x, y, z]}");
  if ((corners || own) && !plane)
    body.fail(own ? "points" : "contacts",
              "there is nothing to touch; give system.plane (bodies do not touch each other)");
  const auto add = [&](const std::string& label, const Vector3d& point, const Node& node) {
    points.push_back({name + "." + label, index, point});
    declare_constraint(points.back().name, node, parts);
  };
  if (corners) {
    const Vector3d half = parts.numbers.vector(body.block("box"), "size") / 2;
    for (int c = 0; c < 8; ++c) {
      const Vector3d side(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
      if (side.dot(what.n) < 0) continue;  // in a plane of motion it coincides with the one opposite
      add(fmt::format("corner{}", c + 1), half.cwiseProduct(side), body.node());
    }
  }
  for (const auto& [label, node] : body.named_nodes("points")) {
    const std::vector<Node> x = node.items();
    if (x.size() != 3) node.fail(fmt::format("expected a point [x, y, z], found {} entries", x.size()));
    add(label, {parts.numbers.value(x[0]), parts.numbers.value(x[1]), parts.numbers.value(x[2])}, node);
  }
}

/// What the scenario says about one body.
struct BodyText {
  std::string name;
  Fields fields;
  double mass;
  Vector3d inertia;
  Pose pose;
  Quaterniond Q;
  Twist twist;  ///< omega in body axes
};

void add_bodies_in_space(const std::vector<BodyText>& bodies, const Vector3d& gravity, Parts& parts,
                         std::vector<Mount>& mounts) {
  std::vector<RigidBody> made;
  parts.initial.q.resize(7 * std::ssize(bodies));
  parts.initial.v.resize(6 * std::ssize(bodies));
  for (const BodyText& b : bodies) {
    const auto k = static_cast<Index>(made.size());
    made.push_back({b.name, b.mass, b.inertia});
    parts.initial.q.segment(7 * k, 7) << b.pose.c, b.Q.w(), b.Q.x(), b.Q.y(), b.Q.z();
    parts.initial.v.segment(6 * k, 6) << b.twist.v, b.twist.omega;
  }
  auto subsystem = make_rigid_bodies(std::move(made), gravity);
  for (int b = 0; b < subsystem->mounts(); ++b) mounts.push_back({subsystem.get(), b, 0, 0});
  parts.builder.add(std::move(subsystem));
}

PlaneOfMotion plane_of(const std::string& name) {
  const auto axis = [](char c) { return Vector3d(Vector3d::Unit(c - 'x')); };
  return {axis(name[0]), axis(name[1]), {name.substr(0, 1), name.substr(1, 1)}};
}

void add_bodies_in_plane(const std::vector<BodyText>& bodies, const PlaneOfMotion& plane, const Vector3d& gravity,
                         Parts& parts, std::vector<Mount>& mounts) {
  const Vector3d n = plane.n();
  const auto leaves = [&](const Vector3d& x, const Vector3d& allowed) {
    return (x - allowed).norm() > 1e-12 * (1 + x.norm());
  };
  std::vector<PlanarBody> made;
  parts.initial.q.resize(3 * std::ssize(bodies));
  parts.initial.v.resize(3 * std::ssize(bodies));
  for (const BodyText& b : bodies) {
    const auto k = static_cast<Index>(made.size());
    const Vector3d turn = log_quaternion(b.Q);
    if (leaves(turn, n * n.dot(turn)))
      b.fields.fail("orientation", "turns out of the plane of motion; accepted: rotations about its normal");
    if (std::abs(n.dot(b.twist.v)) > 1e-12 * (1 + b.twist.v.norm()))
      b.fields.fail("velocity", "leaves the plane of motion");
    if (leaves(b.twist.omega, n * n.dot(b.twist.omega)))
      b.fields.fail("angular_velocity", "turns out of the plane of motion");
    made.push_back({b.name, b.mass, n.cwiseAbs().dot(b.inertia), {n * n.dot(b.pose.c), Matrix3d::Identity()}});
    parts.initial.q.segment(3 * k, 3) << plane.e1.dot(b.pose.c), plane.e2.dot(b.pose.c), n.dot(turn);
    parts.initial.v.segment(3 * k, 3) << plane.e1.dot(b.twist.v), plane.e2.dot(b.twist.v), n.dot(b.twist.omega);
  }
  auto subsystem = make_planar_bodies(std::move(made), plane, gravity);
  for (int b = 0; b < subsystem->mounts(); ++b) mounts.push_back({subsystem.get(), b, 0, 0});
  parts.builder.add(std::move(subsystem));
}

/// Right-handed axes with z along the normal.
Matrix3d plane_axes(const Vector3d& normal) {
  const Vector3d n = normal.normalized();
  const Vector3d seed = std::abs(n.x()) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
  Matrix3d R;
  R.col(0) = (seed - n * n.dot(seed)).normalized();
  R.col(1) = n.cross(R.col(0));
  R.col(2) = n;
  return R;
}

}  // namespace

void read_bodies(const Fields& system, const Fields& initial, Parts& parts) {
  Numbers& numbers = parts.numbers;
  for (const char* key : {"position", "velocity"})
    if (initial.has(key))
      initial.node(key).fail_key("bodies hold their initial state; give position and velocity there");
  Assembly assembly;
  PlaneOfMotion motion;
  if (system.has("planar")) {
    motion = plane_of(system.text("planar"));
    assembly.plane = motion.n();
  }
  Plane plane;
  const ContactLaw* law = nullptr;
  if (system.has("plane")) {
    const Fields block = system.block("plane");
    plane.normal = numbers.vector(block, "normal");
    if (!(plane.normal.norm() > 1e-100)) block.fail("normal", "the direction has length zero; accepted: any other");
    if (assembly.planar() && std::abs(plane.normal.dot(assembly.plane)) > 1e-12 * plane.normal.norm())
      block.fail("normal", "leaves the plane of motion; accepted: a direction in it");
    plane.offset = numbers.number(block, "offset");
    law = read_law(block, assembly.tangents(), parts);
  }
  const auto named = system.named_blocks("bodies");
  if (named.empty()) system.fail("bodies", "no body is given; name at least one");
  std::vector<BodyText> bodies;
  std::vector<TouchingPoint> points;
  for (const auto& [name, body] : named) {
    if (name == kGround) body.node().fail("'ground' is what does not move; accepted: another name");
    const double mass = numbers.number(body, "mass");
    const Quaterniond Q = read_orientation(body, numbers);
    bodies.push_back({name,
                      body,
                      mass,
                      read_inertia(body, mass, numbers),
                      {numbers.vector(body, "position"), Q.toRotationMatrix()},
                      Q,
                      {numbers.vector(body, "velocity"), numbers.vector(body, "angular_velocity")}});
    // One body alone is checked here, so that what is wrong is told at its place.
    try {
      make_rigid_bodies({{name, mass, bodies.back().inertia}}, Vector3d::Zero());
    } catch (const InputError& error) {
      body.node().fail(error.message);
    }
    read_points(name, body, static_cast<int>(bodies.size()) - 1, {law != nullptr, assembly.plane}, parts, points);
    assembly.names.push_back(name);
    assembly.poses.push_back(bodies.back().pose);
  }
  Mechanism mechanism = read_mechanism(system, assembly, parts);
  std::vector<Mount> mounts{{}};
  const Vector3d gravity = numbers.vector(system, "gravity");
  if (assembly.planar())
    add_bodies_in_plane(bodies, motion, gravity, parts, mounts);
  else
    add_bodies_in_space(bodies, gravity, parts, mounts);
  if (!mechanism.joints.empty()) parts.builder.add(make_frame_joints(mounts, std::move(mechanism.joints)));
  if (!mechanism.forces.empty()) parts.builder.add(make_frame_forces(mounts, std::move(mechanism.forces)));
  if (!points.empty() && assembly.planar()) {
    const Frame ground{0, plane.offset * plane.normal.normalized(), plane_axes(plane.normal)};
    for (TouchingPoint& p : points)
      mechanism.contacts.push_back({p.name, ground, {p.body + 1, p.point, Matrix3d::Identity()}, {}, law});
  } else if (!points.empty()) {
    std::vector<PointOnPlane> touching;
    for (TouchingPoint& p : points) touching.push_back({p.name, p.body, p.point, law});
    parts.builder.add(make_points_on_plane(std::move(touching), plane, 0, 0));
  }
  if (!mechanism.contacts.empty())
    parts.builder.add(make_frame_contacts(mounts, std::move(mechanism.contacts), assembly.plane));
  parts.check_mass = false;
}

}  // namespace ricochet::scenario
