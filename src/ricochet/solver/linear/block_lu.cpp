#include "ricochet/solver/linear/block_lu.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "ricochet/math/team.hpp"

namespace ricochet::detail {
namespace {

constexpr int kNaturalOrder = 24;  ///< up to here an ordering costs more than it saves
constexpr int kBranches = 8;       ///< a branch is at most this part of the whole work
/// Minimum degree leaves open who comes first of those with equal degrees, and in a pile in space much depends on it:
/// 2.3 to 3.2 million products for 1,148 contacts. From so many on, a factor costs as much as another order.
constexpr long long kDear = 1500000;
constexpr double kSteps[] = {0.618, 0.414, 0.382};
constexpr int kOrders = 1 + static_cast<int>(std::size(kSteps));

/// out := A^-1 of a 3 x 3 block, row major, complete pivoting; false if singular to working precision.
bool invert(const double* A, double* out) {
  double a[3][3], inverse[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a[i][j] = A[3 * i + j], largest = std::max(largest, std::abs(a[i][j]));
  int column_of[3];
  bool used[3] = {};
  for (int step = 0; step < 3; ++step) {
    int r = -1, c = -1;
    double best = 1e-15 * largest;
    for (int i = step; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (!used[j] && std::abs(a[i][j]) > best) best = std::abs(a[i][j]), r = i, c = j;
    if (r < 0) return false;
    std::swap_ranges(a[r], a[r] + 3, a[step]);
    std::swap_ranges(inverse[r], inverse[r] + 3, inverse[step]);
    used[c] = true;
    column_of[step] = c;
    const double scale = 1 / a[step][c];
    for (int j = 0; j < 3; ++j) a[step][j] *= scale, inverse[step][j] *= scale;
    for (int i = 0; i < 3; ++i) {
      if (i == step) continue;
      const double f = a[i][c];
      if (f == 0) continue;
      for (int j = 0; j < 3; ++j) a[i][j] -= f * a[step][j], inverse[i][j] -= f * inverse[step][j];
    }
  }
  for (int i = 0; i < 3; ++i) std::copy(inverse[i], inverse[i] + 3, out + 3 * column_of[i]);
  return true;
}

/// One row of blocks minus L times an upper row, run by run: `row` holds three scalar rows of length `stride`.
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("tree-vectorize"))) void eliminate(
    double* __restrict row, std::ptrdiff_t stride, const double* __restrict L, const double* __restrict U, int width,
    const int* at, const int* length, int runs) {
  const double l00 = L[0], l01 = L[1], l02 = L[2], l10 = L[3], l11 = L[4], l12 = L[5], l20 = L[6], l21 = L[7],
               l22 = L[8];
  const double *u0 = U, *u1 = U + width, *u2 = U + 2 * width;
  for (int k = 0; k < runs; ++k) {
    double *w0 = row + 3 * at[k], *w1 = w0 + stride, *w2 = w1 + stride;
    const int count = 3 * length[k];
    for (int j = 0; j < count; ++j) {
      const double a = u0[j], b = u1[j], c = u2[j];
      w0[j] -= l00 * a + l01 * b + l02 * c;
      w1[j] -= l10 * a + l11 * b + l12 * c;
      w2[j] -= l20 * a + l21 * b + l22 * c;
    }
    u0 += count, u1 += count, u2 += count;
  }
}

/// Two rows of blocks at once; each number comes out as by `eliminate`.
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("tree-vectorize"))) void eliminate_twins(
    double* __restrict row, double* __restrict next, std::ptrdiff_t stride, const double* __restrict L,
    const double* __restrict M, const double* __restrict U, int width, const int* at, const int* length, int runs) {
  const double l00 = L[0], l01 = L[1], l02 = L[2], l10 = L[3], l11 = L[4], l12 = L[5], l20 = L[6], l21 = L[7],
               l22 = L[8];
  const double m00 = M[0], m01 = M[1], m02 = M[2], m10 = M[3], m11 = M[4], m12 = M[5], m20 = M[6], m21 = M[7],
               m22 = M[8];
  const double *u0 = U, *u1 = U + width, *u2 = U + 2 * width;
  for (int k = 0; k < runs; ++k) {
    double *w0 = row + 3 * at[k], *w1 = w0 + stride, *w2 = w1 + stride;
    double *v0 = next + 3 * at[k], *v1 = v0 + stride, *v2 = v1 + stride;
    const int count = 3 * length[k];
#pragma GCC ivdep
    for (int j = 0; j < count; ++j) {
      const double a = u0[j], b = u1[j], c = u2[j];
      w0[j] -= l00 * a + l01 * b + l02 * c;
      w1[j] -= l10 * a + l11 * b + l12 * c;
      w2[j] -= l20 * a + l21 * b + l22 * c;
      v0[j] -= m00 * a + m01 * b + m02 * c;
      v1[j] -= m10 * a + m11 * b + m12 * c;
      v2[j] -= m20 * a + m21 * b + m22 * c;
    }
    u0 += count, u1 += count, u2 += count;
  }
}

}  // namespace

