// Friction solvers side by side: Ricochet's `auto` (or the solver named) against each of Siconos', problem by problem,
// to e <= 1e-4, 1e-8, 1e-12, single-threaded; solves below 0.1 s by the shortest of several, longer ones in seconds of
// the processor.
//
//   bench_solvers [--peer PROGRAM] [--cache FILE.csv] [--profile PREFIX] [--solver NAME] [--limit S] [--factor F] FILES
//
// The peer's program is siconos/friction.cpp. A peer is stopped after S seconds (default 5) or F times (default 10) the
// fastest other peer on that problem; what it did is kept in the cache and not measured again. One that misses a
// tolerance is not asked for a smaller one. Printed: each problem, the virtual best of the peers, geometric means over
// the problems of at least 20 contacts that a peer solves.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/page/profile_plot.hpp"
#include "ricochet/solver/solver.hpp"

namespace {

using namespace ricochet;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::array<double, 3> kTolerances{1e-4, 1e-8, 1e-12};
constexpr std::array<const char*, 8> kPeers{"nsgs-ac", "nsgs-projection", "nsn-ac", "nsn-ac-hybrid",
                                            "admm",    "admm-balanced",   "vi-eg",  "prox"};

struct Arguments {
  std::string peer, cache, profile, solver = "auto";
  double limit = 5, factor = 10;
  std::vector<std::string> files;
};

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

struct Measured {
  double seconds = kNever;
  double error = kNever;
  double limit = 0;  ///< how long it was allowed to take
};

/// Peers by "problem,solver,tolerance"; lines of the cache are those three, the limit, seconds, error.
class Cache {
 public:
  explicit Cache(std::string path) : path_(std::move(path)) {
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) {
      std::array<std::string, 6> field;
      std::istringstream cut(line);
      for (std::string& f : field) std::getline(cut, f, ',');
      if (field[5].empty()) continue;
      known_[field[0] + "," + field[1] + "," + field[2]] = {std::stod(field[4]), std::stod(field[5]),
                                                            std::stod(field[3])};
    }
  }
  static std::string key(const std::string& problem, const std::string& solver, double tolerance) {
    return fmt::format("{},{},{:.0e}", problem, solver, tolerance);
  }
  const Measured* find(const std::string& key) const {
    const auto at = known_.find(key);
    return at == known_.end() ? nullptr : &at->second;
  }
  void add(const std::string& key, const Measured& m) {
    known_[key] = m;
    if (!path_.empty())
      std::ofstream(path_, std::ios::app) << fmt::format("{},{},{:.6e},{:.3e}\n", key, m.limit, m.seconds, m.error);
  }

 private:
  std::string path_;
  std::map<std::string, Measured> known_;
};

Measured ask_peer(const Arguments& a, const std::string& file, const char* solver, double tolerance, double limit) {
  Measured out;
  out.limit = limit;
  const std::string command =
      fmt::format("OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 '{}' '{}' {} {:g} {:.4f} 2>/dev/null", a.peer, file, solver,
                  tolerance, limit);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char word[16] = "";
  double error = kNever, seconds = kNever;
  if (std::fscanf(pipe, "%15s %lf %lf", word, &error, &seconds) == 3 && std::string(word) == "solved") {
    out.seconds = seconds;
    out.error = error;
  }
  pclose(pipe);
  return out;
}

/// All peers on one problem to one tolerance.
std::array<double, kPeers.size()> peers(const Arguments& a, Cache& cache, const std::string& file, double tolerance) {
  std::array<double, kPeers.size()> seconds{};
  double best = kNever;
  for (std::size_t k = 0; k < kPeers.size(); ++k) {
    const std::string key = Cache::key(stem(file), kPeers[k], tolerance);
    bool hopeless = false;
    for (double easier : kTolerances) {
      const Measured* m = easier > tolerance ? cache.find(Cache::key(stem(file), kPeers[k], easier)) : nullptr;
      hopeless = hopeless || (m != nullptr && !std::isfinite(m->seconds));
    }
    const double limit = std::min(a.limit, std::max(0.02, a.factor * best));
    const Measured* known = cache.find(key);
    if (known == nullptr && !a.peer.empty()) {
      cache.add(key, hopeless ? Measured{kNever, kNever, 0} : ask_peer(a, file, kPeers[k], tolerance, limit));
      known = cache.find(key);
    }
    seconds[k] = known == nullptr ? kNever : known->seconds;
    best = std::min(best, seconds[k]);
  }
  return seconds;
}

