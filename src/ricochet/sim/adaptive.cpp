#include "ricochet/sim/adaptive.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

// The constraint that is violated most, or the one that is hit hardest.
int worst_item(const Model& model, const StepReport& report, bool by_violation) {
  double worst = 0;
  int item = -1;
  for (const ConstraintReport& c : report.constraints) {
    const bool joint = c.candidate->bilateral();
    double size = by_violation ? (joint ? std::abs(c.g[0]) : -c.g[0]) : (joint ? 0 : c.impulse[0]);
    for (int k = 1; joint && by_violation && k < c.candidate->dim; ++k) size = std::max(size, std::abs(c.g[k]));
    if (size <= worst) continue;
    worst = size;
    item = model.index_of(*c.candidate);
  }
  return item;
}

}  // namespace

AdaptiveDriver::AdaptiveDriver(const Model& model, const Scheme& scheme, RunState& run_state, const Policy& policy,
                               Observer* observer)
    : model_(model),
      scheme_(scheme),
      run_(run_state),
      policy_(policy),
      control_(policy.control),
      observer_(observer),
      spaces_{Workspace(model), Workspace(model)},
      coarse_(run_state.state),
      half_(run_state.state),
      next_(run_state.state),
      e_(VectorXd::Zero(model.nv())),
      blind_(VectorXd::Zero(model.nv())),
      events_(model),
      halves_(policy.control.kind != Control::violation) {
  for (Workspace& w : spaces_) {
    w.solver.crew.allow(policy.threads);
    w.solver.stop = policy.stop;
  }
  measure();
  if (run_.h == 0) run_.h = quantised_step(control_.initial, std::min(control_.initial, control_.largest));
  done_ = left() <= floor_here() / 2;
}

void AdaptiveDriver::measure() {
  const Scales* scales = run_.state.scales.get();
  velocity_time_ = scales ? scales->time() : 1;
  if (control_.tolerance > 0) velocity_time_ = std::min(velocity_time_, policy_.until - run_.t_begin);
  atol_ = VectorXd::Constant(model_.nv(), control_.atol);
  if (control_.atol_scaled && scales) atol_ = control_.atol * scales->coordinate;
}

double AdaptiveDriver::violation(const StepReport& r) const {
  const Certificate& c = r.certificate;
  if (!control_.atol_scaled || !run_.state.scales) return std::max(c.penetration, c.joint_position);
  return std::max(c.penetration / run_.state.scales->length, c.joint_position_relative);
}

// A step must move the clock.
double AdaptiveDriver::floor_here() const {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  return std::max(control_.floor, kRounding * std::max(std::abs(run_.state.t), std::abs(policy_.until)));
}

bool AdaptiveDriver::solve(const State& from, double h, State& to, Workspace& w, StepReport& report) {
  renew(report);
  ++run_.summary.solves;
  scheme_.step(model_, from, h, to, w, report);
  check_energy(report, run_.summary);
  if (!report.ok()) ++run_.summary.failures[static_cast<std::size_t>(report.status)];
  return report.ok();
}

// Step after step at the floor, and the end too far away for that.
bool AdaptiveDriver::out_of_reach(double h) const {
  constexpr std::int64_t kManyHits = 1000;
  constexpr double kManySteps = 1e8;
  return run_.summary.floor_hits >= kManyHits && left() / h > kManySteps;
}

int AdaptiveDriver::guessed_order(bool event) const {
  if (control_.order != kVariableOrder) return control_.order;
  const SchemeInfo& info = scheme_.info();
  if (!event) return info.smooth_order;
  return info.impact_order > 1 ? info.impact_order : 0;
}

void AdaptiveDriver::compare(double h, Attempt& a) {
  const State& from = run_.state;
  a.order = guessed_order(events_.look({from, h, half_, next_, coarse_, half_report_, next_report_}, blind_));
  const double factor = estimate_factor(a.order), rtol = control_.rtol;
  const VectorXd& atol = atol_;
  model_.difference(coarse_.q, next_.q, e_);
  const bool flat = model_.flat();
  a.estimate.weigh(LimitSource::position, e_, factor, atol, rtol, flat ? &from.q : nullptr, &next_.q);
  e_ = next_.v - coarse_.v;
  // A scheme of position level has velocities that alternate after an impact, at any step.
  if (scheme_.info().exact_velocity)
    a.estimate.weigh(LimitSource::velocity, e_, factor * velocity_time_, atol, rtol, &from.v, &next_.v);
  if (control_.order != kVariableOrder || scheme_.info().impact_order > 1) return;
  const auto jump = [&](const StepReport& r, const State& x0, const State& x1) {
    if (r.impacts == 0) return;
    e_ = x1.v - x0.v;
    a.estimate.weigh(LimitSource::impact, e_, h / 2, atol, rtol, flat ? &x0.q : nullptr, &x1.q);
  };
  // With a tolerance for the whole motion: what the velocity is off goes on to the end.
  const double time = control_.tolerance > 0 ? left() / 2 : velocity_time_;
  a.estimate.weigh(LimitSource::event, blind_, time, atol, rtol, &from.v, &next_.v);
  jump(half_report_, from, half_);
  jump(next_report_, half_, next_);
}

