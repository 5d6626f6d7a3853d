#include "ricochet/app/browser.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "ricochet/app/interruption.hpp"

namespace ricochet::app {

void open_in_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const pid_t child = fork();
  if (child == 0) {
    // a grandchild, so that nobody has to wait for it
    if (fork() == 0) execlp("xdg-open", "xdg-open", address.c_str(), static_cast<char*>(nullptr));
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void serve_until_interrupted(const view::Server& server, bool open) {
  fmt::print("View: {} (Ctrl-C ends)\n", server.address());
  std::fflush(stdout);
  if (open) open_in_browser(server.address());
  while (!stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace ricochet::app
