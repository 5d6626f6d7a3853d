// The keys of flexible bodies.
#include "ricochet/io/scenario/beams.hpp"
#include "ricochet/io/scenario/flexible.hpp"

namespace ricochet::scenario {

using namespace schema;

namespace {

Field point(const char* key, const char* fallback, const char* unit, const char* doc) {
  return {.key = key,
          .type = Type::expression,
          .shape = Shape::list,
          .count = 3,
          .fallback = fallback,
          .unit = unit,
          .doc = doc,
          .required = *fallback == '\0'};
}
Field positive(const char* key, const char* unit, const char* doc, bool required = false) {
  return {.key = key, .type = Type::expression, .unit = unit, .doc = doc, .range = above(0), .required = required};
}
Field any(const char* key, const char* doc) { return {.key = key, .type = Type::any, .doc = doc}; }

const Block& rod() {
  static const Block block{
      .name = "rod",
      .doc =
          "A straight rod that stretches and moves along its axis alone, in equal linear elements; its node sets are "
          "`from`, `to` and `all`.",
      .fields = {
          point("from", "", "m", "Where it begins."),
          point("to", "", "m", "Where it ends."),
          {.key = "elements",
           .type = Type::integer,
           .doc = "Number of elements.",
           .range = between(1, 1e6),
           .required = true},
          positive("section", "m^2", "Area of the cross-section.", true),
      }};
  return block;
}

const Block& box() {
  static const Block block{
      .name = "flexible_box",
      .doc =
          "A block with its edges along the axes, its centre at the origin of the body's axes; node sets: `left` and "
          "`right` (least and largest x), `front` and `back` (y), `bottom` and `top` (z), `surface`, `all`.",
      .fields = {
          point("size", "", "m", "Lengths of the edges."),
          {.key = "elements",
           .type = Type::integer,
           .shape = Shape::list,
           .count = 3,
           .doc = "Number of elements along x, y and z.",
           .range = between(1, 1000),
           .required = true},
          {.key = "kind",
           .type = Type::text,
           .fallback = "hex8",
           .doc = "Elements: hexahedra, or each of these cut into six tetrahedra with four or ten nodes.",
           .accepted = {"hex8", "tet4", "tet10"}},
      }};
  return block;
}

const Block& cylinder_block() {
  static const Block block{
      .name = "flexible_cylinder",
      .doc =
          "A cylinder about z in hexahedra, its centre at the origin of the body's axes; node sets: `bottom` and `top` "
          "(least and largest z), `side`, `surface`, `all`.",
      .fields = {
          positive("radius", "m", "Radius.", true),
          positive("height", "m", "Length along z.", true),
          {.key = "elements",
           .type = Type::integer,
           .shape = Shape::list,
           .count = 2,
           .doc = "Number of elements across, 4, 8, 12 and so on, and along z.",
           .range = between(1, 1000),
           .required = true},
      }};
  return block;
}

const Block& frame() {
  static const Block block{
      .name = "flexible_frame",
      .doc = "A node as a frame: joints, contacts and forces know it as NAME.FRAME. It moves and does not turn.",
      .fields = {
          point("at", "", "m", "The node nearest to this point, in space, at the beginning."),
      }};
  return block;
}

const Block& pressure() {
  static const Block block{
      .name = "flexible_pressure",
      .doc =
          "A pressure on faces of a solid. It follows them, in direction and in area; on `linear` bodies it acts on "
          "the faces as they were.",
      .fields = {
          {.key = "on",
           .type = Type::any,
           .doc = "Node sets, a name or a list: faces of the surface all of whose nodes belong to them.",
           .required = true},
          {.key = "value",
           .type = Type::expression,
           .unit = "Pa",
           .doc = "A number, or a formula of the time t; positive pushes inwards.",
           .required = true},
      }};
  return block;
}

Field motion(const char* key, const char* doc) {
  return {.key = key, .type = Type::expression, .unit = "m", .doc = doc};
}

const Block& driven() {
  static const Block block{
      .name = "driven_nodes",
      .doc =
          "Nodes whose displacements are given as formulas of the time t, which begin at 0. What is not given is "
          "free. The velocity at the beginning is that of the formula.",
      .fields = {
          {.key = "nodes", .type = Type::any, .doc = "Node sets, a name or a list.", .required = true},
          motion("x", "Displacement along x, of solids."),
          motion("y", "Along y."),
          motion("z", "Along z."),
          motion("along", "Displacement along the axis, of rods."),
      }};
  return block;
}

}  // namespace

const Block& flexible() {
  static const Block block{
      .name = "flexible",
      .doc = "A flexible body: one shape, and what it is made of. Its coordinates are the displacements of its nodes.",
      .fields = {
          {.key = "beam", .type = Type::block, .doc = "A beam.", .block = beam},
          {.key = "rod", .type = Type::block, .doc = "A rod along its axis.", .block = rod},
          {.key = "box", .type = Type::block, .doc = "A block of solid elements.", .block = box},
          {.key = "cylinder", .type = Type::block, .doc = "A cylinder of solid elements.", .block = cylinder_block},
          {.key = "mesh",
           .type = Type::text,
           .doc = "A file of Gmsh, .msh of version 2.2 or 4.1, looked for beside the scenario; its physical groups are "
                  "node sets, beside `surface` and `all`."},
          {.key = "scale",
           .type = Type::expression,
           .fallback = "1",
           .doc = "mesh: factor of its lengths, 1e-3 for one in millimetres.",
           .range = above(0)},
          positive("young", "Pa", "Young's modulus."),
          {.key = "poisson",
           .type = Type::expression,
           .fallback = "0",
           .doc = "Poisson's ratio.",
           .range = inside(-1, 0.5)},
          positive("density", "kg/m^3", "Density."),
          {.key = "material",
           .type = Type::text,
           .fallback = "svk",
           .doc = "Solids: small strains and rotations; St. Venant-Kirchhoff, for small strains and any rotation; or "
                  "compressible neo-Hookean, for large strains.",
           .accepted = {"linear", "svk", "neo-hookean"}},
          {.key = "rayleigh",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 2,
           .fallback = "[0, 0]",
           .doc = "Damping [a, b]: a M + b K for small motions. Under large ones the part of K is that of a viscous "
                  "stress, which leaves rigid motions alone.",
           .range = at_least(0)},
          {.key = "mass",
           .type = Type::text,
           .fallback = "consistent",
           .doc = "Kind of mass matrix.",
           .accepted = {"consistent", "lumped"}},
          any("clamp", "Node sets that do not move, a name or a list."),
          any("touch",
              "Node sets that may touch, a name or a list: `system.plane`, and what contacts say of NAME.SET."),
          {.key = "pressure",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Solids: pressures on their faces, by name.",
           .block = pressure},
          {.key = "driven",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Rods and solids: nodes that move as given, by name.",
           .block = driven},
          {.key = "frames",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Frames by name, for what joins this body with others.",
           .block = frame},
          point("position", "[0, 0, 0]", "m", "Where the origin of the body's axes is at the beginning."),
          {.key = "orientation",
           .type = Type::expression,
           .shape = Shape::list,
           .fallback = "[1, 0, 0, 0]",
           .doc = "Rotation of its axes at the beginning: a unit quaternion [w, x, y, z], or a rotation vector [x, y, "
                  "z] in rad."},
          point("velocity", "[0, 0, 0]", "m/s", "Velocity of that origin at the beginning."),
          point("angular_velocity", "[0, 0, 0]", "rad/s", "Angular velocity about it at the beginning, in space."),
      }};
  return block;
}

}  // namespace ricochet::scenario
