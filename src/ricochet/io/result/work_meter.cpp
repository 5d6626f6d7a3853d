#include "ricochet/io/result/work_meter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>

namespace ricochet {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

WorkMeter::WorkMeter() {
  perf_event_attr what;
  std::memset(&what, 0, sizeof what);
  what.size = sizeof what;
  what.type = PERF_TYPE_HARDWARE;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  counter_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
  started_ = thread_seconds();
}

WorkMeter::~WorkMeter() {
  if (counter_ >= 0) close(counter_);
}

double WorkMeter::seconds() const { return thread_seconds() - started_; }

double WorkMeter::instructions() const {
  std::uint64_t count = 0;
  if (counter_ < 0 || read(counter_, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return -1;
  return static_cast<double>(count);
}

}  // namespace ricochet
