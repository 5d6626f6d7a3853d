// Joints, limits, drives, contacts and forces between rigid bodies.
#include "ricochet/io/scenario/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace ricochet::scenario {
namespace {

using schema::Expression;
using schema::Fields;

/// Right-handed axes with z along `axis`.
Matrix3d axes_along(const Vector3d& axis) {
  Matrix3d R;
  R.col(2) = axis.normalized();
  Index least = 0;
  R.col(2).cwiseAbs().minCoeff(&least);
  R.col(0) = R.col(2).cross(Vector3d::Unit(least)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

/// Joints, contacts and forces at the initial pose of the bodies. Mount 0 is the ground, the others are the bodies in
/// their order.
class MechanismReader {
 public:
  MechanismReader(const Assembly& assembly, Parts& parts) : parts_(parts), all_(assembly), names_{kGround} {
    names_.insert(names_.end(), all_.names.begin(), all_.names.end());
  }

  Mechanism read(const Fields& system) {
    const auto joints = system.named_blocks("joints");
    for (const auto& [name, fields] : joints)
      if (!fields.has("formula") && !fields.has("gear")) read_joint(name, fields);
    for (const auto& [name, fields] : joints)
      if (fields.has("gear")) read_gear(name, fields);
    // joints first, as sets have it
    for (std::vector<FrameJoint>* some : {&bounded_, &limits_})
      std::move(some->begin(), some->end(), std::back_inserter(out_.joints));
    for (const auto& [name, fields] : system.named_blocks("contacts"))
      if (!fields.has("gap")) read_contact(name, fields);
    for (const auto& [name, fields] : system.named_blocks("forces"))
      if (!fields.has("potential") && !fields.has("on")) read_force(name, fields);
    return std::move(out_);
  }

 private:
  struct Ends {
    int a, b;
  };
  struct Place {
    Vector3d at, to;
    Matrix3d R;
  };

  int end(const std::string& name, const Fields& fields, const std::string& kind) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) fields.fail(kind, unknown_word("body", name, names_));
    return static_cast<int>(found - names_.begin());
  }
  /// From here on planes are those of this pair.
  Ends ends(const Fields& fields, const std::string& kind) {
    const std::vector<std::string> given = fields.texts(kind);
    const Ends e{end(given[0], fields, kind), end(given[1], fields, kind)};
    all_.look_at(e.a, e.b);
    if (e.a == e.b)
      fields.fail(kind, fmt::format("joins '{}' with itself; accepted: two bodies, or one and ground", names_[e.a]));
    return e;
  }
  /// What the axis of something is, if everything moves in a plane.
  enum class Axis { normal, inside, none };
  Place place(const Fields& fields, Axis kind) const {
    Place p;
    p.at = p.to = parts_.numbers.vector(fields, "at");
    const auto given = [&](const char* key) { return fields.table().find(key) != nullptr && fields.has(key); };
    if (given("to")) p.to = parts_.numbers.vector(fields, "to");
    Vector3d axis = parts_.numbers.vector(fields, "axis");
    if (!(axis.norm() > 1e-100)) fields.fail("axis", "the direction has length zero; accepted: any other");
    axis.normalize();
    if (!all_.planar() || kind == Axis::none) {
      p.R = axes_along(axis);
      if (given("x")) turn_to_x(fields, p.R);
      return p;
    }
    const double out = std::abs(axis.dot(all_.plane));
    if (kind == Axis::inside) {
      if (out > 1e-9) fields.fail("axis", "leaves the plane of motion; accepted: a direction in it");
      p.R << all_.plane.cross(axis), all_.plane, axis;
      return p;
    }
    if (fields.has("axis") && std::abs(out - 1) > 1e-9)
      fields.fail("axis", "is not normal to the plane of motion; accepted: that normal, or none");
    p.R = axes_along(fields.has("axis") ? axis : all_.plane);
    return p;
  }
  void turn_to_x(const Fields& fields, Matrix3d& R) const {
    const Vector3d z = R.col(2), x = parts_.numbers.vector(fields, "x"), across = x - z * z.dot(x);
    if (!(across.norm() > 1e-6 * x.norm())) fields.fail("x", "is along the axis; accepted: directions across it");
    R.col(0) = across.normalized();
    R.col(1) = z.cross(R.col(0));
  }
  void only_for(const Fields& fields, const char* key, bool belongs, const char* whose) const {
    if (fields.has(key) && !belongs) fields.fail(key, fmt::format("`{}` belongs to {}", key, whose));
  }
  /// A frame at a point of space with the axes R, on a body in its initial pose.
  Frame fix(const Vector3d& at, const Matrix3d& R, int mount) const {
    if (mount == 0) return {mount, at, R};
    const Pose& body = all_.poses[static_cast<std::size_t>(mount - 1)];
    return {mount, body.R.transpose() * (at - body.c), body.R.transpose() * R};
  }

  // ---- joints -------------------------------------------------------------------------------------------------------
  void read_joint(const std::string& name, const Fields& fields) {
    const std::string kind = fields.one_of({"fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal",
                                            "planar", "distance", "screw", "gear"});
    const Ends e = ends(fields, kind);
    const bool slides = kind == "prismatic",
               turns = kind == "revolute" || (!all_.planar() && (kind == "cylindrical" || kind == "screw"));
    const Axis axis = slides ? Axis::inside : kind == "distance" ? Axis::none : Axis::normal;
    const Place p = place(fields, axis);
    if (fields.has("to") != (kind == "distance"))
      fields.fail(fields.has("to") ? "to" : kind, "`to` belongs to distance, and distance needs it");
    double length = (p.to - p.at).norm();
    if (kind == "distance" && !(length > 0))
      fields.fail("to", "the points coincide; accepted: points apart, or a spherical joint");
    if (kind == "screw") {
      if (!fields.has("pitch")) fields.fail("screw", "needs `pitch`, the advance per turn");
      length = parts_.numbers.number(fields, "pitch") / (2 * std::numbers::pi);
      if (length == 0) fields.fail("pitch", "a screw without pitch is a revolute joint; accepted: any other");
    }
    declare_constraint(name, fields.node(), parts_);
    FrameJoint joint{name, fix(p.at, p.R, e.a), fix(p.to, p.R, e.b), rows(fields, kind, length)};
    if (place_apart(fields, axis, e, joint.A, joint.B) && kind == "distance")
      fields.fail("first", "a distance is that of `at` and `to`; accepted: these");
    only_for(fields, "pitch", kind == "screw", "screws");
    only_for(fields, "ratio", false, "gears");
    for (const char* key : {"drive", "speed", "limits"})
      only_for(fields, key, turns || slides, "revolute, prismatic, cylindrical and screw joints");
    only_for(fields, "torque", fields.has("drive") || fields.has("speed"), "drives");
    only_for(fields, "lag", fields.has("drive") && fields.has("torque"), "drives with a torque");
    only_for(fields, "restitution", fields.has("limits") || fields.has("clearance"), "limits and clearances");
    const bool pin = kind == "revolute" || (kind == "spherical" && all_.planar());
    only_for(fields, "friction", fields.has("clearance") || pin || slides, "clearances, revolute and prismatic joints");
    only_for(fields, "pin", fields.has("clearance") || (pin && fields.has("friction")), "clearances and friction");
    for (const char* key : {"bush", "length", "axial", "collar", "width"})
      only_for(fields, key, fields.has("clearance"), "clearances");
    if (fields.has("clearance")) return clearance(fields, kind, joint);
    out_.joints.push_back(joint);
    if (fields.has("friction")) friction(fields, joint, slides);
    joint.rows = {slides ? FrameRow{FrameRow::Kind::in_plane, Vector3d::UnitZ(), Vector3d::UnitZ(), 0}
                         : FrameRow{FrameRow::Kind::angle, Vector3d::UnitX(), Vector3d::UnitX(), 0}};
    if (turns || slides) out_.measured.push_back({name, {joint.A, joint.B, joint.rows[0]}, turns});
    if (fields.has("drive") || fields.has("speed")) drive(fields, joint);
    if (fields.has("limits")) limit(fields, joint, turns);
  }

  /// The place in the axes of one body.
  Place place_on(const Fields& fields, const char* key, Axis axis, int mount) const {
    if (!fields.has(key)) fields.node().fail(fmt::format("needs `{}` too, the place on the other body", key));
    Place p = place(fields.block(key), axis);
    if (mount > 0) p.at -= all_.centres[static_cast<std::size_t>(mount - 1)];
    return p;
  }
  /// Frames that are given in the axes of their bodies, and need not meet at the beginning; false: they are not.
  bool place_apart(const Fields& fields, Axis axis, const Ends& e, Frame& A, Frame& B) const {
    if (!fields.has("first") && !fields.has("second")) return false;
    for (const char* key : {"at", "axis", "to", "x"})
      if (fields.table().find(key) != nullptr && fields.has(key))
        fields.fail(key, "the place is given by `first` and `second`; accepted: one or the other");
    const Place a = place_on(fields, "first", axis, e.a), b = place_on(fields, "second", axis, e.b);
    A = {e.a, a.at, a.R};
    B = {e.b, b.at, b.R};
    return true;
  }
  Vector3d in_space(const Frame& f) const {
    if (f.mount == 0) return f.r;
    const Pose& body = all_.poses[static_cast<std::size_t>(f.mount - 1)];
    return body.c + body.R * f.r;
  }

  /// Couples the angles or displacements of two joints.
  void read_gear(const std::string& name, const Fields& fields) {
    const std::vector<std::string> given = fields.texts("gear");
    for (const char* key : {"at", "axis", "to", "x", "first", "second", "drive", "limits", "clearance", "pitch",
                            "restitution", "friction", "law"})
      only_for(fields, key, false, "other joints; a gear has `ratio` alone");
    if (!fields.has("ratio")) fields.fail("gear", "needs `ratio`, the turns of the second joint per turn of the first");
    std::vector<std::string> known;
    for (const Mechanism::Measured& m : out_.measured) known.push_back(m.name);
    const Mechanism::Measured* sides[2];
    for (int k : {0, 1}) {
      const auto found = std::find(known.begin(), known.end(), given[static_cast<std::size_t>(k)]);
      if (found == known.end())
        fields.fail("gear", unknown_word("joint that turns or slides", given[static_cast<std::size_t>(k)], known));
      sides[k] = &out_.measured[static_cast<std::size_t>(found - known.begin())];
    }
    if (sides[0] == sides[1]) fields.fail("gear", "couples a joint with itself; accepted: two joints");
    const double ratio = parts_.numbers.number(fields, "ratio");
    if (ratio == 0) fields.fail("ratio", "is 0, which holds the second joint; accepted: any other");
    const double turn = 2 * std::numbers::pi;
    double period = sides[1]->turns ? turn : sides[0]->turns ? turn * std::abs(ratio) : 0;
    if (sides[0]->turns && sides[1]->turns) {
      const int teeth = whole_denominator(ratio);
      if (teeth == 0)
        fields.fail("ratio",
                    fmt::format("{:.17g} is no quotient of whole numbers up to 10000, as wheels with teeth have "
                                "it; accepted: 20/45, say",
                                ratio));
      period = turn / teeth;
    }
    declare_constraint(name, fields.node(), parts_);
    out_.couplings.push_back({name, sides[0]->side, sides[1]->side, ratio, period});
  }

  std::vector<FrameRow> rows(const Fields& fields, const std::string& kind, double length) const {
    if (!all_.planar()) return joint_rows(kind, length);
    std::vector<FrameRow> out = planar_joint_rows(kind, all_.plane, length);
    if (kind == "screw") out.clear();
    if (out.empty()) fields.fail(kind, "does not exist in the plane; accepted: fixed, revolute, prismatic, distance");
    return out;
  }

  /// A joint with play is contacts.
  void clearance(const Fields& fields, const std::string& kind, const FrameJoint& joint) {
    for (const char* key : {"drive", "speed", "limits"}) only_for(fields, key, false, "joints without clearance");
    const ContactLaw* law = read_law(fields, all_.tangents(), parts_);
    for (FrameContact& c : clearance_contacts(fields, kind, joint, all_.planar(), parts_.numbers)) {
      if (c.name != joint.name) declare_constraint(c.name, fields.node(), parts_);
      c.law = law;
      out_.contacts.push_back(std::move(c));
    }
  }

  // ---- contacts -----------------------------------------------------------------------------------------------------
  void read_contact(const std::string& name, const Fields& fields) {
    std::vector<std::string> kinds{"on_plane", "in_bush", "on_shaft", "in_socket", "on_ball"};
    kinds.insert(kinds.end(), surface_kinds().begin(), surface_kinds().end());
    const std::string kind = fields.one_of(kinds);
    const auto found = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    const Ends e = ends(fields, kind);
    const bool plane = kind == "on_plane";
    const double r = parts_.numbers.number(fields, "tip");
    FrameContact contact;
    contact.name = name;
    contact.feature.r = r;
    contact.law = read_law(fields, all_.tangents(), parts_);
    Place p = place(fields, plane ? Axis::inside : Axis::normal);
    if (found < 5) {
      const double R = parts_.numbers.number(fields, "radius");
      if (fields.has("radius") == plane)
        fields.fail(plane ? "radius" : kind, plane ? "a plane has none" : "needs `radius`, that of the first body");
      if ((kind == "in_bush" || kind == "in_socket") && !(R > r))
        fields.fail("tip", fmt::format("{} does not fit into the radius {}", r, R));
      contact.feature.kind = static_cast<Feature::Kind>(found);
      contact.feature.R = R;
      for (const char* key : {"size", "length", "height", "thickness", "arc", "points", "profile", "x"})
        only_for(fields, key, false, "other kinds of contact");
    } else {
      if (fields.has("first")) p = place_on(fields, "first", Axis::normal, 0);
      if (all_.planar()) p.R << all_.e1, all_.plane.cross(all_.e1), all_.plane;
      contact.feature.kind = Feature::Kind::on_surface;
      contact.feature.surface = read_surface(fields, kind, p.at, p.R, parts_.numbers);
    }
    const bool flat = kind == "on_arc" || kind == "on_polygon" || kind == "on_cam";
    const bool both = plane || kind == "in_bush" || kind == "on_shaft";
    if (!both && all_.planar() != flat)
      fields.fail(kind, flat ? "is for the plane; in space a body has other surfaces"
                             : "is for space; accepted in the plane: on_plane, in_bush, on_shaft, on_arc, on_polygon, "
                               "on_cam");
    declare_constraint(name, fields.node(), parts_);
    contact.A = fix(p.at, p.R, e.a);
    contact.B = fix(p.to, p.R, e.b);
    if (place_apart(fields, plane ? Axis::inside : Axis::normal, e, contact.A, contact.B) && found >= 5)
      contact.A.R = p.R;
    out_.contacts.push_back(std::move(contact));
  }

  // ---- drives and limits of joints ----------------------------------------------------------------------------------
  /// What is given of the motion along a joint: its value, its rate, its acceleration.
  void drive(const Fields& fields, FrameJoint joint) {
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

  /// Dry friction in the joint that was read last: along its axis, or about it at the radius of the pin.
  void friction(const Fields& fields, FrameJoint joint, bool slides) {
    const double mu = parts_.numbers.number(fields, "friction"), pin = parts_.numbers.number(fields, "pin");
    if (!slides && !(pin > 0))
      fields.fail("friction", "in a revolute joint needs `pin`, the radius at which it acts; accepted: above 0");
    const bool space = !all_.planar();
    joint.name += ".friction";
    joint.load = static_cast<int>(out_.joints.size()) - 1;
    joint.load_rows = slides ? (space ? 2 : 1) : (space ? 3 : 2);  // its forces: joint_rows has them first
    joint.rows = {{slides ? FrameRow::Kind::in_plane : FrameRow::Kind::spin, Vector3d::UnitZ(), Vector3d::UnitZ(), 0}};
    joint.velocity_only = true;
    joint.law = parts_.builder.add(make_bounded(0, slides ? mu : mu * pin));
    declare_constraint(joint.name, fields.node("friction"), parts_);
    bounded_.push_back(std::move(joint));
  }

  void limit(const Fields& fields, const FrameJoint& joint, bool turns) {
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

  // ---- forces -------------------------------------------------------------------------------------------------------
  void read_force(const std::string& name, const Fields& fields) {
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
    const Axis axis = kind == "slide" ? Axis::inside : kind == "spring" ? Axis::none : Axis::normal;
    const Place p = place(fields, axis);
    FrameForce f{name, fix(p.at, p.R, e.a), fix(p.to, p.R, e.b), {}};
    place_apart(fields, axis, e, f.A, f.B);
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

  /// One number, or a list of them; none if not given.
  std::vector<double> numbers(const Fields& fields, const char* key) const {
    std::vector<double> out;
    if (!fields.has(key)) return out;
    const yaml::Node node = fields.node(key);
    if (node.is_scalar()) return {parts_.numbers.value(node)};
    for (const yaml::Node& item : node.items()) out.push_back(parts_.numbers.value(item));
    return out;
  }

  void read_linear_law(const Fields& fields, FrameForce& f) {
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
    if (f.stiffness < 0) note_negative(fields, f.stiffness);
    if (fields.has("formula") && (f.stiffness != 0 || f.damping != 0 || f.preload != 0))
      fields.fail("formula", "says all of the force; accepted: formula, or stiffness, damping and preload");
    if (f.acts != FrameForce::Acts::always && f.preload != 0)
      fields.fail("preload", "a spring that acts on one side only has none; accepted: another length");
  }

  void note_negative(const Fields& fields, double stiffness) {
    parts_.notes.push_back(fmt::format("{}: a stiffness of {} pushes away from where the spring is free",
                                       fields.node("stiffness").where(), stiffness));
  }

  /// Six springs: along the axes of the first frame, and about them by the sines of the angles.
  void read_bushing(const std::string& name, const Fields& fields) {
    const Ends e = ends(fields, "bushing");
    const Place p = place(fields, Axis::normal);
    const std::vector<double> k = numbers(fields, "stiffness"), c = numbers(fields, "damping");
    if (k.size() != 6) fields.fail("bushing", "needs `stiffness` with six numbers: along x, y, z and about them");
    if (!c.empty() && c.size() != 6) fields.fail("damping", fmt::format("expected six numbers, found {}", c.size()));
    if (const double least = *std::min_element(k.begin(), k.end()); least < 0) note_negative(fields, least);
    for (int i = 0; i < 6; ++i) {
      FrameForce f{fmt::format("{}.{}", name, i + 1), fix(p.at, p.R, e.a), fix(p.to, p.R, e.b), {}};
      const Vector3d axis = Vector3d::Unit(i % 3), next = Vector3d::Unit((i + 1) % 3),
                     last = Vector3d::Unit((i + 2) % 3);
      f.measure = i < 3 ? FrameRow{FrameRow::Kind::in_plane, axis, axis, 0}
                        : FrameRow{FrameRow::Kind::perpendicular, last, next, 0};
      f.stiffness = k[static_cast<std::size_t>(i)];
      f.damping = c.empty() ? 0 : c[static_cast<std::size_t>(i)];
      out_.forces.push_back(std::move(f));
    }
  }

  /// A force at a point: three, along the axes of space or of the body.
  void read_load(const std::string& name, const Fields& fields) {
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

  /// F(x, v, t), or of v and t where there is no x.
  CompiledFunction formula(const Expression& text, bool without_x) {
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

  Parts& parts_;
  Assembly all_;
  std::vector<std::string> names_;
  std::vector<FrameJoint> bounded_, limits_;
  Mechanism out_;
};

}  // namespace

Mechanism read_mechanism(const Fields& system, const Assembly& assembly, Parts& parts) {
  return MechanismReader(assembly, parts).read(system);
}

}  // namespace ricochet::scenario
