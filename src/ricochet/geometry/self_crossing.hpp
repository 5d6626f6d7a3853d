#pragma once
// Whether a surface of triangles passes through itself: an edge of one triangle through the inside of another. Corners
// and edges that only touch do not count.
#include <optional>

#include "ricochet/geometry/triangle_mesh.hpp"

namespace ricochet {

/// A place where it does.
std::optional<Vector3d> self_crossing(const TriangleMesh& mesh);

}  // namespace ricochet
