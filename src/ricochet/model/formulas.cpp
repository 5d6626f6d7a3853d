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
  foreign_coordinate(name);
}

void FormulaBuilder::foreign_coordinate(const std::string& name) {
  if (n() >= kMost) throw InputError("", fmt::format("more than {} coordinates; use finite elements or bodies", kMost));
  symbols_["t"] = graph_.variable(kTime);
  symbols_[name] = graph_.variable(n());
  symbols_[name + "'"] = graph_.variable(kMost + n());
  coordinates_.push_back(name);
  forces_.push_back(graph_.constant(0));
}

void FormulaBuilder::kinetic(const std::string& text) { kinetic_ = parse(text, symbols_, graph_); }

void FormulaBuilder::potential(const std::string& text) {
  const NodeId one = parse(text, symbols_, graph_);
  potential_ = potential_ < 0 ? one : graph_.add(potential_, one);
  if (const std::vector<int> v = formula::occurring(graph_, one, kMost); !v.empty())
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

void FormulaBuilder::frame(const std::string& name, const std::array<std::string, 3>& position, const Vector3d& axis,
                           const std::string& angle) {
  const auto place = [&](const std::string& text) {
    const NodeId node = parse(text, symbols_, graph_);
    const std::span<const int> in = graph_.variables(node);
    if (!in.empty() && in.back() >= kMost)
      throw InputError("", "a frame must not contain velocities or the time; accepted: a formula of coordinates");
    return node;
  };
  MountFormula made{name, {}, axis, angle.empty() ? graph_.constant(0) : place(angle)};
  for (std::size_t k = 0; k < 3; ++k) made.position[k] = place(position[k]);
  frames_.add(graph_, made);
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

std::unique_ptr<Subsystem> FormulaBuilder::subsystem(const std::string& prefix) {
  if (coordinates_.empty()) throw InputError("", "no coordinates are given; name at least one");
  if (kinetic_ < 0)
    throw InputError("", "no kinetic energy is given; accepted: a formula of degree 2 in the velocities");
  std::vector<std::string> names = coordinates_;
  for (std::string& name : names) name.insert(0, prefix);
  return formula::make_subsystem(graph_, names, {kinetic_, potential_ < 0 ? graph_.constant(0) : potential_, forces_},
                                 frames_);
}

std::unique_ptr<ForceSet> FormulaBuilder::force_set(std::vector<std::string> names) {
  const NodeId none = graph_.constant(0);
  return formula::make_forces(graph_, coordinates_, std::move(names),
                              {none, potential_ < 0 ? none : potential_, forces_});
}

std::unique_ptr<ConstraintSet> FormulaBuilder::constraints(int first_q, int first_v) {
  std::vector<Item> items = joints_;
  items.insert(items.end(), contacts_.begin(), contacts_.end());
  if (items.empty()) return nullptr;
  return formula::make_constraints(graph_, std::move(items), n(), first_q, first_v);
}

}  // namespace ricochet
