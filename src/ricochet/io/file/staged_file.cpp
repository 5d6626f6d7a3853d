#include "ricochet/io/file/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "ricochet/io/file/file_lock.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

constexpr char kMagic[8] = {'R', 'I', 'C', 'O', 'J', 'R', 'N', '1'};

void write_all(int descriptor, const void* data, std::size_t size, std::uint64_t at, const std::string& path) {
  const auto* from = static_cast<const unsigned char*>(data);
  while (size > 0) {
    const ssize_t done = pwrite(descriptor, from, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) fail_output(path, "cannot be written");
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
    if (done < 0) fail_output(path, "cannot read");
    if (done == 0) {
      std::memset(to, 0, size);
      return;
    }
    to += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
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

constexpr std::string_view kJournal = ".journal";
std::string journal_of(const std::string& path) { return path + std::string(kJournal); }

// Else the first overwrite finds out.
void check_journal_name(const std::string& path) {
  const std::size_t length = path.size() - (path.find_last_of('/') + 1), most = NAME_MAX - kJournal.size();
  if (length > most)
    throw InputError(path, fmt::format("the name has {} characters; accepted: up to {}", length, most));
}

}  // namespace

StagedFile::StagedFile(std::string path, Mode mode) : path_(link_target(path).string()) {
  if (mode == Mode::change) {
    recover(path_);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0) fail_output(path, "cannot open for writing");
    if (!try_lock(descriptor_, LockByte::writer, LockKind::exclusive)) {
      close(descriptor_);
      refuse_second_writer(path_);
      throw InputError(path, "is being written by another process");
    }
  } else {
    check_output(path);
    check_journal_name(path_);
    struct stat status = {};
    if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
      throw InputError(path, "this is a device or a pipe; accepted: a file");
    refuse_second_writer(path_);
    provisional_ = std::make_unique<Provisional>(path_);
    descriptor_ = provisional_->descriptor();
  }
  struct stat status = {};
  if (fstat(descriptor_, &status) == 0) size_ = committed_ = static_cast<std::uint64_t>(status.st_size);
}

StagedFile::~StagedFile() {
  if (!provisional_) close(descriptor_);
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
  Provisional journal(journal_of(path_));
  write_all(journal.descriptor(), bytes.data(), bytes.size(), 0, path_);
  close(journal.publish());
}

void StagedFile::publish() {
  if (!provisional_) return;
  refuse_second_writer(path_);
  unlink(journal_of(path_).c_str());  // of a file that is about to be replaced
  descriptor_ = provisional_->publish();
  provisional_.reset();
}

// The file on disk is still the one that the last commit left.
void StagedFile::check_place() const {
  if (provisional_) return;
  struct stat mine = {}, there = {};
  if (fstat(descriptor_, &mine) != 0) fail_output(path_, "cannot be written");
  const char* what = nullptr;
  if (stat(path_.c_str(), &there) != 0)
    what = "removed";
  else if (there.st_ino != mine.st_ino || there.st_dev != mine.st_dev)
    what = "replaced";
  else if (static_cast<std::uint64_t>(mine.st_size) != committed_)
    what = "changed";
  if (what != nullptr)
    throw OutputError(fmt::format("{}: the file was {} by another program while it was being written", path_, what));
}

void StagedFile::commit() {
  if (failed_) return;
  failed_ = true;
  check_place();
  const bool locked = !provisional_;
  if (locked) lock(descriptor_, LockByte::commit, LockKind::exclusive);
  try {
    write_staged();
  } catch (...) {
    if (locked) unlock(descriptor_, LockByte::commit);
    throw;
  }
  if (locked) unlock(descriptor_, LockByte::commit);
  publish();
  committed_ = size_;
  staged_.clear();
  staged_bytes_ = 0;
  failed_ = false;
}

