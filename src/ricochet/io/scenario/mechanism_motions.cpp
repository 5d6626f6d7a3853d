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

void MechanismReader::friction(const Fields& fields, FrameJoint joint, const std::string& kind) {
  const double mu = parts_.numbers.number(fields, "friction"), pin = parts_.numbers.number(fields, "pin");
  const bool slides = kind == "prismatic", both = kind == "cylindrical", space = !all_.planar();
  if (!slides && !(pin > 0))
    fields.fail("friction",
                fmt::format("in a {} joint needs `pin`, the radius at which it acts; accepted: above 0", kind));
  if (kind == "spherical")
    refuse_node(fields, "friction", {joint.A.mount, joint.B.mount}, "bodies, which rub as they turn");
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const FrameRow along{FrameRow::Kind::in_plane, z, z, 0}, about{FrameRow::Kind::spin, z, z, 0},
      around{FrameRow::Kind::spin, pin * z, z, 0};  // the velocity at the pin's surface
  const std::vector<FrameRow> turning{{FrameRow::Kind::spin, x, x, 0}, {FrameRow::Kind::spin, y, y, 0}, about};
  joint.name += ".friction";
  joint.load = static_cast<int>(out_.joints.size()) - 1;
  joint.load_rows = slides ? (space ? 2 : 1) : both ? 2 : (space ? 3 : 2);  // its forces: joint_rows has them first
  joint.rows = slides                         ? std::vector{along}
               : both                         ? std::vector{along, around}
               : kind == "spherical" && space ? turning
                                              : std::vector{about};
  joint.velocity_only = true;
  joint.law = parts_.builder.add(make_bounded(0, slides || both ? mu : mu * pin));
  declare_constraint(joint.name, fields.node("friction"), parts_);
  bounded_.push_back(std::move(joint));
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
