#pragma once
// Eigenvalues of symmetric matrices, ascending: Eigen's solvers, compiled once.
#include <optional>

#include "ricochet/math/view.hpp"

namespace ricochet {

struct SymmetricEigen {
  VectorXd values;
  MatrixXd vectors;  ///< in columns; of length 1, or 1 in the metric B
};

Eigen::Vector3d symmetric_eigenvalues(const Eigen::Matrix3d& A);
/// A x = lambda x.
SymmetricEigen symmetric_eigen(const MatrixXd& A);
/// A x = lambda B x; none where B is not positive definite.
std::optional<SymmetricEigen> symmetric_eigen(const MatrixXd& A, const MatrixXd& B);

}  // namespace ricochet
