#include "ricochet/model/contact/collision_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "ricochet/geometry/collision/revolved.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr double kNear = 1e-3;      ///< of the size: what is as near as this stays a candidate, however slow
constexpr int kSharedShapes = 500;  ///< shapes that are worth a team

/// Least width of a shape.
double thickness(const Polytope& shape) {
  double out = std::numeric_limits<double>::infinity();
  if (shape.half_space()) return out;
  if (shape.revolved()) return thickness_of_revolved(shape);
  for (const Polytope::Face& f : shape.faces) {
    double width = 0;
    for (const Vector3d& v : shape.vertices) width = std::max(width, f.offset - f.n.dot(v));
    if (width > 1e-12 * shape.size) out = std::min(out, width);
  }
  return (std::isfinite(out) ? out : 0) + 2 * shape.radius;
}

/// Under which p sees the triangle of a piece, positive from behind.
double angle_of(const MovingShape& piece, const Vector3d& p) {
  Vector3d r[3];
  for (int k = 0; k < 3; ++k) r[k] = piece.at.x + piece.at.R * piece.shape->vertices[static_cast<std::size_t>(k)] - p;
  const double a = r[0].norm(), b = r[1].norm(), c = r[2].norm();
  return 2 * elementary::atan2(r[0].dot(r[1].cross(r[2])),
                               a * b * c + r[0].dot(r[1]) * c + r[1].dot(r[2]) * a + r[2].dot(r[0]) * b);
}

}  // namespace

double way_of(const MovingShape& then, const MovingShape& now) {
  const double turned = now.shape->half_space() ? 0 : (now.at.R - then.at.R).norm() * now.shape->bound;
  return (now.at.x - then.at.x).norm() + turned;
}

CollidingShapes::CollidingShapes(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes,
                                 CollisionSettings settings)
    : mounts_(mounts), set_(std::move(settings)), planar_(!set_.plane.isZero(0)) {
  if (shapes.size() >= std::size_t{1} << 20)
    throw InputError("collision", "there are more than 1,048,575 shapes; accepted: fewer");
  std::sort(set_.ignored.begin(), set_.ignored.end());
  std::sort(set_.apart.begin(), set_.apart.end());
  keep(std::move(shapes));
  check_numbers();
}

void CollidingShapes::keep(std::vector<CollidingShape> shapes) {
  struct Known {
    const Polytope* shape;
    double thickness;
  };
  std::map<std::tuple<double, double, double, std::size_t>, std::vector<Known>> known;
  shapes_.reserve(shapes.size());
  for (CollidingShape& s : shapes) {
    std::vector<Known>& like = known[{s.shape.bound, s.shape.size, s.shape.radius, s.shape.vertices.size()}];
    // No two triangles of a surface are one.
    auto same = s.shape.piece
                    ? like.end()
                    : std::find_if(like.begin(), like.end(), [&](const Known& k) { return *k.shape == s.shape; });
    if (same == like.end()) {
      pieces_ = pieces_ || s.shape.piece;
      polytopes_.push_back(std::move(s.shape));
      same = like.insert(like.end(), {&polytopes_.back(), thickness(polytopes_.back())});
    }
    shapes_.push_back({s.frame, same->shape, same->thickness, s.material, s.group});
  }
}

void CollidingShapes::check_numbers() const {
  const Polytope* largest = nullptr;
  for (const Polytope& s : polytopes_)
    if (largest == nullptr || s.half_edges.size() > largest->half_edges.size()) largest = &s;
  if (largest != nullptr && !can_number(*largest, *largest))
    throw InputError("collision", fmt::format("a shape has {} edges, more than two shapes can be told apart by; "
                                              "accepted: some 100",
                                              largest->edges.size()));
}

bool CollidingShapes::may_meet(int a, int b) const {
  const Kept &A = (*this)[a], &B = (*this)[b];
  if (A.frame.mount == B.frame.mount || law(a, b) == nullptr) return false;
  const auto listed = [](const std::vector<std::pair<int, int>>& list, int x, int y) {
    return !list.empty() && std::binary_search(list.begin(), list.end(), std::pair(std::min(x, y), std::max(x, y)));
  };
  return !listed(set_.ignored, A.frame.mount, B.frame.mount) && !listed(set_.apart, A.group, B.group);
}

void CollidingShapes::place(const Point& at, Crew* crew, std::vector<MovingShape>& out) const {
  out.resize(shapes_.size());
  share(crew, count(), kSharedShapes, [&](int begin, int end) {
    int last = -1;
    Pose pose;
    Twist twist;
    for (int i = begin; i < end; ++i) {
      const Kept& s = (*this)[i];
      if (s.frame.mount != last) {
        const Mount& m = mount(i);
        last = s.frame.mount;
        pose = {};
        twist = {};
        if (m.subsystem != nullptr) {
          pose = m.subsystem->pose(m.id, at.q.segment(m.first_q, m.subsystem->nq()));
          pose.q = at.q.segment(m.first_q, m.subsystem->nq());
          if (at.v.size() > 0) twist = m.subsystem->twist(m.id, pose, at.v.segment(m.first_v, m.subsystem->nv()));
        }
      }
      PlacedFrame frame(pose, s.frame);
      if (planar_) into_plane(frame);
      out[static_cast<std::size_t>(i)] = {
          s.shape, {frame.x(), frame.R}, twist.v + twist.omega.cross(frame.arm), twist.omega};
    }
  });
}

