// The block `draw`, and the look of what has none.
#include "ricochet/io/scenario/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/cad.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {

const char* name(DrawnShape::Kind kind) {
  constexpr std::array<const char*, 10> names{"point",   "line",  "circle", "box", "spring",
                                              "contact", "plane", "play",   "bar", "joint"};
  return names[static_cast<std::size_t>(kind)];
}

namespace scenario {
namespace {

using schema::Fields;
using yaml::Node;
using Kind = DrawnShape::Kind;

/// Reads the block `draw`. Numbers are nodes of a graph until it is known which of them move.
class DrawReader {
 public:
  DrawReader(const Model& model, const Parts& parts, Drawing& out)
      : model_(model), out_(out), bodies_(model.body_names()), constants_(parts.numbers.symbols(graph_)) {
    symbols_ = constants_;
    const std::vector<std::string> names = model.position_names();
    for (std::size_t i = 0; i < names.size(); ++i) symbols_[names[i]] = graph_.variable(static_cast<int>(i));
    symbols_["t"] = graph_.variable(model.nq());
    start_.assign(parts.initial.q.begin(), parts.initial.q.end());
    start_.push_back(parts.initial.t);
  }

  void read(const Fields& root) {
    for (const auto& [name, fields] : root.named_blocks("draw")) read_shape(name, fields);
  }
  /// An elastic bar before its wall, along the first axis.
  void add_bar(const std::string& prefix, const Fields& bar, scenario::Numbers& given) {
    const double length = given.number(bar, "length"), gap = given.number(bar, "gap");
    Numbers numbers;
    for (double x :
         {length, std::max(std::sqrt(given.number(bar, "section")), 0.03 * length), given.number(bar, "young"), gap})
      numbers.push_back(graph_.constant(x));
    for (int i = 0;; ++i) {
      const auto node = symbols_.find(fmt::format("{}u{}", prefix, i));
      if (node == symbols_.end()) break;
      numbers.push_back(node->second);
    }
    DrawnShape shape;
    shape.kind = Kind::bar;
    shape.name = prefix + "bar";
    finish(std::move(shape), numbers, bar);
    DrawnShape wall;
    wall.kind = Kind::plane;
    wall.name = prefix + "wall";
    wall.ground = true;
    wall.values = {-gap, 0, 0, 1, 0, 0};
    out_.shapes.push_back(std::move(wall));
  }
  void compile() {
    if (moving_.empty()) return;
    out_.moving = static_cast<int>(moving_.size());
    out_.motion = CompiledFunction(graph_, moving_, model_.nq() + 1);
  }
  /// Every point was given by two numbers.
  bool flat() const { return points_ > 0 && !in_space_; }

 private:
  using Numbers = std::vector<NodeId>;

  void read_shape(const std::string& name, const Fields& fields) {
    const std::string kind = fields.one_of({"point", "line", "circle", "box", "spring", "contact"});
    DrawnShape shape;
    shape.name = name;
    shape.ground = fields.boolean("ground");
    shape.trace = fields.boolean("trace");
    body_fixed_ = fields.has("on");
    if (body_fixed_) shape.body = shape.other = body(fields);
    Numbers numbers;
    const Node node = fields.node(kind);
    if (kind == "line" || kind == "spring") {
      const std::vector<Node> points = node.items();
      if (points.size() < 2 || (kind == "spring" && points.size() > 2))
        node.fail(fmt::format("expected {} points, found {}", kind == "spring" ? "two" : "two or more", points.size()));
      for (const Node& p : points) add_point(p, numbers);
    } else {
      add_point(node, numbers);
    }
    if (kind == "circle") add(fields, {"radius", "angle"}, numbers);
    if (kind == "box") {
      add_size(fields, numbers);
      add(fields, {"angle"}, numbers);
    }
    if (kind == "spring") add(fields, {"width"}, numbers);
    if (kind == "contact") add_contact(name, fields, numbers);
    if (kind == "line" && fields.has("width")) shape.width = constant(fields, "width");
    shape.kind = kind == "point"    ? Kind::point
                 : kind == "line"   ? Kind::line
                 : kind == "circle" ? Kind::circle
                 : kind == "box"    ? Kind::box
                 : kind == "spring" ? Kind::spring
                                    : Kind::contact;
    finish(std::move(shape), numbers, fields);
  }

