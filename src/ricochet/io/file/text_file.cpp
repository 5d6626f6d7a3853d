#include "ricochet/io/file/text_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "ricochet/math/input_error.hpp"

namespace ricochet {

std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& accepted) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string name = path.string();
  if (fs::is_directory(status)) throw InputError(name, fmt::format("this is a folder; accepted: {}", accepted));
  const auto too_large = [&](const std::string& size) {
    return InputError(name, fmt::format("the file has {}; accepted: up to {} MiB", size, limit >> 20));
  };
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error && size > limit) throw too_large(fmt::format("{} MiB", size >> 20));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(name, "the file cannot be opened for reading");
  std::string bytes;
  std::vector<char> piece(1 << 16);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    bytes.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > limit) throw too_large("more");
  }
  if (in.bad()) throw InputError(name, "the file cannot be read");
  return bytes;
}

std::string read_named_file(const std::filesystem::path& path, std::uint64_t limit, const std::string& accepted) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (exists(status) && !is_regular_file(status) && !is_directory(status))
    throw InputError(path.string(), fmt::format("this is a device or a pipe; accepted: {}", accepted));
  return read_text_file(path, limit, accepted);
}

}  // namespace ricochet
