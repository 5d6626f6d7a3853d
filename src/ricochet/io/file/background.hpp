#pragma once
// Jobs that another thread does one after the other, in the order in which they were given.
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace ricochet {

class Background {
 public:
  Background() = default;
  /// Does what is left; what fails then is told to nobody.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Waits while too many jobs do. After a job has failed none is done any more, and its exception is thrown here.
  void post(std::function<void()> job);
  /// Until all jobs are done.
  void wait();

 private:
  static constexpr std::size_t kWaiting = 2;
  void work();
  void check() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  ///< the first one is being done
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;  ///< from the first job on
};

}  // namespace ricochet
