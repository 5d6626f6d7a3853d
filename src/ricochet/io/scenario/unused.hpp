#pragma once
#include "ricochet/io/yaml/yaml.hpp"

namespace ricochet::scenario {

/// A sentence, with its place, for each parameter that stands in no formula of the document: a name that was mistyped
/// where it is given or where it is meant.
std::vector<std::string> unused_parameters(const yaml::Node& root);

}  // namespace ricochet::scenario
