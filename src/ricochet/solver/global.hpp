#pragma once
// Contact problems in the velocities of the bodies,
//
//     M v = H r + f,     u = H^T v + w,     K ∋ r ⊥ u + mu |u_T| n ∈ K*,
//
// and the way to the local form u = W r + q, W = H^T M^-1 H, q = H^T M^-1 f + w.
#include <Eigen/SparseCore>
#include <vector>

#include "ricochet/solver/problem.hpp"

namespace ricochet {

/// Rows compressed, columns ascending.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct GlobalProblem {
  SparseRows M;                   ///< ndof x ndof
  SparseRows H;                   ///< ndof x m
  VectorXd f, w;                  ///< (ndof), (m)
  std::vector<ConeBlock> blocks;  ///< of the m rows
};

/// W and q by a sparse LU of M with one step of refinement; by division where M is diagonal. False: M is singular.
bool condense(const GlobalProblem& global, SparseRows& W, VectorXd& q);

/// v = M^-1 (H r + f); empty: M is singular.
VectorXd global_velocity(const GlobalProblem& global, const double* r);

/// Whether W of blocks of one size (0: several) is kept dense all the same: few rows, or as many as are pivoted on.
bool stored_dense(int dim, int rows);

/// W as a problem stores it: square blocks of one size where all cones have it and W is large, dense otherwise.
void store(const SparseRows& W, const std::vector<ConeBlock>& blocks, Delassus& out);

}  // namespace ricochet
