// Islands and threads: stacks that stand apart against one of them, and a wall in one piece, with one thread and with
// several. Ratios of the shortest of several solves, taken in turn so that both see the same machine.
//
//   bench_islands [THREADS [TOLERANCE]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "ricochet/solver/solver.hpp"
#include "support/stacks.hpp"

namespace {

using namespace ricochet;

struct Run {
  explicit Run(const Problem& problem_, int threads) : problem(problem_) { scratch.threads = threads; }
  void solve(double tolerance) {
    SolverOptions options;
    options.tolerance = tolerance;
    options.criterion = Criterion::relative;
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    const auto begin = std::chrono::steady_clock::now();
    find_solver("auto")->solve(problem, options, solution, scratch);
    seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  const Problem& problem;
  Solution solution;
  SolverScratch scratch;
  double seconds = 1e9;
};

void compare(const std::string& what, const Problem& problem, int threads, double tolerance) {
  Run one(problem, 1), many(problem, threads);
  double total = 0;
  for (int repeat = 0; repeat < 200 && (repeat < 3 || total < 2); ++repeat) {
    one.solve(tolerance), many.solve(tolerance);
    total += one.seconds + many.seconds;
  }
  const bool same = std::memcmp(one.solution.p.data(), many.solution.p.data(),
                                static_cast<std::size_t>(problem.rows) * sizeof(double)) == 0;
  fmt::print("{:30} {:6} contacts  {:10}  {:9.3f} ms  with {} threads {:9.3f} ms  {:.2f} times as fast, {}\n", what,
             problem.rows / 3, name(one.solution.status), 1e3 * one.seconds, threads, 1e3 * many.seconds,
             one.seconds / many.seconds, same ? "same bits" : "OTHER BITS");
}

Problem stacks(int count, int height) {
  testing::Boxes boxes;
  for (int k = 0; k < count; ++k) boxes.column(3 * k, height);
  return boxes.problem(0.5, 0.02);
}

Problem wall(int width, int height) {
  testing::Boxes boxes;
  boxes.wall(width, height);
  return boxes.problem(0.5, 0.02);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const double tolerance = argc > 2 ? std::atof(argv[2]) : 1e-8;
  const Problem alone = stacks(1, 10), apart = stacks(50, 10);
  Run single(alone, 1), fifty(apart, 1);
  for (int repeat = 0; repeat < 50; ++repeat) single.solve(tolerance), fifty.solve(tolerance);
  fmt::print("a stack of 10 boxes alone {:.3f} ms, each of 50 apart {:.3f} ms\n", 1e3 * single.seconds,
             1e3 * fifty.seconds / 50);
  compare("50 stacks of 10 boxes", apart, threads, tolerance);
  compare("wall of 5 x 6 bricks", wall(5, 6), threads, tolerance);
  compare("wall of 10 x 10 bricks", wall(10, 10), threads, tolerance);
  compare("wall of 20 x 15 bricks", wall(20, 15), threads, tolerance);
  compare("wall of 25 x 20 bricks", wall(25, 20), threads, tolerance);
}
