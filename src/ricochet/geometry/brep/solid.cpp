#include "ricochet/geometry/brep/solid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::brep {

Solid::Solid(const Part& part) {
  for (std::size_t f = 0; f < part.faces.size(); ++f) faces_.emplace_back(part, f);
}

bool Solid::closed(const Part& part) {
  std::vector<int> sides(part.edges.size());
  for (const Face& face : part.faces)
    for (const Loop& loop : face.loops)
      for (const Side& side : loop) ++sides[static_cast<std::size_t>(side.edge)];
  return std::all_of(sides.begin(), sides.end(), [](int n) { return n == 2; });
}

double Solid::depth(const Vector3d& x) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const FaceShape& face : faces_)
    if (const double d = face.bounded(x).f; std::abs(d) < std::abs(nearest)) nearest = d;
  return -nearest;
}

}  // namespace ricochet::brep
