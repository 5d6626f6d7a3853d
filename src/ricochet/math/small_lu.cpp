#include "ricochet/math/small_lu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "ricochet/math/minimum_norm_factor.hpp"

namespace ricochet {
namespace {

using Offset = std::ptrdiff_t;

// Each kernel exists for fixed sizes too, where the compiler unrolls it; operations and their order are the same, so
// are the results. N = 0: the size is given at run time.

using Lanes [[gnu::vector_size(16)]] = double;

Lanes load(const double* p) {
  Lanes x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

/// The larger of each two; b where a is not a number.
Lanes larger(Lanes a, Lanes b) {
#if defined(__SSE2__)
  return __builtin_ia32_maxpd(a, b);  // what the other line says, in one instruction
#else
  return a > b ? a : b;
#endif
}

Lanes sizes(Lanes x) {
  using Bits [[gnu::vector_size(16)]] = std::int64_t;
  constexpr std::int64_t kAll = INT64_MAX;
  return std::bit_cast<Lanes>(std::bit_cast<Bits>(x) & Bits{kAll, kAll});
}

/// x -= factor c, two numbers at a time where the size is not known when compiling.
template <int N>
void subtract(const double* c, double factor, int n, double* x) {
  int i = 0;
  if constexpr (N == 0) {
    const Lanes factors{factor, factor};
    for (; i + 2 <= n; i += 2) {
      const Lanes left = load(x + i) - load(c + i) * factors;
      std::memcpy(x + i, &left, sizeof left);
    }
  }
  for (; i < n; ++i) x[i] -= c[i] * factor;
}

/// Rows weighed by their diagonals, up to this size of those that are not known when compiling; larger ones are not.
constexpr int kWeighed = 256;

template <int N>
bool factorise(double* A, int* pivots, int size, double tolerance) {
  const int n = N > 0 ? N : size;
  const double relative = tolerance < 0 ? n * std::numeric_limits<double>::epsilon() : tolerance;
  // Rows and columns may have units of their own, lengths beside angles: entries are compared over the roots of their
  // diagonals. Where one of them vanishes they have no measure but the largest of all.
  double weight[N > 0 ? N : kWeighed], row_weight[N > 0 ? N : kWeighed];
  bool weighed = n <= (N > 0 ? N : kWeighed);
  double largest_of_all = 1;
  for (int i = 0; i < n && weighed; ++i) {
    const double diagonal = std::abs(A[i + Offset{i} * n]);
    weighed = diagonal > 0;
    weight[i] = row_weight[i] = std::sqrt(diagonal);
  }
  if (!weighed) {
    largest_of_all = 0;
    for (Offset i = 0; i < Offset{n} * n; ++i) largest_of_all = std::max(largest_of_all, std::abs(A[i]));
  }
  for (int k = 0; k < n; ++k) {
    double* column = A + Offset{k} * n;
    int at = k;
    double largest = std::abs(column[k]), least = relative * largest_of_all;
    if (weighed) {
      for (int i = k + 1; i < n; ++i) {
        const double a = std::abs(column[i]);
        if (a * row_weight[at] > largest * row_weight[i]) largest = a, at = i;
      }
      least = relative * (row_weight[at] * weight[k]);
      row_weight[at] = row_weight[k];
    } else {
      for (int i = k + 1; i < n; ++i) {
        const double a = std::abs(column[i]);
        if (a > largest) largest = a, at = i;
      }
    }
    // Written so that a NaN fails too.
    if (!(largest > least) || !(largest <= std::numeric_limits<double>::max())) return false;
    pivots[k] = at;
    if (at != k)
      for (int j = 0; j < n; ++j) std::swap(A[k + Offset{j} * n], A[at + Offset{j} * n]);
    const double pivot = column[k];
    for (int i = k + 1; i < n; ++i) column[i] /= pivot;
    for (int j = k + 1; j < n; ++j) {
      double* other = A + Offset{j} * n;
      const double factor = other[k];
      if (factor == 0) continue;
      subtract<N>(column + k + 1, factor, n - k - 1, other + k + 1);
    }
  }
  return true;
}

template <int N>
void solve(const double* A, const int* pivots, int size, double* x) {
  const int n = N > 0 ? N : size;
  for (int k = 0; k < n; ++k)
    if (pivots[k] != k) std::swap(x[k], x[pivots[k]]);
  int first = 0;  // rows of contacts begin with zeros, which change nothing below
  if constexpr (N == 0)
    while (first < n && x[first] == 0) ++first;
  for (int k = first; k < n; ++k) {
    const double* column = A + Offset{k} * n;
    subtract<N>(column + k + 1, x[k], n - k - 1, x + k + 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* column = A + Offset{k} * n;
    subtract<N>(column, x[k] /= column[k], k, x);
  }
}

/// 1 / 2^floor(log2 x) out of the exponent bits; 1 for zero and what is not a normal number.
double inverse_power_of_two(double x) {
  return x >= std::numeric_limits<double>::min() && x <= 0x1p1000
             ? 1 / std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u)
             : 1.0;
}

/// Largest absolute value of n numbers, -1 if there is none; what is not a number does not count.
template <int N>
double largest_of(const double* x, int n) {
  double largest = -1;
  int i = 0;
  if constexpr (N == 0) {
    Lanes most{-1, -1};
    for (; i + 2 <= n; i += 2) most = larger(sizes(load(x + i)), most);
    largest = most[0] > most[1] ? most[0] : most[1];
  }
  for (; i < n; ++i)
    if (const double a = std::abs(x[i]); a > largest) largest = a;
  return largest;
}

/// most[i] = the larger of it and |x[i]|
template <int N>
void take_sizes(const double* x, int n, double* most) {
  int i = 0;
  if constexpr (N == 0)
    for (; i + 2 <= n; i += 2) {
      const Lanes both = larger(sizes(load(x + i)), load(most + i));
      std::memcpy(most + i, &both, sizeof both);
    }
  for (; i < n; ++i) most[i] = std::max(most[i], std::abs(x[i]));
}

/// x[i] *= factor[i]
template <int N>
void multiply(const double* factor, int n, double* x) {
  int i = 0;
  if constexpr (N == 0)
    for (; i + 2 <= n; i += 2) {
      const Lanes both = load(x + i) * load(factor + i);
      std::memcpy(x + i, &both, sizeof both);
    }
  for (; i < n; ++i) x[i] *= factor[i];
}

/// Rows, then columns, to a largest entry in [1, 2); powers of two, so nothing is rounded. One power for all where the
/// diagonal is even enough.
template <int N>
void equilibrate(double* A, int size, double* row_scale, double* column_scale) {
  const int n = N > 0 ? N : size;
  double least = std::abs(A[0]), most = least;
  for (int i = 1; i < n; ++i) {
    const double a = std::abs(A[i + Offset{i} * n]);
    least = std::min(least, a), most = std::max(most, a);
  }
  for (int i = 0; i < n; ++i) column_scale[i] = 1;
  if (least * 1024 >= most) {
    const double scale = inverse_power_of_two(most);
    for (int i = 0; i < n; ++i) row_scale[i] = scale;
    for (Offset i = 0; i < Offset{n} * n; ++i) A[i] *= scale;
    return;
  }
  for (int i = 0; i < n; ++i) row_scale[i] = 0;
  for (int j = 0; j < n; ++j) take_sizes<N>(A + Offset{j} * n, n, row_scale);
  for (int i = 0; i < n; ++i) row_scale[i] = inverse_power_of_two(row_scale[i]);
  for (int j = 0; j < n; ++j) {
    double* column = A + Offset{j} * n;
    multiply<N>(row_scale, n, column);
    column_scale[j] = inverse_power_of_two(std::max(0.0, largest_of<N>(column, n)));
    for (int i = 0; i < n; ++i) column[i] *= column_scale[j];
  }
}

/// x -= factor c; returns the largest absolute value that is left.
template <int N>
double eliminate(const double* c, double factor, int n, double* x) {
  if (factor == 0) return largest_of<N>(x, n);
  double largest = -1;
  int i = 0;
  if constexpr (N == 0) {
    const Lanes factors{factor, factor};
    Lanes most{-1, -1};
    for (; i + 2 <= n; i += 2) {
      const Lanes left = load(x + i) - load(c + i) * factors;
      std::memcpy(x + i, &left, sizeof left);
      most = larger(sizes(left), most);
    }
    largest = most[0] > most[1] ? most[0] : most[1];
  }
  for (; i < n; ++i) {
    x[i] -= c[i] * factor;
    if (const double a = std::abs(x[i]); a > largest) largest = a;
  }
  return largest;
}

/// Complete pivoting; rows[k], columns[k] are the exchanges. Returns the rank.
template <int N>
int factorise_complete(double* A, int size, int* rows, int* columns, double least) {
  const int n = N > 0 ? N : size;
  int at_column = 0;
  double largest = -1;
  const auto look = [&](double most, int j) {
    if (most > largest) largest = most, at_column = j;
  };
  for (int j = 0; j < n; ++j) look(largest_of<N>(A + Offset{j} * n, n), j);
  for (int k = 0; k < n; ++k) {
    if (!(largest > least) || !(largest <= std::numeric_limits<double>::max())) return k;
    int at_row = k;
    while (std::abs(A[at_row + Offset{at_column} * n]) != largest) ++at_row;
    rows[k] = at_row, columns[k] = at_column;
    if (at_row != k)
      for (int j = 0; j < n; ++j) std::swap(A[k + Offset{j} * n], A[at_row + Offset{j} * n]);
    if (at_column != k)
      for (int i = 0; i < n; ++i) std::swap(A[i + Offset{k} * n], A[i + Offset{at_column} * n]);
    double* column = A + Offset{k} * n;
    const double pivot = column[k];
    for (int i = k + 1; i < n; ++i) column[i] /= pivot;
    largest = -1, at_column = k + 1;
    for (int j = k + 1; j < n; ++j) {
      double* other = A + Offset{j} * n;
      look(eliminate<N>(column + k + 1, other[k], n - k - 1, other + k + 1), j);
    }
  }
  return n;
}

void back_substitute(const double* A, int n, int rank, double* x) {
  for (int k = rank - 1; k >= 0; --k) {
    const double* column = A + Offset{k} * n;
    subtract<0>(column, x[k] /= column[k], k, x);
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

/// x -= (v . x) v
void project_out(const double* v, int n, double* x) {
  const double part = inner(v, x, n);
  for (int i = 0; i < n; ++i) x[i] -= part * v[i];
}

/// Orthonormal basis of the null space of the matrix before scaling, by Gram-Schmidt done twice.
void null_space(const double* A, int n, int rank, const int* columns, const double* column_scale, double* basis) {
  for (int k = rank; k < n; ++k) {
    double* v = basis + Offset{k - rank} * n;
    for (int i = 0; i < rank; ++i) v[i] = -A[i + Offset{k} * n];
    for (int i = rank; i < n; ++i) v[i] = i == k ? 1 : 0;
    back_substitute(A, n, rank, v);
    undo_columns(columns, rank, v);
    for (int i = 0; i < n; ++i) v[i] *= column_scale[i];
    for (int pass = 0; pass < (k > rank ? 2 : 1); ++pass) {
      for (int j = 0; j < k - rank; ++j) project_out(basis + Offset{j} * n, n, v);
      const double length = std::sqrt(inner(v, v, n));
      for (int i = 0; i < n; ++i) v[i] /= length;
    }
  }
}

/// Of solve_minimum_norm: scaled factors in A, the scales and the null space in `work`, exchanges in `index`.
template <int N>
int minimum_norm_factors(double* A, int size, double* work, int* index, double tolerance) {
  const int n = N > 0 ? N : size;
  double *basis = work, *row_scale = work + Offset{n} * n, *column_scale = row_scale + n;
  equilibrate<N>(A, n, row_scale, column_scale);
  const int rank = factorise_complete<N>(A, n, index, index + n, tolerance < 0 ? 1e-13 : tolerance);
  if (rank < n) null_space(A, n, rank, index + n, column_scale, basis);
  return rank;
}

template <int N>
void minimum_norm_of(const double* A, int size, int rank, const double* work, const int* index, double* x) {
  const int n = N > 0 ? N : size;
  const double *basis = work, *row_scale = work + Offset{n} * n, *column_scale = row_scale + n;
  const int *row_exchange = index, *column_exchange = index + n;
  for (int i = 0; i < n; ++i) x[i] *= row_scale[i];
  for (int k = 0; k < rank; ++k)
    if (row_exchange[k] != k) std::swap(x[k], x[row_exchange[k]]);
  for (int k = 0; k < rank; ++k) {
    const double* column = A + Offset{k} * n;
    subtract<N>(column + k + 1, x[k], n - k - 1, x + k + 1);
  }
  for (int i = rank; i < n; ++i) x[i] = 0;
  back_substitute(A, n, rank, x);
  undo_columns(column_exchange, rank, x);
  for (int i = 0; i < n; ++i) x[i] *= column_scale[i];
  for (int j = 0; j < n - rank; ++j) project_out(basis + Offset{j} * n, n, x);
}

template <int N>
int minimum_norm(double* A, int size, double* X, int columns, double* work, int* index, double tolerance) {
  const int n = N > 0 ? N : size, rank = minimum_norm_factors<N>(A, n, work, index, tolerance);
  for (int c = 0; c < columns; ++c) minimum_norm_of<N>(A, n, rank, work, index, X + Offset{c} * n);
  return rank;
}

}  // namespace

bool lu_factorise(double* A, int* pivots, int n, double tolerance) {
  switch (n) {
    case 1: return factorise<1>(A, pivots, n, tolerance);
    case 2: return factorise<2>(A, pivots, n, tolerance);
    case 3: return factorise<3>(A, pivots, n, tolerance);
    case 4: return factorise<4>(A, pivots, n, tolerance);
    default: return factorise<0>(A, pivots, n, tolerance);
  }
}

void lu_solve(const double* A, const int* pivots, int n, double* x) {
  switch (n) {
    case 1: return solve<1>(A, pivots, n, x);
    case 2: return solve<2>(A, pivots, n, x);
    case 3: return solve<3>(A, pivots, n, x);
    case 4: return solve<4>(A, pivots, n, x);
    default: return solve<0>(A, pivots, n, x);
  }
}

void lu_solve(const double* A, const int* pivots, int n, double* x, int columns) {
  for (int j = 0; j < columns; ++j) lu_solve(A, pivots, n, x + Offset{j} * n);
}

void lu_solve_transposed(const double* A, const int* pivots, int n, double* x) {
  for (int k = 0; k < n; ++k) {
    const double* column = A + Offset{k} * n;
    double value = x[k];
    for (int i = 0; i < k; ++i) value -= column[i] * x[i];
    x[k] = value / column[k];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* column = A + Offset{k} * n;
    double value = x[k];
    for (int i = k + 1; i < n; ++i) value -= column[i] * x[i];
    x[k] = value;
  }
  for (int k = n - 1; k >= 0; --k)
    if (pivots[k] != k) std::swap(x[k], x[pivots[k]]);
}

int solve_minimum_norm(double* A, int n, double* X, int columns, double* work, int* index, double tolerance) {
  switch (n) {
    case 1: return minimum_norm<1>(A, n, X, columns, work, index, tolerance);
    case 2: return minimum_norm<2>(A, n, X, columns, work, index, tolerance);
    case 3: return minimum_norm<3>(A, n, X, columns, work, index, tolerance);
    case 4: return minimum_norm<4>(A, n, X, columns, work, index, tolerance);
    default: return minimum_norm<0>(A, n, X, columns, work, index, tolerance);
  }
}

void MinimumNormFactor::factorise(const double* A, int n, bool redundant) {
  n_ = n;
  complete_ = false;
  const auto entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  if (A_.size() < entries) A_.resize(entries);
  if (index_.size() < static_cast<std::size_t>(minimum_norm_index(n))) index_.resize(minimum_norm_index(n));
  std::copy_n(A, entries, A_.data());
  if (!redundant) {
    if (lu_factorise(A_.data(), index_.data(), n, 1e-13)) {
      rank_ = n;
      return;
    }
    std::copy_n(A, entries, A_.data());
  }
  if (work_.size() < static_cast<std::size_t>(minimum_norm_work(n))) work_.resize(minimum_norm_work(n));
  rank_ = minimum_norm_factors<0>(A_.data(), n, work_.data(), index_.data(), -1);
  complete_ = true;
}

void MinimumNormFactor::solve(double* x) const {
  if (complete_) {
    minimum_norm_of<0>(A_.data(), n_, rank_, work_.data(), index_.data(), x);
  } else {
    lu_solve(A_.data(), index_.data(), n_, x);
  }
}

}  // namespace ricochet
