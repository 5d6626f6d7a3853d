#pragma once
// Dense systems of any rank: A P = Q (L 0; 0 0) Z, Eigen's complete orthogonal decomposition, compiled once.
#include <memory>

#include "ricochet/math/view.hpp"

namespace ricochet {

class Orthogonal {
 public:
  explicit Orthogonal(const MatrixXd& A);
  /// Pivots below `threshold` times the largest count as zero.
  Orthogonal(const MatrixXd& A, double threshold);
  Index rank() const;
  /// The shortest of those x that make |A x - b| least.
  VectorXd solve(const VectorXd& b) const;
  MatrixXd solve(const MatrixXd& B) const;

 private:
  struct Factor;
  struct Free {
    void operator()(Factor* factor) const;
  };
  std::unique_ptr<Factor, Free> factor_;
};

}  // namespace ricochet