  int body(const Fields& fields) const {
    const std::string name = fields.text("on");
    const auto found = std::find(bodies_.begin(), bodies_.end(), name);
    if (found == bodies_.end()) fields.fail("on", unknown_word("body", name, bodies_));
    return static_cast<int>(found - bodies_.begin());
  }

  NodeId formula(const Node& node) {
    if (!node.is_scalar()) node.fail(fmt::format("expected a formula, found {}", node.describe()));
    return located(node, [&] { return parse(node.text(), body_fixed_ ? constants_ : symbols_, graph_); });
  }
  void add_point(const Node& node, Numbers& numbers) {
    if (!node.is_list()) node.fail(fmt::format("expected a point [x, y] or [x, y, z], found {}", node.describe()));
    const std::vector<Node> x = node.items();
    if (x.size() != 2 && x.size() != 3)
      node.fail(fmt::format("expected a point [x, y] or [x, y, z], found {} entries", x.size()));
    ++points_;
    in_space_ = in_space_ || x.size() == 3;
    if (x.size() == 3) {
      for (const Node& item : x) numbers.push_back(formula(item));
      return;
    }
    const NodeId a = formula(x[0]), b = formula(x[1]);
    for (int i = 0; i < 3; ++i) numbers.push_back(out_.e1[i] != 0 ? a : out_.e2[i] != 0 ? b : graph_.constant(0));
  }
  void add(const Fields& fields, std::initializer_list<const char*> keys, Numbers& numbers) {
    for (const char* key : keys) numbers.push_back(fields.has(key) ? formula(fields.node(key)) : graph_.constant(0));
  }
  void add_size(const Fields& fields, Numbers& numbers) {
    if (!fields.has("size")) fields.fail("box", "needs `size`: [width, height], or three edge lengths");
    const std::size_t before = numbers.size();
    add_point(fields.node("size"), numbers);
    --points_;
    if (numbers.size() != before + 3) fields.fail("size", "expected [width, height], or three edge lengths");
  }
  void add_contact(const std::string& name, const Fields& fields, Numbers& numbers) {
    std::vector<std::string> names;
    for (const ConstraintItem& item : model_.items())
      if (!item.bilateral) names.push_back(item.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fields.node().fail_key(unknown_word("contact", name, names));
    if (!fields.has("normal")) fields.fail("contact", "needs `normal`: the direction in which it pushes");
    for (const char* key : {"normal", "tangent"}) {
      if (fields.has(key)) {
        add_point(fields.node(key), numbers);
        --points_;
        continue;
      }
      // to the right of a normal that points up
      const std::size_t n = numbers.size() - 3;
      const std::array<NodeId, 3> normal{numbers[n], numbers[n + 1], numbers[n + 2]};
      const Vector3d e3 = out_.e1.cross(out_.e2);
      for (int i = 0; i < 3; ++i) {
        const auto a = static_cast<std::size_t>((i + 1) % 3), b = static_cast<std::size_t>((i + 2) % 3);
        // normal x e3
        numbers.push_back(graph_.sub(graph_.scale(e3[static_cast<Index>(b)], normal[a]),
                                     graph_.scale(e3[static_cast<Index>(a)], normal[b])));
      }
    }
  }
  double constant(const Fields& fields, const char* key) {
    const NodeId x = located(fields.node(key), [&] { return parse(fields.node(key).text(), constants_, graph_); });
    return evaluate(graph_, x, start_);
  }

  void finish(DrawnShape shape, const Numbers& numbers, const Fields& fields) {
    bool moves = false;
    for (NodeId x : numbers) {
      moves = moves || !graph_.is_constant(x);
      shape.values.push_back(evaluate(graph_, x, start_));
      if (!std::isfinite(shape.values.back()))
        fields.node().fail("no finite value at the initial state; accepted: formulas that are finite there");
    }
    if (moves) {
      shape.first = static_cast<int>(moving_.size());
      moving_.insert(moving_.end(), numbers.begin(), numbers.end());
    }
    out_.shapes.push_back(std::move(shape));
  }

  const Model& model_;
  Drawing& out_;
  std::vector<std::string> bodies_;
  Graph graph_;
  Symbols constants_, symbols_;
  std::vector<double> start_;
  std::vector<NodeId> moving_;
  int points_ = 0;
  bool in_space_ = false, body_fixed_ = false;
};

/// The look of bodies, from what the scenario says of their shapes and of what holds them.
class BodyLook {
 public:
  BodyLook(const Model& model, Parts& parts, Drawing& out) : parts_(parts), out_(out) {
    std::size_t first_q = 0;
    for (const auto& subsystem : model.subsystems()) {
      const ConstView q(parts.initial.q.data() + first_q, subsystem->nq());
      for (int i = 0; i < subsystem->mounts(); ++i) {
        names_.push_back(subsystem->mount_name(i));
        poses_.push_back(subsystem->pose(i, q));
      }
      first_q += static_cast<std::size_t>(subsystem->nq());
    }
    points_.resize(names_.size());
    drawn_.resize(names_.size());
    for (const DrawnShape& s : out_.shapes)
      if (s.body >= 0) drawn_[static_cast<std::size_t>(s.body)] = true;
  }

