#include "ricochet/io/file/guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "ricochet/math/input_error.hpp"

namespace ricochet {
namespace {

// No codes that a process ends with for reasons of its own.
enum : int { kWell = 0, kRefused = 91, kNoMemory = 92 };

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void send(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t done = write(to, text.data() + at, text.size() - at);
    if (done <= 0) return;
    at += static_cast<std::size_t>(done);
  }
}

std::string receive(int from) {
  std::string out;
  char piece[4096];
  for (;;) {
    const ssize_t done = read(from, piece, sizeof piece);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return out;
    out.append(piece, static_cast<std::size_t>(done));
  }
}

void drop_signals() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_DFL);
}

[[noreturn]] void child(int answer, const GuardLimits& limits, const std::function<void()>& read) {
  // What a library says of its own end is for nobody.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  drop_signals();
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
  if (const std::uint64_t here = address_space(); here > 0) limit(RLIMIT_AS, here + (limits.memory << 20));
  int status = kWell;
  try {
    read();
  } catch (const InputError& error) {
    send(answer, error.where + '\0' + error.message);
    status = kRefused;
  } catch (const std::bad_alloc&) {
    status = kNoMemory;
  } catch (const std::exception& error) {
    send(answer, '\0' + std::string(error.what()));
    status = kRefused;
  }
  _exit(status);
}

// Only what is allowed after fork() in a process with threads.
[[noreturn]] void become(char* const* command, int output, const GuardLimits& limits) {
  if (const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  dup2(output, STDOUT_FILENO);
  drop_signals();
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
  limit(RLIMIT_AS, limits.memory << 20);
  limit(RLIMIT_FSIZE, 0);
  execv(command[0], command);
  _exit(127);
}

enum class Receipt : std::uint8_t { whole, late, long_one };
/// Reads until the end, a time, or so many bytes.
Receipt receive(int from, std::chrono::steady_clock::time_point until, std::size_t longest, std::string& out) {
  char piece[65536];
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Receipt::late;
    pollfd ready{from, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left, 1000))) <= 0) continue;
    const ssize_t done = read(from, piece, sizeof piece);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return Receipt::whole;
    out.append(piece, static_cast<std::size_t>(done));
    if (out.size() > longest) return Receipt::long_one;
  }
}

int await(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

pid_t fork_child() {
  const pid_t parent = getpid();
  const pid_t out = fork();
  if (out != 0) return out;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  limit(RLIMIT_CORE, 0);
  return 0;
}

GuardLimits guard_limits(std::uint64_t bytes) {
  return {2 + static_cast<int>(bytes / 2'000'000), 256 + 2 * (bytes >> 20)};
}

void guarded(const std::string& file, const GuardLimits& limits, const std::function<void()>& read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a reader can be made");
  const pid_t reader = fork_child();
  if (reader == 0) child(ends[1], limits, read);
  close(ends[1]);
  const std::string answer = reader > 0 ? receive(ends[0]) : "";
  close(ends[0]);
  if (reader < 0) throw std::runtime_error("no process for a reader can be made");
  const int status = await(reader);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kWell) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused) {
    const std::size_t middle = std::min(answer.find('\0'), answer.size());
    const std::string where = answer.substr(0, middle);
    throw InputError(where.empty() ? file : where, answer.substr(std::min(middle + 1, answer.size())));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMemory)
    throw InputError(file, fmt::format("the file is damaged: reading it takes more than {} MiB", limits.memory));
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    throw InputError(file, fmt::format("the file is damaged: reading it does not end within {} s", limits.seconds));
  throw InputError(file, "the file is damaged: the library that reads it breaks");
}

ProgramRun run_guarded(const std::vector<std::string>& command, const GuardLimits& limits, std::size_t longest) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a reader can be made");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3 * limits.seconds);
  const pid_t program = fork_child();
  if (program == 0) become(words.data(), ends[1], limits);
  close(ends[1]);
  ProgramRun out;
  const Receipt receipt = program > 0 ? receive(ends[0], until, longest, out.output) : Receipt::whole;
  close(ends[0]);
  if (program < 0) throw std::runtime_error("no process for a reader can be made");
  if (receipt != Receipt::whole) kill(program, SIGKILL);
  const int status = await(program);
  using End = ProgramRun::End;
  if (receipt != Receipt::whole) {
    out.end = receipt == Receipt::late ? End::out_of_time : End::too_long;
  } else if (WIFSIGNALED(status)) {
    out.end = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? End::out_of_time : End::crashed;
  } else {
    out.status = WEXITSTATUS(status);
  }
  return out;
}

}  // namespace ricochet
