// STEPS steps of mechanisms of bodies, recording off: microseconds and Newton passes per step, and what is left of
// joints and gaps. With a number after STEPS that case alone, for callgrind.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {
namespace {

struct Case {
  const char* what;
  std::string text;  ///< empty: the shipped one
  const char* shipped;
  double step;
};

/// The four-bar linkage of scenarios/four-bar.yaml with its crank upright, in the plane or in space, without or with
/// play.
std::string four_bar(bool space, bool play) {
  const std::string axis = ", axis: [0, 1, 0]";
  const std::string pin = !play   ? axis + "}\n"
                          : space ? axis + ", clearance: 1e-3, pin: 0.02, length: 0.05, axial: 1e-3, friction: 0.05}\n"
                                  : axis + ", clearance: 1e-3, pin: 0.02, friction: 0.05}\n";
  const auto bar = [&](const char* name, const char* mass, const char* at, const char* angle) {
    const std::string m = mass, J = m + "^3/12";
    return std::string("    ") + name + ": {mass: " + m +
           ", inertia: " + (space ? "[1e-2*" + J + ", " + J + ", " + J + "]" : J) + ", position: " + at +
           ", orientation: [0, -" + angle + ", 0]}\n";
  };
  return std::string("name: four-bar\nsystem:\n") + (space ? "" : "  planar: xz\n") +
         "  parameters: {kx: (13.5 + sqrt(34.4375))/10, kz: 2*kx - 2.375, coupler: \"atan2(kz - 1, kx)\", rocker: "
         "\"atan2(kz, kx - 2)\"}\n  bodies:\n" +
         bar("crank", "1", "[0, 0, 0.5]", "pi/2") + bar("coupler", "2", "[kx/2, 0, (1 + kz)/2]", "coupler") +
         bar("rocker", "1.5", "[(2 + kx)/2, 0, kz/2]", "rocker") +
         "  joints:\n    base: {revolute: [ground, crank], at: [0, 0, 0]" + pin +
         "    elbow: {revolute: [crank, coupler], at: [0, 0, 1]" + pin +
         "    knee: {revolute: [coupler, rocker], at: [kx, 0, kz]" + pin +
         "    foot: {revolute: [ground, rocker], at: [2, 0, 0]" + pin +
         "simulation: {scheme: combined, step: 1e-3, until: 1}\n";
}

const Case kCases[] = {{"four-bar, plane, ideal", four_bar(false, false), nullptr, 1e-3},
                       {"four-bar, plane, play", four_bar(false, true), nullptr, 1e-4},
                       {"four-bar, space, ideal", four_bar(true, false), nullptr, 1e-3},
                       {"four-bar, space, play", four_bar(true, true), nullptr, 1e-4},
                       {"slider-crank, plane, play in all pins", "", "slider-crank-play-everywhere", 1e-5},
                       {"slider-crank, space, play", "", "slider-crank-space", 1e-5},
                       {"breaker, ideal", "", "breaker", 1e-5},
                       {"breaker, play", "", "breaker-play", 1e-5}};

void measure(const Case& c, double steps) {
  Scenario s =
      c.text.empty() ? load_scenario(c.shipped, {"simulation.scheme=combined"}) : read_scenario(c.text, "four-bar");
  s.policy.step = c.step;
  s.policy.until = s.initial.t + c.step * steps;
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState r = begin_run(s.model, *scheme, s.initial);
  const std::clock_t begin = std::clock();  // of the processor: others may use the machine too
  const RunResult result = run(s.model, *scheme, r, s.policy, nullptr);
  const double time = 1e6 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const auto n = static_cast<double>(r.summary.steps);
  std::printf("%-40s %8.2f us %6.2f passes  %4lld retries  joints %.1e  gaps %.1e%s\n", c.what, time / n,
              static_cast<double>(r.summary.newton_sum) / n, static_cast<long long>(r.summary.retries),
              r.summary.certificate.joint_position, r.summary.certificate.penetration,
              result.status == RunStatus::finished ? "" : "  stopped");
}

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s STEPS [CASE]\n", argv[0]);
    return 2;
  }
  const std::size_t only = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 0;
  for (std::size_t k = 0; k < std::size(ricochet::kCases); ++k)
    if (only == 0 || only == k + 1) ricochet::measure(ricochet::kCases[k], std::atof(argv[1]));
  return 0;
}
