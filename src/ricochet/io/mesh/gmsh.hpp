#pragma once
// Meshes of Gmsh: .msh of versions 2.2 and 4.1, ASCII and binary.
//
// Hexahedra with 8 and tetrahedra with 4 and 10 nodes are elements of the body; elements of lower dimension only say
// which nodes belong to a physical group. Groups become node sets by their names, `group` and their number where they
// have none, beside `surface` and `all`.
#include <string>
#include <string_view>

#include "ricochet/model/element/mesh.hpp"

namespace ricochet {

/// InputError with what is wrong and where in the file.
SolidMesh read_gmsh(const std::string& path);
/// The same from memory; `name` is for messages.
SolidMesh parse_gmsh(std::string_view data, const std::string& name);

}  // namespace ricochet
