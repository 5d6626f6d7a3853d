// ricochet solve: complementarity and friction problems from files, with one solver or with all.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ricochet/app/command.hpp"
#include "ricochet/app/picture.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/io/file/guard.hpp"
#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/page/profile_plot.hpp"
#include "ricochet/solver/infeasibility.hpp"
#include "ricochet/solver/measures.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct SolveSettings {
  std::vector<std::string> problems;
  std::string solver = "auto", output, profile, convert;
  double tolerance = 1e-8, time_limit = 10, relaxation = 0;
  int max_iterations = 0, threads = 1;
  bool all = false, json = false, minimum_norm = false;
};

/// What is known of one solver on one problem.
struct Outcome {
  SolveStatus status = SolveStatus::singular;
  bool finished = false;  ///< else the time limit struck, or the solver crashed
  bool solved = false;
  int iterations = 0;
  int blame = -1;
  ErrorParts parts;
  double error = 0, round_off = 0, peer = 0, seconds = 0;
  double norm = 0;     ///< |r|
  bool least = false;  ///< of all r with the same velocities
};

Outcome attempt(const Solver& solver, const Problem& problem, const SolverOptions& options, Solution& solution,
                SolverScratch& scratch) {
  Outcome out;
  double total = 0;
  // Short solves are repeated: the first one pays for memory.
  for (int repeat = 0; repeat < 20 && (repeat == 0 || total < 0.02); ++repeat) {
    solution.fit(problem.rows);
    std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
    const auto begin = Clock::now();
    solver.solve(problem, options, solution, scratch);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    out.seconds = repeat == 0 ? seconds : std::min(out.seconds, seconds);
    total += seconds;
  }
  out.finished = true;
  out.status = solution.status;
  out.iterations = solution.iterations;
  out.blame = solution.blame;
  out.parts = error_parts(problem, solution.p.data(), solution.u.data());
  out.error = out.parts.larger();
  out.peer = peer_error(problem, solution.p.data(), solution.u.data());
  out.round_off = round_off_error(problem, solution.p.data());
  out.solved = out.status == SolveStatus::converged;
  for (int i = 0; i < problem.rows; ++i) out.norm += solution.p[i] * solution.p[i];
  out.norm = std::sqrt(out.norm);
  out.least = options.minimum_norm && solution.minimum_norm;
  return out;
}

