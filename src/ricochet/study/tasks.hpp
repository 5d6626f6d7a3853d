#pragma once
// Runs of studies, comparisons and galleries on the cores of this machine, each run a task of its own.
#include <cstddef>
#include <functional>

namespace ricochet {

struct Tasks {
  std::size_t count = 0;
  int threads = 0;  ///< 0: all cores
  /// Of 0 ... count - 1, from any thread; whoever is free takes the next one.
  std::function<void(std::size_t)> task;
  /// From the caller's thread, after every task and at least ten times a second. None: nobody watches.
  std::function<void()> watch{};
  /// Asked before every task: no further one is begun.
  std::function<bool()> stop{};
};

/// Returns when all that were begun are done. What a task throws ends the others before they begin, and is thrown on;
/// of several the one of the first task.
void run_tasks(const Tasks& tasks);

}  // namespace ricochet
