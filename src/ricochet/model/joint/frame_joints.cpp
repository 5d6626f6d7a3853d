#include "ricochet/model/joint/frame_joints.hpp"

#include <array>

namespace ricochet {
namespace {

/// Both ends of a joint where their mounts stand.
struct Placed {
  Pose pose_A, pose_B;
  PlacedFrame A, B;
  Placed(const Pose& a, const Pose& b, const FrameJoint& joint) : pose_A(a), pose_B(b), A(a, joint.A), B(b, joint.B) {}
};

class FrameJoints final : public ConstraintSet {
 public:
  FrameJoints(std::vector<Mount> mounts, std::vector<FrameJoint> joints)
      : mounts_(std::move(mounts)), joints_(std::move(joints)) {}

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const FrameJoint& j : joints_) out.push_back({j.name, static_cast<int>(j.rows.size()), true});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const FrameJoint& j : joints_)
      if (mount(j.A).subsystem != nullptr && mount(j.B).subsystem != nullptr)
        out.emplace_back(mount(j.A).coordinates().at, mount(j.B).coordinates().at);
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < joints_.size(); ++i)
      out.push_back({Key(set) << 32 | i, set, static_cast<int>(i), static_cast<int>(joints_[i].rows.size()), nullptr});
  }
  void evaluate(double, ConstView q, const Selection& selection, ConstraintRows& out, Scratch&) const override {
    for (int k = 0; k < selection.count; ++k) {
      const FrameJoint& joint = joints_[selection[k].item];
      const Placed at = place(joint, q);
      const auto dim = static_cast<int>(joint.rows.size());
      double* row = add_block(joint, dim, out.G);
      const auto [g, g_t] = out.values(dim);
      for (int i = 0; i < dim; ++i) {
        g[i] = value(joint.rows[i], at.A, at.B);
        g_t[i] = 0;
        row = pull(joint, at, gradient(joint.rows[i], at.A, at.B), row);
      }
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const FrameJoint& joint = joints_[c.item];
    const Placed at = place(joint, q);
    PairMatrix H = PairMatrix::Zero();
    PairVector wrench = PairVector::Zero();
    for (int i = 0; i < dim; ++i) {
      add_tangent(joint.rows[i], at.A, at.B, coefficient * lambda[i], H);
      wrench += coefficient * lambda[i] * gradient(joint.rows[i], at.A, at.B);
    }
    // J^T H J, column by column of H^T pulled back, then the rows
    const Range ranges[2] = {mount(joint.A).coordinates(), mount(joint.B).coordinates()};
    Eigen::Matrix<double, 12, kMost> HJ;  // H J: rows of H are covectors
    const int n = ranges[0].n + ranges[1].n;
    std::array<double, kMost> row;
    for (int i = 0; i < 12; ++i) {
      pull(joint, at, H.row(i).transpose(), row.data());
      for (int j = 0; j < n; ++j) HJ(i, j) = row[j];
    }
    std::array<double, kMost * kMost> K{};
    for (int j = 0; j < n; ++j) {
      pull(joint, at, HJ.col(j), row.data());
      for (int i = 0; i < n; ++i) K[i + j * n] = row[i];
    }
    add_own(joint.A, at.pose_A, {wrench.segment<3>(0), wrench.segment<3>(3)}, 0, n, K.data());
    add_own(joint.B, at.pose_B, {wrench.segment<3>(6), wrench.segment<3>(9)}, ranges[0].n, n, K.data());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (K[i + j * n] != 0) S.add(place_of(ranges, i), place_of(ranges, j), K[i + j * n]);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch&) const override {
    const FrameJoint& joint = joints_[c.item];
    const Placed placed = place(joint, at.q);
    const PairVector twist = twists(joint, placed, at.v);
    double* row = add_block(joint, dim, out);
    std::array<double, kMost> turn;
    for (int i = 0; i < dim; ++i) {
      PairMatrix H = PairMatrix::Zero();
      add_tangent(joint.rows[i], placed.A, placed.B, 1, H);
      const PairVector wrench = gradient(joint.rows[i], placed.A, placed.B);
      double* next = pull(joint, placed, H.transpose() * twist, row);
      int j = 0;
      for (const Frame* frame : {&joint.A, &joint.B}) {
        const Mount& m = mount(*frame);
        if (m.subsystem == nullptr) continue;
        const int side = frame == &joint.A ? 0 : 6;
        m.subsystem->twist_tangent(m.id, side == 0 ? placed.pose_A : placed.pose_B,
                                   {wrench.segment<3>(side), wrench.segment<3>(side + 3)}, velocities(m, at.v),
                                   turn.data());
        for (int k = 0; k < m.coordinates().n; ++k) row[j++] += turn[k];
      }
      row = next;
    }
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch&) const override {
    const FrameJoint& joint = joints_[c.item];
    const Placed placed = place(joint, at.q);
    const PairVector twist = twists(joint, placed, at.v);
    for (int i = 0; i < dim; ++i) {
      PairMatrix H = PairMatrix::Zero();
      add_tangent(joint.rows[i], placed.A, placed.B, 1, H);
      out[i] = twist.dot(H * twist);
    }
  }

 private:
  static constexpr int kMost = 12;  // coordinates of two mounts

  const Mount& mount(const Frame& frame) const { return mounts_[frame.mount]; }
  static Pose pose(const Mount& m, ConstView q) {
    return m.subsystem ? m.subsystem->pose(m.id, q.segment(m.first_q, m.subsystem->nq())) : Pose{};
  }
  static ConstView velocities(const Mount& m, ConstView v) { return v.segment(m.first_v, m.subsystem->nv()); }
  Placed place(const FrameJoint& joint, ConstView q) const {
    return {pose(mount(joint.A), q), pose(mount(joint.B), q), joint};
  }
  /// Room for dim rows over the coordinates of both mounts.
  double* add_block(const FrameJoint& joint, int dim, Jacobian& out) const {
    const Range a = mount(joint.A).coordinates(), b = mount(joint.B).coordinates();
    return a.n == 0 ? out.add(dim, b) : b.n == 0 ? out.add(dim, a) : out.add(dim, a, b);
  }
  /// One row of them; returns where the next begins.
  double* pull(const FrameJoint& joint, const Placed& at, const PairVector& wrench, double* row) const {
    const auto side = [&](const Mount& m, const Pose& p, int first) {
      if (m.subsystem == nullptr) return;
      m.subsystem->pull(m.id, p, {wrench.segment<3>(first), wrench.segment<3>(first + 3)}, row);
      row += m.coordinates().n;
    };
    side(mount(joint.A), at.pose_A, 0);
    side(mount(joint.B), at.pose_B, 6);
    return row;
  }
  PairVector twists(const FrameJoint& joint, const Placed& at, ConstView v) const {
    PairVector out = PairVector::Zero();
    const auto side = [&](const Mount& m, const Pose& p, int first) {
      if (m.subsystem == nullptr) return;
      const Twist t = m.subsystem->twist(m.id, p, velocities(m, v));
      out.segment<3>(first) = t.v;
      out.segment<3>(first + 3) = t.omega;
    };
    side(mount(joint.A), at.pose_A, 0);
    side(mount(joint.B), at.pose_B, 6);
    return out;
  }
  /// What the pull of a fixed wrench changes with the mount's own coordinates.
  void add_own(const Frame& frame, const Pose& p, const Wrench& wrench, int first, int n, double* K) const {
    const Mount& m = mount(frame);
    if (m.subsystem == nullptr) return;
    const int own = m.coordinates().n;
    std::array<double, kMost * kMost> part{};
    m.subsystem->pull_tangent(m.id, p, wrench, part.data());
    for (int j = 0; j < own; ++j)
      for (int i = 0; i < own; ++i) K[first + i + (first + j) * n] += part[i + j * own];
  }
  static int place_of(const Range* ranges, int i) {
    return i < ranges[0].n ? ranges[0].at + i : ranges[1].at + i - ranges[0].n;
  }

  std::vector<Mount> mounts_;
  std::vector<FrameJoint> joints_;
};

}  // namespace

