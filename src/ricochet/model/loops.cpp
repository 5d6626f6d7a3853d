#include "ricochet/model/loops.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/model/model.hpp"
#include "ricochet/model/scales.hpp"

namespace ricochet {
namespace {

/// Bodies, by the ranges of coordinates that rows touch, and the joints between them.
class JointGraph {
 public:
  JointGraph(const Model& model, const State& s, const Scales& scales) : model_(model), scales_(scales) {
    for (const auto& subsystem : model.subsystems())
      for (int i = 0; i < subsystem->nv(); ++i) kinds_.push_back(subsystem->kind(i));
    ModelScratch scratch(model);
    std::vector<Candidate> all;
    model.candidates({s.t, s.q, s.v}, 0, all);
    std::vector<int> pick;
    for (const Candidate& c : all)
      if (c.bilateral() && !c.velocity_only) pick.push_back(static_cast<int>(pick.size())), joints_.push_back(c);
    if (joints_.empty()) return;
    model.evaluate(s.t, s.q, {joints_.data(), pick.data(), static_cast<int>(pick.size())}, rows_, scratch);
    find_bodies();
    take_off_branches();
  }

  std::vector<Loop> loops() {
    std::vector<Loop> out;
    std::vector<int> parent(owner_.size());
    for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<int>(i);
    const auto root = [&](int i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (const int body : touched_[k])
        if (in_[k] != 0)
          parent[std::max(root(body), root(touched_[k][0]))] = std::min(root(body), root(touched_[k][0]));
    std::vector<int> place(owner_.size(), -1);
    std::vector<std::vector<int>> members;
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      if (in_[k] == 0) continue;
      int& at = place[root(touched_[k][0])];
      if (at < 0) at = static_cast<int>(members.size()), members.emplace_back();
      members[at].push_back(static_cast<int>(k));
    }
    for (const std::vector<int>& list : members) add(list, out);
    return out;
  }

 private:
  void find_bodies() {
    const auto n = static_cast<std::size_t>(model_.nv());
    owner_.resize(n);
    for (std::size_t i = 0; i < n; ++i) owner_[i] = static_cast<int>(i);
    const auto root = [&](int i) {
      while (owner_[i] != i) i = owner_[i];
      return i;
    };
    for (const Jacobian::Block& b : rows_.G.blocks())
      for (const Range *r = rows_.G.ranges(b), *end = r + b.ranges; r != end; ++r)
        for (int j = r->at + 1; j < r->at + r->n; ++j)
          owner_[std::max(root(j), root(r->at))] = std::min(root(j), root(r->at));
    for (std::size_t i = 0; i < n; ++i) owner_[i] = root(static_cast<int>(i));
    for (const Jacobian::Block& b : rows_.G.blocks()) {
      std::vector<int>& list = touched_.emplace_back();
      for (const Range *r = rows_.G.ranges(b), *end = r + b.ranges; r != end; ++r)
        if (r->n > 0) list.push_back(owner_[r->at]);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  void take_off_branches() {
    in_.assign(joints_.size(), 1);
    std::vector<int> held(owner_.size(), 0);
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      in_[k] = static_cast<char>(!touched_[k].empty());
      for (const int body : touched_[k]) ++held[body];
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < joints_.size(); ++k) {
        if (in_[k] == 0 || std::none_of(touched_[k].begin(), touched_[k].end(), [&](int b) { return held[b] == 1; }))
          continue;
        in_[k] = 0;
        changed = true;
        for (const int body : touched_[k]) --held[body];
      }
    }
  }

