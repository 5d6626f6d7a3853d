// The keys of joints, contacts and forces of bodies.
#include <fmt/format.h>

#include "ricochet/io/scenario/tables.hpp"
#include "ricochet/model/law.hpp"

namespace ricochet::scenario {

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

namespace {

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

}  // namespace

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
          two("mean",
              "A body, or ground, and a node set of a flexible body: the mean of its nodes moves and turns with the "
              "body, while they may move against each other."),
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
           .doc = "Radius of the pin or the ball, of a clearance or of a joint with friction, which acts there.",
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
      .fields = with_law(with_rolling({
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
          two("faces",
              "In place of a kind and a place: faces of two bodies with geometry, [body/face, body/face]. They touch "
              "in "
              "one or several ways, NAME or NAME.1, NAME.2, ...: at balls, rims, edges and corners."),
          {.key = "gap",
           .type = Type::expression,
           .unit = "m",
           .doc = "In place of a kind: the distance as a formula of the coordinates of all parts, as in a contact of "
                  "formulas."},
          {.key = "slip",
           .type = Type::any,
           .unit = "m",
           .doc = "gap: tangential displacement, one formula or two. Needed for friction."},
      }))};
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

}  // namespace ricochet::scenario
