#pragma once
// Pictures out of SVG text.
#include <filesystem>
#include <string>

namespace ricochet::app {

/// `scale` pixels for each unit of the figure. InputError if this program was built without the library that paints,
/// std::runtime_error if the file cannot be written.
void write_png(const std::string& svg, double scale, const std::filesystem::path& path);

}  // namespace ricochet::app