/// The same in a process of its own that is ended when its time is up.
Outcome attempt_within(double limit, const Solver& solver, const Problem& problem, const SolverOptions& options,
                       int threads) {
  Outcome out;
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to a solver can be made");
  std::fflush(stdout);
  const pid_t child = fork_child();
  if (child < 0) throw std::runtime_error("no process for a solver can be made");
  if (child == 0) {
    close(ends[0]);
    Solution solution;
    SolverScratch scratch;
    scratch.crew.allow(threads);
    const Outcome mine = attempt(solver, problem, options, solution, scratch);
    const bool sent = write(ends[1], &mine, sizeof mine) == static_cast<ssize_t>(sizeof mine);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  pollfd wait_for{ends[0], POLLIN, 0};
  const bool answered = poll(&wait_for, 1, static_cast<int>(1000 * limit)) > 0;
  if (!answered || read(ends[0], &out, sizeof out) != static_cast<ssize_t>(sizeof out)) {
    out = Outcome{};
    out.error = out.parts.impulse = out.parts.velocity = std::nan("");
    out.round_off = out.peer = out.seconds = out.norm = std::nan("");
  }
  close(ends[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return out;
}

std::string time_text(double seconds) {
  if (!(seconds >= 0)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.2f} ms", 1e3 * seconds) : fmt::format("{:.2f} s", seconds);
}

std::string size_text(const ProblemData& data) {
  if (data.kind == ProblemKind::lcp) return fmt::format("{} rows", data.rows());
  if (data.kind == ProblemKind::mlcp) {
    int free = 0;
    for (const ConeBlock& block : data.blocks) free += block.cone == Cone::free ? block.dim : 0;
    return fmt::format("{} equalities, {} rows", free, data.rows() - free);
  }
  const int dim = data.blocks.empty() ? 3 : data.blocks.front().dim;
  return fmt::format("{} {}, {}D", data.blocks.size(), data.kind == ProblemKind::cone ? "cones" : "contacts", dim);
}

std::string status_text(const Outcome& o) { return !o.finished ? "stopped" : o.solved ? "solved" : name(o.status); }

/// r and u (and v of a global problem) in the order of the file: FCLIB's group /solution, or columns of text.
void write_solution(const std::string& path, const ProblemData& data, const LoadedProblem& loaded,
                    const Solution& solution) {
  const int m = data.rows();
  VectorXd r(m), u(m);
  for (int i = 0; i < m; ++i) {
    r[loaded.row_of[static_cast<std::size_t>(i)]] = solution.p[i];
    u[loaded.row_of[static_cast<std::size_t>(i)]] = solution.u[i];
  }
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".h5" || ending == ".hdf5") {
    write_problem(path, data);
    h5::File file = h5::File::open_writable(path);
    const h5::Group group = file.root().group("solution");
    const auto put = [&](const char* name, const VectorXd& x) {
      group.write(name, std::span<const double>(x.data(), static_cast<std::size_t>(x.size())));
    };
    put("r", r);
    put("u", u);
    if (data.kind == ProblemKind::global_friction) put("v", global_velocity(data.global, r.data()));
    file.flush();
    return;
  }
  OutputFile out(path);
  out.write("# row, r (impulse, z), u (velocity, w)\n");
  for (int i = 0; i < m; ++i) out.write(fmt::format("{} {:.17g} {:.17g}\n", i, r[i], u[i]));
  out.commit();
}

/// Weights of rows of the file, 1 in all, that prove that there is no solution: what they make of u is at most
/// -closing.
struct Proof {
  Infeasibility check;
  std::vector<std::pair<int, double>> weights;
};

Proof proof_of(const LoadedProblem& loaded, const Solution& solution) {
  Proof out;
  if (solution.status != SolveStatus::infeasible) return out;
  const double* d = solution.proof.data();
  out.check = check_infeasibility(loaded.problem, d);
  double sum = 0;
  for (int i = 0; i < loaded.problem.rows; ++i) sum += std::abs(d[i]);
  for (int i = 0; i < loaded.problem.rows; ++i)
    if (d[i] != 0) out.weights.emplace_back(loaded.row_of[static_cast<std::size_t>(i)], d[i] / sum);
  return out;
}

std::string proof_text(const Proof& proof) {
  constexpr std::size_t kShown = 6;
  if (proof.weights.empty()) return {};
  std::string sum;
  for (std::size_t k = 0; k < std::min(kShown, proof.weights.size()); ++k)
    sum += fmt::format("{}{:.6g} u[{}]", k > 0 ? " + " : "", proof.weights[k].second, proof.weights[k].first);
  if (proof.weights.size() > kShown) sum += fmt::format(" + ... ({} rows, see --json)", proof.weights.size());
  sum += fmt::format(" <= {:.6g} for all impulses", -proof.check.closing);
  if (std::isfinite(proof.check.reach)) sum += fmt::format(" up to {:.1e} times those of the loads", proof.check.reach);
  return sum;
}

struct Line {
  std::string problem;
  const ProblemData* data;
  std::string solver;
  Outcome outcome;
  std::string blame;
  Proof proof;
};

void print_lines(const std::vector<Line>& lines, bool norms) {
  std::vector<std::vector<std::string>> rows{{"problem", "size", "solver", "status", "iterations", "e, impulses",
                                              "e, velocities", "round-off", "map, rho=1", "time"}};
  if (norms) rows[0].push_back("|r|");
  std::string last;
  for (const Line& line : lines) {
    const Outcome& o = line.outcome;
    const bool again = line.problem == last;
    last = line.problem;
    rows.push_back({again ? "" : fs::path(line.problem).filename().string(), again ? "" : size_text(*line.data),
                    line.solver, status_text(o), o.finished ? fmt::format("{}", o.iterations) : "-",
                    o.finished ? fmt::format("{:.1e}", o.parts.impulse) : "-",
                    o.finished ? fmt::format("{:.1e}", o.parts.velocity) : "-",
                    o.finished ? fmt::format("{:.0e}", o.round_off) : "-",
                    o.finished ? fmt::format("{:.1e}", o.peer) : "-", time_text(o.seconds)});
    if (norms)
      rows.back().push_back(o.finished ? fmt::format("{:.6g}, {}", o.norm, o.least ? "least" : "not least") : "-");
  }
  fmt::print("{}", table(rows, ""));
}

void print_json(const std::vector<Line>& lines, double tolerance) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    const Outcome& o = line.outcome;
    nlohmann::ordered_json j;
    j["problem"] = line.problem;
    j["kind"] = name(line.data->kind);
    j["rows"] = line.data->rows();
    j["blocks"] = line.data->blocks.size();
    j["solver"] = line.solver;
    j["tolerance"] = tolerance;
    j["status"] = status_text(o);
    j["solved"] = o.solved;
    j["iterations"] = o.iterations;
    const auto number = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nullptr; };
    j["error"] = number(o.error);
    j["error_impulse"] = number(o.parts.impulse);
    j["error_velocity"] = number(o.parts.velocity);
    j["round_off"] = number(o.round_off);
    j["natural_map_rho_1"] = number(o.peer);
    j["seconds"] = number(o.seconds);
    j["norm"] = number(o.norm);
    j["minimum_norm"] = o.least;
    if (!line.blame.empty()) j["blame"] = line.blame;
    if (!line.proof.weights.empty()) {
      nlohmann::ordered_json& proof = j["proof"];
      proof["closing"] = line.proof.check.closing;
      proof["reach"] = number(line.proof.check.reach);
      for (const auto& [row, weight] : line.proof.weights) proof["weights"].push_back({row, weight});
    }
    all.push_back(std::move(j));
  }
  fmt::print("{}\n", all.dump(2));
}

