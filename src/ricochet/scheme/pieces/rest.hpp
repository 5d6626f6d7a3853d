#pragma once
// What rests does so to the last bit. A velocity that is left where terms cancel is round-off, and is made the zero
// that it stands for.
#include "ricochet/math/jacobian.hpp"

namespace ricochet {

/// Of the sum of its terms' sizes: less is round-off, here as in the verdict on a solved problem.
constexpr double kRoundOff = 1e-14;

/// terms += |Y| |p|
void add_sizes(const Jacobian& Y, const double* p, double* terms);

/// x -= d - Y p. What is left where terms cancel becomes zero.
void move_or_rest(const Jacobian& Y, const double* p, VectorXd& d, double* terms, View x);

}  // namespace ricochet
