// The ways in which two faces touch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/contact/face_contacts.hpp"

namespace ricochet {
namespace {

using brep::CurveKind;
using brep::EdgeShape;
using brep::FaceShape;
using brep::Rider;
using brep::SurfaceKind;

constexpr double kParallel = 1e-9;
bool parallel(const Vector3d& a, const Vector3d& b) { return a.cross(b).norm() < kParallel; }

/// A face with what has to be known of it.
struct Touching {
  std::shared_ptr<const brep::Part> part;
  std::shared_ptr<const FaceShape> shape;
  Frame frame;
  std::string name;
  Vector3d plane;  // normal of the plane of motion in the axes of the part; zero: space
  std::shared_ptr<const brep::Solid> solid;

  Touching(const MountedFace& f, const Vector3d& normal)
      : part(f.part),
        shape(std::make_shared<FaceShape>(*f.part, f.face)),
        frame(f.frame),
        name(f.part->faces[f.face].name),
        plane(f.frame.R.transpose() * normal) {
    if (!planar()) {
      if (brep::Solid::closed(*part)) solid = std::make_shared<brep::Solid>(*part);
      return;
    }
    const brep::Surface& s = shape->surface();
    const bool along =
        s.kind == SurfaceKind::plane
            ? std::abs(s.axes.z.dot(plane)) < kParallel
            : (s.kind == SurfaceKind::cylinder || s.kind == SurfaceKind::extrusion) && parallel(s.axes.z, plane);
    if (!along)
      throw InputError("", fmt::format("the face '{}' is not along the normal of the plane of motion; accepted in the "
                                       "plane: planes, cylinders and extrusions that are",
                                       name));
  }
  bool planar() const { return !plane.isZero(0); }
  SurfaceKind kind() const { return shape->surface().kind; }
  const brep::Axes& axes() const { return shape->surface().axes; }
  const brep::Surface& surface() const { return shape->surface(); }
  bool round(SurfaceKind k) const { return kind() == k && shape->convex(); }
  bool ruled() const {
    return kind() == SurfaceKind::plane || kind() == SurfaceKind::cylinder || kind() == SurfaceKind::cone;
  }
  /// A frame of the part's axes at x with z along a direction.
  Frame at(const Vector3d& x, const Vector3d& z) const {
    Matrix3d R;
    R.col(2) = z;
    R.col(0) = z.unitOrthogonal();
    R.col(1) = z.cross(R.col(0));
    return {frame.mount, frame.r + frame.R * x, frame.R * R};
  }
  /// Ends of its second parameter.
  std::pair<double, double> ends() const {
    const double low = shape->trim().low()[1], high = shape->trim().high()[1];
    if (!std::isfinite(low) || !std::isfinite(high))
      throw InputError("", fmt::format("the face '{}' has no end; accepted: one with edges", name));
    return {low, high};
  }
  /// Out of the material at a point of the face.
  Vector3d outward(const Vector3d& x) const {
    Eigen::Vector2d foot;
    return shape->distance(x, foot).gradient;
  }
  double size() const {
    double out = std::max(surface().a, kind() == SurfaceKind::torus ? surface().a + surface().b : 0);
    for (const int e : shape->edges()) {
      const brep::Edge& edge = part->edges[static_cast<std::size_t>(e)];
      const Vector3d a = brep::evaluate(edge.curve, edge.from).p;
      for (const double s : {0.3, 0.6, 1.0})
        out = std::max(out, (brep::evaluate(edge.curve, edge.from + s * (edge.to - edge.from)).p - a).norm());
    }
    for (const FaceShape::Seed& s : shape->seeds()) out = std::max(out, (s.x - shape->seeds().front().x).norm());
    return out;
  }
};

/// Of points of a part. They are taken densely enough for what lies between them to be within the margin.
FaceContact::Bound ball_about(const Frame& part, const std::vector<Vector3d>& points, double grown) {
  Vector3d centre = Vector3d::Zero();
  for (const Vector3d& x : points) centre += x / static_cast<double>(points.size());
  double radius = 0;
  for (const Vector3d& x : points) radius = std::max(radius, (x - centre).norm());
  constexpr double kMargin = 1.1;
  return {{part.mount, part.r + part.R * centre, part.R}, kMargin * radius + grown};
}
FaceContact::Bound ball_about(const Touching& face) {
  constexpr int kPoints = 13;  // 30 degrees of a circle
  const Eigen::Vector2d low = face.shape->trim().low(), high = face.shape->trim().high();
  if (!low.allFinite() || !high.allFinite()) return {face.frame, std::numeric_limits<double>::infinity()};
  std::vector<Vector3d> points;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j) {
      const Eigen::Vector2d part(i / (kPoints - 1.0), j / (kPoints - 1.0)), uv = low + part.cwiseProduct(high - low);
      points.push_back(brep::evaluate(face.surface(), uv[0], uv[1]).p);
    }
  for (const FaceShape::Seed& s : face.shape->seeds()) points.push_back(s.x);
  return ball_about(face.frame, points, 0);
}
FaceContact::Bound ball_about(const Touching& part, const Rider& rider) {
  if (rider.kind == Rider::Kind::face) return ball_about(part);
  std::vector<Vector3d> points;
  if (rider.kind == Rider::Kind::point) points.push_back(rider.point);
  for (int k = 0; rider.kind == Rider::Kind::edge && k < EdgeShape::kSeeds; ++k)
    points.push_back(rider.edge->seed_point(k));
  return ball_about(part.frame, points, rider.radius);
}

/// An edge with the two faces that meet there; without an edge where these are not two.
brep::Ridge ridge(const brep::Part& part, int e) {
  brep::Ridge out;
  std::size_t count = 0;
  for (std::size_t f = 0; f < part.faces.size(); ++f)
    for (const brep::Loop& loop : part.faces[f].loops)
      for (const brep::Side& side : loop)
        if (side.edge == e && count++ < 2) out.faces[count - 1] = std::make_shared<FaceShape>(part, f);
  if (count == 2) out.edge = std::make_shared<EdgeShape>(part.edges[static_cast<std::size_t>(e)]);
  return out;
}

/// Faces turn at the edge, away from each other.
bool is_convex(const brep::Part& part, int e) {
  const brep::Edge& edge = part.edges[static_cast<std::size_t>(e)];
  const brep::CurvePoint c = brep::evaluate(edge.curve, edge.from + 0.4 * (edge.to - edge.from));
  std::vector<Vector3d> normals, into;
  for (std::size_t f = 0; f < part.faces.size(); ++f)
    for (const brep::Loop& loop : part.faces[f].loops)
      for (const brep::Side& side : loop) {
        if (side.edge != e) continue;
        const FaceShape shape(part, f);
        Eigen::Vector2d foot;
        const Vector3d n = shape.distance(c.p, foot).gradient;
        Vector3d t = n.cross(c.t).normalized();
        constexpr double kAside = 1e-6;
        if (!shape.holds(Vector3d(c.p + kAside * c.t.norm() * (edge.to - edge.from) * t))) t = -t;
        normals.push_back(n);
        into.push_back(t);
      }
  constexpr double kSharp = 1e-6;
  return normals.size() != 2 || normals[1].dot(into[0]) < -kSharp;
}

class Pairing {
 public:
  Pairing(const MountedFace& first, const MountedFace& second, const Vector3d& plane)
      : faces_{{first, plane}, {second, plane}}, size_(std::max(faces_[0].size(), faces_[1].size())) {}

