#pragma once
// Schemes that a scenario names to be compared with its own: `compare_with`, each NAME or NAME:option=value,...
#include <string>
#include <vector>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/io/yaml/schema.hpp"

namespace ricochet {

std::vector<std::string> schemes_beside(const Scenario& scenario);

namespace scenario {

/// Refuses names that no scheme has.
void check_rivals(const schema::Fields& simulation);

}  // namespace scenario
}  // namespace ricochet
