#pragma once
// Long work without the interpreter's lock. When the interpreter ends, a daemon thread that asks for the lock again is
// unwound by force, which C++ does not survive: so the end waits until all such work is over, and asks it to stop.
#include <atomic>

#include "bindings.hpp"

namespace ricochet::python {

class Unlocked {
 public:
  /// `stop` is set when the interpreter ends; null: what runs cannot be stopped. std::runtime_error if it ends already.
  explicit Unlocked(std::atomic<bool>* stop = nullptr) : entry_(stop) {}

 private:
  struct Entry {
    explicit Entry(std::atomic<bool>* stop);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    std::atomic<bool>* stop;
  };
  Entry entry_;  // leaves after the lock is held again
  py::gil_scoped_release released_;
};

/// Registers the wait with Python's atexit.
void wait_at_exit();

}  // namespace ricochet::python
