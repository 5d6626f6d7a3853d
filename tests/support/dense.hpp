#pragma once
// Dense references. Eigen's decompositions take seconds to compile wherever one is named: these are the library's,
// compiled once.
#include "ricochet/math/view.hpp"

namespace ricochet::test {

/// What is below `threshold` times the largest pivot is zero.
MatrixXd pseudo_inverse(const MatrixXd& A, double threshold = 1e-10);
Index rank(const MatrixXd& A, double threshold = 1e-10);

MatrixXd inverse(const MatrixXd& A);
/// A X = B of a regular A.
MatrixXd solve_dense(const MatrixXd& A, const MatrixXd& B);
/// The largest singular value over the least.
double condition(const MatrixXd& A);

/// L with A = L L^T.
MatrixXd cholesky(const MatrixXd& A);

/// Of a symmetric A, rising; of A x = value M x with a positive definite M.
VectorXd eigenvalues(const MatrixXd& A);
VectorXd eigenvalues(const MatrixXd& A, const MatrixXd& M);

}  // namespace ricochet::test