void StagedFile::write_staged() {
  const bool journal =
      !provisional_ && ((!staged_.empty() && staged_.begin()->first < committed_) || size_ < committed_);
  try {
    // New space first. A range that reaches across the old end counts as an overwrite.
    for (const auto& [at, data] : staged_)
      if (at >= committed_) write_all(descriptor_, data.data(), data.size(), at, path_);
    if (size_ > committed_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0)
      fail_output(path_, "cannot be extended");
    if (journal) write_journal();
  } catch (...) {
    // Nothing refers to it: away with it, on a disk that is full.
    [[maybe_unused]] const int ignored = ftruncate(descriptor_, static_cast<off_t>(committed_));
    throw;
  }
  for (const auto& [at, data] : staged_)
    if (at < committed_) write_all(descriptor_, data.data(), data.size(), at, path_);
  if (size_ < committed_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0)
    fail_output(path_, "cannot be shortened");
  if (journal) unlink(journal_of(path_).c_str());
}

namespace {

std::vector<unsigned char> bytes_of(const std::string& name) {
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat status = {};
  std::vector<unsigned char> out(fstat(file, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0);
  read_all(file, out.data(), out.size(), 0, name);
  close(file);
  return out;
}

bool is_whole(const std::vector<unsigned char>& journal) {
  if (journal.size() < sizeof kMagic + 2 * sizeof(std::uint64_t)) return false;
  std::size_t tail = journal.size() - sizeof(std::uint64_t);
  const std::uint64_t sum = checksum(journal.data(), tail);
  return std::memcmp(journal.data(), kMagic, sizeof kMagic) == 0 && take(journal, tail) == sum;
}

void replay(const std::vector<unsigned char>& journal, int file, const std::string& path) {
  std::size_t at = sizeof kMagic;
  const std::size_t tail = journal.size() - sizeof(std::uint64_t);
  const std::uint64_t size = take(journal, at);
  while (at < tail) {
    const std::uint64_t to = take(journal, at);
    const std::uint64_t length = std::min<std::uint64_t>(take(journal, at), tail - std::min(at, tail));
    write_all(file, journal.data() + at, length, to, path);
    at += length;
  }
  if (ftruncate(file, static_cast<off_t>(size)) != 0) fail_output(path, "cannot be set to its length");
}

struct Descriptor {
  int id;
  ~Descriptor() {
    if (id >= 0) close(id);
  }
};

}  // namespace

void StagedFile::recover(const std::string& given) {
  const std::string path = link_target(given).string(), name = journal_of(path);
  if (access(name.c_str(), F_OK) != 0) return;
  const Descriptor file{open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)};
  if (file.id < 0) fail_output(path, "was left in the middle of a write, and cannot be opened to finish it");
  // A writer that lives finishes by itself.
  lock(file.id, LockByte::commit, LockKind::exclusive);
  const std::vector<unsigned char> journal = bytes_of(name);
  if (journal.empty() && access(name.c_str(), F_OK) != 0) return;
  if (!is_whole(journal)) throw InputError(name, "is damaged; the file it belongs to may be incomplete");
  replay(journal, file.id, path);
  unlink(name.c_str());
}

std::string StagedFile::snapshot(const std::string& path) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.id < 0 || !has_writer(file.id)) return {};
  std::string name = (std::filesystem::temp_directory_path() / "ricochet-XXXXXX").string();
  const Descriptor copy{mkostemp(name.data(), O_CLOEXEC)};
  if (copy.id < 0) fail_output(name, "no copy of a file that is being written can be made");
  // Between two commits; the writer waits meanwhile.
  lock(file.id, LockByte::commit, LockKind::shared);
  struct stat status = {};
  const std::uint64_t size = fstat(file.id, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  std::vector<unsigned char> piece(std::size_t{1} << 20);
  try {
    for (std::uint64_t at = 0; at < size; at += piece.size()) {
      const std::size_t length = std::min<std::uint64_t>(piece.size(), size - at);
      read_all(file.id, piece.data(), length, at, path);
      write_all(copy.id, piece.data(), length, at, name);
    }
  } catch (...) {
    unlink(name.c_str());
    throw;
  }
  return name;
}

}  // namespace ricochet
