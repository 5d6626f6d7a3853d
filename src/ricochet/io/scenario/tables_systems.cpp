// The keys of systems of formulas, of matrices, of a bar, and of drawings.
#include "ricochet/io/error.hpp"
#include "ricochet/io/scenario/tables.hpp"
#include "ricochet/math/expression/graph.hpp"
#include "ricochet/model/law.hpp"

namespace ricochet::scenario {

using namespace schema;

namespace {

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawInfo& law : laws()) names.push_back(law.name);
  return names;
}

std::string function_names() {
  std::vector<std::string> names;
  for (const FunctionInfo& function : functions()) names.emplace_back(function.name);
  return join(names);
}

}  // namespace

std::vector<Field> with_law(std::vector<Field> fields) {
  fields.push_back({.key = "restitution",
                    .type = Type::expression,
                    .fallback = "0",
                    .doc = "Newton's coefficient e: the normal velocity after an impact is -e times that before it.",
                    .range = between(0, 1)});
  fields.push_back({.key = "friction",
                    .type = Type::expression,
                    .fallback = "0",
                    .doc = "Coulomb's coefficient mu.",
                    .range = at_least(0)});
  fields.push_back({.key = "law",
                    .type = Type::text,
                    .doc =
                        "The contact law; if it is not given, the simplest that has what restitution and friction ask "
                        "for.",
                    .accepted = law_names()});
  return fields;
}

std::vector<Field> with_rolling(std::vector<Field> fields) {
  fields.push_back({.key = "rolling",
                    .type = Type::expression,
                    .fallback = "0",
                    .unit = "m",
                    .doc = "Length mu_R: a moment of at most mu_R times the normal force resists rolling.",
                    .range = at_least(0)});
  fields.push_back(
      {.key = "spinning",
       .type = Type::expression,
       .fallback = "0",
       .unit = "m",
       .doc = "Length mu_S: a moment of at most mu_S times the normal force resists spinning about the normal.",
       .range = at_least(0)});
  return fields;
}

Field named_parameters(const char* doc) {
  return {.key = "parameters", .type = Type::expression, .shape = Shape::named, .doc = doc};
}

namespace {

const Block& formula_contact() {
  static const Block block{
      .name = "contact",
      .doc = "A unilateral contact of a system given by formulas or matrices.",
      .fields =
          with_law({{.key = "gap",
                     .type = Type::expression,
                     .unit = "m",
                     .doc = "Distance as a formula of coordinates and time: positive apart, zero in touch.",
                     .required = true},
                    {.key = "slip",
                     .type = Type::any,
                     .unit = "m",
                     .doc = "Tangential displacement of the contact point whose rate is the sliding velocity: one "
                            "formula in the plane, a list of two in space. Needed for friction."}})};
  return block;
}

const Block& formula_frame() {
  static const Block block{
      .name = "frame",
      .doc =
          "A frame that moves with the coordinates: joints, contacts and forces of `system` join it with bodies and "
          "other frames by its name.",
      .fields = {
          {.key = "position",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .unit = "m",
           .doc = "Its place in space, formulas of at most 12 neighbouring coordinates.",
           .required = true},
          {.key = "axis",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .fallback = "[0, 0, 1]",
           .doc = "Direction about which it turns, fixed in space, of any length."},
          {.key = "angle",
           .type = Type::expression,
           .unit = "rad",
           .doc = "Rotation about the axis, a formula of the same coordinates; none if not given."},
      }};
  return block;
}

}  // namespace

Field frames() {
  return {.key = "frames",
          .type = Type::block,
          .shape = Shape::named,
          .doc = "Frames by name, for what joins this system with others.",
          .block = formula_frame};
}

const Block& formulas() {
  static const Block block{
      .name = "formulas",
      .doc =
          "A Lagrangian system as text. Formulas know + - * / ^, parentheses, pi, the time t, the parameters, the "
          "coordinates and, with a prime, their velocities, and the functions " +
          function_names() + ".",
      .fields = {
          named_parameters("Constants by name, each a number or a formula of those before it."),
          {.key = "coordinates",
           .type = Type::text,
           .shape = Shape::list,
           .doc = "Names of the generalised coordinates.",
           .required = true},
          {.key = "kinetic",
           .type = Type::expression,
           .unit = "J",
           .doc = "Kinetic energy, of degree 2 in the velocities.",
           .required = true},
          {.key = "potential", .type = Type::expression, .fallback = "0", .unit = "J", .doc = "Potential energy."},
          {.key = "forces",
           .type = Type::expression,
           .shape = Shape::named,
           .doc = "Generalised forces by coordinate, beside those of the potential."},
          {.key = "joints",
           .type = Type::any,
           .shape = Shape::named,
           .doc = "Residuals that are kept zero, by name: a formula, or a list of them."},
          {.key = "contacts",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Unilateral contacts by name.",
           .block = formula_contact},
          frames(),
      }};
  return block;
}

