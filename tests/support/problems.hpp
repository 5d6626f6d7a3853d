#pragma once
// Where the public sets of complementarity and friction problems are: RICOCHET_DATA, or ../shared/data beside the
// sources. They are not part of the project.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace ricochet::test {

inline std::filesystem::path data_folder() {
  const char* given = std::getenv("RICOCHET_DATA");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(RICOCHET_SOURCE_DIR).parent_path() / "shared" / "data";
}

/// A file of found/, where earlier versions went wrong.
inline std::string found(const std::string& name) { return (data_folder() / "found" / name).string(); }

/// A ball that is pressed and rebounds elastically: five million impacts in a step.
inline constexpr const char* kMillionsOfImpacts = R"(
system:
  formulas:
    coordinates: [q]
    kinetic: q'^2/2
    potential: 9.81*q
    contacts: {floor: {gap: q, restitution: 1}}
initial: {velocity: {q: 1e-5}}
simulation: {scheme: {name: event-driven, max_events: 1e9}, step: 10, until: 100}
)";

/// The files of a folder of the data, sorted; empty where the data are absent.
inline std::vector<std::string> data_files(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / folder, none))
    out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

inline const char* no_data() {
  return "the public problems are not here: set RICOCHET_DATA to the folder that holds fclib/ and complementarity/";
}

}  // namespace ricochet::test
