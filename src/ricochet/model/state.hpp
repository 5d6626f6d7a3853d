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

/// Pointers only: what moves per step does not depend on the size of the system.
inline void swap(State& a, State& b) noexcept {
  std::swap(a.t, b.t);
  a.q.swap(b.q);
  a.v.swap(b.v);
  a.memory.swap(b.memory);
  a.contacts.swap(b.contacts);
}

}  // namespace ricochet
