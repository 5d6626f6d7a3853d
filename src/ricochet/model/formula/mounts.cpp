#include "ricochet/model/formula/mounts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

/// Outputs of a tape at coordinates that begin at q. The model is shared between threads; the work array is not.
const double* run(const Tape& tape, const double* q) {
  thread_local std::vector<double> work;
  if (work.size() < tape.work_size()) work.resize(tape.work_size());
  tape.prepare(work.data());
  std::copy(q, q + tape.inputs(), tape.input(work.data()));
  tape.run(work.data());
  return tape.output(work.data());
}

/// What a wrench weighs the four formulas with.
std::array<double, 4> weights(const Wrench& w, const Vector3d& axis) { return {w.f[0], w.f[1], w.f[2], axis.dot(w.m)}; }

/// K = sum of weight times Hessian
void weighted_hessian(const FormulaMounts::Mount& m, const double* q, const std::array<double, 4>& weight, double* K) {
  const int n2 = m.at.n * m.at.n;
  const double* H = run(m.hessians, q);
  std::fill(K, K + n2, 0.0);
  for (const double c : weight) {
    if (c != 0)
      for (int e = 0; e < n2; ++e) K[e] += c * H[e];
    H += n2;
  }
}

}  // namespace

void FormulaMounts::add(Graph& graph, const MountFormula& formula) {
  std::array<NodeId, 4> f{formula.position[0], formula.position[1], formula.position[2], formula.angle};
  int first = -1, last = -1;
  Mount m{formula.name, formula.axis, {}, {}, false, {}, {}, true};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::span<const int> in = graph.variables(f[k]);
    if (in.empty()) continue;
    first = first < 0 ? in.front() : std::min(first, in.front());
    last = std::max(last, in.back());
    (k < 3 ? m.moves[k] : m.turns) = true;
  }
  if (first < 0)
    throw InputError(
        "", fmt::format("the frame '{}' depends on no coordinate; accepted: one that does, or ground", formula.name));
  m.at = {first, last - first + 1};
  if (m.at.n > kMost)
    throw InputError("", fmt::format("the frame '{}' depends on coordinates {} apart; accepted: at most {} neighbours",
                                     formula.name, m.at.n, kMost));
  for (NodeId& node : f) node = graph.substitute(node, [&](int v) { return graph.variable(v - first); });
  std::vector<NodeId> values(f.begin(), f.end()), hessians;
  for (const NodeId node : f)
    for (int i = 0; i < m.at.n; ++i) {
      values.push_back(graph.derivative(node, i));
      for (int j = 0; j < m.at.n; ++j) hessians.push_back(graph.derivative(values.back(), j));
    }
  m.straight = std::all_of(hessians.begin(), hessians.end(), [&](NodeId node) { return graph.is_zero(node); });
  m.values = Tape(graph, values, m.at.n);
  m.hessians = Tape(graph, hessians, m.at.n);
  all_.push_back(std::move(m));
}

Pose MountedSubsystem::pose(int k, ConstView q) const {
  const auto& m = of(k);
  const double* f = run(m.values, q.data() + m.at.at);
  return {{f[0], f[1], f[2]}, m.turns ? exp_rotation(f[3] * m.axis) : Matrix3d(Matrix3d::Identity())};
}

Twist MountedSubsystem::twist(int k, const Pose& pose, ConstView v) const {
  const auto& m = of(k);
  const double* gradient = run(m.values, pose.q.data() + m.at.at) + 4;
  std::array<double, 4> rate{};
  for (double& r : rate)
    for (int i = 0; i < m.at.n; ++i) r += *gradient++ * v[m.at.at + i];
  return {{rate[0], rate[1], rate[2]}, rate[3] * m.axis};
}

void MountedSubsystem::pull(int k, const Pose& pose, const Wrench& wrench, double* row) const {
  const auto& m = of(k);
  const double* gradient = run(m.values, pose.q.data() + m.at.at) + 4;
  std::fill(row, row + m.at.n, 0.0);
  for (const double c : weights(wrench, m.axis))
    for (int i = 0; i < m.at.n; ++i) row[i] += c * *gradient++;
}

void MountedSubsystem::pull_tangent(int k, const Pose& pose, const Wrench& wrench, double* K) const {
  const auto& m = of(k);
  if (!m.straight) weighted_hessian(m, pose.q.data() + m.at.at, weights(wrench, m.axis), K);
}

void MountedSubsystem::twist_tangent(int k, const Pose& pose, const Wrench& wrench, ConstView v, double* row) const {
  const auto& m = of(k);
  std::fill(row, row + m.at.n, 0.0);
  if (m.straight) return;
  std::array<double, std::size_t{FormulaMounts::kMost} * FormulaMounts::kMost> K;
  weighted_hessian(m, pose.q.data() + m.at.at, weights(wrench, m.axis), K.data());
  for (int j = 0; j < m.at.n; ++j)
    for (int i = 0; i < m.at.n; ++i) row[j] += K[static_cast<std::size_t>(i + j * m.at.n)] * v[m.at.at + i];
}

Twist MountedSubsystem::mount_bias(int k, const Pose& pose, ConstView v) const {
  const auto& m = of(k);
  if (m.straight) return {};
  const double* H = run(m.hessians, pose.q.data() + m.at.at);
  std::array<double, 4> bend{};
  for (double& b : bend)
    for (int j = 0; j < m.at.n; ++j)
      for (int i = 0; i < m.at.n; ++i) b += *H++ * v[m.at.at + i] * v[m.at.at + j];
  return {{bend[0], bend[1], bend[2]}, bend[3] * m.axis};
}

}  // namespace ricochet
