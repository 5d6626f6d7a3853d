// Event tracking (acary-2018, "Event-tracking schemes"): smooth phases integrated with error control, events located,
// impacts and changes of the contacts' states solved where they happen.
//
//     phase    M a + convective = f + D lambda,   Gamma = 0 on the closed contacts I_s          (29)  pieces/phase.hpp
//     impact   M (v+ - v-) = G P,   0 <= U_N+ + e U_N- ⊥ P_N >= 0 on I_c, Coulomb's law for P_T  (27)
//     state    0 <= Gamma_N ⊥ lambda_N >= 0 on I_s, Coulomb's law for accelerations where U_T = 0  (28)
//
// I_c are the contacts with g = 0, I_s those of them with U_N = 0, I_r the sticking (U_T = 0) and I_t the sliding ones.
// A phase ends where a gap or a normal force vanishes, a sticking force reaches its cone, or a sliding velocity turns.
// There an impact is solved if a closing contact approaches, and the states of I_s follow from the complementarity
// problem of accelerations, all contacts together: the sign of one bilateral force decides nothing if there are
// several.
//
// Undetermined (cases 1.2.2.3, 1.3.3, 2.2.3): lambda_N = Gamma_N = 0, or a force on its cone with Gamma_T = 0. That is
// what every release and every onset of sliding looks like at its own instant. The accelerations are unique there, the
// states are not; they are taken from the same problem a moment later, (t + d, q ⊕ (d v + d^2 a / 2), v + d a), which
// is the question for the sign of the next derivative.
//
// Accumulation: when a contact hits again within `accumulation_interval`, time stepping takes over (Moreau's explicit
// scheme with steps of an eighth of that time, later of that interval) until the contacts that hit carry a force and
// are at rest; these are then closed. Contacts that are met meanwhile take part, those that leave are open. Hand-over
// and take-back are events; the latter is the time of closing.
//
// No end: more than `max_events` events in a step, or eight times as many steps of such time stepping, or thousands of
// inner steps that hardly move on: the step fails.
//
// Painleve: a sliding contact whose normal acceleration does not rise with its reaction has no smooth motion, or
// several: the step fails and names it. In space sliding begins along the tangential acceleration and ends below
// 1e-9 m/s; if nothing holds it there, its direction turns faster than a smooth phase can follow: the step fails.
//
// The step h of the scheme is the interval of the output: inside there are as many steps and events as it takes. Error:
// atol, rtol per inner step, plus what the location of an event leaves, which is round-off. Drift is projected off
// after every inner step, at both levels. Energy: works and impulses are integrated with the motion, jumps book
// (U- + U+)/2 P, projections what they change; the defect is what the tolerances leave.
#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"
#include "ricochet/scheme/pieces/phase.hpp"
#include "ricochet/scheme/pieces/radau.hpp"

