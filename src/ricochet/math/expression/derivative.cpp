#include <algorithm>
#include <vector>

#include "ricochet/math/expression/graph.hpp"

namespace ricochet {

NodeId Graph::derivative(NodeId node, int variable) {
  if (op(node) == Op::variable) return constant(variable_index(node) == variable ? 1 : 0);
  if (!depends_on(node, variable)) return constant(0);
  const std::uint64_t key = (static_cast<std::uint64_t>(node) << 32) | static_cast<std::uint32_t>(variable);
  if (const auto it = derivatives_.find(key); it != derivatives_.end()) return it->second;
  const NodeId result = differentiate(node, variable);
  derivatives_.emplace(key, result);
  return result;
}

NodeId Graph::differentiate(NodeId node, int variable) {
  std::vector<Term> result;
  if (op(node) == Op::sum) {
    for (std::size_t i = 0; i < terms(node).size(); ++i)  // not copied: of many terms few depend on the variable
      if (const Term t = terms(node)[i]; depends_on(t.node, variable))
        result.push_back({t.weight, derivative(t.node, variable)});
    return sum(result);
  }
  const std::vector<Term> members = copy(node);
  if (op(node) == Op::product) {
    const double coefficient = value(node);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const NodeId inner = derivative(members[i].node, variable);
      if (is_zero(inner)) continue;
      std::vector<Term> factors = members;
      factors[i].weight -= 1;
      factors.push_back({1, inner});
      result.push_back({1, product(factors, coefficient * members[i].weight)});
    }
  } else {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const NodeId inner = derivative(members[i].node, variable);
      if (is_zero(inner)) continue;
      result.push_back({1, mul(chain_factor(node, static_cast<int>(i)), inner)});
    }
  }
  return sum(result);
}

/// Partial derivative of a function by one of its arguments.
NodeId Graph::chain_factor(NodeId node, int argument) {
  const std::vector<Term> args = copy(node);
  const NodeId a = args[0].node, b = args.back().node;
  const auto fraction = [this](NodeId over, NodeId under, double factor = 1) {
    return product(std::vector<Term>{{1, over}, {-1, under}}, factor);
  };
  const auto plus_square = [this](double c, double w, NodeId x) { return sum(std::vector<Term>{{w, power(x, 2)}}, c); };
  switch (op(node)) {
    case Op::sin: return cos(a);
    case Op::cos: return neg(sin(a));
    case Op::tan: return plus_square(1, 1, node);
    case Op::asin: return power(sqrt(plus_square(1, -1, a)), -1);
    case Op::acos: return neg(power(sqrt(plus_square(1, -1, a)), -1));
    case Op::atan: return power(plus_square(1, 1, a), -1);
    case Op::sinh: return call(Op::cosh, a);
    case Op::cosh: return call(Op::sinh, a);
    case Op::tanh: return plus_square(1, -1, node);
    case Op::exp: return node;
    case Op::log: return power(a, -1);
    case Op::sqrt: return product(std::vector<Term>{{-1, node}}, 0.5);
    case Op::abs: return call(Op::sign, a);
    case Op::pow:
      if (argument == 1) return mul(node, call(Op::log, a));
      return mul(b, pow(a, sub(b, constant(1))));
    case Op::atan2: {  // of (y, x): x/(x^2 + y^2) and -y/(x^2 + y^2)
      const NodeId square = add(power(a, 2), power(b, 2));
      return argument == 0 ? fraction(b, square) : fraction(a, square, -1);
    }
    case Op::hypot: return fraction(argument == 0 ? a : b, node);
    case Op::min: return call(Op::step, argument == 0 ? sub(b, a) : sub(a, b));
    case Op::max: return call(Op::step, argument == 0 ? sub(a, b) : sub(b, a));
    default: return constant(0);  // sign, step
  }
}

NodeId Graph::substitute(NodeId node, int variable, NodeId replacement) {
  if (!depends_on(node, variable)) return node;
  return substitute(node, [&](int index) { return index == variable ? replacement : -1; });
}

NodeId Graph::substitute(NodeId node, const std::function<NodeId(int)>& replacement) {
  std::unordered_map<NodeId, NodeId> done;
  std::vector<char> affected;  // by set of variables: 0 not known yet, 1 no, 2 yes
  const auto is_affected = [&](NodeId n) {
    const auto set = static_cast<std::size_t>(at(n).set);
    if (set >= affected.size()) affected.resize(sets_.size());
    if (affected[set] == 0) {
      const std::span<const int> all = variables(n);
      affected[set] = std::ranges::any_of(all, [&](int v) { return replacement(v) >= 0; }) ? 2 : 1;
    }
    return affected[set] == 2;
  };
  const auto visit = [&](const auto& self, NodeId n) -> NodeId {
    if (!is_affected(n)) return n;
    if (op(n) == Op::variable) return replacement(variable_index(n));
    if (const auto it = done.find(n); it != done.end()) return it->second;
    std::vector<Term> members = copy(n);
    for (Term& t : members) t.node = self(self, t.node);
    NodeId result;
    if (op(n) == Op::sum) {
      result = sum(members, value(n));
    } else if (op(n) == Op::product) {
      result = product(members, value(n));
    } else {
      result = members.size() == 1 ? call(op(n), members[0].node) : call(op(n), members[0].node, members[1].node);
    }
    done.emplace(n, result);
    return result;
  };
  return visit(visit, node);
}

}  // namespace ricochet
