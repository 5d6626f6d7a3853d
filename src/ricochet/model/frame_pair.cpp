#include "ricochet/model/frame_pair.hpp"

#include <algorithm>

namespace ricochet {
namespace {

Wrench half(const PairVector& w, int first) { return {w.segment<3>(first), w.segment<3>(first + 3)}; }

ConstView velocities(const Mount& m, ConstView v) { return v.segment(m.first_v, m.subsystem->nv()); }

}  // namespace

PairVector FramePair::twist(const Placed& at, ConstView v) const {
  PairVector out = PairVector::Zero();
  const auto side = [&](const Mount& m, const Pose& p, int first) {
    if (m.subsystem == nullptr) return;
    const Twist t = m.subsystem->twist(m.id, p, velocities(m, v));
    out.segment<3>(first) = t.v;
    out.segment<3>(first + 3) = t.omega;
  };
  side(A_, at.pose_A, 0);
  side(B_, at.pose_B, 6);
  return out;
}

PairVector FramePair::bias(const Placed& at, ConstView v) const {
  PairVector out = PairVector::Zero();
  const auto side = [&](const Mount& m, const Pose& p, int first) {
    if (m.subsystem == nullptr) return;
    const Twist t = m.subsystem->mount_bias(m.id, p, velocities(m, v));
    out.segment<3>(first) = t.v;
    out.segment<3>(first + 3) = t.omega;
  };
  side(A_, at.pose_A, 0);
  side(B_, at.pose_B, 6);
  return out;
}

void FramePair::couple(std::vector<std::pair<int, int>>& out) const {
  std::array<int, kMost> all;
  int count = 0;
  for (const Mount* m : {&A_, &B_}) {
    if (m->subsystem == nullptr) continue;
    const Range own = m->subsystem->mount_coordinates(m->id);
    const int stand = m->subsystem->mounts_are_blocks() ? std::min(own.n, 1) : own.n;
    for (int i = 0; i < stand; ++i) all[static_cast<std::size_t>(count++)] = m->first_v + own.at + i;
  }
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < j; ++i) out.emplace_back(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(j)]);
}

double* FramePair::pull(const Placed& at, const PairVector& wrench, double* row) const {
  if (a_.n > 0) A_.subsystem->pull(A_.id, at.pose_A, half(wrench, 0), row);
  if (b_.n > 0) B_.subsystem->pull(B_.id, at.pose_B, half(wrench, 6), row + a_.n);
  return row + coordinates();
}

double* FramePair::turn_forces(const Arms& at, const Vector3d* f, int count, ConstView v, double* row) const {
  const int n = coordinates();
  if (a_.n > 0) A_.subsystem->turn_forces(A_.id, at.pose_A, {f, count, -1, at.A}, velocities(A_, v), {row, n});
  if (b_.n > 0) B_.subsystem->turn_forces(B_.id, at.pose_B, {f, count, 1, at.B}, velocities(B_, v), {row + a_.n, n});
  return row + count * n;
}

double* FramePair::append(int dim, Jacobian& out) const {
  return a_.n == 0 ? out.append(dim, b_) : b_.n == 0 ? out.append(dim, a_) : out.append(dim, a_, b_);
}

void FramePair::add_tangent(const Placed& at, const PairVector& wrench, const PairMatrix& H, Operator& S) const {
  const int n = coordinates();
  Eigen::Matrix<double, 12, kMost> HJ;
  Row row;
  for (int i = 0; i < 12; ++i) {  // rows of H are covectors
    pull(at, H.row(i).transpose(), row.data());
    for (int j = 0; j < n; ++j) HJ(i, j) = row[static_cast<std::size_t>(j)];
  }
  std::array<double, std::size_t{kMost} * kMost> K, own;  // what is used of them is set below
  for (int j = 0; j < n; ++j) pull(at, HJ.col(j), K.data() + std::ptrdiff_t{j} * n);
  const auto turn = [&](const Mount& m, const Pose& p, int side, int first) {
    if (m.subsystem == nullptr) return;
    const int k = m.coordinates().n;
    std::fill(own.data(), own.data() + k * k, 0.0);
    m.subsystem->pull_tangent(m.id, p, half(wrench, side), own.data());
    for (int j = 0; j < k; ++j)
      for (int i = 0; i < k; ++i)
        K[static_cast<std::size_t>(first + i + (first + j) * n)] += own[static_cast<std::size_t>(i + j * k)];
  };
  turn(A_, at.pose_A, 0, 0);
  turn(B_, at.pose_B, 6, a_.n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (const double k = K[static_cast<std::size_t>(i + j * n)]; k != 0) S.add((*this)[i], (*this)[j], k);
}

double* FramePair::rate(const Placed& at, const PairVector& wrench, const PairVector& turn, ConstView v,
                        double* row) const {
  double* end = pull(at, turn, row);
  Row own;
  const auto side = [&](const Mount& m, const Pose& p, int first, double* part) {
    if (m.subsystem == nullptr) return;
    m.subsystem->twist_tangent(m.id, p, half(wrench, first), velocities(m, v), own.data());
    for (int k = 0; k < m.coordinates().n; ++k) part[k] += own[static_cast<std::size_t>(k)];
  };
  side(A_, at.pose_A, 0, row);
  side(B_, at.pose_B, 6, row + a_.n);
  return end;
}

}  // namespace ricochet