Measured ours(const Solver& solver, const Problem& problem, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.criterion = Criterion::relative;
  Solution solution;
  SolverScratch scratch;
  Measured out;
  double total = 0;
  for (int repeat = 0; repeat < 50 && (repeat < 2 || total < 0.05); ++repeat) {
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    const double wall = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    solver.solve(problem, options, solution, scratch);
    const double passed = seconds_of(CLOCK_MONOTONIC) - wall;
    const double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    const double seconds = passed > 0.1 && used > 0.05 ? std::min(passed, used) : passed;
    total += seconds;
    if (repeat == 0 || seconds < out.limit) out.limit = seconds;
    if (total > 5) break;
  }
  out.error = relative_error(problem, solution.p.data(), solution.u.data());
  if (out.error <= tolerance) out.seconds = out.limit;
  return out;
}

struct Mean {
  double logs = 0;
  int count = 0, worse = 0;
  void add(double ratio) { logs += std::log(ratio), ++count, worse += ratio > 1 ? 1 : 0; }
  double value() const { return count > 0 ? std::exp(logs / count) : std::nan(""); }
};

void compare(const Arguments& a, const Solver& solver) {
  Cache cache(a.cache);
  for (const double tolerance : kTolerances) {
    std::vector<ProfileMethod> methods(kPeers.size() + 1);
    methods[0].name = "ricochet " + a.solver;
    for (std::size_t k = 0; k < kPeers.size(); ++k) methods[k + 1].name = std::string("Siconos ") + kPeers[k];
    Mean mean;
    int solved = 0, peer_solved = 0;
    fmt::print("\ne <= {:.0e}\n{:<40} {:>8} {:>11} {:>9} {:>11} {:<16} {:>7}\n", tolerance, "problem", "contacts",
               "ours, s", "e", "peer, s", "by", "ratio");
    for (const std::string& file : a.files) {
      const LoadedProblem loaded = make_problem(read_problem(file));
      const Measured mine = ours(solver, loaded.problem, tolerance);
      const auto theirs = peers(a, cache, file, tolerance);
      const auto best = std::min_element(theirs.begin(), theirs.end());
      const auto contacts = loaded.problem.blocks.size();
      methods[0].seconds.push_back(mine.seconds);
      for (std::size_t k = 0; k < kPeers.size(); ++k) methods[k + 1].seconds.push_back(theirs[k]);
      solved += std::isfinite(mine.seconds) ? 1 : 0;
      peer_solved += std::isfinite(*best) ? 1 : 0;
      const bool both = std::isfinite(*best);
      const double ratio = mine.limit / *best;
      if (both && contacts >= 20) mean.add(ratio);
      fmt::print("{:<40} {:>8} {:>11.3e} {:>9.1e} {:>11.3e} {:<16} {:>7}{}\n", stem(file), contacts, mine.limit,
                 mine.error, *best, both ? kPeers[static_cast<std::size_t>(best - theirs.begin())] : "-",
                 both ? fmt::format("{:.3f}", ratio) : "-", std::isfinite(mine.seconds) ? "" : "  NOT SOLVED");
      std::fflush(stdout);
    }
    fmt::print(
        "solved: {} of {}; by some peer: {}; geometric mean of ours / virtual best over {} problems of 20 contacts "
        "and more: {:.3f} (slower on {})\n",
        solved, a.files.size(), peer_solved, mean.count, mean.value(), mean.worse);
    if (!a.profile.empty())
      std::ofstream(fmt::format("{}-{:.0e}.svg", a.profile, tolerance))
          << profile_plot(fmt::format("{} friction problems to e = {:.0e}", a.files.size(), tolerance), methods);
  }
}

int usage() {
  fmt::print(stderr,
             "usage: bench_solvers [--peer PROGRAM] [--cache FILE.csv] [--profile PREFIX] [--solver NAME] "
             "[--limit SECONDS] [--factor F] FILES\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (!word.starts_with("--")) {
      a.files.push_back(word);
      continue;
    }
    if (++k == argc) return usage();
    if (word == "--peer") {
      a.peer = argv[k];
    } else if (word == "--cache") {
      a.cache = argv[k];
    } else if (word == "--profile") {
      a.profile = argv[k];
    } else if (word == "--solver") {
      a.solver = argv[k];
    } else if (word == "--limit") {
      a.limit = std::stod(argv[k]);
    } else if (word == "--factor") {
      a.factor = std::stod(argv[k]);
    } else {
      return usage();
    }
  }
  const Solver* solver = find_solver(a.solver);
  if (a.files.empty() || solver == nullptr) return usage();
  try {
    compare(a, *solver);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solvers: {}\n", error.what());
    return 2;
  }
  return 0;
}
