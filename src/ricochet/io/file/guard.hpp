#pragma once
// Reading what may break its reader. HDF5 crashes, loops or asks for gigabytes on some damaged files; a child process
// therefore reads first, within limits of time and memory, and whoever called reads the same bytes after it survived.
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ricochet {

/// fork() of a process that ends with its parent, however that ends, and leaves no core.
pid_t fork_child();

struct GuardLimits {
  int seconds = 2;             ///< of the processor
  std::uint64_t memory = 256;  ///< MiB beyond what the process has already
};
/// What a file of that many bytes may take.
GuardLimits guard_limits(std::uint64_t bytes);

/// Runs `read` in a child. An exception there, a crash, or more than the limits is an InputError with `file` here;
/// an InputError keeps its words.
void guarded(const std::string& file, const GuardLimits& limits, const std::function<void()>& read);

/// What became of a program that was started with limits.
struct ProgramRun {
  enum class End : std::uint8_t { exited, crashed, out_of_time, too_long };
  End end = End::exited;
  int status = 0;      ///< where it exited
  std::string output;  ///< what it printed; what it said of errors is heard by nobody
};
/// Starts `command` (a path and its arguments) with nothing to read. It may take three times its seconds of the
/// processor on the clock, `limits.memory` MiB in all, and print `longest` bytes.
ProgramRun run_guarded(const std::vector<std::string>& command, const GuardLimits& limits, std::size_t longest);

}  // namespace ricochet
