// Text and reference value of a node.
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "ricochet/math/elementary.hpp"
#include "ricochet/math/expression/graph.hpp"
#include "ricochet/math/sincos.hpp"

namespace ricochet {
namespace {

enum Level { kSum, kProduct, kFactor };

class Printer {
 public:
  Printer(const Graph& graph, std::span<const std::string> names) : graph_(graph), names_(names) {}

  void write(NodeId n, Level level) {
    switch (graph_.op(n)) {
      case Op::constant: return number(graph_.value(n), level);
      case Op::variable: return variable(graph_.variable_index(n));
      case Op::sum: return bracket(level > kSum, [&] { sum(n); });
      case Op::product: return bracket(level > kSum, [&] { product(n, graph_.value(n)); });
      default: return call(n);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Body>
  void bracket(bool needed, const Body& body) {
    if (needed) text_ += '(';
    body();
    if (needed) text_ += ')';
  }
  void number(double x, Level level) {
    bracket(x < 0 && level > kSum, [&] { text_ += fmt::format("{}", x); });
  }
  void variable(int index) {
    const auto i = static_cast<std::size_t>(index);
    text_ += i < names_.size() ? names_[i] : fmt::format("x{}", index);
  }
  void sum(NodeId n) {
    bool first = true;
    for (const Term& t : graph_.terms(n)) {
      if (!first) text_ += t.weight < 0 ? " - " : " + ";
      weighted(t, first ? t.weight : std::abs(t.weight));
      first = false;
    }
    const double c = graph_.value(n);
    if (c != 0) text_ += fmt::format(" {} {}", c < 0 ? '-' : '+', std::abs(c));
  }
  void weighted(const Term& t, double weight) {
    if (graph_.op(t.node) == Op::product) return product(t.node, weight);
    coefficient(weight);
    write(t.node, kFactor);
  }
  void coefficient(double c) {
    if (c == -1)
      text_ += '-';
    else if (c != 1)
      text_ += fmt::format("{}*", c);
  }
  void product(NodeId n, double c) {
    coefficient(c);
    bool first = true;
    for (const Term& t : graph_.terms(n)) {
      if (!first) text_ += t.weight < 0 ? '/' : '*';
      // a leading reciprocal after a coefficient: 3*1/x
      if (first && t.weight < 0) text_ += "1/";
      write(t.node, kFactor);
      if (std::abs(t.weight) != 1) text_ += fmt::format("^{}", std::abs(t.weight));
      first = false;
    }
  }
  void call(NodeId n) {
    text_ += name(graph_.op(n));
    text_ += '(';
    bool first = true;
    for (const Term& t : graph_.terms(n)) {
      if (!first) text_ += ", ";
      write(t.node, kSum);
      first = false;
    }
    text_ += ')';
  }

  const Graph& graph_;
  std::span<const std::string> names_;
  std::string text_;
};

}  // namespace

std::string to_string(const Graph& graph, NodeId node, std::span<const std::string> names) {
  Printer printer(graph, names);
  printer.write(node, kSum);
  return printer.take();
}

double integer_power(double x, double k) {
  if (std::abs(k) > kLargestPower) return elementary::pow(x, k);
  double result = 1, square = x;
  for (auto n = static_cast<unsigned>(std::abs(k)); n != 0; n >>= 1, square *= square)
    if (n & 1u) result *= square;
  return k < 0 ? 1 / result : result;
}

double apply(Op function, double a, double b) {
  switch (function) {
    case Op::sin: return sine_cosine(a).sine;
    case Op::cos: return sine_cosine(a).cosine;
    case Op::tan: return elementary::tan(a);
    case Op::asin: return elementary::asin(a);
    case Op::acos: return elementary::acos(a);
    case Op::atan: return elementary::atan(a);
    case Op::sinh: return elementary::sinh(a);
    case Op::cosh: return elementary::cosh(a);
    case Op::tanh: return elementary::tanh(a);
    case Op::exp: return elementary::exp(a);
    case Op::log: return elementary::log(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::sign: return static_cast<double>(a > 0) - static_cast<double>(a < 0);
    case Op::step: return 0.5 * (1 + static_cast<double>(a > 0) - static_cast<double>(a < 0));
    case Op::pow: return elementary::pow(a, b);
    case Op::atan2: return elementary::atan2(a, b);
    case Op::hypot: return elementary::hypot(a, b);
    case Op::min: return a < b ? a : b;
    case Op::max: return a > b ? a : b;
    default: return std::nan("");
  }
}

double evaluate(const Graph& graph, NodeId node, std::span<const double> inputs) {
  std::unordered_map<NodeId, double> known;
  const auto visit = [&](const auto& self, NodeId n) -> double {
    if (graph.op(n) == Op::constant) return graph.value(n);
    if (graph.op(n) == Op::variable) return inputs[static_cast<std::size_t>(graph.variable_index(n))];
    if (const auto it = known.find(n); it != known.end()) return it->second;
    const auto terms = graph.terms(n);
    double result = graph.value(n);
    if (graph.op(n) == Op::sum) {
      for (const Term& t : terms) result += t.weight * self(self, t.node);
    } else if (graph.op(n) == Op::product) {
      double under = 1;
      for (const Term& t : terms) {
        const double factor = integer_power(self(self, t.node), std::abs(t.weight));
        (t.weight < 0 ? under : result) *= factor;
      }
      result /= under;
    } else {
      const double a = self(self, terms[0].node);
      result = apply(graph.op(n), a, terms.size() > 1 ? self(self, terms[1].node) : 0);
    }
    known.emplace(n, result);
    return result;
  };
  return visit(visit, node);
}

}  // namespace ricochet
