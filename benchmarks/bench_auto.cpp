// `auto` against the best of the other solvers, problem by problem: each solver from p = 0 in a process of its own, in
// seconds of the processor, the shortest of several solves if they are short. With a peer's program
// (siconos/friction.cpp) Siconos' NSGS is asked in the same run.
//
//   bench_auto [--tolerance T] [--limit S] [--peer PROGRAM] [--solvers A,B,...] [--all] FILES
//
// A solver ends after S seconds of the processor (default 10). Printed for each problem: contacts, auto's iterations
// and time, the fastest other solver's, their ratio, NSGS' time and the ratio to it; --all adds the time of every
// solver. At the end the geometric mean of auto / best over the problems that some solver solves.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/solver.hpp"

namespace {

using namespace ricochet;
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Arguments {
  double tolerance = 1e-8, limit = 10;
  std::string peer, solvers;
  bool all = false;
  std::vector<std::string> files;
};

/// What comes back from a process.
struct Measured {
  double seconds = kNever, error = kNever;
  int iterations = 0;
};

/// Of the thread: that of a process whose seconds are limited goes forward in ticks of some milliseconds.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Measured solve(const Solver& solver, const Problem& problem, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.criterion = Criterion::relative;
  Solution solution;
  Measured out;
  double total = 0;
  for (int repeat = 0; repeat < 200 && (repeat < 2 || total < 0.05); ++repeat) {
    SolverScratch scratch;
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    const double begin = processor_seconds();
    solver.solve(problem, options, solution, scratch);
    const double passed = processor_seconds() - begin;
    total += passed;
    out.seconds = std::min(out.seconds, passed);
    if (total > 0.5) break;
  }
  out.error = relative_error(problem, solution.p.data(), solution.u.data());
  out.iterations = solution.iterations;
  if (!(out.error <= tolerance)) out.seconds = kNever;
  return out;
}

/// The same in a process that ends after the limit.
Measured measure(const Arguments& a, const Solver& solver, const Problem& problem) {
  Measured out;
  int ends[2];
  if (pipe(ends) != 0) return out;
  const pid_t child = fork();
  if (child == 0) {
    const auto seconds = static_cast<rlim_t>(std::ceil(a.limit));
    const rlimit most{seconds, seconds};
    setrlimit(RLIMIT_CPU, &most);
    const Measured mine = solve(solver, problem, a.tolerance);
    const bool whole = write(ends[1], &mine, sizeof mine) == static_cast<ssize_t>(sizeof mine);
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  Measured got;
  if (read(ends[0], &got, sizeof got) == static_cast<ssize_t>(sizeof got)) out = got;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return out;
}

double ask_peer(const Arguments& a, const std::string& file) {
  if (a.peer.empty() || std::filesystem::path(file).extension() != ".fc3d") return kNever;
  const std::string command =
      fmt::format("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 '{}' '{}' nsgs-ac {:g} {:g} 2>/dev/null", a.peer, file,
                  a.tolerance, a.limit);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return kNever;
  char word[16] = "";
  double error = kNever, seconds = kNever;
  const bool solved = std::fscanf(pipe, "%15s %lf %lf", word, &error, &seconds) == 3 && std::string(word) == "solved";
  pclose(pipe);
  return solved ? seconds : kNever;
}

std::string time_of(double seconds) { return std::isfinite(seconds) ? fmt::format("{:.3e}", seconds) : "-"; }
std::string ratio_of(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) ? fmt::format("{:.2f}", a / b) : "-";
}

/// Whether a solver is among those to be compared; all are if none is named.
bool asked(const Arguments& a, const std::string& name) {
  return a.solvers.empty() || name == "auto" || ("," + a.solvers + ",").find("," + name + ",") != std::string::npos;
}

void compare(const Arguments& a) {
  double logs = 0;
  int count = 0, missed = 0;
  fmt::print("{:<44} {:>8} {:>6} {:>10} {:>10} {:<26} {:>7} {:>10} {:>7}\n", "problem", "contacts", "its", "auto, s",
             "best, s", "by", "ratio", "NSGS, s", "ratio");
  for (const std::string& file : a.files) {
    const LoadedProblem loaded = make_problem(read_problem(file));
    const Problem& problem = loaded.problem;
    Measured own, best;
    std::string by, others;
    for (const Solver* solver : solvers()) {
      if (!solver->accepts(problem) || !asked(a, solver->info().name)) continue;
      const Measured m = measure(a, *solver, problem);
      const bool is_auto = solver->info().name == "auto";
      if (is_auto) own = m;
      if (!is_auto && m.seconds < best.seconds) best = m, by = solver->info().name;
      if (a.all && !is_auto) others += fmt::format("  {} {}", solver->info().name, time_of(m.seconds));
    }
    const double peer = ask_peer(a, file);
    fmt::print("{:<44} {:>8} {:>6} {:>10} {:>10} {:<26} {:>7} {:>10} {:>7}{}\n",
               std::filesystem::path(file).filename().string(), problem.blocks.size(), own.iterations,
               time_of(own.seconds), time_of(best.seconds), by, ratio_of(own.seconds, best.seconds), time_of(peer),
               ratio_of(own.seconds, peer), others);
    std::fflush(stdout);
    if (!std::isfinite(own.seconds)) ++missed;
    if (!std::isfinite(own.seconds) || !std::isfinite(best.seconds)) continue;
    logs += std::log(own.seconds / best.seconds), ++count;
  }
  fmt::print("geometric mean of auto / best over {} problems: {:.3f}; missed by auto: {}\n", count,
             std::exp(logs / std::max(count, 1)), missed);
}

int usage() {
  fmt::print(
      stderr,
      "usage: bench_auto [--tolerance T] [--limit SECONDS] [--peer PROGRAM] [--solvers A,B,...] [--all] FILES\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (!word.starts_with("--")) {
      a.files.push_back(word);
    } else if (word == "--all") {
      a.all = true;
    } else if (++k == argc) {
      return usage();
    } else if (word == "--tolerance") {
      a.tolerance = std::stod(argv[k]);
    } else if (word == "--limit") {
      a.limit = std::stod(argv[k]);
    } else if (word == "--peer") {
      a.peer = argv[k];
    } else if (word == "--solvers") {
      a.solvers = argv[k];
    } else {
      return usage();
    }
  }
  if (a.files.empty()) return usage();
  try {
    compare(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_auto: {}\n", error.what());
    return 2;
  }
  return 0;
}
