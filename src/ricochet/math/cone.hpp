#pragma once
// The sets in which an impulse may live. A closed set: every solver must know all of them, or say which it accepts.
// CoulombCone and SecondOrderCone have the same shape and different laws: with `coulomb` the condition is the
// non-associated one, K ∋ p ⊥ u + mu |u_T| n ∈ K*, with `second_order` the convex one, K ∋ p ⊥ u ∈ K*.
#include <cstdint>

namespace ricochet {

enum class Cone : std::uint8_t {
  free,         ///< p in R^dim, u = 0: joints
  nonnegative,  ///< 0 <= p ⊥ u >= 0, componentwise: frictionless contact
  coulomb,      ///< |p_T| <= mu p_N with Coulomb's law; dim 2 (plane) or 3 (space), normal first
  second_order  ///< |p_T| <= mu p_N, associated
};

const char* name(Cone cone);

/// Orthogonal projection of z (dim entries, normal first) onto the cone, in place.
void project(Cone cone, int dim, double mu, double* z);

}  // namespace ricochet
