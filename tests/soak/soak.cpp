// Random systems on every scheme of the table, each run in a process that may crash or hang without harm. What is done
// is kept in a file, to which every finished system adds its lines; a later call goes on from there.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "ricochet/io/scenario/scenario.hpp"
#include "soak/distances.hpp"
#include "soak/gaps.hpp"
#include "soak/generator.hpp"
#include "soak/judge.hpp"
#include "soak/loops.hpp"
#include "soak/records.hpp"
#include "soak/shrink.hpp"

namespace ricochet::soak {
namespace {

constexpr rlim_t kMemory = rlim_t{4} << 30;  ///< bytes of address space that a run may take

struct Settings {
  std::uint64_t seed = 1;
  std::int64_t systems = 1000, first = 0;
  double minutes = 0;
  double limit = 5;  ///< seconds of processor time for one run
  int jobs = 1;
  std::vector<std::string> schemes;
  std::string state, defects, table, commit;
  std::int64_t show = -1;
  bool shrink = false;
};

std::vector<const SchemeEntry*> chosen(const std::vector<std::string>& names) {
  std::vector<const SchemeEntry*> out;
  for (const SchemeEntry& entry : schemes())
    if (names.empty() || std::find(names.begin(), names.end(), entry.info.name) != names.end()) out.push_back(&entry);
  return out;
}

/// Processor time from now on; the signal ends the process.
void allow(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// In the child: one record a scheme into the pipe.
void run_schemes(const System& system, const std::vector<const SchemeEntry*>& entries, std::size_t first, double limit,
                 int pipe) {
  const rlimit memory{kMemory, kMemory}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  const auto send = [&](const std::string& line) {
    if (write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(4);
  };
  allow(limit);
  std::unique_ptr<Scenario> scenario;
  try {
    scenario = std::make_unique<Scenario>(read_scenario(system.yaml(), "system"));
  } catch (const std::exception& error) {
    for (std::size_t k = first; k < entries.size(); ++k) {
      Outcome out;
      out.verdict = Verdict::refused;
      out.what = error.what();
      send(line(entries[k]->info.name, out));
    }
    return;
  }
  for (std::size_t k = first; k < entries.size(); ++k) {
    allow(limit);
    send(line(entries[k]->info.name, run_and_judge({system, scenario->model, scenario->initial}, *entries[k])));
  }
}

/// Reads until the child closes the pipe or is silent for too long; false if it had to be ended.
bool receive(int pipe, double patience, std::string& text) {
  char buffer[4096];
  for (;;) {
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(1000 * patience));
    if (ready == 0) return false;
    const ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

std::vector<Record> run_system(const System& system, const std::vector<const SchemeEntry*>& entries, double limit) {
  std::vector<Record> out;
  while (out.size() < entries.size()) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
      close(ends[0]);
      run_schemes(system, entries, out.size(), limit, ends[1]);
      _exit(0);
    }
    close(ends[1]);
    std::string text;
    const bool answered = receive(ends[0], 20 * limit, text);
    close(ends[0]);
    if (!answered) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    for (Record& record : read_records(text)) out.push_back(std::move(record));
    if (out.size() >= entries.size()) break;
    // The scheme after the last one that answered is to blame.
    Record lost;
    lost.scheme = entries[out.size()]->info.name;
    const bool slow = !answered || (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF);
    lost.outcome.planted = planted(system, entries[out.size()]->info);
    lost.outcome.verdict = slow ? Verdict::hung : Verdict::crashed;
    lost.outcome.what = slow                  ? fmt::format("more than {} s", limit)
                        : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                              : fmt::format("exit {}", WEXITSTATUS(status));
    out.push_back(lost);
  }
  return out;
}

void write_defect(const Settings& s, std::int64_t index, const System& system, const Record& record) {
  std::filesystem::create_directories(s.defects);
  const std::string path = fmt::format("{}/{}-{}-{}.yaml", s.defects, record.scheme, s.seed, index);
  std::ofstream(path) << fmt::format("# {}: {} at t = {}\n# seed {}, system {}\n", name(record.outcome.verdict),
                                     record.outcome.what, record.outcome.at, s.seed, index)
                      << system.yaml(record.scheme);
}

std::string header(std::int64_t index, const System& system) {
  return fmt::format("system {} {} {} {} {} {} {:.3g}\n", index, system.kind, static_cast<int>(system.planted),
                     system.n, system.joints.size(), system.contacts.size(), system.stiffness());
}

/// One of the processes that share the systems.
void work(const Settings& s, int share, const std::set<std::int64_t>& done) {
  const auto entries = chosen(s.schemes);
  const int file = open(s.state.c_str(), O_WRONLY | O_APPEND);
  if (file < 0) throw std::runtime_error("cannot write " + s.state);
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t index = s.first + share; index < s.first + s.systems; index += s.jobs) {
    if (done.count(index) > 0) continue;
    if (s.minutes > 0 && std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(60 * s.minutes))
      break;
    const System system = generate(s.seed, static_cast<std::uint64_t>(index));
    std::string lines = header(index, system);
    for (const Record& record : run_system(system, entries, s.limit)) {
      lines += line(record.scheme, record.outcome);
      if (!is_defect(record.outcome.verdict)) continue;
      fmt::print("system {} ({}) {}: {}, {} at t = {}\n", index, system.kind, record.scheme,
                 name(record.outcome.verdict), record.outcome.what, record.outcome.at);
      if (!s.defects.empty()) write_defect(s, index, system, record);
    }
    if (write(file, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size()))
      throw std::runtime_error("cannot write " + s.state);
    std::fflush(stdout);
  }
  close(file);
}

/// The verdict and the kind of error, less its numbers and names.
std::string symptom(const Record& record) {
  const std::string& what = record.outcome.what;
  return name(record.outcome.verdict) + what.substr(0, std::min(what.find(" of "), what.find(':')));
}

void show(const Settings& s) {
  System system = generate(s.seed, static_cast<std::uint64_t>(s.show));
  const auto entries = chosen(s.schemes);
  if (s.shrink) {
    const Record record = run_system(system, {entries.front()}, s.limit).front();
    if (record.outcome.verdict == Verdict::ok || record.outcome.verdict == Verdict::not_offered)
      throw std::runtime_error("nothing is wrong with this one");
    const std::string wanted = symptom(record);
    system.planted = Planted::no;
    system = shrink(system, [&](const System& smaller) {
      return symptom(run_system(smaller, {entries.front()}, s.limit).front()) == wanted;
    });
  }
  fmt::print("# seed {}, system {}\n{}", s.seed, s.show, system.yaml(entries.size() == 1 ? s.schemes[0] : ""));
  for (const Record& record : run_system(system, entries, s.limit))
    fmt::print("# {}: {} {} at t = {} ({} steps, {:.0f} us, worst error {:.2g} of its limit)\n", record.scheme,
               name(record.outcome.verdict), record.outcome.what, record.outcome.at, record.outcome.steps,
               record.outcome.microseconds, record.outcome.ratio);
}

/// What the lines of a state belong to; lines of another program or of other schemes do not add up with these.
std::string title(const Settings& s) {
  std::string out = fmt::format("soak seed {} commit {} schemes", s.seed, s.commit.empty() ? "unknown" : s.commit);
  for (const SchemeEntry* entry : chosen(s.schemes)) out += " " + entry->info.name;
  return out;
}

/// Adds up what is done already, or begins.
std::set<std::int64_t> resume(const Settings& s) {
  std::filesystem::create_directories(std::filesystem::absolute(s.state).parent_path());
  std::ifstream in(s.state);
  if (!in) {
    std::ofstream(s.state) << title(s) << "\n";
    return {};
  }
  std::string first;
  std::getline(in, first);
  if (first != title(s))
    throw std::runtime_error(
        fmt::format("{} belongs to '{}': remove it, or name another with --state", s.state, first));
  return Tally().read(in);
}

int soak(const Settings& s) {
  if (s.show >= 0) {
    show(s);
    return 0;
  }
  const std::set<std::int64_t> done = resume(s);
  fmt::print("seed {}, systems {} to {}, {} already done, in {}\n", s.seed, s.first, s.first + s.systems - 1,
             done.size(), s.state);
  std::fflush(stdout);
  std::vector<pid_t> workers;
  for (int share = 0; share < s.jobs; ++share) {
    const pid_t worker = fork();
    if (worker < 0) throw std::runtime_error("no process");
    if (worker == 0) {
      work(s, share, done);
      _exit(0);
    }
    workers.push_back(worker);
  }
  bool all_ended = true;
  for (const pid_t worker : workers) {
    int status = 0;
    waitpid(worker, &status, 0);
    all_ended = all_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  std::ifstream in(s.state);
  Tally tally;
  tally.read(in);
  const std::string page = tally.markdown(s.seed, s.commit);
  fmt::print("{}", page);
  if (!s.table.empty()) replace_figures(s.table, page);
  return all_ended && tally.defects() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ricochet::soak

int main(int argc, char** argv) {
  ricochet::soak::Settings s;
  CLI::App app("Random systems on every scheme, judged from their trajectories");
  app.add_option("--seed", s.seed, "of the sequence of systems");
  app.add_option("--systems", s.systems, "how many");
  app.add_option("--first", s.first, "place of the first in the sequence");
  app.add_option("--minutes", s.minutes, "stop after this time; a later call goes on");
  app.add_option("--limit", s.limit, "seconds of processor time for one run");
  app.add_option("--scheme", s.schemes, "only these");
  app.add_option("--jobs", s.jobs, "processes that share the systems");
  app.add_option("--state", s.state, "file that holds what is done; by default soak-SEED.txt in build/soak");
  app.add_option("--defects", s.defects, "folder for the scenarios of defects");
  app.add_option("--table", s.table, "page whose figures are replaced");
  app.add_option("--commit", s.commit, "named in the table");
  app.add_option("--show", s.show, "print the scenario at this place and what becomes of it");
  app.add_flag("--shrink", s.shrink, "with --show: the smallest system that the first scheme treats alike");
  ricochet::soak::DistanceSettings distances;
  app.add_option("--distances", distances.pairs, "instead of systems: this many pairs of each two kinds of shapes");
  app.add_option("--pair", distances.only, "with --distances: these two kinds alone, as \"box cone\"");
  std::int64_t gaps = 0;
  app.add_option("--gaps", gaps, "instead of systems: this many poses of each pair of kinds of faces and edges");
  std::string face, rider;
  app.add_option("--face", face, "with --gaps: over this kind of face alone, as bore");
  app.add_option("--rider", rider, "with --gaps: this kind over it alone, as \"spline edge\"");
  std::int64_t loops = 0;
  app.add_option("--loops", loops, "instead of systems: this many mechanisms with redundant joints");
  CLI11_PARSE(app, argc, argv);
  if (loops > 0) return ricochet::soak::judge_loops(loops, s.seed) == 0 ? 0 : 1;
  if (gaps > 0) return ricochet::soak::judge_gaps(gaps, s.seed, face, rider) == 0 ? 0 : 1;
  distances.seed = s.seed, distances.first = s.first, distances.state = s.state, distances.minutes = s.minutes;
  if (s.state.empty()) s.state = fmt::format("build/soak/soak-{}.txt", s.seed);
  if (s.jobs < 1) s.jobs = 1;
  try {
    if (distances.pairs > 0) return ricochet::soak::judge_distances(distances) == 0 ? 0 : 1;
    return ricochet::soak::soak(s);
  } catch (const std::exception& error) {
    std::cerr << "soak: " << error.what() << "\n";
    return 1;
  }
}
