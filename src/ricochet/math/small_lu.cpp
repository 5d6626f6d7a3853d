#include "ricochet/math/small_lu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ricochet {

bool lu_factorise(double* A, int* pivots, int n, double tolerance) {
  double scale = 0;
  for (int i = 0; i < n * n; ++i) scale = std::max(scale, std::abs(A[i]));
  const double relative = tolerance < 0 ? n * std::numeric_limits<double>::epsilon() : tolerance;
  const double least = relative * scale;
  for (int k = 0; k < n; ++k) {
    double* column = A + static_cast<std::ptrdiff_t>(k) * n;
    int at = k;
    double largest = std::abs(column[k]);
    for (int i = k + 1; i < n; ++i) {
      const double a = std::abs(column[i]);
      if (a > largest) largest = a, at = i;
    }
    // Written so that a NaN fails too.
    if (!(largest > least) || !(largest <= std::numeric_limits<double>::max())) return false;
    pivots[k] = at;
    if (at != k)
      for (int j = 0; j < n; ++j)
        std::swap(A[k + static_cast<std::ptrdiff_t>(j) * n], A[at + static_cast<std::ptrdiff_t>(j) * n]);
    const double pivot = column[k];
    for (int i = k + 1; i < n; ++i) column[i] /= pivot;
    for (int j = k + 1; j < n; ++j) {
      double* other = A + static_cast<std::ptrdiff_t>(j) * n;
      const double factor = other[k];
      if (factor == 0) continue;
      for (int i = k + 1; i < n; ++i) other[i] -= column[i] * factor;
    }
  }
  return true;
}

void lu_solve(const double* A, const int* pivots, int n, double* x) {
  for (int k = 0; k < n; ++k)
    if (pivots[k] != k) std::swap(x[k], x[pivots[k]]);
  for (int k = 0; k < n; ++k) {
    const double* column = A + static_cast<std::ptrdiff_t>(k) * n;
    const double value = x[k];
    for (int i = k + 1; i < n; ++i) x[i] -= column[i] * value;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* column = A + static_cast<std::ptrdiff_t>(k) * n;
    const double value = x[k] /= column[k];
    for (int i = 0; i < k; ++i) x[i] -= column[i] * value;
  }
}

void lu_solve(const double* A, const int* pivots, int n, double* x, int columns) {
  for (int j = 0; j < columns; ++j) lu_solve(A, pivots, n, x + static_cast<std::ptrdiff_t>(j) * n);
}

void lu_solve_transposed(const double* A, const int* pivots, int n, double* x) {
  for (int k = 0; k < n; ++k) {
    const double* column = A + static_cast<std::ptrdiff_t>(k) * n;
    double value = x[k];
    for (int i = 0; i < k; ++i) value -= column[i] * x[i];
    x[k] = value / column[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* column = A + static_cast<std::ptrdiff_t>(k) * n;
    double value = x[k];
    for (int i = k + 1; i < n; ++i) value -= column[i] * x[i];
    x[k] = value;
  }
  for (int k = n - 1; k >= 0; --k)
    if (pivots[k] != k) std::swap(x[k], x[pivots[k]]);
}

namespace {

double inverse_power_of_two(double x) { return x > 0 && std::isfinite(x) ? std::ldexp(1.0, -std::ilogb(x)) : 1.0; }

/// Rows, then columns, to a largest entry in [1, 2); powers of two, so nothing is rounded.
void equilibrate(double* A, int n, double* row_scale, double* column_scale) {
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(A[i + j * n]));
    row_scale[i] = inverse_power_of_two(largest);
  }
  for (int j = 0; j < n; ++j) {
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(A[i + j * n] *= row_scale[i]));
    column_scale[j] = inverse_power_of_two(largest);
    for (int i = 0; i < n; ++i) A[i + j * n] *= column_scale[j];
  }
}

