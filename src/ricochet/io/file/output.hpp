#pragma once
// Files that the program writes: pages, figures, tables, problems. Whatever stands at a name is respected: a symbolic
// link is followed and stays, a device or a pipe is written to, a regular file is replaced as a whole when all of the
// new one is there, so that nobody ever sees half of it.
//
// A name that cannot be written to is an InputError; a disk that is full, or that fails, is an OutputError.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ricochet {

/// What was computed could not be written.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// "path: what: reason of errno". InputError if the name is to blame, OutputError if the disk is.
[[noreturn]] void fail_output(const std::string& path, const std::string& what);

/// The file that a symbolic link stands for, be it there or not.
std::filesystem::path link_target(const std::filesystem::path& path);

/// InputError if `path` is a folder, has a name that cannot be, or lies in a folder that is not there or may not be
/// written to. Asked before the work whose results go there.
void check_output(const std::filesystem::path& path);

/// A file beside `path` that has no name, or a provisional one where the file system knows no files without, until
/// publish() puts it in the place of `path`. Without that it is gone with the object, also if the process is killed.
class Provisional {
 public:
  explicit Provisional(std::filesystem::path path);
  ~Provisional();
  Provisional(const Provisional&) = delete;
  Provisional& operator=(const Provisional&) = delete;

  int descriptor() const { return descriptor_; }
  /// Puts it in place and gives up the descriptor, which stays open.
  int publish();

 private:
  std::filesystem::path path_;
  std::string name_;  ///< empty: none yet
  int descriptor_ = -1;
};

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();  ///< without a commit nothing is changed, but for devices and pipes
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::FILE* stream() const { return stream_; }
  void write(std::string_view text);
  void commit();

 private:
  std::string path_;
  std::unique_ptr<Provisional> provisional_;  ///< none: written directly
  std::FILE* stream_ = nullptr;
};

void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace ricochet
