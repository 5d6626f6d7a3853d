#pragma once
// The page of the viewer (viewer/ in the sources), built once with Node and held by the program.
#include <string>
#include <string_view>

namespace ricochet::view {

/// Empty if the program was built without it.
std::string_view page();
/// What to do about that; empty if nothing is missing.
std::string missing_page();

}  // namespace ricochet::view
