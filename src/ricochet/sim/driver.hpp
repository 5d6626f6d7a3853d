#pragma once
// The event-capturing driver: attempt, accept or retry, observe. A step that did not converge is never applied: it is
// retried in halves as far as the policy allows, unless its events have no end, then the run stops at the last good
// state and says why. Steps are those of a grid, or chosen by step control (step_control.hpp, adaptive.hpp).
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "ricochet/scheme/pieces/workspace.hpp"
#include "ricochet/scheme/scheme.hpp"
#include "ricochet/sim/energy_watch.hpp"
#include "ricochet/sim/step_control.hpp"

namespace ricochet {

struct Policy {
  double step = 1e-3;
  double until = 1;
  int max_halvings = 4;   ///< a failed step of a grid is tried in 2, 4, ... 2^max_halvings parts
  StepControl control{};  ///< unless fixed, `step` is but a typical one
  /// The scheme with a larger tolerance: a step of the grid that misses the tolerance in the smallest parts too is made
  /// by it, marked and counted. Null: such a step ends the run.
  std::shared_ptr<const Scheme> accept{};
  bool sleeping = true;  ///< islands at rest are left out of the steps; no bit of the result depends on it
  int threads = 1;       ///< that may share the work of a step; no bit of the result depends on how many
  /// Set from outside, for instance by a signal: the run ends as interrupted, also inside a step. Null: nobody asks.
  const std::atomic<bool>* stop = nullptr;

  bool asked_to_stop() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// Sums and maxima over a run; part of a checkpoint, so that a resumed run ends with the same summary bit for bit.
struct Summary {
  std::int64_t steps = 0;
  std::int64_t impacts = 0;
  std::int64_t retries = 0;
  std::int64_t solves = 0;      ///< one-step solves: halves, rejections and failures included, rehearsals not
  std::int64_t accepted = 0;    ///< grid steps, or steps accepted by the control
  std::int64_t rejected = 0;    ///< attempts that the control rejected
  std::int64_t floor_hits = 0;  ///< steps of the floor's size accepted although the control rejects them
  std::int64_t rehearsals = 0, rehearsal_solves = 0;
  std::int64_t newton_sum = 0, solver_sum = 0, activation_sum = 0, projection_sum = 0;
  std::int64_t newton_max = 0, solver_max = 0, activation_max = 0, projection_max = 0;
  std::int64_t contacts_max = 0;
  std::int64_t rebounds = 0, reduced = 0;              ///< contacts with restitution, and with less than the law's
  double least_part = 1;                               ///< of what the law says
  std::int64_t uncertified = 0;                        ///< steps taken over although they missed the tolerance
  std::int64_t events = 0;                             ///< located, by schemes that do
  std::array<std::int64_t, kStepStatuses> failures{};  ///< attempts that failed, by StepStatus
  bool minimum_norm = false;
  Certificate certificate;
  double energy_initial = 0;
  double magnitude_max = 0;    ///< largest sum of absolute ledger entries of a step
  double energy_gain_max = 0;  ///< largest unexplained rise of energy in one step: change - external, if positive
  double step_smallest = 0, step_largest = 0;  ///< of the accepted steps
  double error_asked = 0;                      ///< of q in L1; 0: none was
  double error_estimate = 0;                   ///< by the rehearsals
  double error_doubt = 0;                      ///< part of it: contacts of which it is not known whether they are hit
  EnergyWatch watch;
  EnergyLedger energy;  ///< entries summed; kinetic and potential at the end
};

/// Where a run stands: all that a checkpoint holds.
struct RunState {
  State state;
  double t_begin = 0;
  std::int64_t step = 0;  ///< grid steps done, or steps accepted
  double h = 0;           ///< the step that the control takes next; 0: its first
  double tolerance = 0;   ///< atol that rehearsals found; 0: none yet
  double violation = 0;   ///< of gaps and joints where the control stands
  Summary summary;
};

enum class RunStatus : std::uint8_t {
  finished,
  failed,
  interrupted,
  uncertified  ///< finished, with steps that missed the tolerance: Policy::accept
};
/// It came to its end.
inline bool complete(RunStatus status) { return status == RunStatus::finished || status == RunStatus::uncertified; }

class Observer {
 public:
  virtual ~Observer() = default;
  /// After every accepted (sub-)step. The report's views are valid during the call.
  virtual void step(const State& before, const State& after, const StepReport& report) = 0;
  /// After every grid step, when everything of RunState is consistent. False: stop here (interrupted).
  virtual bool grid_step(const RunState&) { return true; }
  /// Before a last step that is shorter for the sake of `until`: a run to a later time goes on from here.
  virtual void tail(const RunState&) {}
  /// Now and then during rehearsals, which nobody else sees. False: stop (interrupted).
  virtual bool rehearsing(double /*t*/) { return true; }
};

struct RunResult {
  RunStatus status = RunStatus::finished;
  StepReport failure;    ///< of the last attempt, if failed
  double failed_at = 0;  ///< time from which it was attempted
  double failed_step = 0;
  std::optional<StepLimit> limit;  ///< what held the step at the floor for the first time
  bool inside = false;  ///< interrupted inside a step: RunState may stand between two grid steps, as where a run failed
  int threads = 1;      ///< that shared the work of at least one step
};

/// As new, but for the memory that it holds.
void renew(StepReport& report);
/// A converged step that its energy gives away gets the status of that; sim/energy_watch.hpp.
inline void check_energy(StepReport& report, const Summary& summary) {
  if (report.ok()) report.status = judge(report.energy, summary.energy, summary.watch);
}
/// Adds an accepted step to the sums.
void accumulate(const StepReport& report, Summary& summary);

/// Finds the scales, unless the state has some, and makes the scheme's memory and the initial sums.
RunState begin_run(const Model& model, const Scheme& scheme, State initial, const ScaleChoice& scales = {});

/// Advances the run to policy.until, or as far as it gets.
RunResult run(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer);

}  // namespace ricochet
