#pragma once
// The shapes of a collision set on their mounts: where they stand, how far they may come, who is near whom. Loops over
// many of them are shared by a crew; no number depends on who computes it, and what parts find is put together in the
// order of the shapes.
#include <deque>
#include <vector>

#include "ricochet/geometry/collision/broad.hpp"
#include "ricochet/model/contact/collision.hpp"

namespace ricochet {

class CollidingShapes {
 public:
  /// A shape as it is kept: the polytopes of shapes alike are one.
  struct Kept {
    Frame frame;
    const Polytope* shape;
    double thickness;  ///< least width
    int material, group;
  };

  CollidingShapes(const std::vector<Mount>& mounts, std::vector<CollidingShape> shapes, CollisionSettings settings);

  int count() const { return static_cast<int>(shapes_.size()); }
  const Kept& operator[](int i) const { return shapes_[static_cast<std::size_t>(i)]; }
  const std::vector<Mount>& mounts() const { return mounts_; }
  const Mount& mount(int i) const { return mounts_[static_cast<std::size_t>((*this)[i].frame.mount)]; }
  const CollisionSettings& settings() const { return set_; }
  bool planar() const { return planar_; }
  bool pieces() const { return pieces_; }  ///< some are triangles of a surface
  const ContactLaw* law(int a, int b) const {
    return set_.laws[static_cast<std::size_t>((*this)[a].material * set_.materials + (*this)[b].material)];
  }
  /// In a plane of motion depths do not count.
  void into_plane(PlacedFrame& F) const {
    F.c -= set_.plane * set_.plane.dot(F.c);
    F.arm -= set_.plane * set_.plane.dot(F.arm);
  }
  bool may_meet(int a, int b) const;

  /// All where they stand, and how they move if there are velocities.
  void place(const Point& at, Crew* crew, std::vector<MovingShape>& out) const;
  /// How far each may come in a step.
  void reaches(const std::vector<MovingShape>& moving, double h, std::vector<double>& out) const;
  /// Pairs that come within reach of each other, sorted; whether they may is not asked yet.
  const std::vector<BroadPhase::Pair>& near(const std::vector<MovingShape>& moving, const std::vector<double>& reach,
                                            Crew* crew) const;
  /// Whether one has moved further than what is near reaches: until then everything near is a candidate.
  bool moved(const std::vector<MovingShape>& then, const std::vector<MovingShape>& now) const;

  /// At a configuration, deepest first.
  std::vector<Overlap> overlaps(ConstView q, double tolerance) const;
  /// Size of the smallest body that moves; 0: none does.
  double least_size() const;

 private:
  void keep(std::vector<CollidingShape> shapes);
  void check_numbers() const;
  Bounds bounds(const MovingShape& s, double reach) const;
  void add_buried(const std::vector<MovingShape>& moving, std::vector<Overlap>& out) const;

  std::vector<Mount> mounts_;
  std::deque<Polytope> polytopes_;  // pointers into it stay
  std::vector<Kept> shapes_;
  CollisionSettings set_;
  bool planar_;
  bool pieces_ = false;
};

/// No point of the shape moves further.
double way_of(const MovingShape& then, const MovingShape& now);

}  // namespace ricochet
