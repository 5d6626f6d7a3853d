// The look of bodies that the block `draw` leaves out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/io/scenario/body_mass.hpp"
#include "ricochet/io/scenario/cad.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;
using yaml::Node;
using Drawn = DrawnShape::Kind;

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
    reach_.resize(names_.size());
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
      DrawnShape& s = shape(Drawn::line, name, -1, {}, {});
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
  /// Edges of parts, and great circles of balls that have none.
  void add_parts() {
    for (const NotedPart& noted : parts_.assembly.parts) {
      const int body = parts_.assembly.mounts[static_cast<std::size_t>(noted.frame.mount)].body();
      const auto place = [&](const Vector3d& x) { return Vector3d(noted.frame.r + noted.frame.R * x); };
      const auto curve = [&](const brep::Curve& c, double from, double to, int pieces) {
        std::vector<Vector3d> points;
        for (int k = 0; k <= pieces; ++k) points.push_back(place(brep::evaluate(c, from + (to - from) * k / pieces).p));
        polyline(noted.body, body, points);
        if (body < 0) return;
        for (const Vector3d& x : points)
          reach_[static_cast<std::size_t>(body)] = std::max(reach_[static_cast<std::size_t>(body)], x.norm());
      };
      for (const brep::Edge& e : noted.part->edges) {
        const bool spline = e.curve.kind == brep::CurveKind::spline, line = e.curve.kind == brep::CurveKind::line;
        const double turns = (e.to - e.from) / (2 * std::numbers::pi);
        curve(e.curve, e.from, e.to,
              line     ? 1
              : spline ? 4 * e.curve.t.poles()
                       : std::max(4, static_cast<int>(48 * turns)));
      }
      for (const brep::Face& f : noted.part->faces) {
        if (!f.loops.empty() || f.surface.kind != brep::SurfaceKind::sphere) continue;
        const brep::Axes& s = f.surface.axes;
        for (const auto& [x, y] : {std::pair(s.x, s.y), std::pair(s.y, s.z), std::pair(s.z, s.x)}) {
          brep::Curve c;
          c.kind = brep::CurveKind::circle;
          c.axes = {s.o, x, y, x.cross(y)};
          c.a = f.surface.a;
          curve(c, 0, 2 * std::numbers::pi, 48);
        }
      }
    }
  }
  /// The bodies of a system or of one of its parts, and the plane below them.
  void add_bodies(const std::string& prefix, const Fields& fields) {
    for (const auto& [name, body] : fields.named_blocks("bodies")) look(prefix + name, body);
    if (!fields.has("plane")) return;
    const Fields plane = fields.block("plane");
    const Vector3d n = parts_.numbers.vector(plane, "normal").normalized();
    shape(Drawn::plane, prefix + "plane", -1, {n * parts_.numbers.number(plane, "offset"), n}, {}).ground = true;
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
  DrawnShape& shape(Drawn kind, const std::string& name, int body, std::initializer_list<Vector3d> points,
                    std::initializer_list<double> numbers) {
    DrawnShape s;
    s.kind = kind;
    s.name = name;
    s.body = s.other = body;
    for (const Vector3d& p : points) s.values.insert(s.values.end(), p.begin(), p.end());
    s.values.insert(s.values.end(), numbers);
    return out_.shapes.emplace_back(std::move(s));
  }
  /// One further along a plane is the same.
  bool has_plane(int body, const Vector3d& at, const Vector3d& n) const {
    return std::any_of(out_.shapes.begin(), out_.shapes.end(), [&](const DrawnShape& s) {
      if (s.kind != Drawn::plane || s.body != body) return false;
      const Vector3d x(s.values[0], s.values[1], s.values[2]), m(s.values[3], s.values[4], s.values[5]);
      return m == n && std::abs(n.dot(x - at)) <= 1e-12 * (x.norm() + at.norm());
    });
  }
  Vector3d pose_of(int body, const Vector3d& x) const {
    const Pose& p = poses_[static_cast<std::size_t>(body)];
    return p.c + p.R * x;
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
      shape(Drawn::plane, s.body, body, {s.at + p.faces[0].offset * n, n}, {});
    } else if (p.revolved()) {
      add_revolved(s, body);
    } else if (p.piece && !p.flat) {
      // a triangle of a surface; of large ones every so many
      if (++pieces_ % (1 + surface_ / kMostPieces) == 0)
        shape(Drawn::line, s.body, body, {corner(0), corner(1), corner(2), corner(0)}, {});
    } else if (p.vertices.size() == 1) {
      shape(Drawn::circle, s.body, body, {corner(0)}, {p.radius, 0});
    } else if (p.faces.empty()) {
      shape(Drawn::line, s.body, body, {corner(0), corner(1)}, {}).width = 2 * p.radius;
    } else if (is_box(s)) {
      shape(Drawn::box, s.body, body, {s.at, 2 * p.vertices[0].cwiseAbs()}, {0});
    } else if (p.flat) {
      DrawnShape& line = shape(Drawn::line, s.body, body, {}, {});
      for (std::size_t i = 0; i <= p.vertices.size(); ++i) {
        const Vector3d x = corner(i % p.vertices.size());
        line.values.insert(line.values.end(), x.begin(), x.end());
      }
    } else {
      for (const Polytope::Edge& e : p.edges)
        shape(Drawn::line, s.body, body, {corner(static_cast<std::size_t>(e.a)), corner(static_cast<std::size_t>(e.b))},
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
      DrawnShape& line = shape(Drawn::line, s.body, body, {}, {});
      for (int k = 0; k <= kSides; ++k) {
        const Vector3d x = at(rim, k % kSides);
        line.values.insert(line.values.end(), x.begin(), x.end());
      }
    }
    for (int k = 0; k < kSides; k += kSides / 4)
      shape(Drawn::line, s.body, body,
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

  /// Curves of the plane that a contact runs along: cams, arcs, polygons. `at`: their centre, in space.
  void outline(const std::string& name, const Fields& fields, const std::string& kind, int body) {
    std::vector<Vector3d> points;
    const Vector3d at = vector(fields, "at", Vector3d::Zero());
    const auto around = [&](double a, double r) {
      points.emplace_back(at + r * (elementary::cos(a) * out_.e1 + elementary::sin(a) * out_.e2));
    };
    constexpr int kPlaces = 96;
    if (kind == "on_cam" || kind == "flat_on_cam") {
      Graph graph;
      Symbols symbols = parts_.numbers.symbols(graph);
      symbols["a"] = graph.variable(0);
      const NodeId r = parse(fields.expression("profile").text, symbols, graph);
      for (int k = 0; k <= kPlaces; ++k) {
        const double a = 2 * std::numbers::pi * (k % kPlaces) / kPlaces;
        around(a, evaluate(graph, r, std::vector<double>{a}));
      }
    } else if (kind == "on_arc" || kind == "on_sector") {
      const std::vector<double> arc = parts_.numbers.list(fields, "arc");
      for (int k = 0; k <= kPlaces / 2; ++k)
        around(arc[0] + (arc[1] - arc[0]) * (2.0 * k / kPlaces), number(fields, "radius"));
    } else {
      for (const Node& item : fields.node("points").items()) {
        const std::vector<Node> x = item.items();
        points.emplace_back(parts_.numbers.value(x[0]), parts_.numbers.value(x[1]), parts_.numbers.value(x[2]));
      }
      points.push_back(points.front());
    }
    for (Vector3d& x : points) x = inside(x, body);
    polyline(name, body, points);
  }
  void polyline(const std::string& name, int body, const std::vector<Vector3d>& points) {
    DrawnShape& s = shape(Drawn::line, name, body, {}, {});
    for (const Vector3d& p : points) s.values.insert(s.values.end(), p.begin(), p.end());
    s.ground = body < 0;
    if (body >= 0) drawn_[static_cast<std::size_t>(body)] = true;
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
    if (kind == "on_cam" || kind == "flat_on_cam" || kind == "on_arc" || kind == "on_sector" || kind == "on_polygon")
      outline(name, fields, kind, a);
    const bool surface = kind == "on_plane";
    if (!surface) hold(a, on_a);
    hold(b, on_b);
    const double radius = number(fields, "radius"), tip = number(fields, "tip"), play = number(fields, "clearance"),
                 pin = number(fields, "pin");
    if (surface) {
      const Vector3d n = direction(axis.normalized(), a);
      // It is drawn about where it is touched at the beginning.
      const Vector3d x = inside(b < 0 ? to : pose_of(b, on_b), a), foot = x - n * n.dot(x - on_a);
      if (!has_plane(a, foot, n)) shape(Drawn::plane, name, a, {foot, n}, {}).ground = a < 0;
    } else if (kind == "spring" || kind == "distance") {
      DrawnShape& s = kind == "spring" ? shape(Drawn::spring, name, a, {on_a, on_b}, {0})
                                       : shape(Drawn::line, name, a, {on_a, on_b}, {});
      s.other = b;
    } else if (!kind.starts_with("in_") && !kind.starts_with("on_")) {
      shape(Drawn::joint, name, a, {on_a}, {}).ground = a < 0;
    }
    if (radius > 0) shape(Drawn::circle, name, a, {on_a}, {radius, 0}).ground = a < 0;
    if (tip > 0) shape(Drawn::circle, name, b, {on_b}, {tip, 0});
    const double clearance = play > 0 ? play : (kind == "in_bush" || kind == "in_socket") ? radius - tip : 0;
    if (pin > 0) shape(Drawn::circle, name, b, {on_b}, {pin, 0});
    if (clearance > 0)
      shape(Drawn::play, name, a, {on_a, on_b, direction(axis.normalized(), a)}, {clearance}).other = b;
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
    if (b < 0) return;
    // What holds a part from afar is seen to belong to it.
    if (const double reach = reach_[static_cast<std::size_t>(b)]; reach > 0)
      for (const Vector3d& p : points_[static_cast<std::size_t>(b)])
        if (p.norm() > reach) shape(Drawn::line, name, b, {Vector3d::Zero(), p}, {});
    if (drawn_[static_cast<std::size_t>(b)]) return;
    for (const auto& [label, node] : body.named_nodes("points")) {
      const std::vector<Node> x = node.items();
      if (x.size() != 3) continue;
      const Vector3d point(parts_.numbers.value(x[0]), parts_.numbers.value(x[1]), parts_.numbers.value(x[2]));
      hold(b, point - centre(name));
    }
    if (body.has("box")) {
      shape(Drawn::box, name, b, {-centre(name), parts_.numbers.vector(body.block("box"), "size")}, {0});
      return;
    }
    const auto& points = points_[static_cast<std::size_t>(b)];
    if (points.empty()) {
      shape(Drawn::circle, name, b, {Vector3d::Zero()}, {size_by_inertia(body), 0});
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
      shape(Drawn::line, name, b, {points[0], points[1]}, {}).width = width;
    } else if (out_.planar && points.size() > 2) {
      plate(name, b, points);
    } else {
      for (const Vector3d& p : points) shape(Drawn::line, name, b, {Vector3d::Zero(), p}, {}).width = width;
      shape(Drawn::circle, name, b, {Vector3d::Zero()}, {width, 0});
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
    polyline(name, b, hull);
  }

  Parts& parts_;
  Drawing& out_;
  std::vector<std::string> names_;
  std::vector<Pose> poses_;
  std::vector<std::vector<Vector3d>> points_;  ///< of each body, where something holds it
  static constexpr int kMostPieces = 4000;
  int surface_ = 0, pieces_ = 0;  ///< triangles of surfaces, and how many were looked at
  std::vector<bool> drawn_;       ///< it has shapes of its own
  std::vector<double> reach_;     ///< of the edges of its part
};

}  // namespace

void draw_bodies(const std::vector<schema::Named<Fields>>& sources, const Model& model, Parts& parts, Drawing& out) {
  BodyLook look(model, parts, out);
  const Fields& system = sources.front().value;
  look.add_parts();
  look.add_connections(system);
  if (system.has("collision")) look.add_shapes();
  look.add_flexible();
  for (const auto& [prefix, fields] : sources) look.add_bodies(prefix, fields);
}

}  // namespace ricochet::scenario
