#pragma once
// From a tolerance for the whole motion to one for the steps. The control bounds the error of a step; what becomes of
// it (other errors on top, a later impact at another moment, a motion that forgets or magnifies it) is known only after
// the run. So the run is rehearsed twice side by side, with atol = tau and tau/8, nothing recorded. The distance of the
// two, the integral over time of max_i |q_i - q'_i|, estimates the error of the coarser; if it is above the tolerance
// tau shrinks and the pair begins again.
#include "ricochet/sim/driver.hpp"

namespace ricochet {

/// Sets run_state.tolerance and the counts in its summary. False: the observer stopped it.
bool rehearse(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer);

}  // namespace ricochet
