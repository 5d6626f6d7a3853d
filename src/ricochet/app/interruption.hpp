#pragma once
// Ctrl-C and SIGTERM. The first asks whatever is running to come to its end, a second ends the program at once.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace ricochet::app {

std::atomic<bool>& stop_requested();
int stop_signal();  ///< 0: none

/// Listens to the signals as long as it lives. Work that has not ended half a second after the signal, since it is deep
/// in a step, is given up: `last_words` is called on a thread of its own, and the program ends with what it returns. No
/// value: the work came to its end after all.
class Interruption {
 public:
  explicit Interruption(std::function<std::optional<int>()> last_words);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace ricochet::app
