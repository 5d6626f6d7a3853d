#include "ricochet/math/orthogonal.hpp"

#include <Eigen/QR>

namespace ricochet {

struct Orthogonal::Factor : Eigen::CompleteOrthogonalDecomposition<MatrixXd> {
  using CompleteOrthogonalDecomposition::CompleteOrthogonalDecomposition;
};

void Orthogonal::Free::operator()(Factor* factor) const { delete factor; }

Orthogonal::Orthogonal(const MatrixXd& A) : factor_(new Factor(A)) {}

Orthogonal::Orthogonal(const MatrixXd& A, double threshold) : factor_(new Factor(A.rows(), A.cols())) {
  factor_->setThreshold(threshold);
  factor_->compute(A);
}

Index Orthogonal::rank() const { return factor_->rank(); }

VectorXd Orthogonal::solve(const VectorXd& b) const { return factor_->solve(b); }

MatrixXd Orthogonal::solve(const MatrixXd& B) const { return factor_->solve(B); }

}  // namespace ricochet
