#pragma once
// A file as one string. What tells no size, a pipe or a device, is read up to a limit only: it may have no end.
#include <cstdint>
#include <filesystem>
#include <string>

namespace ricochet {

constexpr std::uint64_t kLargestPipe = std::uint64_t{256} << 20;

/// InputError if it is a folder, cannot be read, or has more than `limit` bytes; `accepted`: "a YAML file".
std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& accepted);
/// The same for files that a scenario names: pipes and devices are refused, for nobody may ever write to them.
std::string read_named_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& accepted);

}  // namespace ricochet
