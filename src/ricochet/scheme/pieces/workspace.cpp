#include "ricochet/scheme/pieces/workspace.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ricochet {
namespace {

bool same(const std::vector<CandidateMark>& a, const std::vector<Candidate>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) {
           return x.key == y.key && x.aim == y.aim;
         });
}

bool same(const std::vector<int>& a, const std::vector<int>& b) {  // short: no call of memcmp
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

bool matches(const Model& model, const End& end, const State& s, const std::vector<Candidate>& candidates) {
  return end.valid && !end.lent && same_bits(end.t, s.t) && same_bits(end.q, s.q) && same_bits(end.v, s.v) &&
         (model.constant_candidates() || same(end.candidates, candidates));
}

/// Whether rows that were taken over are those of the end: q+ has not moved since somebody evaluated them.
[[maybe_unused]] bool stand_there(const Model& model, const State& s, const std::vector<Candidate>& candidates,
                                  const Rows& rows, ModelScratch& scratch) {
  Rows fresh;
  fresh.pick = rows.pick;
  evaluate(model, s.t, s.q, candidates, fresh, scratch);
  const auto same_values = [&](const Buffer& a, const Buffer& b) {
    return std::equal(a.data(), a.data() + rows.rows, b.data(), [](double x, double y) { return same_bits(x, y); });
  };
  return fresh.rows == rows.rows && same_values(fresh.g, rows.g) && same_values(fresh.g_t, rows.g_t);
}

void evaluate_end(const Model& model, const State& s, End& end, Workspace& w) {
  const std::vector<Candidate>& candidates = w.candidates;
  ModelScratch& scratch = w.model;
  end.valid = end.lent = false;
  end.t = s.t;
  assign(end.q, s.q);
  assign(end.v, s.v);
  if (!model.constant_candidates()) {
    end.candidates.clear();
    if (const std::size_t n = candidates.size(); end.candidates.capacity() < n) end.candidates.reserve(n + n / 8);
    for (const Candidate& c : candidates) end.candidates.push_back({c.key, c.aim});
  }
  if (!model.constant_candidates() || end.rows.pick.size() != candidates.size()) {
    end.rows.pick.resize(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) end.rows.pick[i] = static_cast<int>(i);
  }
  assert(!end.taken || stand_there(model, s, candidates, end.rows, scratch));
  if (!end.taken) evaluate(model, s.t, s.q, candidates, end.rows, scratch);
  end.taken = false;
  double* U = end.U.need(end.rows.rows);
  const double* g_t = end.rows.g_t.data();
  constexpr int kShared = 400;
  const Jacobian& G = end.rows.G;
  share(&w.solver.crew, static_cast<int>(G.blocks().size()), kShared, [&](int first, int last) {
    for (int k = first; k < last; ++k) {
      const Jacobian::Block& b = G.blocks()[static_cast<std::size_t>(k)];
      for (int i = 0; i < b.dim; ++i) U[b.row + i] = G.row_times(b, i, s.v) + g_t[b.row + i];
    }
  });
  end.energies = model.energies({s.t, s.q, s.v}, scratch);
  end.valid = true;
}

/// What the laws kept, from the state.
void take_kept(const State& s, Workspace& w) {
  double* kept = w.kept.zeros(static_cast<Index>(w.candidates.size()) * kLawVariables);
  auto memory = s.contacts.begin();
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    while (memory != s.contacts.end() && memory->key < w.candidates[i].key) ++memory;
    if (memory != s.contacts.end() && memory->key == w.candidates[i].key)
      std::copy(memory->kept.begin(), memory->kept.end(), kept + i * kLawVariables);
  }
}

/// What candidate i is to remember of the step; nothing if all of it is zero.
ContactMemory remembered_of(const Workspace& w, std::size_t i, double h, bool& any) {
  const Candidate& c = w.candidates[i];
  const int row = w.after->rows.G.blocks()[i].row;
  ContactMemory memory{c.key, {}, w.correction[row] / h, 0, {}};
  any = w.correction[row] > 0;
  for (int k = 0; k < c.dim; ++k) {
    memory.reaction[static_cast<std::size_t>(k)] = w.impulse[row + k] / h + (c.bilateral() ? w.smooth[row + k] : 0);
    any = any || (k == 0 && c.unilateral() ? w.impulse[row] > 0 : memory.reaction[static_cast<std::size_t>(k)] != 0);
  }
  if (c.bilateral() || c.law->variables() == 0) return memory;
  LocalState before = local_state(w, static_cast<int>(i), h);
  before.load = load_of(w, c, h);
  memory.kept = before.kept;
  c.law->after(before, w.impulse.data() + row, w.after->U.data() + row, memory.kept.data());
  for (double x : memory.kept) any = any || x != 0;
  return memory;
}

