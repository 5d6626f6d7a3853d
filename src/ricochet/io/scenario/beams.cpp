// Beams.
#include "ricochet/io/scenario/beams.hpp"

namespace ricochet::scenario {

const schema::Block& beam() {
  using namespace schema;
  static const Block block{.name = "beam",
                           .doc = "A straight beam in equal elements.",
                           .fields = {
                               {.key = "from",
                                .type = Type::expression,
                                .shape = Shape::list,
                                .count = 3,
                                .unit = "m",
                                .doc = "Where it begins.",
                                .required = true},
                               {.key = "to",
                                .type = Type::expression,
                                .shape = Shape::list,
                                .count = 3,
                                .unit = "m",
                                .doc = "Where it ends.",
                                .required = true},
                           }};
  return block;
}

void read_beam(const std::string&, const schema::Fields& body, const schema::Fields&, const Vector3d&, Parts&) {
  body.fail("beam", "beams are not there yet; accepted: rod, box, cylinder, mesh");
}

}  // namespace ricochet::scenario
