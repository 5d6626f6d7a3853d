// Shapes that collide, and what they are made of.
#include "ricochet/io/scenario/collision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/mesh_shapes.hpp"
#include "ricochet/io/scenario/tables.hpp"

namespace ricochet::scenario {
namespace {

using schema::Block;
using schema::Field;
using schema::Fields;
using schema::Shape;
using schema::Type;

const Block& material() {
  static const Block block{.name = "material",
                           .doc = "What shapes of this material do to each other.",
                           .fields = with_law(with_rolling({}))};
  return block;
}

const Block& material_pair() {
  static const Block block{.name = "material pair",
                           .doc = "What two materials do to each other.",
                           .fields = with_law(with_rolling({{.key = "between",
                                                             .type = Type::text,
                                                             .shape = Shape::list,
                                                             .count = 2,
                                                             .doc = "The two materials.",
                                                             .required = true}}))};
  return block;
}

/// One shape in the axes of its body.
struct BodyShape {
  Polytope shape;
  Vector3d at = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();
};

Polytope read_polytope(const Fields& shape, const std::string& kind, Numbers& numbers) {
  const Fields f = shape.block(kind);
  if (kind == "plane") {
    const Vector3d n = numbers.vector(f, "normal");
    if (!(n.norm() > 1e-100)) f.fail("normal", "the direction has length zero; accepted: any other");
    return make_half_space(n, numbers.number(f, "offset"));
  }
  if (kind == "box") return make_box_shape(numbers.vector(f, "size"));
  if (kind == "sphere") return make_point_shape(numbers.number(f, "radius"));
  if (kind == "capsule") {
    const double half = 0.5 * numbers.number(f, "length");
    return make_segment_shape({0, 0, -half}, {0, 0, half}, numbers.number(f, "radius"));
  }
  if (kind == "hull") return located(f.node("points"), [&] { return make_hull(read_points(f, numbers)); });
  if (kind == "cone") return make_revolved(numbers.number(f, "radius"), 0, 0, numbers.number(f, "height"));
  if (numbers.number(f, "inner") > 0) shape.fail(kind, "a tube does not collide; accepted: without `inner`");
  const double half = 0.5 * numbers.number(f, "length"), r = numbers.number(f, "radius");
  return make_revolved(r, -half, r, half);
}

/// What a shape looks like along the normal of the plane of motion.
Polytope flattened(const Polytope& solid, const Matrix3d& R, const Vector3d& n) {
  Polytope out = solid;
  if (!solid.half_space() && solid.faces.empty()) {
    for (Vector3d& v : out.vertices) v = R * v;
    for (Vector3d& v : out.vertices) v -= n * n.dot(v);
    if (out.vertices.size() == 2 && (out.vertices[1] - out.vertices[0]).norm() < 1e-12 * solid.size)
      out = make_point_shape(solid.radius);
    out.flat = true;
    return out;
  }
  if (solid.half_space()) {
    out.faces[0].n = R * solid.faces[0].n;
    out.flat = true;
    return out;
  }
  std::vector<Vector3d> points;
  for (const Vector3d& v : solid.vertices) points.emplace_back(R * v);
  if (solid.revolved()) {  // seen from the side
    const Vector3d axis = R.col(2), across = axis.cross(n);
    if (std::abs(axis.dot(n)) > 1e-12)
      throw InputError("", "is neither along the normal of the plane of motion nor in it; accepted: an axis that is");
    for (const Polytope::Rim& rim : solid.rims)
      for (const int side : {-1, 1}) points.emplace_back(rim.z * axis + side * rim.radius * across);
  }
  return make_flat_hull(points, n);
}

/// One shape, or the pieces of a surface.
std::vector<BodyShape> read_body_shapes(const Fields& shape, const Vector3d& plane, Numbers& numbers) {
  const std::string kind = shape.one_of(shape_kinds());
  BodyShape one{{}, numbers.vector(shape, "at"), read_orientation(shape, numbers).toRotationMatrix()};
  const bool planar = !plane.isZero(0);
  std::vector<BodyShape> out;
  if (kind == "mesh" || kind == "chain") {
    if (planar != (kind == "chain"))
      shape.fail(kind, planar ? "a mesh does not collide in a plane of motion; accepted: a hull or a chain"
                              : "a chain is for a plane of motion (`planar`); accepted in space: a mesh");
    const Fields f = shape.block(kind);
    for (Polytope& p : planar ? read_chain(f, one.R, plane, numbers) : make_spikes(read_mesh(f, numbers)))
      out.push_back({std::move(p), one.at, planar ? Matrix3d(Matrix3d::Identity()) : one.R});
    return out;
  }
  one.shape = read_polytope(shape, kind, numbers);
  if (planar && one.shape.revolved() && std::abs(std::abs(plane.dot(one.R.col(2))) - 1) < 1e-12) {
    one.shape = make_point_shape(numbers.number(shape.block(kind), "radius"));  // seen along its axis
  } else if (planar) {
    one.shape = located(shape.node(), [&] { return flattened(one.shape, one.R, plane); });
    one.R.setIdentity();
    if (one.shape.half_space() && std::abs(one.shape.faces[0].n.dot(plane)) > 1e-12)
      shape.fail(kind, "leaves the plane of motion; accepted: a normal in it");
  }
  out.push_back(std::move(one));
  return out;
}

class CollisionReader {
 public:
  CollisionReader(const Fields& system, Parts& parts)
      : parts_(parts), block_(system.block("collision")), names_{""}, materials_{block_} {}