  std::vector<FaceContact> all() {
    const auto either = [&](SurfaceKind kind) { return faces_[0].round(kind) ? 0 : faces_[1].round(kind) ? 1 : -1; };
    const bool planar = faces_[0].planar();
    if (const int k = planar ? either(SurfaceKind::cylinder) : either(SurfaceKind::sphere); k >= 0) {
      ball(faces_[1 - k], faces_[k]);
    } else if (planar) {
      corners(faces_[0], faces_[1]);
      corners(faces_[1], faces_[0]);
      const bool second = faces_[1].kind() == SurfaceKind::extrusion;
      if (second || faces_[0].kind() == SurfaceKind::extrusion) profile(faces_[second ? 0 : 1], faces_[second ? 1 : 0]);
    } else if (const int t = either(SurfaceKind::torus); t >= 0) {
      tube(faces_[1 - t], faces_[t]);
    } else if (faces_[0].shape->elementary() && faces_[1].shape->elementary()) {
      if (faces_[1].ruled()) ruled(faces_[0], faces_[1]);
      if (faces_[0].ruled()) ruled(faces_[1], faces_[0]);
      if (faces_[0].round(SurfaceKind::cylinder) && faces_[1].round(SurfaceKind::cylinder)) crossing();
      edges();
    } else {
      const int over = faces_[1].shape->elementary() ? 0 : 1;
      face_over(faces_[1 - over], faces_[over]);
    }
    return std::move(out_);
  }

