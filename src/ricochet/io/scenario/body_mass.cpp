#include "ricochet/io/scenario/body_mass.hpp"

#include <fmt/format.h>

#include "ricochet/geometry/collision/polytope.hpp"
#include "ricochet/io/scenario/mesh_shapes.hpp"
#include "ricochet/model/subsystem/rigid_bodies.hpp"

namespace ricochet::scenario {
namespace {

using schema::Block;
using schema::Field;
using schema::Fields;
using schema::Type;
using yaml::Node;

Field length(const char* key, const char* doc) {
  return {.key = key, .type = Type::expression, .unit = "m", .doc = doc, .range = schema::above(0), .required = true};
}

const Block& sphere() {
  static const Block block{
      .name = "sphere", .doc = "About the origin of the shape.", .fields = {length("radius", "Radius.")}};
  return block;
}
const Block& cylinder() {
  static const Block block{.name = "cylinder",
                           .doc = "Along z, about the origin of the shape.",
                           .fields = {length("radius", "Radius."),
                                      length("length", "Length."),
                                      {.key = "inner",
                                       .type = Type::expression,
                                       .fallback = "0",
                                       .unit = "m",
                                       .doc = "Radius of a hole along the axis.",
                                       .range = schema::at_least(0)}}};
  return block;
}
const Block& capsule() {
  static const Block block{.name = "capsule",
                           .doc = "A cylinder along z with half spheres on its ends.",
                           .fields = {length("radius", "Radius."), length("length", "Length of the cylinder.")}};
  return block;
}
const Block& cone() {
  static const Block block{.name = "cone",
                           .doc = "Its base is about the origin of the shape, its tip on the axis z.",
                           .fields = {length("radius", "Radius of the base."), length("height", "Height.")}};
  return block;
}

const Block& hull() {
  static const Block block{.name = "hull",
                           .doc = "The convex hull of points, in the axes of the shape.",
                           .fields = {{.key = "points",
                                       .type = Type::any,
                                       .unit = "m",
                                       .doc = "Its corners, [[x, y, z], ...]; points inside do not matter.",
                                       .required = true}}};
  return block;
}
const Block& half_space() {
  static const Block block{
      .name = "half space",
      .doc = "All that is below a plane n . x = offset, in the axes of the shape.",
      .fields = {
          {.key = "normal",
           .type = Type::expression,
           .shape = schema::Shape::list,
           .count = 3,
           .fallback = "[0, 0, 1]",
           .doc = "Direction n, out of it, of any length."},
          {.key = "offset", .type = Type::expression, .fallback = "0", .unit = "m", .doc = "Its height along n."}}};
  return block;
}

/// All numbers of a node, lists in lists one after the other.
void flatten(const Node& node, Numbers& numbers, std::vector<double>& out) {
  if (!node.is_list()) {
    out.push_back(numbers.value(node));
    return;
  }
  for (const Node& item : node.items()) flatten(item, numbers, out);
}

Matrix3d read_inertia(const Fields& body, double mass, const Vector3d& n, Numbers& numbers) {
  if (body.one_of({"inertia", "box"}) == "box") {
    const MassProperties box = solid_box(numbers.vector(body.block("box"), "size"));
    return mass / box.mass * box.inertia;
  }
  std::vector<double> x;
  flatten(body.node("inertia"), numbers, x);
  Matrix3d J;
  if (x.size() == 1 && !n.isZero(0)) {
    J = x[0] * Matrix3d::Identity();
  } else if (x.size() == 3) {
    J = Vector3d(x[0], x[1], x[2]).asDiagonal();
  } else if (x.size() == 9) {
    J << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
  } else {
    body.fail("inertia", fmt::format("expected three moments or a matrix of three rows{}, found {} numbers",
                                     n.isZero(0) ? "" : ", or in the plane one moment", x.size()));
  }
  if (!(J - J.transpose()).isZero(1e-12 * J.cwiseAbs().maxCoeff()))
    body.fail("inertia", "the matrix is not symmetric; accepted: symmetric ones");
  const Matrix3d symmetric = 0.5 * (J + J.transpose());
  return symmetric;
}

MassProperties read_shape(const Fields& shape, Numbers& numbers) {
  const std::string kind = shape.one_of(shape_kinds());
  if (kind == "plane" || kind == "chain")
    shape.fail(kind, fmt::format("has no mass; accepted: a {} of bodies that are `fixed`", kind));
  const Fields f = shape.block(kind);
  const auto number = [&](const char* key) { return numbers.number(f, key); };
  MassProperties solid;
  if (kind == "box") solid = solid_box(numbers.vector(f, "size"));
  if (kind == "sphere") solid = solid_sphere(number("radius"));
  if (kind == "capsule") solid = solid_capsule(number("radius"), number("length"));
  if (kind == "cone") solid = solid_cone(number("radius"), number("height"));
  if (kind == "hull") solid = located(f.node("points"), [&] { return solid_hull(make_hull(read_points(f, numbers))); });
  if (kind == "mesh") solid = solid_of_mesh(f, numbers);
  if (kind == "cylinder") {
    if (!(number("inner") < number("radius"))) f.fail("inner", "the hole is as wide as the cylinder; accepted: less");
    solid = solid_tube(number("radius"), number("inner"), number("length"));
  }
  const bool dense = shape.one_of({"density", "mass"}) == "density";
  solid = solid.scaled(dense ? numbers.number(shape, "density") : numbers.number(shape, "mass") / solid.mass);
  return solid.moved(numbers.vector(shape, "at"), read_orientation(shape, numbers).toRotationMatrix());
}

}  // namespace

const std::vector<std::string>& shape_kinds() {
  static const std::vector<std::string> kinds{"box",  "sphere", "cylinder", "capsule", "cone",
                                              "hull", "plane",  "mesh",     "chain"};
  return kinds;
}

std::vector<Vector3d> read_points(const Fields& fields, Numbers& numbers) {
  std::vector<Vector3d> out;
  for (const Node& item : fields.node("points").items()) {
    const std::vector<Node> x = item.is_list() ? item.items() : std::vector<Node>{};
    if (x.size() != 3) item.fail("expected a point [x, y, z]");
    out.emplace_back(numbers.value(x[0]), numbers.value(x[1]), numbers.value(x[2]));
  }
  if (out.size() < 4) fields.fail("points", "a solid has four corners or more");
  constexpr std::size_t kMost = 60;
  if (out.size() > kMost) fields.fail("points", fmt::format("{} points; accepted: at most {}", out.size(), kMost));
  return out;
}

const Block& box_table() {
  static const Block block{.name = "box",
                           .doc = "A uniform cuboid about the origin of the body's or the shape's axes.",
                           .fields = {{.key = "size",
                                       .type = Type::expression,
                                       .shape = schema::Shape::list,
                                       .count = 3,
                                       .unit = "m",
                                       .doc = "Edge lengths along the axes.",
                                       .range = schema::above(0),
                                       .required = true}}};
  return block;
}

const Block& shape_table() {
  using schema::Shape;
  static const Block block{
      .name = "shape",
      .doc = "A part of a body: one of the kinds, uniform, with its density or its mass.",
      .fields = {
          {.key = "box", .type = Type::block, .doc = "A cuboid.", .block = box_table},
          {.key = "sphere", .type = Type::block, .doc = "A ball.", .block = sphere},
          {.key = "cylinder", .type = Type::block, .doc = "A cylinder or a tube.", .block = cylinder},
          {.key = "capsule", .type = Type::block, .doc = "A cylinder with round ends.", .block = capsule},
          {.key = "cone", .type = Type::block, .doc = "A cone.", .block = cone},
          {.key = "hull", .type = Type::block, .doc = "A convex polyhedron.", .block = hull},
          {.key = "plane", .type = Type::block, .doc = "Fixed bodies: all below a plane.", .block = half_space},
          {.key = "mesh", .type = Type::block, .doc = "A surface of triangles from a file.", .block = mesh_table},
          {.key = "chain",
           .type = Type::block,
           .doc = "Fixed bodies in a plane of motion: a chain of segments.",
           .block = chain_table},
          {.key = "density",
           .type = Type::expression,
           .unit = "kg/m^3",
           .doc = "Density; or give mass.",
           .range = schema::above(0)},
          {.key = "mass",
           .type = Type::expression,
           .unit = "kg",
           .doc = "Mass of the part.",
           .range = schema::above(0)},
          {.key = "at",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .fallback = "[0, 0, 0]",
           .unit = "m",
           .doc = "Origin of the shape, in the body's axes."},
          {.key = "orientation",
           .type = Type::expression,
           .shape = Shape::list,
           .fallback = "[1, 0, 0, 0]",
           .doc = "Rotation from the shape's axes to the body's: a unit quaternion or a rotation vector in rad."},
          {.key = "material", .type = Type::text, .doc = "One of collision.materials; that of the body if not given."},
      }};
  return block;
}

Quaterniond read_orientation(const Fields& fields, Numbers& numbers) {
  const std::vector<double> x = numbers.list(fields, "orientation");
  if (x.size() == 3) return exp_quaternion({x[0], x[1], x[2]});
  if (x.size() != 4)
    fields.fail(
        "orientation",
        fmt::format("expected a quaternion [w, x, y, z] or a rotation vector [x, y, z], found {} entries", x.size()));
  const Quaterniond Q(x[0], x[1], x[2], x[3]);
  if (!(std::abs(Q.norm() - 1) < 1e-3))
    fields.fail("orientation", fmt::format("the quaternion has length {:.6g}; accepted: length 1", Q.norm()));
  return Q.normalized();
}

PlaneOfMotion read_plane_of_motion(const Fields& system) {
  const std::string name = system.text("planar");
  const auto axis = [](char c) { return Vector3d(Vector3d::Unit(c - 'x')); };
  return {axis(name[0]), axis(name[1]), {name.substr(0, 1), name.substr(1, 1)}};
}

MassProperties read_mass(const Fields& body, const Vector3d& n, Numbers& numbers) {
  if (body.has("shapes")) {
    for (const char* key : {"mass", "inertia", "centre"})
      if (body.has(key)) body.fail(key, fmt::format("the shapes say it; accepted: shapes, or mass and inertia"));
    MassProperties sum;
    const std::vector<Fields> shapes = body.blocks("shapes");
    if (shapes.empty()) body.fail("shapes", "there is none; accepted: at least one");
    for (const Fields& shape : shapes) {
      const MassProperties part = read_shape(shape, numbers);
      sum = sum.mass > 0 ? sum + part : part;
    }
    return sum;
  }
  if (!body.has("mass")) body.node().fail("needs `mass` with `inertia` or `box`, or `shapes` with densities");
  const double mass = numbers.number(body, "mass");
  return {mass, numbers.vector(body, "centre"), read_inertia(body, mass, n, numbers)};
}

}  // namespace ricochet::scenario