  void add(const std::vector<std::pair<int, int>>& joined, const Vector3d& gravity) {
    std::vector<NotedShape>& noted = parts_.assembly.colliding;
    if (parts_.assembly.cannot_collide) throw InputError(*parts_.assembly.cannot_collide);
    if (noted.empty()) block_.node().fail("there are no shapes; give bodies `shapes`");
    std::stable_sort(noted.begin(), noted.end(), [](const auto& a, const auto& b) { return a.mount < b.mount; });
    for (const auto& [name, fields] : block_.named_blocks("materials")) {
      names_.push_back(name);
      materials_.push_back(fields);
    }
    CollisionSettings settings;
    settings.plane = common_plane(noted);
    settings.acceleration = gravity.norm();
    settings.materials = static_cast<int>(names_.size());
    read_laws(settings.plane.isZero(0) ? 2 : 1, settings);
    std::vector<CollidingShape> shapes;
    for (const NotedShape& s : noted)
      shapes.push_back({{s.mount, s.at, s.R}, s.shape, material_of(s), group_of(s.group)});
    for (const auto& [a, b] : joined)
      if (a != 0 && b != 0) settings.ignored.emplace_back(std::min(a, b), std::max(a, b));
    read_ignored(settings);
    parts_.builder.add(located(
        block_.node(), [&] { return make_collision(parts_.assembly.mounts, std::move(shapes), std::move(settings)); }));
  }

 private:
  Vector3d common_plane(const std::vector<NotedShape>& noted) const {
    Vector3d out = Vector3d::Zero();
    bool known = false;
    for (const NotedShape& s : noted) {
      if (s.mount == 0) continue;
      if (known && s.plane != out)
        s.node.fail(
            "moves in another plane than what it may meet; accepted: all bodies that collide in one plane, or "
            "all of them in space");
      out = s.plane;
      known = true;
    }
    return out;
  }
  void read_laws(int tangents, CollisionSettings& out) {
    const std::size_t n = names_.size();
    out.laws.assign(n * n, nullptr);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a; b < n; ++b)
        out.laws[a * n + b] = out.laws[b * n + a] = a == b ? read_law(materials_[a], tangents, parts_) : mixed(a, b);
    std::set<std::pair<std::size_t, std::size_t>> said;
    for (const Fields& pair : block_.blocks("pairs")) {
      const std::vector<std::string> between = pair.texts("between");
      const auto a = static_cast<std::size_t>(index(between[0], pair.node())),
                 b = static_cast<std::size_t>(index(between[1], pair.node()));
      if (!said.emplace(std::minmax(a, b)).second)
        pair.fail("between", fmt::format("'{}' and '{}' are there twice; accepted: each two materials once", between[0],
                                         between[1]));
      out.laws[a * n + b] = out.laws[b * n + a] = read_law(pair, tangents, parts_);
    }
  }
  /// Of two materials of which nothing is said: mean frictions, geometric, and the lower restitution.
  const ContactLaw* mixed(std::size_t a, std::size_t b) {
    const auto number = [&](std::size_t i, const char* key) { return parts_.numbers.number(materials_[i], key); };
    const auto mean = [&](const char* key) { return std::sqrt(number(a, key) * number(b, key)); };
    return parts_.builder.add(make_law("", {.restitution = std::min(number(a, "restitution"), number(b, "restitution")),
                                            .friction = mean("friction"),
                                            .rolling = mean("rolling"),
                                            .spinning = mean("spinning")}));
  }
  int index(const std::string& name, const yaml::Node& node) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end() || name.empty())
      node.fail(unknown_word("material", name, {names_.begin() + 1, names_.end()}));
    return static_cast<int>(found - names_.begin());
  }
  int material_of(const NotedShape& s) const { return s.material.empty() ? 0 : index(s.material, s.node); }
  int group_of(const std::string& name) {
    const auto found = groups_.emplace(name, static_cast<int>(groups_.size()));
    return found.first->second;
  }
  void read_ignored(CollisionSettings& out) {
    if (!block_.has("ignore")) return;
    for (const yaml::Node& item : block_.node("ignore").items()) {
      const std::vector<yaml::Node> two = item.is_list() ? item.items() : std::vector<yaml::Node>{};
      if (two.size() != 2) item.fail("expected two names of bodies, groups or scenes, [a, b]");
      int group[2];
      for (std::size_t k = 0; k < 2; ++k) {
        const auto found = groups_.find(two[k].text());
        if (found == groups_.end()) {
          std::vector<std::string> names;
          for (const auto& [name, number] : groups_) names.push_back(name);
          two[k].fail(unknown_word("group", two[k].text(), names));
        }
        group[k] = found->second;
      }
      out.apart.emplace_back(std::min(group[0], group[1]), std::max(group[0], group[1]));
    }
  }

  Parts& parts_;
  Fields block_;
  std::vector<std::string> names_;  // of materials; the first: of what has none
  std::vector<Fields> materials_;
  std::map<std::string, int> groups_;
};

}  // namespace

