// The keys of a scenario. The tables are all there is: checks, JSON schema and reference come from them.
#include "ricochet/io/scenario/tables.hpp"

#include <fmt/format.h>

#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/flexible.hpp"
#include "ricochet/model/law.hpp"
#include "ricochet/scheme/scheme.hpp"

namespace ricochet::scenario {
namespace {

using namespace schema;

Field expressions(const char* key, std::size_t count, const char* fallback, const char* unit, const char* doc) {
  return {.key = key,
          .type = Type::expression,
          .shape = Shape::list,
          .count = count,
          .fallback = fallback,
          .unit = unit,
          .doc = doc};
}

const Block& body() {
  static const Block block{
      .name = "body",
      .doc =
          "A rigid body: mass and inertia are given, or follow from shapes. Results hold the place and the velocity of "
          "its centre of mass.",
      .fields = {
          {.key = "mass", .type = Type::expression, .unit = "kg", .doc = "Mass.", .range = above(0)},
          {.key = "inertia",
           .type = Type::any,
           .unit = "kg m^2",
           .doc = "About the centre of mass, in body axes: three moments, if these axes are principal ones, or a "
                  "symmetric matrix of three rows; in the plane one moment will do. Or give box."},
          {.key = "box", .type = Type::block, .doc = "The shape, from which the inertia follows.", .block = box_table},
          {.key = "shapes",
           .type = Type::block,
           .shape = Shape::list,
           .doc = "What the body consists of; mass, centre and inertia follow.",
           .block = shape_table},
          expressions("centre", 3, "[0, 0, 0]", "m", "Centre of mass, in body axes."),
          expressions("position", 3, "[0, 0, 0]", "m",
                      "Initial place of the origin of the body's axes: the centre of mass, unless that is elsewhere."),
          expressions(
              "orientation", 0, "[1, 0, 0, 0]", "",
              "Initial rotation from body to space: a unit quaternion [w, x, y, z], or a rotation vector [x, y, "
              "z] in rad."),
          expressions("velocity", 3, "[0, 0, 0]", "m/s", "Initial velocity of that origin."),
          expressions("angular_velocity", 3, "[0, 0, 0]", "rad/s", "Initial angular velocity, in body axes."),
          {.key = "contacts",
           .type = Type::text,
           .doc = "corners: the eight corners of the box may touch the plane; none: only the points do. corners if "
                  "there are a box, a plane and no points.",
           .accepted = {"corners", "none"}},
          {.key = "points",
           .type = Type::any,
           .shape = Shape::named,
           .unit = "m",
           .doc = "Further points that may touch the plane, by name: [x, y, z] in body axes."},
      }};
  return block;
}

Field two(const char* kind, const char* doc) {
  return {.key = kind, .type = Type::text, .shape = Shape::list, .count = 2, .doc = doc};
}

const Block& joint_side() {
  static const Block block{
      .name = "side",
      .doc = "Where a joint, a contact or a force sits on a body, in the body's axes; on ground in space.",
      .fields = {
          expressions("at", 3, "[0, 0, 0]", "m", "The point."),
          expressions("axis", 3, "[0, 0, 1]", "", "Direction of the axis."),
          expressions(
              "x", 3, "", "",
              "A direction across the axis: those of both sides coincide at the angle 0. One of the body's axes "
              "if not given."),
      }};
  return block;
}

const Block& joint() {
  static const Block block{
      .name = "joint",
      .doc =
          "A joint between two bodies or frames, or one and ground: one of the kinds, with its place at the "
          "beginning; or a formula of coordinates.",
      .fields = with_law({
          two("fixed", "Nothing moves."),
          two("revolute", "Rotation about the axis."),
          two("prismatic", "Translation along the axis."),
          two("cylindrical", "Rotation about the axis and translation along it."),
          two("spherical", "All rotations about the point."),
          two("universal", "Rotation about the axis on the first body and about a perpendicular one on the second."),
          two("planar", "Motion in the plane perpendicular to the axis."),
          two("distance", "The points `at` on the first body and `to` on the second keep their distance."),
          two("screw", "Rotation about the axis and translation along it by `pitch` per turn."),
          two("gear", "Two joints that turn or slide: the second goes `ratio` times as far as the first."),
          expressions("at", 3, "[0, 0, 0]", "m", "Where the joint is at the beginning, in space."),
          expressions("axis", 3, "[0, 0, 1]", "", "Direction of the axis at the beginning, in space, of any length."),
          expressions("to", 3, "", "m", "distance: the second point at the beginning, in space."),
          expressions("x", 3, "", "", "In space: a direction across the axis at the beginning; chosen if not given."),
          {.key = "first",
           .type = Type::block,
           .doc = "Its place on the first body, in that body's axes, instead of `at` and `axis`.",
           .block = joint_side},
          {.key = "second", .type = Type::block, .doc = "And on the second.", .block = joint_side},
          {.key = "pitch",
           .type = Type::expression,
           .unit = "m",
           .doc = "screw: advance of the second body per turn, negative for a left-hand thread."},
          {.key = "ratio",
           .type = Type::expression,
           .unit = "1, m/rad",
           .doc = "gear: angle or displacement of the second joint for that of the first, a quotient of whole numbers "
                  "where both turn; negative for wheels that touch from outside."},
          {.key = "drive",
           .type = Type::expression,
           .unit = "rad, m",
           .doc = "revolute, cylindrical, screw: the angle; prismatic: the displacement, of the second body from its "
                  "beginning, as a formula of the time t. A motor that nothing stops, unless `torque` limits it."},
          {.key = "speed",
           .type = Type::expression,
           .unit = "rad/s, m/s",
           .doc = "In place of `drive`: the angular velocity, or the velocity, as a formula of the time t."},
          {.key = "torque",
           .type = Type::expression,
           .unit = "N m, N",
           .doc =
               "Of `drive` or `speed`: the most that the motor gives, a torque or a force. It then holds its speed as "
               "long as it can.",
           .range = above(0)},
          {.key = "lag",
           .type = Type::expression,
           .unit = "s",
           .doc = "Of `drive` with `torque`: time in which the motor makes up for what it is behind, as exp(-t/lag).",
           .range = above(0)},
          expressions("limits", 2, "", "rad, m",
                      "revolute, cylindrical, prismatic: lowest and highest angle or displacement, from the beginning; "
                      "stops with `restitution`."),
          {.key = "clearance",
           .type = Type::expression,
           .unit = "m",
           .doc =
               "revolute, cylindrical, spherical, prismatic: play of the pin in the bush, of the ball in the socket, "
               "of the block in the slot, to each side; the first body has the bush. Contacts with `restitution` and "
               "`friction` take the joint's place: in space both rims of the pin (NAME.rim1, NAME.rim2) and its "
               "shoulders; of a block its corners.",
           .range = above(0)},
          {.key = "pin",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc =
               "Radius of the pin or the ball, of a clearance or of a revolute joint with friction, which acts there.",
           .range = at_least(0)},
          {.key = "bush",
           .type = Type::expression,
           .unit = "m",
           .doc = "clearance: radius of the bush or the socket, instead of `pin`.",
           .range = above(0)},
          {.key = "length",
           .type = Type::expression,
           .unit = "m",
           .doc = "clearance: revolute and cylindrical in space: distance of the pin's rims; prismatic: length of the "
                  "block.",
           .range = above(0)},
          {.key = "axial",
           .type = Type::expression,
           .unit = "m",
           .doc = "clearance: revolute in space: play along the axis, to each side, between flat shoulders.",
           .range = at_least(0)},
          {.key = "collar",
           .type = Type::expression,
           .unit = "m",
           .doc = "clearance: radius at which four points of each shoulder touch; that of the pin if not given.",
           .range = at_least(0)},
          {.key = "width",
           .type = Type::expression,
           .shape = Shape::list,
           .unit = "m",
           .doc = "clearance: prismatic: width of the block across the axis, in space [along x, along y].",
           .range = at_least(0)},
          {.key = "formula",
           .type = Type::any,
           .doc = "A residual that is kept zero, or a list of them: formulas of the coordinates of all parts, "
                  "`part.x`, and of planar bodies, `body.x`."},
      })};
  return block;
}

const Block& body_contact() {
  static const Block block{
      .name = "body_contact",
      .doc =
          "A contact between a surface of the first body (or ground) and a point of the second, or a sphere or disc "
          "about it: one of the kinds, with its place at the beginning.",
      .fields = with_law({
          two("on_plane", "Above the plane through `at` with the normal `axis`."),
          two("in_bush", "Inside the cylinder about `axis` through `at`; in the plane a circle."),
          two("on_shaft", "Outside that cylinder."),
          two("in_socket", "Inside the sphere about `at`."),
          two("on_ball", "Outside that sphere."),
          two("on_capsule", "Outside a capsule about `at` along `axis`: `radius`, `length` of its cylinder."),
          two("on_box", "Outside a box about `at`, its edges `size` along x, y and `axis`."),
          two("on_ring", "Outside a torus about `axis`: `radius` of its circle, `thickness` about that."),
          two("on_cone", "Outside a cone: base of `radius` about `at`, tip `height` along `axis`."),
          two("on_arc", "In the plane: outside an arc of a circle, `radius` about `at`, of `thickness` to both sides."),
          two("on_sector",
              "In the plane: outside a part of a disc, `radius` about `at`, between the angles `arc`, with `thickness` "
              "about it, which rounds its corners."),
          two("on_polygon", "In the plane: outside the polygon with the corners `points`."),
          two("on_cam", "In the plane: outside the closed curve `profile` about `at`."),
          two("flat_on_cam",
              "In the plane: a flat of the second body, through `to` with the normal `axis` away from the cam, outside "
              "the convex curve `profile` of the first about `at`."),
          two("rim_on_plane",
              "In space: the circle of `radius` about the axis of the second body above a plane of the first; the "
              "axes in `first` and `second`."),
          expressions("at", 3, "[0, 0, 0]", "m", "A point of the first body's surface or axis at the beginning."),
          expressions("axis", 3, "[0, 0, 1]", "", "Normal or axis at the beginning, in space, of any length."),
          expressions("to", 3, "", "m", "The point of the second body at the beginning; `at` if not given."),
          {.key = "first",
           .type = Type::block,
           .doc = "Its place on the first body, in that body's axes, instead of `at`, `axis` and `to`.",
           .block = joint_side},
          {.key = "second", .type = Type::block, .doc = "And on the second.", .block = joint_side},
          {.key = "radius",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Of the first body's cylinder or sphere; rim_on_plane: of the rim.",
           .range = at_least(0)},
          {.key = "tip",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Radius about the second body's point.",
           .range = at_least(0)},
          expressions("x", 3, "", "", "on_box: direction of x at the beginning; chosen if not given."),
          {.key = "size",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .unit = "m",
           .doc = "on_box: lengths of the edges.",
           .range = above(0)},
          {.key = "length",
           .type = Type::expression,
           .unit = "m",
           .doc = "on_capsule: length of its cylinder.",
           .range = at_least(0)},
          {.key = "height", .type = Type::expression, .unit = "m", .doc = "on_cone: height.", .range = above(0)},
          {.key = "thickness",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "on_ring, on_arc, on_sector: radius of what runs along the curve.",
           .range = at_least(0)},
          expressions("arc", 2, "", "rad",
                      "on_arc, on_sector: angles [from, to], in the plane from its first axis to the second."),
          {.key = "points",
           .type = Type::any,
           .unit = "m",
           .doc = "on_polygon: its corners at the beginning, a list of [x, y, z] in space; convex."},
          {.key = "profile",
           .type = Type::expression,
           .unit = "m",
           .doc = "on_cam, flat_on_cam: radius as a formula of the angle a, from the first axis of the plane to the "
                  "second."},
          {.key = "gap",
           .type = Type::expression,
           .unit = "m",
           .doc = "In place of a kind: the distance as a formula of the coordinates of all parts, as in a contact of "
                  "formulas."},
          {.key = "slip",
           .type = Type::any,
           .unit = "m",
           .doc = "gap: tangential displacement, one formula or two. Needed for friction."},
          {.key = "rolling",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Length mu_R: a moment of at most mu_R times the normal force resists rolling.",
           .range = at_least(0)},
          {.key = "spinning",
           .type = Type::expression,
           .fallback = "0",
           .unit = "m",
           .doc = "Length mu_S: a moment of at most mu_S times the normal force resists spinning about the normal.",
           .range = at_least(0)},
      })};
  return block;
}

const Block& force() {
  static const Block block{
      .name = "force",
      .doc = "A force between two bodies, or a body and ground: one of the kinds, with its place at the beginning.",
      .fields = {
          two("spring", "Between the points `at` on the first body and `to` on the second; x is the elongation."),
          two("slide", "Along the axis, fixed to the first body; x is the displacement of the second."),
          two("torsion", "About the axis; x is the angle of the second body, within half a turn of the beginning."),
          two("bushing",
              "Along the three axes of a frame on the first body, and about them by the sines of the angles."),
          two("torque", "A moment about the axis, fixed to the first body, on the second; v is the angular velocity."),
          {.key = "load", .type = Type::text, .doc = "A force on this body at the point `at`."},
          expressions("at", 3, "[0, 0, 0]", "m", "The point at the beginning, in space."),
          expressions("to", 3, "", "m", "spring: the second point at the beginning, in space."),
          expressions("axis", 3, "[0, 0, 1]", "", "Direction at the beginning, in space, of any length."),
          {.key = "first",
           .type = Type::block,
           .doc = "Its place on the first body, in that body's axes, instead of `at`, `axis` and `to`.",
           .block = joint_side},
          {.key = "second", .type = Type::block, .doc = "And on the second.", .block = joint_side},
          {.key = "stiffness",
           .type = Type::any,
           .unit = "N/m, N m/rad",
           .doc = "One number; bushing: six, along x, y, z and about them."},
          {.key = "damping", .type = Type::any, .unit = "N s/m, N m s/rad", .doc = "Likewise."},
          {.key = "length",
           .type = Type::expression,
           .unit = "m",
           .doc = "spring: without force; the distance at the beginning if not given.",
           .range = at_least(0)},
          {.key = "preload",
           .type = Type::expression,
           .fallback = "0",
           .unit = "N, N m",
           .doc = "Force at x = 0; positive pulls x down."},
          {.key = "acts",
           .type = Type::text,
           .fallback = "always",
           .doc = "tension: where x > 0 only, a rope; compression: where x < 0 only, a buffer.",
           .accepted = {"always", "tension", "compression"}},
          {.key = "formula",
           .type = Type::expression,
           .unit = "N, N m",
           .doc = "The force that pushes x up, in place of stiffness and damping: a formula of x, its rate v and the "
                  "time t; of v and t for a torque."},
          {.key = "force",
           .type = Type::expression,
           .shape = Shape::list,
           .count = 3,
           .unit = "N",
           .doc = "load: its components, formulas of the time t and of v, the velocity of the point along each."},
          {.key = "axes",
           .type = Type::text,
           .fallback = "space",
           .doc = "load: whether its components are those of space or turn with the body.",
           .accepted = {"space", "body"}},
          {.key = "potential",
           .type = Type::expression,
           .unit = "J",
           .doc = "In place of a kind: an energy as a formula of the coordinates of all parts and the time."},
          {.key = "on",
           .type = Type::any,
           .doc = "Generalised forces by coordinate, {x: ...}, or {part: {x: ...}}: formulas of coordinates, "
                  "velocities and the time."},
      }};
  return block;
}

const Block& plane() {
  static const Block block{
      .name = "plane",
      .doc = "A fixed plane n . x = offset; bodies stay on the side to which n points.",
      .fields = with_law({
          expressions("normal", 3, "[0, 0, 1]", "", "Direction n of the normal, of any length."),
          {.key = "offset", .type = Type::expression, .fallback = "0", .unit = "m", .doc = "Distance from the origin."},
      })};
  return block;
}

const Block& initial() {
  static const Block block{
      .name = "initial",
      .doc = "The state at the beginning; coordinates that are not named are zero. Bodies hold theirs themselves.",
      .fields = {
          {.key = "time", .type = Type::expression, .fallback = "0", .unit = "s", .doc = "Time of the beginning."},
          {.key = "position", .type = Type::expression, .shape = Shape::named, .doc = "Coordinates by name."},
          {.key = "velocity", .type = Type::expression, .shape = Shape::named, .doc = "Velocities by coordinate."},
          {.key = "assemble",
           .type = Type::boolean,
           .fallback = "false",
           .doc = "Joints that are open are closed: to the nearest configuration and velocities that do, in the metric "
                  "of the masses. The summary says how far it moved."},
          {.key = "equilibrium",
           .type = Type::boolean,
           .fallback = "false",
           .doc = "The motion begins at rest, in the static equilibrium to which joints, contacts and friction let it "
                  "come from the state that is given."},
      }};
  return block;
}

// A kind of system, with what belongs to bodies.
std::vector<Field> kind_fields() {
  return {{.key = "formulas", .type = Type::block, .doc = "A system written as formulas.", .block = formulas},
          {.key = "linear", .type = Type::block, .doc = "A linear system given by matrices.", .block = linear},
          {.key = "bar", .type = Type::block, .doc = "An elastic bar before a wall.", .block = bar},
          {.key = "bodies",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Rigid bodies by name. They touch the plane, not each other.",
           .block = body},
          {.key = "flexible",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Flexible bodies by name.",
           .block = flexible},
          {.key = "planar",
           .type = Type::text,
           .doc = "Bodies move in this plane of space alone: three coordinates each, two in the plane and the angle "
                  "about its normal (xz: from x to z). What is given stays in space.",
           .accepted = {"xy", "yz", "zx", "yx", "zy", "xz"}},
          expressions("gravity", 3, "[0, 0, -9.81]", "m/s^2", "Acceleration of bodies in free fall."),
          {.key = "plane", .type = Type::block, .doc = "What bodies may touch; none if not given.", .block = plane}};
}

const Block& part() {
  static const Block block = [] {
    Block made{
        .name = "part",
        .doc =
            "One of several systems: exactly one of formulas, linear, bar, bodies, flexible. Outside of it its names "
            "begin with that of the part: `arm.x`, `arm.body`.",
        .fields = kind_fields()};
    for (Field& field : made.fields)
      if (field.key == "gravity") {
        field.fallback = "";
        field.doc = "Acceleration of its bodies in free fall; that of the system if not given.";
      }
    made.fields.push_back({.key = "initial",
                           .type = Type::block,
                           .doc = "Its coordinates at the beginning, by their names inside of the part.",
                           .block = initial});
    return made;
  }();
  return block;
}

const Block& system() {
  static const Block block = [] {
    Block made{
        .name = "system",
        .doc =
            "What moves: formulas, linear, bar, bodies and flexible, one or several side by side, and any number of "
            "named parts; joints, contacts and forces couple them.",
        .fields = {named_parameters(
            "Constants that every number and formula of the scenario may use, each a number or a formula "
            "of those before it.")}};
    for (Field& field : kind_fields()) made.fields.push_back(std::move(field));
    made.fields.push_back(
        {.key = "parts", .type = Type::block, .shape = Shape::named, .doc = "Further systems by name.", .block = part});
    made.fields.push_back({.key = "joints",
                           .type = Type::block,
                           .shape = Shape::named,
                           .doc = "Joints of bodies and frames by name; `ground` is what does not move.",
                           .block = joint});
    made.fields.push_back({.key = "contacts",
                           .type = Type::block,
                           .shape = Shape::named,
                           .doc = "Contacts of bodies and frames by name, beside those with the plane.",
                           .block = body_contact});
    made.fields.push_back({.key = "forces",
                           .type = Type::block,
                           .shape = Shape::named,
                           .doc = "Springs, dampers, motors and loads of bodies and frames by name.",
                           .block = force});
    return made;
  }();
  return block;
}

Field option_field(const OptionInfo& option) {
  Field field{.key = option.name, .doc = option.doc};
  switch (option.type) {
    case OptionInfo::Type::number:
      field.type = option.whole ? Type::integer : Type::number;
      field.fallback = fmt::format("{}", std::get<double>(option.fallback));
      field.range = between(option.low, option.high);
      break;
    case OptionInfo::Type::flag:
      field.type = Type::boolean;
      field.fallback = std::get<bool>(option.fallback) ? "true" : "false";
      break;
    case OptionInfo::Type::choice:
      field.type = Type::text;
      field.fallback = std::get<std::string>(option.fallback);
      field.accepted = option.choices;
      break;
  }
  return field;
}

std::vector<Choice> scheme_choices() {
  static const std::vector<Block> blocks = [] {
    std::vector<Block> out;
    for (const SchemeEntry& scheme : schemes()) {
      Block block{.name = scheme.info.name, .doc = "Scheme: " + scheme.info.summary};
      for (const OptionInfo& option : scheme.options) block.fields.push_back(option_field(option));
      out.push_back(std::move(block));
    }
    return out;
  }();
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    choices.push_back({blocks[i].name, &blocks[i], schemes()[i].info.summary});
  return choices;
}

// Step control: the keys that every kind has, and those of the local controls.
std::vector<Field> control_fields(std::vector<Field> own) {
  const auto number = [](const char* key, const char* unit, const char* doc, schema::Range range,
                         const char* fallback = "") {
    return Field{.key = key, .type = Type::expression, .fallback = fallback, .unit = unit, .doc = doc, .range = range};
  };
  std::vector<Field> out = std::move(own);
  out.push_back(number(
      "initial", "s",
      "First step; all steps are this times a power of two. By default about a thousandth of the duration.", above(0)));
  out.push_back(number("largest", "s", "Largest step; by default a twentieth of the duration.", above(0)));
  out.push_back(number("floor", "s",
                       "Smallest step; by default 1e-14 of the duration, and never less than the clock can tell.",
                       above(0)));
  out.push_back({.key = "at_floor",
                 .type = Type::text,
                 .fallback = "accept",
                 .doc =
                     "What becomes of a step that would have to be smaller than the floor: it is accepted and counted, "
                     "or the run stops.",
                 .accepted = {"accept", "stop"}});
  out.push_back(number("safety", "", "Factor alpha of the control law.", inside(0, 1), "0.9"));
  out.push_back(number("shrink", "", "Smallest ratio of a step to the one before.", between(1e-3, 0.5), "0.125"));
  out.push_back(number("grow", "", "Largest ratio of a step to the one before.", between(2, 1e3), "8"));
  return out;
}

std::vector<Choice> control_choices() {
  const auto tolerance = [](const char* key, const char* fallback, const char* doc) {
    return Field{.key = key, .type = Type::expression, .fallback = fallback, .doc = doc, .range = at_least(0)};
  };
  const Field order{.key = "order",
                    .type = Type::text,
                    .fallback = "variable",
                    .doc =
                        "Order of consistency that the estimate supposes; variable: that of the scheme, and 0 in steps "
                        "in which a contact closes or opens.",
                    .accepted = {"0", "1", "2", "variable"}};
  const Field atol = tolerance(
      "atol", "1e-4",
      "Error of a step allowed in every coordinate and velocity, in its unit; if not given, in units of the scales.");
  const Field rtol = tolerance("rtol", "1e-4", "The same as a part of the value.");
  static const std::vector<Block> blocks{
      {.name = "step auto",
       .doc = "Steps for a motion within a tolerance: rehearsals find what each step may add.",
       .fields = control_fields(
           {{.key = "tolerance",
             .type = Type::expression,
             .fallback = "1e-4",
             .doc = "Error asked for: the integral over time of the largest error of a coordinate; if not "
                    "given, in units of the scales.",
             .range = above(0)}})},
      {.name = "step half-step",
       .doc = "Steps by comparison of one step with two of half the size.",
       .fields = control_fields({order, atol, rtol})},
      {.name = "step violation",
       .doc = "Steps by the violation of gaps and joints at position level, against atol.",
       .fields = control_fields({atol})},
      {.name = "step both",
       .doc = "Steps by the larger of the two errors, comparison and violation.",
       .fields = control_fields({order, atol, rtol})},
  };
  return {{"auto", &blocks[0], "a tolerance for the whole motion"},
          {"half-step", &blocks[1], "comparison with two half steps"},
          {"violation", &blocks[2], "violation of gaps and joints"},
          {"both", &blocks[3], "the larger of the two"}};
}

const Block& scales() {
  const auto scale = [](const char* key, const char* unit, const char* doc) {
    return Field{.key = key, .type = Type::expression, .unit = unit, .doc = doc, .range = above(0)};
  };
  static const Block block{
      .name = "scales",
      .doc = "What counts as large. Tolerances are parts of these; those not given come from the system.",
      .fields = {scale("length", "m", "Of gaps and places."), scale("velocity", "m/s", "Of velocities."),
                 scale("mass", "kg", "Of bodies.")}};
  return block;
}

const Block& simulation() {
  static const Block block{
      .name = "simulation",
      .doc = "How the motion is computed.",
      .fields = {
          {.key = "scheme",
           .type = Type::variant,
           .fallback = schemes().front().info.name,
           .doc = "The time integration: a name, or {name: ..., option: value, ...}.",
           .variants = scheme_choices()},
          {.key = "step",
           .type = Type::variant,
           .fallback = "auto",
           .unit = "s",
           .doc = "Length h of all time steps, or how they are chosen: a name, or {control: ..., option: value, ...}.",
           .range = above(0),
           .variants = control_choices(),
           .tag = "control",
           .or_number = true},
          {.key = "until",
           .type = Type::expression,
           .unit = "s",
           .doc = "Time at which the run ends.",
           .required = true},
          {.key = "max_halvings",
           .type = Type::integer,
           .fallback = "4",
           .doc = "A step that does not converge is tried in 2, 4, ... parts, halved this often at most.",
           .range = between(0, 20)},
          {.key = "scales",
           .type = Type::block,
           .doc = "Length, velocity and mass that tolerances are measured by; found from the system if not given.",
           .block = scales},
      }};
  return block;
}

}  // namespace

const Block& root_table() {
  static const Block block{
      .name = "scenario",
      .doc = "A simulation in one file. All numbers are in SI units and may be formulas of the parameters.",
      .fields = {
          {.key = "name", .type = Type::text, .doc = "A title; the file's name if not given."},
          {.key = "description", .type = Type::text, .doc = "What it is about, in a sentence or two."},
          {.key = "system", .type = Type::block, .doc = "What moves.", .required = true, .block = system},
          {.key = "initial", .type = Type::block, .doc = "The state at the beginning.", .block = initial},
          {.key = "simulation",
           .type = Type::block,
           .doc = "Scheme, step and duration.",
           .required = true,
           .block = simulation},
          {.key = "draw",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "How it looks in 'ricochet view': shapes by name. Changes nothing of the motion.",
           .block = drawn},
      }};
  return block;
}

}  // namespace ricochet::scenario
