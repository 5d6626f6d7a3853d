#pragma once
// Results and the page in one file that opens from disk, without a server and without a network.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/view/result_view.hpp"

namespace ricochet::view {

/// Bytes as text: planes of the bytes of eight-byte words, deflated, in base 64.
std::string packed(const std::string& bytes);

void write_page(const std::filesystem::path& path, const FileSource& results);

}  // namespace ricochet::view