  void add_connections(const Fields& system) {
    for (const char* kind : {"joints", "contacts", "forces"})
      for (const auto& [name, fields] : system.named_blocks(kind)) connection(name, fields);
  }
  /// Shapes that collide, as they are.
  void add_shapes() {
    std::vector<int> whole;
    for (const NotedShape& s : parts_.assembly.colliding) surface_ += s.shape.piece;
    for (const NotedShape& s : parts_.assembly.colliding) {
      const int body = s.mount == 0 ? -1 : find(s.body);
      if (body >= 0 && drawn_[static_cast<std::size_t>(body)]) continue;
      add_shape(s, body);
      if (body >= 0) whole.push_back(body);
    }
    for (const int body : whole) drawn_[static_cast<std::size_t>(body)] = true;
  }
  /// Lines through the nodes of rods and beams; a piece of a beam belongs to the body that its first node is.
  void add_flexible() {
    const auto line = [&](const std::string& name, int flexible, int first, const Vector3d* x, int count) {
      DrawnShape& s = shape(Kind::line, name, -1, {}, {});
      for (int k = 0; k < count; ++k) s.values.insert(s.values.end(), x[k].begin(), x[k].end());
      s.flexible = flexible;
      s.node = first;
      return &s;
    };
    int index = 0;
    for (const FlexibleReading& f : out_.flexible) {
      const SolidMesh& mesh = f.body->mesh();
      if (mesh.elements.empty())
        line(f.body->name(), index, 0, mesh.nodes.data(), static_cast<int>(mesh.nodes.size()))->width =
            0.03 * (mesh.nodes.back() - mesh.nodes.front()).norm();
      ++index;
    }
    for (const BeamReading& beam : out_.beams) {
      const double width = 0.02 * (beam.rest.back() - beam.rest.front()).norm();
      for (std::size_t k = 0; k + 1 < beam.rest.size(); ++k) {
        DrawnShape* s = line(beam.name, index, static_cast<int>(k), &beam.rest[k], 2);
        s->body = s->other = std::max(beam.bodies[k], k + 2 == beam.rest.size() ? -1 : beam.bodies[k + 1]);
        s->width = width;
      }
      ++index;
    }
  }
  /// The bodies of a system or of one of its parts, and the plane below them.
  void add_bodies(const std::string& prefix, const Fields& fields) {
    for (const auto& [name, body] : fields.named_blocks("bodies")) look(prefix + name, body);
    if (!fields.has("plane")) return;
    const Fields plane = fields.block("plane");
    const Vector3d n = parts_.numbers.vector(plane, "normal").normalized();
    shape(Kind::plane, prefix + "plane", -1, {n * parts_.numbers.number(plane, "offset"), n}, {}).ground = true;
  }

 private:
  int find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
    const Assembly& all = parts_.assembly;  // some have another name there
    const auto other = std::find(all.names.begin(), all.names.end(), name);
    return other == all.names.end() ? -1 : all.mounts[static_cast<std::size_t>(other - all.names.begin()) + 1].body();
  }
  Vector3d inside(const Vector3d& x, int body) const {
    if (body < 0) return x;
    const Pose& p = poses_[static_cast<std::size_t>(body)];
    return p.R.transpose() * (x - p.c);
  }
  Vector3d direction(const Vector3d& x, int body) const {
    return body < 0 ? x : Vector3d(poses_[static_cast<std::size_t>(body)].R.transpose() * x);
  }
  DrawnShape& shape(Kind kind, const std::string& name, int body, std::initializer_list<Vector3d> points,
                    std::initializer_list<double> numbers) {
    DrawnShape s;
    s.kind = kind;
    s.name = name;
    s.body = s.other = body;
    for (const Vector3d& p : points) s.values.insert(s.values.end(), p.begin(), p.end());
    s.values.insert(s.values.end(), numbers);
    return out_.shapes.emplace_back(std::move(s));
  }
  bool is_drawn(Kind kind, int body, const std::vector<double>& values) const {
    return std::any_of(out_.shapes.begin(), out_.shapes.end(),
                       [&](const DrawnShape& s) { return s.kind == kind && s.body == body && s.values == values; });
  }
  double number(const Fields& fields, const char* key) const {
    const bool known = fields.table().find(key) != nullptr && fields.has(key);
    return known ? parts_.numbers.number(fields, key) : 0;
  }
  Vector3d vector(const Fields& fields, const char* key, const Vector3d& fallback) const {
    const bool known = fields.table().find(key) != nullptr && fields.has(key);
    return known ? parts_.numbers.vector(fields, key) : fallback;
  }

