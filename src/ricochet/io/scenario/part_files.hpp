#pragma once
// Parts of bodies that stand in files of their own (`step: arm.step`, `brep: arm.brep`) become text of the scenario
// before it is read: results then hold all of it.
#include <filesystem>

#include "ricochet/io/yaml/yaml.hpp"

namespace ricochet::scenario {

/// Sets `brep` of each such body to its geometry as text; `step` stays and tells where it came from.
void embed_parts(yaml::Document& document);

/// The folder of the shipped scenarios, with their parts in `parts`; empty if there is none.
std::filesystem::path shipped_folder();

}  // namespace ricochet::scenario