void AdaptiveDriver::weigh_violation(double reached, Attempt& a) const {
  a.estimate.weigh(LimitSource::violation, (reached - run_.violation) / control_.atol);
}

AdaptiveDriver::Attempt AdaptiveDriver::attempt(double h, bool coarse_known) {
  Attempt a;
  // The workspace in which the last step ended knows where this one begins.
  if (!coarse_known && !solve(run_.state, h, coarse_, *first_, coarse_report_)) {
    a.failed = &coarse_report_;
  } else if (!solve(run_.state, h / 2, half_, *first_, half_report_)) {
    a.failed = &half_report_;
  } else if (!solve(half_, h / 2, next_, *second_, next_report_)) {
    a.failed = &next_report_;
  } else {
    compare(h, a);
    if (control_.kind == Control::both) weigh_violation(std::max(violation(half_report_), violation(next_report_)), a);
  }
  return a;
}

AdaptiveDriver::Attempt AdaptiveDriver::attempt_whole(double h) {
  Attempt a;
  a.order = 1;
  if (!solve(run_.state, h, next_, *first_, next_report_))
    a.failed = &next_report_;
  else
    weigh_violation(violation(next_report_), a);
  return a;
}

double AdaptiveDriver::smaller(double h, const Attempt& a) const {
  const double half = quantised_step(control_.initial, h * 0.5);
  // An event is caught by bisection: the estimate says nothing about where in the step it is.
  if (a.failed != nullptr || a.order == 0) return half;
  return std::min(half, quantised_step(control_.initial, proposed_step(control_, h, a.estimate.error, a.order)));
}

StepLimit AdaptiveDriver::limit(double h, const Attempt& a) const {
  StepLimit out{a.estimate.source, run_.state.t, h, a.estimate.error, a.estimate.coordinate, -1};
  if (a.failed != nullptr) {
    out.source = LimitSource::failure;
    out.item = a.failed->blame;
    return out;
  }
  const bool by_violation = a.estimate.source == LimitSource::violation;
  out.item = worst_item(model_, next_report_, by_violation);
  if (out.item < 0 && halves_) out.item = worst_item(model_, half_report_, by_violation);
  return out;
}

void AdaptiveDriver::accept(double h, bool ends) {
  if (ends) {  // the sum of the steps may miss it by a rounding
    next_.t = policy_.until;
    next_.t_rest = 0;
  }
  Summary& s = run_.summary;
  s.step_smallest = s.accepted == 0 ? h : std::min(s.step_smallest, h);
  s.step_largest = std::max(s.step_largest, h);
  ++s.accepted;
  if (halves_) {
    accumulate(half_report_, s);
    if (observer_ != nullptr) observer_->step(run_.state, half_, half_report_);
  }
  accumulate(next_report_, s);
  if (observer_ != nullptr) observer_->step(halves_ ? half_ : run_.state, next_, next_report_);
  run_.violation = violation(next_report_);
  swap(run_.state, next_);
  std::swap(first_, second_);
}

bool AdaptiveDriver::advance() {
  double h = std::min(run_.h, quantised_step(control_.initial, control_.largest));
  bool rejected = false, coarse_known = false;
  const double rest = left(), least = floor_here();
  const bool last = h >= rest - least / 2;
  if (last && !tail_) {
    tail_ = true;
    if (observer_ != nullptr) observer_->tail(run_);
  }
  if (last) h = rest;
  for (;;) {
    const Attempt a = halves_ ? attempt(h, coarse_known) : attempt_whole(h);
    const bool good = a.failed == nullptr && a.estimate.error <= 1;
    if (!good && first_->stopped()) {
      result_.status = RunStatus::interrupted;
      result_.inside = true;
      return false;
    }
    const double next = smaller(h, a);
    const bool stuck = !good && next < least;
    if (stuck) {
      if (!result_.limit) result_.limit = limit(h, a);
      if (a.failed != nullptr || control_.stop_at_floor || out_of_reach(h)) {
        if (a.failed == nullptr) ++run_.summary.floor_hits;
        result_.status = RunStatus::failed;
        result_.failure = a.failed != nullptr ? *a.failed : StepReport{};
        result_.failed_at = run_.state.t;
        result_.failed_step = h;
        return false;
      }
      ++run_.summary.floor_hits;
    }
    if (good || stuck) {
      accept(h, h == rest);
      done_ = h == rest;
      // It grows if twice the step would do, else it stays. After a rejection it does not grow at once: what was in the
      // way may lie just ahead.
      const bool grows = good && !rejected;
      run_.h = quantised_step(control_.initial,
                              grows ? std::max(h, proposed_step(control_, h, a.estimate.error, a.order)) : h);
      return true;
    }
    if (a.failed != nullptr)
      ++run_.summary.retries;
    else
      ++run_.summary.rejected;
    coarse_known = halves_ && next == h / 2 && a.failed != &coarse_report_ && a.failed != &half_report_;
    if (coarse_known) {
      swap(coarse_, half_);
      std::swap(coarse_report_, half_report_);
    }
    rejected = true;
    h = next;
  }
}

}  // namespace ricochet
