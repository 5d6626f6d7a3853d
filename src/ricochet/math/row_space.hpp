#pragma once
// Which rows of a matrix say what others say. Householder's B P = Q R with column pivoting, B m x n: with rank r the
// first r columns of Q span what the columns of B do, and the others, N, are orthonormal weights of the rows with
// N^T B = 0, to the size of the pivots left out. Allocates only to grow.
#include "ricochet/math/buffer.hpp"

namespace ricochet {

class RowSpace {
 public:
  /// Room for B, column major, to be filled before `factorise`; the entries are replaced by the factors.
  double* entries(int m, int n);
  void factorise();
  /// |R_jj|, descending; 0 beyond what B has.
  double pivot(int j) const { return j < std::min(m_, n_) ? pivots_[j] : 0; }
  /// N, m x (m - rank), column major.
  void complement(int rank, double* N) const;

 private:
  int m_ = 0, n_ = 0;
  Buffer B_, pivots_, betas_;  // reflections 1 - beta v v^T, v in the column from the diagonal on
};

}  // namespace ricochet
