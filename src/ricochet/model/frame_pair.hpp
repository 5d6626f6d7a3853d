#pragma once
// Two frames on their mounts, as joints, contacts and force elements see them: a pair of wrenches (on the mount of A
// and on that of B) becomes a row over the mounts' velocity coordinates, J^T w, and back.
//
// With H = dw/d(displacements) of the mounts, the derivative of J^T w by the coordinates is J^T H J plus what J^T
// itself turns; that of the rate w . twist is H^T twist pulled back, plus what the twist itself turns.
#include <array>

#include "ricochet/model/frame.hpp"

namespace ricochet {

/// Entries 0-2, 3-5: force and moment, or velocity and angular velocity, at the mount of A; 6-8, 9-11: at that of B.
using PairVector = Eigen::Matrix<double, 12, 1>;
using PairMatrix = Eigen::Matrix<double, 12, 12>;

class FramePair {
 public:
  static constexpr int kMost = 24;  ///< coordinates of two mounts
  using Row = std::array<double, kMost>;

  /// Where both stand.
  struct Placed {
    Pose pose_A, pose_B;
    PlacedFrame A, B;
    Placed(const Pose& a, const Pose& b, const FramePair& pair)
        : pose_A(a), pose_B(b), A(a, pair.frame_A_), B(b, pair.frame_B_) {}
    Placed(const Pose& a, const Pose& b, const FramePair& pair, PlacedFrame::NoAxes none)
        : pose_A(a), pose_B(b), A(a, pair.frame_A_, none), B(b, pair.frame_B_, none) {}
    /// B without its axes.
    struct OnlyA {};
    Placed(const Pose& a, const Pose& b, const FramePair& pair, OnlyA)
        : pose_A(a), pose_B(b), A(a, pair.frame_A_), B(b, pair.frame_B_, PlacedFrame::NoAxes{}) {}
  };

  /// Frames refer to `mounts`.
  FramePair(const std::vector<Mount>& mounts, const Frame& A, const Frame& B)
      : A_(mounts[static_cast<std::size_t>(A.mount)]),
        B_(mounts[static_cast<std::size_t>(B.mount)]),
        a_(A_.coordinates()),
        b_(B_.coordinates()),
        frame_A_(A),
        frame_B_(B) {}

  int coordinates() const { return a_.n + b_.n; }
  /// One of them is the ground, or has no coordinates.
  bool one_sided() const { return a_.n == 0 || b_.n == 0; }
  std::array<int, 2> bodies() const { return {A_.body(), B_.body()}; }
  /// Place of the pair's coordinate i among those of the model.
  int operator[](int i) const { return i < a_.n ? a_.at + i : b_.at + i - a_.n; }
  /// What the pair couples. A body is a block, for which one coordinate stands; of others every coordinate.
  void couple(std::vector<std::pair<int, int>>& out) const;

  Placed place(ConstView q) const { return {pose(A_, q), pose(B_, q), *this}; }
  /// The same with poses that others may have asked for.
  Placed place(MountPoses& poses) const { return {poses(A_, frame_A_.mount), poses(B_, frame_B_.mount), *this}; }
  Placed place_origins(MountPoses& poses) const {
    return {poses(A_, frame_A_.mount), poses(B_, frame_B_.mount), *this, PlacedFrame::NoAxes{}};
  }
  Placed place_axes_of_A(MountPoses& poses) const {
    return {poses(A_, frame_A_.mount), poses(B_, frame_B_.mount), *this, Placed::OnlyA{}};
  }
  PairVector twist(const Placed& at, ConstView v) const;
  /// What the twist changes by at v' = 0.
  PairVector bias(const Placed& at, ConstView v) const;
  /// J^T w; returns the end of the row.
  double* pull(const Placed& at, const PairVector& wrench, double* row) const;
  /// Where forces act on both: their mounts' poses, and arms from the reference points.
  struct Arms {
    const Pose &pose_A, &pose_B;
    Vector3d A, B;
    /// From one end to the other.
    Vector3d between() const { return (pose_B.c + B) - (pose_A.c + A); }
  };
  /// To the origins.
  Arms arms(MountPoses& poses) const {
    const Pose &a = poses(A_, frame_A_.mount), &b = poses(B_, frame_B_.mount);
    return {a, b, a_.n > 0 ? Vector3d(a.R * frame_A_.r) : frame_A_.r,
            b_.n > 0 ? Vector3d(b.R * frame_B_.r) : frame_B_.r};
  }
  /// J^T w of forces f on B and -f on A, one row each.
  double* pull_forces(const Arms& at, const Vector3d* f, int count, double* row) const {
    const int n = coordinates();
    if (a_.n > 0) A_.subsystem->pull_forces(A_.id, at.pose_A, {f, count, -1, at.A}, {row, n});
    if (b_.n > 0) B_.subsystem->pull_forces(B_.id, at.pose_B, {f, count, 1, at.B}, {row + a_.n, n});
    return row + count * n;
  }
  /// The derivatives by q of these rows times v.
  double* turn_forces(const Arms& at, const Vector3d* f, int count, ConstView v, double* row) const;
  /// The same of a moment m on A and -m on B.
  double* pull_moment(const Arms& at, const Vector3d& m, double* row) const {
    if (a_.n > 0) A_.subsystem->pull(A_.id, at.pose_A, {Vector3d::Zero(), m}, row);
    if (b_.n > 0) B_.subsystem->pull(B_.id, at.pose_B, {Vector3d::Zero(), -m}, row + a_.n);
    return row + coordinates();
  }
  /// Room for dim rows over the coordinates of both, not zeroed.
  double* append(int dim, Jacobian& out) const;
  /// S += d(J^T wrench)/dq, with H the derivative of the wrench by the displacements
  void add_tangent(const Placed& at, const PairVector& wrench, const PairMatrix& H, Operator& S) const;
  /// row = d(wrench . twist)/dq with turn = H^T twist; returns the end of the row.
  double* rate(const Placed& at, const PairVector& wrench, const PairVector& turn, ConstView v, double* row) const;

 private:
  static Pose pose(const Mount& m, ConstView q) {
    if (m.subsystem == nullptr) return {};
    const ConstView own = q.segment(m.first_q, m.subsystem->nq());
    Pose pose = m.subsystem->pose(m.id, own);
    pose.q = own;
    return pose;
  }

  Mount A_, B_;
  Range a_, b_;
  Frame frame_A_, frame_B_;
};

}  // namespace ricochet
