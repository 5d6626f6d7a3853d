#include "ricochet/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>

namespace ricochet {
namespace {

constexpr double kOne = 1e-9;    ///< of the size: corners that are one
constexpr double kFlat = 1e-12;  ///< of the square of the size: an area that is none
constexpr double kSlope = 0.25;  ///< of the radius of the circle in a triangle: height of the pyramid behind it

using Border = std::pair<int, int>;
Border border(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

Vector3d corner(const TriangleMesh& mesh, const std::array<int, 3>& t, int k) {
  return mesh.points[static_cast<std::size_t>(t[static_cast<std::size_t>(k % 3)])];
}
Vector3d twice_area(const TriangleMesh& mesh, const std::array<int, 3>& t) {
  const Vector3d a = corner(mesh, t, 0);
  return (corner(mesh, t, 1) - a).cross(corner(mesh, t, 2) - a);
}

class Repair {
 public:
  explicit Repair(TriangleMesh& mesh) : mesh_(mesh) {}

  MeshRepair run() {
    measure();
    join();
    drop();
    find_borders();
    turn();
    return out_;
  }

 private:
  void measure() {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Vector3d low = Vector3d::Constant(kFar), high = -low;
    for (const Vector3d& x : mesh_.points) low = low.cwiseMin(x), high = high.cwiseMax(x);
    out_.size = mesh_.points.empty() ? 0 : (high - low).maxCoeff();
  }
  /// Corners within kOne of another, along x first.
  void join() {
    const std::size_t n = mesh_.points.size();
    std::vector<int> order(n), same(n);
    std::iota(order.begin(), order.end(), 0);
    std::iota(same.begin(), same.end(), 0);
    const auto at = [&](int i) -> const Vector3d& { return mesh_.points[static_cast<std::size_t>(i)]; };
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      return std::lexicographical_compare(at(a).begin(), at(a).end(), at(b).begin(), at(b).end());
    });
    const double near = kOne * out_.size;
    for (std::size_t i = 0; i < n; ++i) {
      if (same[static_cast<std::size_t>(order[i])] != order[i]) continue;
      for (std::size_t j = i + 1; j < n && at(order[j]).x() - at(order[i]).x() <= near; ++j)
        if (int& s = same[static_cast<std::size_t>(order[j])];
            s == order[j] && (at(order[j]) - at(order[i])).norm() <= near)
          s = order[i], ++out_.joined;
    }
    std::vector<int> number(n, -1);
    std::vector<Vector3d> kept;
    for (std::size_t i = 0; i < n; ++i)
      if (same[i] == static_cast<int>(i)) number[i] = static_cast<int>(kept.size()), kept.push_back(mesh_.points[i]);
    for (auto& t : mesh_.triangles)
      for (int& v : t) v = number[static_cast<std::size_t>(same[static_cast<std::size_t>(v)])];
    mesh_.points = std::move(kept);
  }
  void drop() {
    std::map<std::array<int, 3>, int> known;
    std::vector<std::array<int, 3>> kept;
    for (const auto& t : mesh_.triangles) {
      if (!(twice_area(mesh_, t).norm() > kFlat * out_.size * out_.size)) {
        ++out_.flat;
        continue;
      }
      std::array<int, 3> sorted = t;
      std::sort(sorted.begin(), sorted.end());
      if (!known.emplace(sorted, 0).second) {
        ++out_.twice;
        continue;
      }
      kept.push_back(t);
    }
    mesh_.triangles = std::move(kept);
  }
  void find_borders() {
    for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& v = mesh_.triangles[static_cast<std::size_t>(t)];
        sides_[border(v[k], v[(k + 1) % 3])].push_back(t);
      }
    for (const auto& [ends, of] : sides_) {
      if (of.size() == 1 && out_.open++ == 0)
        out_.hole = 0.5 * (mesh_.points[static_cast<std::size_t>(ends.first)] +
                           mesh_.points[static_cast<std::size_t>(ends.second)]);
      if (of.size() > 2) ++out_.crowded;
    }
  }
  bool runs(int t, int a, int b) const {
    const auto& v = mesh_.triangles[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k)
      if (v[k] == a && v[(k + 1) % 3] == b) return true;
    return false;
  }
  void flip(int t) {
    auto& v = mesh_.triangles[static_cast<std::size_t>(t)];
    std::swap(v[1], v[2]);
  }
  struct Part {
    std::vector<int> triangles;
    bool closed = true;
    double volume = 0;  ///< six times
    int turned = 0;
    Vector3d low, high;
    bool within(const Part& o) const {
      return (low.array() > o.low.array()).all() && (high.array() < o.high.array()).all();
    }
  };
  /// Each part from its first triangle on. A closed one looks outwards, unless it is a cavity of another; an open one
  /// as most of it did.
  void turn() {
    std::vector<signed char> seen(mesh_.triangles.size(), 0);  // 1: as it was, -1: turned
    std::vector<Part> parts;
    for (int first = 0; first < static_cast<int>(seen.size()); ++first)
      if (seen[static_cast<std::size_t>(first)] == 0) parts.push_back(walk(first, seen));
    for (const Part& p : parts) {
      const int count = static_cast<int>(p.triangles.size());
      const bool cavity = std::any_of(parts.begin(), parts.end(), [&](const Part& o) { return p.within(o); });
      const bool inwards = p.closed && !cavity ? p.volume < 0 : 2 * p.turned > count;
      if (inwards)
        for (const int t : p.triangles) flip(t);
      out_.turned += inwards ? count - p.turned : p.turned;
    }
  }
  Part walk(int first, std::vector<signed char>& seen) {
    Part out;
    std::vector<int>& all = out.triangles;
    all.push_back(first);
    seen[static_cast<std::size_t>(first)] = 1;
    for (std::size_t i = 0; i < all.size(); ++i) out.closed = visit(all[i], seen, all) && out.closed;
    out.low = Vector3d::Constant(std::numeric_limits<double>::infinity()), out.high = -out.low;
    for (const int t : all) {
      const auto& v = mesh_.triangles[static_cast<std::size_t>(t)];
      out.volume += corner(mesh_, v, 0).dot(corner(mesh_, v, 1).cross(corner(mesh_, v, 2)));
      out.turned += seen[static_cast<std::size_t>(t)] < 0;
      for (int k = 0; k < 3; ++k)
        out.low = out.low.cwiseMin(corner(mesh_, v, k)), out.high = out.high.cwiseMax(corner(mesh_, v, k));
    }
    return out;
  }
  /// Turns the neighbours of a triangle as it looks; whether it has one on each side.
  bool visit(int t, std::vector<signed char>& seen, std::vector<int>& part) {
    bool closed = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto v = mesh_.triangles[static_cast<std::size_t>(t)];
      const int a = v[k], b = v[(k + 1) % 3];
      const std::vector<int>& of = sides_[border(a, b)];
      closed = closed && of.size() == 2;
      if (of.size() != 2) continue;
      const int other = of[0] == t ? of[1] : of[0];
      signed char& state = seen[static_cast<std::size_t>(other)];
      const bool against = runs(other, a, b);
      if (state == 0) {
        if (against) flip(other);
        state = against ? -1 : 1;
        part.push_back(other);
      } else if (against) {
        out_.one_sided = true;
      }
    }
    return closed;
  }

  TriangleMesh& mesh_;
  MeshRepair out_;
  std::map<Border, std::vector<int>> sides_;
};

}  // namespace

MeshRepair repair(TriangleMesh& mesh) { return Repair(mesh).run(); }

MassProperties solid_within(const TriangleMesh& mesh) {
  SolidMoments all;
  for (const auto& t : mesh.triangles) add_tetrahedron(corner(mesh, t, 0), corner(mesh, t, 1), corner(mesh, t, 2), all);
  return solid_of(all);
}

std::vector<Polytope> make_spikes(const TriangleMesh& mesh) {
  std::vector<Polytope> out;
  out.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const Vector3d a = corner(mesh, t, 0), b = corner(mesh, t, 1), c = corner(mesh, t, 2), area = twice_area(mesh, t);
    const double around = (b - a).norm() + (c - b).norm() + (a - c).norm(), circle = area.norm() / around;
    // the centre of the circle in it: as far from all sides
    const Vector3d middle = ((c - b).norm() * a + (a - c).norm() * b + (b - a).norm() * c) / around;
    out.push_back(make_tetrahedron(a, b, c, middle - kSlope * circle * area.normalized()));
  }
  return out;
}

}  // namespace ricochet