std::vector<FrameRow> joint_rows(std::string_view kind, double length) {
  using Kind = FrameRow::Kind;
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const FrameRow origins[3] = {{Kind::coincide, x, x, 0}, {Kind::coincide, y, y, 0}, {Kind::coincide, z, z, 0}};
  const FrameRow along_z[2] = {{Kind::perpendicular, x, z, 0}, {Kind::perpendicular, y, z, 0}};
  const FrameRow on_axis[2] = {{Kind::in_plane, x, x, 0}, {Kind::in_plane, y, y, 0}};
  const FrameRow no_turn{Kind::perpendicular, x, y, 0};
  std::vector<FrameRow> rows;
  const auto add = [&](const auto& some) { rows.insert(rows.end(), std::begin(some), std::end(some)); };
  if (kind == "fixed" || kind == "revolute" || kind == "spherical" || kind == "universal") add(origins);
  if (kind == "prismatic" || kind == "cylindrical") add(on_axis);
  if (kind == "planar") rows.push_back({Kind::in_plane, z, z, 0});
  if (kind == "fixed" || kind == "revolute" || kind == "prismatic" || kind == "cylindrical" || kind == "planar")
    add(along_z);
  if (kind == "fixed" || kind == "prismatic" || kind == "universal") rows.push_back(no_turn);
  if (kind == "distance") rows.push_back({Kind::distance, x, x, length});
  return rows;
}

std::unique_ptr<ConstraintSet> make_frame_joints(std::vector<Mount> mounts, std::vector<FrameJoint> joints) {
  return std::make_unique<FrameJoints>(std::move(mounts), std::move(joints));
}

}  // namespace ricochet
