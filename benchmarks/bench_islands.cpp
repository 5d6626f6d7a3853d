// Islands and threads: stacks that stand apart against one of them, and a wall in one piece, with one thread and with
// several. Ratios of the shortest of several solves, taken in turn so that both see the same machine.
//
//   bench_islands [THREADS [TOLERANCE]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "ricochet/solver/solver.hpp"
#include "support/stacks.hpp"

namespace {

using namespace ricochet;

struct Run {
  explicit Run(const Problem& problem_, int threads) : problem(problem_) { scratch.crew.allow(threads); }
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

std::vector<Problem> stacks(int count, int height) {
  std::vector<Problem> out;
  for (int k = 0; k < count; ++k) {
    test::Boxes boxes(static_cast<unsigned>(k));
    boxes.column(0, height);
    out.push_back(boxes.problem(0.5, 0.02));
  }
  return out;
}

Problem wall(int width, int height) {
  test::Boxes boxes;
  boxes.wall(width, height);
  return boxes.problem(0.5, 0.02);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const double tolerance = argc > 2 ? std::atof(argv[2]) : 1e-8;
  const std::vector<Problem> parts = stacks(50, 10);
  const Problem apart = test::join(parts, false).problem;
  Run all(apart, 1);
  std::vector<std::unique_ptr<Run>> each;
  for (const Problem& part : parts) each.push_back(std::make_unique<Run>(part, 1));
  for (int repeat = 0; repeat < 50; ++repeat) {
    all.solve(tolerance);
    for (auto& run : each) run->solve(tolerance);
  }
  double sum = 0;
  for (const auto& run : each) sum += run->seconds;
  fmt::print("50 stacks of 10 boxes one after another {:.3f} ms, as islands of one problem {:.3f} ms\n", 1e3 * sum,
             1e3 * all.seconds);
  compare("50 stacks of 10 boxes", apart, threads, tolerance);
  compare("wall of 5 x 6 bricks", wall(5, 6), threads, tolerance);
  compare("wall of 10 x 10 bricks", wall(10, 10), threads, tolerance);
  compare("wall of 20 x 15 bricks", wall(20, 15), threads, tolerance);
  compare("wall of 25 x 20 bricks", wall(25, 20), threads, tolerance);
}