void BlockLU::analyse(int n, const std::vector<int>& pointers, const std::vector<int>& columns) {
  if (n == n_ && pointers == pointers_ && columns == columns_) return;
  n_ = n;
  pointers_ = pointers;
  columns_ = columns;
  chosen_ = false;
  order(0);
  symbolic();
  first_cost_ = cost_;
}

// Not before something is factorised: who only asks for the cost does not pay for more than one order.
void BlockLU::choose_order() {
  chosen_ = true;
  if (cost_ < kDear) return;
  int best = 0;
  long long least = cost_;
  for (int attempt = 1; attempt < kOrders; ++attempt) {
    order(attempt);
    symbolic();
    if (cost_ < least) least = cost_, best = attempt;
  }
  if (best == kOrders - 1) return;
  order(best);
  symbolic();
}

void BlockLU::order(int attempt) {
  original_.resize(n_), position_.resize(n_);
  if (n_ <= kNaturalOrder) {
    for (int i = 0; i < n_; ++i) original_[i] = position_[i] = i;
    return;
  }
  // Another attempt counts the contacts in steps of a part of all that has no divisor in common with them.
  long long step = attempt == 0 ? 1 : static_cast<long long>(kSteps[attempt - 1] * n_);
  while (std::gcd(step, static_cast<long long>(n_)) != 1) ++step;
  const auto label = [&](int i) { return static_cast<int>(step * i % n_); };
  next_.resize(n_);
  using Matrix = Eigen::SparseMatrix<char, Eigen::ColMajor, int>;
  Matrix graph(n_, n_);
  std::vector<Eigen::Triplet<char, int>> entries;
  for (int i = 0; i < n_; ++i)
    for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) entries.emplace_back(label(i), label(columns_[k]), 1);
  graph.setFromTriplets(entries.begin(), entries.end(), [](char, char) { return char{1}; });
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  const int* labels = permutation.indices().data();
  for (int i = 0; i < n_; ++i) next_[label(i)] = i;  // the contact of a label
  for (int i = 0; i < n_; ++i) position_[original_[i] = next_[labels[i]]] = i;
}

void BlockLU::symbolic() {
  // Row patterns above the diagonal; each is merged into its first one (the parent in the elimination tree).
  if (static_cast<int>(rows_.size()) < n_) rows_.resize(n_);
  auto& rows = rows_;
  for (int i = 0; i < n_; ++i) rows[i].clear();
  for (int i = 0; i < n_; ++i)
    for (int k = pointers_[i]; k < pointers_[i + 1]; ++k) {
      const int a = position_[i], b = position_[columns_[k]];
      if (a != b) rows[std::min(a, b)].push_back(std::max(a, b));
    }
  for (int i = 0; i < n_; ++i) {
    std::vector<int>& row = rows[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    if (row.empty()) continue;
    std::vector<int>& parent = rows[row[0]];
    parent.insert(parent.end(), row.begin() + 1, row.end());
  }
  upper_start_.assign(n_ + 1, 0);
  lower_start_.assign(n_ + 1, 0);
  run_start_.assign(n_ + 1, 0);
  upper_col_.clear(), run_at_.clear(), run_length_.clear();
  for (int i = 0; i < n_; ++i) {
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const int c = rows[i][k];
      ++lower_start_[c + 1];
      if (k > 0 && rows[i][k - 1] + 1 == c) {
        ++run_length_.back();
      } else {
        run_at_.push_back(c), run_length_.push_back(1);
      }
    }
    upper_col_.insert(upper_col_.end(), rows[i].begin(), rows[i].end());
    upper_start_[i + 1] = static_cast<int>(upper_col_.size());
    run_start_[i + 1] = static_cast<int>(run_at_.size());
  }
  for (int i = 0; i < n_; ++i) lower_start_[i + 1] += lower_start_[i];
  lower_col_.resize(upper_col_.size());
  next_.assign(lower_start_.begin(), lower_start_.end() - 1);
  for (int i = 0; i < n_; ++i)
    for (int k = upper_start_[i]; k < upper_start_[i + 1]; ++k) lower_col_[next_[upper_col_[k]]++] = i;
  upper_.resize(9 * upper_col_.size());
  lower_.resize(9 * upper_col_.size());
  pivot_.resize(9 * static_cast<std::size_t>(n_));
  alone_.assign(n_, 0);
  work_.clear();
  x_.resize(3 * static_cast<std::size_t>(n_));
  branches();
}

