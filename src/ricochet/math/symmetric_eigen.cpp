#include "ricochet/math/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace ricochet {

Eigen::Vector3d symmetric_eigenvalues(const Eigen::Matrix3d& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<SymmetricEigen> symmetric_eigen(const MatrixXd& A, const MatrixXd& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(A, B);
  if (solver.info() != Eigen::Success) return {};
  return SymmetricEigen{solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace ricochet
