#include "ricochet/math/block_factor.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ricochet {
namespace {

/// The exponent that frexp gives, of a number that is neither zero nor infinite; kNone of others.
constexpr int kNone = 1 << 20;
int exponent(double x) {
  const auto bits = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  if (bits > 0 && bits < 0x7ff) return bits - 1022;
  int e = 0;
  return std::isfinite(x) && std::frexp(x, &e) != 0 ? e : kNone;
}
double power_of_two(int e) {
  return e > -1022 && e < 1023 ? std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52) : std::ldexp(1.0, e);
}
/// 2^-floor(log2 |x|); 1 where that has no meaning.
double inverse_power(double x) {
  const int e = exponent(x);
  return e == kNone ? 1 : power_of_two(1 - e);
}
/// The same of the square root.
double inverse_root_power(double x) {
  const int e = exponent(x);
  return e == kNone ? 1 : power_of_two(-(e - (e < 0 ? 1 : 0)) / 2);
}

constexpr double kMassless = 1e-6;  ///< pivots of coordinates below this are looked for among the constraints too

/// T = A B^T, m x n out of m x k and n x k; column by column, each entry summed in the order of k.
void multiply(const double* A, int lda, int m, const double* B, int ldb, int n, int k, double* T) {
  for (int c = 0; c < n; ++c, T += m) {
    const double b0 = B[c];
    for (int i = 0; i < m; ++i) T[i] = A[i] * b0;
    for (int l = 1; l < k; ++l) {
      const double b = B[c + static_cast<std::ptrdiff_t>(l) * ldb];
      const double* a = A + static_cast<std::ptrdiff_t>(l) * lda;
      for (int i = 0; i < m; ++i) T[i] += a[i] * b;
    }
  }
}

}  // namespace

// ---- entries --------------------------------------------------------------------------------------------------------

void BlockFactor::zero() { std::fill(values_.begin(), values_.end(), 0.0); }

double* BlockFactor::entry(int i, int j) {
  const int row = place_[i], column = place_[j];
  const int a = panel_of_[row], b = panel_of_[column];
  const Panel& p = panels_[std::min(a, b)];
  if (a == b)
    return &values_[p.lower + (row - p.first) + static_cast<std::ptrdiff_t>(column - p.first) * (p.width + p.rows)];
  const auto begin = rows_.begin() + p.row_start, end = begin + p.rows;
  const auto found = std::lower_bound(begin, end, std::max(row, column));
  if (found == end || *found != std::max(row, column)) return nullptr;
  const auto index = static_cast<int>(found - begin);
  if (a > b)
    return &values_[p.lower + p.width + index + static_cast<std::ptrdiff_t>(column - p.first) * (p.width + p.rows)];
  return &values_[p.upper + index + static_cast<std::ptrdiff_t>(row - p.first) * p.rows];
}

bool BlockFactor::add(int i, int j, double value) {
  double* at = entry(i, j);
  if (at == nullptr) return false;
  *at += value;
  return true;
}

BlockFactor::Run BlockFactor::down(int i, int j, int count) {
  const double *first = entry(i, j), *second = count > 1 ? entry(i + 1, j) : first;
  assert(first != nullptr && second != nullptr);
  return {first - values_.data(), second - first};
}

BlockFactor::Run BlockFactor::across(int i, int j, int count) {
  const double *first = entry(i, j), *second = count > 1 ? entry(i, j + 1) : first;
  assert(first != nullptr && second != nullptr);
  return {first - values_.data(), second - first};
}

void BlockFactor::copy_diagonal(int i, int n, double* out) const {
  const int place = place_[i];
  const Panel& p = panels_[panel_of_[place]];
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double* column = &values_[p.lower] + (place - p.first) * (height + 1);
  for (int c = 0; c < n; ++c, column += height) out = std::copy_n(column, n, out);
}

double BlockFactor::largest_entry() const {
  double s = 0;
  for (double x : values_) s = std::max(s, std::abs(x));
  return s;
}

// ---- factors --------------------------------------------------------------------------------------------------------