  void add(const std::vector<int>& members, std::vector<Loop>& out) const {
    Loop loop;
    std::vector<char> there(owner_.size(), 0);
    for (const int k : members) {
      loop.joints.push_back(joints_[k].key);
      loop.items.push_back(model_.index_of(joints_[k]));
      loop.grounded = loop.grounded || touched_[k].size() == 1;
      for (const int body : touched_[k]) there[body] = 1;
    }
    for (std::size_t i = 0; i < owner_.size(); ++i) {
      if (there[owner_[i]] == 0) continue;
      loop.coordinates.push_back(static_cast<int>(i));
      loop.arms.push_back(scales_.arm[static_cast<Index>(i)]);
      if (kinds_[i] == CoordinateKind::angle) loop.size = std::max(loop.size, loop.arms.back());
    }
    if (!(loop.size > 0)) loop.size = scales_.length;
    for (const int k : members) add_factors(k, loop);
    if (loop.rows() > kMostLoopRows || loop.rows() < 2) return;
    RowSpace space;
    fill_loop(loop, rows_.G, members.data(), space);
    space.factorise();
    const int n = static_cast<int>(loop.coordinates.size());
    int rank = std::min(loop.rows(), n);
    while (rank > 0 && !(space.pivot(rank - 1) > Loop::kOutOfLine * space.pivot(0))) --rank;
    if (rank == 0) return;
    loop.redundant = loop.rows() - rank;
    loop.freedoms = n - rank;
    loop.misfit = space.pivot(rank);
    loop.least = space.pivot(rank - 1);
    out.push_back(std::move(loop));
  }

  /// A row is a length where the scales say so; others are divided by what the arms make of them.
  void add_factors(int k, Loop& loop) const {
    const Jacobian::Block& b = rows_.G.blocks()[k];
    Index first = 0;
    for (int i = 0; i < model_.index_of(joints_[k]); ++i) first += model_.items()[static_cast<std::size_t>(i)].dim;
    double squares = 0;
    int others = 0;
    const auto length = [&](int i) {
      const double part = scales_.row[first + i] / scales_.length;
      return part >= 1 && part < 2;
    };
    for (int i = 0; i < b.dim; ++i) {
      if (length(i)) continue;
      ++others;
      const double* entry = rows_.G.row(b, i);
      for (const Range *r = rows_.G.ranges(b), *end = r + b.ranges; r != end; ++r)
        for (int j = r->at; j < r->at + r->n; ++j, ++entry)
          squares += *entry * *entry / (scales_.arm[j] * scales_.arm[j]);
    }
    const double factor = squares > 0 ? std::sqrt(others / squares) : 1;
    for (int i = 0; i < b.dim; ++i) loop.factors.push_back(length(i) ? 1 : factor);
  }

  const Model& model_;
  const Scales& scales_;
  std::vector<CoordinateKind> kinds_;
  std::vector<Candidate> joints_;
  ConstraintRows rows_;
  std::vector<int> owner_;                 // by coordinate: the first one of its body
  std::vector<std::vector<int>> touched_;  // by joint: bodies
  std::vector<char> in_;                   // by joint: part of a loop
};

}  // namespace

bool Loop::locked() const {
  constexpr double kNearly = 0.05;  // some three degrees
  return grounded && freedoms == 0 && rows() > static_cast<int>(coordinates.size()) && least < kNearly;
}

std::vector<Loop> find_loops(const Model& model, const State& state, const Scales& scales) {
  return JointGraph(model, state, scales).loops();
}

void fill_loop(const Loop& loop, const Jacobian& G, const int* blocks, RowSpace& out) {
  const int m = loop.rows(), n = static_cast<int>(loop.coordinates.size());
  double* B = out.entries(m, n);
  std::fill_n(B, static_cast<Index>(m) * n, 0.0);
  int row = 0;
  for (std::size_t k = 0; k < loop.joints.size(); ++k) {
    const Jacobian::Block& b = G.blocks()[static_cast<std::size_t>(blocks[k])];
    for (int i = 0; i < b.dim; ++i, ++row) {
      const double* entry = G.row(b, i);
      for (const Range *r = G.ranges(b), *end = r + b.ranges; r != end; ++r) {
        const auto first = std::lower_bound(loop.coordinates.begin(), loop.coordinates.end(), r->at);
        const auto at = static_cast<std::size_t>(first - loop.coordinates.begin());
        for (int j = 0; j < r->n; ++j)
          B[row + static_cast<Index>(at + j) * m] += loop.factors[row] * *entry++ / loop.arms[at + j];
      }
    }
  }
}

}  // namespace ricochet
