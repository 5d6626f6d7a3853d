// Rods and solids.
#include "ricochet/io/scenario/solids.hpp"

namespace ricochet::scenario {

void read_solid(const SolidText& text, const Vector3d&, Parts&) {
  text.body.fail(text.shape, "is not there yet; accepted: beam");
}

}  // namespace ricochet::scenario