 private:
  FaceContact& add(const Touching& base) {
    FaceContact c;
    c.name = fmt::format("{}", out_.size() + 1);
    c.size = size_;
    c.solid = base.solid;
    c.part = base.frame;
    out_.push_back(std::move(c));
    return out_.back();
  }
  FaceContact& over(const Touching& base, const Touching& other, Rider rider) {
    FaceContact& c = add(base);
    c.A = base.frame;
    c.B = other.frame;
    c.base = base.shape;
    c.about_A = ball_about(base);
    c.about_B = ball_about(other, rider);
    c.rider = std::move(rider);
    return c;
  }

  /// A ball, or in the plane a disc, over a face with its edges; inside a hollow one with its own way through the
  /// middle.
  void ball(const Touching& base, const Touching& ball) {
    const brep::Surface& s = ball.surface();
    Vector3d centre = s.axes.o;
    if (ball.planar()) centre += s.axes.z * ((ball.ends().first + ball.ends().second) / 2);
    const SurfaceKind under = base.kind();
    const bool hollow = !base.shape->convex() && (under == SurfaceKind::cylinder || under == SurfaceKind::sphere);
    if (hollow && !(base.surface().a > s.a))
      throw InputError("", fmt::format("the radius {:.9g} of '{}' does not fit into the {:.9g} of '{}'", s.a, ball.name,
                                       base.surface().a, base.name));
    FaceContact& c = add(base);
    c.B = ball.at(centre, ball.axes().z);
    c.about_A = ball_about(base);
    c.about_B = {c.B, s.a};
    c.on_B = {ball.planar() ? nullptr : ball.shape, ball.frame};
    if (hollow) {
      c.A = base.at(base.axes().o, base.axes().z);
      c.feature = {under == SurfaceKind::cylinder ? Feature::Kind::in_bush : Feature::Kind::in_socket, base.surface().a,
                   s.a};
      c.on_A = {base.planar() ? nullptr : base.shape, base.frame};
    } else {
      c.A = base.frame;
      c.feature = {Feature::Kind::on_surface, 0, s.a, make_bounded_face(base.shape)};
    }
  }

  /// A torus is its circle, grown.
  void tube(const Touching& base, const Touching& tube) {
    const brep::Surface& s = tube.surface();
    brep::Curve circle;
    circle.kind = CurveKind::circle;
    circle.axes = s.axes;
    circle.a = s.a;
    Rider rider;
    rider.kind = Rider::Kind::edge;
    constexpr double kTurn = 6.283185307179586;
    rider.edge = std::make_shared<EdgeShape>(circle, 0, kTurn);
    rider.face = tube.shape;
    rider.radius = s.b;
    over(base, tube, std::move(rider));
  }

  void point(const Touching& base, const Touching& other, const Vector3d& x) {
    Rider rider;
    rider.point = x;
    over(base, other, std::move(rider));
  }

  /// In the plane: edges along its normal are corners.
  void corners(const Touching& base, const Touching& other) {
    for (const int e : other.shape->edges()) {
      const brep::Edge& edge = other.part->edges[static_cast<std::size_t>(e)];
      if (edge.curve.kind != CurveKind::line || !parallel(edge.curve.axes.z, other.plane)) continue;
      if (is_convex(*other.part, e)) point(base, other, brep::evaluate(edge.curve, (edge.from + edge.to) / 2).p);
    }
  }
  /// In the plane: the profile of an extrusion, half way along it.
  void profile(const Touching& base, const Touching& other) {
    const brep::Trim& trim = other.shape->trim();
    const Vector3d aside = other.axes().z * ((other.ends().first + other.ends().second) / 2);
    brep::Curve curve = other.surface().curve;
    curve.axes.o += aside;
    for (Vector3d& pole : curve.poles) pole += aside;
    edge_over(base, other, std::make_shared<EdgeShape>(std::move(curve), trim.low()[0], trim.high()[0]));
  }

