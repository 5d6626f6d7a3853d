// Solutions with the factor, one, many, and halves of those that contacts ask for.
#include <Eigen/Dense>
#include <algorithm>
#include <array>

#include "ricochet/math/supernodal.hpp"

namespace ricochet {
namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using Map = Eigen::Map<Dense, 0, Eigen::OuterStride<>>;
using ConstMap = Eigen::Map<const Dense, 0, Eigen::OuterStride<>>;

/// body(first, count) of some columns at a time; `count()` is known where it is compiled.
template <class Body>
void for_each_few(int columns, Body body) {
  constexpr int kFew = 4;
  int j = 0;
  for (; j + kFew <= columns; j += kFew) body(j, std::integral_constant<int, kFew>());
  for (; j < columns; ++j) body(j, std::integral_constant<int, 1>());
}

/// visit(column of G, coordinate, value)
template <class Visit>
void for_each_entry(const Jacobian& G, Visit visit) {
  for (const Jacobian::Block& b : G.blocks())
    for (int i = 0; i < b.dim; ++i) {
      const double* entry = G.row(b, i);
      for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r)
        for (int j = r->at; j < r->at + r->n; ++j) visit(b.row + i, j, *entry++);
    }
}

}  // namespace

void SupernodalFactor::solve(double* x) const {
  double *y = y_.data(), *g = gathered_.data();
  for (int i = 0; i < n_; ++i) y[place_[static_cast<std::size_t>(i)]] = x[i];
  for (const Panel& p : panels_) {
    const double* L = values_.data() + p.values;
    const int* rows = rows_.data() + p.row_start;
    const std::ptrdiff_t stride = p.rows;
    for (int j = 0; j < p.width; ++j) {
      const double *column = L + j * stride, yj = y[p.first + j];
      for (int r = j + 1; r < p.width; ++r) y[p.first + r] -= column[r] * yj;
    }
    std::fill(g + p.width, g + p.rows, 0.0);
    for_each_few(p.width, [&](int j, auto count) {  // a few columns in one go over what is below
      const double *column = L + j * stride, *yj = y + p.first + j;
      for (int r = p.width; r < p.rows; ++r)
        for (int k = 0; k < count(); ++k) g[r] += column[r + k * stride] * yj[k];
    });
    for (int r = p.width; r < p.rows; ++r) y[rows[r]] -= g[r];
  }
  for (int i = 0; i < n_; ++i) y[i] /= D_[static_cast<std::size_t>(i)];
  for (auto p = panels_.rbegin(); p != panels_.rend(); ++p) {
    const double* L = values_.data() + p->values;
    const int* rows = rows_.data() + p->row_start;
    const std::ptrdiff_t stride = p->rows;
    for (int r = p->width; r < p->rows; ++r) g[r] = y[rows[r]];
    for_each_few(p->width, [&](int j, auto count) {
      const double* column = L + j * stride;
      std::array<double, count()> s;
      for (int k = 0; k < count(); ++k) s[k] = y[p->first + j + k];
      for (int r = p->width; r < p->rows; ++r)
        for (int k = 0; k < count(); ++k) s[k] -= column[r + k * stride] * g[r];
      for (int k = 0; k < count(); ++k) y[p->first + j + k] = s[k];
    });
    for (int j = p->width - 1; j >= 0; --j) {
      const double* column = L + j * stride;
      for (int r = j + 1; r < p->width; ++r) y[p->first + j] -= column[r] * y[p->first + r];
    }
  }
  for (int i = 0; i < n_; ++i) x[i] = y[place_[static_cast<std::size_t>(i)]];
}

// W = Z^T D^-1 Z with L Z = G. A column of Z begins at the lowest panel that it touches and goes up the tree of panels.
// Columns in the order of where they begin are neighbours in every panel that they reach, so that a panel has a range
// of them: its part of Z is a dense matrix, kept with a row for each column.
void SupernodalFactor::compliance(const Jacobian& G, double* W) {
  const int m = G.rows();
  place_columns(G);
  std::fill(Z_.begin(), Z_.end(), 0.0);
  put_columns(G);
  double* sum = room(sum_, std::ptrdiff_t{m} * m);
  std::fill_n(sum, std::ptrdiff_t{m} * m, 0.0);
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    const Reach& reach = reach_[k];
    if (reach.end <= reach.begin) continue;
    eliminate(panels_[k], reach);
    pass_on(panels_[k], reach);
    add_square(panels_[k], reach, sum, m);
  }
  for (int j = 0; j < m; ++j)
    for (int i = j; i < m; ++i) {
      const int a = column_order_[static_cast<std::size_t>(i)], b = column_order_[static_cast<std::size_t>(j)];
      W[a + std::ptrdiff_t{b} * m] = W[b + std::ptrdiff_t{a} * m] = sum[i + std::ptrdiff_t{j} * m];
    }
}

