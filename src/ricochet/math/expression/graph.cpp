#include "ricochet/math/expression/graph.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace ricochet {
namespace {

constexpr FunctionInfo kFunctions[] = {
    {Op::sin, "sin", 1},   {Op::cos, "cos", 1},   {Op::tan, "tan", 1},     {Op::asin, "asin", 1},
    {Op::acos, "acos", 1}, {Op::atan, "atan", 1}, {Op::atan2, "atan2", 2}, {Op::sinh, "sinh", 1},
    {Op::cosh, "cosh", 1}, {Op::tanh, "tanh", 1}, {Op::exp, "exp", 1},     {Op::log, "log", 1},
    {Op::sqrt, "sqrt", 1}, {Op::pow, "pow", 2},   {Op::hypot, "hypot", 2}, {Op::abs, "abs", 1},
    {Op::sign, "sign", 1}, {Op::step, "step", 1}, {Op::min, "min", 2},     {Op::max, "max", 2},
};

bool is_odd(Op f) {
  return f == Op::sin || f == Op::tan || f == Op::asin || f == Op::atan || f == Op::sinh || f == Op::tanh ||
         f == Op::sign;
}
bool is_even(Op f) { return f == Op::cos || f == Op::cosh || f == Op::abs; }
bool is_commutative(Op f) { return f == Op::min || f == Op::max || f == Op::hypot; }

std::size_t mix(std::size_t seed, std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u + (static_cast<std::uint64_t>(seed) << 6) + (static_cast<std::uint64_t>(seed) >> 2);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return static_cast<std::size_t>(seed ^ x ^ (x >> 31));
}

/// Sorted by node, weights of equal nodes added, zeros dropped.
void collect(std::vector<Term>& terms) {
  // stable: the order of additions is the order of appearance, on every platform
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.node < b.node; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term t = terms[i++];
    while (i < terms.size() && terms[i].node == t.node) t.weight += terms[i++].weight;
    if (t.weight != 0) terms[kept++] = t;
  }
  terms.resize(kept);
}

bool is_integer(double x) { return std::abs(x) <= 1e6 && x == std::floor(x); }

}  // namespace

std::span<const FunctionInfo> functions() { return kFunctions; }

const char* name(Op op) {
  for (const FunctionInfo& f : kFunctions)
    if (f.op == op) return f.name;
  return "?";
}

NodeId Graph::intern(Op op, double value, std::span<const Term> terms) {
  value += 0.0;  // one zero
  std::size_t hash = mix(static_cast<std::size_t>(op), std::bit_cast<std::uint64_t>(value));
  for (const Term& t : terms) {
    hash = mix(hash, std::bit_cast<std::uint64_t>(t.weight));
    hash = mix(hash, static_cast<std::uint64_t>(t.node));
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Node& n = at(it->second);
    if (n.op == op && std::bit_cast<std::uint64_t>(n.value) == std::bit_cast<std::uint64_t>(value) &&
        std::ranges::equal(this->terms(it->second), terms))
      return it->second;
  }
  const NodeId id = size();
  const int set = intern_set(op, value, terms);
  nodes_.push_back({op, value, terms_.size(), static_cast<int>(terms.size()), set});
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  index_.emplace(hash, id);
  return id;
}

/// The set of variables of a node to be: its own index, or the union over its members.
int Graph::intern_set(Op op, double value, std::span<const Term> terms) {
  const auto set_of = [this](const Term& t) { return at(t.node).set; };
  if (!terms.empty() && std::ranges::all_of(terms, [&](const Term& t) { return set_of(t) == set_of(terms[0]); }))
    return set_of(terms[0]);
  union_.clear();
  if (op == Op::variable) union_.push_back(static_cast<int>(value));
  for (const Term& t : terms) {
    const std::span<const int> own = variables(t.node);
    union_.insert(union_.end(), own.begin(), own.end());
  }
  std::ranges::sort(union_);
  union_.erase(std::unique(union_.begin(), union_.end()), union_.end());
  std::size_t hash = union_.size();
  std::uint64_t mask = 0;
  for (int v : union_) {
    hash = mix(hash, static_cast<std::uint64_t>(v));
    mask |= std::uint64_t{1} << (v % 64);
  }
  const auto [begin, end] = set_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const VariableSet& s = sets_[static_cast<std::size_t>(it->second)];
    if (std::ranges::equal(std::span(members_).subspan(s.first, static_cast<std::size_t>(s.count)), union_))
      return it->second;
  }
  const int id = static_cast<int>(sets_.size());
  sets_.push_back({members_.size(), static_cast<int>(union_.size()), mask});
  members_.insert(members_.end(), union_.begin(), union_.end());
  set_index_.emplace(hash, id);
  return id;
}

NodeId Graph::constant(double value) { return intern(Op::constant, value, {}); }

NodeId Graph::variable(int index) {
  assert(index >= 0);
  return intern(Op::variable, index, {});
}

bool Graph::leads_negative(NodeId node) const {
  if (op(node) == Op::product) return value(node) < 0;
  return op(node) == Op::sum && terms(node)[0].weight < 0;
}

NodeId Graph::sum(std::span<const Term> terms, double constant) {
  return sum_of({terms.begin(), terms.end()}, constant);
}

