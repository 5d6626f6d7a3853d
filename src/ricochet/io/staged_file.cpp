#include "ricochet/io/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace ricochet {
namespace {

constexpr char kMagic[8] = {'R', 'I', 'C', 'O', 'J', 'R', 'N', '1'};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

void write_all(int descriptor, const void* data, std::size_t size, std::uint64_t at, const std::string& path) {
  const auto* from = static_cast<const unsigned char*>(data);
  while (size > 0) {
    const ssize_t done = pwrite(descriptor, from, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(path, "cannot write");
    from += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

// Fills with zeros what the file does not have.
void read_all(int descriptor, void* data, std::size_t size, std::uint64_t at, const std::string& path) {
  auto* to = static_cast<unsigned char*>(data);
  while (size > 0) {
    const ssize_t done = pread(descriptor, to, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path, "cannot read");
    if (done == 0) {
      std::memset(to, 0, size);
      return;
    }
    to += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

// Locks of the open file, which do not meet those of HDF5: readers of the file are never kept out.
bool try_lock(int descriptor) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

std::uint64_t checksum(const unsigned char* data, std::size_t size) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 1099511628211ULL;
  return hash;
}

void put(std::vector<unsigned char>& out, const void* data, std::size_t size) {
  const auto* from = static_cast<const unsigned char*>(data);
  out.insert(out.end(), from, from + size);
}
void put(std::vector<unsigned char>& out, std::uint64_t value) { put(out, &value, sizeof value); }

std::uint64_t take(const std::vector<unsigned char>& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  if (at + sizeof value > bytes.size()) throw std::out_of_range("journal");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
  return value;
}

std::string journal_of(const std::string& path) { return path + ".journal"; }

}  // namespace

StagedFile::StagedFile(std::string path, Mode mode) : path_(std::move(path)), name_(path_) {
  if (mode == Mode::change) {
    recover(path_);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) fail(path_, "cannot open for writing");
  } else {
    struct stat status = {};
    if (stat(path_.c_str(), &status) == 0) {
      errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
      if (!S_ISREG(status.st_mode)) fail(path_, "cannot create");
      if (access(path_.c_str(), W_OK) != 0) fail(path_, "cannot replace");
    }
    name_ = fmt::format("{}.part-{}", path_, getpid());
    descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(path_, "cannot create");
  }
  if (!try_lock(descriptor_)) {
    close(descriptor_);
    throw std::runtime_error(path_ + ": is being written by another process");
  }
  struct stat status = {};
  if (fstat(descriptor_, &status) == 0) size_ = committed_ = static_cast<std::uint64_t>(status.st_size);
}

StagedFile::~StagedFile() {
  close(descriptor_);
  if (name_ != path_) unlink(name_.c_str());
}

void StagedFile::write(std::uint64_t at, const void* data, std::size_t size) {
  if (size == 0) return;
  size_ = std::max(size_, at + size);
  auto first = staged_.upper_bound(at);
  if (first != staged_.begin()) {
    const auto before = std::prev(first);
    if (before->first + before->second.size() > at) first = before;
  }
  if (first != staged_.end() && first->first <= at && at + size <= first->first + first->second.size()) {
    std::memcpy(first->second.data() + (at - first->first), data, size);
    return;
  }
  // One range takes the place of all that it touches.
  std::uint64_t from = at;
  std::uint64_t to = at + size;
  auto last = first;
  for (; last != staged_.end() && last->first < at + size; ++last) {
    from = std::min(from, last->first);
    to = std::max(to, last->first + last->second.size());
  }
  std::vector<unsigned char> merged(to - from);
  for (auto it = first; it != last; ++it) {
    std::copy(it->second.begin(), it->second.end(), merged.begin() + static_cast<std::ptrdiff_t>(it->first - from));
    staged_bytes_ -= it->second.size();
  }
  std::memcpy(merged.data() + (at - from), data, size);
  staged_bytes_ += merged.size();
  staged_.erase(first, last);
  staged_.emplace(from, std::move(merged));
}

void StagedFile::read(std::uint64_t at, void* data, std::size_t size) const {
  read_all(descriptor_, data, size, at, path_);
  auto it = staged_.upper_bound(at);
  if (it != staged_.begin()) --it;
  for (; it != staged_.end() && it->first < at + size; ++it) {
    const std::uint64_t from = std::max(at, it->first);
    const std::uint64_t to = std::min(at + size, it->first + it->second.size());
    if (from < to)
      std::memcpy(static_cast<unsigned char*>(data) + (from - at), it->second.data() + (from - it->first), to - from);
  }
}

void StagedFile::write_journal() const {
  std::vector<unsigned char> bytes;
  put(bytes, kMagic, sizeof kMagic);
  put(bytes, size_);
  for (const auto& [at, data] : staged_) {
    if (at >= committed_) break;
    put(bytes, at);
    put(bytes, data.size());
    put(bytes, data.data(), data.size());
  }
  put(bytes, checksum(bytes.data(), bytes.size()));
  const std::string provisional = fmt::format("{}.part-{}", journal_of(path_), getpid());
  const int journal = open(provisional.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (journal < 0) fail(path_, "cannot write its journal");
  try {
    write_all(journal, bytes.data(), bytes.size(), 0, provisional);
  } catch (...) {
    close(journal);
    unlink(provisional.c_str());
    throw;
  }
  close(journal);
  if (rename(provisional.c_str(), journal_of(path_).c_str()) != 0) fail(path_, "cannot write its journal");
}

void StagedFile::publish() {
  if (name_ == path_) return;
  unlink(journal_of(path_).c_str());  // of a file that is about to be replaced
  if (rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "cannot create");
  name_ = path_;
}

void StagedFile::commit() {
  // New space first. A range that reaches across the old end counts as an overwrite.
  for (const auto& [at, data] : staged_)
    if (at >= committed_) write_all(descriptor_, data.data(), data.size(), at, path_);
  if (size_ > committed_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) fail(path_, "cannot extend");

  const bool journal =
      name_ == path_ && ((!staged_.empty() && staged_.begin()->first < committed_) || size_ < committed_);
  if (journal) write_journal();
  for (const auto& [at, data] : staged_)
    if (at < committed_) write_all(descriptor_, data.data(), data.size(), at, path_);
  if (size_ < committed_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) fail(path_, "cannot shorten");
  if (journal) unlink(journal_of(path_).c_str());
  publish();
  committed_ = size_;
  staged_.clear();
  staged_bytes_ = 0;
}

void StagedFile::recover(const std::string& path) {
  const std::string name = journal_of(path);
  const int journal = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (journal < 0) return;
  struct stat status = {};
  std::vector<unsigned char> bytes(fstat(journal, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0);
  read_all(journal, bytes.data(), bytes.size(), 0, name);
  close(journal);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(path, "was left in the middle of a write, and cannot be opened to finish it");
  // A writer that lives will finish by itself.
  if (try_lock(file)) {
    std::size_t at = sizeof kMagic;
    std::size_t tail = bytes.size() - std::min(bytes.size(), sizeof(std::uint64_t));
    const bool whole = tail >= at + sizeof(std::uint64_t) && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0 &&
                       [&, t = tail]() mutable { return take(bytes, t) == checksum(bytes.data(), tail); }();
    if (!whole) {
      close(file);
      throw std::runtime_error(name + ": is damaged; the file it belongs to may be incomplete");
    }
    const std::uint64_t size = take(bytes, at);
    while (at < tail) {
      const std::uint64_t to = take(bytes, at);
      const std::uint64_t length = take(bytes, at);
      write_all(file, bytes.data() + at, length, to, path);
      at += length;
    }
    if (ftruncate(file, static_cast<off_t>(size)) != 0) fail(path, "cannot set its length");
    unlink(name.c_str());
  }
  close(file);
}

}  // namespace ricochet
