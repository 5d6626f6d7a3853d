#include "ricochet/math/supernodal.hpp"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

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
  double* C = room(product_, std::ptrdiff_t{length} * columns);
  std::fill_n(C, std::ptrdiff_t{length} * columns, 0.0);
  multiply_.subtract({L, length, from.rows}, {scale(from, first_row, columns), columns, columns}, width, C, length);
  double* values = values_.data() + panel.values;
  for (int c = 0; c < columns; ++c, C += length) {
    double* column = values + std::ptrdiff_t{rows[first_row + c] - panel.first} * panel.rows;
    for (int r = c; r < length; ++r) column[relative_[static_cast<std::size_t>(rows[first_row + r])]] += C[r];
  }
}

/// Some rows of a panel times D.
const double* SupernodalFactor::scale(const Panel& panel, int row, int count) {
  const double* L = values_.data() + panel.values + row;
  double* out = room(scaled_, std::ptrdiff_t{count} * panel.width);
  for (int k = 0; k < panel.width; ++k, L += panel.rows)
    for (int r = 0; r < count; ++r)
      out[r + std::ptrdiff_t{k} * count] = L[r] * D_[static_cast<std::size_t>(panel.first + k)];
  return out;
}

/// L and D of the panel's own columns, some of them at a time: these one after the other, the rest by a product.
bool SupernodalFactor::pivot(const Panel& panel) {
  double* values = values_.data() + panel.values;
  const std::ptrdiff_t stride = panel.rows;
  double* D = D_.data() + panel.first;
  for (int begin = 0; begin < panel.width; begin += kTogether) {
    const int end = std::min(begin + kTogether, panel.width);
    for (int j = begin; j < end; ++j) {
      double* column = values + j * stride;
      for (int i = begin; i < j; ++i) {
        const double *left = values + i * stride, f = left[j] * D[i];
        for (int r = j; r < panel.rows; ++r) column[r] -= left[r] * f;
      }
      const double d = column[j];
      if (!(std::abs(d) > 0) || !std::isfinite(d)) return false;
      D[j] = d;
      column[j] = 1;
      for (int r = j + 1; r < panel.rows; ++r) column[r] /= d;
    }
    if (end == panel.width) break;
    const int rest = panel.width - end;
    double* scaled = room(scaled_, std::ptrdiff_t{rest} * (end - begin));
    for (int j = begin; j < end; ++j)
      for (int r = 0; r < rest; ++r) scaled[r + std::ptrdiff_t{j - begin} * rest] = values[end + r + j * stride] * D[j];
    multiply_.subtract({values + end + begin * stride, panel.rows - end, stride}, {scaled, rest, rest}, end - begin,
                       values + end + end * stride, stride);
  }
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

}  // namespace ricochet
