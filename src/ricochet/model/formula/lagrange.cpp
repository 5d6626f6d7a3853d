#include "ricochet/model/formula/lagrange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ricochet/math/input_error.hpp"

namespace ricochet::formula {

Lagrange::Lagrange(Graph& graph, const std::vector<std::string>& names, const Energy& energy)
    : graph_(graph),
      energy_(energy),
      n_(static_cast<int>(names.size())),
      T0_(at_rest(graph, energy.T)),
      rows_(n_),
      b_(n_),
      mass_by_(n_),
      linear_by_(n_) {
  derive_mass(names);
  for (int i = 0; i < n_; ++i) derive_bias(i);
  for (int i = 0; i < n_; ++i) power.push_back(at_rest(graph, energy.forces[i]));       // external
  for (int i = 0; i < n_; ++i) power.push_back(graph.sub(energy.forces[i], power[i]));  // damping
  for (int i = 0; i < n_; ++i) power.push_back(graph.derivative(energy.V, i));
  power.push_back(graph.derivative(energy.V, kTime));
  derive_tangents();
  for (int i = 0; i < n_; ++i) {
    const NodeId gradient = graph.derivative(energy.V, i);
    for (const int j : occurring(graph, gradient, 0)) {
      hessian.push_back(graph.derivative(gradient, j));
      bent.emplace_back(i, j);
    }
  }
}

void Lagrange::derive_mass(const std::vector<std::string>& names) {
  for (int i = 0; i < n_; ++i) {
    const NodeId p = graph_.derivative(energy_.T, kMost + i);  // momentum
    b_[i] = at_rest(graph_, p);
    for (const int j : occurring(graph_, p, kMost))
      if (const NodeId m = graph_.derivative(p, kMost + j); !graph_.is_zero(m)) rows_[i].emplace_back(j, m);
  }
  for (int i = 0; i < n_; ++i) {
    for (const int k : occurring(graph_, b_[i], 0)) linear_by_[k].push_back(i);
    for (const auto& [j, m] : rows_[i]) {
      for (const int k : occurring(graph_, m, 0)) mass_by_[k].emplace_back(i, j);
      if (j >= i) continue;
      mass.push_back(m);
      columns.push_back(j);
    }
    mass.push_back(M(i, i));
    massless = massless || graph_.is_zero(mass.back());
    row_end.push_back(static_cast<int>(columns.size()));
  }
  for (const NodeId m : mass)
    for (const int k : occurring(graph_, m, kMost))
      if (!graph_.is_zero(graph_.derivative(m, kMost + k)))
        throw InputError("", fmt::format("the kinetic energy is not quadratic in the velocities ({}' enters the mass); "
                                         "give a polynomial of degree 2 in them",
                                         names[k]));
}

NodeId Lagrange::M(int i, int j) const {
  const auto at = std::ranges::lower_bound(rows_[i], j, {}, &std::pair<int, NodeId>::first);
  return at != rows_[i].end() && at->first == j ? at->second : graph_.constant(0);
}

void Lagrange::derive_bias(int i) {
  Graph& g = graph_;
  std::map<int, std::set<int>> terms;  // v_j times (a number, and v_k of these k)
  for (const auto& [j, m] : rows_[i]) {
    if (g.depends_on(m, kTime)) terms[j];
    for (const int k : occurring(g, m, 0)) terms[j].insert(k);
  }
  for (const auto& [j, k] : mass_by_[i]) terms[j].insert(k);
  for (const int j : occurring(g, b_[i], 0)) terms[j];
  for (const int j : linear_by_[i]) terms[j];

  NodeId c = g.sub(g.derivative(b_[i], kTime), g.derivative(T0_, i));
  for (const auto& [j, with] : terms) {
    NodeId linear = g.add(g.derivative(M(i, j), kTime), g.sub(g.derivative(b_[i], j), g.derivative(b_[j], i)));
    for (const int k : with)
      linear = g.add(linear, g.mul(g.sub(g.derivative(M(i, j), k), g.scale(0.5, g.derivative(M(j, k), i))),
                                   g.variable(kMost + k)));
    c = g.add(c, g.mul(linear, g.variable(kMost + j)));
  }
  NodeId inertia = g.constant(0);
  for (const auto& [j, m] : rows_[i]) inertia = g.add(inertia, g.mul(m, g.variable(kExtra + j)));
  bias.push_back(g.add(g.sub(c, energy_.forces[i]), g.derivative(energy_.V, i)));
  residual_.push_back(g.add(inertia, bias.back()));
}

void Lagrange::derive_tangents() {
  for (int i = 0; i < n_; ++i) {
    const std::vector<int> q = occurring(graph_, residual_[i], 0), v = occurring(graph_, bias[i], kMost);
    std::vector<int> both;
    std::ranges::set_union(q, v, std::back_inserter(both));
    for (const int j : both) coupled.emplace_back(i, j);
  }
  for (const auto& [i, j] : coupled) K.push_back(graph_.derivative(residual_[i], j));
  for (const auto& [i, j] : coupled) C.push_back(graph_.derivative(bias[i], kMost + j));
}

}  // namespace ricochet::formula
