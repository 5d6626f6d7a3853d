#pragma once
// The equations of motion of a Lagrangian as nodes, by their structural nonzeros.
//
// With T = v^T M v / 2 + b^T v + T0, written so that like terms cancel,
//
//     convective_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k + sum_j (dM_ij/dt + db_i/dq_j - db_j/dq_i) v_j
//                    + db_i/dt - dT0/dq_i
#include <string>
#include <utility>
#include <vector>

#include "ricochet/model/formula/parts.hpp"

namespace ricochet::formula {

/// Entries of a matrix that may be nonzero, by rows.
using Entries = std::vector<std::pair<int, int>>;

struct Lagrange {
  /// Throws InputError if T is not of degree 2 in the velocities.
  Lagrange(Graph& graph, const std::vector<std::string>& names, const Energy& energy);

  std::vector<NodeId> mass;   ///< row by row: what stands left of the diagonal, in `columns`; the diagonal
  std::vector<int> columns;   ///< of the entries left of the diagonal
  std::vector<int> row_end;   ///< by row: end of its part of `columns`
  bool massless = false;      ///< a coordinate has no mass
  std::vector<NodeId> bias;   ///< convective - f
  std::vector<NodeId> power;  ///< external forces, damping, grad V, dV/dt
  Entries coupled;            ///< of the two tangents
  std::vector<NodeId> K, C;   ///< d(M a + convective - f)/dq, d(convective - f)/dv
  Entries bent;               ///< of the Hessian of V
  std::vector<NodeId> hessian;

 private:
  using Row = std::vector<std::pair<int, NodeId>>;  // by column

  void derive_mass(const std::vector<std::string>& names);
  void derive_bias(int i);
  void derive_tangents();
  NodeId M(int i, int j) const;

  Graph& graph_;
  const Energy& energy_;
  int n_;
  NodeId T0_;
  std::vector<Row> rows_;  // M
  std::vector<NodeId> b_;
  std::vector<Entries> mass_by_;             // q_i -> entries of M in which it occurs
  std::vector<std::vector<int>> linear_by_;  // q_i -> entries of b in which it occurs
  std::vector<NodeId> residual_;             // M a + convective - f
};

}  // namespace ricochet::formula