void BlockLU::branches() {
  twin_.assign(n_, 0);
  for (int i = 0; i + 1 < n_; ++i) {
    const int a = upper_start_[i], b = upper_start_[i + 1], c = upper_start_[i + 2];
    twin_[i] = b - a == c - b + 1 && upper_col_[a] == i + 1;  // the rest follows: the parent's row holds the child's
  }
  // Costs of rows, then of all that hangs below them; a row's parent is its first column.
  std::vector<long long>& below = below_;
  below.assign(n_, 0);
  cost_ = 0;
  for (int i = 0; i < n_; ++i) {
    long long own = 1;
    for (int l = lower_start_[i]; l < lower_start_[i + 1]; ++l)
      own += 1 + upper_start_[lower_col_[l] + 1] - upper_start_[lower_col_[l]];
    below[i] += own;
    cost_ += own;
    if (upper_start_[i] < upper_start_[i + 1]) below[upper_col_[upper_start_[i]]] += below[i];
  }
  branch_start_.assign(1, 0), branch_row_.clear(), top_.clear(), top_start_.assign(1, 0);
  if (cost_ < worth) return;
  // Downwards: a row belongs to its parent's branch, or starts one below the top, or is of the top.
  std::vector<int>& branch = next_;
  int count = 0;
  for (int i = n_ - 1; i >= 0; --i) {
    const int parent = upper_start_[i] < upper_start_[i + 1] ? upper_col_[upper_start_[i]] : -1;
    branch[i] = below[i] * kBranches > cost_ ? -1 : parent < 0 || branch[parent] < 0 ? count++ : branch[parent];
  }
  branch_start_.assign(count + 1, 0);
  for (int i = 0; i < n_; ++i)
    if (branch[i] >= 0) ++branch_start_[branch[i] + 1];
  for (int k = 0; k < count; ++k) branch_start_[k + 1] += branch_start_[k];
  branch_row_.resize(branch_start_[count]);
  for (int i = 0; i < n_; ++i) {
    if (branch[i] < 0) {
      top_.push_back(i);
    } else {
      branch_row_[branch_start_[branch[i]]++] = i;
    }
  }
  for (int k = count; k > 0; --k) branch_start_[k] = branch_start_[k - 1];
  branch_start_[0] = 0;
  for (int r = 0, end = static_cast<int>(top_.size()); r < end; top_start_.push_back(r)) r += together(top_, r, end);
  finished_.assign(n_, std::numeric_limits<int>::max());
  for (const int i : top_) finished_[i] = 0;
  round_ = 0;
}

[[gnu::always_inline]] inline void BlockLU::take_row(int i, const double* blocks, double* w) const {
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(n_);
  const int source = original_[i];
  for (int k = pointers_[source]; k < pointers_[source + 1]; ++k) {
    const double* A = blocks + 9 * static_cast<std::ptrdiff_t>(k);
    const std::ptrdiff_t c = 3 * static_cast<std::ptrdiff_t>(position_[columns_[k]]);
    for (int b = 0; b < 3; ++b)
      for (int a = 0; a < 3; ++a) w[a * stride + c + b] = A[a + 3 * b];
  }
}

/// L_ik = W_ik D_k^-1, place l of the lower pattern; false if there is nothing to eliminate, L or all of U_k zero.
[[gnu::always_inline]] inline bool BlockLU::lower_block(int l, double* w) {
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(n_);
  const int k = lower_col_[l];
  double* L = lower_.data() + 9 * static_cast<std::ptrdiff_t>(l);
  const double* D = pivot_.data() + 9 * static_cast<std::ptrdiff_t>(k);
  for (int a = 0; a < 3; ++a) {
    double* wk = w + a * stride + 3 * k;
    for (int b = 0; b < 3; ++b) L[3 * a + b] = wk[0] * D[b] + wk[1] * D[3 + b] + wk[2] * D[6 + b];
    wk[0] = wk[1] = wk[2] = 0;
  }
  bool any = false;
  for (int i = 0; i < 9; ++i) any = any || L[i] != 0;
  return any && alone_[k] == 0;
}

