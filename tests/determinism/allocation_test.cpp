// No heap allocation per step once a run is under way: every call of malloc is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "support/many_bodies.hpp"
#include "support/runs.hpp"
#include "support/stacks.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RICOCHET_COUNTS_ALLOCATIONS 0
#else
#define RICOCHET_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> g_allocations = 0;  // other tests of this program have threads
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

namespace ricochet::test::allocation_test {
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

/// Sparse W, islands, joints inside the matrix, redundant ones too.
TEST(Allocation, NonePerStepOfManyBodies) {
  if (!RICOCHET_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer owns the allocator";
  const auto count = [](const System& system, const char* scheme) {
    const auto made = make_scheme(scheme);
    RunState r = begin_run(system.model, *made, system.initial);
    Policy policy;
    policy.step = 1e-3, policy.until = 0.06;
    Counter counter;
    counter.half = 30;
    const RunResult result = run(system.model, *made, r, policy, &counter);
    EXPECT_EQ(result.status, RunStatus::finished) << scheme;
    EXPECT_EQ(counter.at_end - counter.at_half, 0) << scheme;
  };
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "newmark"}) {
    count(boxes_on_a_plane(20, true), scheme);
    count(hanging_chains({.links = 20, .tips = 2, .floor = -0.001}), scheme);
    count(hanging_chains({.links = 3, .copies = 4, .twice = true}), scheme);
  }
}

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
      if (entry.info.two_impulses) continue;  // it still takes memory in each step
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

/// Solves twice with one scratch, from nothing; the allocations of the second time.
long allocations_of_the_second_solve(const Problem& problem, const SolverOptions& options) {
  SolverScratch scratch;
  Solution solution;
  long made[2];
  for (long& count : made) {
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    const long before = g_allocations;
    find_solver("auto")->solve(problem, options, solution, scratch);
    count = g_allocations - before;
  }
  EXPECT_EQ(solution.status, SolveStatus::converged) << problem.rows;
  EXPECT_TRUE(made[0] > 0 || problem.rows <= 60);  // few contacts live on the stack
  return made[1];
}

TEST(Allocation, NoneInASolveWhoseSizeRepeats) {
  if (!RICOCHET_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer owns the allocator";
  std::vector<Problem> problems;
  for (const int height : {1, 2, 5, 10, 30, 75}) {
    test::Boxes column(static_cast<unsigned>(height));
    column.column(0, height);  // 4 to 300 contacts in one piece
    problems.push_back(column.problem(0.4));
  }
  test::Boxes wall(1), stacks(2);
  wall.wall(6, 6);
  for (int k = 0; k < 10; ++k) stacks.column(3 * k, 1 + k);
  problems.push_back(wall.problem(0.5, 0.05));
  problems.push_back(stacks.problem(0.4));
  for (const Problem& problem : problems)
    for (const Criterion criterion : {Criterion::velocity, Criterion::relative})
      for (const double tolerance : {1e-4, 1e-10}) {
        const SolverOptions options{tolerance, 0, criterion};
        EXPECT_EQ(allocations_of_the_second_solve(problem, options), 0) << problem.rows << " rows, blocks";
        if (problem.rows > 300) continue;
        Problem dense = problem;
        std::vector<double> all(static_cast<std::size_t>(problem.rows) * problem.rows);
        problem.W.copy_dense(all.data());
        std::copy(all.begin(), all.end(), dense.W.make_dense(problem.rows));
        EXPECT_EQ(allocations_of_the_second_solve(dense, options), 0) << problem.rows << " rows, dense";
      }
}

}  // namespace
}  // namespace ricochet::test::allocation_test
