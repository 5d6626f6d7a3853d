#include "ricochet/io/scenario/assembly.hpp"

#include <cmath>

namespace ricochet::scenario {
namespace {

bool parallel(const Vector3d& a, const Vector3d& b) { return std::abs(std::abs(a.dot(b)) - 1) < 1e-12; }

}  // namespace

bool Freedom::within(const Vector3d& normal) const {
  if (!formula) return !plane.isZero(0) && parallel(plane, normal);
  for (Index k = 0; k < 3; ++k)
    if (moves[static_cast<std::size_t>(k)] && std::abs(normal[k]) > 1e-12) return false;
  return !turns || parallel(axis, normal);
}

void Assembly::look_at(int a, int b) {
  plane = common_plane(a, b);
  for (const int mount : {b, a})
    if (mount > 0 && planar() && !freedoms[static_cast<std::size_t>(mount - 1)].plane.isZero(0))
      e1 = freedoms[static_cast<std::size_t>(mount - 1)].e1;
}

void Assembly::add(const std::string& name, const Pose& pose, const Freedom& freedom, const Mount& mount,
                   const Vector3d& centre) {
  names.push_back(name);
  poses.push_back(pose);
  centres.push_back(centre);
  freedoms.push_back(freedom);
  mounts.push_back(mount);
}

Vector3d Assembly::common_plane(int a, int b) const {
  const auto freedom = [&](int mount) -> const Freedom& { return freedoms[static_cast<std::size_t>(mount - 1)]; };
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
    if (one > 0 && !freedom(one).plane.isZero(0) && (other == 0 || freedom(other).within(freedom(one).plane)))
      return freedom(one).plane;
  return Vector3d::Zero();
}

}  // namespace ricochet::scenario
