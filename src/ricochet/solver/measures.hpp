#pragma once
// What else can be said of a solution beside its relative_error.
#include "ricochet/solver/problem.hpp"

namespace ricochet {

/// Velocity for an impulse, means of the diagonal of W: over the rows of a block; of rolling contacts over normal and
/// slips, and over what turns.
struct Mobility {
  double contact = 1, roll = 1, spin = 1;
  Mobility(double mean) : contact(mean) {}
};
Mobility mobility(const Problem& problem, const ConeBlock& block);
/// To and from an array over the rows of a rolling contact: at its first row, and at the first of each disc.
void put_mobility(int dim, const Mobility& mobility, double* rows);
Mobility get_mobility(int dim, const double* rows);

/// natural_residual of one block alone, with p and u of its rows and 1 / rho.
double natural_residual(const ConeBlock& block, const Mobility& half, const double* p, const double* u);

/// The measure that Siconos prints: the natural map with rho = 1, relative to |b|,
///     |p - P_K(p - u^)| / |b|.
/// It subtracts velocities from impulses, so that it changes with the units and may call solved what is not.
double peer_error(const Problem& problem, const double* p, const double* u);

/// What double precision allows: p has its last bit, and u = W p + b is a sum of rounded terms, so that
///     eps |rho (|W| |p| + |b|)| / max(|p|, |rho b|),      eps = 2^-53, rho as in relative_error
/// is the relative_error of round-off alone. It is large where large impulses leave small velocities.
double round_off_error(const Problem& problem, const double* p);

}  // namespace ricochet
