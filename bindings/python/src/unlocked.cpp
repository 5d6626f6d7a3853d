#include "unlocked.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

namespace ricochet::python {
namespace {

struct Registry {
  std::mutex mutex;
  std::condition_variable changed;
  std::multiset<std::atomic<bool>*> running;
  bool ending = false;
};

// Never destroyed: threads may outlive everything.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

void end_all() {
  Registry& all = registry();
  while (true) {
    {
      const py::gil_scoped_release released;
      std::unique_lock hold(all.mutex);
      all.ending = true;
      for (std::atomic<bool>* stop : all.running)
        if (stop != nullptr) stop->store(true);
      if (all.changed.wait_for(hold, std::chrono::milliseconds(100), [&] { return all.running.empty(); })) return;
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

}  // namespace

Unlocked::Entry::Entry(std::atomic<bool>* asked) : stop(asked) {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  if (all.ending) throw std::runtime_error("the interpreter is ending");
  all.running.insert(stop);
}

Unlocked::Entry::~Entry() {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  all.running.erase(all.running.find(stop));
  all.changed.notify_all();
}

void wait_at_exit() { py::module_::import("atexit").attr("register")(py::cpp_function(&end_all)); }

}  // namespace ricochet::python
