#include "ricochet/model/formula/parts.hpp"

#include <algorithm>

namespace ricochet::formula {
namespace {

/// Variables up to which substitutions are made one by one. Nodes arise in another order when all are made at once,
/// hence sums of another order: the last bits of small systems are on record.
constexpr std::size_t kOneByOne = 64;

NodeId substitute(Graph& graph, NodeId node, const std::vector<int>& variables,
                  const std::function<NodeId(int)>& replacement) {
  if (variables.size() > kOneByOne) return graph.substitute(node, replacement);
  for (const int v : variables)
    if (const NodeId by = replacement(v); by >= 0) node = graph.substitute(node, v, by);
  return node;
}

std::vector<int> variables_of(const Graph& graph, NodeId node) {
  const std::span<const int> all = graph.variables(node);
  return {all.begin(), all.end()};
}

}  // namespace

ParametricTape compile(Graph& graph, std::vector<NodeId> outputs, int n, int velocities, int extra) {
  // Ascending, every variable moves down or stays: one by one, none meets another that is still to be moved.
  const auto moved = [&](int v) {
    int to = v;
    if (v >= kParameter) return -1;
    if (v >= kExtra)
      to = n + velocities + 1 + (v - kExtra);
    else if (v == kTime)
      to = n + velocities;
    else if (v >= kMost)
      to = n + (v - kMost);
    return to == v ? -1 : graph.variable(to);
  };
  for (NodeId& node : outputs) node = substitute(graph, node, variables_of(graph, node), moved);
  return ParametricTape(graph, std::move(outputs), n + velocities + 1 + extra, kParameter);
}

std::vector<int> occurring(const Graph& graph, NodeId node, int first) {
  std::vector<int> out;
  const std::span<const int> all = graph.variables(node);
  for (auto v = std::ranges::lower_bound(all, first); v != all.end() && *v < first + kMost; ++v)
    out.push_back(*v - first);
  return out;
}

bool all_constant(const Graph& graph, const std::vector<NodeId>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeId n) {
    const std::span<const int> in = graph.variables(n);
    return in.empty() || in.front() >= kParameter;
  });
}

NodeId at_rest(Graph& graph, NodeId node) {
  const NodeId zero = graph.constant(0);
  return substitute(graph, node, variables_of(graph, node),
                    [&](int v) { return v >= kMost && v < 2 * kMost ? zero : -1; });
}

}  // namespace ricochet::formula
