#include "ricochet/model/formulas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/formula/parts.hpp"

namespace ricochet {

using formula::kMost;
using formula::kTime;

void FormulaBuilder::declare(const std::string& name) {
  if (!is_valid_name(name))
    throw InputError("", fmt::format("'{}' cannot be a name; names are letters, digits and underscores, begin with a "
                                     "letter, and are not functions",
                                     name));
  if (name == "t") throw InputError("", "'t' is the time and cannot be given; choose another name");
  if (symbols_.count(name) > 0)
    throw InputError("", fmt::format("the name '{}' is given twice; accepted: another name", name));
}

void FormulaBuilder::parameter(const std::string& name, const std::string& text) {
  declare(name);
  const NodeId node = parse(text, constants_, graph_);
  if (!graph_.is_constant(node))
    throw InputError("", "a parameter must be a number or a formula of parameters before it");
  symbols_[name] = constants_[name] = node;
}

void FormulaBuilder::coordinate(const std::string& name) {
  declare(name);
  if (n() >= kMost) throw InputError("", fmt::format("more than {} coordinates; use finite elements or bodies", kMost));
  symbols_["t"] = graph_.variable(kTime);
  symbols_[name] = graph_.variable(n());
  symbols_[name + "'"] = graph_.variable(kMost + n());
  coordinates_.push_back(name);
  forces_.push_back(graph_.constant(0));
}

void FormulaBuilder::kinetic(const std::string& text) { kinetic_ = parse(text, symbols_, graph_); }

void FormulaBuilder::potential(const std::string& text) {
  potential_ = parse(text, symbols_, graph_);
  if (const std::vector<int> v = formula::occurring(graph_, potential_, kMost); !v.empty())
    throw InputError("", fmt::format("the potential depends on {}'; velocity-dependent terms belong to forces",
                                     coordinates_[v.front()]));
}

void FormulaBuilder::force(const std::string& coordinate, const std::string& text) {
  const auto at = std::find(coordinates_.begin(), coordinates_.end(), coordinate);
  if (at == coordinates_.end())
    throw InputError("",
                     fmt::format("'{}' is not a coordinate; accepted: {}", coordinate, fmt::join(coordinates_, ", ")));
  NodeId& f = forces_[at - coordinates_.begin()];
  f = graph_.add(f, parse(text, symbols_, graph_));
}

double FormulaBuilder::value(const std::string& text) {
  const NodeId node = parse(text, constants_, graph_);
  if (!graph_.is_constant(node)) throw InputError("", "expected a number or a formula of parameters");
  return graph_.value(node);
}

double FormulaBuilder::parameter_value(const std::string& name) const { return graph_.value(constants_.at(name)); }

NodeId FormulaBuilder::row(const std::string& text, bool of_joint) {
  const NodeId node = parse(text, symbols_, graph_);
  if (!formula::occurring(graph_, node, kMost).empty())
    throw InputError("", fmt::format("a {} must not contain velocities; accepted: a formula of coordinates and time",
                                     of_joint ? "joint residual" : "gap or slip"));
  return node;
}

void FormulaBuilder::joint(const std::string& name, const std::vector<std::string>& residuals) {
  Item item{name, {}, nullptr};
  for (const std::string& text : residuals) item.rows.push_back(row(text, true));
  joints_.push_back(std::move(item));
}

void FormulaBuilder::contact(const std::string& name, const std::string& gap, const std::vector<std::string>& slips,
                             const ContactLaw* law) {
  Item item{name, {row(gap, false)}, law};
  for (const std::string& text : slips) item.rows.push_back(row(text, false));
  contacts_.push_back(std::move(item));
}

std::unique_ptr<Subsystem> FormulaBuilder::subsystem() {
  if (coordinates_.empty()) throw InputError("", "no coordinates are given; name at least one");
  if (kinetic_ < 0)
    throw InputError("", "no kinetic energy is given; accepted: a formula of degree 2 in the velocities");
  return formula::make_subsystem(graph_, coordinates_,
                                 {kinetic_, potential_ < 0 ? graph_.constant(0) : potential_, forces_});
}

std::unique_ptr<ConstraintSet> FormulaBuilder::constraints(int first_q, int first_v) {
  std::vector<Item> items = joints_;
  items.insert(items.end(), contacts_.begin(), contacts_.end());
  if (items.empty()) return nullptr;
  return formula::make_constraints(graph_, std::move(items), n(), first_q, first_v);
}

}  // namespace ricochet
