#pragma once
// The keys of a scenario as tables. A reader declares each block once; from the same table come the checks with their
// messages, the JSON schema and the reference pages. Nothing can be read that is not in the table.
//
//   const schema::Block& contact() {
//     using namespace schema;
//     static const Block block{.name = "contact", .doc = "A unilateral contact.", .fields = {
//         {.key = "gap", .type = Type::expression, .unit = "m", .doc = "Distance, >= 0 when apart.", .required = true},
//         {.key = "restitution", .type = Type::number, .fallback = "0", .doc = "Newton's e.", .range = between(0, 1)},
//         {.key = "faces", .type = Type::number, .shape = Shape::list, .count = 3, .unit = "m", .doc = "..."},
//     }};
//     return block;
//   }
//   const schema::Block& formulas() {
//     static const Block block{.name = "formulas", .doc = "...", .fields = {
//         {.key = "contacts", .type = Type::block, .shape = Shape::named, .doc = "By name.", .block = contact},
//     }};
//     return block;
//   }
//
//   Fields f(document.root(), formulas());            // checks everything below, in the order of the document
//   for (const auto& [name, c] : f.named_blocks("contacts")) {
//     double e = c.number("restitution");             // 0 if not given
//     Expression gap = c.expression("gap");           // gap.text; errors: gap.node.fail_inside(offset, message)
//   }
//
// A variant is a name, or a map with the name and the options of that name:
//   scheme: combined         scheme: {name: moreau-jean, theta: 0.5}
// is {.key = "scheme", .type = Type::variant, .variants = {{"combined"}, {"moreau-jean", moreau_jean}}} and
// reads as `const auto [name, options] = f.variant("scheme"); options.number("theta")`. With `or_number` it may also be
// a formula: f.is_number("step") says so, and f.number_of("step") holds it.
//
// Blocks are referred to by the function that holds them, or by the address of one that outlives all Fields (tables
// that are put together at run time).
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/io/yaml/yaml.hpp"

namespace ricochet::schema {

enum class Type : std::uint8_t {
  number,      ///< finite, in SI units
  integer,     ///< whole number
  boolean,     ///< true or false
  text,        ///< free text, or one of `accepted`
  expression,  ///< a number or a formula, kept as text
  block,       ///< a map with the keys of `block`
  variant,     ///< a name out of `variants`, or a map with that name and its options
  any          ///< whatever the reader makes of the node
};

enum class Shape : std::uint8_t {
  one,   ///< a single value
  list,  ///< [a, b, c]; a fixed number if `count` is not 0
  named  ///< {name: a, name: b}, names chosen by the user, order kept
};

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;
  bool max_open = false;

  bool holds(double x) const;
  std::string text(std::string_view name) const;  ///< "0 <= name < 1"; empty if everything is accepted
};

constexpr Range between(double min, double max) { return {min, max, false, false}; }
constexpr Range inside(double min, double max) { return {min, max, true, true}; }
constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range above(double min) { return {.min = min, .min_open = true}; }

struct Block;

/// A block by address, or by the function that holds it; the latter lets a block refer to itself.
class BlockRef {
 public:
  BlockRef() = default;
  BlockRef(const Block* block) : block_(block) {}                // NOLINT(google-explicit-constructor)
  BlockRef(const Block& (*function)()) : function_(function) {}  // NOLINT(google-explicit-constructor)
  const Block* get() const { return function_ != nullptr ? &function_() : block_; }
  const Block* operator->() const { return get(); }
  const Block& operator*() const { return *get(); }
  explicit operator bool() const { return function_ != nullptr || block_ != nullptr; }

 private:
  const Block* block_ = nullptr;
  const Block& (*function_)() = nullptr;
};

/// One alternative of a variant; without `block` it has no options.
struct Choice {
  std::string name{};
  BlockRef block{};
  std::string doc{};
};

