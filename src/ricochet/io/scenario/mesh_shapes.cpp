#include "ricochet/io/scenario/mesh_shapes.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "ricochet/geometry/self_crossing.hpp"
#include "ricochet/io/mesh/triangles.hpp"

namespace ricochet::scenario {
namespace {

using schema::Block;
using schema::Fields;
using schema::Type;

constexpr double kLarge = 50;  ///< m: a mesh that is longer may be one of millimetres

struct Read {
  TriangleMesh mesh;
  MeshRepair repair;
};

/// What was found, in one sentence; empty: nothing.
std::string told(const MeshRepair& r) {
  std::vector<std::string> parts;
  const auto say = [&](int n, const char* one, const char* many) {
    if (n > 0) parts.push_back(fmt::format("{} {}", n, n == 1 ? one : many));
  };
  say(r.flat, "triangle without an area was left out", "triangles without an area were left out");
  say(r.twice, "triangle that was there twice was left out", "triangles that were there twice were left out");
  say(r.turned, "triangle was turned to the side of its neighbours or outwards",
      "triangles were turned to the side of their neighbours or outwards");
  say(r.open, "border is open",
      "borders are open: matter is behind the triangles, and what comes from there meets them "
      "too late");
  say(r.crowded, "border belongs to more than two triangles", "borders belong to more than two triangles");
  return fmt::format("{}", fmt::join(parts, ", "));
}

const Read& read(const Fields& block, Numbers& numbers) {
  const std::string path = (std::filesystem::path(numbers.meshes.folder) / block.text("file")).string();
  const double scale = numbers.number(block, "scale");
  std::shared_ptr<const void>& kept = numbers.meshes.read[fmt::format("{} {}", path, scale)];
  if (kept == nullptr) {
    auto out = std::make_shared<Read>();
    out->mesh = read_named(block.node("file"), [&] { return read_triangles(path); });
    for (Vector3d& x : out->mesh.points) x *= scale;
    out->repair = repair(out->mesh);
    const MeshRepair& r = out->repair;
    if (out->mesh.triangles.empty()) block.fail("file", "no triangle has an area; accepted: a surface");
    if (const std::string what = told(r); !what.empty())
      numbers.meshes.notes.push_back(fmt::format("{}: {}", block.text("file"), what));
    if (const auto at = self_crossing(out->mesh))
      numbers.meshes.notes.push_back(fmt::format(
          "{}: the surface crosses itself near [{:.4g}, {:.4g}, {:.4g}]; what lies within both parts counts "
          "twice in volume and mass",
          block.text("file"), at->x(), at->y(), at->z()));
    if (r.size > kLarge && !block.has("scale"))
      numbers.meshes.notes.push_back(fmt::format(
          "{} is {:.4g} m long; if its numbers are millimetres, give `scale: 1e-3`", block.text("file"), r.size));
    kept = std::move(out);
  }
  return *static_cast<const Read*>(kept.get());
}

}  // namespace

const Block& mesh_table() {
  static const Block block{
      .name = "mesh",
      .doc = "A surface of triangles. They look outwards; a body that moves needs a closed surface.",
      .fields = {{.key = "file", .type = Type::text, .doc = "STL or OBJ, beside the scenario.", .required = true},
                 {.key = "scale",
                  .type = Type::expression,
                  .fallback = "1",
                  .doc = "Its numbers times this are metres; 1e-3 for millimetres.",
                  .range = schema::above(0)}}};
  return block;
}

const Block& chain_table() {
  static const Block block{
      .name = "chain",
      .doc = "Segments one after the other, in a plane of motion; matter is to their right, as the plane is seen.",
      .fields = {{.key = "points",
                  .type = Type::any,
                  .unit = "m",
                  .doc = "Its corners, a list of [x, y, z] in the axes of the shape.",
                  .required = true}}};
  return block;
}

const TriangleMesh& read_mesh(const Fields& mesh, Numbers& numbers) { return read(mesh, numbers).mesh; }

MassProperties solid_of_mesh(const Fields& block, Numbers& numbers) {
  const Read& r = read(block, numbers);
  if (r.repair.open > 0)
    block.fail("file", fmt::format("the surface is not closed: {} borders are open, one near [{:.4g}, {:.4g}, {:.4g}]; "
                                   "accepted: a closed surface (mesh tools fill holes), or a body that is `fixed`",
                                   r.repair.open, r.repair.hole.x(), r.repair.hole.y(), r.repair.hole.z()));
  if (!r.repair.closed())
    block.fail("file",
               "the surface has no inside: borders of more than two triangles, or only one side; accepted: a "
               "closed surface, or a body that is `fixed`");
  return solid_within(r.mesh);
}

std::vector<Polytope> read_chain(const Fields& chain, const Matrix3d& R, const Vector3d& n, Numbers& numbers) {
  std::vector<Vector3d> points;
  for (const yaml::Node& item : chain.node("points").items()) {
    const std::vector<yaml::Node> x = item.is_list() ? item.items() : std::vector<yaml::Node>{};
    if (x.size() != 3) item.fail("expected a point [x, y, z]");
    const Vector3d at = R * Vector3d(numbers.value(x[0]), numbers.value(x[1]), numbers.value(x[2]));
    points.emplace_back(at - n * n.dot(at));
    if (points.size() > 1 && !((points.back() - points[points.size() - 2]).norm() > 0))
      item.fail("is the point before; accepted: points that differ");
  }
  if (points.size() < 2) chain.fail("points", "a chain has two points or more");
  std::vector<Polytope> out;
  constexpr double kSlope = 0.25;  // so flat that it stays in the matter
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Vector3d &a = points[k], &b = points[k + 1];
    out.push_back(make_flat_hull({a, b, 0.5 * (a + b) - kSlope * n.cross(b - a)}, n));
    out.back().piece = true;
  }
  return out;
}

}  // namespace ricochet::scenario
