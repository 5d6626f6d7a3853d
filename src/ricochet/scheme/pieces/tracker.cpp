#include "ricochet/scheme/pieces/tracker.hpp"

#include <cmath>

#include "ricochet/scheme/pieces/radau.hpp"

namespace ricochet {
namespace {

constexpr int kStandstill = 20;       // events in a row without progress in time
constexpr int kCrawlSteps = 2000;     // inner steps that should move on by
constexpr double kCrawlShare = 1e-4;  // of the step

std::unique_ptr<Stepper> make_stepper(const std::string& method) {
  if (method == "radau5") return std::make_unique<Radau>();
  return std::make_unique<ExplicitRungeKutta>(*find_tableau(method));
}

}  // namespace

Tracker::Tracker(const TrackerSettings& s, const Model& model, const State& state, double h, Workspace& w,
                 StepReport& report)
    : s_(s),
      m_(model),
      state_(state),
      h_(h),
      w_(w),
      report_(report),
      l_(w.of<TrackerScratch>(model)),
      c_{model, w, s.controls, state.t} {
  if (l_.method != s.method) {
    l_.phase = std::make_unique<Phase>(model, make_stepper(s.method));
    l_.method = s.method;
  }
}

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
      if (drift(i, k, U[k]) > kDrifted * speed()) return true;
  }
  return false;
}

bool Tracker::smooth_step() {
  const Phase::Outcome out = l_.phase->advance(c_, l_.at, h_ - l_.at.s, s_.tolerance, proposal_);
  if (out.status != StepStatus::converged) return fail(out.status, out.candidate);
  if (crawls()) return false;
  ++report_.newton;
  report_.minimum_norm = report_.minimum_norm || l_.phase->held().redundant || l_.phase->held().loops();
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

}  // namespace ricochet
