#pragma once
// The driver with step control (step_control.hpp). A step is accepted as its two halves, which are steps of the scheme
// like any other: each has its report, its certificate and its row. The attempt over the whole h leaves no trace but
// its count. After a rejection the first half is the whole of the next attempt.
#include <optional>

#include "ricochet/sim/contact_events.hpp"
#include "ricochet/sim/driver.hpp"

namespace ricochet {

class AdaptiveDriver {
 public:
  AdaptiveDriver(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy,
                 Observer* observer);

  bool done() const { return done_; }
  /// One accepted step. False: none was possible, result() says why.
  bool advance();
  RunResult& result() { return result_; }
  /// Drops what was evaluated.
  void forget() {
    for (Workspace& w : spaces_) w.forget(model_);
  }
  /// That shared the work of at least one step.
  int threads() const { return std::max(spaces_[0].solver.crew.at_work(), spaces_[1].solver.crew.at_work()); }

 private:
  struct Attempt {
    Estimate estimate;
    int order = 0;
    const StepReport* failed = nullptr;
  };

  double left() const { return (policy_.until - run_.state.t) - run_.state.t_rest; }
  double floor_here() const;
  bool out_of_reach(double h) const;
  bool solve(const State& from, double h, State& to, Workspace& w, StepReport& report);
  Attempt attempt(double h, bool coarse_known);
  Attempt attempt_whole(double h);
  void measure();
  double violation(const StepReport& r) const;
  int guessed_order(bool event) const;
  void compare(double h, Attempt& a);
  void weigh_violation(double reached, Attempt& a) const;
  void accept(double h, bool ends);
  double smaller(double h, const Attempt& a) const;
  StepLimit limit(double h, const Attempt& a) const;

  const Model& model_;
  const Scheme& scheme_;
  RunState& run_;
  Policy policy_;
  StepControl control_;
  Observer* observer_;
  Workspace spaces_[2];
  Workspace *first_ = &spaces_[0], *second_ = &spaces_[1];
  State coarse_, half_, next_;
  StepReport coarse_report_, half_report_, next_report_;
  VectorXd e_, blind_;
  VectorXd atol_;             // by coordinate
  double velocity_time_ = 1;  // an error of the velocity counts as that of a way of this duration
  ContactEvents events_;
  bool halves_ = true, tail_ = false, done_ = false;
  RunResult result_;
};

}  // namespace ricochet
