#pragma once
// A state to begin with: joints closed, bodies apart, or everything at rest.
#include "ricochet/model/model.hpp"

namespace ricochet {

/// What became of a state that was to be closed. Coordinates are those of velocities.
struct Assembled {
  bool closed = false;     ///< all joints, in position and velocity, to the tolerance
  double moved = 0;        ///< largest part of the increment
  int coordinate = -1;     ///< where; -1: nothing moved
  double changed = 0;      ///< largest change of a velocity
  int velocity = -1;       ///< where
  int item = -1, row = 0;  ///< the joint that is open most, and its row
  double rest = 0;         ///< by how much
};

/// The nearest configuration with closed joints, and there the nearest velocities that keep them: both in the metric of
/// the masses, min |x|_M with g(q ⊕ x) = 0, then min |dv|_M with G^T (v + dv) + dg/dt = 0. Joints may be redundant.
/// Where no configuration closes them the state is left where they are open least, in the sense of least squares.
Assembled assemble(const Model& model, double tolerance, State& state);

/// What became of a state in which bodies overlapped.
struct Separated {
  bool apart = false;   ///< all contacts open or in touch, joints closed, to the tolerance
  int overlaps = 0;     ///< between bodies that meet: that there were; that are left, if it is not apart
  int A = 0, B = 0;     ///< the deepest of them: mounts of the collision
  double depth = 0;     ///< and how deep it is
  double moved = 0;     ///< largest part of the increment
  int coordinate = -1;  ///< where; -1: nothing moved
  int passes = 0;
};

/// The nearest configuration in which no contact is closed beyond touch, with joints closed, in the metric of the
/// masses: min |x|_M with g(q ⊕ x) >= 0. Velocities stay.
Separated separate(const Model& model, double tolerance, State& state);

/// What became of a state that was to come to rest.
struct Settled {
  bool found = false;
  double moved = 0;     ///< largest part of the increment from the beginning
  int coordinate = -1;  ///< where; if nothing is found, what moved most in the last step
  int steps = 0;
};

/// Static equilibrium with joints, contacts and friction: a state from which nothing moves when it is let go. Found by
/// steps of the implicit rule from rest, with all that depends on time as it is at state.t: each goes down the
/// potential, as far as joints, contacts and dry friction allow, and the steps grow. Where friction holds, many states
/// are in equilibrium; the one found is where it comes to rest. `step`: the first to try.
Settled settle(const Model& model, double tolerance, double step, State& state);

}  // namespace ricochet
