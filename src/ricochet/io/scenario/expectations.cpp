// The block `expect`.
#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/error.hpp"
#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/io/scenario/parts.hpp"
#include "ricochet/io/scenario/tables.hpp"

namespace ricochet::scenario {
namespace {

using schema::Fields;
using yaml::Node;
using ColumnNames = std::vector<std::string>;

constexpr std::string_view kStartOf = "start.";

bool begins_column(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool column_goes_on(char c) { return begins_column(c) || (c >= '0' && c <= '9') || c == '.'; }

/// Whether the name has the form of the pattern, where * stands for any letters.
bool fits_pattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return fits_pattern(name, pattern.substr(1)) || (!name.empty() && fits_pattern(name.substr(1), pattern));
  return !name.empty() && name[0] == pattern[0] && fits_pattern(name.substr(1), pattern.substr(1));
}

/// A sentence of something that this system has not, after a change of it perhaps.
struct MissingColumn {
  std::string note;
};

class ExpectationReader {
 public:
  ExpectationReader(const Model& model, Numbers& numbers) : numbers_(numbers) {
    for (const NamedColumn& c : ResultLayout(names_of(model), {}, static_cast<std::size_t>(-1)).columns())
      columns_.push_back(c.name);
  }

  Expectation read(const Fields& fields) {
    Expectation out;
    out.says = fields.text("says");
    const std::string take = fields.one_of({"end", "least", "most", "count"});
    out.take = take == "end"     ? Expectation::Take::end
               : take == "least" ? Expectation::Take::least
               : take == "most"  ? Expectation::Take::most
                                 : Expectation::Take::count;
    if (fields.has("each")) out.each = columns_like(fields.text("each"), fields.node("each"));
    read_formula(fields.expression(take), out);
    const auto bound = [&](const char* key, double& value) {
      if (fields.has(key)) value = numbers_.number(fields, key);
    };
    bound("at_least", out.low);
    bound("at_most", out.high);
    bound("from", out.from);
    bound("to", out.to);
    if (!fields.has("at_least") && !fields.has("at_most"))
      fields.node().fail("nothing is expected of the value; accepted: at_least, at_most, or both");
    if (out.low > out.high)
      fields.fail("at_least", fmt::format("{:g} is above at_most, {:g}; accepted: at most that", out.low, out.high));
    if (out.from > out.to)
      fields.fail("from", fmt::format("{:g} is after to, {:g}; accepted: at most that", out.from, out.to));
    return out;
  }

 private:
  bool is_column(std::string_view name) const {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }

  ColumnNames columns_like(const std::string& pattern, const Node& node) const {
    ColumnNames out;
    std::copy_if(columns_.begin(), columns_.end(), std::back_inserter(out),
                 [&](const std::string& name) { return fits_pattern(name, pattern); });
    if (out.empty()) fail_missing(node, pattern);
    return out;
  }

  [[noreturn]] void fail_missing(const Node& node, const std::string& name) const {
    const std::string near = nearest(name, columns_);
    throw MissingColumn{fmt::format("{}: there is no column '{}', so that the sentence is left out{}", node.where(),
                                    name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near))};
  }

  /// Only the columns that the text names become symbols: a system may have thousands.
  void read_formula(const schema::Expression& given, Expectation& out) {
    Graph graph;
    Symbols symbols = numbers_.symbols(graph);
    const auto add = [&](const std::string& name, Expectation::Input input) {
      if (symbols.contains(name)) return;
      symbols[name] = graph.variable(static_cast<int>(out.inputs.size()));
      out.inputs.push_back(std::move(input));
    };
    if (!out.each.empty()) {
      symbols.erase("x");
      add("x", {"", false});
      add("start.x", {"", true});
    }
    const std::string& text = given.text;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
      end = at + 1;
      if (!column_goes_on(text[at])) continue;
      while (end < text.size() && column_goes_on(text[end])) ++end;
      if (!begins_column(text[at])) continue;  // 2e-3
      const std::string name = text.substr(at, end - at);
      const bool start = name.starts_with(kStartOf);
      const std::string column = start ? name.substr(kStartOf.size()) : name;
      if (is_column(column))
        add(name, {column, start});
      else if (name.find('.') != std::string::npos && !symbols.contains(name))
        fail_missing(given.node, column);
    }
    const NodeId value = located(given.node, [&] { return parse(text, symbols, graph); });
    out.formula = CompiledFunction(graph, std::vector<NodeId>{value}, static_cast<int>(out.inputs.size()));
  }

  Numbers& numbers_;
  ColumnNames columns_;
};

}  // namespace

const schema::Block& expectation_table() {
  using namespace schema;
  const auto formula = [](const char* key, const char* doc) {
    return Field{.key = key, .type = Type::expression, .doc = doc};
  };
  static const Block block{
      .name = "expectation",
      .doc =
          "A sentence and its check. A formula is evaluated in every step from the columns of the results, named as "
          "`export --csv` names them (`q.x`, `gap.A`, `P.A`, `E`), and from parameters, which come first where a name "
          "is both; `start.q.x` is the value of a column at the start. Exactly one of `end`, `least`, `most` and "
          "`count` holds the formula and says which number is taken.",
      .fields = {
          {.key = "says", .type = Type::text, .doc = "The sentence: what happens.", .required = true},
          formula("end", "The value at the end."),
          formula("least", "The smallest value."),
          formula("most", "The largest value."),
          formula("count", "How often the value becomes positive: `P.A` counts the impacts of contact A."),
          {.key = "each",
           .type = Type::text,
           .doc = "A column that the formula calls `x`. With `*` for any part of the name it stands for several "
                  "columns, and the check must hold for each of them: `q.row.*.angle`."},
          {.key = "at_least", .type = Type::expression, .doc = "Lower bound of the number."},
          {.key = "at_most", .type = Type::expression, .doc = "Upper bound of the number."},
          {.key = "from", .type = Type::expression, .unit = "s", .doc = "Earlier steps are not looked at."},
          {.key = "to", .type = Type::expression, .unit = "s", .doc = "Later steps are not looked at."},
      }};
  return block;
}

std::vector<Expectation> read_expectations(const Fields& root, const Model& model, Parts& parts) {
  std::vector<Expectation> out;
  if (!root.has("expect")) return out;
  ExpectationReader reader(model, parts.numbers);
  for (const Fields& fields : root.blocks("expect")) {
    try {
      out.push_back(reader.read(fields));
    } catch (const MissingColumn& missing) {
      parts.notes.push_back(missing.note);
    }
  }
  return out;
}

}  // namespace ricochet::scenario
