#include "support/dense.hpp"

#include <cmath>

#include "ricochet/math/orthogonal.hpp"
#include "ricochet/math/symmetric_eigen.hpp"

namespace ricochet::test {

MatrixXd pseudo_inverse(const MatrixXd& A, double threshold) {
  return Orthogonal(A, threshold).solve(MatrixXd(MatrixXd::Identity(A.rows(), A.rows())));
}

Index rank(const MatrixXd& A, double threshold) { return Orthogonal(A, threshold).rank(); }

MatrixXd inverse(const MatrixXd& A) { return solve_dense(A, MatrixXd::Identity(A.rows(), A.rows())); }

MatrixXd solve_dense(const MatrixXd& A, const MatrixXd& B) { return Orthogonal(A).solve(B); }

double condition(const MatrixXd& A) {
  const auto norm = [](const MatrixXd& B) { return std::sqrt(eigenvalues(B.transpose() * B).maxCoeff()); };
  return norm(A) * norm(inverse(A));
}

MatrixXd cholesky(const MatrixXd& A) {
  MatrixXd L = MatrixXd::Zero(A.rows(), A.cols());
  for (Index j = 0; j < A.cols(); ++j)
    for (Index i = j; i < A.rows(); ++i) {
      const double rest = A(i, j) - L.row(i).dot(L.row(j));
      L(i, j) = i == j ? std::sqrt(rest) : rest / L(j, j);
    }
  return L;
}

VectorXd eigenvalues(const MatrixXd& A) { return symmetric_eigen(A).values; }

VectorXd eigenvalues(const MatrixXd& A, const MatrixXd& M) { return symmetric_eigen(A, M).value().values; }

}  // namespace ricochet::test
