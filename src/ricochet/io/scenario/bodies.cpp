// Rigid bodies over a plane.
#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/cad.hpp"
#include "ricochet/io/scenario/collision.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;
using yaml::Node;

/// What the scenario says about one body.
struct BodyText {
  std::string name;
  Fields fields;
  MassProperties mass;  ///< in body axes
  Pose pose;            ///< of the centre of mass
  Quaterniond Q;
  Twist twist;  ///< of the centre of mass; omega in body axes
  std::string group;
  std::shared_ptr<const brep::Part> part;
};

/// `from`: where the scene of the body puts it.
BodyText read_body(const SceneBody& from, const Fields& fields, const Vector3d& plane, Parts& parts) {
  const std::string& name = from.name;
  Numbers& numbers = parts.numbers;
  const std::shared_ptr<const brep::Part> part = read_part(fields);
  const MassProperties mass = read_mass_with(part.get(), fields, plane, numbers);
  const Quaterniond Q = from.turn * read_orientation(fields, numbers);
  const Matrix3d R = Q.toRotationMatrix();
  const Vector3d omega = numbers.vector(fields, "angular_velocity");
  return {name,
          fields,
          mass,
          {from.position + numbers.vector(fields, "position") + R * mass.centre, R},
          Q,
          {numbers.vector(fields, "velocity") + R * omega.cross(mass.centre), omega},
          fields.has("group") ? fields.text("group") : name,
          part};
}

RigidBody body_in_space(const BodyText& b) {
  const Matrix3d& J = b.mass.inertia;
  return {b.name, b.mass.mass, J.diagonal(), {J(1, 2), J(2, 0), J(0, 1)}};
}

/// Where points of bodies are to be read for: whether there is a plane to touch, and the normal of that of motion.
struct Touchable {
  bool plane;
  Vector3d n;
};

// Points of one body that may touch the plane.
void read_touching(const BodyText& text, int index, const Touchable& what, Parts& parts,
                   std::vector<TouchingPoint>& points) {
  const std::string& name = text.name;
  const Fields& body = text.fields;
  const bool plane = what.plane, box = body.has("box"), own = body.has("points");
  const bool corners = body.has("contacts") ? body.text("contacts") == "corners" : box && plane && !own;
  if (corners && !box) body.fail("contacts", "corners need a box; accepted: none, or box: {size: [x, y, z]}");
  if ((corners || own) && !plane)
    body.fail(own ? "points" : "contacts",
              "there is nothing to touch; give system.plane (bodies do not touch each other)");
  const auto add = [&](const std::string& label, const Vector3d& point, const Node& node) {
    points.push_back({name + "." + label, index, point - text.mass.centre});
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

/// `from`: as of read_body.
void note_fixed(const SceneBody& from, const std::string& group, const Fields& body, const Vector3d& plane,
                Parts& parts) {
  for (const char* key : {"mass", "inertia", "centre", "velocity", "angular_velocity", "points", "contacts"})
    if (body.has(key)) body.fail(key, "has no meaning for a body that is fixed");
  const Pose pose{from.position + parts.numbers.vector(body, "position"),
                  (from.turn * read_orientation(body, parts.numbers)).toRotationMatrix()};
  note_shapes(body, {from.name, body.has("group") ? body.text("group") : group, 0, pose, Vector3d::Zero(), plane},
              parts);
  if (const auto part = read_part(body); part != nullptr)
    parts.assembly.parts.push_back({from.name, {0, pose.c, pose.R}, part});
}

/// The bodies of scenes that move; of those that do not the shapes are noted.
std::vector<BodyText> read_scenes(const Fields& system, const Vector3d& plane, Parts& parts) {
  std::vector<BodyText> out;
  for (const auto& [given, scene] : system.named_blocks("scenes")) {
    const std::string name = parts.prefix + given;
    const Fields body = scene.block("body");
    if (!body.has("shapes") && !body.has("box")) body.node().fail("needs `shapes` or `box`: how wide it is");
    const Vector3d size = extent_of(body, parts.numbers);
    for (const SceneBody& s : read_scene(name, scene, size, plane, parts.numbers)) {
      if (body.boolean("fixed")) {
        note_fixed(s, name, body, plane, parts);
        continue;
      }
      out.push_back(read_body(s, body, plane, parts));
      if (!body.has("group")) out.back().group = name;
    }
  }
  return out;
}

void add_subsystem(std::unique_ptr<Subsystem> subsystem, const std::vector<BodyText>& bodies, const Freedom& freedom,
                   Parts& parts) {
  const Beginning at = parts.grow(*subsystem, bodies.front().fields.node());
  for (int b = 0; b < subsystem->mounts(); ++b) {
    const BodyText& text = bodies[static_cast<std::size_t>(b)];
    parts.assembly.add(text.name, text.pose, freedom, {subsystem.get(), b, at.q, at.v, at.body}, text.mass.centre);
  }
  parts.builder.add(std::move(subsystem));
}

void add_bodies_in_space(const std::vector<BodyText>& bodies, const Vector3d& gravity, Parts& parts) {
  std::vector<RigidBody> made;
  for (const BodyText& b : bodies) made.push_back(body_in_space(b));
  add_subsystem(make_rigid_bodies(made, gravity), bodies, {}, parts);
  Index k = parts.initial.q.size() - 7 * std::ssize(bodies), l = parts.initial.v.size() - 6 * std::ssize(bodies);
  for (const BodyText& b : bodies) {
    parts.initial.q.segment(k, 7) << b.pose.c, b.Q.w(), b.Q.x(), b.Q.y(), b.Q.z();
    parts.initial.v.segment(l, 6) << b.twist.v, b.twist.omega;
    k += 7, l += 6;
  }
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
    made.push_back({b.name, b.mass.mass, n.dot(b.mass.inertia * n), {n * n.dot(b.pose.c), Matrix3d::Identity()}});
    q.segment(3 * k, 3) << plane.e1.dot(b.pose.c), plane.e2.dot(b.pose.c), n.dot(turn);
    v.segment(3 * k, 3) << plane.e1.dot(b.twist.v), plane.e2.dot(b.twist.v), n.dot(b.twist.omega);
  }
  add_subsystem(make_planar_bodies(std::move(made), plane, gravity), bodies, {.plane = n, .e1 = plane.e1}, parts);
  parts.initial.q.tail(q.size()) = q;
  parts.initial.v.tail(v.size()) = v;
}

}  // namespace

