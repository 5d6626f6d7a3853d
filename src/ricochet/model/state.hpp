#pragma once
// A State is a copyable value and all that a step depends on: stepping from equal States gives equal bits.
#include <array>
#include <memory>
#include <vector>

#include "ricochet/model/constraint.hpp"

namespace ricochet {

/// What a contact remembers from step to step.
struct ContactMemory {
  Key key = 0;
  /// Impulse / h at velocity level: warm start whatever the next step's size. Joints that others rub on have theirs
  /// too.
  std::array<double, kMostContactRows> reaction{};
  double correction = 0;                     ///< position-level multiplier / h
  std::int64_t mode = 0;                     ///< what the scheme wants to know again: closed, sticking, sliding
  std::array<double, kLawVariables> kept{};  ///< by the law
};

struct Scales;

struct State {
  double t = 0;
  double t_rest = 0;                     ///< what rounding cut off t: a sum of equal steps ends on the grid
  double h = 0;                          ///< the inner step that a scheme of its own step control would take next
  VectorXd q;                            ///< configuration (nq)
  VectorXd v;                            ///< velocity (nv)
  std::vector<VectorXd> memory;          ///< what the scheme declared, in its order
  std::vector<ContactMemory> contacts;   ///< sorted by key
  std::shared_ptr<const Scales> scales;  ///< what tolerances are measured by; null: SI units
};

/// Pointers only: what moves per step does not depend on the size of the system.
inline void swap(State& a, State& b) noexcept {
  std::swap(a.t, b.t);
  std::swap(a.t_rest, b.t_rest);
  std::swap(a.h, b.h);
  a.q.swap(b.q);
  a.v.swap(b.v);
  a.memory.swap(b.memory);
  a.contacts.swap(b.contacts);
  if (a.scales != b.scales) a.scales.swap(b.scales);
}

}  // namespace ricochet
