#pragma once
// Options have names, types, ranges and defaults in a table; the scenario reader, the docs and the checks share it.
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ricochet {

using OptionValue = std::variant<double, bool, std::string>;
using OptionValues = std::map<std::string, OptionValue>;

struct OptionInfo {
  enum class Type { number, flag, choice };
  std::string name;
  Type type = Type::number;
  OptionValue fallback;
  std::string doc;
  double low = 0, high = 0;          ///< numbers: accepted range, ends included
  std::vector<std::string> choices;  ///< choices: accepted words
  bool whole = false;                ///< numbers: counts, without fraction
};

/// An option of each type, for tables.
OptionInfo number_option(std::string name, double fallback, double low, double high, std::string doc);
OptionInfo count_option(std::string name, double fallback, double low, double high, std::string doc);
OptionInfo flag_option(std::string name, bool fallback, std::string doc);
OptionInfo choice_option(std::string name, std::string fallback, std::vector<std::string> choices, std::string doc);

/// Values checked against a table; what was not given has its default.
class Options {
 public:
  /// Throws InputError naming the option and what is accepted.
  Options(const std::vector<OptionInfo>& table, const OptionValues& values);
  double number(const std::string& name) const { return std::get<double>(values_.at(name)); }
  bool flag(const std::string& name) const { return std::get<bool>(values_.at(name)); }
  const std::string& choice(const std::string& name) const { return std::get<std::string>(values_.at(name)); }
  bool given(const std::string& name) const { return given_.count(name) > 0; }
  const OptionValues& values() const { return values_; }

 private:
  OptionValues values_, given_;
};

/// Checks one value against its row; returns what is wrong, or nothing.
std::string check_option(const OptionInfo& info, const OptionValue& value);

/// One ladder, solver < newton < constraint < activation, without units: parts of the scales of the run, which
/// Workspace::scale and Workspace::size hold (model/scales.hpp, docs/scales.md).
struct Tolerances {
  double constraint = 1e-10;  ///< what a converged step may leave at position and velocity level
  double newton = 1e-12;      ///< relative to the velocity, or position increment, where that is larger than its scale
  double solver = 1e-13;      ///< relative to the load, where that is larger than its scale
  double activation = 1e-9;   ///< a gap below this counts as closed
  int max_newton = 50;
  std::string solver_name = "auto";
  bool minimum_norm = false;  ///< of the multipliers, where they are not unique
};

/// The rows that every scheme has: tolerance, activation_tolerance, max_newton, solver, minimum_norm.
std::vector<OptionInfo> common_options();
Tolerances tolerances(const Options& options);

}  // namespace ricochet