  void add_shape(const NotedShape& s, int body) {
    const Polytope& p = s.shape;
    const std::size_t first = out_.shapes.size();
    const auto corner = [&](std::size_t i) { return Vector3d(s.at + s.R * p.vertices[i]); };
    if (p.half_space()) {
      const Vector3d n = s.R * p.faces[0].n;
      shape(Kind::plane, s.body, body, {s.at + p.faces[0].offset * n, n}, {});
    } else if (p.revolved()) {
      add_revolved(s, body);
    } else if (p.piece && !p.flat) {
      // a triangle of a surface; of large ones every so many
      if (++pieces_ % (1 + surface_ / kMostPieces) == 0)
        shape(Kind::line, s.body, body, {corner(0), corner(1), corner(2), corner(0)}, {});
    } else if (p.vertices.size() == 1) {
      shape(Kind::circle, s.body, body, {corner(0)}, {p.radius, 0});
    } else if (p.faces.empty()) {
      shape(Kind::line, s.body, body, {corner(0), corner(1)}, {}).width = 2 * p.radius;
    } else if (is_box(s)) {
      shape(Kind::box, s.body, body, {s.at, 2 * p.vertices[0].cwiseAbs()}, {0});
    } else if (p.flat) {
      DrawnShape& line = shape(Kind::line, s.body, body, {}, {});
      for (std::size_t i = 0; i <= p.vertices.size(); ++i) {
        const Vector3d x = corner(i % p.vertices.size());
        line.values.insert(line.values.end(), x.begin(), x.end());
      }
    } else {
      for (const Polytope::Edge& e : p.edges)
        shape(Kind::line, s.body, body, {corner(static_cast<std::size_t>(e.a)), corner(static_cast<std::size_t>(e.b))},
              {});
    }
    if (body < 0)
      for (std::size_t i = first; i < out_.shapes.size(); ++i) out_.shapes[i].ground = true;
  }
  /// Its rims, and four lines along its side.
  void add_revolved(const NotedShape& s, int body) {
    constexpr int kSides = 32;
    const auto at = [&](const Polytope::Rim& rim, int k) -> Vector3d {
      const double t = 2 * std::numbers::pi * k / kSides;
      return s.at + s.R * Vector3d(rim.radius * elementary::cos(t), rim.radius * elementary::sin(t), rim.z);
    };
    for (const Polytope::Rim& rim : s.shape.rims) {
      DrawnShape& line = shape(Kind::line, s.body, body, {}, {});
      for (int k = 0; k <= kSides; ++k) {
        const Vector3d x = at(rim, k % kSides);
        line.values.insert(line.values.end(), x.begin(), x.end());
      }
    }
    for (int k = 0; k < kSides; k += kSides / 4)
      shape(Kind::line, s.body, body,
            {at(s.shape.rims[0], k),
             s.shape.rims.size() == 2 ? at(s.shape.rims[1], k) : Vector3d(s.at + s.R * s.shape.vertices[0])},
            {});
  }
  /// About the origin of a shape that stands along the axes.
  static bool is_box(const NotedShape& s) {
    const Polytope& p = s.shape;
    if (p.flat || p.vertices.size() != 8 || s.R != Matrix3d::Identity()) return false;
    return std::all_of(p.vertices.begin(), p.vertices.end(),
                       [&](const Vector3d& v) { return v.cwiseAbs() == p.vertices[0].cwiseAbs(); });
  }

