// One thread and many give the same bits.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/team.hpp"
#include "ricochet/solver/iterative/contacts.hpp"
#include "ricochet/solver/solver.hpp"
#include "support/problems.hpp"
#include "support/stacks.hpp"

namespace ricochet {
namespace {

Solution solve(const Problem& problem, const char* solver, SolverOptions options, int threads) {
  Solution solution;
  SolverScratch scratch;
  scratch.crew.allow(threads);
  find_solver(solver)->solve(problem, options, solution, scratch);
  return solution;
}

void expect_same_bits(const Problem& problem, const char* solver, const SolverOptions& options,
                      const std::string& what) {
  const Solution one = solve(problem, solver, options, 1);
  for (const int threads : {2, 3, 4}) {
    const Solution many = solve(problem, solver, options, threads);
    EXPECT_EQ(many.status, one.status) << what;
    EXPECT_EQ(many.iterations, one.iterations) << what;
    EXPECT_EQ(many.blame, one.blame) << what;
    const auto size = static_cast<std::size_t>(problem.rows) * sizeof(double);
    EXPECT_EQ(std::memcmp(many.p.data(), one.p.data(), size), 0) << what << ", " << threads << " threads";
    EXPECT_EQ(std::memcmp(many.u.data(), one.u.data(), size), 0) << what << ", " << threads << " threads";
    EXPECT_EQ(std::memcmp(&many.residual, &one.residual, sizeof(double)), 0) << what << ", " << threads << " threads";
  }
}

TEST(Threads, LoopsAreSharedWithoutGapsOrOverlaps) {
  for (const int size : {1, 2, 5}) {
    Team team(size);
    for (const int count : {0, 1, 3, 100, 1000}) {
      std::vector<int> touched(count, 0), taken(count, 0);
      share(&team, count, 0, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ++touched[i];
      });
      take_turns(team, count, [&](int task, int) { ++taken[task]; });
      EXPECT_EQ(touched, std::vector<int>(count, 1));
      EXPECT_EQ(taken, std::vector<int>(count, 1));
    }
  }
}

/// A crew hires when the first loop is worth it; then several threads do run, each its part.
TEST(Threads, ACrewIsAtWorkWhereItPays) {
  Crew crew;
  crew.allow(3);
  std::mutex guard;
  std::set<std::thread::id> who;
  const auto note = [&](int, int) {
    const std::lock_guard lock(guard);
    who.insert(std::this_thread::get_id());
  };
  share(&crew, 99, 100, note);
  EXPECT_EQ(crew.at_work(), 1);
  EXPECT_EQ(who.size(), 1U);
  share(&crew, 100, 100, note);
  EXPECT_EQ(crew.at_work(), 3);
  EXPECT_EQ(who.size(), 3U);
  share(static_cast<Crew*>(nullptr), 1000, 100, note);
  EXPECT_EQ(who.size(), 3U);
}

/// Spheres in columns that topple: contacts are evaluated by whoever is there.
TEST(Threads, PilesHaveTheSameBits) {
  const Scenario s = read_scenario(R"(name: pile
system:
  gravity: [1, 0.5, -9.81]
  collision: {friction: 0.3}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
  scenes:
    spheres: {grid: [6, 6, 5], body: {shapes: [{sphere: {radius: 0.05}, density: 1000}]}}
simulation: {scheme: combined, step: 2e-3, until: 0.01}
)",
                                   "test");
  const auto scheme = make_scheme(s.scheme, s.options);
  std::vector<RunState> ends;
  for (const int threads : {1, 2, 3}) {
    RunState run = begin_run(s.model, *scheme, s.initial);
    Policy policy = s.policy;
    policy.threads = threads;
    ASSERT_EQ(ricochet::run(s.model, *scheme, run, policy, nullptr).status, RunStatus::finished);
    ends.push_back(std::move(run));
  }
  EXPECT_GT(ends[0].summary.contacts_max, 200);
  for (const RunState& end : ends) {
    EXPECT_EQ(end.state.q, ends[0].state.q);
    EXPECT_EQ(end.state.v, ends[0].state.v);
    EXPECT_EQ(end.summary.solver_sum, ends[0].summary.solver_sum);
  }
}

TEST(Threads, FactorsOfAnySize) {
  for (const auto& [width, height] : {std::pair{2, 2}, {5, 4}, {9, 8}}) {
    testing::Boxes boxes(2);
    boxes.wall(width, height);
    detail::Contacts contacts;
    contacts.take(boxes.problem(0.5));
    for (int a = 0; a < contacts.n; ++a)
      for (int i = 0; i < 9; i += 4) contacts.W[9 * static_cast<std::size_t>(contacts.diagonal[a]) + i] += 0.1;
    const auto solve_with = [&](Team* team) {
      detail::BlockLU lu;
      lu.team = team, lu.worth = 0;
      lu.analyse(contacts.n, contacts.pointers, contacts.columns);
      std::vector<double> x;
      for (int repeat = 0; repeat < 10; ++repeat) {
        lu.factorise(contacts.W.data());
        x.assign(contacts.q.begin(), contacts.q.end());
        lu.solve(x.data());
      }
      return x;
    };
    const std::vector<double> one = solve_with(nullptr);
    std::vector<double> image(one.size());
    contacts.velocities(one.data(), image.data());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(image[i], 2 * contacts.q[i], 1e-12);
    for (const int threads : {2, 3, 4}) {
      Team team(threads);
      EXPECT_EQ(solve_with(&team), one) << contacts.n << " contacts, " << threads << " threads";
    }
  }
}

TEST(Threads, SeparateStacksAndOneWall) {
  testing::Boxes stacks(3), wall(5), large(7);
  for (int k = 0; k < 12; ++k) stacks.column(3 * k, 1 + 3 * k % 11);
  stacks.column(100, 40);  // more than its share
  wall.wall(6, 6);
  large.wall(11, 9);  // beyond the sizes from which loops are shared and sweeps coloured
  ASSERT_GT(large.contacts(), 640);
  const Problem problems[] = {stacks.problem(0.4), wall.problem(0.5, 0.05), large.problem(0.5, 0.02)};
  for (const Problem& problem : problems)
    for (const Criterion criterion : {Criterion::relative, Criterion::velocity}) {
      const SolverOptions options{1e-9, 0, criterion};
      EXPECT_EQ(solve(problem, "auto", options, 1).status, SolveStatus::converged) << problem.rows;
      expect_same_bits(problem, "auto", options, std::to_string(problem.rows) + " rows");
    }
  for (const char* solver : {"proximal-newton", "interior-point", "admm"})
    expect_same_bits(problems[2], solver, {1e-6, 30, Criterion::relative}, solver);
}

TEST(Threads, ShippedProblems) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(RICOCHET_SOURCE_DIR "/problems")) {
    if (file.path().extension() != ".cones") continue;
    const LoadedProblem loaded = make_problem(read_problem(file.path().string()));
    expect_same_bits(loaded.problem, "auto", {1e-12, 0, Criterion::relative}, file.path().string());
    ++count;
  }
  EXPECT_GT(count, 3);
}

TEST(Threads, PublishedProblems) {
  const auto files = testing::data_files("fclib/text");
  if (files.empty()) GTEST_SKIP() << testing::no_data();
  for (const std::string& file : files) {
    const LoadedProblem loaded = make_problem(read_problem(file));
    expect_same_bits(loaded.problem, "auto", {1e-4, 0, Criterion::relative}, file);
  }
}

}  // namespace
}  // namespace ricochet
