#include "ricochet/geometry/collision/polytope.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr double kFlatFacet = 1e-9;  ///< of the size: points in one plane, or on one line

void measure(Polytope& p) {
  Vector3d low = p.vertices[0], high = low;
  for (const Vector3d& v : p.vertices) {
    low = low.cwiseMin(v), high = high.cwiseMax(v);
    p.bound = std::max(p.bound, v.norm());
  }
  p.bound += p.radius;
  p.size = (high - low).maxCoeff() + 2 * p.radius;
}

double extent(const std::vector<Vector3d>& points) {
  double out = 0;
  for (const Vector3d& v : points) out = std::max(out, (v - points[0]).norm());
  return out;
}

/// Corners of the convex hull of points in a plane, counter-clockwise as seen against n; those on sides are left out.
std::vector<int> hull_in_plane(const std::vector<Vector3d>& points, const std::vector<int>& some, const Vector3d& n,
                               double near) {
  std::vector<int> out;
  int first = some[0];
  const Vector3d seed = std::abs(n.x()) < 0.9 ? Vector3d::UnitX() : Vector3d::UnitY();
  const Vector3d e1 = (seed - n * n.dot(seed)).normalized(), e2 = n.cross(e1);
  const auto at = [&](int i) -> const Vector3d& { return points[static_cast<std::size_t>(i)]; };
  for (const int i : some) {
    const double x = e1.dot(at(i) - at(first)), y = e2.dot(at(i) - at(first));
    if (x < -near || (x <= near && y < -near)) first = i;
  }
  for (int here = first;;) {  // the wrapping of a gift
    out.push_back(here);
    int next = -1;
    for (const int i : some) {
      const Vector3d to = at(i) - at(here);
      if (to.norm() <= near) continue;
      if (next < 0) {
        next = i;
        continue;
      }
      const Vector3d now = at(next) - at(here);
      const double turn = n.dot(now.cross(to));
      const double level = near * std::max(now.norm(), to.norm());
      if (turn < -level || (std::abs(turn) <= level && now.dot(to) > 0 && to.norm() > now.norm())) next = i;
    }
    if (next < 0 || next == first || out.size() > some.size() || (at(next) - at(first)).norm() <= near) break;
    here = next;
  }
  return out;
}

void join_edges(Polytope& out) {
  for (Polytope::HalfEdge& h : out.half_edges) {
    if (h.edge >= 0) continue;
    h.edge = static_cast<int>(out.edges.size());
    Polytope::Edge edge{h.from, h.to, h.face, h.face};
    for (Polytope::HalfEdge& other : out.half_edges)
      if (other.from == h.to && other.to == h.from) {
        other.edge = h.edge;
        edge.right = other.face;
      }
    out.edges.push_back(edge);
  }
}

/// Corners of faces are taken over with new numbers.
class HullMaker {
 public:
  explicit HullMaker(const std::vector<Vector3d>& points) : points_(points), near_(kFlatFacet * extent(points)) {}

  Polytope run() {
    const int n = static_cast<int>(points_.size());
    number_.assign(points_.size(), -1);
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
        for (int k = j + 1; k < n; ++k) try_plane(i, j, k);
    if (out_.faces.size() < 4) throw InputError("", "the points have no volume; accepted: points that span a solid");
    join_edges(out_);
    measure(out_);
    return std::move(out_);
  }

 private:
  void try_plane(int i, int j, int k) {
    const auto at = [&](int l) -> const Vector3d& { return points_[static_cast<std::size_t>(l)]; };
    Vector3d n = (at(j) - at(i)).cross(at(k) - at(i));
    const double length = n.norm();
    if (!(length > near_ * std::max((at(j) - at(i)).norm(), (at(k) - at(i)).norm()))) return;
    n /= length;
    double above = 0, below = 0;
    std::vector<int> on;
    for (int l = 0; l < static_cast<int>(points_.size()); ++l) {
      const double height = n.dot(at(l) - at(i));
      above = std::max(above, height), below = std::min(below, height);
      if (std::abs(height) <= 2 * near_) on.push_back(l);
    }
    if (above > 2 * near_ && below < -2 * near_) return;
    if (above <= 2 * near_ && below >= -2 * near_) return;  // all in one plane
    if (above > 2 * near_) n = -n;
    for (const Polytope::Face& f : out_.faces)
      if (f.n.dot(n) > 1 - 1e-7 && std::abs(f.offset - n.dot(at(i))) <= 4 * near_) return;
    add_face(n, hull_in_plane(points_, on, n, near_));
  }
  void add_face(const Vector3d& n, const std::vector<int>& loop) {
    if (loop.size() < 3) return;
    std::vector<int> own;
    for (const int l : loop) {
      int& number = number_[static_cast<std::size_t>(l)];
      if (number < 0) {
        number = static_cast<int>(out_.vertices.size());
        out_.vertices.push_back(points_[static_cast<std::size_t>(l)]);
      }
      own.push_back(number);
    }
    const int face = static_cast<int>(out_.faces.size()), first = static_cast<int>(out_.half_edges.size());
    double offset = 0;
    for (const int v : own) offset += n.dot(out_.vertices[static_cast<std::size_t>(v)]);
    out_.faces.push_back({n, offset / static_cast<double>(own.size()), first, static_cast<int>(own.size())});
    for (std::size_t l = 0; l < own.size(); ++l)
      out_.half_edges.push_back({own[l], own[(l + 1) % own.size()], -1, face});
  }

  const std::vector<Vector3d>& points_;
  double near_;
  std::vector<int> number_;
  Polytope out_;
};

