#pragma once
// Distances from faces and edges of a part. The signed distance from the surface of a face, which goes on beyond the
// edges, is positive outside the material, and regular through zero; of planes, cylinders, cones, spheres and tori it
// is a closed form, of others the nearest point is found by Newton from the best of a table, or from a start.
#include <optional>

#include "ricochet/geometry/brep/evaluate.hpp"
#include "ricochet/geometry/brep/trim.hpp"
#include "ricochet/geometry/surface.hpp"

namespace ricochet::brep {

/// A curve between two parameters.
class EdgeShape {
 public:
  EdgeShape(Curve curve, double from, double to);
  explicit EdgeShape(const Edge& e) : EdgeShape(e.curve, e.from, e.to) {}
  const Curve& curve() const { return curve_; }
  double from() const { return from_; }
  double to() const { return to_; }
  /// It ends where it begins, without a corner: parameters go on and on.
  bool closed() const { return closed_; }
  /// Parameter of the point nearest to x.
  double nearest(const Vector3d& x) const;
  /// Within the range; of a closed curve by whole turns, else the nearest end.
  double within(double t) const;
  static constexpr int kSeeds = 24;
  double seed(int k) const { return from_ + (to_ - from_) * k / (closed_ ? kSeeds : kSeeds - 1); }
  const Vector3d& seed_point(int k) const { return seeds_[static_cast<std::size_t>(k)]; }

 private:
  Curve curve_;
  double from_, to_;
  bool closed_ = false;
  std::vector<Vector3d> seeds_;
};

class FaceShape {
 public:
  FaceShape(const Part& part, std::size_t face);

  const brep::Surface& surface() const { return surface_; }
  bool elementary() const { return surface_.kind < SurfaceKind::extrusion; }
  /// +1: gradients of the distance are S_u x S_v, -1: against it
  double sign() const { return sign_; }
  /// It bulges out of the material (cylinders, cones, spheres, tori).
  bool convex() const { return sign_ * hand_ > 0; }
  /// From the surface, beyond its edges too. `foot`: parameters of the nearest point.
  Distance distance(const Vector3d& x, Vector2d& foot) const;
  /// The same from a start, for surfaces that need one.
  Distance distance_from(const Vector3d& x, Vector2d& foot) const;
  /// One pass of Newton from a foot, for surfaces that need a start.
  struct Approach {
    Distance at;                       ///< that of the next foot, to first order
    Vector2d step;                     ///< to the next foot
    double length = 0;                 ///< of the step, in eighths of the face
    Eigen::Matrix<double, 2, 3> foot;  ///< the foot by x
  };
  Approach approach(const Vector3d& x, const Vector2d& foot) const;
  bool holds(const Vector2d& foot) const { return trim_.inside(foot[0], foot[1]); }
  bool holds(const Vector3d& x) const;
  const Trim& trim() const { return trim_; }
  /// Edges that bound it, each once.
  const std::vector<int>& edges() const { return edges_; }
  /// Where a cone ends in a point.
  const std::optional<Vector3d>& tip() const { return tip_; }
  /// Distance from the face with its edges and corners, beyond which it is not signed.
  Distance bounded(const Vector3d& x) const;
  /// Points over the face with their parameters, inside.
  struct Seed {
    Vector2d uv;
    Vector3d x;
  };
  /// In rows along v, one beside the other along u.
  const std::vector<Seed>& seeds() const { return seeds_; }
  static constexpr int kMostSeeds = 96;  // along u and along v
  /// How far they are from each other.
  Vector2d seed_cell() const { return (high_ - low_).cwiseQuotient(Vector2d(counts_[0], counts_[1])); }
  /// Whether seed k has no lower one around it, f of all seeds given; of equal ones the first counts as the lowest.
  bool lowest_around(const double* f, int k) const;
  /// Parameters of the seed that is nearest.
  Vector2d nearest_seed(const Vector3d& x) const;
  /// Brought back into the range where the surface closes in itself.
  Vector2d wrapped(Vector2d uv) const;

 private:
  Distance closed_form(const Vector3d& x, Vector2d& foot) const;
  Distance parametric(const Vector3d& x, Vector2d& foot) const;
  void make_seeds();
  /// Of a cone: the second parameter of its tip.
  double height_of_tip() const;

  brep::Surface surface_;
  Trim trim_;
  std::vector<int> edges_;
  std::vector<EdgeShape> bounds_;
  std::optional<Vector3d> tip_;
  double sign_ = 1, hand_ = 1;
  std::array<bool, 2> closes_{};  // parametric: in u, in v
  Vector2d low_, high_;           // of the table
  std::array<int, 2> counts_{};   // of the seeds along u, along v
  std::vector<Seed> seeds_;
};

/// The face with its edges as a surface of contacts (geometry/surface.hpp).
std::shared_ptr<const ricochet::Surface> make_bounded_face(std::shared_ptr<const FaceShape> face);

}  // namespace ricochet::brep
