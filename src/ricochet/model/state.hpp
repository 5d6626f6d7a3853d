#pragma once
// A State is a copyable value and all that a step depends on: stepping from equal States gives equal bits.
#include <array>
#include <vector>

#include "ricochet/model/constraint.hpp"

namespace ricochet {

/// What a contact remembers from step to step.
struct ContactMemory {
  Key key = 0;
  std::array<double, 3> reaction{};  ///< impulse / h at velocity level: warm start whatever the next step's size
  double correction = 0;             ///< position-level multiplier / h
};

struct State {
  double t = 0;
  VectorXd q;                           ///< configuration (nq)
  VectorXd v;                           ///< velocity (nv)
  std::vector<VectorXd> memory;         ///< what the scheme declared, in its order
  std::vector<ContactMemory> contacts;  ///< sorted by key
};

}  // namespace ricochet
