#pragma once
// Formulas as a hash-consed graph: equal expressions are one node, so that equality is `==` of ids.
//
// Sums and products are kept in a normal form, which is what makes derivatives small and `is_constant` reliable:
//   sum      c + w_1 n_1 + w_2 n_2 + ...    weights w, no n_i a sum with weight +-1, none a constant, ids ascending
//   product  c n_1^k_1 n_2^k_2 ...          integer exponents k, no n_i a product, none a constant, ids ascending
// Like terms are collected through nested sums (x - (x - y) is y), constants are folded, and a number is never
// multiplied into a bracket: k*(x - x0) stays as written, because k*x - k*x0 would lose the digits that x - x0 keeps.
// Identities hold almost everywhere: x/x is 1, 0*x is 0.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ricochet {

using NodeId = int;

enum class Op : std::uint8_t {
  constant,
  variable,
  sum,
  product,
  pow,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  sign,
  step,
  atan2,
  hypot,
  min,
  max
};

struct FunctionInfo {
  Op op;
  const char* name;
  int arguments;
};
/// Every function that a formula may call.
std::span<const FunctionInfo> functions();
const char* name(Op op);

/// One member of a sum (weight times node), of a product (node to the integer power weight), or an argument (weight 1).
struct Term {
  double weight;
  NodeId node;
  bool operator==(const Term&) const = default;
};

class Graph {
 public:
  NodeId constant(double value);
  NodeId variable(int index);

  NodeId sum(std::span<const Term> terms, double constant = 0);
  NodeId product(std::span<const Term> factors, double coefficient = 1);
  NodeId add(NodeId a, NodeId b) { return sum(std::vector<Term>{{1, a}, {1, b}}); }
  NodeId sub(NodeId a, NodeId b) { return sum(std::vector<Term>{{1, a}, {-1, b}}); }
  NodeId neg(NodeId a) { return scale(-1, a); }
  NodeId mul(NodeId a, NodeId b) { return product(std::vector<Term>{{1, a}, {1, b}}); }
  NodeId div(NodeId a, NodeId b) { return product(std::vector<Term>{{1, a}, {-1, b}}); }
  NodeId scale(double factor, NodeId a);
  NodeId power(NodeId a, int exponent) { return product(std::vector<Term>{{static_cast<double>(exponent), a}}); }
  NodeId pow(NodeId a, NodeId b);
  NodeId call(Op function, NodeId a);
  NodeId call(Op function, NodeId a, NodeId b);
  NodeId sin(NodeId a) { return call(Op::sin, a); }
  NodeId cos(NodeId a) { return call(Op::cos, a); }
  NodeId sqrt(NodeId a) { return call(Op::sqrt, a); }

  /// Exact; for abs, sign, step, min and max the derivative almost everywhere (the mean of both sides at the kink).
  NodeId derivative(NodeId node, int variable);
  /// The node with a variable replaced.
  NodeId substitute(NodeId node, int variable, NodeId replacement);
  /// With many replaced at once, at the cost of one: `replacement` gives the new node of an index, -1 to keep it.
  NodeId substitute(NodeId node, const std::function<NodeId(int)>& replacement);

  bool is_constant(NodeId node) const { return op(node) == Op::constant; }
  bool is_zero(NodeId node) const { return is_constant(node) && value(node) == 0; }
  bool depends_on(NodeId node, int variable) const;
  /// Indices of the variables that occur in the node, ascending. Valid until the next node is made.
  std::span<const int> variables(NodeId node) const {
    const VariableSet& s = sets_[static_cast<std::size_t>(at(node).set)];
    return {members_.data() + s.first, static_cast<std::size_t>(s.count)};
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  Op op(NodeId node) const { return at(node).op; }
  /// Of a constant its value, of a variable its index, of a sum its constant, of a product its coefficient.
  double value(NodeId node) const { return at(node).value; }
  int variable_index(NodeId node) const { return static_cast<int>(at(node).value); }
  std::span<const Term> terms(NodeId node) const {
    return {terms_.data() + at(node).first, static_cast<std::size_t>(at(node).count)};
  }

 private:
  struct Node {
    Op op;
    double value;
    std::size_t first;
    int count;
    int set;  ///< of variables that occur
  };
  /// Every set of variables is kept once: of a large system most nodes have one of few.
  struct VariableSet {
    std::size_t first;
    int count;
    std::uint64_t mask;  ///< bit i: holds a variable i modulo 64
  };
  const Node& at(NodeId node) const { return nodes_[static_cast<std::size_t>(node)]; }
  NodeId intern(Op op, double value, std::span<const Term> terms);
  int intern_set(Op op, double value, std::span<const Term> terms);
  std::vector<Term> copy(NodeId node) const { return {terms(node).begin(), terms(node).end()}; }
  bool leads_negative(NodeId node) const;
  NodeId sum_of(std::vector<Term> pending, double constant);
  void pythagoras(std::vector<Term>& terms, std::vector<Term>& simpler);
  NodeId differentiate(NodeId node, int variable);
  NodeId chain_factor(NodeId node, int argument);

  std::vector<Node> nodes_;
  std::vector<Term> terms_;
  std::unordered_multimap<std::size_t, NodeId> index_;
  std::vector<VariableSet> sets_;
  std::vector<int> members_, union_;
  std::unordered_multimap<std::size_t, int> set_index_;
  std::unordered_map<std::uint64_t, NodeId> derivatives_;
};

/// x if the name is not given. The text parses back to the same node.
std::string to_string(const Graph& graph, NodeId node, std::span<const std::string> names = {});

/// Value of one function at given arguments; b only where there are two.
double apply(Op function, double a, double b = 0);

/// x^k for a whole number k: by repeated squaring as far as kLargestPower, beyond by elementary::pow.
double integer_power(double x, double k);
inline constexpr double kLargestPower = 64;

/// Reference evaluation, slow: the tape's counterpart in tests.
double evaluate(const Graph& graph, NodeId node, std::span<const double> inputs);

}  // namespace ricochet
