#pragma once
// Small free vibrations about a state: eigenvalues of K x = omega^2 M x, with K the symmetric part of the tangent of
// all forces at rest, over the motions that joints allow. Contacts are left out: they are one-sided. Damping is left
// out too.
#include "ricochet/model/model.hpp"

namespace ricochet {

struct Modes {
  VectorXd squares;   ///< omega^2, ascending; negative: unstable
  MatrixXd shapes;    ///< velocities, a column for each, x^T M x = 1
  std::string wrong;  ///< text of what cannot be done; empty: nothing
};

/// The lowest `count` modes at the configuration of `state`.
Modes find_modes(const Model& model, const State& state, int count);

}  // namespace ricochet
