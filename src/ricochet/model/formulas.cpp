#include "ricochet/model/formulas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <list>
#include <mutex>
#include <set>

#include "ricochet/math/input_error.hpp"
#include "ricochet/model/formula/parts.hpp"

namespace ricochet {

using formula::kMost;
using formula::kParameter;
using formula::kTime;

namespace {

std::atomic<std::size_t>& compilations() {
  static std::atomic<std::size_t> count{0};
  return count;
}

/// What was compiled lately, by the text that it came from: the variants of a study come one after the other.
template <class T, class Compile>
std::shared_ptr<const T> recent(const std::string& text, const Compile& compile) {
  constexpr std::size_t kKept = 8;
  static std::mutex guard;
  static std::list<std::pair<std::string, std::shared_ptr<const T>>> kept;
  {
    const std::lock_guard lock(guard);
    for (auto it = kept.begin(); it != kept.end(); ++it)
      if (it->first == text) {
        kept.splice(kept.begin(), kept, it);
        return it->second;
      }
  }
  std::shared_ptr<const T> made = compile();
  ++compilations();
  const std::lock_guard lock(guard);
  kept.emplace_front(text, made);
  if (kept.size() > kKept) kept.pop_back();
  return made;
}

}  // namespace

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
  constants_[name] = node;
  const double x = graph_.value(node);
  parameters_.push_back(name);
  values_.push_back(x);
  // What 0 and 1 leave out of formulas is part of their structure.
  const bool fold = x == 0 || std::abs(x) == 1;
  symbols_[name] = fold ? node : graph_.variable(kParameter + static_cast<int>(values_.size()) - 1);
  text_ += fold ? fmt::format("p {}={}\n", name, x) : fmt::format("p {}\n", name);
}

NodeId FormulaBuilder::read(const std::string& text) {
  const NodeId node = parse(text, symbols_, graph_);
  return fold_exponents(node) ? parse(text, symbols_, graph_) : node;
}

/// A parameter in an exponent is a number from here on: x^n is a product, and not exp(n log x). True: there was one.
bool FormulaBuilder::fold_exponents(NodeId node) {
  std::vector<NodeId> open{node};
  std::set<NodeId> seen;
  std::set<int> found;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    if (const std::span<const int> in = graph_.variables(at); in.empty() || in.back() < kParameter) continue;
    const std::span<const Term> terms = graph_.terms(at);
    for (const Term& t : terms) open.push_back(t.node);
    if (graph_.op(at) != Op::pow) continue;
    for (const int v : graph_.variables(terms[1].node))
      if (v >= kParameter) found.insert(v - kParameter);
  }
  for (const int k : found) {
    const std::string& name = parameters_[static_cast<std::size_t>(k)];
    symbols_[name] = constants_[name];
    text_ += fmt::format("p {}={}\n", name, values_[static_cast<std::size_t>(k)]);
  }
  return !found.empty();
}

/// With numbers for the parameters.
NodeId FormulaBuilder::folded(NodeId node) {
  return graph_.substitute(node, [&](int v) {
    return v >= kParameter ? graph_.constant(values_[static_cast<std::size_t>(v - kParameter)]) : -1;
  });
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
  text_ += fmt::format("q {}\n", name);
  forces_.push_back(graph_.constant(0));
}

void FormulaBuilder::kinetic(const std::string& text) {
  kinetic_ = read(text);
  text_ += fmt::format("T {}\n", text);
}

void FormulaBuilder::potential(const std::string& text) {
  const NodeId one = read(text);
  text_ += fmt::format("V {}\n", text);
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
  f = graph_.add(f, read(text));
  text_ += fmt::format("f {} {}\n", coordinate, text);
}

void FormulaBuilder::frame(const std::string& name, const std::array<std::string, 3>& position, const Vector3d& axis,
                           const std::string& angle) {
  const auto place = [&](const std::string& text) {
    const NodeId node = folded(parse(text, symbols_, graph_));
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

std::size_t FormulaBuilder::compiled() { return compilations(); }

double FormulaBuilder::parameter_value(const std::string& name) const { return graph_.value(constants_.at(name)); }

NodeId FormulaBuilder::row(const std::string& text, bool of_joint) {
  const NodeId node = read(text);
  if (!formula::occurring(graph_, node, kMost).empty())
    throw InputError("", fmt::format("a {} must not contain velocities; accepted: a formula of coordinates and time",
                                     of_joint ? "joint residual" : "gap or slip"));
  return node;
}

void FormulaBuilder::joint(const std::string& name, const std::vector<std::string>& residuals) {
  Item item{name, {}, nullptr};
  text_ += "joint\n";
  for (const std::string& text : residuals) {
    item.rows.push_back(row(text, true));
    text_ += fmt::format("g {}\n", text);
  }
  joints_.push_back(std::move(item));
}

void FormulaBuilder::contact(const std::string& name, const std::string& gap, const std::vector<std::string>& slips,
                             const ContactLaw* law) {
  Item item{name, {row(gap, false)}, law};
  text_ += fmt::format("contact\ng {}\n", gap);
  for (const std::string& text : slips) {
    item.rows.push_back(row(text, false));
    text_ += fmt::format("g {}\n", text);
  }
  contacts_.push_back(std::move(item));
}

std::unique_ptr<Subsystem> FormulaBuilder::subsystem(const std::string& prefix) {
  if (coordinates_.empty()) throw InputError("", "no coordinates are given; name at least one");
  if (kinetic_ < 0)
    throw InputError("", "no kinetic energy is given; accepted: a formula of degree 2 in the velocities");
  std::vector<std::string> names = coordinates_;
  for (std::string& name : names) name.insert(0, prefix);
  auto compiled = recent<formula::CompiledSubsystem>(text_, [&] {
    return formula::compile_subsystem(graph_, names,
                                      {kinetic_, potential_ < 0 ? graph_.constant(0) : potential_, forces_});
  });
  return formula::make_subsystem(std::move(compiled), std::move(names), values_, frames_);
}

std::unique_ptr<ForceSet> FormulaBuilder::force_set(std::vector<std::string> names) {
  const NodeId none = graph_.constant(0);
  return formula::make_forces(graph_, coordinates_, std::move(names),
                              {none, potential_ < 0 ? none : potential_, forces_}, values_);
}

std::unique_ptr<ConstraintSet> FormulaBuilder::constraints(int first_q, int first_v) {
  std::vector<Item> items = joints_;
  items.insert(items.end(), contacts_.begin(), contacts_.end());
  if (items.empty()) return nullptr;
  auto compiled =
      recent<formula::CompiledConstraints>(text_, [&] { return formula::compile_constraints(graph_, items, n()); });
  return formula::make_constraints(std::move(compiled), std::move(items), values_, first_q, first_v);
}

}  // namespace ricochet