namespace ricochet {
namespace {

constexpr double kClosed = 1e-12;      // gaps and normal velocities of this size, times the motion's, are zero
constexpr double kSlipStops = 1e-11;   // likewise tangential velocities
constexpr double kDrifted = 1e-11;     // likewise velocities of what is held: more than that is no drift
constexpr double kLookAhead = 1e-6;    // of an inner step
constexpr int kJumps = 50;             // at one instant: contacts that an impact drives together
constexpr double kJumpBalance = 1e-8;  // of the energy: what works and impulses of an impact may leave unexplained
constexpr int kStandstill = 20;        // events in a row without progress in time
constexpr double kRestShare = 1e-3;    // of the velocity at the hand-over: what counts as rest
constexpr int kRestSteps = 5, kIdleSteps = 64, kAccumulationSteps = 4000;
constexpr int kCrawlSteps = 2000;     // inner steps that should move on by
constexpr double kCrawlShare = 1e-4;  // of the step

struct Settings {
  explicit Settings(const Options& o)
      : method(o.choice("method")),
        tolerance{o.number("atol"), o.number("rtol")},
        accumulation(o.number("accumulation_interval")),
        max_events(static_cast<int>(o.number("max_events"))),
        controls(tolerances(o)) {}
  std::string method;
  PhaseTolerances tolerance;
  double accumulation;
  int max_events;
  Controls controls;
};

std::unique_ptr<Stepper> make_stepper(const std::string& method) {
  if (method == "radau5") return std::make_unique<Radau>();
  return std::make_unique<ExplicitRungeKutta>(*find_tableau(method));
}

/// Scratch of a step.
struct Local {
  explicit Local(const Model& m) : set(m), q(m.nq()), a(m.nv()), x(m.nv()), v(m.nv()) {}
  std::unique_ptr<Phase> phase;
  std::string method;
  Accelerations set;  ///< of impacts and of the choice of states
  Moment at;
  std::vector<ContactMode> modes, modes_before, chosen;
  std::vector<char> resting, hits;                ///< by candidate
  std::vector<std::array<double, 2>> directions;  ///< by candidate: in space, of what begins to slide
  std::vector<double> last_impact;
  std::vector<int> closing;  ///< by candidate: time steps in a row at rest; negative: without an impulse
  Buffer U;
  Rows open;
  VectorXd q, a, x, v;
};

/// One step of the scheme.
class Tracker {
 public:
  Tracker(const Settings& s, const Model& model, const State& state, double h, Workspace& w, StepReport& report)
      : s_(s),
        m_(model),
        state_(state),
        h_(h),
        w_(w),
        report_(report),
        l_(w.of<Local>(model)),
        c_{model, w, s.controls, state.t} {
    if (l_.method != s.method) {
      l_.phase = std::make_unique<Phase>(model, make_stepper(s.method));
      l_.method = s.method;
    }
  }

  bool run(State& next);

 private:
  bool fail(StepStatus status, int candidate = -1) {
    report_.status = status;
    if (candidate >= 0) report_.blame = m_.index_of(w_.candidates[static_cast<std::size_t>(candidate)]);
    return false;
  }
  std::size_t size() const { return w_.candidates.size(); }
  bool contact(std::size_t i) const { return !w_.candidates[i].bilateral(); }
  double t() const { return state_.t + l_.at.s; }
  Point here() const { return {t(), l_.at.q, l_.at.v}; }
  double speed() const { return std::max(1.0, max_abs(l_.at.v)); }
  double extent() const { return std::max(1.0, max_abs(l_.at.q)); }
  void record(EventKind kind, std::size_t candidate, double before = 0, double after = 0, double impulse = 0) {
    report_.events.push_back(
        {t(), kind, candidate < size() ? m_.index_of(w_.candidates[candidate]) : -1, before, after, impulse});
  }

  void begin();
  bool unsettled() const;
  bool touches();
  bool smooth_step();
  bool project();
  void book_phase();
  /// Everything that happens at an instant: impacts, then states. False: report says why.
  bool settle();
  void gather(bool closed_only);
  bool impacts(bool& hit);
  bool jump(bool inelastic);
  struct Work {
    double sum = 0, boundaries = 0;  ///< all of it; that of what moves by itself
  };
  Work book_jump();
  bool states();
  void hold_by_velocity();
  /// The states that the solution of the accelerations' problem shows; `unsure` if some are undetermined.
  bool read_states(bool look_ahead, bool& unsure);
  void record_changes();
  bool jams(SolveStatus status);
  /// No progress worth the inner steps that it took.
  bool crawls();
  bool accumulate(double interval);
  double begin_capture(double interval);
  enum class Capture { goes_on, at_rest, lost };  ///< lost: nothing hits any more
  bool capture_step(double h, double slow, Capture& outcome);
  bool met(std::size_t k, double h) const;
  Capture judge_rest(double slow);
  double energy() {
    const Energies e = m_.energies(here(), w_.model);
    return e.kinetic + e.potential;
  }
  void finish(State& next);

