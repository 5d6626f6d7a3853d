#pragma once
// Complementary pivoting on dense mixed linear complementarity problems,
//     w = M z + q,     0 <= z_i ⊥ w_i >= 0,     or  z_i free, w_i = 0  where a row is marked as an equality.
//
// The basis is kept as a dictionary, basic = rhs + T nonbasic, in rows and columns that are scaled apart by powers of
// two (0 <= z ⊥ w >= 0 does not care for units). Free unknowns are pivoted in first; where their own block is singular,
// a pair z_k, w_k that couples to both changes its role on the way, so that circuits and other problems whose equality
// block cannot be eliminated are no special case. Then Lemke's walk with a covering vector of ones: q is perturbed,
// which no tie survives; the ratio test prefers large pivots among nearly equal ratios (Harris). The perturbation is
// taken back at the end and the walk resumed from there if rows turned negative. The dictionary is computed anew from
// the data when it has drifted from them, the solution from the final basis with iterative refinement. Lemke's walk
// ends at a solution or a ray; for copositive M (plus) a ray proves that there is no solution. Cottle, Pang, Stone, The
// Linear Complementarity Problem (1992), sections 2.3, 4.4 and 4.9; Dirkse and Ferris, Optim. Methods Softw. 5 (1995).
#include <Eigen/LU>
#include <vector>

#include "ricochet/math/buffer.hpp"

namespace ricochet::detail {

class Pivoting {
 public:
  enum class End { solved, ray, limit, singular };

  /// M (n x n, column major) and q stay with the caller; `equality` marks rows, empty: none. False: the equalities
  /// contradict each other. Variants differ in scaling, perturbation and cover: a second chance where a walk failed.
  bool start(int n, const double* M, const double* q, const std::vector<char>& equality, int variant);
  /// Principal pivots on the rows where guess > 0, as far as they are well conditioned: a warm start.
  void crash(const double* guess);
  End run(int limit, int& pivots);
  /// The solution of the final basis, refined, negative parts cut off. False: the basis is singular.
  bool solution(double* z);
  /// The direction in which z grows along the ray that the walk has ended at.
  void ray(double* z) const;

 private:
  static constexpr int kCheck = 50;       ///< pivots
  static constexpr int kUnblocked = 128;  ///< rows up to which plain elimination is as fast

  double& at(int row, int column) { return T_[row + static_cast<Index>(column) * n_]; }
  double at(int row, int column) const { return T_[row + static_cast<Index>(column) * n_]; }
  double scaled(int i, int j) const { return M_[i + static_cast<Index>(j) * n_] * row_scale_[i] * column_scale_[j]; }
  int complement(int variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  void scale(int variant);
  bool place_free();
  void pivot(int row, int column);
  bool refresh();
  double drift();
  bool factorise_basis();
  void solve_basis(double* x, int columns) const;
  End walk(double perturbation, int limit, int& pivots);
  void drop_column(int column);
  bool is_free(int variable) const { return variable < 2 * n_ && is_free_[static_cast<std::size_t>(variable % n_)]; }
  int ratio_test(int column) const;
  int find_column(int variable) const;
  void note_ray(int column);

  int n_ = 0, columns_ = 0;
  const double *M_ = nullptr, *q_ = nullptr;
  Buffer store_, work_;
  Buffer basis_;                             ///< (n x n); small ones: their factors, nothing allocated
  std::vector<int> pivots_;                  ///< of small ones (n)
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;  ///< of the others
  double *T_ = nullptr, *rhs_ = nullptr, *row_scale_ = nullptr, *column_scale_ = nullptr, *load_ = nullptr,
         *extra_ = nullptr, *cover_ = nullptr;
  double unit_ = 1;            ///< of q after scaling
  std::vector<int> basic_;     ///< (n) w_i: i, z_i: n + i, z0: 2 n
  std::vector<int> nonbasic_;  ///< (columns)
  std::vector<char> is_free_;  ///< (n) equality rows
  std::vector<double> ray_;    ///< (n) of z, in the units of z
  int variant_ = 0;
  double feasible_ = 0;  ///< how far below zero a basic variable may be
};

}  // namespace ricochet::detail
