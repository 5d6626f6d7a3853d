// Springs, dampers, motors by their torque, loads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {

void MechanismReader::read_force(const std::string& name, const Fields& fields) {
  if (std::any_of(out_.forces.begin(), out_.forces.end(), [&](const FrameForce& f) { return f.name == name; }))
    fields.node().fail(fmt::format("the name '{}' is used twice", name));
  const std::string kind = fields.one_of({"spring", "slide", "torsion", "bushing", "load", "torque"});
  only_for(fields, "to", kind == "spring", "spring");
  only_for(fields, "length", kind == "spring", "spring");
  only_for(fields, "force", kind == "load", "load");
  const bool one = kind == "spring" || kind == "slide" || kind == "torsion";
  only_for(fields, "preload", one, "spring, slide and torsion");
  only_for(fields, "acts", one, "spring, slide and torsion");
  only_for(fields, "formula", one || kind == "torque", "spring, slide, torsion and torque");
  only_for(fields, "stiffness", one || kind == "bushing", "spring, slide, torsion and bushing");
  only_for(fields, "damping", one || kind == "bushing", "spring, slide, torsion and bushing");
  for (const char* key : {"first", "second"}) only_for(fields, key, one || kind == "torque", "other forces");
  if (kind == "load") return read_load(name, fields);
  if (kind == "bushing") return read_bushing(name, fields);
  const Ends e = ends(fields, kind);
  if (kind == "torsion" || kind == "torque") refuse_node(fields, kind, e, "spring, slide, load");
  const Axis axis = kind == "slide" ? Axis::inside : kind == "spring" ? Axis::none : Axis::normal;
  const Place p = place(fields, axis);
  FrameForce f{name, fix(p.at, p.R, e.a), fix(p.to, p.R, e.b), {}};
  place_apart(fields, {axis, axis}, e, f.A, f.B);
  using Kind = FrameRow::Kind;
  const Vector3d z = Vector3d::UnitZ();
  f.measure.kind = kind == "spring"   ? Kind::distance
                   : kind == "slide"  ? Kind::in_plane
                   : kind == "torque" ? Kind::spin
                                      : Kind::angle;
  if (kind != "torsion") f.measure.on_A = z;
  if (kind == "spring") {
    const double apart = (in_space(f.B) - in_space(f.A)).norm();
    if (!(apart > 0)) fields.fail("spring", "its ends coincide; accepted: `at` and `to` apart");
    f.measure.offset = fields.has("length") ? parts_.numbers.number(fields, "length") : apart;
  }
  read_linear_law(fields, f);
  if (fields.has("formula"))
    f.formula = formula(fields.expression("formula"), kind == "torque");
  else if (kind == "torque")
    fields.fail("torque", "needs `formula`, the moment about the axis");
  out_.forces.push_back(std::move(f));
}

std::vector<double> MechanismReader::numbers(const Fields& fields, const char* key) const {
  std::vector<double> out;
  if (!fields.has(key)) return out;
  const yaml::Node node = fields.node(key);
  if (node.is_scalar()) return {parts_.numbers.value(node)};
  for (const yaml::Node& item : node.items()) out.push_back(parts_.numbers.value(item));
  return out;
}

void MechanismReader::read_linear_law(const Fields& fields, FrameForce& f) {
  const auto one = [&](const char* key) {
    const std::vector<double> x = numbers(fields, key);
    if (x.size() > 1) fields.fail(key, fmt::format("expected one number, found {}", x.size()));
    return x.empty() ? 0 : x[0];
  };
  f.stiffness = one("stiffness");
  f.damping = one("damping");
  f.preload = parts_.numbers.number(fields, "preload");
  const std::string acts = fields.text("acts");
  f.acts = acts == "tension"       ? FrameForce::Acts::tension
           : acts == "compression" ? FrameForce::Acts::compression
                                   : FrameForce::Acts::always;
  note_negative(fields, "stiffness", f.stiffness);
  note_negative(fields, "damping", f.damping);
  if (fields.has("formula") && (f.stiffness != 0 || f.damping != 0 || f.preload != 0))
    fields.fail("formula", "says all of the force; accepted: formula, or stiffness, damping and preload");
  if (f.acts != FrameForce::Acts::always && f.preload != 0)
    fields.fail("preload", "a spring that acts on one side only has none; accepted: another length");
}

