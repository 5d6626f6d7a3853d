#pragma once
// A view on every problem that is solved in this thread, for whoever wants to keep them. What it sees it cannot change.
#include "ricochet/solver/problem.hpp"

namespace ricochet {

class SolveTap {
 public:
  virtual ~SolveTap() = default;
  virtual void solved(const Problem& problem, const Solution& solution) = 0;
};

/// The tap of this thread; null: none.
SolveTap* solve_tap();

/// Sets the tap of this thread as long as it lives.
class TapScope {
 public:
  explicit TapScope(SolveTap* tap);
  ~TapScope();
  TapScope(const TapScope&) = delete;
  TapScope& operator=(const TapScope&) = delete;

 private:
  SolveTap* before_;
};

}  // namespace ricochet
