// No heap allocation per step once a run is under way: every call of malloc is counted.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/runs.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define RICOCHET_COUNTS_ALLOCATIONS 0
#else
#define RICOCHET_COUNTS_ALLOCATIONS 1
#endif

namespace {
long g_allocations = 0;
}

#if RICOCHET_COUNTS_ALLOCATIONS
// malloc itself, because Eigen does not go through operator new
extern "C" {
void* __libc_malloc(std::size_t);
void* malloc(std::size_t n) {
  ++g_allocations;
  return __libc_malloc(n);
}
}
#endif

namespace ricochet::test {
namespace {

class Counter final : public Observer {
 public:
  void step(const State&, const State&, const StepReport&) override {
    ++steps;
    if (steps == half) at_half = g_allocations;
    at_end = g_allocations;
  }
  long half = 0, steps = 0, at_half = 0, at_end = 0;
};

TEST(Allocation, NonePerStepInTheSteadyState) {
  if (!RICOCHET_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer owns the allocator";
  struct Example {
    const char* name;
    std::vector<std::string> overrides;
    bool friction = false, rotations = false;
  };
  const std::vector<Example> examples = {
      // whole steps: a last shorter one has its own operator. The second half is after the accumulation, when
      // everything
      // that can happen has happened once; impacts without end are the elastic ball's.
      {"bouncing-ball", {"simulation.until=5200*1.3e-3"}},
      {"bouncing-ball-elastic", {"simulation.until=5200*1.3e-3"}},
      {"rocking-block", {"system.formulas.parameters.mu=0.3"}, true},
      {"bouncing-pendulum", {"simulation.until=11"}},
      {"slider-crank", {"simulation.until=0.1"}, true},
      // small enough for schemes that are explicit in the forces
      {"elastic-bar", {"system.bar.elements=100", "simulation.step=1e-7", "simulation.until=1e-4"}},
      {"rigid-box", {"simulation.until=1.2"}, false, true}};
  for (const SchemeEntry& entry : schemes())
    for (const Example& e : examples) {
      const std::string& scheme = entry.info.name;
      if (entry.info.impact_order == 0 || (e.friction && !entry.info.friction) ||
          (e.rotations && !entry.info.rotations))
        continue;
      auto overrides = e.overrides;
      overrides.push_back("simulation.scheme=" + scheme);
      const Scenario s = load_scenario(e.name, overrides);
      const auto made = make_scheme(s.scheme, s.options);
      RunState r = begin_run(s.model, *made, s.initial);
      Counter counter;
      counter.half = static_cast<long>((s.policy.until - r.t_begin) / s.policy.step) / 2;
      const RunResult result = run(s.model, *made, r, s.policy, &counter);
      ASSERT_EQ(result.status, RunStatus::finished) << e.name << " " << scheme;
      EXPECT_GT(counter.steps, counter.half);
      EXPECT_EQ(counter.at_end - counter.at_half, 0) << e.name << " " << scheme;
    }
}

}  // namespace
}  // namespace ricochet::test
