// Rods and solids: shapes, what they are made of, what holds them.
#include "ricochet/io/scenario/solids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "ricochet/io/mesh/gmsh.hpp"
#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/flexible.hpp"
#include "ricochet/model/subsystem/flexible_body.hpp"

namespace ricochet::scenario {
namespace {

using schema::Expression;
using schema::Fields;
using yaml::Node;

class SolidReader {
 public:
  SolidReader(const SolidText& text, const Vector3d& gravity, Parts& parts)
      : text_(text), body_(text.body), parts_(parts), numbers_(parts.numbers) {
    common_.name = text.name;
    common_.gravity = gravity;
  }

  void read() {
    const std::vector<double> rayleigh = numbers_.list(body_, "rayleigh");
    common_.mass_damping = rayleigh[0];
    common_.stiffness_damping = rayleigh[1];
    common_.lumped = body_.text("mass") == "lumped";
    young_ = required_number(body_, "young", text_.shape, numbers_);
    density_ = required_number(body_, "density", text_.shape, numbers_);
    std::unique_ptr<FlexibleBody> made = text_.shape == "rod" ? rod() : solid();
    add(std::move(made));
  }

 private:
  // ---- shapes
  std::unique_ptr<FlexibleBody> rod() {
    const Fields block = body_.block("rod");
    for (const char* key : {"poisson", "material", "scale", "orientation", "angular_velocity", "pressure"})
      if (body_.has(key)) body_.fail(key, "a rod has none; accepted beside it: young, density, rayleigh, mass");
    const Vector3d origin = numbers_.vector(body_, "position");
    RodParameters p{.common = {},
                    .from = origin + numbers_.vector(block, "from"),
                    .to = origin + numbers_.vector(block, "to"),
                    .elements = static_cast<int>(block.integer("elements")),
                    .section = numbers_.number(block, "section"),
                    .young = young_,
                    .density = density_};
    if (!((p.to - p.from).norm() > 0)) block.fail("to", "the rod ends where it begins; accepted: points apart");
    mesh_.nodes.resize(static_cast<std::size_t>(p.elements) + 1);
    for (int n = 0; n <= p.elements; ++n) {
      mesh_.nodes[static_cast<std::size_t>(n)] = p.from + (p.to - p.from) * (static_cast<double>(n) / p.elements);
      mesh_.numbers.push_back(n);
      mesh_.sets["all"].push_back(n);
    }
    mesh_.sets["from"] = {0};
    mesh_.sets["to"] = {p.elements};
    hold();
    p.common = common_;
    return located(block.node(), [&] { return make_rod(p); });
  }

  std::unique_ptr<FlexibleBody> solid() {
    mesh_ = located(shape_node(), [&] { return shape(); });
    if (body_.has("scale") && text_.shape != "mesh") body_.fail("scale", "belongs to `mesh`");
    if (std::string wrong = check_mesh(mesh_); !wrong.empty()) shape_node().fail(wrong);
    check_quality();
    const Matrix3d R = read_orientation(body_, numbers_).toRotationMatrix();
    const Vector3d origin = numbers_.vector(body_, "position");
    for (Vector3d& x : mesh_.nodes) x = origin + R * x;
    hold();
    const std::string kind = body_.text("material");
    using Kind = SolidMaterial::Kind;
    const SolidMaterial material = SolidMaterial::elastic(kind == "svk"      ? Kind::svk
                                                          : kind == "linear" ? Kind::linear
                                                                             : Kind::neo_hookean,
                                                          young_, numbers_.number(body_, "poisson"), density_);
    SolidParameters p{common_, mesh_, material, pressures()};
    return located(shape_node(), [&] { return make_flexible_solid(std::move(p)); });
  }

  /// Where it is described. The name of a mesh was made a whole path, as by --set; its body stands where it was
  /// written.
  Node shape_node() const { return text_.shape == "mesh" ? body_.node() : body_.node(text_.shape); }

