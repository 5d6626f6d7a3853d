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
      for (int j = 0; j < n; ++j) std::swap(A[k + static_cast<std::ptrdiff_t>(j) * n], A[at + static_cast<std::ptrdiff_t>(j) * n]);
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

}  // namespace ricochet
