#include "ricochet/app/interruption.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

namespace ricochet::app {
namespace {

constexpr int kPatience = 500;  // milliseconds

std::atomic<bool> stop{false};
volatile std::sig_atomic_t caught = 0;
int bell[2] = {-1, -1};  // a pipe: a signal handler may do no more than write

void on_signal(int number) {
  caught = number;
  stop.store(true);
  [[maybe_unused]] const ssize_t rung = write(bell[1], "s", 1);
  std::signal(number, SIG_DFL);
}

bool rings(int milliseconds) {
  pollfd wait_for{bell[0], POLLIN, 0};
  char what = 0;
  return poll(&wait_for, 1, milliseconds) > 0 && read(bell[0], &what, 1) == 1;
}

}  // namespace

std::atomic<bool>& stop_requested() { return stop; }
int stop_signal() { return caught; }

struct Interruption::Watch {
  std::function<std::optional<int>()> last_words;
  std::atomic<bool> done{false};
  std::thread thread;

  void wait() {
    while (!done.load() && caught == 0) rings(-1);
    // The end of the work rings too.
    if (!done.load()) rings(kPatience);
    if (done.load()) return;
    std::optional<int> status;
    try {
      status = last_words();
    } catch (const std::exception& error) {
      fmt::print(stderr, "ricochet: {}\n", error.what());
      status = 3;
    }
    if (!status) return;
    std::fflush(stdout);
    _exit(*status);
  }
};

Interruption::Interruption(std::function<std::optional<int>()> last_words) : watch_(std::make_unique<Watch>()) {
  if (bell[0] < 0 && pipe2(bell, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error("no pipe for signals can be made");
  watch_->last_words = std::move(last_words);
  watch_->thread = std::thread([this] { watch_->wait(); });
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, on_signal);
}

Interruption::~Interruption() {
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
  watch_->done.store(true);
  [[maybe_unused]] const ssize_t rung = write(bell[1], "d", 1);
  watch_->thread.join();
}

}  // namespace ricochet::app
