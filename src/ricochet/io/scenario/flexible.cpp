// Flexible bodies: which shape, and who reads it.
#include "ricochet/io/scenario/flexible.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/scenario/beams.hpp"
#include "ricochet/io/scenario/solids.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;

std::string shape_of(const Fields& body) { return body.one_of({"beam", "rod", "box", "cylinder", "mesh"}); }

}  // namespace

bool has_flexible(const Fields& system, FlexibleKind kind) {
  const auto bodies = system.named_blocks("flexible");
  return std::any_of(bodies.begin(), bodies.end(),
                     [&](const auto& b) { return b.value.has("beam") == (kind == FlexibleKind::beams); });
}

void read_flexible(const Fields& fields, FlexibleKind kind, const Vector3d& gravity, Parts& parts) {
  for (const auto& [given, body] : fields.named_blocks("flexible")) {
    const std::string shape = shape_of(body);
    if ((shape == "beam") != (kind == FlexibleKind::beams)) continue;
    if (!is_valid_name(given))
      body.node().fail_key(fmt::format(
          "'{}' cannot be the name of a body; accepted: letters, digits and underscores, not a function", given));
    if (shape == "beam")
      read_beam(parts.prefix + given, body, fields, gravity, parts);
    else
      read_solid({parts.prefix + given, shape, body, fields}, gravity, parts);
  }
}

double required_number(const Fields& body, std::string_view key, const std::string& shape, Numbers& numbers) {
  if (!body.has(key)) body.fail(shape, fmt::format("needs `{}` beside it", key));
  return numbers.number(body, key);
}

}  // namespace ricochet::scenario
