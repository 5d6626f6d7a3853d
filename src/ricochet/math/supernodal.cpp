#include "ricochet/math/supernodal.hpp"

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

using Index = Eigen::Index;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
using Map = Eigen::Map<Dense, 0, Eigen::OuterStride<>>;
using ConstMap = Eigen::Map<const Dense, 0, Eigen::OuterStride<>>;

constexpr int kWidest = 96;     ///< columns of a panel: beyond, what is inside of it would dominate
constexpr int kNarrow = 24;     ///< columns below which panels are joined for few zeros
constexpr double kZeros = 0.2;  ///< part of a joined panel that may be zeros

}  // namespace

/// Panels of an order, over places.
struct SupernodalFactor::Symbolic {
  std::vector<int> place;
  std::vector<int> first;              // columns of the panels
  std::vector<std::vector<int>> rows;  // below the panel, ascending
  double flops = 0;
};

SupernodalFactor::Symbolic SupernodalFactor::symbolic(const Matrix& A, const std::vector<int>& place) {
  const int n = static_cast<int>(A.cols());
  Symbolic out;
  out.place = place;
  std::vector<int> original(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) original[static_cast<std::size_t>(place[static_cast<std::size_t>(i)])] = i;
  // Columns are put together panel by panel: the structure of a panel is that of its first column, of the matrix and of
  // the panels whose parent it is.
  std::vector<std::vector<int>> children(static_cast<std::size_t>(n));  // by the first row below: panels
  std::vector<int> mark(static_cast<std::size_t>(n), -1), structure;
  std::vector<int> pending;
  for (int j = 0; j < n;) {
    const int panel = static_cast<int>(out.first.size());
    structure.clear();
    const auto add = [&](int row) {
      if (row >= j && mark[static_cast<std::size_t>(row)] != panel) {
        mark[static_cast<std::size_t>(row)] = panel;
        structure.push_back(row);
      }
    };
    const auto add_column = [&](int column) {
      for (Matrix::InnerIterator it(A, original[static_cast<std::size_t>(column)]); it; ++it)
        add(place[static_cast<std::size_t>(it.row())]);
      for (const int child : children[static_cast<std::size_t>(column)])
        for (const int row : out.rows[static_cast<std::size_t>(child)]) add(row);
    };
    add(j);
    add_column(j);
    int width = 1;
    // The next column joins where it brings little that is new, and loses little.
    while (j + width < n && width < kWidest && mark[static_cast<std::size_t>(j + width)] == panel) {
      const int next = j + width;
      const std::size_t before = structure.size();
      std::size_t fresh = 0;
      const auto count = [&](int row) {
        if (row >= j && mark[static_cast<std::size_t>(row)] != panel) {
          mark[static_cast<std::size_t>(row)] = panel;
          structure.push_back(row);
          ++fresh;
        }
      };
      for (Matrix::InnerIterator it(A, original[static_cast<std::size_t>(next)]); it; ++it)
        count(place[static_cast<std::size_t>(it.row())]);
      for (const int child : children[static_cast<std::size_t>(next)])
        for (const int row : out.rows[static_cast<std::size_t>(child)]) count(row);
      const double zeros = static_cast<double>(fresh) * width;
      const double all = static_cast<double>(structure.size()) * (width + 1);
      const bool joins = fresh == 0 || (width < kNarrow && zeros < kZeros * all) || zeros < 0.05 * all;
      if (!joins) {
        for (std::size_t k = before; k < structure.size(); ++k) mark[static_cast<std::size_t>(structure[k])] = -1;
        structure.resize(before);
        break;
      }
      ++width;
    }
    std::sort(structure.begin(), structure.end());
    // its own columns come first, all of them
    std::vector<int> below;
    for (const int row : structure)
      if (row >= j + width) below.push_back(row);
    out.first.push_back(j);
    const double m = static_cast<double>(below.size()), w = width;
    out.flops += w * w * w / 6 + w * w * m / 2 + w * m * m / 2;
    if (!below.empty()) children[static_cast<std::size_t>(below.front())].push_back(panel);
    out.rows.push_back(std::move(below));
    j += width;
  }
  out.first.push_back(n);
  return out;
}

void SupernodalFactor::analyse(const Matrix& A) {
  n_ = static_cast<int>(A.cols());
  std::vector<int> natural(static_cast<std::size_t>(n_)), degree(static_cast<std::size_t>(n_));
  for (int i = 0; i < n_; ++i) natural[static_cast<std::size_t>(i)] = i;
  Eigen::AMDOrdering<int> amd;
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> p;
  amd(A, p);  // p maps places to columns
  for (int i = 0; i < n_; ++i) degree[static_cast<std::size_t>(p.indices()[i])] = i;
  Symbolic own = symbolic(A, natural), other = symbolic(A, degree);
  lay_out(A, own.flops <= other.flops ? own : other);
}