struct Field {
  std::string key{};
  Type type = Type::any;
  Shape shape = Shape::one;
  std::size_t count = 0;                ///< fixed length of a list; 0: any
  std::string fallback{};               ///< default as YAML text; empty: none
  std::string unit{};                   ///< "m/s"; empty: none
  std::string doc{};                    ///< one sentence
  Range range{};                        ///< of numbers and integers, each
  std::vector<std::string> accepted{};  ///< of texts; empty: any
  bool required = false;
  BlockRef block{};                ///< of blocks
  std::vector<Choice> variants{};  ///< of variants
  std::string tag = "name";        ///< the key that holds the name of a variant
  bool or_number = false;          ///< a variant that may also be a number or a formula
};

struct Block {
  std::string name{};  ///< unique: the JSON schema and the reference refer by it
  std::string doc{};
  std::vector<Field> fields{};

  const Field* find(std::string_view key) const;
  std::vector<std::string> keys() const;
};

/// A formula, or a number, as it is written.
struct Expression {
  std::string text;
  yaml::Node node;  ///< absent if the text is the default
};

template <class T>
struct Named {
  std::string name;
  T value;
};

struct Variant;

/// The values of one block. Keys that the table does not hold, and types that it does not give them, are our own
/// mistake (std::logic_error). Values that are not given and have no default are an InputError when they are read.
class Fields {
 public:
  Fields(const yaml::Node& node, const Block& block);

  bool has(std::string_view key) const;  ///< given by the user, and not null

  double number(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;
  Expression expression(std::string_view key) const;
  Fields block(std::string_view key) const;  ///< all defaults if it is not given
  Variant variant(std::string_view key) const;
  bool is_number(std::string_view key) const;        ///< a variant given as a number or a formula
  Expression number_of(std::string_view key) const;  ///< which one
  yaml::Node node(std::string_view key) const;       ///< any key, as it stands; absent if not given

  // Shape::list; empty if not given.
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<Expression> expressions(std::string_view key) const;
  std::vector<Fields> blocks(std::string_view key) const;
  std::vector<Variant> variants(std::string_view key) const;

  // Shape::named, in the order of the document; empty if not given.
  std::vector<Named<double>> named_numbers(std::string_view key) const;
  std::vector<Named<Expression>> named_expressions(std::string_view key) const;
  std::vector<Named<Fields>> named_blocks(std::string_view key) const;
  std::vector<Named<Variant>> named_variants(std::string_view key) const;
  std::vector<Named<yaml::Node>> named_nodes(std::string_view key) const;  ///< of any type

  /// The one key of these that is given; none or several are an InputError.
  std::string one_of(const std::vector<std::string>& keys) const;

  const yaml::Node& node() const { return node_; }
  const Block& table() const { return *block_; }
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

 private:
  struct Checked {};
  Fields(yaml::Node node, const Block* block, Checked) : node_(std::move(node)), block_(block) {}
  const Field& field(std::string_view key, Type type, Shape shape) const;
  yaml::Node value(const Field& field) const;
  Fields below(const yaml::Node& node, const Field& field) const;
  Variant variant_of(const yaml::Node& node, const Field& field) const;
  template <class T, class Read>
  std::vector<T> list(std::string_view key, Type type, Read read) const;
  template <class T, class Read>
  std::vector<Named<T>> map(std::string_view key, Type type, Read read) const;

  yaml::Node node_;
  const Block* block_;
};

struct Variant {
  std::string name;
  Fields options;
};

/// A table from its own YAML text: the values of a block that is not in a document, say the defaults of a scheme.
Fields defaults(const Block& block);

/// JSON schema, draft 2020-12, of a document whose root is this block.
std::string json_schema(const Block& root, std::string_view title, std::string_view id);

/// Reference in Markdown: a section with a table for each block that can be reached, the root first.
std::string markdown(const Block& root, int heading_level = 2);

}  // namespace ricochet::schema
