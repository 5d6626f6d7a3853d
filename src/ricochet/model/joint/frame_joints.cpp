#include "ricochet/model/joint/frame_joints.hpp"

namespace ricochet {
namespace {

/// Two axes at right angles, each in those of its mount.
struct Square {
  Vector3d on_A, on_B;
};

struct JointItem {
  FramePair pair;
  FrameJoint joint;
  bool axes = false;             ///< some row asks for the axes of the frames
  std::vector<Vector3d> forces;  ///< of the first rows, as far as these hold origins together
  std::vector<Square> squares;   ///< of the rows after them, likewise
  bool plain = false;            ///< these are all, and nothing drives them
  int dim() const { return static_cast<int>(joint.rows.size()); }
};

/// Value, rate and acceleration of a drive.
struct Driven {
  double phi = 0, rate = 0, acceleration = 0;
};

struct Work final : Scratch {
  MountPoses poses;
  std::vector<std::vector<double>> drives;  ///< by item
};

class FrameJoints final : public ConstraintSet {
 public:
  FrameJoints(const std::vector<Mount>& mounts, std::vector<FrameJoint> joints) {
    mounts_ = mounts.size();
    for (FrameJoint& j : joints) {
      bool axes = false;
      for (const FrameRow& row : j.rows)
        axes = axes || (row.kind != FrameRow::Kind::coincide && row.kind != FrameRow::Kind::distance);
      items_.push_back({{mounts, j.A, j.B}, std::move(j), axes, {}, {}});
      find_plain_rows(items_.back());
    }
  }

  std::vector<ConstraintItem> items() const override {
    std::vector<ConstraintItem> out;
    for (const JointItem& i : items_)
      out.push_back({i.joint.name, i.dim(), i.joint.law == nullptr, i.joint.velocity_only});
    return out;
  }
  void couples(std::vector<std::pair<int, int>>& out) const override {
    for (const JointItem& i : items_) i.pair.couple(out);
  }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto work = std::make_unique<Work>();
    work->drives.resize(items_.size());
    return work;
  }
  void candidates(const Point&, double, int set, std::vector<Candidate>& out) const override {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const FrameJoint& j = items_[i].joint;
      Candidate c{item_key(set, i), set, static_cast<int>(i), items_[i].dim(), j.law, items_[i].pair.bodies()};
      c.velocity_only = j.velocity_only;
      c.load_rows = j.load_rows;
      if (j.load >= 0) c.load = item_key(set, static_cast<std::uint64_t>(j.load));
      out.push_back(c);
    }
  }
  void evaluate(double t, ConstView q, const Selection& selection, ConstraintRows& out,
                Scratch& scratch) const override {
    MountPoses& poses = static_cast<Work&>(scratch).poses;
    poses.move_to(q, mounts_);
    for (int k = 0; k < selection.count; ++k) {
      const JointItem& item = items_[selection[k].item];
      if (item.plain) {
        evaluate_plain(item, poses, out);
        continue;
      }
      const FramePair::Placed at = item.axes ? item.pair.place(poses) : item.pair.place_origins(poses);
      double* row = item.pair.append(item.dim(), out.G);
      const auto [g, g_t] = out.values(item.dim());
      const Driven drive = driven(selection[k], t, scratch);
      for (int i = 0; i < item.dim(); ++i) {
        const FrameRow& measure = item.joint.rows[i];
        const double x = value(measure, at.A, at.B, drive.phi);
        g[i] = item.joint.velocity_only ? 0 : item.joint.sign * x;
        g_t[i] = -drive.rate;
        if (item.joint.rate != 0) g_t[i] += item.joint.rate * x;
        row = item.pair.pull(at, item.joint.sign * gradient(measure, at.A, at.B), row);
      }
    }
  }
  void curvature(double, ConstView q, const Candidate& c, int dim, const double* lambda, double coefficient,
                 Operator& S, Scratch&) const override {
    const JointItem& item = items_[c.item];
    const FramePair::Placed at = item.pair.place(q);
    PairMatrix H = PairMatrix::Zero();
    PairVector wrench = PairVector::Zero();
    for (int i = 0; i < dim; ++i) {
      const double weight = item.joint.sign * coefficient * lambda[i];
      add_tangent(item.joint.rows[i], at.A, at.B, weight, H);
      wrench += weight * gradient(item.joint.rows[i], at.A, at.B);
    }
    item.pair.add_tangent(at, wrench, H, S);
  }
  void rate(const Point& at, const Candidate& c, int dim, Jacobian& out, Scratch& scratch) const override {
    const JointItem& item = items_[c.item];
    double* row = item.pair.append(dim, out);
    const int forces = static_cast<int>(item.forces.size());
    const FramePair::Placed placed = place(item, at.q, forces < dim, scratch);
    if (forces > 0)
      row = item.pair.turn_forces({placed.pose_A, placed.pose_B, placed.A.arm, placed.B.arm}, item.forces.data(),
                                  forces, at.v, row);
    if (forces == dim) return;
    const PairVector twist = item.pair.twist(placed, at.v);
    for (int i = forces; i < dim; ++i) {
      const PairVector wrench = item.joint.sign * gradient(item.joint.rows[i], placed.A, placed.B);
      const PairVector turn = item.joint.sign * turning(item.joint.rows[i], placed.A, placed.B, twist);
      double* const end = item.pair.rate(placed, wrench, turn, at.v, row);
      if (item.joint.rate != 0) {  // of a servo's x / lag
        FramePair::Row own{};
        item.pair.pull(placed, wrench, own.data());
        for (int k = 0; k < item.pair.coordinates(); ++k) row[k] += item.joint.rate * own[static_cast<std::size_t>(k)];
      }
      row = end;
    }
  }
  void bias(const Point& at, const Candidate& c, int dim, double* out, Scratch& scratch) const override {
    const JointItem& item = items_[c.item];
    const FramePair::Placed placed = item.pair.place(at.q);
    const PairVector twist = item.pair.twist(placed, at.v), own = item.pair.bias(placed, at.v);
    for (int i = 0; i < dim; ++i) {
      PairMatrix H = PairMatrix::Zero();
      add_tangent(item.joint.rows[i], placed.A, placed.B, item.joint.sign, H);
      const Driven drive = driven(c, at.t, scratch);
      const PairVector slope = item.joint.sign * gradient(item.joint.rows[i], placed.A, placed.B);
      out[i] = twist.dot(H * twist) + slope.dot(own) - drive.acceleration;
      if (item.joint.rate != 0) out[i] += item.joint.rate * (slope.dot(twist) - drive.rate);
    }
  }

