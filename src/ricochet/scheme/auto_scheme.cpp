// The scheme for people who do not want to choose. The rule: it is `combined` (combined.cpp) with all its options, and
// with the projection in the metric of the velocity level, M^^-1, as its default: lengths and angles, light and heavy
// bodies are then weighed as the impulses weigh them, and no unit is preferred. A scenario that has joints with
// clearance takes `two-impulse` instead (io/scenario/scenario.cpp), unless it gives options that this does not have or
// has coordinates without mass: `combined` gains energy where a normal turns far within a step.
//
// Of the schemes that are exact at both levels it takes friction, rotations, joints and massless coordinates, comes to
// rest without chattering and needs one pass on linear systems at any step. At equal step its error in L1, in geometric
// mean over five off-grid steps, is at most 1.5 times that of the best of them on every shipped scenario:
// tests/convergence/auto_test.cpp measures it.
#include "ricochet/scheme/scheme.hpp"

namespace ricochet {

SchemeEntry combined();

SchemeEntry auto_scheme() {
  SchemeEntry e = combined();
  e.info.name = "auto";
  e.info.summary = "the default: combined with the metric of the velocities; two-impulse for joints with clearance";
  for (OptionInfo& option : e.options)
    if (option.name == "metric") option.fallback = std::string("iteration");
  return e;
}

}  // namespace ricochet