void SupernodalFactor::lay_out(const Matrix&, const Symbolic& s) {
  flops_ = s.flops;
  place_ = s.place;
  original_.resize(place_.size());
  for (int i = 0; i < n_; ++i) original_[static_cast<std::size_t>(place_[static_cast<std::size_t>(i)])] = i;
  panels_.clear();
  rows_.clear();
  panel_of_.resize(static_cast<std::size_t>(n_));
  std::ptrdiff_t used = 0;
  std::size_t widest = 0;
  for (std::size_t k = 0; k + 1 < s.first.size(); ++k) {
    const int first = s.first[k], width = s.first[k + 1] - first;
    const int start = static_cast<int>(rows_.size());
    for (int j = first; j < first + width; ++j) {
      rows_.push_back(j);
      panel_of_[static_cast<std::size_t>(j)] = static_cast<int>(k);
    }
    rows_.insert(rows_.end(), s.rows[k].begin(), s.rows[k].end());
    const int rows = static_cast<int>(rows_.size()) - start;
    panels_.push_back({first, width, start, rows, used});
    used += std::ptrdiff_t{rows} * width;
    widest = std::max(widest, static_cast<std::size_t>(rows));
  }
  values_.resize(static_cast<std::size_t>(used));
  D_.resize(static_cast<std::size_t>(n_));
  relative_.resize(static_cast<std::size_t>(n_));
  y_.resize(static_cast<std::size_t>(n_));
  gathered_.resize(widest);
  next_.resize(panels_.size());
  head_.resize(panels_.size());
  reached_.resize(panels_.size());
}

void SupernodalFactor::assemble(const Matrix& A, const Panel& panel) {
  double* values = values_.data() + panel.values;
  std::fill(values, values + std::ptrdiff_t{panel.rows} * panel.width, 0.0);
  const int* rows = rows_.data() + panel.row_start;
  for (int r = 0; r < panel.rows; ++r) relative_[static_cast<std::size_t>(rows[r])] = r;
  for (int j = 0; j < panel.width; ++j)
    for (Matrix::InnerIterator it(A, original_[static_cast<std::size_t>(panel.first + j)]); it; ++it)
      if (const int row = place_[static_cast<std::size_t>(it.row())]; row >= panel.first + j)
        values[relative_[static_cast<std::size_t>(row)] + std::ptrdiff_t{j} * panel.rows] += it.value();
}

/// Takes off what a panel to the left, whose rows from `first_row` on are rows here, has to do with these columns.
void SupernodalFactor::update(const Panel& panel, const Panel& from, int first_row) {
  const int* rows = rows_.data() + from.row_start;
  int inside = first_row;
  while (inside < from.rows && rows[inside] < panel.first + panel.width) ++inside;
  const int columns = inside - first_row, length = from.rows - first_row, width = from.width;
  const double* L = values_.data() + from.values + first_row;
  const std::size_t need = static_cast<std::size_t>(length) * static_cast<std::size_t>(columns) +
                           static_cast<std::size_t>(width) * static_cast<std::size_t>(columns);
  if (product_.size() < need) product_.resize(need);
  Map scaled(product_.data(), columns, width, Eigen::OuterStride<>(columns));
  const ConstMap all(L, length, width, Eigen::OuterStride<>(from.rows));
  for (int k = 0; k < width; ++k)
    scaled.col(k) = all.col(k).head(columns) * D_[static_cast<std::size_t>(from.first + k)];
  Map C(product_.data() + std::ptrdiff_t{width} * columns, length, columns, Eigen::OuterStride<>(length));
  C.noalias() = all * scaled.transpose();
  double* values = values_.data() + panel.values;
  for (int c = 0; c < columns; ++c) {
    double* column = values + std::ptrdiff_t{rows[first_row + c] - panel.first} * panel.rows;
    for (int r = c; r < length; ++r) column[relative_[static_cast<std::size_t>(rows[first_row + r])]] -= C(r, c);
  }
}

