#include "ricochet/io/file/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "ricochet/io/file/file_lock.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

constexpr std::string_view kPrefix = ".ricochet-";

std::string provisional_name() {
  static std::atomic<int> count{0};
  return fmt::format("{}{}-{}.part", kPrefix, getpid(), count++);
}

// Provisional names of processes that were killed: whoever lives holds a lock. Asked once for a folder: it may hold
// thousands of files that are written one after the other.
void remove_stale(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> asked;
  const std::lock_guard<std::mutex> hold(mutex);
  if (!asked.insert(folder).second) return;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(".part")) continue;
    const int descriptor = open(it->path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (try_lock(descriptor, LockByte::writer, LockKind::exclusive)) unlink(it->path().c_str());
    close(descriptor);
  }
}

}  // namespace

void fail_output(const std::string& path, const std::string& what) {
  const int reason = errno;
  const std::string text = fmt::format("{}: {}", what, std::strerror(reason));
  switch (reason) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case EINVAL:
    case ENXIO:
    case ETXTBSY:
    case ENAMETOOLONG: throw InputError(path, text);
    default: throw OutputError(path + ": " + text);
  }
}

fs::path link_target(const fs::path& path) {
  fs::path out = path;
  std::error_code error;
  // Links of /proc to pipes have a text that is no path: what is no file is opened under the name that was given.
  if (fs::is_other(fs::status(path, error))) return path;
  for (int k = 0; k < 40 && fs::is_symlink(fs::symlink_status(out, error)); ++k) {
    const fs::path next = fs::read_symlink(out, error);
    if (error) return path;
    out = next.is_absolute() ? next : folder_of(out) / next;
  }
  return out;
}

void check_output(const fs::path& path) {
  const std::string name = path.string();
  if (name.empty()) throw InputError("", "a name of a file is empty; accepted: the name of a file");
  const fs::path target = link_target(path);
  struct stat status = {};
  if (stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw InputError(name, "this is a folder; accepted: the name of a file");
    if (access(target.c_str(), W_OK) != 0) fail_output(name, "cannot be written");
    if (!S_ISREG(status.st_mode)) return;
  } else if (errno != ENOENT || !target.has_filename()) {
    fail_output(name, "cannot be written");
  }
  const fs::path folder = folder_of(target);
  if (stat(folder.c_str(), &status) != 0)
    throw InputError(name, "cannot be written; accepted: a file in a folder that exists");
  const Provisional probe(target);
}

Provisional::Provisional(fs::path path) : path_(std::move(path)) {
  const fs::path folder = folder_of(path_);
  remove_stale(folder);
  // A file without a name gets one through /proc.
  errno = EOPNOTSUPP;
  if (access("/proc/self/fd", F_OK) == 0) descriptor_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)) {
    name_ = (folder / provisional_name()).string();
    descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) name_.clear();
  }
  if (descriptor_ < 0) fail_output(path_.string(), "cannot be written");
  try_lock(descriptor_, LockByte::writer, LockKind::exclusive);
  // Who may read and write it stays as it was.
  struct stat status = {};
  if (stat(path_.c_str(), &status) == 0) fchmod(descriptor_, status.st_mode & 07777);
}

Provisional::~Provisional() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!name_.empty()) unlink(name_.c_str());
}

int Provisional::publish() {
  if (name_.empty()) {
    // A file without a name can take a new one, but no other's place: two steps.
    name_ = (folder_of(path_) / provisional_name()).string();
    if (linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", descriptor_).c_str(), AT_FDCWD, name_.c_str(),
               AT_SYMLINK_FOLLOW) != 0) {
      name_.clear();
      fail_output(path_.string(), "cannot be written");
    }
  }
  if (rename(name_.c_str(), path_.c_str()) != 0) fail_output(path_.string(), "cannot be written");
  return std::exchange(descriptor_, -1);
}

OutputFile::OutputFile(const fs::path& path) : path_(path.string()) {
  check_output(path);
  const fs::path target = link_target(path);
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  int descriptor = -1;
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail_output(path_, "cannot be written");
  } else {
    provisional_ = std::make_unique<Provisional>(target);
    descriptor = dup(provisional_->descriptor());
  }
  stream_ = descriptor >= 0 ? fdopen(descriptor, "wb") : nullptr;
  if (stream_ == nullptr) fail_output(path_, "cannot be written");
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail_output(path_, "cannot be written");
}

void OutputFile::commit() {
  errno = 0;
  const bool before = std::ferror(stream_) != 0;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0 || before) {
    if (errno == 0) errno = EIO;
    fail_output(path_, "cannot be written");
  }
  if (provisional_) close(provisional_->publish());
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace ricochet
