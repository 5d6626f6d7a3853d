#pragma once
// Frames connect bodies to everything else. A subsystem exports mounts: places that move like a rigid body (a body, an
// end of a beam) with a pose (c, R) and a twist (velocity of c, angular velocity, both in space), on a few velocity
// coordinates. A frame is fixed to a mount, or to the ground. Joints, contacts and force elements know frames only.
//
// A wrench (force f, moment m about c, both in space) is pulled back to the mount's coordinates, J^T (f, m); a twist is
// J v. With dq the increment of the mount's coordinates (dc, dphi) = J dq is the displacement in space.
#include "ricochet/math/rotation.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// A mount of a model; without subsystem the ground.
struct Mount {
  const Subsystem* subsystem = nullptr;
  int id = 0;
  int first_q = 0, first_v = 0;  ///< where the subsystem's coordinates begin
  int first_body = 0;            ///< and its bodies, among those of the model
  int body() const { return subsystem == nullptr ? -1 : first_body + id; }
  Range coordinates() const {
    if (subsystem == nullptr) return {};
    const Range r = subsystem->mount_coordinates(id);
    return {first_v + r.at, r.n};
  }
};

struct Frame {
  int mount = 0;                      ///< among those of whoever uses it
  Vector3d r = Vector3d::Zero();      ///< origin, in the mount's axes
  Matrix3d R = Matrix3d::Identity();  ///< axes as columns, in the mount's axes
};

/// A frame where its mount stands.
struct PlacedFrame {
  Vector3d c;    ///< the mount's reference point
  Vector3d arm;  ///< from there to the origin
  Matrix3d R;    ///< axes in space
  Vector3d x() const { return c + arm; }
  PlacedFrame(const Pose& pose, const Frame& frame) : c(pose.c), arm(pose.R * frame.r), R(pose.R * frame.R) {}
  /// Without its axes, for who asks for none.
  struct NoAxes {};
  PlacedFrame(const Pose& pose, const Frame& frame, NoAxes) : c(pose.c), arm(pose.R * frame.r) {}
};

/// Poses of mounts at one configuration, each of them found once.
class MountPoses {
 public:
  void move_to(ConstView q, std::size_t mounts) {
    if (same_bits(ConstView(q_.data(), static_cast<Index>(q_.size())), q) && poses_.size() >= mounts) return;
    q_.assign(q.begin(), q.end());
    if (poses_.size() < mounts) poses_.resize(mounts);
    ++turn_;
  }
  const Pose& operator()(const Mount& mount, int index) {
    Entry& entry = poses_[static_cast<std::size_t>(index)];
    if (entry.turn == turn_) return entry.pose;
    entry.turn = turn_;
    if (mount.subsystem != nullptr) {
      const ConstView own(q_.data() + mount.first_q, mount.subsystem->nq());
      entry.pose = mount.subsystem->pose(mount.id, own);
      entry.pose.q = own;
    }
    return entry.pose;
  }

 private:
  struct Entry {
    Pose pose;
    long long turn = 0;
  };
  std::vector<Entry> poses_;
  std::vector<double> q_;
  long long turn_ = 0;
};

}  // namespace ricochet