void MechanismReader::note_negative(const Fields& fields, std::string_view key, double least) {
  if (!(least < 0)) return;
  parts_.notes.push_back(fmt::format(
      "{}: a {} of {} {}", fields.node(key).where(), key, least,
      key == "damping" ? "drives the motion that it should slow down" : "pushes away from where the spring is free"));
}

void MechanismReader::read_bushing(const std::string& name, const Fields& fields) {
  const Ends e = ends(fields, "bushing");
  refuse_node(fields, "bushing", e, "spring, slide, load");
  const Place p = place(fields, Axis::normal);
  const std::vector<double> k = numbers(fields, "stiffness"), c = numbers(fields, "damping");
  if (k.size() != 6) fields.fail("bushing", "needs `stiffness` with six numbers: along x, y, z and about them");
  if (!c.empty() && c.size() != 6) fields.fail("damping", fmt::format("expected six numbers, found {}", c.size()));
  note_negative(fields, "stiffness", *std::min_element(k.begin(), k.end()));
  if (!c.empty()) note_negative(fields, "damping", *std::min_element(c.begin(), c.end()));
  for (int i = 0; i < 6; ++i) {
    FrameForce f{fmt::format("{}.{}", name, i + 1), fix(p.at, p.R, e.a), fix(p.to, p.R, e.b), {}};
    const Vector3d axis = Vector3d::Unit(i % 3), next = Vector3d::Unit((i + 1) % 3), last = Vector3d::Unit((i + 2) % 3);
    f.measure = i < 3 ? FrameRow{FrameRow::Kind::in_plane, axis, axis, 0}
                      : FrameRow{FrameRow::Kind::perpendicular, last, next, 0};
    f.stiffness = k[static_cast<std::size_t>(i)];
    f.damping = c.empty() ? 0 : c[static_cast<std::size_t>(i)];
    out_.forces.push_back(std::move(f));
  }
}

void MechanismReader::read_load(const std::string& name, const Fields& fields) {
  const std::string on = fields.text("load");
  const int body = end(on, fields, "load");
  all_.plane = all_.common_plane(0, body);
  if (body == 0) fields.fail("load", "ground does not move; accepted: a body");
  const Place p = place(fields, Axis::none);
  const bool turns = fields.text("axes") == "body";
  const std::vector<Expression> parts = fields.expressions("force");
  if (parts.size() != 3) fields.fail("load", "needs `force`: [x, y, z], formulas of time");
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis = Vector3d::Unit(i);
    const Frame still{0, p.at, Matrix3d::Identity()};
    Frame moving = fix(p.at, Matrix3d::Identity(), body);
    moving.R.setIdentity();  // the body's own axes
    FrameForce f{fmt::format("{}.{}", name, "xyz"[i]), turns ? moving : still, turns ? still : moving, {}};
    f.measure = {turns ? FrameRow::Kind::push : FrameRow::Kind::coincide, axis, axis, 0};
    f.formula = formula(parts[static_cast<std::size_t>(i)], true);
    out_.forces.push_back(std::move(f));
  }
}

CompiledFunction MechanismReader::formula(const Expression& text, bool without_x) {
  Graph graph;
  Symbols symbols = parts_.numbers.symbols(graph);
  if (!without_x) symbols["x"] = graph.variable(0);
  symbols["v"] = graph.variable(1);
  symbols["t"] = graph.variable(2);
  const NodeId F = located(text.node, [&] { return parse(text.text, symbols, graph); });
  const std::vector<NodeId> outputs{F, graph.derivative(F, 0), graph.derivative(F, 1),
                                    graph.substitute(F, 1, graph.constant(0))};
  const double start[3] = {0, 0, parts_.initial.t};
  if (!std::isfinite(evaluate(graph, F, start)))
    text.node.fail("no finite value at the beginning; accepted: formulas that are finite there");
  return {graph, outputs, 3};
}

}  // namespace ricochet::scenario
