#pragma once
// Surfaces of triangles: STL, ASCII and binary, and the points and faces of OBJ; polygons of the latter are cut into
// triangles. Which of them a file is, its content says.
#include <string>
#include <string_view>

#include "ricochet/geometry/triangle_mesh.hpp"

namespace ricochet {

constexpr int kMostTriangles = 200'000;

/// InputError with what is wrong and where in the file. The mesh is as it is written; see `repair`.
TriangleMesh read_triangles(const std::string& path);
/// The same from memory; `name` is for messages.
TriangleMesh parse_triangles(std::string_view data, const std::string& name);

}  // namespace ricochet
