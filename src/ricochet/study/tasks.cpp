#include "ricochet/study/tasks.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ricochet {
namespace {

class Pool {
 public:
  explicit Pool(const Tasks& tasks) : tasks_(tasks) {}

  void run() {
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const auto most = static_cast<int>(std::min<std::size_t>(tasks_.count, 1 << 16));
    busy_ = std::min(tasks_.threads > 0 ? tasks_.threads : cores, most);
    std::vector<std::thread> threads;
    for (int k = busy_; k > 0; --k) threads.emplace_back([this] { work(); });
    watch();
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work() {
    std::unique_lock lock(guard_);
    while (next_ < tasks_.count && !error_ && !(tasks_.stop && tasks_.stop())) {
      const std::size_t k = next_++;
      lock.unlock();
      std::exception_ptr error;
      try {
        tasks_.task(k);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && (!error_ || k < failed_)) error_ = error, failed_ = k;
      ended_ = true;
      changed_.notify_one();
    }
    --busy_;
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(guard_);
    while (busy_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return ended_ || busy_ == 0; });
      ended_ = false;
      if (!tasks_.watch) continue;
      lock.unlock();
      tasks_.watch();
      lock.lock();
    }
  }

  const Tasks& tasks_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::size_t next_ = 0, failed_ = 0;
  int busy_ = 0;
  bool ended_ = false;
  std::exception_ptr error_;
};

}  // namespace

void run_tasks(const Tasks& tasks) { Pool(tasks).run(); }

}  // namespace ricochet
