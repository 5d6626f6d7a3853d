#pragma once
// A file that changes on disk only in commit(), and then all at once: a process that is killed at any moment leaves the
// state of its last commit.
//
// Writes are staged in memory. A commit writes what lies beyond the old end first (nothing refers to it yet), then the
// overwrites into `FILE.journal`, which appears by a rename when it is complete, then the overwrites into the file, and
// removes the journal. Whoever opens the file afterwards calls recover(), which finishes a commit that was cut short. A
// new file is made under another name and takes its place with the first commit, so a file of that name stays whole
// until there is something to replace it. Nothing is forced to the disk: this is for killed processes, not for power
// failures.
//
// A file has one writer at a time. A commit that finds the file removed, replaced or cut by others is an OutputError,
// as is one that the disk has no room for; the file then stays as the last commit left it, and no further one is made.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/io/file/output.hpp"

namespace ricochet {

class StagedFile {
 public:
  enum class Mode : std::uint8_t { create, change };

  /// InputError if the file cannot be opened, or is being written by another process.
  StagedFile(std::string path, Mode mode);
  ~StagedFile();  ///< without a commit: what was staged is lost
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void write(std::uint64_t at, const void* data, std::size_t size);
  void read(std::uint64_t at, void* data, std::size_t size) const;  ///< zeros where nothing was written
  void resize(std::uint64_t size) { size_ = size; }
  std::uint64_t size() const { return size_; }
  std::size_t staged_bytes() const { return staged_bytes_; }
  void commit();

  /// Finishes the commit of a writer that was killed; waits for one that is being made.
  static void recover(const std::string& path);
  /// While the file is being written: the name of a copy as the last commit left it, which the caller removes. Empty if
  /// nobody writes it.
  static std::string snapshot(const std::string& path);

 private:
  void write_staged();
  void write_journal() const;
  void check_place() const;
  void publish();

  std::string path_;
  std::unique_ptr<Provisional> provisional_;  ///< before the first commit
  int descriptor_ = -1;
  bool failed_ = false;
  std::uint64_t size_ = 0;                                      ///< staged
  std::uint64_t committed_ = 0;                                 ///< size on disk
  std::map<std::uint64_t, std::vector<unsigned char>> staged_;  ///< ranges that do not overlap
  std::size_t staged_bytes_ = 0;
};

}  // namespace ricochet
