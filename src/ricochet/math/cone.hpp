#pragma once
// The sets in which an impulse may live. A closed set: every solver must know all of them, or say which it accepts.
// CoulombCone and SecondOrderCone have the same shape and different laws: with `coulomb` the condition is the
// non-associated one, K ∋ p ⊥ u + mu |u_T| n ∈ K*, with `second_order` the convex one, K ∋ p ⊥ u ∈ K*.
//
// `interval` is no cone but a bounded set, with -u in its normal cone: u = 0 while |p| < bound, u against p at the
// bound. Dry friction of a joint and motors of limited torque are of this kind; one row, two for a disc or three for a
// ball.
//
// `rolling` is a contact whose moments are bounded by its normal impulse as its friction is. After the normal come the
// slips, the rolling velocities and the spin (`friction_rows`), each with a disc of its own:
//
//     0 <= p_N ⊥ u_N >= 0,      |p_T| <= mu p_N,   |p_R| <= mu_R p_N,   |p_S| <= mu_S p_N,     -u_D ∈ N_D(p_D)
//
// which is K ∋ p ⊥ u + (mu |u_T| + mu_R |u_R| + mu_S |u_S|) n ∈ K*. mu_R and mu_S are lengths.
#include <cstdint>

namespace ricochet {

enum class Cone : std::uint8_t {
  free,          ///< p in R^dim, u = 0: joints
  nonnegative,   ///< 0 <= p ⊥ u >= 0, componentwise: frictionless contact
  coulomb,       ///< |p_T| <= mu p_N with Coulomb's law; dim 2 (plane) or 3 (space), normal first
  second_order,  ///< |p_T| <= mu p_N, associated
  interval,      ///< |p| <= bound with -u in the normal cone; dim 1, 2 or 3
  rolling        ///< Coulomb's law with rolling and spinning friction; dim 3 (plane) to 6, normal first
};

const char* name(Cone cone);

/// The numbers that give a cone its size.
struct Friction {
  double slip = 0;            ///< mu of the friction cones; the bound of `interval`
  double roll = 0, spin = 0;  ///< mu_R and mu_S of `rolling`, lengths
};

/// Rows of `rolling` after the normal. Their number tells which there are: 3 is a contact in the plane, the others are
/// contacts in space with spin, with rolling, with both.
struct FrictionRows {
  int slip, roll, spin;
};
constexpr FrictionRows friction_rows(int dim) {
  return dim == 3 ? FrictionRows{1, 1, 0} : dim == 4 ? FrictionRows{2, 0, 1} : FrictionRows{2, 2, dim - 5};
}
constexpr int kMostContactRows = 6;

/// visit(first row, rows, coefficient) of the discs of `rolling`: slip, roll, spin, as far as there are such rows.
template <class Visit>
constexpr void for_each_disc(int dim, const Friction& friction, Visit visit) {
  const FrictionRows rows = friction_rows(dim);
  visit(1, rows.slip, friction.slip);
  if (rows.roll > 0) visit(1 + rows.slip, rows.roll, friction.roll);
  if (rows.spin > 0) visit(1 + rows.slip + rows.roll, rows.spin, friction.spin);
}

/// Orthogonal projection of z (dim entries, normal first) onto the cone, in place. Of `rolling` the nearest point with
/// the same normal part, or 0: its rows have different units.
void project(Cone cone, int dim, const Friction& friction, double* z);
inline void project(Cone cone, int dim, double mu, double* z) { project(cone, dim, Friction{mu}, z); }

/// z (one, two or three entries) cut to the length `radius`.
void project_on_disc(int dim, double radius, double* z);

}  // namespace ricochet