void BlockFactor::scale() {
  std::fill(row_scale_.begin(), row_scale_.end(), 0.0);
  std::fill(column_scale_.begin(), column_scale_.end(), 0.0);
  bool constrained = false;
  for (const Panel& p : panels_) {
    constrained = constrained || p.constraints;
    for (int c = 0; c < p.width; ++c) {
      if (constraint_[p.first + c] != 0) continue;
      const double diagonal = values_[p.lower + c + static_cast<std::ptrdiff_t>(c) * (p.width + p.rows)];
      if (diagonal != 0) row_scale_[p.first + c] = column_scale_[p.first + c] = inverse_root_power(diagonal);
    }
  }
  // A coordinate without mass of its own: from what couples it.
  for (int i = 0; i < n_; ++i)
    if (constraint_[i] == 0 && row_scale_[i] == 0) {
      double largest = 0;
      const Panel& own = panels_[panel_of_[i]];
      const int c = i - own.first;
      for (int r = 0; r < own.width + own.rows; ++r)
        largest = std::max(largest,
                           std::abs(values_[own.lower + r + static_cast<std::ptrdiff_t>(c) * (own.width + own.rows)]));
      row_scale_[i] = column_scale_[i] = inverse_root_power(largest);
    }
  if (constrained) {
    for (Panel& p : panels_) scale_constraints(p);
    for (int i = 0; i < n_; ++i)
      if (constraint_[i] != 0) {
        row_scale_[i] = inverse_power(row_scale_[i]);
        column_scale_[i] = inverse_power(column_scale_[i]);
      }
  }
  for (const Panel& p : panels_) {
    const int* rows = rows_.data() + p.row_start;
    const int height = p.width + p.rows;
    double *below = product_.data(), *right = below + p.rows;  // scales of the rows below and of the columns beside
    for (int r = 0; r < p.rows; ++r) below[r] = row_scale_[rows[r]], right[r] = column_scale_[rows[r]];
    const double* own = row_scale_.data() + p.first;
    double *column = &values_[p.lower], *across = values_.data() + p.upper;
    for (int c = 0; c < p.width; ++c, column += height, across += p.rows) {
      const double s = column_scale_[p.first + c], t = own[c];
      for (int r = 0; r < p.width; ++r) column[r] *= own[r] * s;
      for (int r = 0; r < p.rows; ++r) column[p.width + r] *= below[r] * s;
      for (int r = 0; r < p.rows; ++r) across[r] *= t * right[r];
    }
  }
}

/// Largest scaled entries of the constraints' rows and columns that lie in a panel.
void BlockFactor::scale_constraints(const Panel& p) {
  const int* rows = rows_.data() + p.row_start;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  const double *A = &values_[p.lower], *right = values_.data() + p.upper;
  const double *down = row_scale_.data() + p.first, *along = column_scale_.data() + p.first;
  for (int k = p.coordinates; k < p.width; ++k) {
    double row = row_scale_[p.first + k], column = column_scale_[p.first + k];
    for (int i = 0; i < p.coordinates; ++i) {
      row = std::max(row, std::abs(A[k + i * height]) * along[i]);
      column = std::max(column, std::abs(A[i + k * height]) * down[i]);
    }
    for (int r = 0; r < p.rows; ++r) {
      if (constraint_[rows[r]] != 0) continue;
      row = std::max(row, std::abs(right[r + static_cast<std::ptrdiff_t>(k) * p.rows]) * column_scale_[rows[r]]);
      column = std::max(column, std::abs(A[p.width + r + k * height]) * row_scale_[rows[r]]);
    }
    row_scale_[p.first + k] = row;
    column_scale_[p.first + k] = column;
  }
  for (int r = 0; r < p.rows; ++r) {
    if (constraint_[rows[r]] == 0) continue;
    double &row = row_scale_[rows[r]], &column = column_scale_[rows[r]];
    for (int i = 0; i < p.coordinates; ++i) {
      row = std::max(row, std::abs(A[p.width + r + i * height]) * along[i]);
      column = std::max(column, std::abs(right[r + static_cast<std::ptrdiff_t>(i) * p.rows]) * down[i]);
    }
  }
}

void BlockFactor::update(const Panel& p, std::vector<int>& place) {
  if (p.updates == 0) return;
  for (int c = 0; c < p.width; ++c) place[p.first + c] = c;
  for (int r = 0; r < p.rows; ++r) place[rows_[p.row_start + r]] = p.width + r;
  const int height = p.width + p.rows;
  for (int u = p.update_start; u < p.update_start + p.updates; ++u) {
    const Update& from = updates_[u];
    const Panel& d = panels_[from.panel];
    const int n = from.to - from.from, m = d.rows - from.from, right = d.rows - from.to;
    const int* rows = rows_.data() + d.row_start;
    const double *lower = &values_[d.lower] + d.width, *upper = values_.data() + d.upper;
    const int ld = d.width + d.rows;
    multiply(lower + from.from, ld, m, upper + from.from, d.rows, n, d.width, product_.data());
    const double* t = product_.data();
    for (int c = 0; c < n; ++c) {
      double* column = &values_[p.lower + static_cast<std::ptrdiff_t>(place[rows[from.from + c]]) * height];
      for (int i = 0; i < m; ++i) column[place[rows[from.from + i]]] -= *t++;
    }
    if (right == 0) continue;
    multiply(upper + from.to, d.rows, right, lower + from.from, ld, n, d.width, product_.data());
    t = product_.data();
    for (int c = 0; c < n; ++c) {
      double* across = values_.data() + p.upper + static_cast<std::ptrdiff_t>(place[rows[from.from + c]]) * p.rows;
      for (int i = 0; i < right; ++i) across[place[rows[from.to + i]] - p.width] -= *t++;
    }
  }
}

