#include "ricochet/io/scenario/cad.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/cad/brep_text.hpp"
#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/mechanism_reader.hpp"

namespace ricochet::scenario {

std::shared_ptr<const brep::Part> read_part(const Fields& body) {
  if (body.has("part") && !body.has("step")) body.fail("part", "belongs to `step`: it picks one solid of the file");
  if (!body.has("brep")) {
    if (body.has("density")) body.fail("density", "belongs to a body with geometry, `step`; shapes have their own");
    return nullptr;
  }
  return std::make_shared<brep::Part>(parse_brep(body.text("brep"), body.node("brep").where()));
}

MassProperties read_mass_with(const brep::Part* part, const Fields& body, const Vector3d& n, Numbers& numbers) {
  if (part == nullptr || body.has("mass")) {
    if (body.has("density")) body.fail("density", "the mass is given; accepted: one of the two");
    return read_mass(body, n, numbers);
  }
  for (const char* key : {"inertia", "centre", "box", "shapes"})
    if (body.has(key)) body.fail(key, "the geometry and its density say it; accepted: these, or mass and inertia");
  if (!body.has("density")) body.fail("brep", "needs `density` beside it, or mass and inertia");
  if (!(part->solid.mass > 0))
    body.fail("brep",
              "the part says nothing of its volume; accepted: a line 'solid', or mass and inertia instead of "
              "density");
  return part->solid.scaled(numbers.number(body, "density"));
}

std::vector<MountedFace> MechanismReader::find_faces(const Fields& fields, const std::string& name) const {
  const std::size_t slash = name.find('/');
  const std::string body = name.substr(0, slash);
  std::vector<std::string> bodies, faces;
  for (const NotedPart& p : all_.parts) bodies.push_back(p.body);
  const auto found = std::find(bodies.begin(), bodies.end(), body);
  if (found == bodies.end())
    fields.fail("faces", bodies.empty() ? "no body has geometry; give `step` to those that touch"
                                        : unknown_word("body with geometry", body, bodies));
  if (slash == std::string::npos) fields.fail("faces", fmt::format("'{}' names no face; accepted: body/face", name));
  const NotedPart& noted = all_.parts[static_cast<std::size_t>(found - bodies.begin())];
  std::vector<MountedFace> out;
  for (std::size_t k = 0; k < noted.part->faces.size(); ++k) {
    faces.push_back(noted.part->faces[k].name);
    if (faces.back() == name.substr(slash + 1)) out.push_back({noted.part, k, noted.frame});
  }
  if (out.empty()) fields.fail("faces", unknown_word(fmt::format("face of '{}'", body), name.substr(slash + 1), faces));
  return out;
}

void MechanismReader::read_faces(const std::string& name, const Fields& fields) {
  for (const schema::Field& field : fields.table().fields)
    if (const std::string& key = field.key; fields.has(key) && key != "faces" && key != "restitution" &&
                                            key != "friction" && key != "law" && key != "rolling" && key != "spinning")
      fields.fail(key, "has no meaning for faces, which stand where their bodies are");
  const std::vector<std::string> given = fields.texts("faces");
  const std::vector<MountedFace> first = find_faces(fields, given[0]), second = find_faces(fields, given[1]);
  const int a = first.front().frame.mount, b = second.front().frame.mount;
  if (a == b)
    fields.fail("faces", a == 0 ? "both bodies are fixed; accepted: one that moves"
                                : "are those of one body; accepted: faces of two");
  all_.look_at(a, b);
  const ContactLaw* law = read_law(fields, all_.tangents(), parts_);
  std::vector<FaceContact> all;
  for (const MountedFace& f : first)
    for (const MountedFace& g : second)
      for (FaceContact& c : located(fields.node("faces"), [&] { return pair_faces(f, g, all_.plane); }))
        all.push_back(std::move(c));
  if (all.empty())
    fields.fail("faces", "do not touch: hollow ones, or without edges where they would; accepted: others");
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].name = all.size() == 1 ? name : fmt::format("{}.{}", name, k + 1);
    all[k].law = law;
    declare_constraint(all[k].name, fields.node(), parts_);
    out_.faces.push_back(std::move(all[k]));
  }
}

}  // namespace ricochet::scenario
