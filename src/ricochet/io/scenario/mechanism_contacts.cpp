// Contacts between surfaces of one body and points, rims or flats of another.
#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {
namespace {

using Kind = Feature::Kind;

struct ContactKind {
  const char* name;
  Kind kind;
  bool plane, space;  ///< where it exists
};
constexpr ContactKind kKinds[] = {{"on_plane", Kind::on_plane, true, true},
                                  {"in_bush", Kind::in_bush, true, true},
                                  {"on_shaft", Kind::on_shaft, true, true},
                                  {"in_socket", Kind::in_socket, false, true},
                                  {"on_ball", Kind::on_ball, false, true},
                                  {"rim_on_plane", Kind::rim_on_plane, false, true},
                                  {"on_capsule", Kind::on_surface, false, true},
                                  {"on_box", Kind::on_surface, false, true},
                                  {"on_ring", Kind::on_surface, false, true},
                                  {"on_cone", Kind::on_surface, false, true},
                                  {"on_arc", Kind::on_surface, true, false},
                                  {"on_sector", Kind::on_surface, true, false},
                                  {"on_polygon", Kind::on_surface, true, false},
                                  {"on_cam", Kind::on_surface, true, false},
                                  {"flat_on_cam", Kind::flat_on_surface, true, false}};

/// The one that is given, and exists where the pair moves.
const ContactKind& find_kind(const Fields& fields) {
  std::vector<std::string> names;
  for (const ContactKind& k : kKinds) names.emplace_back(k.name);
  const std::string name = fields.one_of(names);
  return *std::find_if(std::begin(kKinds), std::end(kKinds), [&](const ContactKind& k) { return k.name == name; });
}

void check_plane(const Fields& fields, const ContactKind& kind, bool planar) {
  if (planar ? kind.plane : kind.space) return;
  std::vector<std::string> names;
  for (const ContactKind& k : kKinds)
    if (k.plane) names.emplace_back(k.name);
  fields.fail(kind.name, planar ? "is for space; accepted in the plane: " + join(names)
                                : "is for the plane; in space a body has other surfaces");
}

}  // namespace

/// Radii of planes, cylinders, spheres and rims.
void MechanismReader::read_radii(const Fields& fields, const std::string& kind, Feature& feature) {
  const bool plane = kind == "on_plane", rim = kind == "rim_on_plane";
  feature.R = parts_.numbers.number(fields, "radius");
  if (fields.has("radius") == plane)
    fields.fail(plane ? "radius" : kind, plane ? "a plane has none"
                                         : rim ? "needs `radius`, that of the rim"
                                               : "needs `radius`, that of the first body");
  if (feature.inside() && !(feature.R > feature.r))
    fields.fail("tip", fmt::format("{} does not fit into the radius {}", feature.r, feature.R));
  only_for(fields, "tip", !rim, "points; a rim is a circle");
  for (const char* key : {"size", "length", "height", "thickness", "arc", "points", "profile", "x"})
    only_for(fields, key, false, "other kinds of contact");
}

void MechanismReader::read_contact(const std::string& name, const Fields& fields) {
  const ContactKind& kind = find_kind(fields);
  const std::vector<Pair> all = pairs(name, fields, kind.name);
  const Ends e = all.front().ends;
  FrameContact contact;
  contact.name = name;
  contact.feature.kind = kind.kind;
  contact.feature.r = parts_.numbers.number(fields, "tip");
  contact.law = read_law(fields, all_.tangents(), parts_);
  // the axis is a normal in the plane of motion, or that plane's own; of a point on the second body there is none
  const bool flat = kind.kind == Kind::flat_on_surface, apart = fields.has("first") || fields.has("second");
  const Axis axis = kind.kind == Kind::on_plane || (flat && !apart) ? Axis::inside : Axis::normal;
  Place p = place(fields, axis);
  Matrix3d axes = p.R;
  if (kind.kind == Kind::on_surface || flat) {
    if (all_.planar()) axes << all_.e1, all_.plane.cross(all_.e1), all_.plane;
    contact.feature.surface = read_surface(fields, kind.name, p.at, axes, parts_.numbers);
    only_for(fields, "tip", !flat, "points; a flat has none");
  } else {
    read_radii(fields, kind.name, contact.feature);
  }
  check_plane(fields, kind, all_.planar());
  contact.A = fix(p.at, axes, e.a);
  if (all.front().node) return touch_nodes(all, fields, std::move(contact));
  declare_constraint(name, fields.node(), parts_);
  contact.B = fix(p.to, p.R, e.b);
  if (kind.kind == Kind::rim_on_plane && !apart)
    fields.fail(kind.name, "needs `first` and `second`, with the plane's normal and the rim's axis");
  if (place_apart(fields, {axis, flat ? Axis::inside : Axis::none}, e, contact.A, contact.B) &&
      contact.feature.surface != nullptr)
    contact.A.R = axes;
  out_.contacts.push_back(std::move(contact));
}

}  // namespace ricochet::scenario