bool BlockFactor::pivot(Panel& p) {
  const int w = p.width;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  double *A = &values_[p.lower], *across = values_.data() + p.upper;
  const double least = p.constraints ? kDependent : 1e-14;
  // Coordinates first, each with the largest of its own entries among them: S is good for that, wherever it is not
  // singular. What is left, constraints and coordinates without mass, has all its entries to choose from.
  int bodies = p.coordinates;
  for (int k = 0; k < w; ++k) {
    int row = k, column = k;
    double largest = -1;
    if (k < bodies)
      for (int i = k; i < bodies; ++i) {
        const double a = std::abs(A[i + k * height]);
        if (!(a <= largest)) largest = a, row = i;
      }
    if (k < bodies && p.constraints && largest <= kMassless) bodies = k, largest = -1;
    if (k >= bodies)
      for (int j = k; j < w; ++j)
        for (int i = k; i < w; ++i) {
          const double a = std::abs(A[i + j * height]);
          if (!(a <= largest)) largest = a, row = i, column = j;
        }
    if (!std::isfinite(largest)) return false;
    if (largest <= least) {
      for (int j = k; j < w; ++j) {
        // The exchanges so far say which column stands here now.
        int place = j;
        for (int l = k - 1; l >= 0; --l) {
          const int other = column_exchange_[p.first + l];
          if (place == l) {
            place = other;
          } else if (place == other) {
            place = l;
          }
        }
        if (constraint_[p.first + place] == 0) return false;
        dead_.push_back(p.first + j);
        is_dead_[p.first + j] = 1;
        row_exchange_[p.first + j] = column_exchange_[p.first + j] = j;
        for (std::ptrdiff_t i = k; i < height; ++i) A[i + j * height] = 0;
        for (int i = 0; i < p.rows; ++i) across[i + static_cast<std::ptrdiff_t>(j) * p.rows] = 0;
      }
      return true;
    }
    row_exchange_[p.first + k] = row;
    column_exchange_[p.first + k] = column;
    if (row != k) {
      for (int j = 0; j < w; ++j) std::swap(A[k + j * height], A[row + j * height]);
      for (int i = 0; i < p.rows; ++i)
        std::swap(across[i + static_cast<std::ptrdiff_t>(k) * p.rows],
                  across[i + static_cast<std::ptrdiff_t>(row) * p.rows]);
    }
    if (column != k)
      for (std::ptrdiff_t i = 0; i < height; ++i) std::swap(A[i + k * height], A[i + column * height]);
    const double inverse = 1 / A[k + k * height];
    for (int i = k + 1; i < w; ++i) A[i + k * height] *= inverse;
    for (int j = k + 1; j < w; ++j) {
      const double a = A[k + j * height];
      if (a == 0) continue;
      for (int i = k + 1; i < w; ++i) A[i + j * height] -= A[i + k * height] * a;
    }
  }
  return true;
}

void BlockFactor::finish(const Panel& p) {
  if (p.rows == 0) return;
  const int w = p.width;
  const auto height = static_cast<std::ptrdiff_t>(p.width + p.rows);
  double *A = &values_[p.lower], *across = values_.data() + p.upper;
  for (int k = 0; k < w; ++k) {
    if (is_dead_[p.first + k] != 0) continue;
    double *column = A + k * height + w, *right = across + static_cast<std::ptrdiff_t>(k) * p.rows;
    for (int l = 0; l < k; ++l) {
      const double u = A[l + k * height], f = A[k + l * height];
      const double *before = A + l * height + w, *above = across + static_cast<std::ptrdiff_t>(l) * p.rows;
      if (u != 0)
        for (int i = 0; i < p.rows; ++i) column[i] -= before[i] * u;
      if (f != 0)
        for (int i = 0; i < p.rows; ++i) right[i] -= above[i] * f;
    }
    const double inverse = 1 / A[k + k * height];
    for (int i = 0; i < p.rows; ++i) column[i] *= inverse;
  }
}

bool BlockFactor::factorise() {
  scale();
  dead_.clear();
  std::fill(is_dead_.begin(), is_dead_.end(), 0);
  for (Panel& p : panels_) {
    update(p, relative_);
    if (!pivot(p)) return false;
    finish(p);
  }
  return true;
}

}  // namespace ricochet
