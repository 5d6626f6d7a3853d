#pragma once
// Between graph and tape. Internal to this folder.
//
// Lowering turns nodes into values: sums of signed values, products, quotients, functions; all coefficients are factors
// or terms of their own, so that sharing finds c*sin(x) in c*sin(x)*v^2 and c*sin(x)*w^2. Emission orders the values
// into micro-operations on an accumulator, with values as operands.
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ricochet/math/expression/graph.hpp"

namespace ricochet::tape {

enum class Micro : std::uint8_t {
  load,
  add,
  sub,
  rsub,
  mul,
  div,
  rdiv,
  addmul,
  submul,
  rsubmul,
  sqr,
  neg,
  store,
  sincos,
  sincos2,
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
  pow,
  atan2,
  hypot,
  min,
  max,
  halt
};

constexpr int operand_count(Micro m) {
  switch (m) {
    case Micro::sincos2: return 6;
    case Micro::addmul:
    case Micro::submul:
    case Micro::rsubmul:
    case Micro::sincos: return 2;
    case Micro::load:
    case Micro::add:
    case Micro::sub:
    case Micro::rsub:
    case Micro::mul:
    case Micro::div:
    case Micro::rdiv:
    case Micro::store:
    case Micro::pow:
    case Micro::atan2:
    case Micro::hypot:
    case Micro::min:
    case Micro::max: return 1;
    default: return 0;
  }
}

/// A value up to its sign.
struct Ref {
  int value;
  bool negative;
  auto operator<=>(const Ref&) const = default;
};

enum class Kind : std::uint8_t { input, constant, sum, product, quotient, function };

struct Value {
  Kind kind;
  Op function = Op::constant;
  double number = 0;          ///< constant; index of an input
  std::vector<Ref> operands;  ///< signs matter in sums, and are false elsewhere but in functions
  bool operator<(const Value& o) const;
};

/// The values that some outputs need.
class Program {
 public:
  explicit Program(const Graph& graph) : graph_(graph) {}
  Ref lower(NodeId node);
  /// Pairs of factors, then pairs of terms, that occur more than once become values of their own.
  void share();

  const Value& operator[](int v) const { return values_[static_cast<std::size_t>(v)]; }
  int size() const { return static_cast<int>(values_.size()); }
  int make(Value value);

 private:
  Ref lower_sum(NodeId node);
  Ref lower_product(double coefficient, std::span<const Term> factors);
  int product_of(std::vector<int> factors);
  void push_power(std::vector<int>& factors, int base, double exponent);
  void share(Kind kind);

  const Graph& graph_;
  std::vector<Value> values_;
  std::map<Value, int> index_;
  std::map<NodeId, Ref> lowered_;
};

struct MicroOp {
  Micro op;
  std::array<int, 6> operand = {-1, -1, -1, -1, -1, -1};  ///< values; for store, sincos and sincos2 also results
};

/// Micro-operations that leave each output's value in `home[output]`, a value number of its own (>= program.size()).
class Emitter {
 public:
  Emitter(const Program& program, std::span<const Ref> outputs);
  /// Sequences that begin with a load and end with a store, one after the other.
  std::vector<MicroOp> code;
  /// Number of an output as an operand.
  int output_operand(int k) const { return program_.size() + k; }
  /// Operands that stand for negative constants.
  std::map<int, double> extra_constants;

 private:
  void count_uses(std::span<const Ref> outputs);
  void pair_groups();
  void place_group(int g);
  int home(int v) const;
  bool is_joint(int v) const;
  bool inlined(int v) const;
  bool is_pair(Ref term) const;
  int place(int v);
  int place(Ref r);
  void to_accumulator(int v, bool negative = false);
  void sum_to_accumulator(const Value& v, bool negative);
  bool product_to_accumulator(const Value& v, bool negative = false);
  void quotient_to_accumulator(const Value& v);
  void function_to_accumulator(const Value& v);
  void argument_to_accumulator(Ref r);
  void store_copies(int v);
  void emit(Micro op, int a = -1, int b = -1) { code.push_back({op, {a, b, -1, -1, -1, -1}}); }
  int& where(int v) { return place_[static_cast<std::size_t>(v)]; }

  const Program& program_;
  std::vector<int> uses_;
  std::vector<int> place_;  ///< operand that holds a value, or -1
  struct Trigonometry {     ///< sine and cosine of one argument
    Ref argument;
    int sine = -1, cosine = -1;
    int paired = -1;  ///< computed together with this one
  };
  std::vector<Trigonometry> groups_;
  std::vector<int> group_;          ///< of a sine or cosine, else -1
  std::vector<int> target_;         ///< output that a value is stored to in place of a temporary, or -1
  std::multimap<Ref, int> copies_;  ///< further outputs that a value, or its negative, is stored to
  int next_ = 0;
};

}  // namespace ricochet::tape