/// Of x from a point, or from a line along the unit vector e.
Distance round_distance(const Vector3d& from, const Matrix3d& across) {
  Distance out;
  out.f = from.norm();
  if (!(out.f > 0)) return out;
  out.gradient = from / out.f;
  out.hessian = (across - out.gradient * out.gradient.transpose()) / out.f;
  return out;
}

Distance from_segment(const Vector3d& a, const Vector3d& b, const Vector3d& x) {
  const Vector3d along = b - a;
  const double length = along.squaredNorm(), s = along.dot(x - a) / length;
  if (s <= 0) return round_distance(x - a, Matrix3d::Identity());
  if (s >= 1) return round_distance(x - b, Matrix3d::Identity());
  return round_distance(x - a - s * along, Matrix3d::Identity() - along * along.transpose() / length);
}

bool over_face(const Polytope& p, const Polytope::Face& f, const Vector3d& x) {
  for (int k = f.first; k < f.first + f.count; ++k) {
    const Polytope::HalfEdge& h = p.half_edges[static_cast<std::size_t>(k)];
    const Vector3d &a = p.vertices[static_cast<std::size_t>(h.from)], &b = p.vertices[static_cast<std::size_t>(h.to)];
    if (p.flat ? (x - a).dot(b - a) < 0 || (x - b).dot(b - a) > 0 : (b - a).cross(x - a).dot(f.n) < 0) return false;
  }
  return true;
}

}  // namespace

Polytope make_half_space(const Vector3d& normal, double offset) {
  Polytope out;
  out.faces.push_back({normal.normalized(), offset, 0, 0});
  out.bound = std::numeric_limits<double>::infinity();
  return out;
}

Polytope make_point_shape(double radius) {
  Polytope out;
  out.vertices = {Vector3d::Zero()};
  out.radius = radius;
  measure(out);
  return out;
}

Polytope make_segment_shape(const Vector3d& from, const Vector3d& to, double radius) {
  Polytope out;
  out.vertices = {from, to};
  out.edges = {{0, 1, -1, -1}};
  out.radius = radius;
  measure(out);
  return out;
}

Polytope make_hull(const std::vector<Vector3d>& points) { return HullMaker(points).run(); }

Polytope make_tetrahedron(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& tip) {
  Polytope out;
  out.piece = true;
  out.vertices = {a, b, c, tip};
  for (const std::array<int, 3>& v : {std::array{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}}) {
    const auto at = [&](std::size_t k) { return out.vertices[static_cast<std::size_t>(v[k])]; };
    const Vector3d n = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    const int face = static_cast<int>(out.faces.size()), first = static_cast<int>(out.half_edges.size());
    out.faces.push_back({n, n.dot(at(0) + at(1) + at(2)) / 3, first, 3});
    for (std::size_t k = 0; k < 3; ++k) out.half_edges.push_back({v[k], v[(k + 1) % 3], -1, face});
  }
  join_edges(out);
  measure(out);
  return out;
}

Polytope make_box_shape(const Vector3d& size) {
  std::vector<Vector3d> corners;
  for (int c = 0; c < 8; ++c)
    corners.emplace_back(0.5 * size.cwiseProduct(Vector3d(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1)));
  return make_hull(corners);
}

Polytope make_flat_hull(const std::vector<Vector3d>& points, const Vector3d& normal) {
  std::vector<Vector3d> seen;
  std::vector<int> all;
  for (const Vector3d& x : points) {
    all.push_back(static_cast<int>(seen.size()));
    seen.push_back(x - normal * normal.dot(x));
  }
  const std::vector<int> loop = hull_in_plane(seen, all, normal, kFlatFacet * extent(seen));
  if (loop.size() < 3) throw InputError("", "the points have no area; accepted: points that span a polygon");
  Polytope out;
  out.flat = true;
  const int n = static_cast<int>(loop.size());
  for (const int l : loop) out.vertices.push_back(seen[static_cast<std::size_t>(l)]);
  for (int k = 0; k < n; ++k) {
    const Vector3d &a = out.vertices[static_cast<std::size_t>(k)],
                   &b = out.vertices[static_cast<std::size_t>((k + 1) % n)];
    const Vector3d side = (b - a).cross(normal).normalized();
    out.faces.push_back({side, side.dot(a), k, 1});
    out.half_edges.push_back({k, (k + 1) % n, -1, k});
  }
  measure(out);
  return out;
}

Distance distance(const Polytope& p, const Vector3d& x) {
  if (p.revolved()) return revolved_distance(p, x).distance;
  if (p.half_space()) return {p.faces[0].n.dot(x) - p.faces[0].offset, p.faces[0].n, Matrix3d::Zero()};
  if (p.faces.empty())
    return p.edges.empty() ? round_distance(x - p.vertices[0], Matrix3d::Identity())
                           : from_segment(p.vertices[0], p.vertices[1], x);
  Distance out;
  out.f = -std::numeric_limits<double>::infinity();
  for (const Polytope::Face& f : p.faces) {
    const double height = f.n.dot(x) - f.offset;
    if (height > 0 && over_face(p, f, x)) return {height, f.n, Matrix3d::Zero()};
    if (height > out.f) out = {height, f.n, Matrix3d::Zero()};
  }
  if (out.f <= 0) return out;
  // outside, over no face: an edge or a vertex is nearest
  out.f = std::numeric_limits<double>::infinity();
  const auto nearer = [&](const Distance& d) {
    if (d.f < out.f) out = d;
  };
  for (const Polytope::Edge& e : p.edges)
    nearer(from_segment(p.vertices[static_cast<std::size_t>(e.a)], p.vertices[static_cast<std::size_t>(e.b)], x));
  if (p.edges.empty())
    for (const Vector3d& v : p.vertices) nearer(round_distance(x - v, Matrix3d::Identity()));
  return out;
}

}  // namespace ricochet