 private:
  static void find_plain_rows(JointItem& item) {
    const FrameJoint& j = item.joint;
    if (j.sign != 1 || j.velocity_only) return;
    for (const FrameRow& row : j.rows) {
      if (row.kind == FrameRow::Kind::coincide && item.squares.empty())
        item.forces.push_back(row.on_A);
      else if (row.kind == FrameRow::Kind::perpendicular)
        item.squares.push_back({j.A.R * row.on_A, j.B.R * row.on_B});
      else
        break;
    }
    item.plain = item.forces.size() + item.squares.size() == j.rows.size() && j.drive.empty();
  }
  /// One pair, with the poses of the last evaluation where these are at q; in large systems that costs more to find out
  /// than two poses.
  FramePair::Placed place(const JointItem& item, ConstView q, bool axes, Scratch& scratch) const {
    constexpr Index kFew = 64;
    if (q.size() > kFew) return item.pair.place(q);
    MountPoses& poses = static_cast<Work&>(scratch).poses;
    poses.move_to(q, mounts_);
    return axes ? item.pair.place(poses) : item.pair.place_origins(poses);
  }
  static void evaluate_plain(const JointItem& item, MountPoses& poses, ConstraintRows& out) {
    const FramePair::Arms at = item.pair.arms(poses);
    const Vector3d d = at.between();
    const auto forces = static_cast<int>(item.forces.size());
    const auto [g, g_t] = out.values(item.dim());
    double* row = item.pair.append(item.dim(), out.G);
    for (int i = 0; i < forces; ++i) g[i] = item.forces[i].dot(d) - item.joint.rows[i].offset;
    row = item.pair.pull_forces(at, item.forces.data(), forces, row);
    for (int i = forces; i < item.dim(); ++i) {
      const Square& square = item.squares[i - forces];
      const Vector3d u = at.pose_A.R * square.on_A, w = at.pose_B.R * square.on_B;
      g[i] = u.dot(w) - item.joint.rows[i].offset;
      row = item.pair.pull_moment(at, u.cross(w), row);
    }
    for (int i = 0; i < item.dim(); ++i) g_t[i] = 0;
  }

  Driven driven(const Candidate& c, double t, Scratch& scratch) const {
    const CompiledFunction& drive = items_[c.item].joint.drive;
    if (drive.empty()) return {};
    const double* x = drive({&t, 1}, static_cast<Work&>(scratch).drives[c.item]);
    return {x[0], x[1], x[2]};
  }

  std::vector<JointItem> items_;
  std::size_t mounts_ = 0;
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
  if (kind == "screw") rows.push_back({.kind = Kind::screw, .lead = length});
  if (kind == "prismatic" || kind == "cylindrical" || kind == "screw") add(on_axis);
  if (kind == "planar") rows.push_back({Kind::in_plane, z, z, 0});
  if (kind != "spherical" && kind != "universal" && kind != "distance" && !rows.empty()) add(along_z);
  if (kind == "fixed" || kind == "prismatic" || kind == "universal") rows.push_back(no_turn);
  if (kind == "distance") rows.push_back({Kind::distance, x, x, length});
  return rows;
}

std::vector<FrameRow> planar_joint_rows(std::string_view kind, const Vector3d& n, double length) {
  using Kind = FrameRow::Kind;
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3d e1 = n.cross(Vector3d::Unit(least)).normalized(), e2 = n.cross(e1);
  if (kind == "prismatic") return {{Kind::in_plane, x, x, 0}, {Kind::perpendicular, x, z, 0}};
  if (kind == "distance") return {{Kind::distance, x, x, length}};
  std::vector<FrameRow> rows;
  if (kind == "revolute" || kind == "spherical" || kind == "fixed")
    rows = {{Kind::coincide, e1, e1, 0}, {Kind::coincide, e2, e2, 0}};
  if (kind == "fixed") rows.push_back({Kind::perpendicular, x, y, 0});
  return rows;
}

std::unique_ptr<ConstraintSet> make_frame_joints(const std::vector<Mount>& mounts, std::vector<FrameJoint> joints) {
  return std::make_unique<FrameJoints>(mounts, std::move(joints));
}

}  // namespace ricochet
