#pragma once
// Inside of model/subsystem: the elements of a solid, their quadrature, and where they add themselves.
#include "ricochet/model/element/mesh.hpp"
#include "ricochet/model/element/solid.hpp"
#include "ricochet/model/subsystem/node_matrix.hpp"

namespace ricochet {

/// Quadrature of all elements, and where they add themselves.
class SolidElements {
 public:
  using Local = std::array<double, std::size_t{3} * kMostElementNodes>;
  using LocalMatrix = std::array<double, std::size_t{9} * kMostElementNodes * kMostElementNodes>;

  SolidElements(const SolidMesh& mesh, const SolidMaterial& material, const std::vector<int>& free_of)
      : material_(material) {
    for (const auto& e : mesh.elements) {
      Local X;
      const auto nodes = mesh.nodes_of(e);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        Eigen::Map<Vector3d>(X.data() + 3 * a) = mesh.nodes[static_cast<std::size_t>(nodes[a])];
        free_.push_back(free_of[static_cast<std::size_t>(nodes[a])]);
      }
      const ElementShape& shape = shape_of(e.kind);
      at_.push_back(
          {e.kind, shape.nodes, static_cast<int>(free_.size() - nodes.size()), gradients_.size(), volumes_.size(), 0});
      for (const QuadraturePoint& p : shape.stress) {
        Local n;
        const double det = reference_gradients(e.kind, p.xi, X.data(), n.data());
        volumes_.push_back(det * p.weight);
        gradients_.insert(gradients_.end(), n.begin(), n.begin() + 3 * shape.nodes);
      }
    }
  }
  void find_places(const NodePairs& pairs) {
    for (At& e : at_) {
      e.places = places_.size();
      for (const int i : nodes(e))
        for (const int j : nodes(e)) places_.push_back(i >= 0 && j >= 0 ? pairs.find(i, j) : -1);
    }
  }
  std::size_t size() const { return at_.size(); }
  SolidElement operator[](std::size_t e) const {
    const At& at = at_[e];
    return {at.kind, material_, {gradients_.data() + at.gradients, volumes_.data() + at.volumes}};
  }
  std::span<const int> nodes(std::size_t e) const { return nodes(at_[e]); }
  /// Displacements of the nodes of an element; 0 where they are clamped.
  void gather(std::size_t e, ConstView q, double* u) const {
    for (const int i : nodes(at_[e])) {
      for (int r = 0; r < 3; ++r) u[r] = i < 0 ? 0 : q[3 * i + r];
      u += 3;
    }
  }
  void scatter(std::size_t e, const double* f, View y) const {
    for (const int i : nodes(at_[e])) {
      for (int r = 0; r < 3 && i >= 0; ++r) y[3 * i + r] += f[r];
      f += 3;
    }
  }
  /// K over the element's coordinates, column by column, into blocks by pairs, row by row.
  void scatter_matrix(std::size_t e, const double* K, double* blocks) const {
    const At& at = at_[e];
    const int n = at.nodes;
    const int* place = places_.data() + at.places;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b, ++place) {
        if (*place < 0) continue;
        double* block = blocks + 9 * std::ptrdiff_t{*place};
        for (int r = 0; r < 3; ++r)
          for (int t = 0; t < 3; ++t) block[3 * r + t] += K[3 * a + r + 3 * n * (3 * b + t)];
      }
  }

 private:
  struct At {
    ElementKind kind;
    int nodes, first;
    std::size_t gradients, volumes, places;
  };
  std::span<const int> nodes(const At& e) const { return {free_.data() + e.first, static_cast<std::size_t>(e.nodes)}; }
  const SolidMaterial& material_;
  std::vector<At> at_;
  std::vector<int> free_;  // nodes of the elements, -1: clamped
  std::vector<double> gradients_, volumes_;
  std::vector<int> places_;
};

/// Mass between the nodes of an element over density.
Eigen::Matrix<double, kMostElementNodes, kMostElementNodes> element_mass(const SolidMesh& mesh,
                                                                         const SolidMesh::Element& e);

}  // namespace ricochet