/// Pivot and upper part out of w, which is zero again after that.
int BlockLU::finish_row(int i, double* w) {
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(n_);
  double D[9];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double& from = w[a * stride + 3 * i + b];
      D[3 * a + b] = from;
      from = 0;
    }
  double* P = pivot_.data() + 9 * static_cast<std::ptrdiff_t>(i);
  const bool regular = invert(D, P);
  if (!regular) std::fill(P, P + 9, 0.0);
  const int start = upper_start_[i], width = 3 * (upper_start_[i + 1] - start);
  double* U = upper_.data() + 9 * static_cast<std::ptrdiff_t>(start);
  bool any = false;
  for (int r = run_start_[i]; r < run_start_[i + 1]; ++r) {
    const int count = 3 * run_length_[r];
    for (int a = 0; a < 3; ++a) {
      double* from = w + a * stride + 3 * run_at_[r];
      for (int j = 0; j < count && !any; ++j) any = from[j] != 0;
      std::copy(from, from + count, U + a * width);
      std::fill(from, from + count, 0.0);
    }
    U += count;
  }
  alone_[i] = any ? 0 : 1;
  return regular ? 0 : 1;
}

template <class Wait>
int BlockLU::factorise_rows(int i, int count, const double* blocks, double* w, Wait wait) {
  const std::ptrdiff_t stride = 3 * static_cast<std::ptrdiff_t>(n_);
  double* v = w + 3 * stride;
  const auto lower = [&](int l) { return lower_.data() + 9 * static_cast<std::ptrdiff_t>(l); };
  const auto by = [&](int k, auto&& kernel) {
    const int start = upper_start_[k], runs = run_start_[k];
    kernel(upper_.data() + 9 * static_cast<std::ptrdiff_t>(start), 3 * (upper_start_[k + 1] - start),
           run_at_.data() + runs, run_length_.data() + runs, run_start_[k + 1] - runs);
  };
  const auto one = [&](int k, double* row, const double* L) {
    by(k, [&](auto... upper) { eliminate(row, stride, L, upper...); });
  };
  take_row(i, blocks, w);
  if (count == 2) take_row(i + 1, blocks, v);
  // Both lists of rows to eliminate by, merged; the twin's last one is row i itself and comes after it is done.
  int l = lower_start_[i], m = lower_start_[i + 1];
  const int l_end = m, m_end = count == 2 ? lower_start_[i + 2] - 1 : m;
  while (l < l_end || m < m_end) {
    const int k = std::min(l < l_end ? lower_col_[l] : n_, m < m_end ? lower_col_[m] : n_);
    wait(k);
    const bool first = l < l_end && lower_col_[l] == k, second = m < m_end && lower_col_[m] == k;
    const bool own = first && lower_block(l, w), other = second && lower_block(m, v);
    if (own && other) {
      by(k, [&](auto... upper) { eliminate_twins(w, v, stride, lower(l), lower(m), upper...); });
    } else if (own) {
      one(k, w, lower(l));
    } else if (other) {
      one(k, v, lower(m));
    }
    l += first ? 1 : 0, m += second ? 1 : 0;
  }
  int replaced = finish_row(i, w);
  if (count == 1) return replaced;
  if (lower_block(m_end, v)) one(i, v, lower(m_end));
  replaced += finish_row(i + 1, v);
  return replaced;
}

int BlockLU::factorise(const double* blocks) {
  if (!chosen_) choose_order();
  if (shared()) return factorise_shared(blocks);
  work_.resize(18 * static_cast<std::size_t>(n_));
  int replaced = 0;
  for (int i = 0; i < n_;) {
    const int count = twin_[i] != 0 ? 2 : 1;
    replaced += factorise_rows(i, count, blocks, work_.data(), [](int) {});
    i += count;
  }
  return replaced;
}

