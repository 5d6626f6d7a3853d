#pragma once
// Proof that a problem has no solution. Whatever the impulses, Coulomb's law or not, a solution has
//     u = W p + b,     p ∈ K,     u ∈ U:   u = 0 (free),  u >= 0 (nonnegative),  u_N >= 0 (Coulomb),  u ∈ K*
//     (associated)
// because u + mu |u_T| n ∈ K* says no more than u_N >= 0. Weights d of the rows with
//     d ∈ U*,     -W^T d ∈ K*,     b . d < 0
// exclude that (Farkas): 0 <= d . u = p . W^T d + b . d <= b . d < 0. For symmetric positive semi-definite W it means
// W d = 0: impulses that press without moving anything while the loads close the rows they press on. Nothing is assumed
// of W here, and nothing of the solver that found d; friction that jams without such a d is no contradiction that this
// can prove.
#include <vector>

#include "ricochet/solver/problem.hpp"

namespace ricochet {

/// What weights d prove, taken to the nearest ones in U*.
struct Infeasibility {
  /// d is in U*, -W^T d in K* up to the round-off of W (1e-13 of the terms of each entry), b . d < 0.
  bool holds = false;
  /// -b . d / |d|: some row with a weight is violated by at least half of this, in the unit of u, ...
  double closing = 0;
  /// ... whatever impulses, each up to `reach` times the one that makes the largest |b| in its row alone; infinite if
  /// -W^T d is in K* to the last bit.
  double reach = 0;
  int block = -1;  ///< that closes most against the weights
  int rows = 0;    ///< with a weight
};

/// Evaluates the proof anew from the data of the problem alone. d: (rows)
Infeasibility check_infeasibility(const Problem& problem, const double* d);

namespace detail {

/// Looks for weights: the least of d . W d + (b . d + 1)^2 over d >= 0 on the normal rows and any d on the free ones,
/// by active sets; among the few hundred rows with the largest guess where there are more. Then d is cleared of what is
/// not in the null space. True if they pass the check and close by more than `least`; d (rows) is defined only then.
bool find_infeasibility(const Problem& problem, const double* guess, double least, double* d);

}  // namespace detail
}  // namespace ricochet
