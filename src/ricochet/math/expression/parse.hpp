#pragma once
// Text to graph. Grammar, loosest first:
//   sum      := product (('+' | '-') product)*
//   product  := unary (('*' | '/') unary)*
//   unary    := ('-' | '+') unary | power
//   power    := primary ('^' unary)?                      right associative; -x^2 is -(x^2)
//   primary  := number | name | name "'" | function '(' sum (',' sum)* ')' | '(' sum ')'
// A name may have parts with dots between them, part.x: a coordinate of another system.
// A prime marks the velocity of a coordinate and belongs to the name: the table holds "theta" and "theta'".
// `pi` is known unless the table says otherwise; `e` is not, because formulas use it for the restitution.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ricochet/math/expression/graph.hpp"

namespace ricochet {

/// What is wrong with a formula and where: a range of bytes of its text.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, std::size_t bytes, const std::string& message)
      : std::runtime_error(message), offset(at), length(bytes) {}
  std::size_t offset, length;
};

/// The names a formula may use.
using Symbols = std::map<std::string, NodeId, std::less<>>;

/// Throws ExpressionError.
NodeId parse(std::string_view text, const Symbols& symbols, Graph& graph);

/// A letter or underscore, then letters, digits and underscores; not the name of a function.
bool is_valid_name(std::string_view name);

}  // namespace ricochet