  SolidMesh shape() {
    if (text_.shape == "mesh") return mesh_file();
    const Fields block = body_.block(text_.shape);
    std::vector<int> n;
    for (const Node& item : block.node("elements").items()) n.push_back(static_cast<int>(item.integer()));
    for (const int i : n)
      if (i < 1 || i > 1000) block.fail("elements", fmt::format("{} is out of range; accepted: 1 to 1000", i));
    if (text_.shape == "box") {
      if (n.size() != 3) block.fail("elements", fmt::format("expected three numbers, found {}", n.size()));
      const Vector3d size = numbers_.vector(block, "size");
      if (!(size.minCoeff() > 0)) block.fail("size", "an edge is not longer than zero; accepted: positive lengths");
      const std::string name = block.text("kind");
      const ElementKind kind = name == "hex8"   ? ElementKind::hex8
                               : name == "tet4" ? ElementKind::tet4
                                                : ElementKind::tet10;
      return make_box({size, {n[0], n[1], n[2]}, kind});
    }
    if (n.size() != 2) block.fail("elements", fmt::format("expected two numbers, found {}", n.size()));
    if (n[0] < 4 || n[0] % 4 != 0) block.fail("elements", "across a cylinder are 4, 8, 12, ... elements");
    return make_cylinder({numbers_.number(block, "radius"), numbers_.number(block, "height"), n[0], n[1]});
  }