int BlockLU::sign() const {
  bool negative = false;
  for (int i = 0; i < n_; ++i) {
    const double* P = pivot_.data() + 9 * static_cast<std::ptrdiff_t>(i);
    const double determinant =
        P[0] * (P[4] * P[8] - P[5] * P[7]) - P[1] * (P[3] * P[8] - P[5] * P[6]) + P[2] * (P[3] * P[7] - P[4] * P[6]);
    negative = negative != (determinant < 0);
  }
  return negative ? -1 : 1;
}

int BlockLU::factorise_shared(const double* blocks) {
  const std::size_t own = 18 * static_cast<std::size_t>(n_);
  work_.resize(own * static_cast<std::size_t>(team->size()));
  std::atomic<int> replaced{0};
  take_turns(*team, static_cast<int>(branch_start_.size()) - 1, [&](int branch, int part) {
    const int end = branch_start_[branch + 1];
    for (int r = branch_start_[branch]; r < end;) {
      const int count = together(branch_row_, r, end);
      replaced += factorise_rows(branch_row_[r], count, blocks, work_.data() + own * part, [](int) {});
      r += count;
    }
  });
  // Taken in order, a row waits for rows only that somebody is at.
  const int round = ++round_;
  take_turns(*team, static_cast<int>(top_start_.size()) - 1, [&](int task, int part) {
    const auto wait = [&](int k) {
      const std::atomic_ref<int> finished(finished_[k]);
      for (int turn = 0; finished.load(std::memory_order_acquire) < round; ++turn) pause_briefly(turn);
    };
    const int begin = top_start_[task], end = top_start_[task + 1];
    replaced += factorise_rows(top_[begin], end - begin, blocks, work_.data() + own * part, wait);
    for (int r = begin; r < end; ++r) std::atomic_ref<int>(finished_[top_[r]]).store(round, std::memory_order_release);
  });
  return replaced;
}

void BlockLU::forward(int i, const double* x) {
  double* y = x_.data();
  const double* b = x + 3 * original_[i];
  double s0 = b[0], s1 = b[1], s2 = b[2];
  for (int l = lower_start_[i]; l < lower_start_[i + 1]; ++l) {
    const double *L = lower_.data() + 9 * static_cast<std::ptrdiff_t>(l), *v = y + 3 * lower_col_[l];
    s0 -= L[0] * v[0] + L[1] * v[1] + L[2] * v[2];
    s1 -= L[3] * v[0] + L[4] * v[1] + L[5] * v[2];
    s2 -= L[6] * v[0] + L[7] * v[1] + L[8] * v[2];
  }
  y[3 * i] = s0, y[3 * i + 1] = s1, y[3 * i + 2] = s2;
}

void BlockLU::backward(int i) {
  double* y = x_.data();
  double s[3] = {y[3 * i], y[3 * i + 1], y[3 * i + 2]};
  const int start = upper_start_[i], width = 3 * (upper_start_[i + 1] - start);
  const double* U = upper_.data() + 9 * static_cast<std::ptrdiff_t>(start);
  for (int k = start; k < upper_start_[i + 1]; ++k, U += 3) {
    const double* v = y + 3 * upper_col_[k];
    for (int a = 0; a < 3; ++a) s[a] -= U[a * width] * v[0] + U[a * width + 1] * v[1] + U[a * width + 2] * v[2];
  }
  const double* P = pivot_.data() + 9 * static_cast<std::ptrdiff_t>(i);
  double* out = y + 3 * i;
  for (int a = 0; a < 3; ++a) out[a] = P[3 * a] * s[0] + P[3 * a + 1] * s[1] + P[3 * a + 2] * s[2];
}

void BlockLU::solve(double* x) {
  const double* y = x_.data();
  if (shared()) {
    const int branches = static_cast<int>(branch_start_.size()) - 1;
    take_turns(*team, branches, [&](int branch, int) {
      for (int r = branch_start_[branch]; r < branch_start_[branch + 1]; ++r) forward(branch_row_[r], x);
    });
    for (const int i : top_) forward(i, x);
    for (auto i = top_.rbegin(); i != top_.rend(); ++i) backward(*i);
    take_turns(*team, branches, [&](int branch, int) {
      for (int r = branch_start_[branch + 1]; r-- > branch_start_[branch];) backward(branch_row_[r]);
    });
  } else {
    for (int i = 0; i < n_; ++i) forward(i, x);
    for (int i = n_ - 1; i >= 0; --i) backward(i);
  }
  for (int i = 0; i < n_; ++i) std::copy(y + 3 * i, y + 3 * i + 3, x + 3 * original_[i]);
}

}  // namespace ricochet::detail
