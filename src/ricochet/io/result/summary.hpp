#pragma once
// What a run amounts to, for people and for programs.
#include <string>
#include <vector>

#include "ricochet/io/result/expectation_watch.hpp"
#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct RunOutcome {
  const Scenario* scenario = nullptr;
  const RunState* run = nullptr;
  const RunResult* result = nullptr;
  std::string output;           ///< path of the results; empty: none
  double wall_seconds = 0;      ///< of this process
  std::int64_t steps_here = 0;  ///< made by this process; the rest by the one that was resumed
  int threads = 1;              ///< that were allowed; `result` says how many were at work
  std::vector<Judgement>
      judgements{};  ///< of what the scenario says that happens; none: the run did not come to its end
};

/// One JSON object with the fields that the documentation lists.
std::string summary_json(const RunOutcome& outcome);
/// Aligned text, each number with what it means.
std::string summary_text(const RunOutcome& outcome);
/// Energy out of nothing, errors above the tolerance, multipliers that are not unique; one sentence each.
std::vector<std::string> warnings(const RunOutcome& outcome);
/// Of these, what the energy says; `defect` is the sum over the run.
std::vector<std::string> energy_notes(const EnergyWatch& watch, double defect);
/// And what became of a tolerance that was asked for; empty: it is met.
std::string tolerance_note(double asked, double estimate, double doubt);
/// In words, before the name of the status.
const char* what_failed(StepStatus status);
/// What failed, where, what to try: three lines. Empty if nothing did.
std::vector<std::string> failure_lines(const RunOutcome& outcome);
/// The same in one line.
std::string failure_line(const Scenario& scenario, const RunResult& result);

/// The tolerance that the scheme was given, or has by default.
double tolerance_of(const Scenario& scenario);
/// What its errors are measured by.
Scales scales_of(const RunOutcome& outcome);

}  // namespace ricochet
