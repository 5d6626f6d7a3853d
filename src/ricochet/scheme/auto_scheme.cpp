// The scheme for people who do not want to choose. The rule: it is `combined` (combined.cpp) with all its options. Of
// the schemes that are exact at both levels it takes friction, rotations and joints, comes to rest without chattering,
// needs one pass on linear systems at any step, and had the smallest or nearly the smallest error at equal step: in
// geometric mean over five off-grid steps, at most 1.4 times the best of projected, combined and nonsmooth-alpha on 16
// of 18 shipped scenarios, 2.0 on slider-crank-free and 2.6 on slider-and-roller.
#include "ricochet/scheme/scheme.hpp"

namespace ricochet {

SchemeEntry combined();

SchemeEntry auto_scheme() {
  SchemeEntry e = combined();
  e.info.name = "auto";
  e.info.summary = "the default: combined, exact at both levels, with friction, without chattering";
  return e;
}

}  // namespace ricochet
