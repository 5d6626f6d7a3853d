#pragma once
// A shipped scenario stepped a given number of times, certificate and audit included, nothing recorded.
#include <cstdio>
#include <cstdlib>

#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

inline int bench(int argc, char** argv, const char* scenario, double step) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s STEPS\n", argv[0]);
    return 2;
  }
  Scenario s = load_scenario(scenario, {"simulation.scheme=moreau-jean"});
  s.policy.step = step;
  s.policy.until = step * std::atof(argv[1]);
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState r = begin_run(s.model, *scheme, s.initial);
  const RunResult result = run(s.model, *scheme, r, s.policy, nullptr);
  const EnergyLedger& energy = r.summary.energy;
  std::printf("%s: %lld steps, t = %.17g, q = %.12g, largest penetration %.3g m, energy gain %.4e J\n", scenario,
              static_cast<long long>(r.summary.steps), r.state.t, r.state.q[0], r.summary.certificate.penetration,
              energy.kinetic + energy.potential - r.summary.energy_initial);
  return result.status == RunStatus::finished ? 0 : 3;
}

}  // namespace ricochet
