// How a step grows with the bodies: boxes apart on a plane, four frictional contacts each, and a chain in maximal
// coordinates. Milliseconds of the processor a step, the process's largest memory so far, and the exponent from one
// size to the next.
//
//   bench_scaling [boxes|chain [SCHEME [STEPS [N ...]]]]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "ricochet/scheme/scheme.hpp"
#include "ricochet/sim/driver.hpp"
#include "support/many_bodies.hpp"

namespace {

using namespace ricochet;

double megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Milliseconds a step: the steps after the first, which pays for what is made once.
double measure(const char* what, int n, const char* name, double h, int steps) {
  const test::System system =
      std::strcmp(what, "boxes") == 0 ? test::boxes_on_a_plane(n) : test::hanging_chains({.links = n});
  const auto scheme = make_scheme(name);
  RunState r = begin_run(system.model, *scheme, system.initial);
  Policy policy;
  policy.step = h;
  struct Clock final : Observer {
    std::vector<double> times;
    void step(const State&, const State&, const StepReport&) override {}
    bool grid_step(const RunState&) override {
      times.push_back(processor_seconds());
      return true;
    }
  } clock;
  policy.until = h * (steps + 1);
  const RunResult result = run(system.model, *scheme, r, policy, &clock);
  if (clock.times.size() < 2) {
    fmt::print("{:6} {:6}  no step: {}\n", what, n, static_cast<int>(result.failure.status));
    return 0;
  }
  const double ms = 1e3 * (clock.times.back() - clock.times.front()) / static_cast<double>(clock.times.size() - 1);
  const Certificate& c = r.summary.certificate;
  fmt::print(
      "{:6} {:6}  {:9.3f} ms/step  {:7.1f} MB  passes {:4.1f}  joints {:.1e} {:.1e}  "
      "complementarity {:.1e}{}\n",
      what, n, ms, megabytes(), static_cast<double>(r.summary.newton_sum) / static_cast<double>(r.summary.steps),
      c.joint_position, c.joint_velocity, c.complementarity,
      result.status == RunStatus::finished ? "" : "  NOT FINISHED");
  return ms;
}

}  // namespace

int main(int argc, char** argv) {
  const char* scheme = argc > 2 ? argv[2] : "combined";
  const int steps = argc > 3 ? std::atoi(argv[3]) : 20;
  for (const char* what : {"boxes", "chain"}) {
    if (argc > 1 && std::strcmp(argv[1], what) != 0) continue;
    std::vector<int> sizes;
    for (int k = 4; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
    if (sizes.empty()) sizes = {100, 200, 400, 1000, 4000};
    if (argc <= 4 && std::strcmp(what, "chain") == 0) sizes = {100, 300, 1000, 3000, 10000};
    double last = 0;
    int size = 0;
    for (const int n : sizes) {
      const double ms = measure(what, n, scheme, 1e-3, steps);
      if (last > 0 && ms > 0)
        fmt::print("{:13}  exponent {:.2f}\n", "", std::log(ms / last) / std::log(static_cast<double>(n) / size));
      last = ms, size = n;
    }
  }
}
