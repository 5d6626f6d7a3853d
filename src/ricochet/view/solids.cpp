#include "ricochet/view/solids.hpp"

#include <algorithm>

namespace ricochet::view {

SolidSurface::SolidSurface(const FlexibleReading& reading) : reading_(reading) {
  const SolidMesh& mesh = reading_.body->mesh();
  const std::vector<SurfaceFace> faces = surface_faces(mesh);
  place_.assign(mesh.nodes.size(), -1);
  for (const SurfaceFace& face : faces)
    for (const int n : face.all())
      if (int& place = place_[static_cast<std::size_t>(n)]; place < 0) {
        place = static_cast<int>(nodes_.size());
        nodes_.push_back(n);
      }
  const auto triangle = [&](const SurfaceFace& face, int a, int b, int c) {
    for (const int k : {a, b, c})
      triangles_.push_back(place_[static_cast<std::size_t>(face.nodes[static_cast<std::size_t>(k)])]);
  };
  for (const SurfaceFace& face : faces) {
    if (face.count == 6) {  // corners, then the middles of the edges after them
      triangle(face, 0, 3, 5);
      triangle(face, 3, 1, 4);
      triangle(face, 5, 4, 2);
      triangle(face, 3, 4, 5);
      continue;
    }
    triangle(face, 0, 1, 2);
    if (face.count == 4) triangle(face, 0, 2, 3);
  }
  elements_.assign(nodes_.size(), 0);
  for (const auto& e : mesh.elements)
    for (const int n : mesh.nodes_of(e))
      if (const int place = place_[static_cast<std::size_t>(n)]; place >= 0)
        ++elements_[static_cast<std::size_t>(place)];
}

void SolidSurface::add(ConstView q, std::vector<float>& out) {
  const FlexibleBody& body = *reading_.body;
  const SolidMesh& mesh = body.mesh();
  const ConstView own = q.segment(reading_.first_q, body.nq());
  stress_.assign(nodes_.size(), Matrix3d::Zero());
  for (std::size_t e = 0; e < mesh.elements.size(); ++e) {
    const auto nodes = mesh.nodes_of(mesh.elements[e]);
    if (std::all_of(nodes.begin(), nodes.end(), [&](int n) { return place_[static_cast<std::size_t>(n)] < 0; }))
      continue;
    const Matrix3d stress = body.stress(e, own);
    for (const int n : nodes)
      if (const int place = place_[static_cast<std::size_t>(n)]; place >= 0)
        stress_[static_cast<std::size_t>(place)] += stress;
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Vector3d x = mesh.nodes[static_cast<std::size_t>(nodes_[k])] + body.displacement(nodes_[k], own);
    for (int i = 0; i < 3; ++i) out.push_back(static_cast<float>(x[i]));
    out.push_back(static_cast<float>(von_mises(stress_[k] / elements_[k])));
  }
}

std::vector<SolidSurface> solid_surfaces(const Drawing& drawing) {
  std::vector<SolidSurface> out;
  for (const FlexibleReading& reading : drawing.flexible)
    if (!reading.body->mesh().elements.empty()) out.emplace_back(reading);
  return out;
}

}  // namespace ricochet::view