const Block& linear() {
  static const Block block{
      .name = "linear",
      .doc =
          "A linear system M a + C v + K q = F(t). Matrices are lists of rows, or {size: n, entries: [[i, j, value], "
          "...]} with rows and columns from 1; entries at one place add up.",
      .fields = {
          {.key = "coordinates",
           .type = Type::text,
           .shape = Shape::list,
           .doc = "Names of the coordinates; q1, q2, ... if not given."},
          {.key = "M", .type = Type::any, .unit = "kg", .doc = "Mass matrix, symmetric.", .required = true},
          {.key = "C", .type = Type::any, .unit = "kg/s", .doc = "Damping matrix; zero if not given."},
          {.key = "K", .type = Type::any, .unit = "N/m", .doc = "Stiffness matrix, symmetric; zero if not given."},
          {.key = "load",
           .type = Type::expression,
           .shape = Shape::named,
           .unit = "N",
           .doc = "Forces by coordinate, formulas of the time t and the parameters."},
          {.key = "joints",
           .type = Type::any,
           .shape = Shape::named,
           .doc = "Residuals by name, formulas of degree 1 in the coordinates, or lists of them."},
          {.key = "contacts",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Contacts by name; gap and slip are of degree 1 in the coordinates.",
           .block = formula_contact},
          frames(),
      }};
  return block;
}

const Block& bar() {
  static const Block block{
      .name = "bar",
      .doc =
          "An elastic bar along its axis, in equal linear elements; the displacements are u0 ... uN, and u0 is at the "
          "end that faces a rigid wall, the contact 'wall'.",
      .fields = with_law({
          {.key = "length",
           .type = Type::expression,
           .unit = "m",
           .doc = "Length.",
           .range = above(0),
           .required = true},
          {.key = "section",
           .type = Type::expression,
           .unit = "m^2",
           .doc = "Area of the cross-section.",
           .range = above(0),
           .required = true},
          {.key = "young",
           .type = Type::expression,
           .unit = "Pa",
           .doc = "Young's modulus.",
           .range = above(0),
           .required = true},
          {.key = "density",
           .type = Type::expression,
           .unit = "kg/m^3",
           .doc = "Density.",
           .range = above(0),
           .required = true},
          {.key = "elements",
           .type = Type::integer,
           .doc = "Number of elements.",
           .range = between(1, 1e6),
           .required = true},
          {.key = "mass",
           .type = Type::text,
           .fallback = "consistent",
           .doc = "Kind of mass matrix.",
           .accepted = {"consistent"}},
          {.key = "gap",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Initial distance from the wall.",
           .range = at_least(0)},
          {.key = "velocity",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m/s",
           .doc = "Initial velocity of all points, negative towards the wall."},
          frames(),
      })};
  return block;
}

const Block& drawn() {
  const auto any = [](const char* key, const char* unit, const char* doc) {
    return Field{.key = key, .type = Type::any, .unit = unit, .doc = doc};
  };
  static const Block block{
      .name = "drawn",
      .doc =
          "A shape: one of the kinds, with its numbers as formulas of parameters, coordinates and the time t. Points "
          "are "
          "[x, y], or [x, y, z] in space.",
      .fields = {
          any("point", "m", "A point."),
          any("line", "m", "A line through points, a list of two or more."),
          any("circle", "m", "A disc around this point; in space a ball. With `radius`, and `angle` if it turns."),
          any("box", "m", "A box around this point. With `size`, and `angle` if it turns."),
          any("spring", "m", "A spring between two points."),
          any("contact", "m", "Where the contact of the same name touches, with `normal`."),
          {.key = "radius", .type = Type::expression, .unit = "m", .doc = "circle: the radius."},
          any("size", "m", "box: width and height, in space three edge lengths."),
          {.key = "angle", .type = Type::expression, .unit = "rad", .doc = "circle, box: from x to y."},
          any("normal", "", "contact: the direction in which it pushes the body that is drawn."),
          any("tangent", "", "contact: the direction of its slip; to the right of the normal if not given."),
          {.key = "width", .type = Type::expression, .unit = "m", .doc = "line, spring: how thick it is."},
          {.key = "on",
           .type = Type::text,
           .doc = "Fixed to this body, points in its axes; the body's own look is left out."},
          {.key = "ground", .type = Type::boolean, .fallback = "false", .doc = "Drawn as what does not move."},
          {.key = "trace", .type = Type::boolean, .fallback = "false", .doc = "Leaves a trail."},
      }};
  return block;
}

}  // namespace ricochet::scenario
