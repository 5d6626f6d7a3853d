// Surfaces that contacts name: capsules, boxes, rings, cones; in the plane arcs, sectors, polygons, cams.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numbers>

#include "ricochet/io/scenario/mechanism.hpp"

namespace ricochet::scenario {
namespace {

using Eigen::Vector2d;
using schema::Fields;

/// Twice the area, positive counter-clockwise.
double area(const std::vector<Vector2d>& c) {
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Vector2d &a = c[k], &b = c[(k + 1) % c.size()];
    sum += a.x() * b.y() - a.y() * b.x();
  }
  return sum;
}

std::vector<Vector2d> read_corners(const Fields& fields, const Vector3d& at, const Matrix3d& R, Numbers& numbers) {
  std::vector<Vector2d> out;
  if (!fields.has("points")) fields.fail("on_polygon", "needs `points`, its corners in space at the beginning");
  for (const yaml::Node& item : fields.node("points").items()) {
    const std::vector<yaml::Node> x = item.is_list() ? item.items() : std::vector<yaml::Node>{};
    if (x.size() != 3) item.fail("expected a corner [x, y, z]");
    const Vector3d corner(numbers.value(x[0]), numbers.value(x[1]), numbers.value(x[2]));
    out.emplace_back((R.transpose() * (corner - at)).head<2>());
    if (out.size() > 1 && out.back() == out[out.size() - 2]) item.fail("is the corner before it; accepted: another");
  }
  if (out.size() < 3) fields.fail("points", "a polygon has three corners or more");
  if (area(out) < 0) std::reverse(out.begin(), out.end());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Vector2d a = out[(k + 1) % out.size()] - out[k], b = out[(k + 2) % out.size()] - out[(k + 1) % out.size()];
    if (!(a.x() * b.y() - a.y() * b.x() > 0))
      fields.fail("points", fmt::format("the polygon is not convex at its corner {}; accepted: convex ones, of which "
                                        "others are put together",
                                        (k + 1) % out.size() + 1));
  }
  return out;
}

/// r, r', r'' as a formula of the angle a. Work arrays belong to a thread and a function.
Profile read_profile(const Fields& fields, const std::string& kind, Numbers& numbers) {
  if (!fields.has("profile")) fields.fail(kind, "needs `profile`, the radius as a formula of the angle a");
  const schema::Expression text = fields.expression("profile");
  Graph graph;
  Symbols symbols = numbers.symbols(graph);
  symbols["a"] = graph.variable(0);
  const NodeId r = located(text.node, [&] { return parse(text.text, symbols, graph); });
  const NodeId first = graph.derivative(r, 0), second = graph.derivative(first, 0);
  const std::vector<NodeId> outputs{r, first, second};
  static std::atomic<std::uint64_t> made{0};
  const std::uint64_t id = ++made;
  Profile profile = [function = CompiledFunction(graph, outputs, 1), id](double a) {
    thread_local std::map<std::uint64_t, std::vector<double>> works;
    const double* x = function({&a, 1}, works[id]);
    return Vector3d(x[0], x[1], x[2]);
  };
  constexpr int kPlaces = 360;
  const double turn = 2 * std::numbers::pi;
  for (int k = 0; k < kPlaces; ++k)
    if (const Vector3d x = profile(k * turn / kPlaces); !(x.allFinite() && x[0] > 0))
      text.node.fail(
          fmt::format("the radius is {:.6g} at a = {:.6g}; accepted: positive radii", x[0], k * turn / kPlaces));
  if (const double gap = profile(turn)[0] - profile(0)[0]; std::abs(gap) > 1e-9 * profile(0)[0])
    text.node.fail(fmt::format("the curve does not close: its radii at a = 0 and 2 pi differ by {:.6g}", gap));
  return profile;
}

}  // namespace

std::shared_ptr<const Surface> read_surface(const Fields& fields, const std::string& kind, const Vector3d& at,
                                            const Matrix3d& R, Numbers& numbers) {
  std::vector<std::string> used;
  const auto number = [&](const char* key) {
    used.emplace_back(key);
    if (!fields.has(key)) fields.fail(kind, fmt::format("needs `{}`", key));
    return numbers.number(fields, key);
  };
  std::shared_ptr<const Surface> out;
  if (kind == "on_capsule") {
    const double radius = number("radius");
    out = make_capsule(radius, number("length"));
  } else if (kind == "on_box") {
    used.emplace_back("size");
    if (!fields.has("size")) fields.fail(kind, "needs `size`");
    out = make_box(numbers.vector(fields, "size"));
  } else if (kind == "on_ring") {
    const double radius = number("radius"), thick = number("thickness");
    if (!(thick < radius)) fields.fail("thickness", "fills the ring; accepted: less than its radius");
    out = make_ring(radius, thick);
  } else if (kind == "on_cone") {
    const double radius = number("radius");
    out = make_cone(radius, number("height"));
  } else if (kind == "on_arc" || kind == "on_sector") {
    const bool line = kind == "on_arc";
    const double radius = number("radius"), thick = numbers.number(fields, "thickness");
    used.insert(used.end(), {"arc", "thickness"});
    const std::vector<double> arc = numbers.list(fields, "arc");
    if (arc.size() != 2 || !(arc[0] < arc[1]) || !(arc[1] - arc[0] < (line ? 2 : 1) * std::numbers::pi))
      fields.fail(fields.has("arc") ? "arc" : kind,
                  fmt::format("needs `arc`: [from, to] in rad, less than {}", line ? "a turn" : "half a turn"));
    out = line ? make_arc(radius, thick, arc[0], arc[1]) : make_sector(radius, thick, arc[0], arc[1]);
  } else if (kind == "on_polygon") {
    used.emplace_back("points");
    out = make_polygon(read_corners(fields, at, R, numbers));
  } else {
    used.emplace_back("profile");
    const Profile profile = read_profile(fields, kind, numbers);
    if (kind == "flat_on_cam" && !(least_curvature(profile, 3600) > 0))
      fields.fail("profile", "the curve is not convex: a flat does not touch all of it; accepted: convex ones");
    out = make_cam(profile);
  }
  for (const char* key : {"radius", "size", "length", "height", "thickness", "arc", "points", "profile"})
    if (fields.has(key) && std::find(used.begin(), used.end(), key) == used.end())
      fields.fail(key, fmt::format("has no meaning for {}; accepted: {}", kind, join(used)));
  return out;
}

}  // namespace ricochet::scenario
