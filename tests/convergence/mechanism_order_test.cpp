// Slider-cranks of bodies: the same machine in the plane, in space and in minimal coordinates; order and energy of the
// free linkage.
#include <gtest/gtest.h>

#include <numbers>

#include "ricochet/io/file/text_file.hpp"
#include "support/runs.hpp"

namespace ricochet::test::mechanism_order_test {
namespace {

std::string shipped_text(const std::string& name) {
  for (const ShippedScenario& s : shipped_scenarios())
    if (s.name == name) return read_text_file(s.path, 1 << 20, "a scenario");
  return {};
}

/// Without what stands from one key of `system` to the next.
std::string without(std::string text, const std::string& from, const std::string& to) {
  const std::size_t first = text.find(from), last = text.find(to, first);
  EXPECT_NE(first, std::string::npos);
  EXPECT_NE(last, std::string::npos);
  return text.erase(first, last - first);
}

/// Turns of the crank, from the place of its centre; z: the coordinate of its height.
double turns(const Trajectory& run, int z) {
  double sum = 0, before = 0;
  for (const Row& r : run.rows) {
    const double angle = std::atan2(r.q[z], r.q[0]);
    sum += std::remainder(angle - before, 2 * std::numbers::pi);
    before = angle;
  }
  return sum / (2 * std::numbers::pi);
}

// Measured: 2.4 turns, planar and spatial within PLANE of those in minimal coordinates.
TEST(MechanismOrder, SliderCranksTurnAlike) {
  const std::vector<std::string> at{"simulation.step=1e-5", "simulation.until=0.2", "simulation.scheme=combined"};
  const Trajectory angles = simulate(load_scenario("slider-crank", at)),
                   plane = simulate(load_scenario("slider-crank-bodies", at)),
                   space = simulate(
                       read_scenario(without(shipped_text("slider-crank-bodies"), "  planar: xz\n", "  parameters"),
                                     "space.yaml", at));
  for (const Trajectory* run : {&angles, &plane, &space}) ASSERT_EQ(run->result.status, RunStatus::finished);
  const double exact = angles.rows.back().q[0] / (2 * std::numbers::pi);
  EXPECT_GT(exact, 2);
  EXPECT_NEAR(turns(plane, 1), exact, 1e-3);
  EXPECT_NEAR(turns(space, 2), exact, 1e-3);
}

/// The linkage of slider-crank-bodies without the walls of its slot.
Trajectory linkage(const std::string& scheme, double step, double until) {
  return simulate(
      read_scenario(without(shipped_text("slider-crank-bodies"), "  contacts:\n", "\nsimulation:"), "free.yaml",
                    {"simulation.scheme=" + scheme, set("simulation.step", step), set("simulation.until", until)}));
}

// L1 over the whole interval against event tracking at the same times, with steps that are no divisors of each other.
TEST(MechanismOrder, AFreeLinkageHasOrderTwo) {
  const double T = 0.02;
  for (const char* scheme : {"combined", "nonsmooth-alpha", "decoupled-alpha"}) {
    std::vector<double> steps, errors;
    for (const int n : {61, 79, 101, 131, 167, 211, 269, 347}) {
      const double h = T / n;
      const Trajectory run = linkage(scheme, h, T), exact = linkage("event-driven", h, T);
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
      ASSERT_EQ(run.rows.size(), exact.rows.size()) << scheme;
      double sum = 0;
      for (std::size_t k = 0; k < run.rows.size(); ++k) sum += h * (run.rows[k].q - exact.rows[k].q).lpNorm<1>();
      steps.push_back(h);
      errors.push_back(sum);
    }
    EXPECT_NEAR(fitted_order(steps, errors), 2, 0.15) << scheme;
  }
}

// Impulse directions at the middle of the step: with those of its end 0.485 J would be lost.
TEST(MechanismOrder, AFreeLinkageKeepsItsEnergy) {
  const Trajectory run = linkage("combined", 1e-4, 0.2);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.front().energy, 7.5, 0.05);
  for (const Row& r : run.rows) EXPECT_NEAR(r.energy, run.rows.front().energy, 1e-2) << r.t;
}

}  // namespace
}  // namespace ricochet::test::mechanism_order_test
