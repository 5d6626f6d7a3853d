#include "ricochet/scheme/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ricochet/math/input_error.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {

OptionInfo number_option(std::string name, double fallback, double low, double high, std::string doc) {
  return {std::move(name), OptionInfo::Type::number, fallback, std::move(doc), low, high, {}, false};
}
OptionInfo count_option(std::string name, double fallback, double low, double high, std::string doc) {
  OptionInfo row = number_option(std::move(name), fallback, low, high, std::move(doc));
  row.whole = true;
  return row;
}
OptionInfo flag_option(std::string name, bool fallback, std::string doc) {
  return {std::move(name), OptionInfo::Type::flag, fallback, std::move(doc), 0, 0, {}, false};
}
OptionInfo choice_option(std::string name, std::string fallback, std::vector<std::string> choices, std::string doc) {
  return {
      std::move(name), OptionInfo::Type::choice, std::move(fallback), std::move(doc), 0, 0, std::move(choices), false};
}

std::string check_option(const OptionInfo& info, const OptionValue& value) {
  switch (info.type) {
    case OptionInfo::Type::number: {
      const double* x = std::get_if<double>(&value);
      if (x && *x >= info.low && *x <= info.high && !(info.whole && *x != std::floor(*x))) return {};
      return fmt::format("'{}' is {}; accepted: {} {} to {}", info.name, x ? fmt::to_string(*x) : "no number",
                         info.whole ? "whole numbers" : "numbers", info.low, info.high);
    }
    case OptionInfo::Type::flag:
      return std::holds_alternative<bool>(value) ? ""
                                                 : fmt::format("'{}' is no flag; accepted: true or false", info.name);
    case OptionInfo::Type::choice: {
      const std::string* word = std::get_if<std::string>(&value);
      if (word && std::find(info.choices.begin(), info.choices.end(), *word) != info.choices.end()) return {};
      return fmt::format("'{}' is another word; accepted: {}", info.name, fmt::join(info.choices, ", "));
    }
  }
  return {};
}

Options::Options(const std::vector<OptionInfo>& table, const OptionValues& values) : given_(values) {
  for (const OptionInfo& row : table) values_[row.name] = row.fallback;
  for (const auto& [name, value] : values) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == name; });
    if (row == table.end()) {
      std::vector<std::string> known;
      for (const OptionInfo& r : table) known.push_back(r.name);
      throw InputError(name, fmt::format("unknown option; accepted: {}", fmt::join(known, ", ")));
    }
    if (const std::string wrong = check_option(*row, value); !wrong.empty()) throw InputError(name, wrong);
    values_[name] = value;
  }
}

namespace {
std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const Solver* s : solvers()) names.push_back(s->info().name);
  return names;
}
}  // namespace

std::vector<OptionInfo> common_options() {
  return {number_option("tolerance", 1e-10, 1e-13, 1e-2,
                        "largest error that a converged step may leave, both levels, over the scales of the run"),
          number_option("activation_tolerance", 0, 0, 1,
                        "a gap below this part of the length scale counts as closed; 0: ten times the tolerance"),
          count_option("max_newton", 50, 1, 1e6, "passes before a step is given up"),
          choice_option("solver", "auto", solver_names(), "complementarity solver"),
          flag_option("minimum_norm", false, "of all impulses that give the same velocities, those of minimum norm")};
}

Tolerances tolerances(const Options& options) {
  Tolerances t;
  t.constraint = options.number("tolerance");
  t.newton = std::max(1e-2 * t.constraint, 1e-14);
  t.solver = std::max(1e-3 * t.constraint, 1e-15);
  const double activation = options.number("activation_tolerance");
  t.activation = activation > 0 ? activation : 10 * t.constraint;
  if (t.activation <= t.constraint)
    throw InputError("activation_tolerance",
                     fmt::format("{} is not above the tolerance {}: after a projection the sign of a closed gap is "
                                 "round-off; give at least twice the tolerance",
                                 t.activation, t.constraint));
  t.max_newton = static_cast<int>(options.number("max_newton"));
  t.solver_name = options.choice("solver");
  t.minimum_norm = options.flag("minimum_norm");
  return t;
}

}  // namespace ricochet