void read_bodies(const Fields& system, const Vector3d& gravity, Parts& parts) {
  Numbers& numbers = parts.numbers;
  PlaneOfMotion motion;
  const bool planar = system.has("planar");
  if (planar) motion = read_plane_of_motion(system);
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
  const Vector3d normal = planar ? motion.n() : Vector3d(Vector3d::Zero());
  std::vector<BodyText> bodies = read_scenes(system, normal, parts);
  const std::size_t scenes = bodies.size();
  for (const auto& [given, body] : system.named_blocks("bodies")) {
    const std::string name = parts.prefix + given;
    if (body.boolean("fixed")) {
      note_fixed({name, Vector3d::Zero(), Quaterniond::Identity()}, name, body, normal, parts);
      continue;
    }
    if (name == kGround) body.node().fail("'ground' is what does not move; accepted: another name, or `fixed: true`");
    bodies.push_back(read_body({name, Vector3d::Zero(), Quaterniond::Identity()}, body, normal, parts));
    // One body alone is checked here, so that what is wrong is told at its place.
    try {
      make_rigid_bodies({body_in_space(bodies.back())}, Vector3d::Zero());
    } catch (const InputError& error) {
      (body.has("inertia") ? body.node("inertia") : body.node()).fail(error.message);
    }
    read_touching(bodies.back(), static_cast<int>(bodies.size() - 1 - scenes), {law != nullptr, normal}, parts,
                  touching.points);
  }
  if (bodies.empty()) system.fail("bodies", "no body is given that moves; name at least one");
  std::rotate(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(scenes), bodies.end());
  const std::size_t first = parts.assembly.mounts.size();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyText& text = bodies[b];
    note_shapes(text.fields, {text.name, text.group, static_cast<int>(first + b), {}, text.mass.centre, normal}, parts);
    if (text.part != nullptr)
      parts.assembly.parts.push_back(
          {text.name, {static_cast<int>(first + b), -text.mass.centre, Matrix3d::Identity()}, text.part});
  }
  if (planar)
    add_bodies_in_plane(bodies, motion, gravity, parts);
  else
    add_bodies_in_space(bodies, gravity, parts);
  if (!touching.points.empty()) parts.assembly.touching.push_back(std::move(touching));
}

}  // namespace ricochet::scenario
