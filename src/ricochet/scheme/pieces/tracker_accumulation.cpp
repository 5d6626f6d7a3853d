// Accumulations: impacts that follow each other too closely are captured by time steps.
#include <cmath>

#include "ricochet/scheme/pieces/tracker.hpp"

namespace ricochet {
namespace {

constexpr double kRestShare = 1e-3;       // of the velocity at the hand-over: what counts as rest
constexpr int kRestSteps = 5;             // at rest in a row: it stays
constexpr int kIdleSteps = 64;            // without an impulse: it has left
constexpr int kAccumulationSteps = 4000;  // before events are tracked again

}  // namespace

/// Moreau's explicit scheme from here until what hits has come to rest or has left, or the step is over.
bool Tracker::accumulate(double interval) {
  record(EventKind::hand_over, size());
  const double before = energy(), booked = report_.energy.sum();
  const double fastest = begin_capture(interval);
  if (fastest < 0) return fail(StepStatus::singular);
  Capture outcome = Capture::goes_on;
  double h = interval / 8;
  for (int k = 1; k <= kAccumulationSteps && outcome == Capture::goes_on && l_.at.s < h_; ++k) {
    if (++capture_steps_ > 8.0 * s_.max_events) return fail(StepStatus::event_limit);
    if (!capture_step(std::min(h, h_ - l_.at.s), kRestShare * fastest, outcome)) return false;
    if (k % kIdleSteps == 0) h = std::min(2 * h, accumulation() / 8);
  }
  const bool at_rest = outcome == Capture::at_rest;
  if (at_rest) {  // what is left of the velocities goes
    if (!l_.set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
    if (!jump(true)) return false;
  }
  report_.energy.numerical += energy() - before - (report_.energy.sum() - booked);
  record(EventKind::take_back, size());
  std::fill(l_.last_impact.begin(), l_.last_impact.end(), -1);
  interval_ = 0;
  if (!at_rest) {
    if (!settle()) return false;
    interval_ = 0;
    l_.phase->choose_set(c_, l_.modes, l_.directions);
    return true;
  }
  for (const Held& held : l_.set.held)
    if (const auto i = static_cast<std::size_t>(held.candidate); contact(i) && l_.closing[i] > 0)
      l_.modes[i] = ContactMode::closed;
  std::fill(l_.hits.begin(), l_.hits.end(), 0);
  if (!states()) return false;
  l_.phase->choose_set(c_, l_.modes, l_.directions);
  return project();
}

/// Which contacts take part from the beginning, and the fastest of them; negative: singular.
double Tracker::begin_capture(double interval) {
  l_.closing.assign(size(), 0);
  for (std::size_t i = 0; i < size(); ++i) l_.hits[i] = l_.last_impact[i] >= l_.at.s - 4 * interval;
  gather(false);
  if (!l_.set.evaluate(m_, here(), w_)) return -1;
  double fastest = 0;
  for (std::size_t k = 0; k < l_.set.held.size(); ++k)
    if (const auto i = static_cast<std::size_t>(l_.set.held[k].candidate); contact(i) && l_.hits[i])
      fastest = std::max(fastest, std::abs(l_.set.U(k)[0]));
  return fastest;
}

/// A joint, a contact that takes part, or an open one that a step of h would close.
bool Tracker::met(std::size_t k, double h) const {
  const auto i = static_cast<std::size_t>(l_.set.held[k].candidate);
  if (!contact(i) || l_.hits[i] || l_.modes[i] != ContactMode::open) return true;
  const double U = l_.set.U(k)[0];
  return U < 0 && l_.set.g(k)[0] + h * U <= 0;
}

/// v+ = v + h a + M^-1 G P,  q+ = q ⊕ h (v + v+)/2;  U+ >= -e U_k complements P, with U+ at q+ to first order: rows
/// that turn fast would else never come to rest.
bool Tracker::capture_step(double h, double slow, Capture& outcome) {
  if (w_.stopped()) return fail(StepStatus::interrupted);
  Accelerations& set = l_.set;
  gather(false);
  if (!set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
  double* U = l_.U.need(set.rows());
  std::size_t kept = 0;
  int row = 0;
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    if (!met(k, h)) continue;
    const auto i = static_cast<std::size_t>(set.held[k].candidate);
    if (contact(i) && l_.modes[i] == ContactMode::open) l_.hits[i] = 1;
    std::copy(set.U(k), set.U(k) + set.dim(k), U + row);
    row += set.dim(k);
    set.held[kept++] = set.held[k];
  }
  set.held.resize(kept);
  set.free(l_.a);
  for (Index i = 0; i < m_.nv(); ++i) l_.v[i] = l_.at.v[i] + h * l_.a[i];
  if (!set.evaluate(m_, {t(), l_.at.q, l_.v}, w_)) return fail(StepStatus::singular);
  if (set.jump(s_.controls, w_.solver, false, l_.v, U, h) != SolveStatus::converged)
    return fail(StepStatus::solver_failed);
  book_jump();
  outcome = judge_rest(slow);
  for (Index i = 0; i < m_.nv(); ++i) l_.x[i] = 0.5 * h * (l_.at.v[i] + l_.v[i]);
  m_.retract(l_.at.q, l_.x, l_.q);
  l_.at.q = l_.q;
  l_.at.v = l_.v;
  l_.at.s += h;
  return true;
}

/// After the impulses of a time step. What had none for a while has left.
Tracker::Capture Tracker::judge_rest(double slow) {
  const Accelerations& set = l_.set;
  bool at_rest = true, hitting = false;
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    const auto i = static_cast<std::size_t>(set.held[k].candidate);
    if (!contact(i)) continue;
    int& steps = l_.closing[i];
    if (!(set.reaction(k)[0] > 0))
      steps = std::min(steps, 0) - 1;
    else
      steps = std::abs(set.gamma(k)[0]) <= slow ? std::max(steps, 0) + 1 : 0;
    if (steps <= -kIdleSteps) {
      if (l_.modes[i] != ContactMode::open) record(EventKind::opening, i);
      l_.modes[i] = ContactMode::open;
      l_.hits[i] = 0;
      steps = 0;
      continue;
    }
    at_rest = at_rest && steps >= kRestSteps;
    hitting = hitting || l_.hits[i];
  }
  return !hitting ? Capture::lost : at_rest ? Capture::at_rest : Capture::goes_on;
}

}  // namespace ricochet
