#include "ricochet/math/operator.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <cstring>
#include <stdexcept>

#include "ricochet/math/small_lu.hpp"
#include "ricochet/math/supernodal.hpp"

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

}  // namespace

struct Operator::SparseFactors {
  std::unique_ptr<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>> ldlt;  // of symmetric ones
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> lu;
  std::unique_ptr<SupernodalFactor> panels;  // of large symmetric ones with many entries a column
};
void Operator::Free::operator()(SparseFactors* factors) const { delete factors; }

Operator::Operator(const OperatorLayout& layout) : layout_(&layout) {
  const auto n = layout.n;
  switch (layout.structure) {
    case Structure::dense:
      A_.resize(n * n);
      pivots_.resize(n);
      break;
    case Structure::block_diagonal: {
      pivots_.resize(n);
      block_at_.resize(n);
      block_of_.resize(n);
      int used = 0;
      for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
        const Range& r = layout.blocks[b];
        for (int i = r.at; i < r.at + r.n; ++i) {
          block_at_[i] = used;
          block_of_[i] = static_cast<int>(b);
        }
        used += r.n * r.n;
      }
      A_.resize(used);
      break;
    }
    case Structure::blocks:
      blocks_.analyse(
          {layout.blocks, layout.bodies < 0 ? static_cast<int>(layout.blocks.size()) : layout.bodies, layout.couples});
      break;
    case Structure::sparse:
      sparse_ = layout.pattern;
      work_.resize(layout.n);
      factors_.reset(new SparseFactors);
      if (layout.symmetric && takes_panels(layout)) {
        factors_->panels = std::make_unique<SupernodalFactor>();
      } else if (layout.symmetric) {
        factors_->ldlt = std::make_unique<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>();
      } else {
        factors_->lu = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
      }
      break;
  }
}

void Operator::zero() {
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
    case Structure::dense: regular_ = lu_factorise(A_.data(), pivots_.data(), layout_->n); break;
    case Structure::block_diagonal:
      regular_ = true;
      for (const Range& r : layout_->blocks)
        regular_ = lu_factorise(A_.data() + block_at_[r.at], pivots_.data() + r.at, r.n) && regular_;
      break;
    case Structure::blocks: regular_ = blocks_.factorise(); break;
    case Structure::sparse:
      if (factors_->panels) {
        if (!analysed_) factors_->panels->analyse(sparse_);
        regular_ = factors_->panels->factorise(sparse_);
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

void Operator::solve(View x) const {
  switch (layout_->structure) {
    case Structure::dense: lu_solve(A_.data(), pivots_.data(), layout_->n, x.data()); return;
    case Structure::block_diagonal:
      for (const Range& r : layout_->blocks)
        lu_solve(A_.data() + block_at_[r.at], pivots_.data() + r.at, r.n, x.data() + r.at);
      return;
    case Structure::blocks: blocks_.solve(x.data()); return;
    case Structure::sparse:
      if (factors_->panels) return factors_->panels->solve(x.data());
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

void Operator::solve(const Jacobian& G, Jacobian& Y) const {
  const int n = layout_->n;
  Y.clear();
  if (factors_ && factors_->panels) return solve_together(G, *factors_->panels, n, Y);
  for (const Jacobian::Block& b : G.blocks()) {
    // block-diagonal: the union of the operator's blocks that this constraint touches, all coordinates if many
    constexpr int kMost = 8;
    std::array<Range, kMost> touched;
    int count = 0;
    for (int k = 0; layout_->structure == Structure::block_diagonal && k < b.ranges && count <= kMost; ++k) {
      const Range& g = G.ranges(b)[k];
      for (int i = g.at; i < g.at + g.n && count <= kMost;) {
        const Range& r = layout_->blocks[block_of_[i]];
        bool known = false;
        for (int c = 0; c < count; ++c) known = known || touched[c].at == r.at;
        if (!known && count++ < kMost) touched[count - 1] = r;
        i = r.at + r.n;
      }
    }
    if (layout_->structure == Structure::block_diagonal && count <= kMost) {
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
          const Range& r = touched[c];
          lu_solve(A_.data() + block_at_[r.at], pivots_.data() + r.at, r.n, y);
          y += r.n;
        }
      }
      continue;
    }
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
