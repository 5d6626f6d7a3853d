#pragma once
// Surfaces by their distance: f(x) signed, positive outside, with exact gradient and Hessian. A point, or a sphere of
// radius r about it, touches where f = 0, or f = r. Where several points of a surface are nearest (inside, midway
// between two faces) one of them is taken.
//
//   capsule   a sphere of `radius` along the axis z, from -length/2 to length/2
//   box       edges `size` along x, y, z, about the origin
//   ring      a torus about z: circle of `radius`, thickness `thin` about it
//   cone      base of `radius` in z = 0, tip at z = height
//   arc       in the plane xy: part of a circle about the origin, of thickness `thin` to both sides, ends round
//   sector    in the plane xy: part of a disc about the origin between two angles, grown by `thin`, corners round
//   polygon   in the plane xy: closed, counter-clockwise, convex
//   cam       in the plane xy: the closed curve r(phi) about the origin, phi from x to y; given by a function
#include <functional>
#include <memory>
#include <vector>

#include "ricochet/geometry/distance.hpp"

namespace ricochet {

/// The farthest point in a direction.
struct SupportPoint {
  double h = 0;  ///< how far
  Vector3d point = Vector3d::Zero();
  Matrix3d turn = Matrix3d::Zero();  ///< its derivative by the direction
};

class Surface {
 public:
  virtual ~Surface() = default;
  virtual Distance distance(const Vector3d& x) const = 0;
  /// In a direction of length 1 (cam, which must be convex).
  virtual SupportPoint support(const Vector3d&) const { return {}; }
};

std::shared_ptr<const Surface> make_capsule(double radius, double length);
std::shared_ptr<const Surface> make_box(const Vector3d& size);
std::shared_ptr<const Surface> make_ring(double radius, double thin);
std::shared_ptr<const Surface> make_cone(double radius, double height);
/// Angles from x to y, from < to < from + 2 pi.
std::shared_ptr<const Surface> make_arc(double radius, double thin, double from, double to);
/// to < from + pi: it is convex.
std::shared_ptr<const Surface> make_sector(double radius, double thin, double from, double to);
std::shared_ptr<const Surface> make_polygon(std::vector<Eigen::Vector2d> corners);

/// r, r' and r'' at an angle.
using Profile = std::function<Vector3d(double)>;
std::shared_ptr<const Surface> make_cam(Profile profile);
/// Least curvature of such a curve among `places` of it; positive: convex.
double least_curvature(const Profile& profile, int places);

}  // namespace ricochet
