#include "ricochet/math/expression/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

namespace ricochet {
namespace {

constexpr int kDeepest = 256;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

const FunctionInfo* find_function(std::string_view name) {
  for (const FunctionInfo& f : functions())
    if (name == f.name) return &f;
  return nullptr;
}

/// Least number of single-character insertions, deletions and replacements.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// " (did you mean theta?)" or nothing.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
  std::size_t best = std::min<std::size_t>(2, wrong.size() / 2) + 1;
  std::string found;
  if (wrong.size() > 64) return found;
  for (const std::string& k : known)
    if (const std::size_t d = edit_distance(wrong, k); d < best) {
      best = d;
      found = k;
    }
  return found.empty() ? found : fmt::format(" (did you mean {}?)", found);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
  return all;
}

std::string excerpt(std::string_view text) {
  return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 37)) + "...";
}

class Parser {
 public:
  Parser(std::string_view text, const Symbols& symbols, Graph& graph) : text_(text), symbols_(symbols), graph_(graph) {}

  NodeId all() {
    skip_space();
    if (at_end()) fail(0, text_.size(), "the expression is empty");
    const NodeId result = sum();
    if (at_end()) return result;
    if (peek() == ')') fail(at_, 1, "')' without a '(' before it");
    if (peek() == ',') fail(at_, 1, "',' outside the arguments of a function");
    expected_operator();
  }

 private:
  NodeId sum() {
    const std::size_t start = at_;
    std::vector<Term> terms{{1, product()}};
    while (peek() == '+' || peek() == '-') {
      const double sign = next() == '+' ? 1 : -1;
      terms.push_back({sign, product()});
    }
    return terms.size() == 1 ? terms[0].node : finite(graph_.sum(terms), start);
  }

  NodeId product() {
    const std::size_t start = at_;
    std::vector<Term> factors{{1, unary()}};
    while (peek() == '*' || peek() == '/') {
      const std::size_t sign = at_;
      const bool divides = next() == '/';
      if (peek() == '*') fail(sign, at_ + 1 - sign, "a power is written with ^");
      const std::size_t operand = at_;
      const NodeId factor = unary();
      if (divides && graph_.is_zero(factor)) fail(operand, last_end_ - operand, "division by zero");
      factors.push_back({divides ? -1.0 : 1.0, factor});
    }
    return factors.size() == 1 ? factors[0].node : finite(graph_.product(factors), start);
  }

  NodeId unary() {
    const Depth depth(*this);
    if (peek() == '-') {
      next();
      return graph_.neg(unary());
    }
    if (peek() == '+') {
      next();
      return unary();
    }
    return power();
  }

  NodeId power() {
    const std::size_t start = at_;
    const NodeId base = primary();
    if (peek() != '^') return base;
    next();
    const NodeId exponent = unary();
    return finite(graph_.pow(base, exponent), start);
  }

  NodeId primary() {
    if (at_end()) fail(text_.size(), 0, "the expression ends where a number, a name or '(' is expected");
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    if (c == '(') {
      const std::size_t open = at_;
      next();
      const NodeId inside = sum();
      close(open);
      return inside;
    }
    if (std::string_view("+-*/^),").find(c) != std::string_view::npos)
      fail(at_, 1, fmt::format("'{}' where a number, a name or '(' is expected", c));
    if (c == '\'') fail(at_, 1, "a prime must follow a coordinate's name directly");
    stray();
  }

  NodeId number() {
    const std::size_t start = at_;
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    const auto length = static_cast<std::size_t>(end - (text_.data() + start));
    if (error == std::errc::result_out_of_range)
      fail(start, length,
           fmt::format("{} lies outside the range of numbers, 1e-307 to 1e308", excerpt(text_.substr(start, length))));
    if (error != std::errc()) fail(start, 1, "'.' without digits is not a number");
    advance(length);
    if (!at_end() && last_end_ == at_ && (is_letter(text_[at_]) || text_[at_] == '.' || is_digit(text_[at_])))
      expected_operator();
    return graph_.constant(value);
  }

  NodeId name() {
    const std::size_t start = at_;
    std::size_t length = 1;
    const auto at = [&](std::size_t i) { return start + i < text_.size() ? text_[start + i] : '\0'; };
    while (is_letter(at(length)) || is_digit(at(length)) || (at(length) == '.' && is_letter(at(length + 1)))) ++length;
    const std::string_view plain = text_.substr(start, length);
    std::size_t primes = 0;
    while (start + length + primes < text_.size() && text_[start + length + primes] == '\'') ++primes;
    advance(length + primes);
    const std::string_view full = text_.substr(start, length + primes);
    if (primes > 1)
      fail(start, full.size(),
           fmt::format("{}: one prime is a velocity, accelerations are not accepted", excerpt(full)));
    const auto known = symbols_.find(full);
    if (peek() == '(') {
      if (const FunctionInfo* f = find_function(full)) return call(*f, start);
      if (known != symbols_.end() || full == "pi")
        fail(start, full.size(), fmt::format("'{0}' is not a function; a product is written {0}*(...)", full));
      unknown_function(start, full);
    }
    if (known != symbols_.end()) return known->second;
    if (full == "pi") return graph_.constant(std::numbers::pi);
    if (const FunctionInfo* f = find_function(full))
      fail(start, full.size(),
           fmt::format("the function {} needs its argument{} in parentheses", f->name, f->arguments == 1 ? "" : "s"));
    if (primes == 1 && (symbols_.contains(plain) || plain == "pi")) prime_on_parameter(start, plain);
    unknown_name(start, full);
  }

