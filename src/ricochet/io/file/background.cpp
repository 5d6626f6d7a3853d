#include "ricochet/io/file/background.hpp"

namespace ricochet {

Background::~Background() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard hold(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Background::post(std::function<void()> job) {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return jobs_.size() <= kWaiting; });
  check();
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return jobs_.empty(); });
  check();
}

void Background::work() {
  std::unique_lock hold(mutex_);
  while (true) {
    changed_.wait(hold, [&] { return !jobs_.empty() || closing_; });
    if (jobs_.empty()) return;
    if (!failure_) {
      std::function<void()>& job = jobs_.front();
      hold.unlock();
      std::exception_ptr failure;
      try {
        job();
      } catch (...) {
        failure = std::current_exception();
      }
      hold.lock();
      failure_ = failure;
    }
    jobs_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace ricochet
