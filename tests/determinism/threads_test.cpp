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

namespace ricochet::threads_test {
namespace {

Solution solve(const Problem& problem, const char* solver, SolverOptions options, int threads) {
  Solution solution;
  SolverScratch scratch;
  scratch.crew.allow(threads);
  find_solver(solver)->solve(problem, options, solution, scratch);
  return solution;
}

void expect_same_bits(const Problem& problem, const char* solver, const SolverOptions& options, const std::string& what,
                      std::initializer_list<int> numbers = {2, 3, 4}) {
  const Solution one = solve(problem, solver, options, 1);
  for (const int threads : numbers) {
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

/// Enough shapes, and pairs of them, for both phases of the search to be shared, and the look at the end of a step.
TEST(Threads, ContactsAreTheSameWhoeverFindsThem) {
  const Scenario s = read_scenario(R"(name: heap
system:
  gravity: [0, 0, -9.81]
  collision: {friction: 0.3}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
  scenes:
    boxes: {packing: [8, 8, 6], seed: 3, body: {shapes: [{box: {size: [0.1, 0.08, 0.06]}, density: 1000}]}}
    spheres: {packing: [8, 8, 4], seed: 4, at: [0, 0, 1.5], body: {shapes: [{sphere: {radius: 0.05}, density: 1000}]}}
simulation: {scheme: combined, step: 1e-3, until: 0.01}
)",
                                   "test");
  ASSERT_GT(s.model.body_names().size(), 600U);
  const Point at{0, s.initial.q, s.initial.v};
  const std::vector<char> asleep = [&] {  // every third
    std::vector<char> out(static_cast<std::size_t>(s.model.nv()), 0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i / 6 % 3 == 0 ? 1 : 0;
    return out;
  }();
  VectorXd lower = s.initial.q;  // every other body sinks into the next
  for (Index i = 2; i < lower.size(); i += 14) lower[i] -= 0.06;
  struct Found {
    std::vector<Candidate> all, awake;
    std::vector<int> touched;
    double deepest;
  };
  std::vector<Found> found(3);
  for (int threads = 1; threads <= 3; ++threads) {
    Found& f = found[static_cast<std::size_t>(threads - 1)];
    Crew crew;
    crew.allow(threads);
    s.model.awake_candidates(at, 0.1, {nullptr, nullptr, &crew}, f.all);
    s.model.awake_candidates(at, 0.1, {asleep.data(), &f.touched, &crew}, f.awake);
    f.deepest = s.model.overlooked(s.initial.q, lower, f.all, &crew);
    EXPECT_EQ(crew.at_work(), threads);
  }
  EXPECT_GT(found[0].all.size(), 1000U);
  EXPECT_LT(found[0].awake.size(), found[0].all.size());
  EXPECT_GT(found[0].touched.size(), 100U);
  EXPECT_GT(found[0].deepest, 0.1);
  EXPECT_TRUE(std::is_sorted(found[0].all.begin(), found[0].all.end(),
                             [](const Candidate& a, const Candidate& b) { return a.key < b.key; }));
  const auto same = [](const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Candidate& x, const Candidate& y) {
      return x.key == y.key && x.aim == y.aim && x.bodies == y.bodies && x.law == y.law;
    });
  };
  for (const Found& f : found) {
    EXPECT_TRUE(same(f.all, found[0].all));
    EXPECT_TRUE(same(f.awake, found[0].awake));
    EXPECT_EQ(f.touched, found[0].touched);
    EXPECT_EQ(f.deepest, found[0].deepest);
  }
}

TEST(Threads, FactorsOfAnySize) {
  for (const auto& [width, height] : {std::pair{2, 2}, {5, 4}, {9, 8}}) {
    test::Boxes boxes(2);
    boxes.wall(width, height);
    detail::Contacts contacts;
    contacts.take(boxes.problem(0.5), nullptr);
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
  test::Boxes stacks(3), wall(5), large(7);
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

/// Every so many of the published problems.
void expect_published_same(std::size_t every, std::initializer_list<int> numbers) {
  const auto files = test::data_files("fclib/text");
  if (files.empty()) GTEST_SKIP() << test::no_data();
  for (std::size_t k = 0; k < files.size(); k += every) {
    const LoadedProblem loaded = make_problem(read_problem(files[k]));
    expect_same_bits(loaded.problem, "auto", {1e-4, 0, Criterion::relative}, files[k], numbers);
  }
}
TEST(Threads, PublishedProblems) { expect_published_same(3, {2}); }
TEST(LongThreads, PublishedProblems) { expect_published_same(1, {2, 3, 4}); }

}  // namespace
}  // namespace ricochet::threads_test
