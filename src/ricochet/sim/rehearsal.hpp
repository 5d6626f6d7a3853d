#pragma once
// From a tolerance for the whole motion to one for the steps. The control bounds the error of a step; what becomes of
// it (other errors on top, a later impact at another moment, a motion that forgets or magnifies it) is known only after
// the run. So the run is rehearsed twice side by side, with atol = tau and 8 tau, nothing recorded; the one with tau is
// the run that is made afterwards. Their distance, the integral over time of D(t) = max_i |q_i - q'_i|, is the
// estimate:
//
//   errors of order p = 2 go with tau^{2/3}, those of events with tau:  E(8 tau) = 4 E(tau), 8 E(tau)
//   distance >= E(8 tau) - E(tau) >= 3 E(tau)
//
// The factor of three (2.5 with steps that are powers of two and the grid below) is what it may be off: errors that are
// not yet in that regime, or that happen to agree. So that
// they do not agree because both take the same steps, the grids of the two have no step in common (kOtherGrid); where
// contacts close the estimate is twice the distance, because the errors of their moments are random, and at least what
// the control allows one of them, tau times the duration.
// The coarser begins beside the state by a few times the scheme's tolerance, within which gaps count as closed: a
// motion that magnifies that shows it. If the estimate is above the tolerance tau shrinks and the pair begins again.
//
// What both can be wrong about alike is on which side of zero a gap has its minimum. If the minimum is not sure,
// |g_min| <= sum|G_i| D (three times the error), the velocity (1 + e) sqrt(2 U_N' (|g_min| + sum|G_i| D)) that an
// impact there would change goes on for the time t that is left: t^2/2 times it is added (the doubt).
#include "ricochet/sim/driver.hpp"

namespace ricochet {

/// Sets run_state.tolerance and the counts in its summary. False: the observer stopped it.
bool rehearse(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer);

}  // namespace ricochet