void SupernodalFactor::place_columns(const Jacobian& G) {
  const auto m = static_cast<std::size_t>(G.rows());
  std::vector<int>& begins = column_begin_;
  begins.assign(m, n_);
  for_each_entry(G, [&](int column, int coordinate, double) {
    int& begin = begins[static_cast<std::size_t>(column)];
    begin = std::min(begin, place_[static_cast<std::size_t>(coordinate)]);
  });
  column_order_.resize(m);
  column_place_.resize(m);
  for (std::size_t i = 0; i < m; ++i) column_order_[i] = static_cast<int>(i);
  std::stable_sort(column_order_.begin(), column_order_.end(), [&](int a, int b) {
    return begins[static_cast<std::size_t>(a)] < begins[static_cast<std::size_t>(b)];
  });
  for (std::size_t i = 0; i < m; ++i) column_place_[static_cast<std::size_t>(column_order_[i])] = static_cast<int>(i);
  reach_.assign(panels_.size(), {static_cast<int>(m), 0, 0});
  const auto widen = [&](int panel, int begin, int end) {
    Reach& r = reach_[static_cast<std::size_t>(panel)];
    r.begin = std::min(r.begin, begin);
    r.end = std::max(r.end, end);
  };
  for_each_entry(G, [&](int column, int coordinate, double) {
    const int at = column_place_[static_cast<std::size_t>(column)];
    widen(panel_of_[static_cast<std::size_t>(place_[static_cast<std::size_t>(coordinate)])], at, at + 1);
  });
  std::ptrdiff_t used = 0;
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    const Panel& p = panels_[k];
    Reach& r = reach_[k];
    if (r.end <= r.begin) continue;
    r.values = used;
    used += std::ptrdiff_t{r.end - r.begin} * p.width;
    if (p.rows > p.width)
      widen(panel_of_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(p.row_start + p.width)])], r.begin,
            r.end);
  }
  Z_.resize(static_cast<std::size_t>(used));
}

void SupernodalFactor::put_columns(const Jacobian& G) {
  for_each_entry(G, [&](int column, int coordinate, double value) {
    const int place = place_[static_cast<std::size_t>(coordinate)];
    const auto k = static_cast<std::size_t>(panel_of_[static_cast<std::size_t>(place)]);
    const Reach& r = reach_[k];
    Z_[static_cast<std::size_t>(r.values + column_place_[static_cast<std::size_t>(column)] - r.begin +
                                std::ptrdiff_t{place - panels_[k].first} * (r.end - r.begin))] += value;
  });
}

/// The panel's own part of L Z = G.
void SupernodalFactor::eliminate(const Panel& panel, const Reach& reach) {
  const int count = reach.end - reach.begin;
  double* Z = Z_.data() + reach.values;
  const double* L = values_.data() + panel.values;
  for (int begin = 0; begin < panel.width; begin += kTogether) {
    const int end = std::min(begin + kTogether, panel.width);
    for (int j = begin; j < end; ++j)
      for (int i = begin; i < j; ++i) {
        const double f = L[j + std::ptrdiff_t{i} * panel.rows], *left = Z + std::ptrdiff_t{i} * count;
        double* own = Z + std::ptrdiff_t{j} * count;
        for (int c = 0; c < count; ++c) own[c] -= left[c] * f;
      }
    if (end < panel.width)
      multiply_.subtract({Z + std::ptrdiff_t{begin} * count, count, count},
                         {L + end + std::ptrdiff_t{begin} * panel.rows, panel.width - end, panel.rows}, end - begin,
                         Z + std::ptrdiff_t{end} * count, count);
  }
}

