// A force that is not a number is reported as such, with what it acts on, by whatever scheme: it makes matrices
// singular and keeps loops from ending, which is its trace and not the cause.
#include <gtest/gtest.h>

#include "ricochet/io/result/summary.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet::not_finite_test {
namespace {

struct Failed {
  StepStatus status;
  std::string line;
};

/// Nothing where the scheme does not take the system.
std::optional<Failed> run_with(const std::string& scheme, const std::string& system) {
  std::optional<Scenario> s;
  try {
    s.emplace(read_scenario("name: x\n" + system + "simulation: {scheme: " + scheme + ", step: 1e-2, until: 1}\n",
                            "not-finite.yaml"));
  } catch (const InputError&) {
    return std::nullopt;
  }
  s->policy.max_halvings = 1;
  const auto made = make_scheme(s->scheme, s->options);
  RunState run = begin_run(s->model, *made, s->initial);
  const RunResult result = ricochet::run(s->model, *made, run, s->policy, nullptr);
  EXPECT_EQ(result.status, RunStatus::failed) << scheme;
  RunOutcome outcome;
  outcome.scenario = &*s;
  outcome.run = &run;
  outcome.result = &result;
  return Failed{result.failure.status, failure_lines(outcome)[0]};
}

const std::string kSpring =
    "system:\n  bodies:\n    ball: {mass: 1, inertia: [1, 1, 1]}\n    other: {mass: 1, inertia: [1, 1, 1], position: "
    "[1, 0, 0]}\n  joints:\n    hinge: {revolute: [ground, ball], at: [0, 0, 1], axis: [0, 1, 0]}\n  forces:\n    "
    "sound: {torque: [ground, ball], axis: [0, 1, 0], formula: 0.1*v}\n    broken: {torque: [ground, other], axis: [0, "
    "1, 0], formula: sqrt(0.1 - t)}\n";

const std::string kFormulas =
    "system:\n  formulas: {coordinates: [x, y], kinetic: (x'^2 + y'^2)/2, forces: {y: log(0.1 - t)}}\n";

TEST(NotFinite, WhatTheForceActsOnIsNamed) {
  int taken = 0;
  for (const SchemeEntry& entry : schemes()) {
    const auto failed = run_with(entry.info.name, kSpring);
    if (!failed) continue;
    ++taken;
    EXPECT_EQ(failed->status, StepStatus::not_finite) << entry.info.name << ": " << failed->line;
    EXPECT_NE(failed->line.find("the force on 'other."), std::string::npos) << entry.info.name << ": " << failed->line;
  }
  EXPECT_GT(taken, 5);
}

TEST(NotFinite, OfAFormulaTheCoordinateIsNamed) {
  int taken = 0;
  for (const SchemeEntry& entry : schemes()) {
    const auto failed = run_with(entry.info.name, kFormulas);
    if (!failed) continue;
    ++taken;
    EXPECT_EQ(failed->status, StepStatus::not_finite) << entry.info.name << ": " << failed->line;
    EXPECT_NE(failed->line.find("the force on 'y' is not finite"), std::string::npos)
        << entry.info.name << ": " << failed->line;
  }
  EXPECT_GT(taken, 15);
}

}  // namespace
}  // namespace ricochet::not_finite_test
