#include "ricochet/sim/stepper.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/sim/adaptive.hpp"
#include "ricochet/sim/rehearsal.hpp"

namespace ricochet {
namespace {

constexpr int kHalvingsToTouch = 20;  ///< of a step in which bodies pass through each other

/// Steps of a grid.
class GridSteps final : public Stepper::Kind {
 public:
  GridSteps(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer)
      : model_(model), scheme_(scheme), run_(run_state), policy_(policy), observer_(observer), workspace_(model) {
    next_ = run_.state;
    workspace_.solver.crew.allow(policy.threads);
    workspace_.solver.stop = policy.stop;
    workspace_.sleep.allowed = policy.sleeping;
    const double span = policy_.until - run_.t_begin, steps = span / policy_.step;
    if (steps < kMostSteps) {
      whole_ = static_cast<std::int64_t>(std::floor(steps + kSliver));
      rest_ = span - static_cast<double>(whole_) * policy_.step;
      last_ = rest_ > kSliver * policy_.step ? whole_ + 1 : whole_;
    }
  }

  bool advance() override {
    if (stopped_ || run_.step >= last_) return false;
    if (run_.step == whole_ && observer_ != nullptr) observer_->tail(run_);
    if (!advance(run_.step < whole_ ? policy_.step : rest_, 0, policy_.max_halvings)) {
      stopped_ = true;
      return false;
    }
    ++run_.step;
    ++run_.summary.accepted;
    const bool goes_on = observer_ == nullptr || observer_->grid_step(run_);
    stopped_ = !goes_on || policy_.asked_to_stop();
    if (stopped_ && run_.step < last_) result_.status = RunStatus::interrupted;
    return true;
  }

  RunResult& result() override {
    result_.threads = workspace_.solver.crew.at_work();
    if (result_.status == RunStatus::finished && run_.summary.uncertified > 0) result_.status = RunStatus::uncertified;
    return result_;
  }
  void forget() override { workspace_.forget(model_); }

 private:
  static constexpr double kSliver = 1e-6;     // of a step: the grid is not continued for less
  static constexpr double kMostSteps = 1e15;  // more are as good as no end

  /// One attempt; if it counts the run goes on from its end.
  bool attempt(const Scheme& scheme, double h) {
    renew(report_);
    ++run_.summary.solves;
    scheme.step(model_, run_.state, h, next_, workspace_, report_);
    check_energy(report_, run_.summary);
    if (!report_.ok()) return false;
    report_.certified = &scheme == &scheme_;
    Summary& s = run_.summary;
    s.step_smallest = s.steps == 0 ? h : std::min(s.step_smallest, h);
    s.step_largest = std::max(s.step_largest, h);
    accumulate(report_, s);
    if (observer_) observer_->step(run_.state, next_, report_);
    swap(run_.state, next_);
    return true;
  }

  /// In parts if need be, halved `most` times at most.
  bool advance(double h, int halvings, int most) {
    if (attempt(scheme_, h)) return true;
    if (policy_.asked_to_stop()) {
      result_.status = RunStatus::interrupted;
      result_.inside = true;
      return false;
    }
    ++run_.summary.failures[static_cast<std::size_t>(report_.status)];
    // A contact whose events have no end, or events that are tracked: they are there in shorter steps as well.
    const bool endless =
        report_.status == StepStatus::event_limit && (scheme_.info().error_controlled || report_.blame >= 0);
    // What passes through a plate is caught in a step whose way is shorter than the plate is thick.
    if (report_.status == StepStatus::overlooked && most > 0) most = kHalvingsToTouch;
    if (halvings >= most || endless) {
      const StepReport missed = report_;
      if (policy_.accept != nullptr && attempt(*policy_.accept, h)) return true;
      result_ = {RunStatus::failed, missed, run_.state.t, h, {}, false, 1};
      return false;
    }
    ++run_.summary.retries;
    return advance(h / 2, halvings + 1, most) && advance(h / 2, halvings + 1, most);
  }

  const Model& model_;
  const Scheme& scheme_;
  RunState& run_;
  Policy policy_;
  Observer* observer_;
  Workspace workspace_;
  State next_;
  StepReport report_;
  RunResult result_;
  std::int64_t whole_ = std::numeric_limits<std::int64_t>::max(), last_ = whole_;
  double rest_ = 0;
  bool stopped_ = false;
};

/// Steps that the control chooses.
class ControlledSteps final : public Stepper::Kind {
 public:
  ControlledSteps(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy,
                  Observer* observer)
      : run_(run_state), policy_(policy), observer_(observer) {
    if (policy.control.tolerance > 0) {
      stopped_ = run_.tolerance == 0 && !rehearse(model, scheme, run_, policy, observer);
      policy_.control.atol = run_.tolerance;
    }
    if (stopped_) {
      told_.status = RunStatus::interrupted;
    } else {
      driver_ = std::make_unique<AdaptiveDriver>(model, scheme, run_, policy_, observer);
    }
  }

  bool advance() override {
    if (stopped_ || driver_->done()) return false;
    if (!driver_->advance()) {
      stopped_ = true;
      return false;
    }
    ++run_.step;
    const bool goes_on = observer_ == nullptr || observer_->grid_step(run_);
    stopped_ = !goes_on || policy_.asked_to_stop();
    if (stopped_ && !driver_->done()) driver_->result().status = RunStatus::interrupted;
    return true;
  }

  RunResult& result() override {
    if (!driver_) return told_;
    driver_->result().threads = driver_->threads();
    return driver_->result();
  }
  void forget() override {
    if (driver_) driver_->forget();
  }

 private:
  RunState& run_;
  Policy policy_;
  Observer* observer_;
  std::unique_ptr<AdaptiveDriver> driver_;
  RunResult told_;  // where the rehearsals were stopped
  bool stopped_ = false;
};

}  // namespace

Stepper::Stepper(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy,
                 Observer* observer) {
  // A scheme that controls its own error is asked for rows, not for steps.
  if (policy.control.kind == Control::fixed || scheme.info().error_controlled)
    kind_ = std::make_unique<GridSteps>(model, scheme, run_state, policy, observer);
  else
    kind_ = std::make_unique<ControlledSteps>(model, scheme, run_state, policy, observer);
}

Stepper::~Stepper() = default;
bool Stepper::advance() { return kind_->advance(); }
RunResult& Stepper::result() { return kind_->result(); }
void Stepper::forget() { kind_->forget(); }

}  // namespace ricochet
