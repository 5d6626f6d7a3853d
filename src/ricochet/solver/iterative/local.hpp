#pragma once
// One contact alone, exactly: u = W p + b with the contact's own block W (dim x dim, column major, not necessarily
// symmetric) and K ∋ p ⊥ u ∈ K* (u + mu |u_T| n for Coulomb's cone).
#include "ricochet/solver/problem.hpp"

namespace ricochet::detail {

/// p on entry helps to find the direction of sliding. False if no mode satisfies the law (W is not positive enough);
/// p is then the projected one.
bool solve_local(const ConeBlock& block, const double* W, const double* b, double* p);

/// The sliding mode of a contact in space that neither opens nor sticks; `stick` is what sticking would ask for.
bool slides_in_space(const ConeBlock& block, const double* W, const double* b, const double* stick, double* p);

}  // namespace ricochet::detail
