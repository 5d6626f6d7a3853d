#pragma once
// Exact gaps between features of two frames. With d = x_B - x_A, z the third axis of A, and a radius r of B's feature:
//
//   on_plane       point or sphere at B above the plane through A normal to z:      g = z . d - r
//   in_bush        in the cylinder of radius R about the axis z of A (pin, bush):   g = R - r - |d - z z.d|
//   on_shaft       outside that cylinder:                                           g = |d - z z.d| - R - r
//   in_socket      in the sphere of radius R about A (ball joint with play):        g = R - r - |d|
//   on_ball        outside that sphere:                                             g = |d| - R - r
//   rim_in_bush    the circle of radius r about z of B, inside the cylinder about z of A: R less the largest distance
//                  of a point of the circle from the axis. Seen along z the circle is an ellipse; its farthest point
//                  is found to the last digit.
//   rim_on_plane   the circle of radius r about z of B above the plane through A normal to z: g of its lowest point,
//                  z . d - r |z across z_B|; where it lies flat, any point of it
//   flat_on_surface the plane through B normal to z of B, outside a convex surface of A: g = z_B . d less how far the
//                  surface reaches along z_B
//   on_surface     a surface of A by its distance (geometry/surface.hpp):                   g = f(d in the axes of A) -
//   r
//
// n is the direction in which the contact pushes B, p the point of B's feature that touches: the gradient of g is the
// pair of wrenches of a force n at p.
//
// On the axis, or at the centre, n is not defined. A step that begins near it may end on any side: inside a bush or a
// socket `aim` says where B's path of the step meets the wall, and for that step the direction is held, fixed to A,
// wherever B is nearer to the centre than half the play. The gap stays exact, and is open there. Without an aim the
// direction at the very centre is x of A.
#include "ricochet/geometry/surface.hpp"
#include "ricochet/model/frame_pair.hpp"

namespace ricochet {

struct Feature {
  enum class Kind : std::uint8_t {
    on_plane,
    in_bush,
    on_shaft,
    in_socket,
    on_ball,
    rim_in_bush,
    on_surface,
    rim_on_plane,
    flat_on_surface
  };
  Kind kind = Kind::on_plane;
  double R = 0, r = 0;
  std::shared_ptr<const Surface> surface{};
  bool cylinder() const { return kind == Kind::in_bush || kind == Kind::on_shaft || kind == Kind::rim_in_bush; }
  bool inside() const { return kind == Kind::in_bush || kind == Kind::in_socket || kind == Kind::rim_in_bush; }
};

using PairMap = Eigen::Matrix<double, 3, 12>;  ///< a vector's derivative by the displacements of both mounts

struct Touch {
  double gap = 0;
  Vector3d n, p;
  PairMap dn, dp;
};

/// What is asked for: rows need values alone, which costs a third.
enum class Ask : std::uint8_t { values, derivatives };

/// `aim`: as below, or zero. Without derivatives dn and dp are left as they are.
Touch touch(const Feature& feature, const PlacedFrame& A, const PlacedFrame& B, const Vector3d& aim, Ask ask);

/// Whether B is where an aim may hold.
bool in_core(const Feature& feature, const PlacedFrame& A, const PlacedFrame& B);
/// Where B goes in a step h: the direction from the centre, in the axes of A, at which its path meets the wall, if that
/// is not the side on which it is; at the very centre that of the velocity. Zero: the direction is the geometry's.
/// `twist` is that of the pair.
Vector3d aim(const Feature& feature, const PlacedFrame& A, const PlacedFrame& B, const PairVector& twist, double h);

/// A direction at right angles to n, and its derivative.
struct Tangent {
  Vector3d t;
  PairMap dt;
};
/// In the plane normal to m: m x n.
Tangent tangent_in_plane(const Touch& at, const Vector3d& m, Ask ask);
/// In space: along an axis of A, that of a cylinder, else x unless n is close to it; the other one is n x t.
Tangent tangent_in_space(const Feature& feature, const Touch& at, const PlacedFrame& A, Ask ask);
Tangent other_tangent(const Touch& at, const Tangent& first, Ask ask);

/// A force e on B at p and -e on A, as a pair of wrenches.
PairVector pair_of_forces_at(const Vector3d& e, const Vector3d& p, const PlacedFrame& A, const PlacedFrame& B);
/// A moment e on B and -e on A.
PairVector pair_of_moments(const Vector3d& e);
void add_tangent_of_moments(const PairMap& de, double lambda, PairMatrix& H);
/// H += lambda times the derivative of a pair of forces.
void add_tangent_of_pair(const Vector3d& e, const PairMap& de, const Touch& at, const PlacedFrame& A,
                         const PlacedFrame& B, double lambda, PairMatrix& H);

}  // namespace ricochet
