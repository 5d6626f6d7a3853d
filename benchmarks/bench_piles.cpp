// Piles: ten boxes in a stack, columns of four boxes, and spheres packed on a lattice between walls, at rest. Nothing
// is recorded. Printed for each: bodies, contacts, milliseconds of the processor and of the clock a step after the
// first one, which finds the impulses from nothing and stands apart; the largest memory of the process beyond what it
// has before it reads anything, over the bodies; the certificate, and the exponent of the processor's time by the
// contacts from one size to the next.
//
//   bench_piles [--threads N] [--steps N] [--sleeping 1] stack | columns N ... | hit N ... | packing K ...
//   bench_piles --text columns N       prints the scenario
//
// columns N: N columns of four.  hit N: a ball flies into the first of them, after some 20 steps.  packing K: layers of
// K x K spheres and of (K - 1) x (K - 1) in their hollows, K layers.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "ricochet/io/scenario/scenario.hpp"

namespace {

using namespace ricochet;

struct Times {
  double processor = 0, clock = 0;
};

Times now() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const double clock = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return {static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec), clock};
}

double kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

std::string beginning(double friction) {
  return fmt::format(
      "name: pile\nsystem:\n  gravity: [0, 0, -9.81]\n  collision: {{friction: {}}}\n  bodies:\n"
      "    floor: {{fixed: true, shapes: [{{plane: {{normal: [0, 0, 1]}}}}]}}\n",
      friction);
}

std::string columns(int n, int high, bool hit = false) {
  std::string text = beginning(0.5);
  if (hit)
    text +=
        "    ball: {shapes: [{sphere: {radius: 0.05}, density: 2000}], position: [-0.2, 0, 0.3], velocity: [6, 0, "
        "1]}\n";
  text += "  scenes:\n";
  const int side = static_cast<int>(std::ceil(std::sqrt(n)));
  for (int k = 0; k < n; ++k)
    text +=
        fmt::format("    c{}: {{stack: [{}], at: [{}, {}, 0], body: {{box: {{size: [0.1, 0.1, 0.1]}}, mass: 1}}}}\n", k,
                    high, 0.2 * (k % side), 0.2 * (k / side));
  return text + "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

// Spheres of a layer stand 2 % apart, so that each rests on four of the layer below and touches no neighbour.
std::string packing(int k) {
  const double r = 0.05, a = 2.04 * r, layer = std::sqrt(4 * r * r - a * a / 2), w = 0.5 * (k - 1) * a + r;
  std::string text = beginning(0.3);
  for (const char* normal : {"[1, 0, 0]", "[-1, 0, 0]", "[0, 1, 0]", "[0, -1, 0]"})
    text += fmt::format("    wall{}: {{fixed: true, shapes: [{{plane: {{normal: {}, offset: {:.17g}}}}}]}}\n",
                        text.size(), normal, -w);
  text += "  scenes:\n";
  for (int l = 0; l < k; ++l)
    text += fmt::format(
        "    l{0}: {{grid: [{1}, {1}, 1], gap: {2:.17g}, at: [0, 0, {3:.17g}], body: {{shapes: [{{sphere: {{radius: "
        "{4}}}, density: 1000}}]}}}}\n",
        l, k - l % 2, a - 2 * r, l * layer, r);
  return text + "simulation: {scheme: {name: combined, tolerance: 1e-8}, step: 1e-3, until: 1}\n";
}

struct Settings {
  int threads = 1, steps = 20, sleeping = 0;
  double empty = kilobytes();
};

/// Processor time of a step, and contacts.
std::pair<double, double> measure(const std::string& what, const std::string& text, const Settings& settings) {
  Scenario s = read_scenario(text, "pile");
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState r = begin_run(s.model, *scheme, s.initial);
  Policy policy = s.policy;
  policy.threads = settings.threads;
  policy.sleeping = settings.sleeping != 0;
  policy.until = policy.step * (settings.steps + 1);
  struct Clock final : Observer {
    std::vector<Times> times{now()};
    void step(const State&, const State&, const StepReport&) override {}
    bool grid_step(const RunState&) override {
      times.push_back(now());
      return true;
    }
  } clock;
  const RunResult result = run(s.model, *scheme, r, policy, &clock);
  const std::vector<Times>& t = clock.times;
  if (t.size() < 3) {
    fmt::print("{:14}  fewer than two steps: {}\n", what, name(result.failure.status));
    return {};
  }
  const double steps = static_cast<double>(t.size()) - 2, bodies = static_cast<double>(s.model.body_names().size());
  const double ms = 1e3 * (t.back().processor - t[1].processor) / steps;
  const Summary& sum = r.summary;
  fmt::print(
      "{:14} {:7} bodies {:7} contacts  {:10.3f} ms of the processor {:10.3f} ms a step  first {:8.0f} ms  "
      "{:5.1f} kB a body  passes {:4.1f}  iterations {:5.1f}  complementarity {:.1e} m/s  penetration {:.1e} m{}\n",
      what, s.model.body_names().size(), sum.contacts_max, ms, 1e3 * (t.back().clock - t[1].clock) / steps,
      1e3 * (t[1].processor - t[0].processor), (kilobytes() - settings.empty) / bodies,
      static_cast<double>(sum.newton_sum) / static_cast<double>(sum.steps),
      static_cast<double>(sum.solver_sum) / static_cast<double>(sum.steps), sum.certificate.complementarity,
      sum.certificate.penetration, complete(result.status) ? "" : "  NOT FINISHED");
  return {ms, static_cast<double>(sum.contacts_max)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--text") == 0) {
    fmt::print("{}",
               std::strcmp(argv[2], "packing") == 0 ? packing(std::atoi(argv[3])) : columns(std::atoi(argv[3]), 4));
    return 0;
  }
  Settings settings;
  int at = 1;
  for (; at + 1 < argc && std::strncmp(argv[at], "--", 2) == 0; at += 2)
    (std::strcmp(argv[at], "--threads") == 0    ? settings.threads
     : std::strcmp(argv[at], "--sleeping") == 0 ? settings.sleeping
                                                : settings.steps) = std::atoi(argv[at + 1]);
  const std::string what = at < argc ? argv[at++] : "stack";
  if (what == "stack") measure(what, columns(1, 10), settings);
  std::pair<double, double> last{};
  for (; what != "stack" && at < argc; ++at) {
    const int n = std::atoi(argv[at]);
    const auto here =
        measure(what + " " + argv[at], what == "packing" ? packing(n) : columns(n, 4, what == "hit"), settings);
    if (last.first > 0 && here.first > 0)
      fmt::print("{:14} exponent {:.2f}\n", "",
                 std::log(here.first / last.first) / std::log(here.second / last.second));
    last = here;
  }
}
