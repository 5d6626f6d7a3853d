#pragma once
// Pictures out of SVG text.
#include <filesystem>
#include <string>

namespace ricochet::app {

/// InputError if the name of the file does not say what it shall be: .svg, .png, .pdf; or it cannot be written.
void check_picture(const std::filesystem::path& path);

/// The text as it is (.svg), a bitmap with `scale` pixels for each unit (.png), or a page of the figure's size on which
/// lines stay lines (.pdf). InputError if this program was built without the library that paints, std::runtime_error if
/// the file cannot be written.
void write_picture(const std::string& svg, double scale, const std::filesystem::path& path);

}  // namespace ricochet::app
