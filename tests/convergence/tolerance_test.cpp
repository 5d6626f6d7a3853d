// What a tolerance promises: the error is within it, or the run says that it is not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ricochet/io/result/summary.hpp"
#include "support/tolerance_systems.hpp"

namespace ricochet::test::tolerance_test {
namespace {

constexpr const char* kHead = R"(# Tolerances
What you get if you give nothing but a tolerance, `ricochet run SCENARIO --scheme auto --tolerance ...`. The error is the integral over time of the largest error of a coordinate, compared with a formula, or with one degree of freedom integrated to rounding (`tests/support/tolerance_systems.hpp`, `tests/support/references.hpp`). The last figure of a row is the error divided by the tolerance: it is at most 1, or the run ends with a warning, which the row then shows. Solves are one-step solves: those of the run, with halved and rejected steps, and those of its rehearsals.

Made by `RICOCHET_WRITE_TABLE=docs/tolerances.md build/tests/test_convergence --gtest_filter='Tolerance.IsKept*'`, some minutes; without the variable the test checks the looser tolerances of every system.

)";

struct Line {
  double tolerance, error;
  Summary summary;
  bool warned;
};

Line measure(const ToleranceSystem& system, double tolerance) {
  const Scenario s = system.scenario(tolerance);
  const Trajectory run = simulate(s);
  EXPECT_EQ(run.result.status, RunStatus::finished) << system.name << ' ' << tolerance;
  const bool warned = !tolerance_note(run.end.summary.error_asked, run.end.summary.error_estimate, 0).empty();
  return {tolerance, l1_error(run, system.motion()), run.end.summary, warned};
}

TEST(Tolerance, IsKeptOrTheRunSaysSo) {
  const char* file = std::getenv("RICOCHET_WRITE_TABLE");
  const std::vector<double> tolerances =
      file != nullptr ? std::vector<double>{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8} : std::vector<double>{1e-3, 1e-4};
  std::string table =
      "| system | what happens | asked | error | estimated | steps | solves | in rehearsals | error / asked |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  int systems = 0, lines = 0, warnings = 0;
  double worst = 0;
  for (const ToleranceSystem& system : tolerance_systems()) {
    ++systems;
    for (double tolerance : tolerances) {
      const Line line = measure(system, tolerance);
      const Summary& s = line.summary;
      ++lines;
      warnings += line.warned;
      if (!line.warned) worst = std::max(worst, line.error / tolerance);
      EXPECT_TRUE(line.warned || line.error <= tolerance)
          << system.name << ": " << line.error << " at " << tolerance << ", estimated " << s.error_estimate;
      // Warnings are for what cannot be decided, not a way out: measured none at these tolerances but for grazes by
      // 1e-9 m, which cannot be told from misses while gaps count as closed within 1e-10 m.
      EXPECT_TRUE(file != nullptr || !line.warned || system.kind == "grazed")
          << system.name << ' ' << tolerance << ' ' << s.error_estimate;
      table += fmt::format("| {} | {} | {:.0e} | {:.1e} | {:.1e} | {} | {} | {} | {:.3f}{} |\n", system.name,
                           system.kind, tolerance, line.error, s.error_estimate, s.steps, s.solves, s.rehearsal_solves,
                           line.error / tolerance, line.warned ? ", warned" : "");
    }
  }
  EXPECT_GE(systems, 20);
  if (file == nullptr) return;
  std::ofstream(file) << kHead
                      << fmt::format(
                             "{} systems, {} runs: {} with a warning; of the others the largest error is {:.2g} of the "
                             "tolerance.\n\n",
                             systems, lines, warnings, worst)
                      << table;
}

// ../shared/data/found/lift.yaml: the lift-off was missed, error 1e-2 at a tolerance of 1e-6 and an estimate of 3e-7.
TEST(Tolerance, SeesALiftOff) {
  for (const ToleranceSystem& system : tolerance_systems()) {
    if (system.name != "lift") continue;
    const Line line = measure(system, 1e-6);
    EXPECT_LE(line.error, 0.5e-6);  // measured 1.1e-7
    EXPECT_LE(line.error, line.summary.error_estimate);
  }
}

// In smooth motion the estimate is above the error: distance = 3 times the error, or 2.5 with the other grid.
TEST(Tolerance, EstimateIsAboveTheErrorInSmoothMotion) {
  for (const ToleranceSystem& system : tolerance_systems()) {
    if (system.name != "pendulum" && system.name != "linear-oscillator" && system.name != "dragged-block") continue;
    for (double tolerance : {1e-3, 1e-5}) {
      const Line line = measure(system, tolerance);
      EXPECT_LE(1.5 * line.error, line.summary.error_estimate) << system.name;  // measured 1.8 to 6.8
    }
  }
}

// Where it cannot be decided whether a contact is hit, the run says so.
TEST(Tolerance, AGrazeThatCannotBeDecidedIsTold) {
  for (double depth : {-1e-15}) {
    const std::string text = formulas(
        fmt::format("coordinates: [q], kinetic: q'^2/2, potential: 1 - cos(q), contacts: {{w: {{gap: q + 1 - ({})}}}}",
                    depth),
        "{position: {q: 1}}", 5);
    const Scenario s = read_scenario(text, "graze", {"simulation.step={control: auto, tolerance: 1e-8}"});
    const Trajectory run = simulate(s);
    const Summary& m = run.end.summary;
    EXPECT_GT(m.error_estimate, 1e-8) << depth;
    EXPECT_NE(tolerance_note(m.error_asked, m.error_estimate, m.error_doubt).find("just touched"), std::string::npos)
        << depth << ' ' << m.error_estimate << ' ' << m.error_doubt;
  }
}

}  // namespace
}  // namespace ricochet::test::tolerance_test
