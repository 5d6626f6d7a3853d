#include "ricochet/math/team.hpp"

namespace ricochet {
namespace {

constexpr int kTurns = 3000;  ///< of waiting before a thread sleeps: a millisecond or so

/// Until the value is not `old`.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int turn = 0; turn < kTurns; ++turn) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly(turn);
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(int size) {
  for (int part = 1; part < size; ++part) threads_.emplace_back([this, part] { serve(part); });
}

Team::~Team() {
  leave_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::start(void (*call)(const void*, int), const void* context) {
  call_ = call, context_ = context;
  busy_.store(static_cast<std::int32_t>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  call(context, 0);
  for (std::int32_t left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire))
    wait_while(busy_, left);
}

void Team::serve(int part) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(round_, seen);
    if (leave_) return;
    call_(context_, part);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace ricochet