  NodeId call(const FunctionInfo& f, std::size_t start) {
    const std::size_t open = at_;
    next();
    std::vector<NodeId> arguments;
    if (peek() != ')') {
      arguments.push_back(sum());
      while (peek() == ',') {
        next();
        arguments.push_back(sum());
      }
    }
    close(open);
    if (static_cast<int>(arguments.size()) != f.arguments)
      fail(start, last_end_ - start,
           fmt::format("{} takes {} argument{}, {} given", f.name, f.arguments, f.arguments == 1 ? "" : "s",
                       arguments.size()));
    const NodeId result =
        f.arguments == 1 ? graph_.call(f.op, arguments[0]) : graph_.call(f.op, arguments[0], arguments[1]);
    return finite(result, start);
  }

  void close(std::size_t open) {
    if (peek() == ')') {
      next();
      return;
    }
    const std::string what = fmt::format("expected ')' to match '(' at column {}", open + 1);
    if (at_end()) fail(text_.size(), 0, what);
    if (peek() == ',') fail(at_, 1, "',' outside the arguments of a function");
    if (is_letter(peek()) || is_digit(peek()) || peek() == '(' || peek() == '.') expected_operator();
    if (is_stray(peek())) stray();
    fail(at_, 1, what);
  }

  /// Constants must be numbers: log(-1) and 2^5000 are mistakes.
  NodeId finite(NodeId node, std::size_t start) {
    if (graph_.is_constant(node) && !std::isfinite(graph_.value(node)))
      fail(start, last_end_ - start,
           fmt::format("{} is {}", excerpt(text_.substr(start, last_end_ - start)),
                       std::isnan(graph_.value(node)) ? "not a real number" : "infinite"));
    return node;
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const auto& [n, node] : symbols_) names.push_back(n);
    return names;
  }
  [[noreturn]] void unknown_name(std::size_t start, std::string_view full) {
    const auto names = known_names();
    fail(start, full.size(),
         fmt::format("unknown name '{}'; known: {}{}", excerpt(full), names.empty() ? "pi" : joined(names),
                     suggestion(full, names)));
  }
  [[noreturn]] void unknown_function(std::size_t start, std::string_view full) {
    std::vector<std::string> names;
    for (const FunctionInfo& f : functions()) names.emplace_back(f.name);
    fail(start, full.size(),
         fmt::format("unknown function '{}'; known: {}{}", excerpt(full), joined(names), suggestion(full, names)));
  }
  [[noreturn]] void prime_on_parameter(std::size_t start, std::string_view plain) {
    std::vector<std::string> coordinates;
    for (const std::string& n : known_names())
      if (n.back() == '\'') coordinates.push_back(n.substr(0, n.size() - 1));
    fail(start, plain.size() + 1,
         fmt::format("prime on '{}', which has no velocity here; {}", excerpt(plain),
                     coordinates.empty() ? "no name takes a prime"
                                         : fmt::format("names that take a prime: {}", joined(coordinates))));
  }
  [[noreturn]] void expected_operator() {
    if (is_stray(peek())) stray();
    if (peek() == '\'') fail(at_, 1, "a prime must follow a coordinate's name directly");
    std::size_t length = 1;
    while (at_ + length < text_.size() && is_letter(peek()) &&
           (is_letter(text_[at_ + length]) || is_digit(text_[at_ + length])))
      ++length;
    fail(at_, length, fmt::format("expected an operator (+ - * / ^) before '{}'", excerpt(text_.substr(at_, length))));
  }
  [[noreturn]] void stray() {
    std::size_t length = 1;  // one character, however many bytes
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0u) == 0x80u) ++length;
    const auto first = static_cast<unsigned char>(text_[at_]);
    const std::string shown = first < 0x20 || first == 0x7F || (first >= 0x80 && (length < 2 || length > 4))
                                  ? fmt::format("\\x{:02x}", first)
                                  : std::string(text_.substr(at_, length));
    fail(at_, length, fmt::format("'{}' has no meaning here; accepted are numbers, names, + - * / ^ ( ) ,", shown));
  }
  [[noreturn]] void fail(std::size_t offset, std::size_t length, const std::string& message) const {
    throw ExpressionError(offset, length, message);
  }

  static bool is_stray(char c) {
    return !is_letter(c) && !is_digit(c) && std::string_view("+-*/^(),.'").find(c) == std::string_view::npos;
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char next() {
    const char c = text_[at_];
    advance(1);
    return c;
  }
  void advance(std::size_t n) {
    at_ += n;
    last_end_ = at_;
    skip_space();
  }
  void skip_space() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }

  /// Every recursion passes through unary(): bounding it bounds the stack.
  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepest) parser.fail(parser.at_, 1, fmt::format("nested deeper than {} levels", kDeepest));
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  std::string_view text_;
  const Symbols& symbols_;
  Graph& graph_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;  ///< end of the last token, before the space after it
  int depth_ = 0;
};

}  // namespace

NodeId parse(std::string_view text, const Symbols& symbols, Graph& graph) { return Parser(text, symbols, graph).all(); }

bool is_valid_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0]) || find_function(name) != nullptr) return false;
  return std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace ricochet