  // Whatever joins two bodies is written as kind: [first, second] with its place.
  void connection(const std::string& name, const Fields& fields) {
    std::string kind;
    for (const schema::Field& f : fields.table().fields)
      if (f.type == schema::Type::text && f.shape == schema::Shape::list && f.count == 2 && fields.has(f.key))
        kind = f.key;
    if (kind.empty() || kind == "gear" || fields.table().find("at") == nullptr) return;
    const std::vector<std::string> ends = fields.texts(kind);
    const int a = find(ends[0]), b = find(ends[1]);
    const Vector3d at = vector(fields, "at", Vector3d::Zero()), to = vector(fields, "to", at);
    const Vector3d axis = vector(fields, "axis", out_.planar ? out_.e1.cross(out_.e2) : Vector3d(Vector3d::UnitZ()));
    Vector3d on_a = inside(at, a), on_b = inside(to, b);
    if (fields.has("first") && fields.has("second")) {  // in the axes of the bodies
      on_a = vector(fields.block("first"), "at", Vector3d::Zero()) - centre(ends[0]);
      on_b = vector(fields.block("second"), "at", Vector3d::Zero()) - centre(ends[1]);
    }
    const bool surface = kind == "on_plane";
    if (!surface) hold(a, on_a);
    hold(b, on_b);
    const double radius = number(fields, "radius"), tip = number(fields, "tip"), play = number(fields, "clearance"),
                 pin = number(fields, "pin");
    if (surface) {
      const Vector3d n = direction(axis.normalized(), a);
      std::vector<double> values{on_a.x(), on_a.y(), on_a.z(), n.x(), n.y(), n.z()};
      // A plane at another height is another one; one further along it is the same.
      values[0] = values[1] = values[2] = 0;
      const Vector3d foot = n * n.dot(on_a);
      std::copy(foot.begin(), foot.end(), values.begin());
      if (!is_drawn(Kind::plane, a, values)) shape(Kind::plane, name, a, {foot, n}, {}).ground = a < 0;
    } else if (kind == "spring" || kind == "distance") {
      DrawnShape& s = kind == "spring" ? shape(Kind::spring, name, a, {on_a, on_b}, {0})
                                       : shape(Kind::line, name, a, {on_a, on_b}, {});
      s.other = b;
    } else if (!kind.starts_with("in_") && !kind.starts_with("on_")) {
      shape(Kind::joint, name, a, {on_a}, {}).ground = a < 0;
    }
    if (radius > 0) shape(Kind::circle, name, a, {on_a}, {radius, 0}).ground = a < 0;
    if (tip > 0) shape(Kind::circle, name, b, {on_b}, {tip, 0});
    const double clearance = play > 0 ? play : (kind == "in_bush" || kind == "in_socket") ? radius - tip : 0;
    if (pin > 0) shape(Kind::circle, name, b, {on_b}, {pin, 0});
    if (clearance > 0) shape(Kind::play, name, a, {on_a, on_b, direction(axis.normalized(), a)}, {clearance}).other = b;
  }
  /// Of mass, in the axes of a body.
  Vector3d centre(const std::string& body) const {
    const Assembly& all = parts_.assembly;
    const auto found = std::find(all.names.begin(), all.names.end(), body);
    if (found == all.names.end()) return Vector3d::Zero();
    return all.centres[static_cast<std::size_t>(found - all.names.begin())];
  }
  void hold(int body, const Vector3d& x) {
    if (body < 0) return;
    auto& points = points_[static_cast<std::size_t>(body)];
    if (std::none_of(points.begin(), points.end(), [&](const Vector3d& p) { return (p - x).norm() < 1e-9; }))
      points.push_back(x);
  }