/// What laws keep of contacts that are no candidates any more stays.
void keep_others(const State& state, State& next) {
  const std::size_t listed = next.contacts.size();
  for (const ContactMemory& m : state.contacts) {
    const auto end = next.contacts.begin() + static_cast<std::ptrdiff_t>(listed);
    const auto at = std::lower_bound(next.contacts.begin(), end, m.key,
                                     [](const ContactMemory& x, Key key) { return x.key < key; });
    if (at != end && at->key == m.key) continue;
    if (std::all_of(m.kept.begin(), m.kept.end(), [](double x) { return x == 0; })) continue;
    ContactMemory rest;
    rest.key = m.key;
    rest.kept = m.kept;
    next.contacts.push_back(rest);
  }
  std::sort(next.contacts.begin(), next.contacts.end(),
            [](const ContactMemory& a, const ContactMemory& b) { return a.key < b.key; });
}

}  // namespace

void evaluate_picked(const Model& model, double t, ConstView q, const std::vector<Candidate>& candidates, Rows& rows,
                     ModelScratch& scratch, bool normals_only) {
  if (rows.pick.empty()) {
    if (rows.rows > 0) rows.clear(false);
    rows.gradients.clear();
    return;
  }
  const bool kept = model.constant_gradients() && model.constant_candidates() && rows.normals == normals_only &&
                    same(rows.gradients, rows.pick);
  model.evaluate(t, q, {candidates.data(), rows.pick.data(), static_cast<int>(rows.pick.size()), normals_only, kept},
                 rows, scratch);
  if (kept) return;
  rows.gradients = rows.pick;
  rows.normals = normals_only;
}

const Scales Workspace::kNone;

Workspace::Workspace(const Model& m) : model(m), laws_keep(m.keeps_variables()), sleep(m) {
  if (m.constant_candidates()) m.candidates({}, 0, candidates);
  for (const Candidate& c : candidates) {
    joints = joints || c.bilateral();
    velocity_rows = velocity_rows || c.velocity_only;
  }
  if (!m.constant_candidates()) joints = velocity_rows = true;
  model.share_with(solver.crew);
  first_row_.push_back(0);
  for (const ConstraintItem& item : m.items()) first_row_.push_back(first_row_.back() + item.dim);
}

void Workspace::take_scales(const Model& m, const State& state) {
  scales_ = state.scales;
  measured_ = scales_.get();
  operators = {};  // some are measured by them
  const auto n = static_cast<std::size_t>(m.nv());
  scale = {};
  scale.coordinate.assign(n, 1.0);
  scale.arm.assign(n, 1.0);
  if (scales_) {
    scale.length = scales_->length;
    scale.velocity = scales_->velocity;
    scale.time = scales_->time();
    scale.fall = scales_->fall();
    scale.coordinate.assign(scales_->coordinate.begin(), scales_->coordinate.end());
    scale.arm.assign(scales_->arm.begin(), scales_->arm.end());
  }
  scale.per_length = 1 / scale.length;
  scale.per_velocity = 1 / scale.velocity;
  scale.per_position.resize(n);
  scale.per_rate.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    scale.per_position[i] = 1 / scale.coordinate[i];
    scale.per_rate[i] = scale.time / scale.coordinate[i];
  }
  if (m.constant_candidates()) measure_rows(m);
}

void Workspace::measure_rows(const Model& m) {
  int row = 0;
  for (const Candidate& c : candidates) row += c.dim;
  uneven = false;
  nearest = scale.length;
  double *sizes = size.need(row), *per = per_size.need(row);
  for (const Candidate& c : candidates)
    for (int i = 0; i < c.dim; ++i) {
      *sizes =
          scales_ && c.item >= 0 ? scales_->row[first_row_[static_cast<std::size_t>(m.index_of(c))] + i] : scale.length;
      const double part = *sizes * scale.per_length;
      uneven = uneven || (!c.unilateral() && !(part >= 1 && part < 2));  // another power of two
      if (!c.bilateral()) nearest = std::min(nearest, *sizes);
      *per++ = 1 / *sizes++;
    }
}

double configuration_size(const Model& model, ConstView q, const Workspace& w) {
  double size = 1;
  Index first_q = 0, first_v = 0;
  for (const auto& subsystem : model.subsystems()) {
    size = std::max(size, subsystem->extent(q.segment(first_q, subsystem->nq())) * w.scale.per_length);
    for (int i = 0; i < subsystem->nv() && subsystem->nq() == subsystem->nv(); ++i)
      if (subsystem->kind(i) == CoordinateKind::unknown)
        size = std::max(size, std::abs(q[first_q + i]) * w.scale.per_position[static_cast<std::size_t>(first_v + i)]);
    first_q += subsystem->nq();
    first_v += subsystem->nv();
  }
  return size;
}