  const Settings& s_;
  const Model& m_;
  const State& state_;
  double h_, proposal_ = 0;
  Workspace& w_;
  StepReport& report_;
  Local& l_;
  PhaseContext c_;
  int standstill_ = 0, capture_steps_ = 0, inner_steps_ = 0;
  double checked_ = 0;   // where the last kCrawlSteps began
  int called_ = -1;      // whose force came to its limit: undetermined, whatever rounding makes of it
  double interval_ = 0;  // > 0: the shortest time since the last impact of a contact that hit again
};

void Tracker::begin() {
  const std::size_t n = size();
  l_.at.s = 0;
  l_.at.q = state_.q;
  l_.at.v = state_.v;
  l_.modes.assign(n, ContactMode::open);
  l_.resting.assign(n, 0);
  l_.hits.assign(n, 0);
  l_.last_impact.assign(n, -1);
  l_.directions.assign(n, {1, 0});
  auto remembered = state_.contacts.begin();
  for (std::size_t i = 0; i < n; ++i) {
    while (remembered != state_.contacts.end() && remembered->key < w_.candidates[i].key) ++remembered;
    if (contact(i) && remembered != state_.contacts.end() && remembered->key == w_.candidates[i].key)
      l_.modes[i] = static_cast<ContactMode>(remembered->mode);
  }
  proposal_ = state_.h;
  int rows = 0;
  for (const Candidate& c : w_.candidates) rows += c.dim;
  l_.set.reserve(rows, static_cast<int>(n));
  l_.phase->reserve(c_);
  l_.phase->evaluations = 0;
  l_.set.solver_iterations = 0;
  report_.events.reserve(256);
}

bool Tracker::run(State& next) {
  begin();
  if (unsettled() && !settle()) return false;
  l_.phase->choose_set(c_, l_.modes, l_.directions);
  while (l_.at.s < h_) {
    if (!smooth_step()) return false;
    if (interval_ > 0 && !accumulate(interval_)) return false;
    if (static_cast<int>(report_.events.size()) > s_.max_events) return fail(StepStatus::event_limit);
  }
  if (touches() && !settle()) return false;
  finish(next);
  return true;
}

/// Something open touches and approaches: an impact at the very end of the step, which belongs to it.
bool Tracker::touches() {
  Rows& rows = l_.open;
  rows.pick.clear();
  for (std::size_t i = 0; i < size(); ++i)
    if (contact(i) && l_.modes[i] == ContactMode::open) rows.pick.push_back(static_cast<int>(i));
  evaluate(m_, t(), l_.at.q, w_.candidates, rows, w_.model, true);
  for (const Jacobian::Block& b : rows.G.blocks())
    if (rows.g[b.row] <= kClosed * extent() && rows.G.row_times(b, 0, l_.at.v) + rows.g_t[b.row] < -kClosed * speed())
      return true;
  return false;
}

/// At the beginning of a run, or after an opening: something touches and is not known to be closed or to leave.
bool Tracker::unsettled() const {
  const double near = kClosed * extent(), slow = kClosed * speed();
  for (std::size_t i = 0; i < size(); ++i) {
    const Jacobian::Block& b = w_.before->rows.G.blocks()[i];
    const double* U = w_.before->U.data() + b.row;
    if (contact(i) && l_.modes[i] == ContactMode::open && w_.before->rows.g[b.row] <= near && U[0] <= slow) return true;
    for (int k = 0; !contact(i) && k < b.dim; ++k)
      if (std::abs(U[k]) > kDrifted * speed()) return true;
  }
  return false;
}

bool Tracker::smooth_step() {
  const Phase::Outcome out = l_.phase->advance(c_, l_.at, h_ - l_.at.s, s_.tolerance, proposal_);
  if (out.status != StepStatus::converged) return fail(out.status, out.candidate);
  if (crawls()) return false;
  ++report_.newton;
  report_.minimum_norm = report_.minimum_norm || l_.phase->held().redundant;
  if (out.h > 0) {
    if (!out.event && h_ - l_.at.s <= 4e-16 * h_) l_.at.s = h_;
    book_phase();
    if (!project()) return false;
  }
  interval_ = 0;
  if (!out.event) return true;
  standstill_ = out.h > 4e-16 * (std::abs(t()) + h_) ? 0 : standstill_ + 1;
  if (standstill_ > kStandstill) {
    if (out.candidate >= 0) return fail(StepStatus::event_limit, out.candidate);
    // Lawful reactions let go of a row, and the states do not say so: sliding contacts whose reactions are not unique,
    // and with them the motion.
    std::size_t first = 0;
    while (first < size() && !slides(l_.modes[first])) ++first;
    return fail(StepStatus::irregular_sliding, first < size() ? static_cast<int>(first) : -1);
  }
  // In space sliding ends where its velocity is below the threshold of its direction.
  for (std::size_t i = 0; i < size(); ++i)
    l_.resting[i] = out.slip && static_cast<int>(i) == out.candidate && w_.candidates[i].dim == 3;
  called_ = out.slip ? -1 : out.candidate;
  const bool settled = settle();
  called_ = -1;
  if (!settled) return false;
  l_.phase->choose_set(c_, l_.modes, l_.directions);
  return true;
}

bool Tracker::crawls() {
  if (++inner_steps_ % kCrawlSteps != 0) return false;
  if (l_.at.s - checked_ < kCrawlShare * h_) {
    std::size_t creeps = 0;
    while (creeps < size() && !(slides(l_.modes[creeps]) && w_.candidates[creeps].dim == 3)) ++creeps;
    if (creeps < size())
      fail(StepStatus::irregular_sliding, static_cast<int>(creeps));
    else
      fail(StepStatus::inner_step);
    return true;
  }
  checked_ = l_.at.s;
  return false;
}

bool Tracker::project() {
  if (l_.phase->held().held.empty()) return true;
  const double before = energy();
  const StepStatus status = l_.phase->project(c_, l_.at);
  if (status != StepStatus::converged) return fail(status, l_.phase->held().held.back().candidate);
  report_.energy.projection += energy() - before;
  ++report_.projections;
  return true;
}

void Tracker::book_phase() {
  const double* work = l_.phase->works();
  EnergyLedger& e = report_.energy;
  e.external += work[Phase::external];
  e.damping += work[Phase::damping];
  e.joints += work[Phase::joints];
  e.impact += work[Phase::impact];
  e.friction += work[Phase::friction];
  const double* P = l_.phase->impulses();
  for (const Held& held : l_.phase->held().held) {
    const Jacobian::Block& b = w_.before->rows.G.blocks()[static_cast<std::size_t>(held.candidate)];
    for (int i = 0; i < b.dim; ++i) w_.impulse[b.row + i] += *P++;
  }
}

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
  bool hit = false;
  if (!impacts(hit)) return false;
  if (!states()) return false;
  record_changes();
  return true;
}

bool Tracker::impacts(bool& hit) {
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
        for (int d = 0; d < set.dim(k); ++d) approaching = approaching || std::abs(set.U(k)[d]) > kDrifted * speed();
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
    hit = true;
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
    if (l_.last_impact[i] >= 0 && since < s_.accumulation && l_.modes[i] == ContactMode::open)
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
  const bool stops = std::find(l_.resting.begin(), l_.resting.end(), 1) != l_.resting.end();
  for (std::size_t k = 0; k < set.held.size(); ++k) {
    Held& held = set.held[k];
    const auto i = static_cast<std::size_t>(held.candidate);
    if (!contact(i) || set.dim(k) == 1) continue;
    const double* U = set.U(k);
    const double slip = set.dim(k) == 3 ? elementary::hypot(U[1], U[2]) : std::abs(U[1]);
    // what slides together stops together
    if (stops && set.dim(k) == 3 && slip <= 2 * kSlipThreshold) l_.resting[i] = 1;
    // in space slip below the threshold has no direction of its own: the accelerations tell
    const double still = std::max(set.dim(k) == 3 ? kSlipThreshold : 0, kSlipStops * speed());
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
    const double zero = set.gamma_noise(), no_force = zero / std::max(set.own_response(k), 1e-300);
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
    if (k % kIdleSteps == 0) h = std::min(2 * h, s_.accumulation / 8);
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

void Tracker::finish(State& next) {
  next.q = l_.at.q;
  next.v = l_.at.v;
  next.h = proposal_;
  const int impacts = report_.impacts;
  end_step(m_, state_, h_, next, w_, report_);
  report_.impacts = impacts;
  report_.solver = l_.set.solver_iterations;
  // end_step remembers what carried an impulse; here the state of what is closed counts
  double residual = report_.certificate.complementarity;
  next.contacts.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    const Jacobian::Block& b = w_.after->rows.G.blocks()[i];
    if (!contact(i) || l_.modes[i] == ContactMode::open) continue;
    ContactMemory memory;
    memory.key = w_.candidates[i].key;
    memory.mode = static_cast<std::int64_t>(l_.modes[i]);
    for (int k = 0; k < b.dim; ++k) memory.reaction[static_cast<std::size_t>(k)] = w_.impulse[b.row + k] / h_;
    next.contacts.push_back(memory);
    const int rows = l_.modes[i] == ContactMode::sticking ? b.dim : 1;
    for (int k = 0; k < rows; ++k) residual = std::max(residual, std::abs(w_.after->U[b.row + k]));
  }
  report_.certificate.complementarity = residual;
  EnergyLedger& e = report_.energy;
  e.defect = e.change() - e.sum();
  report_.certificate.energy_defect = std::abs(e.defect);
}

class EventDriven final : public Scheme {
 public:
  explicit EventDriven(const Options& o) : settings_(o), info_(find_scheme("event-driven")->info) {}
  const SchemeInfo& info() const override { return info_; }
  const Tolerances& tolerance() const override { return settings_.controls.tolerance; }
  void attempt(const Model& model, const State& state, double h, State& next, Workspace& w,
               StepReport& report) const override {
    begin_step(model, state, h, w);
    prepare_next(state, h, next);
    Tracker(settings_, model, state, h, w, report).run(next);
  }

 private:
  Settings settings_;
  SchemeInfo info_;
};

}  // namespace

SchemeEntry event_driven() {
  SchemeEntry e;
  e.info = {.name = "event-driven",
            .summary = "smooth phases with error control between located events; the step is the output interval",
            .reference = "acary-2018 (4)-(31)",
            .smooth_order = 8,
            .impact_order = 8,
            .exact_position = true,
            .exact_velocity = true,
            .one_impulse = false,
            .error_controlled = true};
  e.options = {
      choice_option(
          "method", "dop853", {"dopri5", "dop853", "radau5"},
          "integrates the smooth phases: Dormand-Prince of order 5 or 8, Radau IIA of order 5 for stiff systems"),
      number_option("atol", 1e-12, 1e-14, 1e-2, "error of an inner step, absolute, in SI units"),
      number_option("rtol", 1e-12, 1e-14, 1e-2, "error of an inner step, relative"),
      number_option("accumulation_interval", 1e-7, 1e-12, 1e-2,
                    "a contact that hits again within this time is brought to rest by time stepping [s]"),
      number_option("max_events", 1e4, 1, 1e9, "events in one step before it is given up")};
  for (auto& o : common_options()) e.options.push_back(o);
  e.make = [](const Options& o) -> std::unique_ptr<Scheme> { return std::make_unique<EventDriven>(o); };
  return e;
}

}  // namespace ricochet
