#pragma once
// Shape functions, quadrature and faces of solid elements, in the node order of Gmsh.
//
//   hex8   2 x 2 x 2 Gauss points
//   tet4   one point for stresses, four for the mass
//   tet10  four points for stresses, fifteen (exact to degree 5) for the mass
#include <span>
#include <string>
#include <vector>

#include "ricochet/math/rotation.hpp"
#include "ricochet/math/view.hpp"

namespace ricochet {

enum class ElementKind : std::uint8_t { hex8, tet4, tet10 };
inline constexpr int kMostElementNodes = 10;

struct QuadraturePoint {
  Vector3d xi;
  double weight;
};

struct ElementShape {
  const char* name;
  int nodes;
  std::span<const QuadraturePoint> stress, mass;
  /// Corners of each face, in an order whose normal points out; of tet10 the corners alone.
  std::vector<std::vector<int>> faces;
  /// Nodes in the middle of an edge, and their corners.
  std::vector<std::array<int, 3>> edges;
};
const ElementShape& shape_of(ElementKind kind);

/// N (nodes) and dN/dxi (3 x nodes, column by column) at a point of the reference element.
void shape_functions(ElementKind kind, const Vector3d& xi, double* N, double* dN);

/// dN/dX (3 x nodes) and det dX/dxi at a point; X: 3 x nodes. The gradients are left alone where det is not positive.
double reference_gradients(ElementKind kind, const Vector3d& xi, const double* X, double* gradients);

}  // namespace ricochet