NodeId Graph::sum_of(std::vector<Term> pending, double constant) {
  const auto is_open = [this](const Term& t) { return op(t.node) == Op::sum && std::abs(t.weight) == 1; };
  std::vector<Term> done;
  while (!pending.empty()) {
    for (auto [w, n] : pending) {
      if (op(n) == Op::product && value(n) != 1) {  // the coefficient belongs to the weight
        w *= value(n);
        n = product(copy(n), 1);
      }
      if (op(n) == Op::constant) {
        constant += w * value(n);
      } else if (op(n) == Op::sum && leads_negative(n)) {
        done.push_back({-w, scale(-1, n)});
      } else {
        done.push_back({w, n});
      }
    }
    collect(done);
    pending.clear();
    // brackets with weight +-1 are opened, only now: 2*(x + y) - (x + y) is one of them
    for (const Term& t : done) {
      if (!is_open(t)) continue;
      constant += t.weight * value(t.node);
      for (const Term& inner : terms(t.node)) pending.push_back({t.weight * inner.weight, inner.node});
    }
    std::erase_if(done, is_open);
    if (pending.empty()) pythagoras(done, pending);
  }
  if (done.empty()) return this->constant(constant);
  if (done.size() == 1 && constant == 0) return scale(done[0].weight, done[0].node);
  return intern(Op::sum, constant, done);
}

/// Takes w r sin(u)^2 + w r cos(u)^2 out of the terms and gives back w r: with it, the mass of a body that is described
/// by its angle is a constant.
void Graph::pythagoras(std::vector<Term>& terms, std::vector<Term>& simpler) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (op(terms[i].node) != Op::product) continue;
    for (const Term& factor : copy(terms[i].node)) {
      if (op(factor.node) != Op::sin || factor.weight < 2) continue;
      const NodeId cosine = cos(this->terms(factor.node)[0].node);
      const NodeId other = product(std::vector<Term>{{1, terms[i].node}, {-2, factor.node}, {2, cosine}});
      const Term sine_term = terms[i], cosine_term{terms[i].weight, other};
      const auto at = std::ranges::lower_bound(terms, other, {}, &Term::node);  // they ascend
      if (at == terms.end() || *at != cosine_term) continue;
      simpler.push_back({sine_term.weight, product(std::vector<Term>{{1, other}, {-2, cosine}})});
      std::erase_if(terms, [&](const Term& t) { return t == sine_term || t == cosine_term; });
      return;
    }
  }
}

NodeId Graph::scale(double factor, NodeId a) {
  if (factor == 1) return a;
  if (factor == -1 && op(a) == Op::sum) {
    std::vector<Term> flipped = copy(a);
    for (Term& t : flipped) t.weight = -t.weight;
    return intern(Op::sum, -value(a), flipped);
  }
  return product(std::vector<Term>{{1, a}}, factor);
}

NodeId Graph::product(std::span<const Term> factors, double coefficient) {
  std::vector<Term> done;
  for (const auto& [k, n] : factors) {
    if (op(n) == Op::constant) {
      coefficient *= integer_power(value(n), k);
    } else if (op(n) == Op::product) {
      coefficient *= integer_power(value(n), k);
      for (const Term& t : terms(n)) done.push_back({k * t.weight, t.node});
    } else if (op(n) == Op::sum && leads_negative(n)) {
      if (std::fmod(k, 2) != 0) coefficient = -coefficient;
      done.push_back({k, scale(-1, n)});
    } else {
      done.push_back({k, n});
    }
  }
  collect(done);
  if (done.empty() || coefficient == 0) return constant(coefficient);
  if (done.size() == 1 && done[0].weight == 1) {
    if (coefficient == 1) return done[0].node;
    if (coefficient == -1 && op(done[0].node) == Op::sum) return scale(-1, done[0].node);
  }
  return intern(Op::product, coefficient, done);
}

NodeId Graph::pow(NodeId a, NodeId b) {
  if (is_constant(b)) {
    const double k = value(b);
    if (is_constant(a)) return constant(apply(Op::pow, value(a), k));
    if (is_integer(k)) return product(std::vector<Term>{{k, a}});
    if (is_integer(2 * k) && std::abs(k) < 64)
      return product(std::vector<Term>{{std::trunc(k), a}, {k > 0 ? 1.0 : -1.0, call(Op::sqrt, a)}});
  }
  return intern(Op::pow, 0, std::vector<Term>{{1, a}, {1, b}});
}

NodeId Graph::call(Op function, NodeId a) {
  if (is_constant(a)) return constant(apply(function, value(a)));
  if ((is_odd(function) || is_even(function)) && leads_negative(a)) {
    const NodeId positive = intern(function, 0, std::vector<Term>{{1, scale(-1, a)}});
    return is_odd(function) ? scale(-1, positive) : positive;
  }
  return intern(function, 0, std::vector<Term>{{1, a}});
}

NodeId Graph::call(Op function, NodeId a, NodeId b) {
  if (function == Op::pow) return pow(a, b);
  if (is_constant(a) && is_constant(b)) return constant(apply(function, value(a), value(b)));
  if ((function == Op::min || function == Op::max) && a == b) return a;
  if (function == Op::hypot) {
    if (leads_negative(a)) a = scale(-1, a);
    if (leads_negative(b)) b = scale(-1, b);
  }
  if (is_commutative(function) && a > b) std::swap(a, b);
  return intern(function, 0, std::vector<Term>{{1, a}, {1, b}});
}

bool Graph::depends_on(NodeId node, int variable) const {
  const VariableSet& s = sets_[static_cast<std::size_t>(at(node).set)];
  return (s.mask >> (variable % 64) & 1u) != 0 && std::ranges::binary_search(variables(node), variable);
}

}  // namespace ricochet