const double* judged_gaps(const Rows& rows, const double* g, const Workspace& w, Buffer& room) {
  if (!w.loops.place(rows.pick, rows.G)) return g;
  double* judged = room.need(rows.rows);
  std::copy_n(g, rows.rows, judged);
  w.loops.forgive(judged);
  return judged;
}

/// What joints are judged by at the end of the step. Velocities are forgiven as much as turns with what is open.
static void judge_loops(Workspace& w) {
  constexpr double kOpen = 30;
  const End& end = *w.after;
  const double* g = end.rows.g.data();
  w.joint_g = judged_gaps(end.rows, g, w, w.joint_g_room);
  if (!w.loops.place(end.rows.pick, end.rows.G)) return;
  double *U = w.joint_U_room.need(end.rows.rows), open = 0, forgiven = 0, allowance = 0;
  std::copy_n(end.U.data(), end.rows.rows, U);
  w.loops.take_off(U);
  for (std::size_t i = 0; i < w.candidates.size() && w.candidates[i].bilateral(); ++i)
    for (int k = end.rows.G.blocks()[i].row, last = k + end.rows.G.blocks()[i].dim; k < last; ++k) {
      open = std::max(open, kOpen * std::abs(g[k]) * w.per_size[k]);
      forgiven = std::max(forgiven, std::abs(U[k] - end.U[k]) * w.per_size[k]);
    }
  for (const Loop& loop : *w.scales()->loops) allowance = std::max(allowance, loop.allowance() / loop.size);
  if (forgiven <= (open + allowance) * w.scale.of_rate(end.v) / w.scale.time) w.joint_U = U;
}

/// All, or those of who is awake, after whom these touch has woken.
static void find_candidates(const Model& model, const State& s, double h, Workspace& w) {
  const Point at{s.t, s.q, s.v};
  thread_local std::vector<int> touched;
  while (w.sleep.any()) {
    touched.clear();
    model.awake_candidates(at, h, {w.sleep.asleep().data(), &touched, &w.solver.crew}, w.candidates);
    if (touched.empty()) return;
    w.sleep.rouse(touched);
  }
  model.awake_candidates(at, h, {nullptr, nullptr, &w.solver.crew}, w.candidates);
}

void prepare_next(const State& state, double h, State& next) {
  // Time with its rounding error carried along (two-sum): t = t_0 + k h to the last bit, however many steps.
  const double step = h + state.t_rest, t = state.t + step, used = t - state.t;
  next.t = t;
  next.t_rest = (state.t - (t - used)) + (step - used);
  next.h = state.h;
  if (next.q.size() != state.q.size()) next.q.resize(state.q.size());
  assign(next.v, state.v);
  if (next.memory.size() != state.memory.size()) next.memory = state.memory;
  if (next.scales != state.scales) next.scales = state.scales;
}

void begin_step(const Model& model, const State& s, double h, Workspace& w, bool may_sleep) {
  w.measure(model, s);
  if (!model.constant_candidates()) {
    may_sleep ? w.sleep.look(s, h) : w.sleep.wake();
    find_candidates(model, s, h, w);
    w.measure_rows(model);
  }
  // The certificate of the last step evaluated these already, unless the workspace is new or the step a retry.
  if (matches(model, *w.after, s, w.candidates)) {
    std::swap(w.before, w.after);
  } else if (!matches(model, *w.before, s, w.candidates)) {
    evaluate_end(model, s, *w.before, w);
  }
  w.after->valid = w.after->taken = false;
  if (w.loops.any() || (w.scales() != nullptr && w.scales()->loops != nullptr))
    w.loops.find(w.scales(), w.candidates, w.before->rows);
  const int m = w.before->rows.G.rows();
  double *impulse = w.impulse.need(m), *correction = w.correction.need(m), *smooth = w.smooth.need(m);
  double* compliance = w.compliance.need(m);
  for (int i = 0; i < m; ++i) {
    impulse[i] = correction[i] = smooth[i] = 0;
    compliance[i] = 1;
  }
  w.load = 0;
  w.reduces = false;
  if (w.laws_keep) take_kept(s, w);
}

void append_velocity_rows(const Workspace& w, std::vector<int>& pick) {
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (w.candidates[i].velocity_only && !w.candidates[i].bilateral()) pick.push_back(static_cast<int>(i));
}

