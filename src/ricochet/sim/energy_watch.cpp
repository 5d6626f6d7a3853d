#include "ricochet/sim/energy_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ricochet {
namespace {

constexpr double kRounding = 1e-12, kMomentum = 1e-9, kPosition = 1e-9;
constexpr double kOneStep = 10, kShare = 0.1, kGrowth = 1e3;

double exchanged(const EnergyLedger& e) {
  return std::abs(e.external) + std::abs(e.damping) + std::abs(e.joints) + std::abs(e.impact) + std::abs(e.friction) +
         std::abs(e.projection);
}

// What the scheme makes out of nothing.
double made(double remainder, double numerical) { return std::abs(remainder) + std::max(0.0, numerical); }

void extend(const EnergyLedger& step, EnergyWatch& w) {
  w.kinetic_max = std::max(w.kinetic_max, step.kinetic);
  w.potential_min = std::min(w.potential_min, step.potential);
  w.potential_max = std::max(w.potential_max, step.potential);
  w.exchanged += exchanged(step);
}

}  // namespace

double EnergyWatch::noise() const {
  return kRounding * (kinetic_max + std::max(std::abs(potential_min), std::abs(potential_max))) +
         kMomentum * std::sqrt(kinetic_max * unit) + kPosition * load;
}

EnergyWatch begin_watch(const Energies& energies, double unit, double load) {
  EnergyWatch w;
  w.kinetic_max = energies.kinetic;
  w.potential_min = w.potential_max = energies.potential;
  w.trusted = energies.kinetic;
  w.unit = unit;
  w.load = load;
  return w;
}

EnergyWatch begin_watch(const Model& model, const Point& at, const Scales* scales, ModelScratch& scratch) {
  const VectorXd sizes = scales ? scales->coordinate : VectorXd::Ones(model.nv());
  const double time = scales ? scales->time() : 1;
  VectorXd x(model.nv()), y = VectorXd::Zero(model.nv());
  std::uint32_t bits = 1;
  for (Index i = 0; i < x.size(); ++i) {
    bits = bits * 1664525u + 1013904223u;
    x[i] = (bits >> 31 ? sizes[i] : -sizes[i]) / time;
  }
  // half the trace of M, so to say, but for what signs leave of its other entries
  model.mass_times(at, x, 0.5, y, scratch);
  const double unit = std::abs(x.dot(y));
  x.setZero();
  y.setZero();
  model.residual(at, x, 1, y, scratch);
  const double load = y.cwiseProduct(sizes).lpNorm<1>();
  return begin_watch(model.energies(at, scratch), unit, std::isfinite(load) ? load : 0);
}

void observe(const EnergyLedger& step, const EnergyLedger& sums, double energy_initial, EnergyWatch& w) {
  extend(step, w);
  const double level = step.kinetic + step.potential - energy_initial - sums.external - sums.damping;
  w.gain = std::max(w.gain, level - w.level_lowest);
  w.level_lowest = std::min(w.level_lowest, level);
  w.remainder = std::max(w.remainder, std::abs(sums.nonlinear_remainder));
  const double stake = w.at_stake();
  w.made = std::max(w.made, made(sums.nonlinear_remainder, sums.numerical));
  if (w.trusted == 0 || w.made <= kShare * stake) w.trusted = stake;
}

StepStatus judge(const EnergyLedger& step, const EnergyLedger& sums, const EnergyWatch& watch) {
  const double before = watch.at_stake();
  const double now = made(step.nonlinear_remainder, step.numerical);
  const double all =
      std::max(watch.made, made(sums.nonlinear_remainder + step.nonlinear_remainder, sums.numerical + step.numerical));
  // Almost always; false where something is not finite, for then the defect is not. What is at stake never shrinks.
  if (std::abs(step.defect) <= kDefectRefused * before && now <= kOneStep * before && all <= kShare * before)
    return StepStatus::converged;
  if (!std::isfinite(step.kinetic + step.potential + step.sum() + step.defect)) return StepStatus::not_finite;
  EnergyWatch after = watch;
  extend(step, after);
  const double stake = after.at_stake(), noise = after.noise();
  if (std::abs(step.defect) > kDefectRefused * stake + noise) return StepStatus::energy_defect;
  if (before > 0 && now > kOneStep * before + noise && now > kShare * stake) return StepStatus::out_of_bounds;
  if (watch.trusted > 0 && all > kShare * stake + noise && stake > kGrowth * watch.trusted)
    return StepStatus::out_of_bounds;
  return StepStatus::converged;
}

}  // namespace ricochet
