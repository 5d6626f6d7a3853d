#pragma once
// A run that Python drives: all at once, or step by step.
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "bindings.hpp"
#include "result.hpp"
#include "ricochet/sim/stepper.hpp"

namespace ricochet::python {

/// One step as it was recorded; it stays as it is while the run goes on.
struct Step {
  std::shared_ptr<const ResultLayout> layout;
  std::shared_ptr<const double[]> block;
  const double* numbers;
  std::shared_ptr<const ContactEntry[]> contact_block;
  const ContactEntry* contacts;
  std::size_t contact_count;
};

class Simulation final : public Observer {
 public:
  Simulation(std::shared_ptr<const Case> from, std::optional<std::int64_t> record_every, int threads,
             std::shared_ptr<const VectorXd> forces);

  /// To `until`, or to the end; the end stays where it is unless that is later. `progress(t, until)` is called now and
  /// then.
  void run(std::optional<double> until, py::object progress);
  /// One step; nothing if the end is reached.
  std::optional<Step> step();

  double until() const { return end_; }
  void set_until(double until);
  void stop() { stop_ = true; }
  /// As it is now. While it runs, for the thread that runs it alone.
  const RunState& state() const;
  double time() const { return run_.state.t; }
  /// Everything as it was when the state was taken.
  void restore(const RunState& state);
  /// Another configuration or velocity; the books of energies begin anew.
  void place(std::optional<VectorXd> q, std::optional<VectorXd> v);
  std::shared_ptr<ResultData> result();
  const Case& from() const { return *from_; }
  /// The model from now on, of the same coordinates; the state stays.
  void change(std::shared_ptr<const Case> other);

  // What the driver tells.
  void step(const State& before, const State& after, const StepReport& report) override;
  bool grid_step(const RunState& run) override;
  void tail(const RunState& run) override;
  bool rehearsing(double) override { return !watched_ || look(run_.state.t); }

 private:
  class Turn;
  using Clock = std::chrono::steady_clock;

  Stepper& stepper();
  void aim(double until);
  bool advance();
  void notice_changes();
  void settle();
  bool look(double t);
  void begin(RunState run);
  Step last_step() const;

  std::shared_ptr<const Case> from_;
  std::unique_ptr<Scheme> scheme_;
  Policy policy_;   ///< its `until` is where the present run goes
  double end_ = 0;  ///< where a loop goes
  ResultHeader header_;
  RunState run_;
  RunResult outcome_;
  std::optional<Record> record_;
  std::shared_ptr<const ResultLayout> layout_;
  std::unique_ptr<Stepper> stepper_;
  std::atomic<bool> stop_{false}, busy_{false};
  std::atomic<std::thread::id> runs_in_{};
  std::optional<Checkpoint> tail_;
  bool short_step_ = false;  ///< the grid ended with a step shorter than the others
  double wall_ = 0, step_seconds_ = 0;
  std::shared_ptr<const VectorXd> forces_;  ///< that Python sets; null: none
  VectorXd forces_seen_;

  // of a run that nobody interrupts but now and then
  bool watched_ = false, main_thread_ = false;
  py::object progress_ = py::none();
  std::optional<py::error_already_set> trouble_;  ///< of a signal handler or of `progress`
  Clock::time_point looked_;
  int stride_ = 1, until_look_ = 1;
};

}  // namespace ricochet::python