  /// Edges and corners of a face over a plane, a cylinder or a cone.
  void ruled(const Touching& base, const Touching& other) {
    std::vector<int> vertices;
    for (const int e : other.shape->edges()) {
      if (!is_convex(*other.part, e)) continue;
      const brep::Edge& edge = other.part->edges[static_cast<std::size_t>(e)];
      const auto shape = std::make_shared<EdgeShape>(edge);
      const bool plane = base.kind() == SurfaceKind::plane, line = edge.curve.kind == CurveKind::line;
      if (shape->closed() && edge.curve.kind == CurveKind::circle) {
        rim(base, other, edge.curve, shape);
      } else {
        if (!line || (!plane && base.shape->convex())) edge_over(base, other, shape);
        if (line || plane)
          for (const int v : edge.vertices)
            if (v >= 0 && std::find(vertices.begin(), vertices.end(), v) == vertices.end()) vertices.push_back(v);
      }
    }
    for (const int v : vertices) point(base, other, other.part->vertices[static_cast<std::size_t>(v)]);
    if (other.shape->tip() && other.shape->convex()) point(base, other, *other.shape->tip());
  }
  void edge_over(const Touching& base, const Touching& other, std::shared_ptr<const EdgeShape> edge) {
    Rider rider;
    rider.kind = Rider::Kind::edge;
    rider.edge = std::move(edge);
    over(base, other, std::move(rider));
  }
  void rim(const Touching& base, const Touching& other, const brep::Curve& circle,
           const std::shared_ptr<const EdgeShape>& edge) {
    const bool bore = base.kind() == SurfaceKind::cylinder && !base.shape->convex();
    const bool plane = base.kind() == SurfaceKind::plane;
    if (!bore && !plane) return edge_over(base, other, edge);
    if (bore && !(base.surface().a > circle.a)) return;  // wider than the bore: it cannot be inside
    FaceContact& c = add(base);
    c.B = other.at(circle.axes.o, circle.axes.z);
    c.about_A = ball_about(base);
    c.about_B = {c.B, circle.a};
    c.on_A = {base.shape, base.frame};
    if (bore) {
      c.A = base.at(base.axes().o, base.axes().z);
      c.feature = {Feature::Kind::rim_in_bush, base.surface().a, circle.a};
      return;
    }
    c.A = base.at(base.axes().o, base.outward(base.axes().o));
    c.feature = {Feature::Kind::rim_on_plane, circle.a, 0};
    if (other.kind() != SurfaceKind::plane) return;
    c.lies = true;
    // it may lie flat: the lowest point is any then, and four hold it
    for (const Vector3d& u : {circle.axes.x, circle.axes.y, Vector3d(-circle.axes.x), Vector3d(-circle.axes.y)})
      point(base, other, circle.axes.o + circle.a * u);
  }
  /// Edges that may cross, one of them straight.
  void edges() {
    for (const int a : faces_[0].shape->edges())
      for (const int b : faces_[1].shape->edges()) {
        const auto straight = [&](int k, int e) {
          return faces_[k].part->edges[static_cast<std::size_t>(e)].curve.kind == CurveKind::line;
        };
        if (!(straight(0, a) || straight(1, b))) continue;
        if (!is_convex(*faces_[0].part, a) || !is_convex(*faces_[1].part, b)) continue;
        std::array<brep::Ridge, 2> both{ridge(*faces_[0].part, a), ridge(*faces_[1].part, b)};
        if (both[0].edge == nullptr || both[1].edge == nullptr) continue;
        FaceContact& c = add(faces_[0]);
        c.edges = std::move(both);
        c.A = faces_[0].frame;
        c.B = faces_[1].frame;
        Rider first, second;
        first.kind = second.kind = Rider::Kind::edge;
        first.edge = c.edges[0].edge;
        second.edge = c.edges[1].edge;
        c.about_A = ball_about(faces_[0], first);
        c.about_B = ball_about(faces_[1], second);
      }
  }
  /// The axis of one cylinder, grown, over the other.
  void crossing() {
    const Touching &base = faces_[0], &other = faces_[1];
    brep::Curve axis;
    axis.axes = other.axes();
    Rider rider;
    rider.kind = Rider::Kind::edge;
    rider.edge = std::make_shared<EdgeShape>(axis, other.ends().first, other.ends().second);
    rider.face = other.shape;
    rider.radius = other.surface().a;
    over(base, other, std::move(rider));
  }
  void face_over(const Touching& base, const Touching& other) {
    Rider rider;
    rider.kind = Rider::Kind::face;
    rider.face = other.shape;
    over(base, other, std::move(rider));
  }

  Touching faces_[2];
  double size_;
  std::vector<FaceContact> out_;
};

}  // namespace

std::vector<FaceContact> pair_faces(const MountedFace& first, const MountedFace& second, const Vector3d& plane) {
  return Pairing(first, second, plane).all();
}

}  // namespace ricochet
