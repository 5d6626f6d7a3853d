#include "ricochet/math/operator.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "ricochet/math/chain_factor.hpp"
#include "ricochet/math/small_lu.hpp"
#include "ricochet/math/supernodal.hpp"
#include "ricochet/math/team.hpp"

namespace ricochet {
namespace {
/// Panels pay where columns are long: solids, and no chains or rods.
bool takes_panels(const OperatorLayout& layout) {
  constexpr int kLarge = 300, kEntries = 30;
  return layout.n > kLarge && layout.pattern.nonZeros() > std::ptrdiff_t{kEntries} * layout.n;
}

[[noreturn]] void off_pattern() { throw std::logic_error("an operator was given an entry that its pattern lacks"); }
/// Whole columns, many at a time.
void solve_together(const Jacobian& G, const SupernodalFactor& factor, int n, Jacobian& Y) {
  int rows = 0;
  for (const Jacobian::Block& b : G.blocks()) {
    double* y = Y.add(b.dim, Range{0, n});
    for (int i = 0; i < b.dim; ++i, y += n) {
      const double* g = G.row(b, i);
      for (int k = 0; k < b.ranges; ++k) {
        const Range& r = G.ranges(b)[k];
        for (int j = 0; j < r.n; ++j) y[r.at + j] += *g++;
      }
    }
    rows += b.dim;
  }
  factor.solve(Y.data(), rows);  // one dense array, row after row
}

/// Factors of bodies that nothing couples, body by body. Of each so many coordinates are coupled with none, the rest
/// has an LU: diagonal entries first, then the factors.
class Cells {
 public:
  explicit Cells(const OperatorLayout& layout) : layout_(layout), pivots_(layout.n), of_(layout.n) {
    int used = 0;
    for (const Range& r : layout.blocks) {
      for (int i = r.at; i < r.at + r.n; ++i) of_[i] = static_cast<int>(cells_.size());
      cells_.push_back({r.at, r.n, 0, used});
      used += r.n * r.n;
    }
    if (layout.structure == Structure::dense) own_.resize(used);
    for (const Cell& cell : cells_) largest_ = std::max(largest_, cell.n);
    entries_.resize(largest_ * largest_);
  }
  bool apart = false;  ///< these are the factors of now

  /// Whether a dense matrix has no entries between bodies.
  bool falls_apart(const double* A) const {
    const int n = layout_.n;
    for (const Range& r : layout_.blocks)
      for (int j = 0; j < r.n; ++j, A += n) {
        for (int i = 0; i < r.at; ++i)
          if (A[i] != 0) return false;
        for (int i = r.at + r.n; i < n; ++i)
          if (A[i] != 0) return false;
      }
    return true;
  }
  /// Out of a dense matrix, or of its diagonal blocks one after the other, whose place the factors then take. False:
  /// singular.
  bool factorise(double* A) {
    bool regular = true;
    const bool dense = layout_.structure == Structure::dense;
    factors_ = dense ? own_.data() : A;
    for (Cell& cell : cells_) {
      const int stride = dense ? layout_.n : cell.n;
      const double* from = A + (dense ? cell.at * (stride + 1) : cell.factors);
      for (int j = 0; j < cell.n; ++j) std::copy_n(from + j * stride, cell.n, entries_.data() + j * cell.n);
      regular = factorise(entries_.data(), cell.n, cell) && regular;
    }
    return regular;
  }
  void solve(double* x) const {
    for (const Cell& cell : cells_) solve(cell, x + cell.at);
  }
  /// Rows of a block over the bodies that they touch; false if these are too many.
  bool solve(const Jacobian& G, const Jacobian::Block& b, Jacobian& Y) const;
  /// The block lies over whole bodies, one or two.
  bool whole(const Jacobian& G, const Jacobian::Block& b) const {
    for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r)
      if (const Cell& cell = cells_[of_[r->at]]; cell.at != r->at || cell.n != r->n) return false;
    return b.ranges == 1 || b.ranges == 2;
  }
  /// Of such a block, whose place in Y is y.
  void solve_whole(const Jacobian& G, const Jacobian::Block& b, double* y) const {
    std::copy_n(G.row(b, 0), b.dim * b.length, y);
    for (int i = 0; i < b.dim; ++i)
      for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; y += r->n, ++r) solve(cells_[of_[r->at]], y);
  }

