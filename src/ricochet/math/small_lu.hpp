#pragma once
// LU with partial pivoting on raw column-major arrays: the systems of a step are mostly 1 to 10 rows, where the set-up
// of a general library costs more than the elimination. Nothing is allocated.
#include <limits>

namespace ricochet {

/// Overwrites the n x n matrix A (column major) by its factors; pivots has n entries. False when a pivot is zero, not a
/// number, or below tolerance times the largest entry of A: A is then rank-deficient to working precision and its
/// contents are spoilt. A negative tolerance means n * eps.
bool lu_factorise(double* A, int* pivots, int n, double tolerance = -1);

/// x := A^-1 x with the factors of lu_factorise.
void lu_solve(const double* A, const int* pivots, int n, double* x);

/// x := A^-1 x for `columns` right-hand sides of n entries each, one after another.
void lu_solve(const double* A, const int* pivots, int n, double* x, int columns);

/// x := A^-T x.
void lu_solve_transposed(const double* A, const int* pivots, int n, double* x);

/// Room that solve_minimum_norm needs: doubles and integers.
constexpr int minimum_norm_work(int n) { return n * n + 3 * n; }
constexpr int minimum_norm_index(int n) { return 2 * n; }

/// X := least-norm solution of A X = X for `columns` right-hand sides, where A may be rank-deficient and the right-hand
/// sides are in its range; what sticks out of the range is left in the residual. Complete pivoting after equilibration
/// by powers of two; pivots below the tolerance (relative, negative: 1e-13) count as zero. Spoils A, returns the rank.
int solve_minimum_norm(double* A, int n, double* X, int columns, double* work, int* index, double tolerance = -1);

}  // namespace ricochet
