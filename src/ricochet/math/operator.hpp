#pragma once
// Iteration operators S of the stages: a closed set of storages behind one door, so that no scheme is written twice.
//   dense           small systems: LU without allocation
//   block_diagonal  many bodies: one small LU per block
//   blocks          many bodies that joints or forces couple: sparse LU of blocks, see block_factor.hpp
//   sparse          finite elements: LDL^T if symmetric (SimplicialLDLT), else SparseLU; the pattern is analysed once
// Once factorised for given coefficients an operator of a linear system is kept: see OperatorCache.
#include <Eigen/SparseCore>
#include <array>
#include <memory>
#include <vector>

#include "ricochet/math/block_factor.hpp"
#include "ricochet/math/jacobian.hpp"

namespace ricochet {

enum class Structure { dense, block_diagonal, blocks, sparse };

/// What an operator of a model looks like; made once when the model is frozen.
struct OperatorLayout {
  Structure structure = Structure::dense;
  int n = 0;
  std::vector<Range> blocks;                 ///< block_diagonal, blocks: contiguous, covering 0..n
  int bodies = -1;                           ///< blocks: what comes after so many of them are constraints, beyond n
  std::vector<std::pair<int, int>> couples;  ///< blocks: pairs of them
  Eigen::SparseMatrix<double> pattern;       ///< sparse: explicit zeros where entries may come
  bool symmetric = false;                    ///< sparse: every operator of the model is symmetric
};

class Crew;

class Operator {
 public:
  explicit Operator(const OperatorLayout& layout);

  int size() const { return layout_->n; }
  void zero();
  /// Throws std::logic_error for an entry that the pattern does not hold.
  void add(int i, int j, double value);
  /// After this the entries are gone: zero() starts the next assembly. False: numerically singular.
  bool factorise();
  bool regular() const { return regular_; }
  /// Before factorise: all diagonal entries (n).
  void copy_diagonal(View out) const;
  /// Before factorise: the largest absolute entry. Dense storage takes any entry, the others only their pattern's.
  double largest_entry() const;
  /// What joints and contacts add by their curvature is in the pattern.
  bool accepts_curvature() const { return layout_->structure != Structure::sparse; }
  bool accepts_any_entry() const { return layout_->structure == Structure::dense; }
  /// block_diagonal: entries of the block that begins at coordinate i, column major.
  double* block(int i) { return A_.data() + block_at_[i]; }
  /// blocks: where constraints add themselves, and halves of solutions come from.
  BlockFactor& factor() { return blocks_; }
  const BlockFactor& factor() const { return blocks_; }
  /// Columns of S^-1 G cover the blocks that G touches, not all coordinates.
  bool cells() const { return layout_->structure == Structure::block_diagonal; }
  /// W = G^T S^-1 G comes without columns S^-1 G: large symmetric S with many entries a column.
  bool gives_compliance() const;
  void compliance(const Jacobian& G, double* W);
  void solve(View x) const;
  /// Y = S^-1 G: the blocks of a block-diagonal S that G touches, whole columns otherwise.
  void solve(const Jacobian& G, Jacobian& Y) const;
  /// What lies over bodies is shared.
  void solve(const Jacobian& G, Jacobian& Y, Crew* crew) const;

 private:
  void make_cells();
  struct SparseFactors;  // Eigen's, dear to compile
  struct Free {
    void operator()(SparseFactors* factors) const;
  };

  const OperatorLayout* layout_;
  std::vector<double> A_;      // dense: n x n; block-diagonal: the blocks one after the other
  std::vector<int> pivots_;    // (n)
  std::vector<int> block_at_;  // block_diagonal: (n) offset of the block of coordinate i
  std::vector<int> block_of_;  // block_diagonal: (n)
  Eigen::SparseMatrix<double> sparse_;
  std::unique_ptr<SparseFactors, Free> factors_;  // sparse
  BlockFactor blocks_;
  VectorXd inverse_D_;     // of L D L^T
  mutable VectorXd work_;  // permuted right-hand side
  bool analysed_ = false, regular_ = false;
};

/// Factorised operators of a linear time-invariant system by their coefficients (c_M, c_K, c_C): a step of h and two of
/// h/2 each find theirs. What comes out of the cache is what a fresh factorisation would give, bit for bit.
class OperatorCache {
 public:
  using Coefficients = std::array<double, 3>;
  /// The operator, and whether it still has to be assembled and factorised.
  std::pair<Operator*, bool> find(const OperatorLayout& layout, const Coefficients& c);

 private:
  static constexpr std::size_t kKept = 6;
  struct Entry {
    Coefficients c;
    std::unique_ptr<Operator> S;
  };
  std::vector<Entry> entries_;
  std::size_t next_ = 0;
};

}  // namespace ricochet
