#pragma once
// Ctrl-C while a run has let go of the interpreter's lock. Python's own handler only notes the signal; whoever waits
// for a run of minutes wants more. Where the interpreter would raise KeyboardInterrupt anyway, the signal also sets the
// run's flag, which ends it inside a step; other handlers are called now and then, between steps.
#include <atomic>
#include <csignal>

#include "bindings.hpp"

namespace ricochet::python {

class Signals {
 public:
  /// In the main thread; elsewhere Python handles none, and this does nothing.
  explicit Signals(std::atomic<bool>& stop);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  bool in_main_thread() const { return main_; }

 private:
  bool main_ = false, installed_ = false;
  std::atomic<bool>* outer_ = nullptr;
  struct sigaction before_ {};
};

}  // namespace ricochet::python