 private:
  struct Cell {
    int at, n;
    int alone;    ///< coordinates that are coupled with none, the first ones
    int factors;  ///< place in factors_
  };
  bool factorise(const double* from, int stride, Cell& cell) {
    const auto alone = [&](int k) {
      for (int i = 0; i < cell.n; ++i)
        if (i != k && (from[i + k * stride] != 0 || from[k + i * stride] != 0)) return false;
      return true;
    };
    cell.alone = 0;
    while (cell.alone < cell.n && alone(cell.alone)) ++cell.alone;
    double* to = factors_ + cell.factors;
    bool regular = true;
    for (int k = 0; k < cell.alone; ++k, ++to) {
      *to = from[k * (stride + 1)];
      regular = regular && *to != 0 && std::abs(*to) <= std::numeric_limits<double>::max();
    }
    const int left = cell.n - cell.alone;
    const double* rest = from + cell.alone * (stride + 1);
    for (int j = 0; j < left; ++j) std::copy_n(rest + j * stride, left, to + j * left);
    return left == 0 ? regular : lu_factorise(to, pivots_.data() + cell.at + cell.alone, left) && regular;
  }
  void solve(const Cell& cell, double* x) const {
    const double* factors = factors_ + cell.factors;
    for (int k = 0; k < cell.alone; ++k) x[k] /= factors[k];
    const int left = cell.n - cell.alone;
    if (left > 0) lu_solve(factors + cell.alone, pivots_.data() + cell.at + cell.alone, left, x + cell.alone);
  }

  const OperatorLayout& layout_;
  std::vector<Cell> cells_;
  double* factors_ = nullptr;
  std::vector<double> own_;      // where they are beside a dense matrix
  std::vector<double> entries_;  // of the cell at work
  int largest_ = 0;
  std::vector<int> pivots_, of_;  // by coordinate
};

/// Room in Y for such a block.
double* append_like(const Jacobian& G, const Jacobian::Block& b, Jacobian& Y) {
  const Range* r = G.ranges(b);
  return b.ranges == 1 ? Y.append(b.dim, *r) : Y.append(b.dim, r[0], r[1]);
}

bool Cells::solve(const Jacobian& G, const Jacobian::Block& b, Jacobian& Y) const {
  if (whole(G, b)) {
    solve_whole(G, b, append_like(G, b, Y));
    return true;
  }
  constexpr int kMost = 8;
  std::array<Range, kMost> touched;
  std::array<int, kMost> number;
  int count = 0;
  for (int k = 0; k < b.ranges; ++k) {
    const Range& g = G.ranges(b)[k];
    for (int i = g.at; i < g.at + g.n;) {
      const int block = of_[i];
      const Range& r = layout_.blocks[block];
      bool known = false;
      for (int c = 0; c < count; ++c) known = known || number[c] == block;
      if (!known && count == kMost) return false;
      if (!known) touched[count] = r, number[count++] = block;
      i = r.at + r.n;
    }
  }
  double* y = Y.add(b.dim, touched.data(), count);
  for (int i = 0; i < b.dim; ++i) {
    const double* g = G.row(b, i);
    for (int k = 0; k < b.ranges; ++k) {
      const Range& rg = G.ranges(b)[k];
      int offset = 0;
      for (int c = 0; c < count; ++c) {
        const Range& r = touched[c];
        const int lo = std::max(r.at, rg.at), hi = std::min(r.at + r.n, rg.at + rg.n);
        for (int j = lo; j < hi; ++j) y[offset + j - r.at] += g[j - rg.at];
        offset += r.n;
      }
      g += rg.n;
    }
    for (int c = 0; c < count; ++c) {
      solve(cells_[number[c]], y);
      y += touched[c].n;
    }
  }
  return true;
}

}  // namespace

