// Rigid bodies over a plane.
#include <fmt/format.h>

#include "ricochet/io/scenario/parts.hpp"
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

void add_subsystem(std::unique_ptr<Subsystem> subsystem, const std::vector<BodyText>& bodies, const Vector3d& plane,
                   Parts& parts) {
  const Beginning at = parts.grow(*subsystem, bodies.front().fields.node());
  for (int b = 0; b < subsystem->mounts(); ++b) {
    const BodyText& text = bodies[static_cast<std::size_t>(b)];
    parts.assembly.add(text.name, text.pose, {.plane = plane}, {subsystem.get(), b, at.q, at.v, at.body});
  }
  parts.builder.add(std::move(subsystem));
}

void add_bodies_in_space(const std::vector<BodyText>& bodies, const Vector3d& gravity, Parts& parts) {
  std::vector<RigidBody> made;
  for (const BodyText& b : bodies) made.push_back({b.name, b.mass, b.inertia});
  add_subsystem(make_rigid_bodies(std::move(made), gravity), bodies, Vector3d::Zero(), parts);
  Index k = parts.initial.q.size() - 7 * std::ssize(bodies), l = parts.initial.v.size() - 6 * std::ssize(bodies);
  for (const BodyText& b : bodies) {
    parts.initial.q.segment(k, 7) << b.pose.c, b.Q.w(), b.Q.x(), b.Q.y(), b.Q.z();
    parts.initial.v.segment(l, 6) << b.twist.v, b.twist.omega;
    k += 7, l += 6;
  }
}

PlaneOfMotion plane_of(const std::string& name) {
  const auto axis = [](char c) { return Vector3d(Vector3d::Unit(c - 'x')); };
  return {axis(name[0]), axis(name[1]), {name.substr(0, 1), name.substr(1, 1)}};
}

void add_bodies_in_plane(const std::vector<BodyText>& bodies, const PlaneOfMotion& plane, const Vector3d& gravity,
                         Parts& parts) {
  const Vector3d n = plane.n();
  const auto leaves = [&](const Vector3d& x, const Vector3d& allowed) {
    return (x - allowed).norm() > 1e-12 * (1 + x.norm());
  };
  std::vector<PlanarBody> made;
  VectorXd q(3 * std::ssize(bodies)), v(3 * std::ssize(bodies));
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
    q.segment(3 * k, 3) << plane.e1.dot(b.pose.c), plane.e2.dot(b.pose.c), n.dot(turn);
    v.segment(3 * k, 3) << plane.e1.dot(b.twist.v), plane.e2.dot(b.twist.v), n.dot(b.twist.omega);
  }
  add_subsystem(make_planar_bodies(std::move(made), plane, gravity), bodies, n, parts);
  parts.initial.q.tail(q.size()) = q;
  parts.initial.v.tail(v.size()) = v;
}

}  // namespace

void read_bodies(const Fields& system, const Vector3d& gravity, Parts& parts) {
  Numbers& numbers = parts.numbers;
  PlaneOfMotion motion;
  const bool planar = system.has("planar");
  if (planar) motion = plane_of(system.text("planar"));
  TouchingPoints touching;
  touching.first_mount = static_cast<int>(parts.assembly.mounts.size());
  Plane& plane = touching.plane;
  const ContactLaw*& law = touching.law;
  if (system.has("plane")) {
    const Fields block = system.block("plane");
    plane.normal = numbers.vector(block, "normal");
    if (!(plane.normal.norm() > 1e-100)) block.fail("normal", "the direction has length zero; accepted: any other");
    if (planar && std::abs(plane.normal.dot(motion.n())) > 1e-12 * plane.normal.norm())
      block.fail("normal", "leaves the plane of motion; accepted: a direction in it");
    plane.offset = numbers.number(block, "offset");
    law = read_law(block, planar ? 1 : 2, parts);
  }
  const auto named = system.named_blocks("bodies");
  if (named.empty()) system.fail("bodies", "no body is given; name at least one");
  std::vector<BodyText> bodies;
  for (const auto& [given, body] : named) {
    const std::string name = parts.prefix + given;
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
    read_points(name, body, static_cast<int>(bodies.size()) - 1,
                {law != nullptr, planar ? motion.n() : Vector3d(Vector3d::Zero())}, parts, touching.points);
  }
  if (planar)
    add_bodies_in_plane(bodies, motion, gravity, parts);
  else
    add_bodies_in_space(bodies, gravity, parts);
  if (!touching.points.empty()) parts.assembly.touching.push_back(std::move(touching));
}

}  // namespace ricochet::scenario
