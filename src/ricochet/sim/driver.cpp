#include "ricochet/sim/driver.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/sim/adaptive.hpp"
#include "ricochet/sim/rehearsal.hpp"

namespace ricochet {

void accumulate(const StepReport& r, Summary& s) {
  ++s.steps;
  s.impacts += r.impacts;
  s.newton_sum += r.newton;
  s.solver_sum += r.solver;
  s.activation_sum += r.activations;
  s.projection_sum += r.projections;
  s.newton_max = std::max<std::int64_t>(s.newton_max, r.newton);
  s.solver_max = std::max<std::int64_t>(s.solver_max, r.solver);
  s.activation_max = std::max<std::int64_t>(s.activation_max, r.activations);
  s.projection_max = std::max<std::int64_t>(s.projection_max, r.projections);
  s.contacts_max = std::max<std::int64_t>(s.contacts_max, r.contacts);
  s.events += static_cast<std::int64_t>(r.events.size());
  s.minimum_norm = s.minimum_norm || r.minimum_norm;
  Certificate& c = s.certificate;
  c.complementarity = std::max(c.complementarity, r.certificate.complementarity);
  c.penetration = std::max(c.penetration, r.certificate.penetration);
  c.joint_position = std::max(c.joint_position, r.certificate.joint_position);
  c.joint_velocity = std::max(c.joint_velocity, r.certificate.joint_velocity);
  c.energy_defect = std::max(c.energy_defect, r.certificate.energy_defect);
  s.magnitude_max = std::max(s.magnitude_max, r.energy.magnitude());
  s.energy_gain_max = std::max(s.energy_gain_max, r.energy.change() - r.energy.external);
  EnergyLedger& e = s.energy;
  e.kinetic = r.energy.kinetic;
  e.potential = r.energy.potential;
  e.external += r.energy.external;
  e.damping += r.energy.damping;
  e.joints += r.energy.joints;
  e.impact += r.energy.impact;
  e.friction += r.energy.friction;
  e.projection += r.energy.projection;
  e.numerical += r.energy.numerical;
  e.nonlinear_remainder += r.energy.nonlinear_remainder;
  e.defect += r.energy.defect;
  observe(r.energy, e, s.energy_initial, s.watch);
}

void renew(StepReport& report) {
  std::vector<Event> events = std::move(report.events);
  events.clear();
  report = StepReport{};
  report.events = std::move(events);
}

namespace {

class Driver {
 public:
  Driver(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer)
      : model_(model), scheme_(scheme), run_(run_state), policy_(policy), observer_(observer), workspace_(model) {
    next_ = run_.state;
    workspace_.solver.crew.allow(policy.threads);
    workspace_.solver.stop = policy.stop;
  }

  RunResult run() {
    march();
    result_.threads = workspace_.solver.crew.at_work();
    return std::move(result_);
  }

 private:
  static constexpr double kSliver = 1e-6;  // of a step: the grid is not continued for less

  void march() {
    const double h = policy_.step, span = policy_.until - run_.t_begin;
    const auto whole = static_cast<std::int64_t>(std::floor(span / h + kSliver));
    const double rest = span - static_cast<double>(whole) * h;
    const std::int64_t last = rest > kSliver * h ? whole + 1 : whole;
    while (run_.step < last) {
      if (run_.step == whole && observer_ != nullptr) observer_->tail(run_);
      if (!advance(run_.step < whole ? h : rest, 0)) return;
      ++run_.step;
      ++run_.summary.accepted;
      const bool goes_on = !observer_ || observer_->grid_step(run_);
      if (!goes_on || policy_.asked_to_stop()) {
        if (run_.step < last) result_.status = RunStatus::interrupted;
        return;
      }
    }
  }

  bool advance(double h, int halvings) {
    renew(report_);
    ++run_.summary.solves;
    scheme_.step(model_, run_.state, h, next_, workspace_, report_);
    check_energy(report_, run_.summary);
    if (report_.ok()) {
      Summary& s = run_.summary;
      s.step_smallest = s.steps == 0 ? h : std::min(s.step_smallest, h);
      s.step_largest = std::max(s.step_largest, h);
      accumulate(report_, s);
      if (observer_) observer_->step(run_.state, next_, report_);
      swap(run_.state, next_);
      return true;
    }
    if (policy_.asked_to_stop()) {
      result_.status = RunStatus::interrupted;
      result_.inside = true;
      return false;
    }
    ++run_.summary.failures[static_cast<std::size_t>(report_.status)];
    // A contact whose events have no end, or events that are tracked: they are there in shorter steps as well.
    const bool endless =
        report_.status == StepStatus::event_limit && (scheme_.info().error_controlled || report_.blame >= 0);
    if (halvings >= policy_.max_halvings || endless) {
      result_ = {RunStatus::failed, report_, run_.state.t, h, {}, false, 1};
      return false;
    }
    ++run_.summary.retries;
    return advance(h / 2, halvings + 1) && advance(h / 2, halvings + 1);
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
};

RunResult run_controlled(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy,
                         Observer* observer) {
  AdaptiveDriver driver(model, scheme, run_state, policy, observer);
  while (!driver.done()) {
    if (!driver.advance()) break;
    ++run_state.step;
    const bool goes_on = observer == nullptr || observer->grid_step(run_state);
    if (!goes_on || policy.asked_to_stop()) {
      if (!driver.done()) driver.result().status = RunStatus::interrupted;
      break;
    }
  }
  driver.result().threads = driver.threads();
  return std::move(driver.result());
}

}  // namespace

RunState begin_run(const Model& model, const Scheme& scheme, State initial) {
  RunState r;
  r.state = std::move(initial);
  r.t_begin = r.state.t;
  Workspace w(model);
  scheme.start(model, r.state, w);
  const Point at{r.state.t, r.state.q, r.state.v};
  const Energies energies = model.energies(at, w.model);
  r.summary.energy.kinetic = energies.kinetic;
  r.summary.energy.potential = energies.potential;
  r.summary.energy_initial = r.summary.energy.kinetic + r.summary.energy.potential;
  r.summary.watch = begin_watch(model, at, w.model);
  return r;
}

RunResult run(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy, Observer* observer) {
  // A scheme that controls its own error is asked for rows, not for steps.
  if (policy.control.kind == Control::fixed || scheme.info().error_controlled)
    return Driver(model, scheme, run_state, policy, observer).run();
  Policy controlled = policy;
  if (policy.control.tolerance > 0) {
    if (run_state.tolerance == 0 && !rehearse(model, scheme, run_state, policy, observer)) {
      RunResult stopped;
      stopped.status = RunStatus::interrupted;
      return stopped;
    }
    controlled.control.atol = run_state.tolerance;
  }
  return run_controlled(model, scheme, run_state, controlled, observer);
}

}  // namespace ricochet