/// What the panel's part takes off those above it.
void SupernodalFactor::pass_on(const Panel& panel, const Reach& reach) {
  const int count = reach.end - reach.begin, below = panel.rows - panel.width;
  double* C = room(product_, std::ptrdiff_t{count} * below);
  std::fill_n(C, std::ptrdiff_t{count} * below, 0.0);
  multiply_.subtract({Z_.data() + reach.values, count, count},
                     {values_.data() + panel.values + panel.width, below, panel.rows}, panel.width, C, count);
  const int* rows = rows_.data() + panel.row_start + panel.width;
  for (int r = 0; r < below; ++r, C += count) {
    const auto k = static_cast<std::size_t>(panel_of_[static_cast<std::size_t>(rows[r])]);
    const Reach& to = reach_[k];
    double* own = Z_.data() + to.values + reach.begin - to.begin +
                  std::ptrdiff_t{rows[r] - panels_[k].first} * (to.end - to.begin);
    for (int c = 0; c < count; ++c) own[c] += C[c];
  }
}

/// Z^T D^-1 Z of the panel, the lower half.
void SupernodalFactor::add_square(const Panel& panel, const Reach& reach, double* sum, int m) {
  constexpr int kColumns = 64;
  const int count = reach.end - reach.begin;
  const double* Z = Z_.data() + reach.values;
  double* scaled = room(scaled_, std::ptrdiff_t{count} * panel.width);
  for (int k = 0; k < panel.width; ++k) {
    const double f = -1 / D_[static_cast<std::size_t>(panel.first + k)];
    for (int c = 0; c < count; ++c) scaled[c + std::ptrdiff_t{k} * count] = f * Z[c + std::ptrdiff_t{k} * count];
  }
  for (int first = 0; first < count; first += kColumns)
    multiply_.subtract({scaled + first, count - first, count}, {Z + first, std::min(kColumns, count - first), count},
                       panel.width, sum + (reach.begin + first) * (std::ptrdiff_t{m} + 1), m);
}

void SupernodalFactor::solve(double* X, int count) const {
  constexpr int kColumns = 32;
  const auto columns = static_cast<std::size_t>(std::min(count, kColumns));
  if (many_.size() < columns * static_cast<std::size_t>(n_)) many_.resize(columns * static_cast<std::size_t>(n_));
  if (below_.size() < columns * gathered_.size()) below_.resize(columns * gathered_.size());
  Map Y(many_.data(), n_, static_cast<Index>(columns), Eigen::OuterStride<>(n_));
  const auto longest = static_cast<Index>(gathered_.size());
  Map gathered(below_.data(), longest, static_cast<Index>(columns), Eigen::OuterStride<>(longest));
  for (int first = 0; first < count; first += kColumns) {
    const int c = std::min(kColumns, count - first);
    for (int k = 0; k < c; ++k)
      for (int i = 0; i < n_; ++i) Y(place_[static_cast<std::size_t>(i)], k) = X[std::ptrdiff_t{first + k} * n_ + i];
    for (const Panel& p : panels_) {
      const int m = p.rows - p.width;
      const double* L = values_.data() + p.values;
      const ConstMap top(L, p.width, p.width, Eigen::OuterStride<>(p.rows));
      auto own = Y.block(p.first, 0, p.width, c);
      top.triangularView<Eigen::UnitLower>().solveInPlace(own);
      if (m == 0) continue;
      const ConstMap below(L + p.width, m, p.width, Eigen::OuterStride<>(p.rows));
      gathered.topLeftCorner(m, c).noalias() = below * own;
      const int* rows = rows_.data() + p.row_start + p.width;
      for (int k = 0; k < c; ++k)
        for (int r = 0; r < m; ++r) Y(rows[r], k) -= gathered(r, k);
    }
    for (int k = 0; k < c; ++k)
      for (int i = 0; i < n_; ++i) Y(i, k) /= D_[static_cast<std::size_t>(i)];
    for (auto p = panels_.rbegin(); p != panels_.rend(); ++p) {
      const int m = p->rows - p->width;
      const double* L = values_.data() + p->values;
      const ConstMap top(L, p->width, p->width, Eigen::OuterStride<>(p->rows));
      auto own = Y.block(p->first, 0, p->width, c);
      if (m > 0) {
        const int* rows = rows_.data() + p->row_start + p->width;
        for (int k = 0; k < c; ++k)
          for (int r = 0; r < m; ++r) gathered(r, k) = Y(rows[r], k);
        const ConstMap below(L + p->width, m, p->width, Eigen::OuterStride<>(p->rows));
        own.noalias() -= below.transpose() * gathered.topLeftCorner(m, c);
      }
      top.triangularView<Eigen::UnitLower>().transpose().solveInPlace(own);
    }
    for (int k = 0; k < c; ++k)
      for (int i = 0; i < n_; ++i) X[std::ptrdiff_t{first + k} * n_ + i] = Y(place_[static_cast<std::size_t>(i)], k);
  }
}

}  // namespace ricochet
