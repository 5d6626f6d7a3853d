#pragma once
// The measure that Siconos prints, beside our own: the natural map with rho = 1, relative to |q|,
//     |p - P_K(p - u^)| / |b|.
// It subtracts velocities from impulses, so that it changes with the units and may call solved what is not.
#include "ricochet/solver/problem.hpp"

namespace ricochet {

double peer_error(const Problem& problem, const double* p, const double* u);

}  // namespace ricochet
