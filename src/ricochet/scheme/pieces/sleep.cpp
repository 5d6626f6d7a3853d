#include "ricochet/scheme/pieces/sleep.hpp"

#include <algorithm>
#include <numeric>

#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {
namespace {

/// Rows of contacts that carry. With fewer there is nothing to gain, and a problem with them would be a small one,
/// which is solved as a whole.
constexpr int kLeastRows = 60;

bool same_memory(const ContactMemory& a, const ContactMemory& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), [](double p, double q) { return same_bits(p, q); });
  };
  return a.key == b.key && a.mode == b.mode && same_bits(a.correction, b.correction) && same(a.reaction, b.reaction) &&
         same(a.kept, b.kept);
}

bool zero(const VectorXd& v, const Range& r) {
  for (int i = r.at; i < r.at + r.n; ++i)
    if (!same_bits(v[i], 0.0)) return false;
  return true;
}

bool same(const VectorXd& a, const VectorXd& b, const Range& r) {
  for (int i = r.at; i < r.at + r.n; ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

}  // namespace

void Unions::start(std::size_t n) {
  up_.resize(n);
  std::iota(up_.begin(), up_.end(), 0);
}

Sleep::Sleep(const Model& model) {
  const OperatorLayout& layout = model.layout();
  if (layout.structure != Structure::block_diagonal || model.sets().size() != 1 || model.nameless_rows() == 0 ||
      !model.items().empty() || model.keeps_variables())
    return;
  block_of_.resize(static_cast<std::size_t>(model.nv()));
  int first_q = 0, first_v = 0;
  auto block = layout.blocks.begin();
  for (const auto& subsystem : model.subsystems()) {
    const int end = first_v + subsystem->nv();
    const auto last = std::find_if(block, layout.blocks.end(), [&](const Range& r) { return r.at >= end; });
    const int count = static_cast<int>(last - block);
    if (count == 0 || subsystem->nq() % count != 0 || subsystem->nv() % count != 0) return;
    const int nq = subsystem->nq() / count, nv = subsystem->nv() / count;
    for (int k = 0; k < count; ++k, ++block) {
      if (block->at != first_v + k * nv || block->n != nv) return;
      std::fill_n(block_of_.begin() + block->at, nv, static_cast<int>(blocks_.size()));
      blocks_.push_back({{first_q + k * nq, nq}, *block});
    }
    first_q += subsystem->nq();
    first_v = end;
  }
  possible_ = block == layout.blocks.end();
  asleep_.assign(block_of_.size(), 0);
  island_.assign(blocks_.size(), -1);
  q_.resize(model.nq());
  r_.resize(model.nv());
}

void Sleep::wake() {
  if (!any()) return;
  std::fill(asleep_.begin(), asleep_.end(), char{0});
  std::fill(island_.begin(), island_.end(), -1);
  contacts_.list.clear();
  rows_ = loaded_ = 0;
}

void Sleep::look(const State& s, double h) {
  if (!any()) return;
  bool as_it_was = same_bits(h, h_) && s.memory.empty();
  for (std::size_t b = 0; as_it_was && b < blocks_.size(); ++b)
    if (island_[b] >= 0) as_it_was = same(s.q, q_, blocks_[b].q) && zero(s.v, blocks_[b].v);
  auto memory = s.contacts.begin();
  for (std::size_t k = 0; as_it_was && k < contacts_.list.size(); ++k) {
    const AsleepContact& c = contacts_.list[k];
    while (memory != s.contacts.end() && memory->key < c.candidate.key) ++memory;
    const bool known = memory != s.contacts.end() && memory->key == c.candidate.key;
    as_it_was = known == c.remembered && (!known || same_memory(*memory, c.memory));
  }
  if (!as_it_was) wake();
}

void Sleep::rouse(const std::vector<int>& coordinates) {
  for (const int coordinate : coordinates) {
    const int island = island_[static_cast<std::size_t>(block_of(coordinate))];
    if (island < 0) continue;
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (island_[b] == island) {
        island_[b] = -1;
        std::fill_n(asleep_.begin() + blocks_[b].v.at, blocks_[b].v.n, char{0});
      }
  }
  std::erase_if(contacts_.list, [&](const AsleepContact& c) { return island_[static_cast<std::size_t>(c.block)] < 0; });
  count();
  if (rows_ > kLeastRows) return;
  rows_ = 1;  // some may be left
  wake();
}

void Sleep::still(View r) {
  for (Index i = 0; i < r.size(); ++i) {
    if (!asleep_[static_cast<std::size_t>(i)]) continue;
    roused_ = roused_ || !same_bits(r[i], r_[i]);
    r[i] = 0;
  }
}

void Sleep::offer(const VectorXd& r) {
  offered_ = possible_ && allowed;
  if (offered_) assign(offered_r_, r);
}

bool Sleep::still_there(const Block& b, const State& s, const State& next) const {
  return zero(s.v, b.v) && zero(next.v, b.v) && same(s.q, next.q, b.q);
}

void Sleep::settle(const State& state, double h, const State& next, const Workspace& w) {
  if (!std::exchange(offered_, false) || !state.memory.empty()) return;
  changed_.assign(blocks_.size(), 0);
  bool any_still = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    changed_[b] = island_[b] >= 0 || !still_there(blocks_[b], state, next);
    any_still = any_still || !changed_[b];
  }
  if (!any_still) return;
  // Islands of who is awake; one that changed in any part stays so.
  unions_.start(blocks_.size());
  const Rows& rows = w.after->rows;
  auto before = state.contacts.begin(), after = next.contacts.begin();
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Jacobian::Block& b = rows.G.blocks()[i];
    const Range* range = rows.G.ranges(b);
    const int block = block_of(range[0].at);
    for (int k = 1; k < b.ranges; ++k) unions_.join(block, block_of(range[k].at));
    const Key key = w.candidates[i].key;
    while (before != state.contacts.end() && before->key < key) ++before;
    while (after != next.contacts.end() && after->key < key) ++after;
    const bool had = before != state.contacts.end() && before->key == key;
    const bool has = after != next.contacts.end() && after->key == key;
    bool moves = had != has || (has && !same_memory(*before, *after)) || w.correction[b.row] != 0;
    for (int k = b.row; k < b.row + b.dim; ++k) moves = moves || rows.g_t[k] != 0;
    if (moves) changed_[static_cast<std::size_t>(block)] = 1;
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (changed_[b]) changed_[static_cast<std::size_t>(unions_.root(static_cast<int>(b)))] = 1;
  resting_.assign(blocks_.size(), 0);
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    resting_[b] = !changed_[static_cast<std::size_t>(unions_.root(static_cast<int>(b)))] && island_[b] < 0;
  h_ = h;
  take(next, w);
}

