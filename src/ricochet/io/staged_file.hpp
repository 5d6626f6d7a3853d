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
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ricochet {

class StagedFile {
 public:
  enum class Mode : std::uint8_t { create, change };

  /// std::runtime_error if the file cannot be opened, or is being written by another process.
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

  /// Finishes the commit of a writer that was killed; does nothing if there is none, or while the writer lives.
  static void recover(const std::string& path);

 private:
  void write_journal() const;
  void publish();

  std::string path_;
  std::string name_;  ///< of the file as it stands now: a provisional one before the first commit
  int descriptor_ = -1;
  std::uint64_t size_ = 0;                                      ///< staged
  std::uint64_t committed_ = 0;                                 ///< size on disk
  std::map<std::uint64_t, std::vector<unsigned char>> staged_;  ///< ranges that do not overlap
  std::size_t staged_bytes_ = 0;
};

}  // namespace ricochet
