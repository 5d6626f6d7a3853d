#include "ricochet/io/file/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

struct flock region(LockByte byte, short type) {
  struct flock out = {};
  out.l_type = type;
  out.l_whence = SEEK_SET;
  out.l_start = static_cast<off_t>(byte);
  out.l_len = 1;
  return out;
}

short type_of(LockKind kind) { return kind == LockKind::exclusive ? F_WRLCK : F_RDLCK; }

// "process 1234", or "another process" where that cannot be seen.
std::string writer_of(int descriptor) {
  namespace fs = std::filesystem;
  struct stat mine = {}, other = {};
  std::error_code error, inner;
  if (fstat(descriptor, &mine) != 0) return "another process";
  // A lock of an open file names no process; the system tells which processes have the file open, and its locks.
  for (fs::directory_iterator process("/proc", error), end; !error && process != end; process.increment(error)) {
    const std::string id = process->path().filename().string();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    for (fs::directory_iterator file(process->path() / "fd", inner); !inner && file != end; file.increment(inner)) {
      if (stat(file->path().c_str(), &other) != 0 || other.st_ino != mine.st_ino || other.st_dev != mine.st_dev)
        continue;
      std::ifstream info(process->path() / "fdinfo" / file->path().filename());
      for (std::string line; std::getline(info, line);)
        if (line.starts_with("lock:") && line.find("OFDLCK") != std::string::npos &&
            line.find("WRITE") != std::string::npos)
          return "process " + id;
    }
  }
  return "another process";
}

}  // namespace

bool try_lock(int descriptor, LockByte byte, LockKind kind) {
  struct flock wanted = region(byte, type_of(kind));
  return fcntl(descriptor, F_OFD_SETLK, &wanted) == 0 || (errno != EAGAIN && errno != EACCES);
}

void lock(int descriptor, LockByte byte, LockKind kind) {
  struct flock wanted = region(byte, type_of(kind));
  while (fcntl(descriptor, F_OFD_SETLKW, &wanted) != 0 && errno == EINTR) {
  }
}

void unlock(int descriptor, LockByte byte) {
  struct flock wanted = region(byte, F_UNLCK);
  fcntl(descriptor, F_OFD_SETLK, &wanted);
}

bool has_writer(int descriptor) {
  struct flock wanted = region(LockByte::writer, F_WRLCK);
  return fcntl(descriptor, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

void refuse_second_writer(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  const std::string who = has_writer(descriptor) ? writer_of(descriptor) : "";
  close(descriptor);
  if (!who.empty())
    throw InputError(path, fmt::format("is being written by {}; accepted: another name, or when that has ended", who));
}

WriterLock::WriterLock(const std::string& path) : descriptor_(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ >= 0) try_lock(descriptor_, LockByte::writer, LockKind::exclusive);
}

WriterLock::~WriterLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace ricochet
