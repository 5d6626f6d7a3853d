#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/io/scenario/parts.hpp"

namespace ricochet::scenario {

using schema::Expression;
using schema::Fields;
using yaml::Node;

void check_range(const Expression& expression, double x, const schema::Field& field) {
  if (field.range.holds(x)) return;
  double plain = 0;
  const bool number = yaml::parse_number(expression.text, plain);
  expression.node.fail(fmt::format("{} is out of range; accepted: {}",
                                   number ? expression.text : fmt::format("{} = {}", expression.text, x),
                                   field.range.text(field.key)));
}

namespace {

// 5 kg is no formula; whoever writes it wants to hear of units rather than of operators.
[[noreturn]] void fail_formula(const Node& node, const ExpressionError& error) {
  const std::string text = node.text();
  double number = 0;
  const bool unit = yaml::parse_number(text.substr(0, text.find_first_of(" \t")), number) && error.offset > 0 &&
                    text.find_first_of("+-*/^(") == std::string::npos;
  node.fail_inside(error.offset, unit ? fmt::format("expected a number in SI units, found '{}'; accepted: {} without a "
                                                    "unit, or a formula",
                                                    text, number)
                                      : error.what());
}

}  // namespace

void Numbers::parameters(const Fields& fields) {
  for (const auto& [name, expression] : fields.named_expressions("parameters")) {
    const Node& node = expression.node;
    try {
      formulas_.parameter(name, expression.text);
    } catch (const ExpressionError& error) {
      fail_formula(node, error);
    } catch (const InputError& error) {
      node.fail_key(error.message);
    }
    names_.push_back(name);
  }
}

double Numbers::value(const Expression& expression) {
  const Node& node = expression.node;
  const double x = located(node, [&] {
    try {
      return formulas_.value(expression.text);
    } catch (const ExpressionError& error) {
      fail_formula(node, error);
    }
  });
  if (!std::isfinite(x)) expression.node.fail(fmt::format("{} is not a finite number", expression.text));
  return x;
}

double Numbers::number(const Fields& fields, std::string_view key) {
  const Expression expression = fields.expression(key);
  const double x = value(expression);
  check_range(expression, x, *fields.table().find(key));
  return x;
}

std::vector<double> Numbers::list(const Fields& fields, std::string_view key) {
  std::vector<double> out;
  for (const Expression& expression : fields.expressions(key)) {
    out.push_back(value(expression));
    check_range(expression, out.back(), *fields.table().find(key));
  }
  return out;
}

Vector3d Numbers::vector(const Fields& fields, std::string_view key) {
  const std::vector<double> x = list(fields, key);
  return {x.at(0), x.at(1), x.at(2)};
}

Symbols Numbers::symbols(Graph& graph) const {
  Symbols out;
  for (const std::string& name : names_) out[name] = graph.constant(formulas_.parameter_value(name));
  return out;
}

const ContactLaw* read_law(const Fields& fields, int tangents, Parts& parts) {
  const bool turns = fields.table().find("rolling") != nullptr;
  const LawParameters parameters{.restitution = parts.numbers.number(fields, "restitution"),
                                 .friction = parts.numbers.number(fields, "friction"),
                                 .rolling = turns ? parts.numbers.number(fields, "rolling") : 0,
                                 .spinning = turns ? parts.numbers.number(fields, "spinning") : 0};
  if (parameters.friction > 0 && tangents == 0)
    fields.fail("friction",
                "friction needs the direction of sliding; give slip, the tangential displacement of the contact point");
  const std::string name = fields.has("law") ? fields.text("law") : "";
  auto law = make_law(name, parameters);
  if (law->rolling() && !turns) fields.fail("law", fmt::format("the law {} is for contacts between bodies", name));
  if (!law->rolling() && (parameters.rolling > 0 || parameters.spinning > 0))
    fields.fail("law", fmt::format("the law {} resists neither rolling nor spinning; leave it out", name));
  if (parameters.spinning > 0 && tangents == 1)
    fields.fail("spinning", "nothing spins about a normal in the plane of motion; accepted: 0, or rolling");
  if (parameters.friction > 0 && law->dim(tangents) == 1)
    fields.fail("law", fmt::format("the law {} has no friction, but friction is {}; leave law out or friction 0", name,
                                   parameters.friction));
  return parts.builder.add(std::move(law));
}

void declare_constraint(const std::string& name, const Node& node, Parts& parts) {
  if (!parts.constraints.emplace(name, node).second)
    node.fail_key(fmt::format("the name '{}' is given twice; joints and contacts need names of their own", name));
}

std::vector<Expression> read_rows(const Node& node, std::size_t most) {
  std::vector<Expression> out;
  const auto add = [&](const Node& item) {
    if (!item.is_scalar()) item.fail(fmt::format("expected a formula, found {}", item.describe()));
    out.push_back({item.text(), item});
  };
  if (!node.is_list()) {
    if (!node.is_scalar())
      node.fail(fmt::format("expected a formula or a list of formulas, found {}", node.describe()));
    add(node);
  } else {
    for (const Node& item : node.items()) add(item);
    if (out.empty()) node.fail("the list is empty; give a formula, or a list of formulas");
    if (out.size() > most) node.fail(fmt::format("expected at most {} formulas, found {}", most, out.size()));
  }
  return out;
}

void read_initial(const Fields& initial, const std::vector<std::string>& names, int first, Parts& parts) {
  for (const char* key : {"position", "velocity"}) {
    VectorXd& values = key[0] == 'p' ? parts.initial.q : parts.initial.v;
    for (const auto& [name, expression] : initial.named_expressions(key))
      if (const auto at = std::find(names.begin(), names.end(), name); at != names.end())
        values[first + (at - names.begin())] = parts.numbers.value(expression);
  }
}

void check_initial_names(const Fields& initial, const std::vector<std::string>& names) {
  for (const char* key : {"position", "velocity"}) {
    if (initial.has(key) && names.empty())
      initial.node(key).fail_key("bodies hold their initial state; give position and velocity there");
    for (const auto& [name, expression] : initial.named_expressions(key)) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      std::vector<std::string> shown(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 20));
      if (shown.size() < names.size()) shown.push_back("... " + names.back());
      expression.node.fail_key(unknown_word("coordinate", name, shown));
    }
  }
}

Beginning Parts::grow(const Subsystem& s, const Node& node) {
  const Beginning at{static_cast<int>(initial.q.size()), static_cast<int>(initial.v.size()),
                     static_cast<int>(assembly.mounts.size()) - 1};
  initial.q.conservativeResize(at.q + s.nq());
  initial.v.conservativeResize(at.v + s.nv());
  initial.q.tail(s.nq()).setZero();
  initial.v.tail(s.nv()).setZero();
  for (const std::string& name : s.position_names()) {
    if (!names.insert(name).second)
      node.fail(
          fmt::format("the coordinate '{}' is given twice; accepted: another name, or a part of its own, "
                      "system.parts",
                      name));
    if (s.flat()) plain.push_back(name);
  }
  return at;
}

}  // namespace ricochet::scenario
