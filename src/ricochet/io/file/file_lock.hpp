#pragma once
// Advisory locks on files that are being written. They belong to the open file, not to the process: whatever ends the
// process frees them, and they do not meet those of HDF5, so that readers are never kept out.
#include <cstdint>
#include <string>

namespace ricochet {

enum class LockByte : std::uint8_t {
  writer,  ///< held as long as the file is open for writing
  commit   ///< held while its bytes change
};
enum class LockKind : std::uint8_t { shared, exclusive };

/// False if another holds it. Where the file system knows no locks it is granted.
bool try_lock(int descriptor, LockByte byte, LockKind kind);
/// Waits for it.
void lock(int descriptor, LockByte byte, LockKind kind);
void unlock(int descriptor, LockByte byte);

/// Whether another open file holds the writer's lock.
bool has_writer(int descriptor);
/// InputError if another has the file open for writing; it names the process.
void refuse_second_writer(const std::string& path);

/// The writer's lock on a file as long as the object lives.
class WriterLock {
 public:
  explicit WriterLock(const std::string& path);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace ricochet
