#include "ricochet/model/element/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

using Corners = Eigen::Matrix<double, 3, kMostElementNodes>;

Corners gather(const SolidMesh& mesh, const SolidMesh::Element& e) {
  Corners X;
  Index a = 0;
  for (const int n : mesh.nodes_of(e)) X.col(a++) = mesh.nodes[static_cast<std::size_t>(n)];
  return X;
}

/// det dX/dxi at corner and centre; the least of the corners, over the product of the edges' lengths there.
double corner_quality(const SolidMesh& mesh, const SolidMesh::Element& e) {
  static constexpr std::array<std::array<int, 4>, 8> hex{
      {{0, 1, 3, 4}, {1, 2, 0, 5}, {2, 3, 1, 6}, {3, 0, 2, 7}, {4, 7, 5, 0}, {5, 4, 6, 1}, {6, 5, 7, 2}, {7, 6, 4, 3}}};
  static constexpr std::array<std::array<int, 4>, 4> tet{{{0, 1, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {3, 0, 2, 1}}};
  const Corners X = gather(mesh, e);
  const bool cube = e.kind == ElementKind::hex8;
  double least = 1;
  const auto look = [&](const std::array<int, 4>& c) {
    const Vector3d a = X.col(c[1]) - X.col(c[0]), b = X.col(c[2]) - X.col(c[0]), d = X.col(c[3]) - X.col(c[0]);
    const double volume = a.dot(b.cross(d)), edges = a.norm() * b.norm() * d.norm();
    least = std::min(least, edges > 0 ? volume / edges * (cube ? 1 : std::numbers::sqrt2) : 0);
  };
  for (const auto& c : hex)
    if (cube) look(c);
  for (const auto& c : tet)
    if (!cube) look(c);
  return least;
}

void add_unique(std::vector<int>& set) {
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

/// Adds nodes in the middle of edges, each once.
class Edges {
 public:
  explicit Edges(SolidMesh& mesh) : mesh_(mesh) {}
  int middle(int a, int b) {
    const auto key = std::minmax(a, b);
    const auto [found, fresh] = known_.try_emplace(key, static_cast<int>(mesh_.nodes.size()));
    if (fresh) {
      const auto& nodes = mesh_.nodes;
      mesh_.nodes.push_back((nodes[static_cast<std::size_t>(a)] + nodes[static_cast<std::size_t>(b)]) / 2);
      for (auto& [name, set] : mesh_.sets) {
        if (std::binary_search(set.begin(), set.end(), a) && std::binary_search(set.begin(), set.end(), b))
          later_[name].push_back(found->second);
      }
    }
    return found->second;
  }
  void finish() {
    for (auto& [name, more] : later_) mesh_.sets[name].insert(mesh_.sets[name].end(), more.begin(), more.end());
  }

 private:
  SolidMesh& mesh_;
  std::map<std::pair<int, int>, int> known_;
  std::map<std::string, std::vector<int>> later_;
};

/// Hexahedra as six tetrahedra each, about the diagonal from corner 0 to corner 6: neighbours agree on their faces as
/// long as all hexahedra lie alike.
void cut(SolidMesh& mesh, ElementKind kind) {
  if (kind == ElementKind::hex8) return;
  static constexpr std::array<std::array<int, 4>, 6> tets{
      {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
  SolidMesh out;
  out.nodes = mesh.nodes;
  out.sets = mesh.sets;
  Edges edges(out);
  for (const auto& e : mesh.elements)
    for (const auto& t : tets) {
      std::array<int, 10> nodes;
      for (std::size_t i = 0; i < 4; ++i) nodes[i] = mesh.nodes_of(e)[static_cast<std::size_t>(t[i])];
      if (kind == ElementKind::tet10)
        for (const auto& [m, a, b] : shape_of(kind).edges)
          nodes[static_cast<std::size_t>(m)] =
              edges.middle(nodes[static_cast<std::size_t>(a)], nodes[static_cast<std::size_t>(b)]);
      out.add(kind, {nodes.data(), static_cast<std::size_t>(shape_of(kind).nodes)},
              static_cast<int>(out.elements.size()) + 1);
    }
  edges.finish();
  mesh = std::move(out);
}

void add_common_sets(SolidMesh& mesh) {
  mesh.sets["surface"] = surface_nodes(mesh);
  std::vector<int>& all = mesh.sets["all"];
  all.clear();
  for (int i = 0; i < static_cast<int>(mesh.nodes.size()); ++i) all.push_back(i);
}

}  // namespace

std::vector<SurfaceFace> surface_faces(const SolidMesh& mesh) {
  std::map<std::array<int, 4>, int> known;  // sorted corners: place among the faces; -1: shared
  std::vector<SurfaceFace> all;
  for (const auto& e : mesh.elements) {
    const ElementShape& shape = shape_of(e.kind);
    const auto nodes = mesh.nodes_of(e);
    for (const auto& face : shape.faces) {
      SurfaceFace own;
      std::array<int, 4> corners{-1, -1, -1, -1};
      const std::size_t n = face.size();
      for (std::size_t k = 0; k < n; ++k) corners[k] = own.nodes[k] = nodes[static_cast<std::size_t>(face[k])];
      own.count = static_cast<int>(n);
      for (std::size_t k = 0; k < n && !shape.edges.empty(); ++k)
        for (const auto& [m, a, b] : shape.edges)
          if (std::minmax(a, b) == std::minmax(face[k], face[(k + 1) % n]))
            own.nodes[static_cast<std::size_t>(own.count++)] = nodes[static_cast<std::size_t>(m)];
      std::sort(corners.begin(), corners.end());
      const auto [found, fresh] = known.try_emplace(corners, static_cast<int>(all.size()));
      if (fresh) {
        all.push_back(own);
      } else if (found->second >= 0) {
        all[static_cast<std::size_t>(found->second)].count = 0;
        found->second = -1;
      }
    }
  }
  std::erase_if(all, [](const SurfaceFace& f) { return f.count == 0; });
  return all;
}

std::vector<int> surface_nodes(const SolidMesh& mesh) {
  std::vector<int> out;
  for (const SurfaceFace& f : surface_faces(mesh)) out.insert(out.end(), f.all().begin(), f.all().end());
  add_unique(out);
  return out;
}

std::string check_mesh(const SolidMesh& mesh) {
  if (mesh.elements.empty())
    return "there is no solid element; accepted: hexahedra with 8 nodes, tetrahedra with 4 or 10";
  std::vector<char> used(mesh.nodes.size(), 0);
  std::vector<int> bad;
  for (const auto& e : mesh.elements) {
    for (const int n : mesh.nodes_of(e)) used[static_cast<std::size_t>(n)] = 1;
    const Corners X = gather(mesh, e);
    std::array<double, std::size_t{3} * kMostElementNodes> ignored;
    bool positive = true;
    for (const auto* rule : {&shape_of(e.kind).stress, &shape_of(e.kind).mass})
      for (const QuadraturePoint& p : *rule)
        positive = positive && reference_gradients(e.kind, p.xi, X.data(), ignored.data()) > 0;
    if (!positive || !(corner_quality(mesh, e) > 0)) bad.push_back(e.number);
  }
  if (!bad.empty()) {
    std::string which;
    for (std::size_t i = 0; i < std::min<std::size_t>(bad.size(), 5); ++i)
      which += fmt::format("{}{}", i > 0 ? ", " : "", bad[i]);
    return fmt::format("element{} {}{} inverted or without volume; accepted: elements whose corners are all convex",
                       bad.size() > 1 ? "s" : "", which,
                       bad.size() > 5 ? fmt::format(" and {} more are", bad.size() - 5)
                                      : std::string(bad.size() > 1 ? " are" : " is"));
  }
  const auto loose = std::find(used.begin(), used.end(), 0);
  if (loose != used.end())
    return fmt::format("node {} belongs to no element, as {} of all do; accepted: meshes whose nodes are all used",
                       mesh.number_of(static_cast<int>(loose - used.begin())), std::count(used.begin(), used.end(), 0));
  return {};
}

MeshQuality mesh_quality(const SolidMesh& mesh) {
  MeshQuality out;
  for (const auto& e : mesh.elements)
    if (const double q = corner_quality(mesh, e); q < out.least) out = {q, e.number};
  return out;
}

SolidMesh make_box(const BoxMesh& box) {
  SolidMesh mesh;
  const auto [nx, ny, nz] = box.elements;
  const auto node = [&](int i, int j, int k) { return i + (nx + 1) * (j + (ny + 1) * k); };
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        // symmetric about the centre to the last bit
        const auto at = [](int a, int n) { return static_cast<double>(2 * a - n) / (2 * n); };
        mesh.nodes.emplace_back(box.size.x() * at(i, nx), box.size.y() * at(j, ny), box.size.z() * at(k, nz));
        const int n = node(i, j, k);
        const auto put = [&](bool in, const char* name) {
          if (in) mesh.sets[name].push_back(n);
        };
        put(i == 0, "left");
        put(i == nx, "right");
        put(j == 0, "front");
        put(j == ny, "back");
        put(k == 0, "bottom");
        put(k == nz, "top");
      }
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const std::array<int, 8> nodes{
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        mesh.add(ElementKind::hex8, nodes, static_cast<int>(mesh.elements.size()) + 1);
      }
  cut(mesh, box.kind);
  add_common_sets(mesh);
  return mesh;
}

namespace {

/// A disc of quadrilaterals: a square in the middle, rings of its perimeter about it.
struct Disc {
  std::vector<Vector3d> points;
  std::vector<std::array<int, 4>> quads;
  std::vector<char> edge;  ///< by point
};

Disc make_disc(double radius, int across) {
  const int m = across / 2, rings = across / 4;
  const auto at = [m](int i, int j) { return i + (m + 1) * j; };
  Disc out;
  constexpr double kSquare = 0.55, kRound = 0.12;  // of the radius: half the square's side, and how far its sides bulge
  for (int j = 0; j <= m; ++j)
    for (int i = 0; i <= m; ++i) {
      const double x = static_cast<double>(2 * i - m) / m, y = static_cast<double>(2 * j - m) / m;
      out.points.emplace_back(radius * x * (kSquare + kRound * (1 - y * y)),
                              radius * y * (kSquare + kRound * (1 - x * x)), 0);
    }
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i) out.quads.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
  // counter-clockwise about the square, from its lower left corner
  std::vector<int> before;
  for (int i = 0; i < m; ++i) before.push_back(at(i, 0));
  for (int j = 0; j < m; ++j) before.push_back(at(m, j));
  for (int i = m; i > 0; --i) before.push_back(at(i, m));
  for (int j = m; j > 0; --j) before.push_back(at(0, j));
  const std::vector<int> square = before;
  const auto count = static_cast<int>(square.size());
  for (int ring = 1; ring <= rings; ++ring) {
    std::vector<int> now;
    const double part = static_cast<double>(ring) / rings;
    for (int k = 0; k < count; ++k) {
      const double angle = (2.0 * k / count - 0.75) * std::numbers::pi;
      const Vector3d circle(radius * elementary::cos(angle), radius * elementary::sin(angle), 0);
      now.push_back(static_cast<int>(out.points.size()));
      out.points.push_back((1 - part) * out.points[static_cast<std::size_t>(square[static_cast<std::size_t>(k)])] +
                           part * circle);
    }
    for (int k = 0; k < count; ++k) {
      const auto a = static_cast<std::size_t>(k), b = static_cast<std::size_t>((k + 1) % count);
      out.quads.push_back({before[b], before[a], now[a], now[b]});
    }
    before = now;
  }
  out.edge.assign(out.points.size(), 0);
  for (const int n : before) out.edge[static_cast<std::size_t>(n)] = 1;
  return out;
}

}  // namespace

SolidMesh make_cylinder(const CylinderMesh& c) {
  const Disc disc = make_disc(c.radius, c.across);
  const auto layer = static_cast<int>(disc.points.size());
  SolidMesh mesh;
  for (int k = 0; k <= c.along; ++k)
    for (int n = 0; n < layer; ++n) {
      const Vector3d& x = disc.points[static_cast<std::size_t>(n)];
      mesh.nodes.emplace_back(x.x(), x.y(), c.height * (static_cast<double>(2 * k - c.along) / (2 * c.along)));
      const int own = k * layer + n;
      if (k == 0) mesh.sets["bottom"].push_back(own);
      if (k == c.along) mesh.sets["top"].push_back(own);
      if (disc.edge[static_cast<std::size_t>(n)] != 0) mesh.sets["side"].push_back(own);
    }
  for (int k = 0; k < c.along; ++k)
    for (const auto& q : disc.quads) {
      std::array<int, 8> nodes;
      for (std::size_t a = 0; a < 4; ++a) {
        nodes[a] = q[a] + k * layer;
        nodes[a + 4] = q[a] + (k + 1) * layer;
      }
      mesh.add(ElementKind::hex8, nodes, static_cast<int>(mesh.elements.size()) + 1);
    }
  add_common_sets(mesh);
  return mesh;
}

}  // namespace ricochet
