// What happens at an instant: impacts, then the states of the closed contacts.
#include <cmath>
#include <limits>

#include "ricochet/math/elementary.hpp"
#include "ricochet/scheme/pieces/tracker.hpp"

namespace ricochet {
namespace {

constexpr double kSlipStops = 1e-11;   // tangential velocities of this size, times the motion's, are zero
constexpr double kLookAhead = 1e-6;    // of an inner step
constexpr int kJumps = 50;             // at one instant: contacts that an impact drives together
constexpr double kJumpBalance = 1e-8;  // of the energy: what works and impulses of an impact may leave unexplained

}  // namespace

/// The joints and I_c into set.held, or I_s only.
void Tracker::gather(bool closed_only) {
  auto& held = l_.set.held;
  held.clear();
  for (std::size_t i = 0; i < size(); ++i)
    if (!contact(i)) held.push_back({static_cast<int>(i), Hold::sticking, {}});
  for (std::size_t i = 0; i < size(); ++i)
    if (contact(i) && (!closed_only || l_.modes[i] != ContactMode::open))
      held.push_back({static_cast<int>(i), w_.candidates[i].dim > 1 ? Hold::sticking : Hold::frictionless, {}});
}

bool Tracker::settle() {
  if (w_.stopped()) return fail(StepStatus::interrupted);
  ++report_.activations;
  l_.modes_before = l_.modes;
  if (!impacts() || !states()) return false;
  record_changes();
  return true;
}

bool Tracker::impacts() {
  std::fill(l_.hits.begin(), l_.hits.end(), 0);
  for (int pass = 0;; ++pass) {
    gather(false);
    Accelerations& set = l_.set;
    if (!set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
    // only what touches
    const double near = kClosed * extent(), slow = kClosed * speed();
    std::size_t kept = 0;
    bool approaching = false;
    for (std::size_t k = 0; k < set.held.size(); ++k) {
      const auto i = static_cast<std::size_t>(set.held[k].candidate);
      if (!contact(i)) {
        for (int d = 0; d < set.dim(k); ++d) approaching = approaching || drift(i, d, set.U(k)[d]) > kDrifted * speed();
      } else {
        if (l_.modes[i] == ContactMode::open && set.g(k)[0] > near) continue;
        approaching = approaching || set.U(k)[0] < -slow;
      }
      set.held[kept++] = set.held[k];
    }
    set.held.resize(kept);
    if (!approaching) {  // I_s: touching, and not leaving
      for (const Held& held : set.held) {
        const auto i = static_cast<std::size_t>(held.candidate);
        if (contact(i) && l_.modes[i] == ContactMode::open) l_.modes[i] = ContactMode::closed;
      }
      break;
    }
    if (pass >= kJumps) return fail(StepStatus::solver_failed);
    if (!set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
    if (!jump(false)) return false;
    for (std::size_t k = 0; k < set.held.size(); ++k) {
      const auto i = static_cast<std::size_t>(set.held[k].candidate);
      if (!contact(i)) continue;
      if (set.reaction(k)[0] > 0 && set.U(k)[0] < -slow) {
        record(EventKind::impact, i, set.U(k)[0], set.gamma(k)[0], set.reaction(k)[0]);
        ++report_.impacts;
        l_.hits[i] = 1;
      }
      l_.modes[i] = set.gamma(k)[0] > slow ? ContactMode::open : ContactMode::closed;
    }
  }
  // I_s only: what touches and leaves is open
  gather(true);
  if (!l_.set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
  for (std::size_t k = 0; k < l_.set.held.size(); ++k) {
    const auto i = static_cast<std::size_t>(l_.set.held[k].candidate);
    if (contact(i) && l_.set.U(k)[0] > kClosed * speed()) l_.modes[i] = ContactMode::open;
  }
  interval_ = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!l_.hits[i]) continue;
    const double since = l_.at.s - l_.last_impact[i];
    if (l_.last_impact[i] >= 0 && since < accumulation() && l_.modes[i] == ContactMode::open)
      interval_ = interval_ > 0 ? std::min(interval_, since) : since;
    l_.last_impact[i] = l_.at.s;
  }
  return true;
}

/// v moves over an impact, unless that does not obey the laws or the balance of energy.
bool Tracker::jump(bool inelastic) {
  const double before = m_.energies(here(), w_.model).kinetic;
  l_.v = l_.at.v;
  if (l_.set.jump(s_.controls, w_.solver, inelastic, l_.v) != SolveStatus::converged)
    return fail(StepStatus::solver_failed, l_.set.held.back().candidate);
  const Work work = book_jump();
  l_.at.v = l_.v;
  // Works of impulses that are many times larger than what they are to change are round-off.
  const double after = m_.energies(here(), w_.model).kinetic;
  const double scale = before + after + std::abs(work.boundaries);
  if (!(std::abs(after - before - work.sum) <= kJumpBalance * scale))
    return fail(StepStatus::solver_failed, l_.set.held.back().candidate);
  return true;
}

/// Works and impulses of the last jump.
Tracker::Work Tracker::book_jump() {
  const Accelerations& set = l_.set;
  EnergyLedger& e = report_.energy;
  Work work;
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    const auto i = static_cast<std::size_t>(set.held[k].candidate);
    const int row = w_.before->rows.G.blocks()[i].row;
    for (int d = 0; d < set.dim(k); ++d) {
      const double P = set.reaction(k)[d];
      w_.impulse[row + d] += P;
      const double own = P * 0.5 * (set.U(k)[d] + set.gamma(k)[d]), moved = -P * set.g_t(k)[d];
      (!contact(i) ? e.joints : d == 0 ? e.impact : e.friction) += own;
      e.external += moved;
      work.sum += own + moved;
      work.boundaries += moved;
    }
  }
  report_.certificate.complementarity = std::max(report_.certificate.complementarity, set.residual);
  return work;
}

/// I_t and I_r: how each closed contact enters the accelerations' problem.
void Tracker::hold_by_velocity() {
  Accelerations& set = l_.set;
  const double threshold = kSlipThreshold * w_.scale.velocity;
  const bool stops = std::find(l_.resting.begin(), l_.resting.end(), 1) != l_.resting.end();
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    Held& held = set.held[k];
    const auto i = static_cast<std::size_t>(held.candidate);
    if (!contact(i) || set.dim(k) == 1) continue;
    const double* U = set.U(k);
    const double slip = set.dim(k) == 3 ? elementary::hypot(U[1], U[2]) : std::abs(U[1]);
    // what slides together stops together
    if (stops && set.dim(k) == 3 && slip <= 2 * threshold) l_.resting[i] = 1;
    // in space slip below the threshold has no direction of its own: the accelerations tell
    const double still = std::max(set.dim(k) == 3 ? threshold : 0, kSlipStops * speed());
    const bool rests = l_.resting[i] || l_.modes[i] == ContactMode::sticking || slip <= still;
    held.how = rests ? Hold::sticking : Hold::sliding;
    held.slip = {U[1] > 0 ? 1.0 : -1.0, 0};
  }
}

