#pragma once
// A part as a drawing: its faces coloured and named, hidden edges dashed. SVG, without perspective.
#include <string>
#include <vector>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet {

struct PartView {
  std::string from = "corner";  ///< one of part_views()
  int width = 900, height = 680;
};
/// corner, front, back, left, right, top, bottom
const std::vector<std::string>& part_views();

/// Several parts stand as they do in their common axes. Faces with names of their own get one beside them and a colour;
/// those called f1, f2, ... get their name alone, where there is room.
std::string part_picture(const std::vector<brep::Part>& parts, const PartView& view);

}  // namespace ricochet
