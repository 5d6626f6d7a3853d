#include "ricochet/solver/global.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using SparseColumns = Eigen::SparseMatrix<double>;

bool diagonal(const SparseRows& M) {
  for (int i = 0; i < M.outerSize(); ++i)
    for (SparseRows::InnerIterator it(M, i); it; ++it)
      if (it.col() != i && it.value() != 0) return false;
  return true;
}

/// x := M^-1 x, column by column.
class Inverse {
 public:
  explicit Inverse(const SparseRows& M) : M_(M), diagonal_(diagonal(M)) {
    if (diagonal_) {
      pivots_ = M.diagonal();
      regular_ = pivots_.size() == 0 || pivots_.cwiseAbs().minCoeff() > 0;
      return;
    }
    lu_.compute(M_);
    regular_ = lu_.info() == Eigen::Success;
  }
  bool regular() const { return regular_; }
  VectorXd operator()(const VectorXd& b) const {
    if (diagonal_) return b.cwiseQuotient(pivots_);
    VectorXd x = lu_.solve(b);
    x += lu_.solve(b - M_ * x);
    return x;
  }

 private:
  SparseColumns M_;
  bool diagonal_, regular_ = false;
  VectorXd pivots_;
  Eigen::SparseLU<SparseColumns> lu_;
};

/// dim of all cones if they share it, else 0.
int common_dim(const std::vector<ConeBlock>& blocks) {
  for (const ConeBlock& block : blocks)
    if (block.dim != blocks.front().dim) return 0;
  return blocks.empty() ? 0 : blocks.front().dim;
}

void store_dense(const SparseRows& W, Delassus& out) {
  const Index m = W.rows();
  double* dense = out.make_dense(static_cast<int>(m));
  std::fill(dense, dense + m * m, 0.0);
  for (int i = 0; i < m; ++i)
    for (SparseRows::InnerIterator it(W, i); it; ++it) dense[i + it.col() * m] = it.value();
}

}  // namespace

bool condense(const GlobalProblem& global, SparseRows& W, VectorXd& q) {
  const Inverse inverse(global.M);
  if (!inverse.regular()) return false;
  const SparseColumns H = global.H;
  const SparseRows Ht = H.transpose();
  q = Ht * inverse(global.f) + global.w;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < H.cols(); ++j) {
    const VectorXd column = Ht * inverse(VectorXd(H.col(j)));
    for (int i = 0; i < column.size(); ++i)
      if (column[i] != 0) entries.emplace_back(i, j, column[i]);
  }
  W.resize(H.cols(), H.cols());
  W.setFromTriplets(entries.begin(), entries.end());
  return true;
}

VectorXd global_velocity(const GlobalProblem& global, const double* r) {
  const Inverse inverse(global.M);
  if (!inverse.regular()) return {};
  return inverse(global.f + global.H * Eigen::Map<const VectorXd>(r, global.H.cols()));
}

bool stored_dense(int dim, int rows) {
  constexpr int kSpace = 30, kPlane = 100;
  // Pivoting wants rows dense; what is larger is left to the sparse methods.
  return rows <= (dim == 1 || dim == 2 ? kPlane : kSpace);
}

void store(const SparseRows& W, const std::vector<ConeBlock>& blocks, Delassus& out) {
  const int dim = common_dim(blocks), m = static_cast<int>(W.rows());
  if (dim == 0 || stored_dense(dim, m)) return store_dense(W, out);
  const int count = m / dim;
  std::vector<int> pointers{0}, columns;
  for (int a = 0; a < count; ++a) {
    const std::size_t begin = columns.size();
    columns.push_back(a);  // the diagonal is always there
    for (int i = a * dim; i < (a + 1) * dim; ++i)
      for (SparseRows::InnerIterator it(W, i); it; ++it)
        if (it.value() != 0) columns.push_back(static_cast<int>(it.col()) / dim);
    std::sort(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end());
    columns.erase(std::unique(columns.begin() + static_cast<std::ptrdiff_t>(begin), columns.end()), columns.end());
    pointers.push_back(static_cast<int>(columns.size()));
  }
  double* values = out.make_sparse(dim, count, pointers, columns);
  for (int i = 0; i < m; ++i) {
    const auto begin = columns.begin() + pointers[static_cast<std::size_t>(i / dim)],
               end = columns.begin() + pointers[static_cast<std::size_t>(i / dim) + 1];
    for (SparseRows::InnerIterator it(W, i); it; ++it) {
      if (it.value() == 0) continue;
      const int j = static_cast<int>(it.col());
      const auto at = std::lower_bound(begin, end, j / dim) - columns.begin();
      values[at * dim * dim + i % dim + j % dim * dim] = it.value();
    }
  }
}

}  // namespace ricochet
