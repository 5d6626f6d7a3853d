#include "ricochet/model/subsystem/solid_elements.hpp"

namespace ricochet {

Eigen::Matrix<double, kMostElementNodes, kMostElementNodes> element_mass(const SolidMesh& mesh,
                                                                         const SolidMesh::Element& e) {
  const ElementShape& shape = shape_of(e.kind);
  Eigen::Matrix<double, kMostElementNodes, kMostElementNodes> M;
  M.setZero();
  Eigen::Matrix<double, 3, kMostElementNodes> X;
  Index a = 0;
  for (const int n : mesh.nodes_of(e)) X.col(a++) = mesh.nodes[static_cast<std::size_t>(n)];
  for (const QuadraturePoint& p : shape.mass) {
    std::array<double, kMostElementNodes> N;
    SolidElements::Local dN, gradients;
    shape_functions(e.kind, p.xi, N.data(), dN.data());
    const double volume = p.weight * reference_gradients(e.kind, p.xi, X.data(), gradients.data());
    for (int i = 0; i < shape.nodes; ++i)
      for (int j = 0; j < shape.nodes; ++j)
        M(i, j) += volume * N[static_cast<std::size_t>(i)] * N[static_cast<std::size_t>(j)];
  }
  return M;
}

}  // namespace ricochet