void write_profile(const std::string& path, const std::vector<Line>& lines, double tolerance) {
  std::vector<ProfileMethod> methods;
  std::vector<std::string> problems;
  for (const Line& line : lines)
    if (problems.empty() || problems.back() != line.problem) problems.push_back(line.problem);
  for (const Solver* solver : solvers()) {
    ProfileMethod method{solver->info().name,
                         std::vector<double>(problems.size(), std::numeric_limits<double>::infinity())};
    std::size_t problem = 0;
    for (const Line& line : lines) {
      while (problems[problem] != line.problem) ++problem;
      if (line.solver == method.name && line.outcome.solved) method.seconds[problem] = line.outcome.seconds;
    }
    methods.push_back(std::move(method));
  }
  write_picture(profile_plot(fmt::format("{} problems to e = {:.0e}", problems.size(), tolerance), methods), 3, path);
}

std::string blame_text(const Outcome& o, const LoadedProblem& loaded) {
  if (o.solved || o.blame < 0 || o.blame >= static_cast<int>(loaded.block_of.size())) return {};
  const ConeBlock& block = loaded.problem.blocks[static_cast<std::size_t>(o.blame)];
  return fmt::format("{} {}",
                     block.cone == Cone::free ? "equality"
                     : block.dim > 1          ? "contact"
                                              : "row",
                     loaded.block_of[static_cast<std::size_t>(o.blame)]);
}

const Solver& solver_named(const std::string& name) {
  if (const Solver* solver = find_solver(name)) return *solver;
  std::vector<std::string> names;
  for (const Solver* solver : solvers()) names.push_back(solver->info().name);
  throw InputError("--solver", unknown_word("solver", name, names));
}

/// Everything about one file; true if it was solved.
bool solve_file(const SolveSettings& a, const std::string& path, const ProblemData& data, std::vector<Line>& lines) {
  const LoadedProblem loaded = make_problem(data);
  SolverOptions options;
  options.tolerance = a.tolerance;
  options.criterion = Criterion::relative;
  options.max_iterations = a.max_iterations;
  options.relaxation = a.relaxation;
  options.minimum_norm = a.minimum_norm;
  bool solved = false;
  const auto note = [&](const Solver& solver, const Outcome& outcome, const Proof& proof) {
    solved = solved || outcome.solved;
    lines.push_back({path, &data, solver.info().name, outcome, blame_text(outcome, loaded), proof});
  };
  if (!a.all) {
    const Solver& solver = solver_named(a.solver);
    if (!solver.accepts(loaded.problem))
      throw InputError(path, fmt::format("the solver '{}' does not accept this problem; it accepts: {}", a.solver,
                                         solver.info().accepts));
    Solution solution;
    SolverScratch scratch;
    scratch.crew.allow(a.threads);
    const Outcome outcome = attempt(solver, loaded.problem, options, solution, scratch);
    note(solver, outcome, proof_of(loaded, solution));
    if (!a.output.empty()) write_solution(a.output, data, loaded, solution);
    return solved;
  }
  for (const Solver* solver : solvers())
    if (solver->accepts(loaded.problem))
      note(*solver, attempt_within(a.time_limit, *solver, loaded.problem, options, a.threads), {});
  return solved;
}

