#pragma once
// A mesh of solid elements with named sets of nodes.
#include <map>
#include <string>
#include <vector>

#include "ricochet/model/element/shapes.hpp"

namespace ricochet {

struct SolidMesh {
  struct Element {
    ElementKind kind;
    int first;   ///< of `connections`
    int number;  ///< as its file has it, or counted from 1
  };
  std::vector<Vector3d> nodes;
  std::vector<int> numbers;  ///< of the nodes, as the file has them; empty: counted from 1
  std::vector<Element> elements;
  std::vector<int> connections;
  std::map<std::string, std::vector<int>> sets;  ///< ascending

  int number_of(int node) const { return numbers.empty() ? node + 1 : numbers[static_cast<std::size_t>(node)]; }
  std::span<const int> nodes_of(const Element& e) const {
    return {connections.data() + e.first, static_cast<std::size_t>(shape_of(e.kind).nodes)};
  }
  void add(ElementKind kind, std::span<const int> own, int number) {
    elements.push_back({kind, static_cast<int>(connections.size()), number});
    connections.insert(connections.end(), own.begin(), own.end());
  }
};

/// A face that belongs to one element alone: its corners, in an order whose normal points out, then the nodes in the
/// middle of its edges, from the first corner to the second and so on.
struct SurfaceFace {
  std::array<int, 6> nodes{};
  int count = 0;  ///< 3, 4, 6
  std::span<const int> all() const { return {nodes.data(), static_cast<std::size_t>(count)}; }
};
/// In the order of the elements.
std::vector<SurfaceFace> surface_faces(const SolidMesh& mesh);
/// Nodes of these faces, ascending.
std::vector<int> surface_nodes(const SolidMesh& mesh);

/// Text of what is wrong (elements that are inverted or without volume, with their numbers, nodes in no element);
/// empty: nothing is.
std::string check_mesh(const SolidMesh& mesh);

/// Least over the elements of how far a corner is from a cube's or a regular tetrahedron's, 1 at best, 0 for flat ones.
struct MeshQuality {
  double least = 1;
  int element = 0;  ///< its number
};
MeshQuality mesh_quality(const SolidMesh& mesh);

/// A block with its centre at the origin, and its node sets: left, right, front, back, bottom, top, surface, all.
struct BoxMesh {
  Vector3d size = Vector3d::Ones();
  std::array<int, 3> elements{1, 1, 1};
  ElementKind kind = ElementKind::hex8;
};
SolidMesh make_box(const BoxMesh& box);

/// A cylinder of hexahedra about z, its centre at the origin; node sets: bottom, top, side, surface, all. Half of the
/// elements across, a multiple of 4, are those of a square in the middle, the others rings about it.
struct CylinderMesh {
  double radius = 1, height = 1;
  int across = 4, along = 1;
};
SolidMesh make_cylinder(const CylinderMesh& cylinder);

}  // namespace ricochet
