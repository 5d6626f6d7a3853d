#pragma once
// A scenario with something beside it that no text can say: joints, contacts or forces of a program around the library.
#include <functional>

#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

/// Called when the system of the scenario is complete, before the model is frozen; `initial` as the scenario says it.
using Extension = std::function<void(ModelBuilder& builder, const State& initial)>;

Scenario load_scenario(const std::string& name_or_path, const std::vector<std::string>& overrides,
                       const Extension& extension);
Scenario read_scenario(const std::string& text, const std::string& source, const std::vector<std::string>& overrides,
                       const Extension& extension);

}  // namespace ricochet
