// The problems that the project ships, dumped from its own scenes: every solver that accepts one solves it, and all
// find the same velocities, which are unique although the impulses of redundant corners are not.
#include <gtest/gtest.h>

#include <filesystem>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/paths.hpp"

namespace ricochet::shipped_problems_test {
namespace {

TEST(ShippedProblems, EverySolverFindsTheSameVelocities) {
  int problems = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RICOCHET_SOURCE_DIR "/problems")) {
    if (entry.path().extension() != ".cones") continue;
    ++problems;
    const LoadedProblem loaded = make_problem(read_problem(entry.path()));
    const Problem& problem = loaded.problem;
    const SolverOptions options{1e-12, 0, Criterion::relative};
    Solution reference;
    for (const Solver* solver : solvers()) {  // auto comes first
      if (!solver->accepts(problem)) continue;
      Solution solution;
      SolverScratch scratch;
      solution.fit(problem.rows);
      solver->solve(problem, options, solution, scratch);
      const std::string where = entry.path().filename().string() + ", " + solver->info().name;
      EXPECT_EQ(solution.status, SolveStatus::converged) << where;
      EXPECT_LE(relative_error(problem, solution.p.data(), solution.u.data()), 1e-12) << where;  // measured: 8.5e-13
      if (reference.rows == 0) {
        reference.fit(problem.rows);
        for (int i = 0; i < problem.rows; ++i) reference.u[i] = solution.u[i];
      }
      double size = 0;
      for (int i = 0; i < problem.rows; ++i) size = std::max(size, std::abs(problem.b[i]));
      for (int i = 0; i < problem.rows; ++i) EXPECT_NEAR(solution.u[i], reference.u[i], 1e-9 * size) << where;
    }
  }
  EXPECT_EQ(problems, 5);
}

}  // namespace
}  // namespace ricochet::shipped_problems_test
