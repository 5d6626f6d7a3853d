#pragma once
// Whether a run can be believed, by its energy. Everything is a comparison of energies of the run itself, so that units
// do not matter, and a running quantity, so that a resumed run decides the same.
//
//   at stake    A = max T + (max V - min V) + sum |external| + |damping| + |joints| + |impact| + |friction| +
//   |projection|
//               over the run so far. T counts from rest, because all of it can be lost; V has no zero.
//   level       L = T + V - work of given forces (external, damping), counted from the beginning
//   gain        largest rise of L above its lowest value before: an energy that oscillates does not add up
//   remainder   largest |sum of the nonlinear remainders|
//
// Told with the result: a gain above 1e-3 A, a remainder above 1e-2 A, a defect of all steps together above 1e-6 A.
//
// Refused, like a step that does not converge (tried again in halves, then the end of the run):
//   energy-defect   |defect| of the step above 1e-6 A. The defect of a converged step is zero but for the tolerance.
//   out-of-bounds   what the scheme makes out of nothing, m = |remainder| + max(0, numerical):
//                   in one step more than ten times what was at stake before it and a tenth of what is after it; or
//                   summed up, at its largest, above A/10, and A is 1e3 times what it was when that was last below
//                   A/10. A fall without end, a drive, or a law that feeds energy in have m small beside A, however A
//                   grows.
//
// Below all this lies what a converged step may leave: 1e-12 of the energies, momenta off by 1e-9 of their unit, and
// positions off by 1e-9 of theirs against the forces of the beginning: what stands still has nothing else at stake.
#include "ricochet/model/scales.hpp"
#include "ricochet/scheme/report.hpp"

namespace ricochet {

inline constexpr double kGainNoted = 1e-3, kRemainderNoted = 1e-2, kDefectRefused = 1e-6;

struct EnergyWatch {
  double kinetic_max = 0;
  double potential_min = 0, potential_max = 0;
  double exchanged = 0;
  double level_lowest = 0;  ///< of L
  double gain = 0;
  double remainder = 0;  ///< largest
  double made = 0;       ///< m summed up, largest
  double trusted = 0;    ///< A when that was last below a tenth of it
  double unit = 0;       ///< kinetic energy at the velocity scale: what a rounded momentum is worth
  double load = 0;  ///< work of the forces at the beginning over the length scale: what a rounded position is worth

  double at_stake() const { return kinetic_max + (potential_max - potential_min) + exchanged; }
  /// Differences of energies below this mean nothing.
  double noise() const;
};

/// The watch at the beginning of a motion. Null scales: SI units.
EnergyWatch begin_watch(const Model& model, const Point& at, const Scales* scales, ModelScratch& scratch);
/// The same by its numbers.
EnergyWatch begin_watch(const Energies& energies, double unit, double load);
/// Adds a step; `sums` are those of the run, this step included.
void observe(const EnergyLedger& step, const EnergyLedger& sums, double energy_initial, EnergyWatch& watch);
/// What the energy says about a step that converged, before it is added: converged, not_finite, energy_defect or
/// out_of_bounds. `sums` are those of the run without the step.
StepStatus judge(const EnergyLedger& step, const EnergyLedger& sums, const EnergyWatch& watch);

}  // namespace ricochet
