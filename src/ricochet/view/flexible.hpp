#pragma once
// Flexible bodies as the page draws them. In each frame a body has a rigid part, a motion of its reference shape as a
// whole, and the deformation of each node from there, which the page may magnify: only the deformation grows, and the
// body stays where it is. Deformations are handed over by themselves, because 1e-9 m of a node that is 1 m away would
// be lost in single precision.
#include <string>
#include <vector>

#include "ricochet/io/scenario/drawing.hpp"

namespace ricochet::view {

/// What a frame holds of all flexible bodies, in their order.
struct FlexibleFrame {
  std::vector<float> rigid;        ///< of each body: x y z, quaternion x y z w; a reference point X is at c + R X
  std::vector<float> nodes;        ///< of each node: deformation x y z, von Mises's stress; -1: not known
  std::vector<Vector3d> position;  ///< of the nodes

  void add(const Pose& rigid_part, const std::vector<Vector3d>& reference, const std::vector<Vector3d>& now,
           const std::vector<double>& stress);
};

/// Solids, as the nodes and triangles of their surface, and rods, as a line of nodes; with the mean stress of the
/// elements about a node. The rigid part is the best fit to all nodes (least squares); there is none if nodes are
/// clamped, and a rod only shifts.
class ElasticNodes {
 public:
  explicit ElasticNodes(const FlexibleReading& reading);
  const std::string& name() const { return reading_.body->name(); }
  const std::vector<Vector3d>& reference() const { return reference_; }
  const std::vector<int>& triangles() const { return triangles_; }  ///< corners, among the reference points
  void add(ConstView q, FlexibleFrame& out);

 private:
  void surface();
  void line();
  int put(int node);

  FlexibleReading reading_;
  bool clamped_ = false;
  std::vector<int> nodes_, triangles_;
  std::vector<int> place_;  ///< of the mesh's nodes, -1: inside
  std::vector<Vector3d> reference_, now_;
  std::vector<std::vector<std::size_t>> elements_;  ///< about each node
  std::vector<double> stress_;
  std::vector<Matrix3d> of_element_;
};

/// Beams: lines through their nodes. The rigid part takes the ends to where they are, and turns about the line between
/// them as the nodes do in the mean; there is none if an end is clamped.
class BeamNodes {
 public:
  /// `start`: poses of all bodies where the nodes have not turned.
  BeamNodes(const BeamReading& reading, const std::vector<Pose>& start);
  const std::string& name() const { return reading_.name; }
  const std::vector<Vector3d>& reference() const { return reading_.rest; }
  void add(const std::vector<Pose>& poses, FlexibleFrame& out);

 private:
  Pose rigid_part(const std::vector<Pose>& poses) const;
  BeamReading reading_;
  std::vector<Quaterniond> start_;
  std::vector<Vector3d> now_;
  std::vector<double> stress_;
};

/// Of all rods and solids of a drawing, in its order.
std::vector<ElasticNodes> elastic_nodes(const Drawing& drawing);

}  // namespace ricochet::view
