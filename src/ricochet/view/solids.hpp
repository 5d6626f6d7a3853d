#pragma once
// Solids as the page draws them: the triangles of their surface, and in each frame where its nodes are and von Mises's
// stress there, the mean of the elements about a node.
#include <string>
#include <vector>

#include "ricochet/io/scenario/drawing.hpp"

namespace ricochet::view {

class SolidSurface {
 public:
  explicit SolidSurface(const FlexibleReading& reading);
  const std::string& name() const { return reading_.body->name(); }
  std::size_t nodes() const { return nodes_.size(); }
  const std::vector<int>& triangles() const { return triangles_; }  ///< places among `nodes`
  /// Appends x, y, z and the stress of each node.
  void add(ConstView q, std::vector<float>& out);

 private:
  FlexibleReading reading_;
  std::vector<int> nodes_, triangles_;
  std::vector<int> place_;  ///< of the mesh's nodes, -1: inside
  std::vector<Matrix3d> stress_;
  std::vector<int> elements_;  ///< about each node
};

/// Of all solids of a drawing, in its order.
std::vector<SolidSurface> solid_surfaces(const Drawing& drawing);

}  // namespace ricochet::view
