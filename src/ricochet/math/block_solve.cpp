// Solutions with the factors: whole ones, halves along the paths of the elimination tree, null vectors.
#include <algorithm>

#include "ricochet/math/block_factor.hpp"

namespace ricochet {

void BlockFactor::forward(const Panel& p, double* y) const {
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double* A = &values_[p.lower];
  double* own = y + p.first;
  const int* rows = rows_.data() + p.row_start;
  for (int k = 0; k < p.width; ++k) std::swap(own[k], own[row_exchange_[p.first + k]]);
  for (int k = 0; k < p.width; ++k) {
    if (is_dead_[p.first + k] != 0) own[k] = 0;
    const double value = own[k];
    if (value == 0) continue;
    const double* column = A + k * height;
    for (int i = k + 1; i < p.width; ++i) own[i] -= column[i] * value;
    for (int i = 0; i < p.rows; ++i) y[rows[i]] -= column[p.width + i] * value;
  }
}

void BlockFactor::backward(const Panel& p, double* y) const {
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double *A = &values_[p.lower], *across = values_.data() + p.upper;
  double* own = y + p.first;
  const int* rows = rows_.data() + p.row_start;
  for (int k = p.width - 1; k >= 0; --k) {
    if (is_dead_[p.first + k] == 0) {
      const double* right = across + static_cast<std::ptrdiff_t>(k) * p.rows;
      double s = own[k];
      for (int i = 0; i < p.rows; ++i) s -= right[i] * y[rows[i]];
      own[k] = s / A[k + k * height];
    }
    const double value = own[k];
    const double* column = A + k * height;
    for (int i = 0; i < k; ++i) own[i] -= column[i] * value;
  }
  for (int k = p.width - 1; k >= 0; --k) std::swap(own[k], own[column_exchange_[p.first + k]]);
}

/// The transpose of `backward`: columns exchanged first, then U^T from the top.
void BlockFactor::forward_transposed(const Panel& p, double* y) const {
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double *A = &values_[p.lower], *across = values_.data() + p.upper;
  double* own = y + p.first;
  const int* rows = rows_.data() + p.row_start;
  for (int k = 0; k < p.width; ++k) std::swap(own[k], own[column_exchange_[p.first + k]]);
  for (int k = 0; k < p.width; ++k) {
    if (is_dead_[p.first + k] != 0) {
      own[k] = 0;
      continue;
    }
    double s = own[k];
    const double* column = A + k * height;
    for (int i = 0; i < k; ++i) s -= column[i] * own[i];
    s = own[k] = s / column[k];
    if (s == 0) continue;
    const double* right = across + static_cast<std::ptrdiff_t>(k) * p.rows;
    for (int i = 0; i < p.rows; ++i) y[rows[i]] -= right[i] * s;
  }
}

void BlockFactor::solve(double* x) const {
  double* y = y_.data();
  for (int i = 0; i < n_; ++i) y[i] = row_scale_[i] * x[original_[i]];
  for (const Panel& p : panels_) forward(p, y);
  backward(y);
  for (int i = 0; i < n_; ++i) x[original_[i]] = column_scale_[i] * y[i];
}

void BlockFactor::null_vector(int k, double* x) const {
  std::fill(x, x + n_, 0.0);
  null_vector_in_tree(k, x);
}

void BlockFactor::null_vector_in_tree(int k, double* x) const {
  double* y = y_.data();
  const int tree = tree_of_redundant(k);
  const int *begin = tree_panels_.data() + tree_start_[tree], *end = tree_panels_.data() + tree_start_[tree + 1];
  for (const int* p = begin; p < end; ++p) std::fill_n(y + panels_[*p].first, panels_[*p].width, 0.0);
  y[dead_[k]] = 1;
  for (const int* p = end; p > begin; --p) backward(panels_[p[-1]], y);
  for (const int* p = begin; p < end; ++p)
    for (int i = panels_[*p].first; i < panels_[*p].first + panels_[*p].width; ++i)
      x[original_[i]] = column_scale_[i] * y[i];
}

// ---- the elimination tree -------------------------------------------------------------------------------------------

void BlockFactor::find_trees() {
  const auto count = static_cast<int>(panels_.size());
  tree_of_.assign(count, 0);
  int trees = 0;
  for (int k = count - 1; k >= 0; --k)  // what lies below a panel hangs together, and comes later
    tree_of_[k] = panels_[k].rows == 0 ? trees++ : tree_of_[panel_of_[rows_[panels_[k].row_start]]];
  tree_start_.assign(trees + 1, 0);
  for (const int tree : tree_of_) ++tree_start_[tree + 1];
  for (int t = 0; t < trees; ++t) tree_start_[t + 1] += tree_start_[t];
  tree_panels_.resize(count);
  std::vector<int> next(tree_start_.begin(), tree_start_.end() - 1);
  for (int k = 0; k < count; ++k) tree_panels_[next[tree_of_[k]]++] = k;
  half_.assign(n_, 0.0);
  on_path_.assign(count, 0);
}

void BlockFactor::find_path(const Jacobian& G, const Jacobian::Block& block) const {
  path_.clear();
  for (int k = 0; k < block.ranges; ++k) {
    const Range& r = G.ranges(block)[k];
    for (int i = r.at, last = -1; i < r.at + r.n; ++i) {
      int panel = panel_of_[place_[i]];
      if (panel == last) continue;
      last = panel;
      while (on_path_[panel] == 0) {
        on_path_[panel] = 1;
        path_.push_back(panel);
        if (panels_[panel].rows == 0) break;
        panel = panel_of_[rows_[panels_[panel].row_start]];
      }
    }
  }
  std::sort(path_.begin(), path_.end());
  path_ranges_.clear();
  for (const int panel : path_) {
    on_path_[panel] = 0;
    path_ranges_.push_back({panels_[panel].first, panels_[panel].width});
  }
}

void BlockFactor::half_solve(const Jacobian& G, std::size_t from, Jacobian& out, bool transposed) const {
  out.clear();
  reached_.assign(panels_.size(), 0);
  const std::vector<double>& scale = transposed ? column_scale_ : row_scale_;
  double* y = half_.data();
  for (std::size_t b = from; b < G.blocks().size(); ++b) {
    const Jacobian::Block& block = G.blocks()[b];
    find_path(G, block);
    for (const int panel : path_) reached_[panel] += block.dim;
    double* to = out.add(block.dim, path_ranges_.data(), static_cast<int>(path_ranges_.size()));
    for (int i = 0; i < block.dim; ++i) {
      const double* g = G.row(block, i);
      for (int k = 0; k < block.ranges; ++k)
        for (int j = G.ranges(block)[k].at, end = j + G.ranges(block)[k].n; j < end; ++j)
          y[place_[j]] += scale[place_[j]] * *g++;
      for (const int panel : path_) {
        const Panel& p = panels_[panel];
        transposed ? forward_transposed(p, y) : forward(p, y);
        to = std::copy_n(y + p.first, p.width, to);
        std::fill_n(y + p.first, p.width, 0.0);
      }
    }
  }
}

long long BlockFactor::half_products() const {
  long long sum = 0;
  for (std::size_t k = 0; k < panels_.size(); ++k)
    sum += static_cast<long long>(reached_[k]) * reached_[k] * panels_[k].width;
  return sum;
}

long long BlockFactor::whole_products() const {
  long long sum = 0;
  for (int tree = 0; tree < trees(); ++tree) {
    const long long rows = reached_[tree_panels_[tree_start_[tree + 1] - 1]];  // all paths end at the root
    if (rows == 0) continue;
    long long entries = 0;
    for (int k = tree_start_[tree]; k < tree_start_[tree + 1]; ++k) {
      const Panel& p = panels_[tree_panels_[k]];
      entries += static_cast<long long>(p.width) * (p.width + p.rows);
    }
    sum += rows * entries;
  }
  return sum;
}

void BlockFactor::finish(const Jacobian& Y, const Jacobian::Block& block, int i, double* x) const {
  double* y = y_.data();
  const auto panels_of = [this](int tree, auto visit) {
    for (int k = tree_start_[tree + 1]; k-- > tree_start_[tree];) visit(panels_[tree_panels_[k]]);
  };
  for_each_tree(Y, block,
                [&](int tree) { panels_of(tree, [y](const Panel& p) { std::fill_n(y + p.first, p.width, 0.0); }); });
  const double* from = Y.row(block, i);
  for (int k = 0; k < block.ranges; ++k) {
    const Range& r = Y.ranges(block)[k];
    std::copy_n(from, r.n, y + r.at);
    from += r.n;
  }
  for_each_tree(Y, block, [&](int tree) {
    panels_of(tree, [&](const Panel& p) { backward(p, y); });
    panels_of(tree, [&](const Panel& p) {
      for (int k = p.first; k < p.first + p.width; ++k) x[original_[k]] = column_scale_[k] * y[k];
    });
  });
}

void BlockFactor::clear_tree(int tree, double* x) const {
  for (int k = tree_start_[tree]; k < tree_start_[tree + 1]; ++k) {
    const Panel& p = panels_[tree_panels_[k]];
    for (int i = p.first; i < p.first + p.width; ++i) x[original_[i]] = 0;
  }
}

}  // namespace ricochet
