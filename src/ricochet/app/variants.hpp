#pragma once
// Schemes and settings as the command line gives them.
#include <string>
#include <vector>

#include "ricochet/study/study.hpp"

namespace ricochet::app {

/// "moreau-jean:theta=0.5,forecast=free" as the scenario writes it: {name: moreau-jean, theta: 0.5, forecast: free}.
std::string scheme_value(const std::string& text);

/// "a,b:x=1,y=2,c" is a; b with x and y; c.
std::vector<std::string> split_schemes(const std::vector<std::string>& words);

/// What several commands take: a scenario with settings, and schemes to run it with.
struct VariantArguments {
  std::string scenario, step, until;
  std::vector<std::string> set, schemes, variants;

  /// --set, --step and --until.
  std::vector<std::string> overrides() const;
};

/// The scenario with each of the schemes, and each of the --variant settings; without any, with its own scheme and
/// those of its `compare_with`. A scheme that does not take the model is kept as refused; an unknown scheme, option or
/// value is an InputError.
std::vector<Variant> load_variants(const VariantArguments& arguments);

}  // namespace ricochet::app
