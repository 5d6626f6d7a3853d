#pragma once
// Whether the pieces of a part fit each other: contacts take them as they are, and fall through what does not.
#include <string>
#include <vector>

#include "ricochet/geometry/brep/part.hpp"

namespace ricochet {

/// Where things stand in the text.
struct BrepLines {
  std::vector<int> edges, faces;
  std::vector<std::vector<std::vector<int>>> sides;  ///< of each loop of each face
};

/// InputError "name:line" if an edge leaves its knots or does not end at its corners, a surface has no extent, a side
/// is not where its edge is, or a loop is not closed.
void check_brep(const brep::Part& part, const BrepLines& lines, const std::string& name);

}  // namespace ricochet
