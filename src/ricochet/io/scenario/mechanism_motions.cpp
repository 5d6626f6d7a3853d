// What joints do beside holding: motors, dry friction, stops.
#include <fmt/format.h>

#include <cmath>

#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {

void MechanismReader::drive(const Fields& fields, FrameJoint joint) {
  const bool speed = fields.has("speed");
  if (speed && fields.has("drive")) fields.fail("speed", "says how it moves, as `drive` does; accepted: one of them");
  const Expression formula = fields.expression(speed ? "speed" : "drive");
  Graph graph;
  Symbols symbols = parts_.numbers.symbols(graph);
  symbols["t"] = graph.variable(0);
  const NodeId given = located(formula.node, [&] { return parse(formula.text, symbols, graph); });
  const NodeId phi = speed ? graph.constant(0) : given, rate = speed ? given : graph.derivative(phi, 0);
  const double start = parts_.initial.t;
  if (const double x = evaluate(graph, phi, {&start, 1}); !(std::abs(x) <= 1e-9))
    formula.node.fail(
        fmt::format("is {:.6g} at the beginning; accepted: drives that begin at 0, where the joint is "
                    "posed",
                    x));
  const std::vector<NodeId> outputs{phi, rate, graph.derivative(rate, 0)};
  joint.name += ".drive";
  joint.drive = CompiledFunction(graph, outputs, 1);
  joint.velocity_only = speed;
  declare_constraint(joint.name, formula.node, parts_);
  if (!fields.has("torque")) return out_.joints.push_back(std::move(joint));
  joint.velocity_only = true;
  joint.law = parts_.builder.add(make_bounded(parts_.numbers.number(fields, "torque"), 0));
  if (!speed && !fields.has("lag"))
    fields.fail("torque", "needs `lag`, the time in which the motor makes up for what it is behind");
  if (!speed) joint.rate = 1 / parts_.numbers.number(fields, "lag");
  bounded_.push_back(std::move(joint));
}

// What rubs, with the load in the first rows of the joint; U is the velocity at the surfaces where the bound is a
// force, else an angular velocity.
//
//   prismatic     along the axis, mu |N|                    revolute   about it, mu pin |F|
//   cylindrical   both at once, mu |N|                      spherical  about all axes at once, mu pin |F|
//   planar        in the plane, with `pin` about its normal too, mu |N|
//   universal     about each of its two axes by itself, mu pin |F|
//   screw         along the thread at the radius of the pin, tan phi = lead / pin:  U = (z' + angle' pin / tan phi) is
//                 the velocity there over sin phi, P the force along it times sin phi. The multiplier of the screw's
//                 own row is the axial part of the force on the flank, F_n cos phi: |P| <= mu sin phi |F_n|.
void MechanismReader::friction(const Fields& fields, FrameJoint joint, const std::string& kind) {
  const double mu = parts_.numbers.number(fields, "friction"), pin = parts_.numbers.number(fields, "pin");
  const bool flat = kind == "planar", slides = kind == "prismatic", space = !all_.planar();
  if (!slides && !flat && !(pin > 0))
    fields.fail("friction",
                fmt::format("in a {} joint needs `pin`, the radius at which it acts; accepted: above 0", kind));
  if (kind == "spherical")
    refuse_node(fields, "friction", {joint.A.mount, joint.B.mount}, "bodies, which rub as they turn");
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const auto along = [](const Vector3d& n) { return FrameRow{FrameRow::Kind::in_plane, n, n, 0}; };
  const auto about = [](const Vector3d& n) { return FrameRow{FrameRow::Kind::spin, n, n, 0}; };
  double coefficient = mu;
  int loads = space ? 3 : 2;  // the joint's forces: joint_rows has them first
  std::vector<FrameRow> rows{about(z)};
  if (slides) {
    rows = {along(z)};
    loads -= 1;
  } else if (kind == "cylindrical") {
    rows = {along(z), about(pin * z)};
    loads = 2;
  } else if (flat) {
    rows = {along(x), along(y)};
    if (pin > 0) rows.push_back(about(pin * z));
    loads = 1;
  } else if (kind == "screw") {
    const double lead = joint.rows[0].lead;
    rows = {{.kind = FrameRow::Kind::screw, .lead = -pin * pin / lead}};
    coefficient = mu * std::abs(lead) / pin;
  } else {
    coefficient = mu * pin;
    if (kind == "spherical" && space) rows = {about(x), about(y), about(z)};
  }
  const ContactLaw* law = parts_.builder.add(make_bounded(0, coefficient));
  joint.load = static_cast<int>(out_.joints.size()) - 1;
  joint.load_rows = loads;
  joint.velocity_only = true;
  joint.law = law;
  const auto add = [&](FrameJoint rubbing, const char* part) {
    rubbing.name += part;
    declare_constraint(rubbing.name, fields.node("friction"), parts_);
    bounded_.push_back(std::move(rubbing));
  };
  if (kind != "universal") {
    joint.rows = std::move(rows);
    return add(std::move(joint), ".friction");
  }
  joint.rows = {about(x)};  // fixed to the first body
  add(joint, ".friction1");
  std::swap(joint.A, joint.B);
  joint.rows = {about(y)};  // fixed to the second
  add(std::move(joint), ".friction2");
}

void MechanismReader::limit(const Fields& fields, const FrameJoint& joint, bool turns) {
  const std::vector<double> range = parts_.numbers.list(fields, "limits");
  if (range.size() != 2 || !(range[0] <= 0 && range[1] >= 0 && range[0] < range[1]))
    fields.fail("limits", "expected [lowest, highest] with the beginning, 0, between them");
  if (turns && !(range[0] > -3.14 && range[1] < 3.14))
    fields.fail("limits", "more than half a turn from the beginning; accepted: between -3.14 and 3.14 rad");
  const ContactLaw* law =
      parts_.builder.add(make_law("", {.restitution = parts_.numbers.number(fields, "restitution"), .friction = 0}));
  for (int side : {0, 1}) {
    FrameJoint stop = joint;
    stop.name += side == 0 ? ".lower" : ".upper";
    stop.law = law;
    stop.sign = side == 0 ? 1 : -1;
    stop.rows[0].offset = range[static_cast<std::size_t>(side)];
    declare_constraint(stop.name, fields.node("limits"), parts_);
    limits_.push_back(std::move(stop));
  }
}

}  // namespace ricochet::scenario
