// The order of elimination and the pattern of the factors.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>

#include "ricochet/math/block_factor.hpp"

namespace ricochet {

/// A sequence of nodes and the pattern of the factors that it leads to.
struct BlockFactor::Order {
  std::vector<int> sequence;            // nodes
  std::vector<std::vector<int>> below;  // by place in the sequence: places below it, ascending
  long long cost = 0;                   // multiplications of the elimination

  void analyse(const NodePattern& pattern, const std::vector<std::vector<int>>& neighbours) {
    const auto count = static_cast<int>(sequence.size());
    std::vector<int> place(sequence.size()), seen(sequence.size(), -1);
    for (int k = 0; k < count; ++k) place[sequence[k]] = k;
    std::vector<std::vector<int>> children(sequence.size());
    below.assign(sequence.size(), {});
    cost = 0;
    for (int k = 0; k < count; ++k) {
      std::vector<int>& mine = below[k];
      const auto take = [&](int p) {
        if (p <= k || seen[p] == k) return;
        seen[p] = k;
        mine.push_back(p);
      };
      for (int node : neighbours[sequence[k]]) take(place[node]);
      for (int child : children[k])
        for (int p : below[child]) take(p);
      std::sort(mine.begin(), mine.end());
      if (!mine.empty()) children[mine.front()].push_back(k);
      long long rows = 0;
      for (int p : mine) rows += pattern.nodes[sequence[p]].n;
      const long long n = pattern.nodes[sequence[k]].n;
      cost += n * (n + rows) * (n + rows);
    }
  }
};

namespace {

std::vector<std::vector<int>> neighbours_of(const NodePattern& pattern) {
  std::vector<std::vector<int>> out(pattern.nodes.size());
  for (const auto& [a, b] : pattern.couples)
    if (a != b) {
      out[a].push_back(b);
      out[b].push_back(a);
    }
  for (auto& list : out) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

/// Minimum degree on the bodies, those of a joint being neighbours.
std::vector<int> order_bodies(const NodePattern& pattern, const std::vector<std::vector<int>>& neighbours) {
  std::vector<Eigen::Triplet<int>> entries;
  for (int a = 0; a < pattern.bodies; ++a) {
    entries.emplace_back(a, a, 1);
    for (int b : neighbours[a])
      if (b < pattern.bodies) entries.emplace_back(a, b, 1);
  }
  for (std::size_t j = pattern.bodies; j < pattern.nodes.size(); ++j)
    for (int a : neighbours[j])
      for (int b : neighbours[j])
        if (a != b) entries.emplace_back(a, b, 1);
  Eigen::SparseMatrix<int> graph(pattern.bodies, pattern.bodies);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int> minimum_degree;
  minimum_degree(graph, order);
  return {order.indices().data(), order.indices().data() + order.size()};
}

}  // namespace

BlockFactor::Order BlockFactor::in_trees(const NodePattern& pattern, const std::vector<int>& bodies) {
  const auto neighbours = neighbours_of(pattern);
  std::vector<int> place(pattern.bodies), joint_of(pattern.bodies, -1);
  for (int k = 0; k < pattern.bodies; ++k) place[bodies[k]] = k;
  std::vector<int> closing;
  for (int j = pattern.bodies; j < static_cast<int>(pattern.nodes.size()); ++j) {
    int taker = -1;
    for (int body : neighbours[j])
      if (joint_of[body] < 0 && pattern.nodes[body].n >= pattern.nodes[j].n &&
          (taker < 0 || place[body] < place[taker]))
        taker = body;
    if (taker >= 0) {
      joint_of[taker] = j;
    } else {
      closing.push_back(j);
    }
  }
  Order order;
  for (int body : bodies) {
    order.sequence.push_back(body);
    if (joint_of[body] >= 0) order.sequence.push_back(joint_of[body]);
  }
  order.sequence.insert(order.sequence.end(), closing.begin(), closing.end());
  order.analyse(pattern, neighbours);
  return order;
}

BlockFactor::Order BlockFactor::after_bodies(const NodePattern& pattern, const std::vector<int>& bodies) {
  const auto neighbours = neighbours_of(pattern);
  std::vector<int> place(pattern.bodies);
  for (int k = 0; k < pattern.bodies; ++k) place[bodies[k]] = k;
  std::vector<std::vector<int>> joints(pattern.bodies);
  Order order;
  for (int j = pattern.bodies; j < static_cast<int>(pattern.nodes.size()); ++j) {
    int last = -1;
    for (int body : neighbours[j]) last = std::max(last, place[body]);
    if (last >= 0) {
      joints[last].push_back(j);
    } else {
      order.sequence.push_back(j);  // a joint that moves nothing
    }
  }
  for (int k = 0; k < pattern.bodies; ++k) {
    order.sequence.push_back(bodies[k]);
    order.sequence.insert(order.sequence.end(), joints[k].begin(), joints[k].end());
  }
  order.analyse(pattern, neighbours);
  return order;
}

void BlockFactor::analyse(const NodePattern& pattern) {
  const std::vector<int> bodies = order_bodies(pattern, neighbours_of(pattern));
  Order order = after_bodies(pattern, bodies);
  if (pattern.nodes.size() > static_cast<std::size_t>(pattern.bodies)) {
    Order trees = in_trees(pattern, bodies);
    if (trees.cost < order.cost) order = std::move(trees);
  }
  lay_out(pattern, order);
}

void BlockFactor::lay_out(const NodePattern& pattern, const Order& order) {
  n_ = pattern.size();
  flops_ = order.cost;
  const auto count = static_cast<int>(order.sequence.size());
  // Panels, from one of these to the next, and their nodes in a new order: coordinates first.
  std::vector<int> panel_start, sequence, moved(order.sequence.size());
  for (int k = 0; k < count;) {
    panel_start.push_back(k);
    int last = k;
    while (last + 1 < count && !order.below[last].empty() && order.below[last].front() == last + 1 &&
           order.below[last].size() == order.below[last + 1].size() + 1)
      ++last;
    for (const bool bodies : {true, false})
      for (int i = k; i <= last; ++i)
        if ((order.sequence[i] < pattern.bodies) == bodies) {
          moved[i] = static_cast<int>(sequence.size());
          sequence.push_back(order.sequence[i]);
        }
    k = last + 1;
  }
  panel_start.push_back(count);
  std::vector<int> at(order.sequence.size() + 1, 0);  // first place of a node's coordinates
  place_.assign(n_, 0);
  original_.assign(n_, 0);
  constraint_.assign(n_, 0);
  for (int k = 0; k < count; ++k) {
    const Range& node = pattern.nodes[sequence[k]];
    at[k + 1] = at[k] + node.n;
    for (int i = 0; i < node.n; ++i) {
      place_[node.at + i] = at[k] + i;
      original_[at[k] + i] = node.at + i;
      constraint_[at[k] + i] = sequence[k] >= pattern.bodies ? 1 : 0;
    }
  }
  panels_.clear();
  rows_.clear();
  updates_.clear();
  panel_of_.assign(n_, 0);
  std::ptrdiff_t used = 0;
  std::vector<int> nodes_below;
  for (std::size_t k = 0; k + 1 < panel_start.size(); ++k) {
    Panel p{};
    p.first = at[panel_start[k]];
    p.width = at[panel_start[k + 1]] - p.first;
    p.row_start = static_cast<int>(rows_.size());
    nodes_below.clear();
    for (int below : order.below[panel_start[k + 1] - 1]) nodes_below.push_back(moved[below]);
    std::sort(nodes_below.begin(), nodes_below.end());
    for (int below : nodes_below)
      for (int i = at[below]; i < at[below + 1]; ++i) rows_.push_back(i);
    p.rows = static_cast<int>(rows_.size()) - p.row_start;
    p.lower = used;
    used += static_cast<std::ptrdiff_t>(p.width + p.rows) * p.width;
    p.upper = used;
    used += static_cast<std::ptrdiff_t>(p.rows) * p.width;
    for (int i = p.first; i < p.first + p.width; ++i) {
      panel_of_[i] = static_cast<int>(panels_.size());
      p.coordinates += constraint_[i] == 0;
    }
    p.constraints = p.coordinates < p.width;
    panels_.push_back(p);
  }
  // Who updates whom: the rows of a panel, cut by the panels that they are columns of.
  std::vector<std::vector<Update>> into(panels_.size());
  int widest = 0, tallest = 0, most = 0;
  for (std::size_t d = 0; d < panels_.size(); ++d) {
    const Panel& p = panels_[d];
    for (int from = 0; from < p.rows;) {
      const int target = panel_of_[rows_[p.row_start + from]];
      int to = from;
      while (to < p.rows && panel_of_[rows_[p.row_start + to]] == target) ++to;
      into[target].push_back({static_cast<int>(d), from, to});
      widest = std::max(widest, to - from);
      tallest = std::max(tallest, p.rows - from);
      from = to;
    }
  }
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    panels_[k].update_start = static_cast<int>(updates_.size());
    panels_[k].updates = static_cast<int>(into[k].size());
    updates_.insert(updates_.end(), into[k].begin(), into[k].end());
  }
  values_.assign(used, 0.0);
  row_scale_.assign(n_, 1.0);
  column_scale_.assign(n_, 1.0);
  row_exchange_.assign(n_, 0);
  column_exchange_.assign(n_, 0);
  is_dead_.assign(n_, 0);
  for (const Panel& p : panels_) most = std::max(most, p.rows);
  product_.assign(std::max(static_cast<std::size_t>(widest) * tallest, 2 * static_cast<std::size_t>(most)), 0.0);
  relative_.assign(n_, 0);
  y_.assign(n_, 0.0);
  dead_.clear();
  dead_.reserve(n_);
  find_trees();
}

}  // namespace ricochet
