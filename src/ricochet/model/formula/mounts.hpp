#pragma once
// Frames of systems that are no bodies: place and angle are formulas of a few neighbouring coordinates,
//
//     c = (x(q), y(q), z(q)),   R = exp(angle(q) axis),   axis fixed in space,
//
// so that twist, wrenches and their derivatives follow from gradients and Hessians of four formulas.
#include <array>
#include <string>
#include <vector>

#include "ricochet/math/expression/tape.hpp"
#include "ricochet/model/subsystem.hpp"

namespace ricochet {

/// As nodes of a graph whose variables are the coordinates of the system.
struct MountFormula {
  std::string name;
  std::array<NodeId, 3> position;
  Vector3d axis = Vector3d::UnitZ();  ///< length 1
  NodeId angle;
};

class FormulaMounts {
 public:
  /// Neighbouring coordinates that one may depend on: half of what a pair of frames takes.
  static constexpr int kMost = 12;

  /// Throws InputError if it depends on none, or on coordinates that lie too far apart.
  void add(Graph& graph, const MountFormula& formula);

  struct Mount {
    std::string name;
    Vector3d axis;
    Range at;                     ///< its coordinates
    std::array<bool, 3> moves{};  ///< along x, y, z
    bool turns = false;
    Tape values;            // x, y, z, angle; their gradients, row by row
    Tape hessians;          // of each, n x n
    bool straight = false;  ///< all four are of degree 1
  };
  const std::vector<Mount>& all() const { return all_; }

 private:
  std::vector<Mount> all_;
};

/// A subsystem of plain coordinates with such frames.
class MountedSubsystem : public Subsystem {
 public:
  int mounts() const override { return static_cast<int>(mounts_.all().size()); }
  std::string mount_name(int k) const override { return of(k).name; }
  Range mount_coordinates(int k) const override { return of(k).at; }
  bool mounts_are_blocks() const override { return structure() == Structure::dense; }
  Pose pose(int k, ConstView q) const override;
  Twist twist(int k, const Pose& pose, ConstView v) const override;
  void pull(int k, const Pose& pose, const Wrench& wrench, double* row) const override;
  void pull_tangent(int k, const Pose& pose, const Wrench& wrench, double* K) const override;
  void twist_tangent(int k, const Pose& pose, const Wrench& wrench, ConstView v, double* row) const override;
  Twist mount_bias(int k, const Pose& pose, ConstView v) const override;

 protected:
  explicit MountedSubsystem(FormulaMounts mounts) : mounts_(std::move(mounts)) {}

 private:
  const FormulaMounts::Mount& of(int k) const { return mounts_.all()[static_cast<std::size_t>(k)]; }

  FormulaMounts mounts_;
};

}  // namespace ricochet