  void look(const std::string& name, const Fields& body) {
    const int b = find(name);
    if (b < 0 || drawn_[static_cast<std::size_t>(b)]) return;
    for (const auto& [label, node] : body.named_nodes("points")) {
      const std::vector<Node> x = node.items();
      if (x.size() != 3) continue;
      const Vector3d point(parts_.numbers.value(x[0]), parts_.numbers.value(x[1]), parts_.numbers.value(x[2]));
      hold(b, point - centre(name));
    }
    if (body.has("box")) {
      shape(Kind::box, name, b, {-centre(name), parts_.numbers.vector(body.block("box"), "size")}, {0});
      return;
    }
    const auto& points = points_[static_cast<std::size_t>(b)];
    if (points.empty()) {
      shape(Kind::circle, name, b, {Vector3d::Zero()}, {size_by_inertia(body), 0});
      return;
    }
    linkage(name, b, points);
  }
  double size_by_inertia(const Fields& body) const {
    const Vector3d n = out_.planar ? out_.e1.cross(out_.e2) : Vector3d(Vector3d::Zero());
    const MassProperties m = read_mass_with(read_part(body).get(), body, n, parts_.numbers);
    return std::sqrt(2.5 * m.inertia.diagonal().mean() / m.mass);
  }
  /// A rod between two points, a plate through more of them in the plane, a star in space.
  void linkage(const std::string& name, int b, const std::vector<Vector3d>& points) {
    double reach = 0;
    for (const Vector3d& p : points) reach = std::max(reach, p.norm());
    const double width = 0.08 * reach;
    if (points.size() == 2) {
      shape(Kind::line, name, b, {points[0], points[1]}, {}).width = width;
    } else if (out_.planar && points.size() > 2) {
      plate(name, b, points);
    } else {
      for (const Vector3d& p : points) shape(Kind::line, name, b, {Vector3d::Zero(), p}, {}).width = width;
      shape(Kind::circle, name, b, {Vector3d::Zero()}, {width, 0});
    }
  }
  /// The closed line around points of a body that moves in the plane.
  void plate(const std::string& name, int b, std::vector<Vector3d> points) {
    const Vector3d e1 = direction(out_.e1, b), e2 = direction(out_.e2, b);
    std::sort(points.begin(), points.end(), [&](const Vector3d& p, const Vector3d& q) {
      return std::pair(e1.dot(p), e2.dot(p)) < std::pair(e1.dot(q), e2.dot(q));
    });
    const auto turn = [&](const Vector3d& p, const Vector3d& q, const Vector3d& r) {
      return e1.dot(q - p) * e2.dot(r - p) - e2.dot(q - p) * e1.dot(r - p);
    };
    std::vector<Vector3d> hull;
    for (int side : {0, 1}) {
      const std::size_t least = hull.size() + 2;
      for (const Vector3d& p : points) {
        while (hull.size() >= least && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
        hull.push_back(p);
      }
      hull.pop_back();
      if (side == 0) std::reverse(points.begin(), points.end());
    }
    hull.push_back(hull.front());
    DrawnShape& s = shape(Kind::line, name, b, {}, {});
    for (const Vector3d& p : hull) s.values.insert(s.values.end(), p.begin(), p.end());
  }

  Parts& parts_;
  Drawing& out_;
  std::vector<std::string> names_;
  std::vector<Pose> poses_;
  std::vector<std::vector<Vector3d>> points_;  ///< of each body, where something holds it
  static constexpr int kMostPieces = 4000;
  int surface_ = 0, pieces_ = 0;  ///< triangles of surfaces, and how many were looked at
  std::vector<bool> drawn_;       ///< it has shapes of its own
};

}  // namespace

Drawing read_drawing(const Fields& root, const Model& model, Parts& parts) {
  Drawing out;
  out.flexible = std::move(parts.flexible);
  out.beams = std::move(parts.beams);
  const Fields system = root.block("system");
  std::vector<schema::Named<Fields>> sources{{"", system}};
  for (const auto& [name, part] : system.named_blocks("parts")) sources.push_back({name + ".", part});
  // A picture in the plane, unless something leaves it.
  std::set<std::string> planes;
  bool in_space = false, bar = false;
  for (const auto& [prefix, fields] : sources) {
    if (fields.has("planar")) planes.insert(fields.text("planar"));
    in_space =
        in_space || ((fields.has("bodies") || fields.has("flexible") || fields.has("scenes")) && !fields.has("planar"));
    bar = bar || fields.has("bar");
  }
  if (planes.size() == 1 && !in_space) {
    out.planar = true;
    out.e1 = Vector3d::Unit((*planes.begin())[0] - 'x');
    out.e2 = Vector3d::Unit((*planes.begin())[1] - 'x');
  }
  DrawReader reader(model, parts, out);
  reader.read(root);
  for (const auto& [prefix, fields] : sources)
    if (fields.has("bar")) reader.add_bar(prefix, fields.block("bar"), parts.numbers);
  reader.compile();
  out.planar = out.planar || (planes.empty() && !in_space && (reader.flat() || bar));
  BodyLook look(model, parts, out);
  look.add_connections(system);
  if (system.has("collision")) look.add_shapes();
  look.add_flexible();
  for (const auto& [prefix, fields] : sources) look.add_bodies(prefix, fields);
  return out;
}

}  // namespace scenario
}  // namespace ricochet