  SolidMesh mesh_file() {
    const std::string path = (std::filesystem::path(parts_.folder) / body_.text("mesh")).string();
    SolidMesh mesh = read_named(shape_node(), [&] { return read_gmsh(path); });
    const double scale = numbers_.number(body_, "scale");
    Vector3d low = mesh.nodes.front(), high = low;
    for (Vector3d& x : mesh.nodes) {
      x *= scale;
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
    constexpr double kLong = 10;
    if (const double size = (high - low).maxCoeff(); size >= kLong && !body_.has("scale"))
      parts_.notes.push_back(fmt::format(
          "{}: the mesh is {:.3g} m long; if its file is in millimetres give scale: 1e-3", shape_node().where(), size));
    return mesh;
  }

  void check_quality() {
    constexpr double kPoor = 0.05;
    if (const MeshQuality q = mesh_quality(mesh_); q.least < kPoor)
      parts_.notes.push_back(
          fmt::format("{}: element {} is almost flat, {:.2g} of a well-shaped one; its stresses say little",
                      shape_node().where(), q.element, q.least));
  }

  // ---- what holds it, and what of it has a name
  /// Nodes of the sets that a key names, and the names.
  std::vector<int> named_sets(const Fields& fields, const char* key, std::vector<std::string>* names = nullptr) {
    std::vector<std::string> known;
    for (const auto& [name, nodes] : mesh_.sets) known.push_back(name);
    if (!fields.has(key)) return {};
    const Node node = fields.node(key);
    std::vector<Node> given{node};
    if (!node.is_scalar()) given = node.items();
    std::vector<int> out;
    for (const Node& one : given) {
      const auto found = mesh_.sets.find(one.text());
      if (found == mesh_.sets.end()) one.fail(unknown_word("node set", one.text(), known));
      out.insert(out.end(), found->second.begin(), found->second.end());
      if (names != nullptr) names->push_back(one.text());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  void hold() {
    common_.clamped.assign(mesh_.nodes.size(), 0);
    for (const int n : named_sets(body_, "clamp")) common_.clamped[static_cast<std::size_t>(n)] = 1;
    if (std::count(common_.clamped.begin(), common_.clamped.end(), 0) == 0)
      body_.fail("clamp", "all nodes are clamped; accepted: sets that leave some to move");
    for (const auto& [name, frame] : body_.named_blocks("frames")) {
      const int node = nearest(numbers_.vector(frame, "at"));
      if (common_.clamped[static_cast<std::size_t>(node)] != 0)
        frame.fail("at", "the nearest node is clamped; accepted: another place, or ground");
      common_.mounts.push_back({fmt::format("{}.{}", text_.name, name), node});
    }
    frames_ = common_.mounts.size();
    for (const int n : named_sets(body_, "touch", &touching_)) {
      if (common_.clamped[static_cast<std::size_t>(n)] != 0) continue;
      common_.mounts.push_back({node_name(n), n});
    }
    touching_end_ = common_.mounts.size();
    for (const auto& [name, fields] : body_.named_blocks("driven")) read_driven(name, fields);
  }
  std::string node_name(int n) const { return fmt::format("{}.n{}", text_.name, mesh_.number_of(n)); }

  // ---- what moves as given
  /// A formula of t: its value, rate and acceleration.
  CompiledFunction of_time(const Expression& formula, std::array<double, 2>& start) {
    Graph graph;
    Symbols symbols = numbers_.symbols(graph);
    symbols["t"] = graph.variable(0);
    const NodeId value = located(formula.node, [&] { return parse(formula.text, symbols, graph); });
    const NodeId rate = graph.derivative(value, 0);
    const std::vector<NodeId> outputs{value, rate, graph.derivative(rate, 0)};
    const double t = parts_.initial.t;
    start = {evaluate(graph, value, {&t, 1}), evaluate(graph, rate, {&t, 1})};
    return {graph, outputs, 1};
  }
  int mount_of(int node) {
    for (std::size_t m = frames_; m < common_.mounts.size(); ++m)
      if (common_.mounts[m].node == node) return static_cast<int>(m);
    common_.mounts.push_back({node_name(node), node});
    return static_cast<int>(common_.mounts.size()) - 1;
  }
  void read_driven(const std::string& name, const Fields& fields) {
    const std::vector<int> nodes = named_sets(fields, "nodes");
    const bool rod = text_.shape == "rod";
    int given = 0;
    for (const auto& [key, axis] : {std::pair("x", 0), {"y", 1}, {"z", 2}, {"along", -1}}) {
      if (!fields.has(key)) continue;
      if (rod != (axis < 0)) fields.fail(key, rod ? "accepted for a rod: along" : "accepted for solids: x, y, z");
      ++given;
      std::array<double, 2> start{};
      const Expression formula = fields.expression(key);
      const CompiledFunction motion = of_time(formula, start);
      if (!(std::abs(start[0]) <= 1e-9))
        formula.node.fail(fmt::format("is {:.6g} at the beginning; accepted: displacements that begin at 0", start[0]));
      for (const int n : nodes) drive(fmt::format("{}.{}", text_.name, name), n, {key, axis, motion, start[1]}, fields);
    }
    if (given == 0) fields.node().fail(rod ? "needs `along`" : "needs `x`, `y` or `z`");
  }
  struct GivenMotion {
    const char* key;
    int axis;
    CompiledFunction motion;
    double speed;
  };
  void drive(const std::string& name, int n, const GivenMotion& given, const Fields& fields) {
    if (common_.clamped[static_cast<std::size_t>(n)] != 0)
      fields.fail("nodes", fmt::format("node {} is clamped; accepted: nodes that can move", mesh_.number_of(n)));
    if (!moving_.insert({n, given.axis}).second)
      fields.fail(given.key, fmt::format("node {} is driven twice along it; accepted: once", mesh_.number_of(n)));
    DrivenNode d{fmt::format("{}.n{}.{}", name, mesh_.number_of(n), given.key), mount_of(n), Vector3d::Zero(),
                 given.motion};
    if (given.axis >= 0) d.direction = Vector3d::Unit(given.axis);
    declare_constraint(d.name, fields.node(given.key), parts_);
    driven_.push_back(std::move(d));
    speeds_.push_back({n, std::max(0, given.axis), given.speed});
  }
  std::vector<FacePressure> pressures() {
    std::vector<FacePressure> out;
    std::vector<SurfaceFace> surface;
    for (const auto& [name, fields] : body_.named_blocks("pressure")) {
      if (surface.empty()) surface = surface_faces(mesh_);
      const std::vector<int> nodes = named_sets(fields, "on");
      FacePressure p;
      for (const SurfaceFace& face : surface)
        if (std::all_of(face.all().begin(), face.all().end(),
                        [&](int n) { return std::binary_search(nodes.begin(), nodes.end(), n); }))
          p.faces.push_back(face);
      if (p.faces.empty())
        fields.fail("on", "no face of the surface has all its nodes there; accepted: sets that hold whole faces");
      std::array<double, 2> start{};
      p.value = of_time(fields.expression("value"), start);
      out.push_back(std::move(p));
    }
    return out;
  }

  int nearest(const Vector3d& at) const {
    const auto closer = [&](const Vector3d& a, const Vector3d& b) {
      return (a - at).squaredNorm() < (b - at).squaredNorm();
    };
    return static_cast<int>(std::min_element(mesh_.nodes.begin(), mesh_.nodes.end(), closer) - mesh_.nodes.begin());
  }

  // ---- into the model
  void add(std::unique_ptr<FlexibleBody> made) {
    const Beginning at = parts_.grow(*made, body_.node());
    const Vector3d v = numbers_.vector(body_, "velocity"), omega = numbers_.vector(body_, "angular_velocity"),
                   origin = numbers_.vector(body_, "position");
    for (int n = 0; n < static_cast<int>(mesh_.nodes.size()); ++n) {
      const int k = made->coordinate_of(n);
      if (k < 0) continue;
      const Vector3d moving = v + omega.cross(mesh_.nodes[static_cast<std::size_t>(n)] - origin);
      parts_.initial.v.segment(at.v + k, made->directions().cols()) = made->directions().transpose() * moving;
    }
    Assembly& all = parts_.assembly;
    const int first = static_cast<int>(all.mounts.size());
    for (int m = 0; m < made->mounts(); ++m) {
      const NodeMount& mount = common_.mounts[static_cast<std::size_t>(m)];
      all.add(mount.name, {mesh_.nodes[static_cast<std::size_t>(mount.node)], Matrix3d::Identity()}, {.node = true},
              {made.get(), m, at.q, at.v, at.body});
    }
    for (DrivenNode& d : driven_) {
      d.mount += first;
      if (d.direction.isZero(0)) d.direction = made->directions().col(0);
      all.driven.push_back(std::move(d));
    }
    for (const auto& [node, axis, speed] : speeds_) parts_.initial.v[at.v + made->coordinate_of(node) + axis] = speed;
    name_sets(first);
    touch_plane(first);
    parts_.flexible.push_back({made.get(), at.q, at.v});
    parts_.builder.add(std::move(made));
  }

  /// The sets of `touch` by their names, for contacts and joints.
  void name_sets(int first) {
    for (const std::string& name : touching_) {
      std::vector<int>& mounts = parts_.assembly.sets[fmt::format("{}.{}", text_.name, name)];
      const std::vector<int>& nodes = mesh_.sets[name];
      for (std::size_t m = frames_; m < touching_end_; ++m)
        if (std::binary_search(nodes.begin(), nodes.end(), common_.mounts[m].node))
          mounts.push_back(first + static_cast<int>(m));
    }
  }

  void touch_plane(int first) {
    if (!text_.system.has("plane") || touching_.empty()) return;
    const Fields block = text_.system.block("plane");
    TouchingPoints points{.plane = {numbers_.vector(block, "normal"), numbers_.number(block, "offset")},
                          .law = read_law(block, 2, parts_),
                          .points = {},
                          .first_mount = first};
    if (!(points.plane.normal.norm() > 1e-100))
      block.fail("normal", "the direction has length zero; accepted: any other");
    for (std::size_t m = frames_; m < touching_end_; ++m) {
      points.points.push_back({common_.mounts[m].name, static_cast<int>(m), Vector3d::Zero()});
      declare_constraint(common_.mounts[m].name, body_.node("touch"), parts_);
    }
    parts_.assembly.touching.push_back(std::move(points));
  }

  const SolidText& text_;
  const Fields& body_;
  Parts& parts_;
  Numbers& numbers_;
  FlexibleCommon common_;
  SolidMesh mesh_;
  double young_ = 0, density_ = 0;
  std::vector<std::string> touching_;
  std::size_t frames_ = 0;        // mounts that are frames; then come nodes of sets that touch
  std::size_t touching_end_ = 0;  // and then others that are driven
  std::vector<DrivenNode> driven_;
  struct Speed {
    int node, axis;
    double value;
  };
  std::vector<Speed> speeds_;  // of driven nodes at the beginning
  std::set<std::pair<int, int>> moving_;
};

}  // namespace

void read_solid(const SolidText& text, const Vector3d& gravity, Parts& parts) {
  SolidReader(text, gravity, parts).read();
}

}  // namespace ricochet::scenario
