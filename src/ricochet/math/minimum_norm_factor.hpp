#pragma once
// Least-norm solutions, as solve_minimum_norm gives them, of a matrix that serves several right-hand sides one after
// another: by LU where that is regular. Allocates only to grow.
#include <vector>

namespace ricochet {

class MinimumNormFactor {
 public:
  /// A is n x n, column major; `redundant`: its rank is known to be less.
  void factorise(const double* A, int n, bool redundant = false);
  bool full_rank() const { return rank_ == n_; }
  void solve(double* x) const;

 private:
  int n_ = 0, rank_ = 0;
  bool complete_ = false;  // by complete pivoting
  std::vector<double> A_, work_;
  std::vector<int> index_;
};

}  // namespace ricochet