bool Tracker::jams(SolveStatus status) {
  Accelerations& set = l_.set;
  int worst = -1;
  double least = 0;
  bool any = false;
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    const auto i = static_cast<std::size_t>(set.held[k].candidate);
    if (!contact(i) || set.held[k].how != Hold::sliding) continue;
    const double own = set.own_response(k);
    any = true;
    if (worst < 0 || own < least) {
      least = own;
      worst = set.held[k].candidate;
    }
  }
  if (any && (least <= 0 || status != SolveStatus::converged)) {
    fail(StepStatus::painleve, worst);
    return true;
  }
  if (status != SolveStatus::converged) {
    fail(StepStatus::solver_failed, set.held.empty() ? -1 : set.held.back().candidate);
    return true;
  }
  return false;
}

bool Tracker::states() {
  Accelerations& set = l_.set;
  gather(true);
  if (!set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
  hold_by_velocity();
  if (!set.evaluate(m_, here(), w_)) return fail(StepStatus::singular);
  if (jams(set.choose(s_.controls, w_.solver, l_.a))) return false;
  l_.chosen = l_.modes;
  bool unsure = false;
  if (!read_states(false, unsure)) return false;
  if (unsure) {
    const double d = kLookAhead * (proposal_ > 0 ? std::min(proposal_, h_) : h_);
    for (Index i = 0; i < m_.nv(); ++i) {
      l_.x[i] = d * l_.at.v[i] + 0.5 * d * d * l_.a[i];
      l_.v[i] = l_.at.v[i] + d * l_.a[i];
    }
    m_.retract(l_.at.q, l_.x, l_.q);
    if (!set.evaluate(m_, {t() + d, l_.q, l_.v}, w_)) return fail(StepStatus::singular);
    if (jams(set.choose(s_.controls, w_.solver, l_.a))) return false;
    if (!read_states(true, unsure)) return false;
  }
  l_.modes = l_.chosen;
  std::fill(l_.resting.begin(), l_.resting.end(), 0);
  return true;
}

bool Tracker::read_states(bool look_ahead, bool& unsure) {
  const Accelerations& set = l_.set;
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    const auto i = static_cast<std::size_t>(set.held[k].candidate);
    if (!contact(i)) continue;
    if (look_ahead && l_.hits[i] != 2) continue;  // 2: undetermined at the instant itself
    const double *lambda = set.reaction(k), *gamma = set.gamma(k);
    const double zero = set.gamma_noise(),
                 no_force = zero / std::max(set.own_response(k), std::numeric_limits<double>::min());
    const Hold how = set.held[k].how;
    const ContactMode closed = how == Hold::frictionless                    ? ContactMode::closed
                               : how == Hold::sticking                      ? ContactMode::sticking
                               : set.dim(k) == 3 || set.held[k].slip[0] > 0 ? ContactMode::forward
                                                                            : ContactMode::backward;
    const double friction =
        set.dim(k) == 3 ? elementary::hypot(lambda[1], lambda[2]) : std::abs(lambda[1 % set.dim(k)]);
    const double slipping = set.dim(k) == 3 ? elementary::hypot(gamma[1], gamma[2]) : std::abs(gamma[1 % set.dim(k)]);
    ContactMode mode = closed;
    bool known = true;
    if (lambda[0] <= no_force) {
      known = gamma[0] > zero;
      mode = known ? ContactMode::open : closed;
    } else if (how == Hold::sticking && set.dim(k) > 1) {
      if (slipping > zero) {
        // slowed down to nothing and not held: the velocity turns faster than it can be followed
        if (l_.resting[i]) return fail(StepStatus::irregular_sliding, static_cast<int>(i));
        mode = set.dim(k) == 3 || gamma[1] > 0 ? ContactMode::forward : ContactMode::backward;
        if (set.dim(k) == 3) l_.directions[i] = {gamma[1] / slipping, gamma[2] / slipping};
      } else {
        known = friction < set.mu(k) * lambda[0] - 10 * no_force;
      }
    }
    l_.chosen[i] = mode;
    if ((!known || static_cast<int>(i) == called_) && !look_ahead) {
      l_.hits[i] = 2;
      unsure = true;
    }
  }
  return true;
}

void Tracker::record_changes() {
  for (std::size_t i = 0; i < size(); ++i) {
    const ContactMode before = l_.modes_before[i], after = l_.modes[i];
    if (!contact(i) || before == after) continue;
    if (before == ContactMode::open) continue;  // an impact says so itself
    if (after == ContactMode::open) record(EventKind::opening, i);
    if (after == ContactMode::sticking) record(EventKind::sticking, i);
    if (slides(after)) record(before == ContactMode::sticking ? EventKind::sliding : EventKind::reversal, i);
  }
}

}  // namespace ricochet
