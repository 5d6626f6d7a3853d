// Joints between bodies and frames, and where they stand.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {
namespace {

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

}  // namespace

Mechanism MechanismReader::read(const Fields& system) {
  const auto joints = system.named_blocks("joints");
  drive_nodes();
  for (const auto& [name, fields] : joints)
    if (!fields.has("formula") && !fields.has("gear")) read_joint(name, fields);
  for (const auto& [name, fields] : joints)
    if (fields.has("gear")) read_gear(name, fields);
  // joints first, as sets have it
  for (std::vector<FrameJoint>* some : {&bounded_, &limits_})
    std::move(some->begin(), some->end(), std::back_inserter(out_.joints));
  for (const auto& [name, fields] : system.named_blocks("contacts"))
    if (fields.has("faces"))
      read_faces(name, fields);
    else if (!fields.has("gap"))
      read_contact(name, fields);
  for (const auto& [name, fields] : system.named_blocks("forces"))
    if (!fields.has("potential") && !fields.has("on")) read_force(name, fields);
  return std::move(out_);
}

int MechanismReader::end(const std::string& name, const Fields& fields, const std::string& kind) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) fields.fail(kind, unknown_word("body", name, names_));
  return static_cast<int>(found - names_.begin());
}

MechanismReader::Ends MechanismReader::ends(const Fields& fields, const std::string& kind) {
  const std::vector<std::string> given = fields.texts(kind);
  const Ends e{end(given[0], fields, kind), end(given[1], fields, kind)};
  all_.look_at(e.a, e.b);
  if (e.a == e.b)
    fields.fail(kind, fmt::format("joins '{}' with itself; accepted: two bodies, or one and ground", names_[e.a]));
  return e;
}

