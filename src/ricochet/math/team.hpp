#pragma once
// A few threads that wait for loops to share. What a loop computes must not depend on who computes which part of it:
// every number comes out of the same operations in the same order, and sums over parts are formed in the order of the
// parts. Then one thread and many give the same bits.
//
// Between two loops the threads wait awake for a millisecond, letting others go first, before they sleep: a solve is
// hundreds of loops, and to be woken takes longer than most of them.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace ricochet {

class Team {
 public:
  /// The caller and size - 1 threads.
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// body(0) ... body(size - 1), each on a thread of its own; returns when all are done. A body must not throw, and
  /// must not run anything on the same team.
  template <class Body>
  void run(Body&& body) {
    start([](const void* context, int part) { (*static_cast<const std::remove_reference_t<Body>*>(context))(part); },
          &body);
  }

 private:
  void start(void (*call)(const void*, int), const void* context);
  void serve(int part);

  void (*call_)(const void*, int) = nullptr;
  const void* context_ = nullptr;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::int32_t> busy_{0};
  bool leave_ = false;
  std::vector<std::thread> threads_;
};

/// A team that comes into being when the first loop is worth sharing: until then nobody waits for anything.
class Crew {
 public:
  /// At most so many threads, the caller's included. Not between two loops of one step.
  void allow(int threads) {
    if (threads != allowed_) team_.reset();
    allowed_ = threads;
  }
  int allowed() const { return allowed_; }
  /// Null: the caller is alone.
  Team* team() {
    if (allowed_ > 1 && !team_) team_ = std::make_unique<Team>(allowed_);
    return team_.get();
  }
  /// How many have shared a loop so far.
  int at_work() const { return team_ ? team_->size() : 1; }

 private:
  int allowed_ = 1;
  std::unique_ptr<Team> team_;
};

/// One turn of a wait for another thread.
inline void pause_briefly(int turn) {
  if (turn < 1000) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } else {
    std::this_thread::yield();
  }
}

/// body(begin, end) of ranges that make up 0 ... count, on the team if there is one and `count` is worth it.
template <class Body>
void share(Team* team, int count, int worth, Body body) {
  if (team == nullptr || count < worth) {
    body(0, count);
    return;
  }
  const std::int64_t parts = team->size(), n = count;
  team->run([&](int part) { body(static_cast<int>(n * part / parts), static_cast<int>(n * (part + 1) / parts)); });
}

/// The crew's team where `count` is worth one, else null.
inline Team* team_for(Crew* crew, int count, int worth) {
  return crew == nullptr || count < worth ? nullptr : crew->team();
}

/// share with a crew, which may be null.
template <class Body>
void share(Crew* crew, int count, int worth, Body body) {
  share(team_for(crew, count, worth), count, worth, body);
}

/// body(part, begin, end) of all of them, one part for each of the team: what a part finds has a place of its own, and
/// the places in their order hold what one thread would have found. Null: one part.
template <class Body>
void share_parts(Team* team, int count, Body body) {
  if (team == nullptr) return body(0, 0, count);
  const std::int64_t parts = team->size(), n = count;
  team->run(
      [&](int part) { body(part, static_cast<int>(n * part / parts), static_cast<int>(n * (part + 1) / parts)); });
}
inline std::size_t parts_of(const Team* team) { return team == nullptr ? 1 : static_cast<std::size_t>(team->size()); }

/// body(task) of 0 ... count, whoever is free taking the next one.
template <class Body>
void take_turns(Team& team, int count, Body body) {
  std::atomic<int> next{0};
  team.run([&](int part) {
    for (int task = next.fetch_add(1); task < count; task = next.fetch_add(1)) body(task, part);
  });
}

}  // namespace ricochet
