// Problems of ../shared/data/found that `auto` was slow on: the verdict, the error computed anew, and the work in
// sweeps and systems, which depends on no clock. How long they take: benchmarks/bench_auto.cpp.
#include <gtest/gtest.h>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/problems.hpp"
#include "support/runs.hpp"

namespace ricochet::test::found_problems_test {
namespace {

std::string found(const std::string& file) { return (test::data_folder() / "found" / file).string(); }

/// `auto` to 1e-8 in at most so many sweeps and systems.
void expect_solved(const std::string& file, int iterations) {
  const LoadedProblem loaded = make_problem(read_problem(found(file)));
  const Problem& problem = loaded.problem;
  Solution solution;
  SolverScratch scratch;
  find_solver("auto")->solve(problem, {1e-8, 0, Criterion::relative}, solution, scratch);
  ASSERT_EQ(solution.status, SolveStatus::converged);
  std::vector<double> u(problem.rows);
  Buffer room;
  problem.W.apply(solution.p.data(), u.data(), room);
  for (int i = 0; i < problem.rows; ++i) u[i] += problem.b[i];
  EXPECT_LE(relative_error(problem, solution.p.data(), u.data()), 1e-8);
  EXPECT_LE(solution.iterations, iterations);
}

/// 48 accelerated sweeps, as dear as half a factorisation; ten sweeps and eight systems took ten times as long.
TEST(ProblemsFound, pyr3_1024_r1) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  expect_solved("pyr3-1024-r1.fc3d", 60);
}

/// 120 accelerated sweeps; 139 systems, a sweep's cost eighty times each, took sixty times as long.
TEST(ProblemsFound, shot_1148_e1) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  expect_solved("shot-1148-e1.fc3d", 150);
}

/// Friction of 1.5: sweeps, interior point and Newton stall, the central path comes near and Newton ends it: 154 in
/// all. More than a thousand systems did not.
TEST(ProblemsFound, planted_1148_mu1_5_jam) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  expect_solved("planted-1148-mu1.5-jam.fc3d", 200);
}

/// 23: twelve sweeps, interior point and Newton on sparse blocks; no pivot.
TEST(ProblemsFound, wall2_100_r1) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  expect_solved("wall2-100-r1.fc2d", 35);
}

/// Towers of 740 and 760 blocks in the plane, below and above 1,500 rows: the same way, nearly the same work.
TEST(ProblemsFound, tower_linear_2d) {
  if (test::data_files("found").empty()) GTEST_SKIP() << test::no_data();
  std::int64_t work[2];
  for (const int k : {0, 1}) {
    const Trajectory run =
        simulate(load_scenario(found(k == 0 ? "tower-linear-2d-740-1.yaml" : "tower-linear-2d-760-1.yaml")));
    ASSERT_EQ(run.result.status, RunStatus::finished) << name(run.result.failure.status);
    work[k] = run.end.summary.solver_sum;
    // measured: 7.3e-14 m/s, 1.4e-12 m/s; towers of 740 m have a velocity scale of 1024 m/s
    EXPECT_LE(run.end.summary.certificate.complementarity, 1e-12 * run.end.state.scales->velocity);
    EXPECT_LE(work[k], 250);  // measured: 106, 126
  }
  EXPECT_LE(work[1], 3 * work[0]);
}

}  // namespace
}  // namespace ricochet::test::found_problems_test
