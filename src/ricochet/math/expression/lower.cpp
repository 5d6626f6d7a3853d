#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "ricochet/math/expression/program.hpp"

namespace ricochet::tape {

bool Value::operator<(const Value& o) const {
  return std::tie(kind, function, number, operands) < std::tie(o.kind, o.function, o.number, o.operands);
}

int Program::make(Value value) {
  const auto [it, is_new] = index_.try_emplace(value, size());
  if (is_new) values_.push_back(std::move(value));
  return it->second;
}

Ref Program::lower(NodeId node) {
  if (const auto it = lowered_.find(node); it != lowered_.end()) return it->second;
  Ref result{0, false};
  const Op op = graph_.op(node);
  if (op == Op::constant) {
    const double c = graph_.value(node);
    result = {make({Kind::constant, Op::constant, std::isnan(c) ? 0.0 : std::abs(c), {}}), c < 0};
    if (std::isnan(c))
      result = {make({Kind::function, Op::sqrt, 0, {{make({Kind::constant, Op::constant, 1, {}}), true}}}), false};
  } else if (op == Op::variable) {
    result = {make({Kind::input, Op::variable, graph_.value(node), {}}), false};
  } else if (op == Op::sum) {
    result = lower_sum(node);
  } else if (op == Op::product) {
    result = lower_product(graph_.value(node), graph_.terms(node));
  } else {
    Value v{Kind::function, op, 0, {}};
    for (const Term& t : graph_.terms(node)) v.operands.push_back(lower(t.node));
    result = {make(std::move(v)), false};
  }
  lowered_.emplace(node, result);
  return result;
}

Ref Program::lower_sum(NodeId node) {
  Value v{Kind::sum, Op::sum, 0, {}};
  for (const Term& t : graph_.terms(node)) {
    const Term alone[] = {{1, t.node}};
    const bool is_product = graph_.op(t.node) == Op::product;
    v.operands.push_back(lower_product(t.weight, is_product ? graph_.terms(t.node) : std::span<const Term>(alone)));
  }
  if (const double c = graph_.value(node); c != 0)
    v.operands.push_back({make({Kind::constant, Op::constant, std::abs(c), {}}), c < 0});
  std::ranges::sort(v.operands);
  // a sum and its negative are one value: the first term is positive
  const bool negative = v.operands[0].negative;
  if (negative)
    for (Ref& r : v.operands) r.negative = !r.negative;
  return {make(std::move(v)), negative};
}

Ref Program::lower_product(double coefficient, std::span<const Term> factors) {
  bool negative = coefficient < 0;
  std::vector<int> over, under;
  if (std::abs(coefficient) != 1) over.push_back(make({Kind::constant, Op::constant, std::abs(coefficient), {}}));
  for (const Term& t : factors) {
    const Ref r = lower(t.node);
    if (std::fmod(t.weight, 2) != 0) negative ^= r.negative;
    push_power(t.weight > 0 ? over : under, r.value, std::abs(t.weight));
  }
  const int numerator = product_of(std::move(over));
  if (under.empty()) return {numerator, negative};
  return {make({Kind::quotient, Op::product, 0, {{numerator, false}, {product_of(std::move(under)), false}}}),
          negative};
}

int Program::product_of(std::vector<int> factors) {
  if (factors.empty()) return make({Kind::constant, Op::constant, 1, {}});
  if (factors.size() == 1) return factors[0];
  std::ranges::sort(factors);
  Value v{Kind::product, Op::product, 0, {}};
  for (int f : factors) v.operands.push_back({f, false});
  return make(std::move(v));
}

/// base^exponent as factors: x*x stays open for sharing, higher powers are built from squares.
void Program::push_power(std::vector<int>& factors, int base, double exponent) {
  if (exponent > kLargestPower) {
    const int k = make({Kind::constant, Op::constant, exponent, {}});
    factors.push_back(make({Kind::function, Op::pow, 0, {{base, false}, {k, false}}}));
    return;
  }
  auto n = static_cast<unsigned>(exponent);
  if (n <= 3) {
    factors.insert(factors.end(), n, base);
    return;
  }
  for (int square = base; n != 0; n >>= 1) {
    if (n & 1u) factors.push_back(square);
    if (n > 1) square = product_of({square, square});
  }
}

namespace {

struct Pair {
  Ref a, b;
  auto operator<=>(const Pair&) const = default;
};

/// Up to sign: the first is positive.
Pair pair_of(Ref a, Ref b) {
  if (b < a) std::swap(a, b);
  return {{a.value, false}, {b.value, a.negative != b.negative}};
}

/// Replaces a + b, or its negative, by the value of the pair. False if it does not occur. The values of refs ascend.
bool replace(std::vector<Ref>& refs, const Pair& pair, int by) {
  for (auto a = std::ranges::lower_bound(refs, pair.a.value, {}, &Ref::value); a != refs.end(); ++a) {
    if (a->value != pair.a.value) return false;
    for (auto b = std::lower_bound(a + 1, refs.end(), pair.b.value, [](Ref r, int value) { return r.value < value; });
         b != refs.end() && b->value == pair.b.value; ++b)
      if (pair_of(*a, *b) == pair) {
        if (by < 0) return true;
        const Ref replaced{by, (*a < *b ? *a : *b).negative};
        refs.erase(b);
        *a = replaced;
        std::ranges::sort(refs);
        return true;
      }
  }
  return false;
}

}  // namespace

void Program::share() {
  share(Kind::product);
  share(Kind::sum);
}

/// Greedy: the most frequent pairs first, until none occurs twice.
void Program::share(Kind kind) {
  constexpr std::size_t kAllPairs = 48;  // in longer lists only neighbours: their number must not explode
  for (bool changed = true; changed;) {
    changed = false;
    std::map<Pair, std::vector<int>> occurrences;
    for (int v = 0; v < size(); ++v) {
      const auto& refs = (*this)[v].operands;
      if ((*this)[v].kind != kind) continue;
      for (std::size_t i = 0; i < refs.size(); ++i)
        for (std::size_t j = i + 1; j < (refs.size() > kAllPairs ? std::min(i + 2, refs.size()) : refs.size()); ++j) {
          auto& in = occurrences[pair_of(refs[i], refs[j])];
          if (in.empty() || in.back() != v) in.push_back(v);
        }
    }
    std::vector<std::pair<Pair, std::vector<int>>> candidates;
    for (auto& [pair, in] : occurrences)
      if (in.size() > 1) candidates.emplace_back(pair, std::move(in));
    std::ranges::stable_sort(candidates,
                             [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    for (auto& [pair, in] : candidates) {
      std::erase_if(in, [&](int v) { return !replace(values_[static_cast<std::size_t>(v)].operands, pair, -1); });
      if (in.size() < 2) continue;
      const int shared = make({kind, kind == Kind::sum ? Op::sum : Op::product, 0, {pair.a, pair.b}});
      for (int v : in)
        if (v != shared)
          while (values_[static_cast<std::size_t>(v)].operands.size() > 2 &&
                 replace(values_[static_cast<std::size_t>(v)].operands, pair, shared)) {
            changed = true;
          }
    }
  }
}

}  // namespace ricochet::tape
