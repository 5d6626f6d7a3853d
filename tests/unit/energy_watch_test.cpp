#include "ricochet/sim/energy_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/sim/contact_events.hpp"

namespace ricochet::energy_watch_test {
namespace {

// A run by its energies alone.
class EnergyRun {
 public:
  EnergyRun(double kinetic, double potential, double unit = 0.5)
      : initial_(kinetic + potential), watch(begin_watch({kinetic, potential}, unit, 0)) {
    sums.kinetic = kinetic;
    sums.potential = potential;
  }
  StepStatus add(EnergyLedger step) {
    const StepStatus status = judge(step, sums, watch);
    if (status != StepStatus::converged) return status;
    sums.external += step.external;
    sums.damping += step.damping;
    sums.numerical += step.numerical;
    sums.nonlinear_remainder += step.nonlinear_remainder;
    observe(step, sums, initial_, watch);
    return status;
  }
  EnergyLedger sums;

 private:
  double initial_;

 public:
  EnergyWatch watch;
};

EnergyLedger energies(double kinetic, double potential) {
  EnergyLedger e;
  e.kinetic = kinetic;
  e.potential = potential;
  return e;
}

TEST(EnergyWatch, AFallWithoutEndIsNoBlowUp) {
  EnergyRun run(0, 0);
  for (int k = 1; k < 2000; ++k) {
    const double T = std::pow(1.5, k % 1000);
    ASSERT_EQ(run.add(energies(T, -T)), StepStatus::converged) << k;
  }
  EXPECT_EQ(run.watch.gain, 0);
}

TEST(EnergyWatch, ADriveIsNoBlowUpAndNoGain) {
  EnergyRun run(1, 0);
  double T = 1;
  for (int k = 0; k < 300; ++k) {
    EnergyLedger e = energies(3 * T, 0);
    e.external = 2 * T;
    T *= 3;
    ASSERT_EQ(run.add(e), StepStatus::converged);
  }
  EXPECT_LE(run.watch.gain, 1e-12 * run.watch.at_stake());
}

TEST(EnergyWatch, OneStepOutOfNothingIsRefused) {
  for (double unit : {1e-30, 1.0, 1e30}) {
    EnergyRun run(unit, 0, unit);
    EnergyLedger e = energies(1e4 * unit, 0);
    e.nonlinear_remainder = 9999 * unit;
    EXPECT_EQ(run.add(e), StepStatus::out_of_bounds) << unit;
    e = energies(1.1 * unit, 0);
    e.nonlinear_remainder = 0.1 * unit;
    EXPECT_EQ(run.add(e), StepStatus::converged) << unit;
  }
}

TEST(EnergyWatch, SlowGrowthOutOfNothingEndsToo) {
  EnergyRun run(1, 0);
  double T = 1;
  int steps = 0;
  for (; steps < 1000; ++steps) {
    EnergyLedger e = energies(1.3 * T, 0);
    e.numerical = 0.3 * T;
    T *= 1.3;
    if (run.add(e) != StepStatus::converged) break;
  }
  EXPECT_NEAR(steps, 3 * std::log(10) / std::log(1.3), 2);
  EXPECT_GT(run.watch.gain, kGainNoted * run.watch.at_stake());
}

TEST(EnergyWatch, DefectIsRefusedAboveWhatIsAtStakeAndNoise) {
  EnergyRun run(1, 5);
  EnergyLedger e = energies(1, 5);
  e.defect = 1e-7;
  EXPECT_EQ(run.add(e), StepStatus::converged);
  e.defect = 1e-5;
  EXPECT_EQ(run.add(e), StepStatus::energy_defect);
  e.defect = NAN;
  EXPECT_EQ(run.add(e), StepStatus::not_finite);
  EnergyRun rest(0, 5);  // nothing is at stake: rounding of the potential is no defect
  e = energies(0, 5);
  e.defect = 1e-15;
  EXPECT_EQ(rest.add(e), StepStatus::converged);
}

// A periodic error does not add up to a gain.
TEST(EnergyWatch, GainIsTheRiseAboveTheLowest) {
  EnergyRun run(1, 0);
  for (int k = 0; k < 1000; ++k) run.add(energies(1 + 1e-4 * std::sin(k), 0));
  EXPECT_NEAR(run.watch.gain, 2e-4, 1e-8);
  run.add(energies(0.5, 0));
  run.add(energies(0.8, 0));
  EXPECT_NEAR(run.watch.gain, 0.3, 1e-15);
}

TEST(ContactEvents, LowestPointOfACubic) {
  // g = (t - 0.3)^2 - 0.01 and g = t^3 - t from 0.1 to 1.4
  EXPECT_NEAR(lowest_gap(0.08, -0.6, 0.48, 1.4, 1), -0.01, 1e-15);
  const auto g = [](double t) { return t * t * t - t; };
  const auto U = [](double t) { return 3 * t * t - 1; };
  EXPECT_NEAR(lowest_gap(g(0.1), U(0.1), g(1.4), U(1.4), 1.3), g(1 / std::sqrt(3)), 1e-15);
  EXPECT_NEAR(lowest_gap(g(0.5), U(0.5), g(0.6), U(0.6), 0.1), g(1 / std::sqrt(3)), 1e-15);
  // -t^3 + ... : the cubic falls again beyond
  const auto f = [](double t) { return -t * t * t + t * t; };
  const auto F = [](double t) { return -3 * t * t + 2 * t; };
  EXPECT_NEAR(lowest_gap(f(-0.5), F(-0.5), f(0.4), F(0.4), 0.9), 0, 1e-15);
}

}  // namespace
}  // namespace ricochet::energy_watch_test
