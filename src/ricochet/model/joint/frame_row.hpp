#pragma once
// One scalar condition between two frames, A and B, of which every joint is made. With x the origins, d = x_B - x_A,
// s = x_B - c_A, arms a = x - c, and unit vectors u (or n) fixed to A, w fixed to B:
//
//   coincide       g = e . d                  e fixed in space            f_B = e = -f_A,  m = a x f
//   perpendicular  g = u . w                                              m_A = u x w = -m_B
//   in_plane       g = n . d                  n fixed to A                f_B = n = -f_A,  m_A = n x s,  m_B = a_B x n
//   distance       g = |d| - length           n = d / |d|                 f_B = n = -f_A,  m = a x f
//
// The gradient of g is a pair of wrenches, g' = f . c' + m . omega at both mounts. `tangent` is their derivative by the
// displacements (dc, dphi) of the mounts; with it
//
//   d(G lambda)/dq = J^T (lambda tangent) J + (what J^T itself turns),     (d/dt G^T) v = twist . tangent . twist.
#include "ricochet/model/frame.hpp"

namespace ricochet {

struct FrameRow {
  enum class Kind : std::uint8_t { coincide, perpendicular, in_plane, distance };
  Kind kind = Kind::coincide;
  Vector3d on_A = Vector3d::UnitX();  ///< coincide: e; perpendicular: u in the axes of frame A; in_plane: n likewise
  Vector3d on_B = Vector3d::UnitX();  ///< perpendicular: w in the axes of frame B
  double length = 0;                  ///< distance
};

/// Entries 0-2, 3-5: force and moment at the mount of A; 6-8, 9-11: at that of B.
using PairVector = Eigen::Matrix<double, 12, 1>;
using PairMatrix = Eigen::Matrix<double, 12, 12>;

double value(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B);
PairVector gradient(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B);
/// H += lambda d(gradient)/d(displacements)
void add_tangent(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, double lambda, PairMatrix& H);

}  // namespace ricochet