/// Complete pivoting; rows[k], columns[k] are the exchanges. Returns the rank.
int factorise_complete(double* A, int n, int* rows, int* columns, double least) {
  for (int k = 0; k < n; ++k) {
    int at_row = k, at_column = k;
    double largest = -1;
    for (int j = k; j < n; ++j)
      for (int i = k; i < n; ++i)
        if (std::abs(A[i + j * n]) > largest) largest = std::abs(A[i + j * n]), at_row = i, at_column = j;
    if (!(largest > least) || !std::isfinite(largest)) return k;
    rows[k] = at_row, columns[k] = at_column;
    if (at_row != k)
      for (int j = 0; j < n; ++j) std::swap(A[k + j * n], A[at_row + j * n]);
    if (at_column != k) std::swap_ranges(A + k * n, A + k * n + n, A + at_column * n);
    for (int i = k + 1; i < n; ++i) A[i + k * n] /= A[k + k * n];
    for (int j = k + 1; j < n; ++j) {
      const double factor = A[k + j * n];
      if (factor == 0) continue;
      for (int i = k + 1; i < n; ++i) A[i + j * n] -= A[i + k * n] * factor;
    }
  }
  return n;
}

void back_substitute(const double* A, int n, int rank, double* x) {
  for (int k = rank - 1; k >= 0; --k) {
    x[k] /= A[k + k * n];
    for (int i = 0; i < k; ++i) x[i] -= A[i + k * n] * x[k];
  }
}

void undo_columns(const int* columns, int rank, double* x) {
  for (int k = rank - 1; k >= 0; --k)
    if (columns[k] != k) std::swap(x[k], x[columns[k]]);
}

double inner(const double* a, const double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}

/// Orthonormal basis of the null space of the matrix before scaling, by Gram-Schmidt done twice.
void null_space(const double* A, int n, int rank, const int* columns, const double* column_scale, double* N) {
  for (int k = rank; k < n; ++k) {
    double* v = N + (k - rank) * n;
    std::fill(v, v + n, 0.0);
    for (int i = 0; i < rank; ++i) v[i] = -A[i + k * n];
    v[k] = 1;
    back_substitute(A, n, rank, v);
    undo_columns(columns, rank, v);
    for (int i = 0; i < n; ++i) v[i] *= column_scale[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < k - rank; ++j) {
        const double part = inner(N + j * n, v, n);
        for (int i = 0; i < n; ++i) v[i] -= part * N[j * n + i];
      }
      const double length = std::sqrt(inner(v, v, n));
      for (int i = 0; i < n; ++i) v[i] /= length;
    }
  }
}

}  // namespace

int solve_minimum_norm(double* A, int n, double* X, int columns, double* work, int* index, double tolerance) {
  double *N = work, *row_scale = work + n * n, *column_scale = row_scale + n;
  int *row_exchange = index, *column_exchange = index + n;
  equilibrate(A, n, row_scale, column_scale);
  const double least = tolerance < 0 ? 1e-13 : tolerance;
  const int rank = factorise_complete(A, n, row_exchange, column_exchange, least);
  if (rank < n) null_space(A, n, rank, column_exchange, column_scale, N);
  for (int c = 0; c < columns; ++c) {
    double* x = X + c * n;
    for (int i = 0; i < n; ++i) x[i] *= row_scale[i];
    for (int k = 0; k < rank; ++k)
      if (row_exchange[k] != k) std::swap(x[k], x[row_exchange[k]]);
    for (int k = 0; k < rank; ++k)
      for (int i = k + 1; i < n; ++i) x[i] -= A[i + k * n] * x[k];
    std::fill(x + rank, x + n, 0.0);
    back_substitute(A, n, rank, x);
    undo_columns(column_exchange, rank, x);
    for (int i = 0; i < n; ++i) x[i] *= column_scale[i];
    for (int j = 0; j < n - rank; ++j) {
      const double part = inner(N + j * n, x, n);
      for (int i = 0; i < n; ++i) x[i] -= part * N[j * n + i];
    }
  }
  return rank;
}

}  // namespace ricochet