struct Operator::SparseFactors {
  std::unique_ptr<Cells> cells;                                              // of several bodies
  std::unique_ptr<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> ldlt;  // of symmetric ones
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> lu;
  std::unique_ptr<SupernodalFactor> panels;  // of large symmetric ones with many entries a column
  std::unique_ptr<ChainFactor> chain;        // of symmetric ones with three diagonals
};
void Operator::Free::operator()(SparseFactors* factors) const { delete factors; }

Operator::Operator(const OperatorLayout& layout) : layout_(&layout) {
  const auto n = layout.n;
  switch (layout.structure) {
    case Structure::dense:
      A_.resize(n * n);
      pivots_.resize(n);
      if (layout.blocks.size() > 1) {
        factors_.reset(new SparseFactors);
        factors_->cells = std::make_unique<Cells>(layout);
      }
      break;
    case Structure::block_diagonal: break;  // on first use: many bodies, and a stage that may never be asked for
    case Structure::blocks:
      blocks_.analyse(
          {layout.blocks, layout.bodies < 0 ? static_cast<int>(layout.blocks.size()) : layout.bodies, layout.couples});
      break;
    case Structure::sparse:
      sparse_ = layout.pattern;
      work_.resize(layout.n);
      factors_.reset(new SparseFactors);
      if (layout.symmetric && ChainFactor::fits(layout.pattern)) {
        factors_->chain = std::make_unique<ChainFactor>();
      } else if (layout.symmetric && takes_panels(layout)) {
        factors_->panels = std::make_unique<SupernodalFactor>();
      } else if (layout.symmetric) {
        factors_->ldlt = std::make_unique<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>();
      } else {
        factors_->lu = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
      }
      break;
  }
}

void Operator::make_cells() {
  block_at_.resize(layout_->n);
  block_of_.resize(layout_->n);
  int used = 0;
  for (std::size_t b = 0; b < layout_->blocks.size(); ++b) {
    const Range& r = layout_->blocks[b];
    for (int i = r.at; i < r.at + r.n; ++i) {
      block_at_[i] = used;
      block_of_[i] = static_cast<int>(b);
    }
    used += r.n * r.n;
  }
  A_.resize(used);
  factors_.reset(new SparseFactors);
  factors_->cells = std::make_unique<Cells>(*layout_);
}

void Operator::zero() {
  if (layout_->structure == Structure::block_diagonal && !factors_) make_cells();
  std::fill(A_.begin(), A_.end(), 0.0);
  if (layout_->structure == Structure::blocks) blocks_.zero();
  if (layout_->structure == Structure::sparse)
    std::fill(sparse_.valuePtr(), sparse_.valuePtr() + sparse_.nonZeros(), 0.0);
  regular_ = false;
}

void Operator::add(int i, int j, double value) {
  switch (layout_->structure) {
    case Structure::dense: A_[i + j * layout_->n] += value; return;
    case Structure::block_diagonal: {
      const Range& r = layout_->blocks[block_of_[i]];
      if (j < r.at || j >= r.at + r.n) off_pattern();
      A_[block_at_[i] + (i - r.at) + (j - r.at) * r.n] += value;
      return;
    }
    case Structure::blocks:
      if (!blocks_.add(i, j, value)) off_pattern();
      return;
    case Structure::sparse: {
      const int *outer = sparse_.outerIndexPtr(), *inner = sparse_.innerIndexPtr();
      const int* at = std::lower_bound(inner + outer[j], inner + outer[j + 1], i);
      if (at == inner + outer[j + 1] || *at != i) off_pattern();
      sparse_.valuePtr()[at - inner] += value;
      return;
    }
  }
}