int solve_files(const SolveSettings& a) {
  if (!(a.tolerance > 0) || !std::isfinite(a.tolerance))
    throw InputError("--tolerance", fmt::format("is {}; accepted: above 0", a.tolerance));
  if (!(a.time_limit > 0) || a.time_limit > 1e6)
    throw InputError("--time-limit", fmt::format("is {}; accepted: above 0, up to 1e6 s", a.time_limit));
  if (!(a.relaxation >= 0 && a.relaxation < 2))
    throw InputError("--relaxation",
                     fmt::format("is {}; accepted: below 2, and 0 for the solver's own choice", a.relaxation));
  if (!a.profile.empty() && !a.all)
    throw InputError("--profile", "compares solvers; accepted: together with --all-solvers");
  if (!a.output.empty() && (a.all || a.problems.size() > 1))
    throw InputError("--output", "holds one solution; accepted: one problem, without --all-solvers");
  if (!a.convert.empty() && a.problems.size() > 1) throw InputError("--convert", "accepted: with one problem");
  if (!a.profile.empty()) check_picture(a.profile);
  for (const std::string& file : {a.output, a.convert})
    if (!file.empty()) check_output(file);
  solver_named(a.solver);
  std::vector<ProblemData> data;
  for (const std::string& path : a.problems) data.push_back(read_problem(path));
  if (!a.convert.empty()) {
    write_problem(a.convert, data.front());
    return kDone;
  }
  std::vector<Line> lines;
  std::vector<std::string> unsolved;
  for (std::size_t k = 0; k < data.size(); ++k) {
    if (solve_file(a, a.problems[k], data[k], lines)) continue;
    std::string what = fmt::format("{}: not solved to {:g}", a.problems[k], a.tolerance);
    if (!a.all)
      what += fmt::format(" ({}, error of impulses {:.1e}, of velocities {:.1e})", status_text(lines.back().outcome),
                          lines.back().outcome.parts.impulse, lines.back().outcome.parts.velocity);
    for (const Line& line : lines)
      if (line.problem == a.problems[k] && !line.blame.empty()) {
        what += fmt::format("; {} cannot be satisfied", line.blame);
        if (const std::string proof = proof_text(line.proof); !proof.empty()) what += "; proof: " + proof;
        break;
      }
    unsolved.push_back(what);
  }
  a.json ? print_json(lines, a.tolerance) : print_lines(lines, a.minimum_norm);
  if (!a.profile.empty()) write_profile(a.profile, lines, a.tolerance);
  std::fflush(stdout);
  for (const std::string& what : unsolved) fmt::print(stderr, "ricochet: {}\n", what);
  return unsolved.empty() ? kDone : kFailed;
}

}  // namespace

std::function<int()> declare_solve(Arguments& arguments) {
  auto a = std::make_shared<SolveSettings>();
  arguments
      .option("problems", a->problems,
              "files: fc3d, fc2d, lcp, cones; Siconos' .dat; FCLIB's .hdf5 (see docs/problem-files.md)")
      .required();
  arguments.option("--solver", a->solver, "as 'ricochet list solvers' names them; auto if left out");
  arguments.option("--tolerance", a->tolerance,
                   "on the relative error e, of impulses and of velocities; 1e-8 if left out");
  arguments.option("--max-iterations", a->max_iterations, "0: the solver's own limit").check(whole_number(0));
  arguments.option("--relaxation", a->relaxation,
                   "of projected-gauss-seidel: below 2, 1 is none; its own choice if left out");
  arguments.flag("--minimum-norm", a->minimum_norm,
                 "of all impulses that give the same velocities, those of minimum norm");
  arguments.option("--threads", a->threads, "that may share the work; the result is the same, bit for bit")
      .check(whole_number(1, 256));
  arguments.flag("--all-solvers", a->all, "every solver that accepts the problem, each in its own process");
  arguments.option("--time-limit", a->time_limit, "seconds for each solver with --all-solvers; 10 if left out");
  arguments.option("--profile", a->profile, "with --all-solvers: performance profile, FILE.svg or FILE.png");
  arguments.option("-o,--output,--dump", a->output, "write r and u: .hdf5 (with the problem), else text");
  arguments.option("--convert", a->convert, "only write the problem in the form of this file's ending");
  arguments.flag("--json", a->json, "as JSON on stdout, nothing else there");
  return [a] { return solve_files(*a); };
}

}  // namespace ricochet::app
