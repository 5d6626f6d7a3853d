#pragma once
// What rests does so to the last bit. A velocity that is left where terms cancel is round-off, and is made the zero
// that it stands for:
//
//     x+ = x - d + Y p = 0   where   |x+|_i <= c (|x|_i + |d|_i + sum |Y_ij| [p]_j).
//
// c is kRoundOff, or kRest as far as that is small beside the scale of x. [p] is what an entry of p is known by. The
// impulse of a contact is one vector, of which the axes along the surface are a choice: what friction is asked to hold
// is found as the difference of terms as large as the normal impulse makes them, up to mu p_N. A box on a floor has
// friction of 1e-17 of its weight in this sense, and no more: [p_T] is the larger of |p_T| and mu p_N. Without friction
// there is nothing along the surface, and what slides on goes on sliding, however slowly.
#include <cmath>

#include "ricochet/math/jacobian.hpp"
#include "ricochet/solver/problem.hpp"

namespace ricochet {

/// Of the sum of its terms' sizes: less is round-off, here as in the verdict on a solved problem.
constexpr double kRoundOff = 1e-14;
/// Likewise of velocities, whose impulses solve a system of equations: some hundreds of roundings, where these are
/// nothing beside the scale of velocities either. Light bodies under heavy loads have terms a million times as large as
/// what they move by.
constexpr double kRest = 1e-13;

/// Whether a velocity is no more than the rounding of its terms; `per`: one over its scale.
inline bool rests(double x, double terms, double per) {
  const double left = std::abs(x);
  return left <= kRoundOff * terms || (left <= kRest * terms && left * per <= kRest);
}

/// Velocities for impulses or their directions, the problem of these, which says who touches which body, the impulses,
/// and who shares the work.
struct Pushed {
  const Jacobian& Y;
  const Problem& problem;
  const double* p;
  Crew* crew;
};

/// y += s Y p
void add_push(const Pushed& pushed, double s, VectorXd& y);
/// terms += |Y| [p]
void add_sizes(const Pushed& pushed, double* terms);

/// x -= d - Y p. What is left where terms cancel becomes zero. `per`: one over the scales of x.
void move_or_rest(const Pushed& pushed, const double* per, VectorXd& d, double* terms, View x);

}  // namespace ricochet