void CollidingShapes::reaches(const std::vector<MovingShape>& moving, double h, std::vector<double>& out) const {
  out.resize(moving.size());
  for (int i = 0; i < count(); ++i) {
    const MovingShape& s = moving[static_cast<std::size_t>(i)];
    const bool still = mount(i).subsystem == nullptr;
    out[static_cast<std::size_t>(i)] =
        still ? 0
              : h * (s.v.norm() + s.omega.norm() * s.shape->bound) + h * h * set_.acceleration + kNear * s.shape->size;
  }
}

bool CollidingShapes::moved(const std::vector<MovingShape>& then, const std::vector<MovingShape>& now) const {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i].shape->half_space()) continue;
    if (way_of(then[i], now[i]) > 0.1 * kNear * now[i].shape->size) return true;
  }
  return false;
}

Bounds CollidingShapes::bounds(const MovingShape& s, double reach) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Bounds out{Vector3d::Constant(kInfinite), Vector3d::Constant(-kInfinite)};
  if (s.shape->half_space()) {
    std::swap(out.low, out.high);
    const Vector3d n = s.at.R * s.shape->faces[0].n;
    const double offset = s.shape->faces[0].offset + n.dot(s.at.x) + reach;
    for (Index k = 0; k < 3; ++k) {
      if (n[k] == 1) out.high[k] = offset;
      if (n[k] == -1) out.low[k] = -offset;
    }
    return out;
  }
  for (const Vector3d& v : s.shape->vertices) {
    const Vector3d x = s.at.x + s.at.R * v;
    out.low = out.low.cwiseMin(x), out.high = out.high.cwiseMax(x);
  }
  for (const Polytope::Rim& rim : s.shape->rims) {
    const auto [low, high] = rim_bounds(rim, s.at);
    out.low = out.low.cwiseMin(low), out.high = out.high.cwiseMax(high);
  }
  out.low.array() -= s.shape->radius + reach;
  out.high.array() += s.shape->radius + reach;
  return out;
}

const std::vector<BroadPhase::Pair>& CollidingShapes::near(const std::vector<MovingShape>& moving,
                                                           const std::vector<double>& reach, Crew* crew) const {
  thread_local std::vector<Bounds> all;
  thread_local BroadPhase broad;
  std::vector<Bounds>& boxes = all;  // that of the caller, whoever fills it
  boxes.resize(moving.size());
  share(crew, count(), kSharedShapes, [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      boxes[static_cast<std::size_t>(i)] =
          bounds(moving[static_cast<std::size_t>(i)], reach[static_cast<std::size_t>(i)]);
  });
  return broad.pairs(boxes, crew);
}

std::vector<Overlap> CollidingShapes::overlaps(ConstView q, double tolerance) const {
  std::vector<MovingShape> moving;
  const VectorXd still = VectorXd::Zero(q.size());
  place({0, q, still}, nullptr, moving);
  const std::vector<double> reach(shapes_.size(), 0.0);
  std::vector<Overlap> out;
  for (const auto& [a, b] : near(moving, reach, nullptr)) {
    if (!may_meet(a, b)) continue;
    const MovingShape &A = moving[static_cast<std::size_t>(a)], &B = moving[static_cast<std::size_t>(b)];
    if (const double gap = separation(*A.shape, A.at, *B.shape, B.at); gap < -tolerance)
      out.push_back({(*this)[a].frame.mount, (*this)[b].frame.mount, -gap});
  }
  if (!planar_) add_buried(moving, out);
  std::stable_sort(out.begin(), out.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return out;
}

/// Shapes that a closed surface of triangles surrounds: none of its pieces touches them. 4 pi is the angle under which
/// a point inside sees the surface, at most half of it one that is not closed.
void CollidingShapes::add_buried(const std::vector<MovingShape>& moving, std::vector<Overlap>& out) const {
  std::map<int, std::vector<int>> surfaces;  // pieces by mount
  for (int k = 0; k < count(); ++k)
    if ((*this)[k].shape->piece) surfaces[(*this)[k].frame.mount].push_back(k);
  for (const auto& [mount, pieces] : surfaces)
    for (int b = 0; b < count(); ++b) {
      const MovingShape& B = moving[static_cast<std::size_t>(b)];
      if (B.shape->half_space() || (*this)[b].frame.mount == mount || !may_meet(pieces.front(), b)) continue;
      const Vector3d p = B.shape->vertices.empty() ? B.at.x : Vector3d(B.at.x + B.at.R * B.shape->vertices[0]);
      double angle = 0;
      for (const int k : pieces) angle += angle_of(moving[static_cast<std::size_t>(k)], p);
      if (angle < 3 * std::numbers::pi) continue;
      double depth = std::numeric_limits<double>::infinity();
      for (const int k : pieces) {
        const MovingShape& A = moving[static_cast<std::size_t>(k)];
        depth = std::min(depth, std::abs(separation(*A.shape, A.at, *B.shape, B.at)));
      }
      out.push_back({mount, (*this)[b].frame.mount, depth});
    }
}

double CollidingShapes::least_size() const {
  std::map<int, double> sizes;  // by mount
  for (int i = 0; i < count(); ++i) {
    if (mount(i).subsystem == nullptr) continue;
    const Polytope& s = *(*this)[i].shape;
    double& size = sizes[(*this)[i].frame.mount];
    size = std::max(size, s.piece ? 2 * s.bound : s.size);
  }
  double out = 0;
  for (const auto& [mount, size] : sizes)
    if (size > 0 && (out == 0 || size < out)) out = size;
  return out;
}

}  // namespace ricochet
