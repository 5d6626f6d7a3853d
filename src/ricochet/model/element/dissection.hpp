#pragma once
// An order of the nodes of a mesh in which its matrices have little fill: by nested dissection, planes across the
// longest extent. What is cut off by a layer of nodes comes before that layer.
#include "ricochet/model/element/mesh.hpp"

namespace ricochet {

/// `left_out`: nodes that are not numbered (clamped ones).
std::vector<int> dissect(const SolidMesh& mesh, const std::vector<char>& left_out);

}  // namespace ricochet