bool SupernodalFactor::pivot(const Panel& panel) {
  const int w = panel.width;
  double* values = values_.data() + panel.values;
  Map top(values, w, w, Eigen::OuterStride<>(panel.rows));
  for (int j = 0; j < w; ++j) {
    const double d = top(j, j);
    if (!(std::abs(d) > 0) || !std::isfinite(d)) return false;
    D_[static_cast<std::size_t>(panel.first + j)] = d;
    for (int i = j + 1; i < w; ++i) top(i, j) /= d;
    for (int k = j + 1; k < w; ++k) {
      const double f = top(k, j) * d;
      for (int i = k; i < w; ++i) top(i, k) -= top(i, j) * f;
    }
    top(j, j) = 1;
  }
  const int m = panel.rows - w;
  if (m == 0) return true;
  Map below(values + w, m, w, Eigen::OuterStride<>(panel.rows));
  // below = X D L^T of the top
  top.triangularView<Eigen::UnitLower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
  for (int j = 0; j < w; ++j) below.col(j) /= D_[static_cast<std::size_t>(panel.first + j)];
  return true;
}

bool SupernodalFactor::factorise(const Matrix& A) {
  std::fill(head_.begin(), head_.end(), -1);
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    const Panel& panel = panels_[k];
    assemble(A, panel);
    for (int from = head_[k]; from >= 0;) {
      const int after = next_[static_cast<std::size_t>(from)];
      const Panel& left = panels_[static_cast<std::size_t>(from)];
      int& reached = reached_[static_cast<std::size_t>(from)];
      update(panel, left, reached);
      const int* rows = rows_.data() + left.row_start;
      while (reached < left.rows && rows[reached] < panel.first + panel.width) ++reached;
      if (reached < left.rows) {
        const auto to = static_cast<std::size_t>(panel_of_[static_cast<std::size_t>(rows[reached])]);
        next_[static_cast<std::size_t>(from)] = head_[to];
        head_[to] = from;
      }
      from = after;
    }
    if (!pivot(panel)) return false;
    reached_[k] = panel.width;
    if (panel.rows == panel.width) continue;
    const auto to = static_cast<std::size_t>(
        panel_of_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(panel.row_start + panel.width)])]);
    next_[k] = head_[to];
    head_[to] = static_cast<int>(k);
  }
  return true;
}

void SupernodalFactor::solve(double* x) const {
  double* y = y_.data();
  for (int i = 0; i < n_; ++i) y[place_[static_cast<std::size_t>(i)]] = x[i];
  for (const Panel& p : panels_) {
    const double* L = values_.data() + p.values;
    const int* rows = rows_.data() + p.row_start;
    for (int r = p.width; r < p.rows; ++r) gathered_[static_cast<std::size_t>(r)] = 0;
    for (int j = 0; j < p.width; ++j, L += p.rows) {
      const double yj = y[p.first + j];
      for (int r = j + 1; r < p.width; ++r) y[p.first + r] -= L[r] * yj;
      for (int r = p.width; r < p.rows; ++r) gathered_[static_cast<std::size_t>(r)] += L[r] * yj;
    }
    for (int r = p.width; r < p.rows; ++r) y[rows[r]] -= gathered_[static_cast<std::size_t>(r)];
  }
  for (int i = 0; i < n_; ++i) y[i] /= D_[static_cast<std::size_t>(i)];
  for (auto p = panels_.rbegin(); p != panels_.rend(); ++p) {
    const int* rows = rows_.data() + p->row_start;
    for (int r = p->width; r < p->rows; ++r) gathered_[static_cast<std::size_t>(r)] = y[rows[r]];
    for (int j = p->width - 1; j >= 0; --j) {
      const double* L = values_.data() + p->values + std::ptrdiff_t{j} * p->rows;
      double s = y[p->first + j];
      for (int r = j + 1; r < p->width; ++r) s -= L[r] * y[p->first + r];
      for (int r = p->width; r < p->rows; ++r) s -= L[r] * gathered_[static_cast<std::size_t>(r)];
      y[p->first + j] = s;
    }
  }
  for (int i = 0; i < n_; ++i) x[i] = y[place_[static_cast<std::size_t>(i)]];
}

void SupernodalFactor::solve(double* X, int count) const {
  constexpr int kTogether = 32;
  const auto columns = static_cast<std::size_t>(std::min(count, kTogether));
  if (many_.size() < columns * static_cast<std::size_t>(n_)) many_.resize(columns * static_cast<std::size_t>(n_));
  if (below_.size() < columns * gathered_.size()) below_.resize(columns * gathered_.size());
  Map Y(many_.data(), n_, static_cast<Index>(columns), Eigen::OuterStride<>(n_));
  const auto longest = static_cast<Index>(gathered_.size());
  Map gathered(below_.data(), longest, static_cast<Index>(columns), Eigen::OuterStride<>(longest));
  for (int first = 0; first < count; first += kTogether) {
    const int c = std::min(kTogether, count - first);
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
