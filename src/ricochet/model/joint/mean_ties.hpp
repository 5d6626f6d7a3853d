#pragma once
// A set of nodes held to a frame in the mean: nodes may move against each other, their mean goes with the frame. With
// w the weights (of sum 1), r_k the nodes in the axes R of the frame about its origin x, at first, where their weighted
// mean is, and rho^2 = sum w |r|^2,
//
//     sum w (x_k - x) = 0,        sum w r_k x R^T (x_k - x) / rho = 0.
//
// The second says that the frame turns as the nodes do in the mean: forces and moments of the frame become those of the
// nodes that do the same work. All rows are sums of measures of frame_row.hpp.
#include <string>

#include "ricochet/model/constraint.hpp"
#include "ricochet/model/frame_pair.hpp"

namespace ricochet {

struct MeanTie {
  std::string name;
  Frame A;                  ///< its origin in the mean of the nodes
  std::vector<int> nodes;   ///< mounts
  std::vector<Vector3d> r;  ///< of the nodes, in the axes of the frame
};

/// Mean of r x r that a tie needs to hold rotations: false where nodes lie on a line, or coincide.
bool nodes_hold_rotations(const std::vector<Vector3d>& r);

/// Frames and nodes refer to `mounts`.
std::unique_ptr<ConstraintSet> make_mean_ties(const std::vector<Mount>& mounts, std::vector<MeanTie> ties);

}  // namespace ricochet