MechanismReader::Place MechanismReader::place(const Fields& fields, Axis kind) const {
  const auto given = [&](const char* key) { return fields.table().find(key) != nullptr && fields.has(key); };
  if (given("first")) return place(fields.block("first"), kind);
  Place p;
  p.at = p.to = parts_.numbers.vector(fields, "at");
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

void MechanismReader::turn_to_x(const Fields& fields, Matrix3d& R) const {
  const Vector3d z = R.col(2), x = parts_.numbers.vector(fields, "x"), across = x - z * z.dot(x);
  if (!(across.norm() > 1e-6 * x.norm())) fields.fail("x", "is along the axis; accepted: directions across it");
  R.col(0) = across.normalized();
  R.col(1) = z.cross(R.col(0));
}

void MechanismReader::only_for(const Fields& fields, const char* key, bool belongs, const char* whose) const {
  if (fields.has(key) && !belongs) fields.fail(key, fmt::format("`{}` belongs to {}", key, whose));
}

Frame MechanismReader::fix(const Vector3d& at, const Matrix3d& R, int mount) const {
  if (mount == 0) return {mount, at, R};
  const Pose& body = all_.poses[static_cast<std::size_t>(mount - 1)];
  return {mount, body.R.transpose() * (at - body.c), body.R.transpose() * R};
}

void MechanismReader::read_joint(const std::string& name, const Fields& fields) {
  const std::string kind = fields.one_of({"fixed", "revolute", "prismatic", "cylindrical", "spherical", "universal",
                                          "planar", "distance", "screw", "gear", "mean"});
  if (kind == "mean") return tie_mean(name, fields);
  if (kind != "gear" && node_set(fields.texts(kind)[1]) != nullptr) return tie(name, fields, kind);
  const Ends e = ends(fields, kind);
  if (kind != "spherical" && kind != "distance") refuse_node(fields, kind, e, "spherical, distance");
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
  if (place_apart(fields, {axis, axis}, e, joint.A, joint.B) && kind == "distance")
    fields.fail("first", "a distance is that of `at` and `to`; accepted: these");
  only_for(fields, "pitch", kind == "screw", "screws");
  only_for(fields, "ratio", false, "gears");
  for (const char* key : {"drive", "speed", "limits"})
    only_for(fields, key, turns || slides, "revolute, prismatic, cylindrical and screw joints");
  only_for(fields, "torque", fields.has("drive") || fields.has("speed"), "drives");
  only_for(fields, "lag", fields.has("drive") && fields.has("torque"), "drives with a torque");
  only_for(fields, "restitution", fields.has("limits") || fields.has("clearance"), "limits and clearances");
  const bool rubs = kind != "fixed" && kind != "distance";
  only_for(fields, "friction", fields.has("clearance") || rubs, "clearances and joints that slide or turn");
  only_for(fields, "pin", fields.has("clearance") || (rubs && !slides && fields.has("friction")),
           "clearances and friction");
  for (const char* key : {"bush", "length", "axial", "collar", "width"})
    only_for(fields, key, fields.has("clearance"), "clearances");
  if (fields.has("clearance")) return clearance(fields, kind, joint);
  out_.joints.push_back(joint);
  if (fields.has("friction")) friction(fields, joint, kind);
  joint.rows = {slides ? FrameRow{FrameRow::Kind::in_plane, Vector3d::UnitZ(), Vector3d::UnitZ(), 0}
                       : FrameRow{FrameRow::Kind::angle, Vector3d::UnitX(), Vector3d::UnitX(), 0}};
  if (turns || slides) out_.measured.push_back({name, {joint.A, joint.B, joint.rows[0]}, turns});
  if (fields.has("drive") || fields.has("speed")) drive(fields, joint);
  if (fields.has("limits")) limit(fields, joint, turns);
}

MechanismReader::Place MechanismReader::place_on(const Fields& fields, const char* key, Axis axis, int mount) const {
  if (!fields.has(key)) fields.node().fail(fmt::format("needs `{}` too, the place on the other body", key));
  Place p = place(fields.block(key), axis);
  if (mount > 0) p.at -= all_.centres[static_cast<std::size_t>(mount - 1)];
  return p;
}

bool MechanismReader::place_apart(const Fields& fields, std::array<Axis, 2> axes, const Ends& e, Frame& A,
                                  Frame& B) const {
  if (!fields.has("first") && !fields.has("second")) return false;
  for (const char* key : {"at", "axis", "to", "x"})
    if (fields.table().find(key) != nullptr && fields.has(key))
      fields.fail(key, "the place is given by `first` and `second`; accepted: one or the other");
  const Place a = place_on(fields, "first", axes[0], e.a), b = place_on(fields, "second", axes[1], e.b);
  A = {e.a, a.at, a.R};
  B = {e.b, b.at, b.R};
  return true;
}

Vector3d MechanismReader::in_space(const Frame& f) const {
  if (f.mount == 0) return f.r;
  const Pose& body = all_.poses[static_cast<std::size_t>(f.mount - 1)];
  return body.c + body.R * f.r;
}

void MechanismReader::read_gear(const std::string& name, const Fields& fields) {
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
      fields.fail("ratio", fmt::format("{:.17g} is no quotient of whole numbers up to 10000, as wheels with teeth have "
                                       "it; accepted: 20/45, say",
                                       ratio));
    period = turn / teeth;
  }
  declare_constraint(name, fields.node(), parts_);
  parts_.gears.insert(name);
  out_.couplings.push_back({name, sides[0]->side, sides[1]->side, ratio, period});
}

std::vector<FrameRow> MechanismReader::rows(const Fields& fields, const std::string& kind, double length) const {
  if (!all_.planar()) return joint_rows(kind, length);
  std::vector<FrameRow> out = planar_joint_rows(kind, all_.plane, length);
  if (kind == "screw") out.clear();
  if (out.empty()) fields.fail(kind, "does not exist in the plane; accepted: fixed, revolute, prismatic, distance");
  return out;
}

void MechanismReader::clearance(const Fields& fields, const std::string& kind, const FrameJoint& joint) {
  for (const char* key : {"drive", "speed", "limits"}) only_for(fields, key, false, "joints without clearance");
  const ContactLaw* law = read_law(fields, all_.tangents(), parts_);
  parts_.play = true;
  for (FrameContact& c : clearance_contacts(fields, kind, joint, all_.planar(), parts_.numbers)) {
    if (c.name != joint.name) declare_constraint(c.name, fields.node(), parts_);
    c.law = law;
    out_.contacts.push_back(std::move(c));
  }
}

Mechanism read_mechanism(const Fields& system, const Assembly& assembly, Parts& parts) {
  return MechanismReader(assembly, parts).read(system);
}

}  // namespace ricochet::scenario
