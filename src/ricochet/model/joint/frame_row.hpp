#pragma once
// One scalar measure of two frames, A and B, of which every joint, limit, motor and spring is made. With x the origins,
// d = x_B - x_A, s = x_B - c_A, arms a = x - c, and unit vectors u (or n) fixed to A, w fixed to B:
//
//   coincide       g = e . d                  e fixed in space            f_B = e = -f_A,  m = a x f
//   perpendicular  g = u . w                                              m_A = u x w = -m_B
//   in_plane       g = n . d                  n fixed to A                f_B = n = -f_A,  m_A = n x s,  m_B = a_B x n
//   distance       g = |d|                    n = d / |d|                 f_B = n = -f_A,  m = a x f
//   angle          g = atan2(y_A . x_B, x_A . x_B), within half a turn of the offset
//   screw          g = z_A . d - lead angle,  within half a turn's advance of the offset
//   spin           g' = n . (omega_B - omega_A), n fixed to A; no g       m_B = n = -m_A
//   push           g' = n . x_A', n fixed to A; no g                      f_A = n,  m_A = a_A x n
//
// each less its offset.
// The gradient of g is a pair of wrenches, g' = f . c' + m . omega at both mounts. `tangent` is their derivative by the
// displacements (dc, dphi) of the mounts; with it
//
//   d(G lambda)/dq = J^T (lambda tangent) J + (what J^T itself turns),     (d/dt G^T) v = twist . tangent . twist.
#include "ricochet/model/frame_pair.hpp"

namespace ricochet {

struct FrameRow {
  enum class Kind : std::uint8_t { coincide, perpendicular, in_plane, distance, angle, screw, spin, push };
  Kind kind = Kind::coincide;
  Vector3d on_A = Vector3d::UnitX();  ///< coincide: e; else u or n in the axes of frame A
  Vector3d on_B = Vector3d::UnitX();  ///< perpendicular: w in the axes of frame B
  double offset = 0;
  double lead = 0;  ///< screw: advance per radian
};

/// Less `beyond` too, what a drive adds to the offset.
double value(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, double beyond = 0);
PairVector gradient(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B);
/// H += lambda d(gradient)/d(displacements); and the wrenches H^T twist of lambda = 1
void add_tangent(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, double lambda, PairMatrix& H);
PairVector turning(const FrameRow& row, const PlacedFrame& A, const PlacedFrame& B, const PairVector& twist);

}  // namespace ricochet