bool Operator::factorise() {
  switch (layout_->structure) {
    case Structure::dense:
      if (factors_) factors_->cells->apart = factors_->cells->falls_apart(A_.data());
      regular_ = factors_ && factors_->cells->apart ? factors_->cells->factorise(A_.data())
                                                    : lu_factorise(A_.data(), pivots_.data(), layout_->n);
      break;
    case Structure::block_diagonal:
      factors_->cells->apart = true;
      regular_ = factors_->cells->factorise(A_.data());
      break;
    case Structure::blocks: regular_ = blocks_.factorise(); break;
    case Structure::sparse:
      if (factors_->panels) {
        if (!analysed_) factors_->panels->analyse(sparse_);
        regular_ = factors_->panels->factorise(sparse_);
      } else if (factors_->chain) {
        regular_ = factors_->chain->factorise(sparse_);
      } else if (factors_->ldlt) {
        if (!analysed_) factors_->ldlt->analyzePattern(sparse_);
        factors_->ldlt->factorize(sparse_);
        regular_ = factors_->ldlt->info() == Eigen::Success;
        if (regular_) inverse_D_ = factors_->ldlt->vectorD().cwiseInverse();
      } else {
        if (!analysed_) factors_->lu->analyzePattern(sparse_);
        factors_->lu->factorize(sparse_);
        regular_ = factors_->lu->info() == Eigen::Success;
      }
      analysed_ = true;
  }
  return regular_;
}

double Operator::largest_entry() const {
  if (layout_->structure == Structure::blocks) return blocks_.largest_entry();
  if (layout_->structure == Structure::sparse)
    return max_abs({sparse_.valuePtr(), static_cast<Index>(sparse_.nonZeros())});
  return max_abs({A_.data(), static_cast<Index>(A_.size())});
}

void Operator::copy_diagonal(View out) const {
  const int n = layout_->n;
  switch (layout_->structure) {
    case Structure::dense:
      for (int i = 0; i < n; ++i) out[i] = A_[i + static_cast<std::size_t>(i) * n];
      return;
    case Structure::block_diagonal:
      for (const Range& r : layout_->blocks)
        for (int i = 0; i < r.n; ++i) out[r.at + i] = A_[block_at_[r.at] + i * (r.n + 1)];
      return;
    case Structure::blocks: {
      std::vector<double> block;
      for (const Range& r : layout_->blocks) {
        block.resize(static_cast<std::size_t>(r.n) * r.n);
        blocks_.copy_diagonal(r.at, r.n, block.data());
        for (int i = 0; i < r.n; ++i) out[r.at + i] = block[i * (r.n + 1)];
      }
      return;
    }
    case Structure::sparse:
      for (int i = 0; i < n; ++i) out[i] = sparse_.coeff(i, i);
      return;
  }
}

bool Operator::gives_compliance() const { return factors_ && factors_->panels; }
void Operator::compliance(const Jacobian& G, double* W) { factors_->panels->compliance(G, W); }

