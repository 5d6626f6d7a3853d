#pragma once
// Sparse symmetric patterns of nodes, with d x d blocks or multiples of the identity.
#include <algorithm>
#include <span>
#include <vector>

#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// Which nodes have an element in common. Nodes are numbered without those that are clamped.
struct NodePairs {
  std::vector<int> start{0};  ///< (nodes + 1)
  std::vector<int> other;     ///< ascending in each row, the node itself among them
  bool chain = false;         ///< each node has the one before and the one after it, and no others
  int nodes() const { return static_cast<int>(start.size()) - 1; }
  int pairs() const { return static_cast<int>(other.size()); }
  /// Place of (i, j), which is there.
  int find(int i, int j) const {
    const auto begin = other.begin() + start[static_cast<std::size_t>(i)],
               end = other.begin() + start[static_cast<std::size_t>(i) + 1];
    return static_cast<int>(std::lower_bound(begin, end, j) - other.begin());
  }
};

/// `elements`: nodes of each, -1 for clamped ones.
NodePairs find_pairs(int nodes, std::span<const std::span<const int>> elements);

/// visit(row, A x of the row) of a chain with one number a pair: no place has to be looked up.
template <class Visit>
void each_row_of_chain(const NodePairs& p, const double* value, const double* x, Visit visit) {
  const int n = p.nodes();
  if (n == 1) return visit(0, value[0] * x[0]);
  double before = x[0], here = x[1];
  visit(0, value[0] * before + value[1] * here);
  const double* row = value + 2;
  for (int i = 1; i + 1 < n; ++i, row += 3) {
    const double after = x[i + 1];
    visit(i, row[0] * before + row[1] * here + row[2] * after);
    before = here;
    here = after;
  }
  visit(n - 1, row[0] * before + row[1] * here);
}

/// y += c A x with blocks value[pair] of D x D, row by row.
template <int D>
void add_blocks_times(const NodePairs& p, const double* value, double c, ConstView x, View y) {
  if constexpr (D == 1)
    if (p.chain) return each_row_of_chain(p, value, x.data(), [&](int i, double s) { y[i] += c * s; });
  for (int i = 0; i < p.nodes(); ++i) {
    double s[D] = {};
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k) {
      const double* w = x.data() + D * p.other[static_cast<std::size_t>(k)];
      const double* block = value + D * D * k;
      for (int r = 0; r < D; ++r)
        for (int t = 0; t < D; ++t) s[r] += block[D * r + t] * w[t];
    }
    for (int r = 0; r < D; ++r) y[D * i + r] += c * s[r];
  }
}
/// The same with multiples of the identity.
template <int D>
void add_multiples_times(const NodePairs& p, const double* value, double c, ConstView x, View y) {
  if constexpr (D == 1) return add_blocks_times<1>(p, value, c, x, y);
  for (int i = 0; i < p.nodes(); ++i) {
    double s[D] = {};
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k) {
      const double* w = x.data() + D * p.other[static_cast<std::size_t>(k)];
      for (int r = 0; r < D; ++r) s[r] += value[k] * w[r];
    }
    for (int r = 0; r < D; ++r) y[D * i + r] += c * s[r];
  }
}
/// w^T A x
template <int D>
double blocks_product(const NodePairs& p, const double* value, ConstView w, ConstView x) {
  double sum = 0;
  if constexpr (D == 1)
    if (p.chain) {
      each_row_of_chain(p, value, x.data(), [&](int i, double s) { sum += w[i] * s; });
      return sum;
    }
  for (int i = 0; i < p.nodes(); ++i) {
    double s[D] = {};
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k) {
      const double* o = x.data() + D * p.other[static_cast<std::size_t>(k)];
      const double* block = value + D * D * k;
      for (int r = 0; r < D; ++r)
        for (int t = 0; t < D; ++t) s[r] += block[D * r + t] * o[t];
    }
    for (int r = 0; r < D; ++r) sum += w[D * i + r] * s[r];
  }
  return sum;
}
template <int D>
double multiples_product(const NodePairs& p, const double* value, ConstView w, ConstView x) {
  if constexpr (D == 1) return blocks_product<1>(p, value, w, x);
  double sum = 0;
  for (int i = 0; i < p.nodes(); ++i) {
    double s[D] = {};
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k) {
      const double* o = x.data() + D * p.other[static_cast<std::size_t>(k)];
      for (int r = 0; r < D; ++r) s[r] += value[k] * o[r];
    }
    for (int r = 0; r < D; ++r) sum += w[D * i + r] * s[r];
  }
  return sum;
}
template <int D>
void add_blocks(const NodePairs& p, const double* value, double c, Segment S) {
  for (int i = 0; i < p.nodes(); ++i)
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k)
      for (int r = 0; r < D; ++r)
        for (int t = 0; t < D; ++t)
          S.add(D * i + r, D * p.other[static_cast<std::size_t>(k)] + t, c * value[D * (D * k + r) + t]);
}
template <int D>
void add_multiples(const NodePairs& p, const double* value, double c, Segment S) {
  for (int i = 0; i < p.nodes(); ++i)
    for (int k = p.start[static_cast<std::size_t>(i)]; k < p.start[static_cast<std::size_t>(i) + 1]; ++k)
      for (int r = 0; r < D; ++r) S.add(D * i + r, D * p.other[static_cast<std::size_t>(k)] + r, c * value[k]);
}

}  // namespace ricochet