int load_candidate(const Workspace& w, const Candidate& c) {
  const auto found = std::lower_bound(w.candidates.begin(), w.candidates.end(), c.load,
                                      [](const Candidate& x, Key key) { return x.key < key; });
  assert(found != w.candidates.end() && found->key == c.load);
  return static_cast<int>(found - w.candidates.begin());
}

double load_of(const Workspace& w, const Candidate& c, double h) {
  if (c.load == Candidate::kNoLoad) return 0;
  const int row = w.before->rows.G.blocks()[static_cast<std::size_t>(load_candidate(w, c))].row;
  double square = 0;
  for (int k = row; k < row + c.load_rows; ++k) {
    const double P = w.impulse[k] + h * w.smooth[k];
    square += P * P;
  }
  return std::sqrt(square);
}

namespace {
/// It begins the step closed and at rest. Where it carries now and did not before it is no impact: of redundant
/// contacts at rest others carry in each step.
bool rests(const Workspace& w, int i) {
  constexpr double kNothing = 1e-9;
  return gap_before(w, i) <= kNothing * gap_size(w, i) && std::abs(U_before(w, i)) <= kNothing * U_size(w, i);
}
}  // namespace

void end_step(const Model& model, const State& state, double h, State& next, Workspace& w, StepReport& report) {
  report.h = h;
  evaluate_end(model, next, *w.after, w);
  const End& end = *w.after;
  report.energy.kinetic_before = w.before->energies.kinetic;
  report.energy.potential_before = w.before->energies.potential;
  report.energy.kinetic = end.energies.kinetic;
  report.energy.potential = end.energies.potential;
  double sum = end.energies.kinetic + end.energies.potential;  // finite only if every term is
  for (int i = 0; i < end.rows.rows; ++i) sum += end.rows.g[i] + end.U[i];
  for (double x : ConstView(next.q)) sum += x;
  for (double x : ConstView(next.v)) sum += x;
  if (!std::isfinite(sum)) report.status = StepStatus::not_finite;
  Certificate& c = report.certificate;
  report.constraints = {
      w.candidates,
      end.rows.G,
      {end.rows.g.data(), end.U.data(), w.impulse.data(), w.correction.data(), w.smooth.data(), &model.sets(), &end.t,
       &end.q, w.sleep.any() ? &w.sleep.contacts() : nullptr, w.reduces ? w.restitution.data() : nullptr}};
  w.joint_g = end.rows.g.data();
  w.joint_U = end.U.data();
  if (w.loops.any()) judge_loops(w);
  const double *joint_g = w.joint_g, *joint_U = w.joint_U;
  next.contacts.clear();
  next.contacts.reserve(w.candidates.size());
  auto remembered = state.contacts.begin();
  const bool rubs = w.velocity_rows && std::any_of(w.candidates.begin(), w.candidates.end(),
                                                   [](const Candidate& x) { return x.load != Candidate::kNoLoad; });
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Candidate& candidate = w.candidates[i];
    const int row = end.rows.G.blocks()[i].row;
    const double *g = end.rows.g.data() + row, *U = end.U.data() + row;
    if (candidate.bilateral()) {
      for (int k = 0; k < candidate.dim; ++k) {
        const double per = w.per_size[row + k];
        c.joint_position = std::max(c.joint_position, std::abs(g[k]));
        c.joint_velocity = std::max(c.joint_velocity, std::abs(U[k]));
        c.joint_position_relative = std::max(c.joint_position_relative, std::abs(joint_g[row + k]) * per);
        c.joint_velocity_relative =
            std::max(c.joint_velocity_relative, std::abs(joint_U[row + k]) * (per * w.scale.time));
      }
      if (!rubs) continue;
    }
    c.penetration = std::max(c.penetration, candidate.bilateral() ? 0 : -g[0]);
    if (candidate.unilateral() && !w.laws_keep && !(w.impulse[row] > 0 || w.correction[row] > 0)) continue;
    bool any = false;
    const ContactMemory memory = remembered_of(w, i, h, any);
    if (!any) continue;
    next.contacts.push_back(memory);
    if (!candidate.unilateral() || !(w.impulse[row] > 0)) continue;
    ++report.contacts;
    while (remembered != state.contacts.end() && remembered->key < candidate.key) ++remembered;
    const bool was_closed =
        remembered != state.contacts.end() && remembered->key == candidate.key && remembered->reaction[0] > 0;
    if (!was_closed && !rests(w, static_cast<int>(i))) ++report.impacts;
  }
  if (w.laws_keep) keep_others(state, next);
  if (!w.sleep.any()) return;
  w.sleep.order(w.candidates);
  w.sleep.remember(next.contacts);
  report.contacts += w.sleep.loaded();
  c.penetration = std::max(c.penetration, w.sleep.penetration());
}

}  // namespace ricochet