void Operator::solve(View x) const {
  switch (layout_->structure) {
    case Structure::dense:
    case Structure::block_diagonal:
      if (factors_ && factors_->cells->apart) return factors_->cells->solve(x.data());
      return lu_solve(A_.data(), pivots_.data(), layout_->n, x.data());
    case Structure::blocks: blocks_.solve(x.data()); return;
    case Structure::sparse:
      if (factors_->panels) return factors_->panels->solve(x.data());
      if (factors_->chain) return factors_->chain->solve(x.data());
      if (!factors_->ldlt) {
        work_ = factors_->lu->solve(x.vec());
        x.vec() = work_;
        return;
      }
      // P A P^T = L D L^T by hand: Eigen's own solve allocates its permuted copy at every call.
      const int* p = factors_->ldlt->permutationP().indices().data();
      const auto& L = factors_->ldlt->matrixL().nestedExpression();
      const int *outer = L.outerIndexPtr(), *inner = L.innerIndexPtr();
      const double* value = L.valuePtr();
      const int n = layout_->n;
      double* y = work_.data();
      if (factors_->ldlt->permutationP().size() > 0) {
        for (int i = 0; i < n; ++i) y[p[i]] = x[i];
      } else {
        std::memcpy(y, x.data(), sizeof(double) * n);
      }
      const int* count = L.innerNonZeroPtr();  // null when compressed
      for (int j = 0; j < n; ++j) {
        const double yj = y[j];
        const int end = count ? outer[j] + count[j] : outer[j + 1];
        for (int k = outer[j]; k < end; ++k)
          if (inner[k] > j) y[inner[k]] -= value[k] * yj;
      }
      for (int j = 0; j < n; ++j) y[j] *= inverse_D_[j];
      for (int j = n - 1; j >= 0; --j) {
        double s = y[j];
        const int end = count ? outer[j] + count[j] : outer[j + 1];
        for (int k = outer[j]; k < end; ++k)
          if (inner[k] > j) s -= value[k] * y[inner[k]];
        y[j] = s;
      }
      if (factors_->ldlt->permutationP().size() > 0) {
        for (int i = 0; i < n; ++i) x[i] = y[p[i]];
      } else {
        std::memcpy(x.data(), y, sizeof(double) * n);
      }
  }
}

void Operator::solve(const Jacobian& G, Jacobian& Y) const { solve(G, Y, nullptr); }

void Operator::solve(const Jacobian& G, Jacobian& Y, Crew* crew) const {
  const int n = layout_->n;
  Y.clear();
  if (factors_ && factors_->panels) return solve_together(G, *factors_->panels, n, Y);
  const Cells* cells = factors_ && factors_->cells && factors_->cells->apart ? factors_->cells.get() : nullptr;
  if (cells != nullptr) {
    std::size_t ranges = 0;
    Index entries = 0;
    for (const Jacobian::Block& b : G.blocks()) {
      ranges += static_cast<std::size_t>(b.ranges);
      entries += static_cast<Index>(b.dim) * b.length;
    }
    Y.reserve(G.blocks().size(), ranges, entries);
    constexpr int kShared = 200;
    const auto count = static_cast<int>(G.blocks().size());
    const auto whole = [&](const Jacobian::Block& b) { return cells->whole(G, b); };
    Team* team = team_for(crew, count, kShared);
    if (team != nullptr && std::all_of(G.blocks().begin(), G.blocks().end(), whole)) {
      for (const Jacobian::Block& b : G.blocks()) append_like(G, b, Y);
      return share(team, count, kShared, [&](int first, int last) {
        for (int k = first; k < last; ++k) cells->solve_whole(G, G.blocks()[k], Y.row(Y.blocks()[k], 0));
      });
    }
  }
  for (const Jacobian::Block& b : G.blocks()) {
    if (cells != nullptr && cells->solve(G, b, Y)) continue;
    double* y = Y.add(b.dim, Range{0, n});
    for (int i = 0; i < b.dim; ++i, y += n) {
      const double* g = G.row(b, i);
      for (int k = 0; k < b.ranges; ++k) {
        const Range& r = G.ranges(b)[k];
        for (int j = 0; j < r.n; ++j) y[r.at + j] += *g++;
      }
      solve(View(y, n));
    }
  }
}

std::pair<Operator*, bool> OperatorCache::find(const OperatorLayout& layout, const Coefficients& c) {
  for (Entry& e : entries_)
    if (e.c == c) return {e.S.get(), false};
  if (entries_.size() < kKept) {
    entries_.push_back({c, std::make_unique<Operator>(layout)});
    return {entries_.back().S.get(), true};
  }
  Entry& e = entries_[next_];
  next_ = (next_ + 1) % kKept;
  e.c = c;
  return {e.S.get(), true};
}

}  // namespace ricochet
