// The keys of a scenario. The tables are all there is: checks, JSON schema and reference come from them.
#include "ricochet/io/scenario/tables.hpp"

#include <fmt/format.h>

#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/collision.hpp"
#include "ricochet/io/scenario/flexible.hpp"
#include "ricochet/io/scenario/record.hpp"
#include "ricochet/model/law.hpp"
#include "ricochet/scheme/scheme.hpp"

namespace ricochet::scenario {
namespace {

using namespace schema;

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
          {.key = "step",
           .type = Type::text,
           .doc = "Its geometry, whose faces contacts may name: a STEP file, looked for beside the scenario."},
          {.key = "part", .type = Type::text, .doc = "step: which solid of the file, if there are several."},
          {.key = "brep",
           .type = Type::text,
           .doc = "In place of `step`: geometry, whose faces contacts may name: a file beside the scenario with the "
                  "text of a part, or "
                  "that text itself; see docs/cad.md."},
          {.key = "density",
           .type = Type::expression,
           .unit = "kg/m^3",
           .doc = "Of a body with geometry: mass, centre and inertia follow. Or give mass and inertia.",
           .range = above(0)},
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
          {.key = "fixed",
           .type = Type::boolean,
           .fallback = "false",
           .doc = "It does not move: part of the ground, whose shapes others touch with `collision`."},
          {.key = "material", .type = Type::text, .doc = "Of its shapes, one of collision.materials."},
          {.key = "group",
           .type = Type::text,
           .doc = "A name for collision.ignore; that of the body, or of its scene, if not given."},
      }};
  return block;
}

const Block& scene() { return scene_table(body); }

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
          {.key = "separate",
           .type = Type::boolean,
           .fallback = "false",
           .doc = "Bodies that overlap are moved apart: to the nearest configuration in which they touch at most, with "
                  "joints closed, in the metric of the masses. The summary says how far they moved."},
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
           .doc = "Rigid bodies by name. They touch the plane; with `collision` each other and what is fixed.",
           .block = body},
          {.key = "flexible",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Flexible bodies by name.",
           .block = flexible},
          {.key = "scenes",
           .type = Type::block,
           .shape = Shape::named,
           .doc = "Many bodies alike: stacks, walls, pyramids, grids, packings.",
           .block = scene},
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
    made.fields.push_back({.key = "collision",
                           .type = Type::block,
                           .doc = "Bodies meet each other; they do not if it is not given.",
                           .block = collision_table});
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

const Block& record() {
  static const Block block{
      .name = "record",
      .doc = "How much of the run its results hold. Changes nothing of the motion.",
      .fields = {
          {.key = "every",
           .type = Type::integer,
           .fallback = "1",
           .doc = "Steps a row; 0: start and end only.",
           .range = at_least(0)},
          {.key = "contacts",
           .type = Type::text,
           .fallback = "all",
           .doc = "What is listed of contacts. all: those that are closed or carried an impulse, with gaps, "
                  "velocities and places; forces: those that carried an impulse, with their states and impulses; "
                  "none: nothing.",
           .accepted = {kContactDetails.begin(), kContactDetails.end()}}}};
  return block;
}

const Block& accept() {
  static const Block block{
      .name = "accept",
      .doc =
          "Steps that miss the tolerance. Without it such a step ends the run; with it the run goes on, the step is "
          "marked and counted, and the run ends as finished-uncertified.",
      .fields = {{.key = "residual",
                  .type = Type::expression,
                  .doc = "Largest error that such a step may leave, both levels, over the scales of the run.",
                  .range = between(1e-13, 1e-2),
                  .required = true}}};
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
          {.key = "compare_with",
           .type = Type::text,
           .shape = Shape::list,
           .doc = "Schemes that `compare` and `study` run beside `scheme` when none are named, such as that of the "
                  "source; each as for `run --scheme`."},
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
           .doc = "A step that does not converge is tried in 2, 4, ... parts, halved this often at most; one in which "
                  "bodies pass through each other up to 20 times, unless this is 0.",
           .range = between(0, 20)},
          {.key = "sleeping",
           .type = Type::boolean,
           .fallback = "true",
           .doc = "Leave out bodies that rest, with all that they touch, until something reaches them; no result "
                  "depends on "
                  "it."},
          {.key = "scales",
           .type = Type::block,
           .doc = "Length, velocity and mass that tolerances are measured by; found from the system if not given.",
           .block = scales},
          {.key = "accept",
           .type = Type::block,
           .doc = "What becomes of steps that miss the tolerance in the smallest parts too; they end the run if not "
                  "given.",
           .block = accept},
          {.key = "record",
           .type = Type::block,
           .doc = "How much of the run its results hold; every step and all contacts if not given.",
           .block = record},
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
          {.key = "source", .type = Type::text, .doc = "Where it comes from: a paper, its section, figure or table."},
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
          {.key = "expect",
           .type = Type::block,
           .shape = Shape::list,
           .doc = "What happens, in sentences that the run is compared with; the summary says which are not met. "
                  "Changes nothing of the motion.",
           .block = expectation_table},
      }};
  return block;
}

}  // namespace ricochet::scenario
