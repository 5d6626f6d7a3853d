#include "ricochet/math/expression/parametric_tape.hpp"

#include <algorithm>
#include <unordered_map>

namespace ricochet {
namespace {

/// Takes parameters out of formulas: the largest parts that depend on nothing else become inputs of their own.
class Separation {
 public:
  Separation(Graph& graph, int inputs, int first) : graph_(graph), inputs_(inputs), first_(first) {}

  bool has_parameters(NodeId node) const {
    const std::span<const int> in = graph_.variables(node);
    return !in.empty() && in.back() >= first_;
  }
  bool of_parameters_only(NodeId node) const {
    const std::span<const int> in = graph_.variables(node);
    return !in.empty() && in.front() >= first_;
  }

  NodeId separate(NodeId node) {
    if (!has_parameters(node)) return node;
    if (const auto known = separated_.find(node); known != separated_.end()) return known->second;
    const NodeId out = of_parameters_only(node) ? input_for(node) : rebuild(node);
    separated_.emplace(node, out);
    return out;
  }

  const std::vector<NodeId>& made() const { return made_; }

 private:
  NodeId input_for(NodeId node) {
    made_.push_back(node);
    return graph_.variable(inputs_ + static_cast<int>(made_.size()) - 1);
  }

  NodeId rebuild(NodeId node) {
    const Op op = graph_.op(node);
    const double value = graph_.value(node);
    const std::vector<Term> terms(graph_.terms(node).begin(), graph_.terms(node).end());
    if (op == Op::pow) return graph_.pow(separate(terms[0].node), separate(terms[1].node));
    if (op != Op::sum && op != Op::product)
      return terms.size() == 1 ? graph_.call(op, separate(terms[0].node))
                               : graph_.call(op, separate(terms[0].node), separate(terms[1].node));
    std::vector<Term> fixed, rest;
    for (const Term& t : terms) (of_parameters_only(t.node) ? fixed : rest).push_back(t);
    double number = value;
    for (Term& t : rest) t.node = separate(t.node);
    if (!fixed.empty()) {
      const NodeId part = op == Op::sum ? graph_.sum(fixed, value) : graph_.product(fixed, value);
      rest.push_back({1, separate(part)});
      number = op == Op::sum ? 0 : 1;
    }
    return op == Op::sum ? graph_.sum(rest, number) : graph_.product(rest, number);
  }

  Graph& graph_;
  int inputs_, first_;
  std::unordered_map<NodeId, NodeId> separated_;
  std::vector<NodeId> made_;
};

}  // namespace

ParametricTape::ParametricTape(Graph& graph, std::vector<NodeId> outputs, int inputs, int first) : inputs_(inputs) {
  Separation separation(graph, inputs, first);
  std::vector<NodeId> alone;
  int parameters = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (const std::span<const int> in = graph.variables(outputs[k]); !in.empty())
      parameters = std::max(parameters, in.back() - first + 1);
    if (separation.of_parameters_only(outputs[k])) {
      fixed_.push_back(static_cast<int>(k));
      alone.push_back(outputs[k]);
      outputs[k] = graph.constant(0);  // stands there since `prepare`
    } else {
      outputs[k] = separation.separate(outputs[k]);
    }
  }
  std::vector<NodeId> prepared = separation.made();
  made_ = static_cast<int>(prepared.size());
  prepared.insert(prepared.end(), alone.begin(), alone.end());
  for (NodeId& node : prepared) node = graph.substitute(node, [&](int v) { return graph.variable(v - first); });
  running_ = Tape(graph, outputs, inputs + made_);
  if (!prepared.empty()) preparing_ = Tape(graph, prepared, parameters);
}

void ParametricTape::prepare(double* work, std::span<const double> parameters) const {
  running_.prepare(work);
  if (preparing_.outputs() == 0) return;
  std::vector<double> own(preparing_.work_size());
  preparing_.prepare(own.data());
  std::copy_n(parameters.begin(), preparing_.inputs(), preparing_.input(own.data()));
  preparing_.run(own.data());
  const double* value = preparing_.output(own.data());
  std::copy(value, value + made_, running_.input(work) + inputs_);
  for (std::size_t k = 0; k < fixed_.size(); ++k) running_.output(work)[fixed_[k]] = value[made_ + static_cast<int>(k)];
}

}  // namespace ricochet
