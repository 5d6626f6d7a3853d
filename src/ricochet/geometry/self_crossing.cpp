#include "ricochet/geometry/self_crossing.hpp"

#include <algorithm>
#include <numeric>

namespace ricochet {
namespace {

constexpr double kTouching = 1e-9;  // of a triangle's height, or of its extent: so near its border it is touched

/// Boxes of triangles in halves of halves, each half of the tree against itself and the other.
class Crossings {
 public:
  explicit Crossings(const TriangleMesh& mesh) : mesh_(mesh), order_(mesh.triangles.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    nodes_.reserve(2 * order_.size());
    build(0, static_cast<int>(order_.size()));
  }
  std::optional<Vector3d> find() const { return order_.size() < 2 ? std::nullopt : within(0); }

 private:
  using Box = Eigen::AlignedBox3d;
  struct Node {
    Box box;
    int begin = 0, end = 0, left = -1, right = -1;
  };
  static constexpr int kLeaf = 8;

  const Vector3d& point(int triangle, int corner) const {
    const auto& t = mesh_.triangles[static_cast<std::size_t>(triangle)];
    return mesh_.points[static_cast<std::size_t>(t[static_cast<std::size_t>(corner)])];
  }
  Vector3d middle(int triangle) const { return point(triangle, 0) + point(triangle, 1) + point(triangle, 2); }

  int build(int begin, int end) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back({{}, begin, end, -1, -1});
    Box box, middles;
    for (int k = begin; k < end; ++k) {
      const int triangle = order_[static_cast<std::size_t>(k)];
      for (int corner = 0; corner < 3; ++corner) box.extend(point(triangle, corner));
      middles.extend(middle(triangle));
    }
    nodes_[static_cast<std::size_t>(index)].box = box;
    if (end - begin <= kLeaf) return index;
    Eigen::Index axis = 0;
    middles.sizes().maxCoeff(&axis);
    const int half = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                     [&](int a, int b) { return middle(a)[axis] < middle(b)[axis]; });
    const int left = build(begin, half), right = build(half, end);
    nodes_[static_cast<std::size_t>(index)].left = left;
    nodes_[static_cast<std::size_t>(index)].right = right;
    return index;
  }

  std::optional<Vector3d> within(int index) const {
    const Node& n = nodes_[static_cast<std::size_t>(index)];
    if (n.left < 0) return triangles(n, n);
    if (auto at = within(n.left)) return at;
    if (auto at = within(n.right)) return at;
    return between(n.left, n.right);
  }

  std::optional<Vector3d> between(int i, int j) const {
    const Node &a = nodes_[static_cast<std::size_t>(i)], &b = nodes_[static_cast<std::size_t>(j)];
    if (!a.box.intersects(b.box)) return {};
    if (a.left < 0 && b.left < 0) return triangles(a, b);
    const bool first = b.left < 0 || (a.left >= 0 && a.end - a.begin > b.end - b.begin);
    for (const int half : first ? std::array{a.left, a.right} : std::array{b.left, b.right})
      if (auto at = first ? between(half, j) : between(i, half)) return at;
    return {};
  }

  std::optional<Vector3d> triangles(const Node& a, const Node& b) const {
    for (int i = a.begin; i < a.end; ++i)
      for (int j = &a == &b ? i + 1 : b.begin; j < b.end; ++j) {
        const int x = order_[static_cast<std::size_t>(i)], y = order_[static_cast<std::size_t>(j)];
        if (auto at = pierced(x, y)) return at;
        if (auto at = pierced(y, x)) return at;
      }
    return {};
  }

  /// Where an edge of the first passes through the second.
  std::optional<Vector3d> pierced(int edges, int through) const {
    const Vector3d &a = point(through, 0), ab = point(through, 1) - a, ac = point(through, 2) - a, n = ab.cross(ac);
    const double slack = kTouching * std::max(ab.norm(), ac.norm()) * n.norm();
    for (int corner = 0; corner < 3; ++corner) {
      const Vector3d &p = point(edges, corner), &q = point(edges, (corner + 1) % 3);
      const double from = n.dot(p - a), to = n.dot(q - a);
      if (!(std::min(from, to) < -slack && std::max(from, to) > slack)) continue;
      const Vector3d at = p + (q - p) * (from / (from - to)), from_a = at - a;
      const double v = from_a.cross(ac).dot(n) / n.squaredNorm(), w = ab.cross(from_a).dot(n) / n.squaredNorm();
      if (v > kTouching && w > kTouching && v + w < 1 - kTouching) return at;
    }
    return {};
  }

  const TriangleMesh& mesh_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<Vector3d> self_crossing(const TriangleMesh& mesh) { return Crossings(mesh).find(); }

}  // namespace ricochet