void Sleep::take(const State& next, const Workspace& w) {
  const Rows& rows = w.after->rows;
  int carrying = rows_;
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Jacobian::Block& b = rows.G.blocks()[i];
    if (resting_[static_cast<std::size_t>(block_of(rows.G.ranges(b)[0].at))] && w.impulse[b.row] > 0) carrying += b.dim;
  }
  if (carrying <= kLeastRows || carrying == rows_) return;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!resting_[b]) continue;
    const Block& block = blocks_[b];
    island_[b] = unions_.root(static_cast<int>(b));
    std::fill_n(asleep_.begin() + block.v.at, block.v.n, char{1});
    std::copy_n(next.q.data() + block.q.at, block.q.n, q_.data() + block.q.at);
    std::copy_n(offered_r_.data() + block.v.at, block.v.n, r_.data() + block.v.at);
  }
  auto memory = next.contacts.begin();
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Jacobian::Block& b = rows.G.blocks()[i];
    const int block = block_of(rows.G.ranges(b)[0].at);
    if (!resting_[static_cast<std::size_t>(block)]) continue;
    AsleepContact c;
    c.candidate = w.candidates[i];
    c.block = block;
    c.error = w.judged[static_cast<Index>(i)];
    while (memory != next.contacts.end() && memory->key < c.candidate.key) ++memory;
    c.remembered = memory != next.contacts.end() && memory->key == c.candidate.key;
    if (c.remembered) c.memory = *memory;
    std::copy_n(rows.g.data() + b.row, b.dim, c.g.begin());
    std::copy_n(w.after->U.data() + b.row, b.dim, c.U.begin());
    std::copy_n(w.impulse.data() + b.row, b.dim, c.impulse.begin());
    contacts_.list.push_back(c);
  }
  std::sort(contacts_.list.begin(), contacts_.list.end(),
            [](const AsleepContact& a, const AsleepContact& b) { return a.candidate.key < b.candidate.key; });
  count();
}

void Sleep::count() {
  rows_ = loaded_ = 0;
  for (const AsleepContact& c : contacts_.list) {
    if (!(c.impulse[0] > 0)) continue;
    rows_ += c.candidate.dim;
    ++loaded_;
  }
}

// From the back, in place: std::inplace_merge would allocate in every step.
void Sleep::remember(std::vector<ContactMemory>& contacts) const {
  const auto known =
      std::count_if(contacts_.list.begin(), contacts_.list.end(), [](const auto& c) { return c.remembered; });
  std::size_t other = contacts.size(), to = other + static_cast<std::size_t>(known);
  contacts.resize(to);
  for (auto c = contacts_.list.rbegin(); c != contacts_.list.rend(); ++c) {
    if (!c->remembered) continue;
    for (; other > 0 && contacts[other - 1].key > c->memory.key; --other) contacts[--to] = contacts[other - 1];
    contacts[--to] = c->memory;
  }
}

void Sleep::order(const std::vector<Candidate>& others) {
  contacts_.order.clear();
  int i = 0, k = 0;
  const int n = static_cast<int>(others.size()), m = static_cast<int>(contacts_.list.size());
  while (i < n || k < m) {
    const bool other = k == m || (i < n && others[static_cast<std::size_t>(i)].key <
                                               contacts_.list[static_cast<std::size_t>(k)].candidate.key);
    contacts_.order.push_back(other ? i++ : ~k++);
  }
}

double Sleep::penetration() const {
  double out = 0;
  for (const AsleepContact& c : contacts_.list) out = std::max(out, -c.g[0]);
  return out;
}

double Sleep::complementarity() const {
  double out = 0;
  for (const AsleepContact& c : contacts_.list) out = std::max(out, c.error);
  return out;
}

}  // namespace ricochet