const Block& collision_table() {
  static const Block block{
      .name = "collision",
      .doc =
          "Shapes of bodies meet each other and what is fixed. Restitution and friction here are those of shapes "
          "without a material.",
      .fields = with_law(with_rolling({
          {.key = "materials",
           .type = Type::block,
           .shape = Shape::named,
           .doc =
               "Materials by name. Two different ones have the geometric means of their frictions, also of rolling and "
               "spinning, and the lower restitution, unless `pairs` says otherwise.",
           .block = material},
          {.key = "pairs",
           .type = Type::block,
           .shape = Shape::list,
           .doc = "What pairs of materials do to each other.",
           .block = material_pair},
          {.key = "ignore",
           .type = Type::any,
           .doc =
               "Pairs that pass through each other, [[a, b], ...]: names of bodies, groups or scenes, also twice the "
               "same. Two bodies that a joint connects never meet; a body on a joint with the ground may meet what "
               "is fixed."},
      }))};
  return block;
}

void note_shapes(const Fields& body, const ShapeOwner& owner, Parts& parts) {
  const auto note = [&](BodyShape s, const std::string& material, const yaml::Node& node) {
    s.at -= owner.centre;
    if (owner.mount == 0) {
      s.at = owner.pose.c + owner.pose.R * s.at;
      s.R = owner.pose.R * s.R;
    }
    parts.assembly.colliding.push_back(
        {owner.name, owner.group, owner.mount, s.at, s.R, std::move(s.shape), material, owner.plane, node});
  };
  const std::string material = body.has("material") ? body.text("material") : "";
  if (body.has("box") && !body.has("shapes")) {
    BodyShape s{make_box_shape(parts.numbers.vector(body.block("box"), "size"))};
    if (!owner.plane.isZero(0)) s.shape = flattened(s.shape, Matrix3d::Identity(), owner.plane);
    note(std::move(s), material, body.node("box"));
  }
  for (const Fields& shape : body.blocks("shapes")) {
    try {
      for (BodyShape& s : read_body_shapes(shape, owner.plane, parts.numbers))
        note(std::move(s), shape.has("material") ? shape.text("material") : material, shape.node());
    } catch (const InputError& error) {
      if (!parts.assembly.cannot_collide) parts.assembly.cannot_collide = error;
    }
  }
}

Vector3d extent_of(const Fields& body, Numbers& numbers) {
  if (body.has("box")) return numbers.vector(body.block("box"), "size");
  Vector3d low = Vector3d::Constant(1e300), high = -low;
  for (const Fields& shape : body.blocks("shapes"))
    for (const BodyShape& s : read_body_shapes(shape, Vector3d::Zero(), numbers)) {
      for (const Vector3d& v : s.shape.vertices) {
        const Vector3d x = s.at + s.R * v;
        low = low.cwiseMin((x.array() - s.shape.radius).matrix());
        high = high.cwiseMax((x.array() + s.shape.radius).matrix());
      }
      for (const Polytope::Rim& rim : s.shape.rims) {
        const auto [from, to] = rim_bounds(rim, {s.at, s.R});
        low = low.cwiseMin(from), high = high.cwiseMax(to);
      }
    }
  return high - low;
}

void add_collision(const Fields& system, const std::vector<std::pair<int, int>>& joined, const Vector3d& gravity,
                   Parts& parts) {
  if (!system.has("collision")) return;
  if (system.has("plane"))
    system.fail("plane",
                "with `collision` the ground is a body; accepted: ground: {fixed: true, shapes: [{plane: {}}]}");
  CollisionReader(system, parts).add(joined, gravity);
}

}  // namespace ricochet::scenario
