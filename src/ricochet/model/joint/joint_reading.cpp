#include "ricochet/model/joint/joint_reading.hpp"

namespace ricochet {

double JointReading::value(ConstView q) const {
  const FramePair::Placed at = pair.place(q);
  return ricochet::value(measure, at.A, at.B);
}

std::array<double, 6> JointReading::reaction(ConstView q, const double* lambda) const {
  const FramePair::Placed at = pair.place(q);
  PairVector wrench = PairVector::Zero();
  for (const FrameRow& row : rows) wrench += *lambda++ * gradient(row, at.A, at.B);
  const Vector3d force = wrench.segment<3>(6), moment = wrench.segment<3>(9) - at.B.arm.cross(force);
  const Vector3d f = at.A.R.transpose() * force, m = at.A.R.transpose() * moment;
  return {f.x(), f.y(), f.z(), m.x(), m.y(), m.z()};
}

}  // namespace ricochet
