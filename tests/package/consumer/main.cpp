// A pendulum that bounces on a stop, written in memory, run step by step, looked at while it runs.
#include <cmath>
#include <cstdio>

#include "ricochet/io/result/trajectory.hpp"
#include "ricochet/io/scenario/scenario.hpp"

constexpr const char* kScenario = R"(
name: pendulum with a stop
system:
  formulas:
    parameters: {m: 1, l: 0.5, g: 9.81, e: 0.8}
    coordinates: [phi]
    kinetic: m/2*l^2*phi'^2
    potential: -m*g*l*cos(phi)
    contacts:
      stop: {gap: l*phi, restitution: e}
initial: {position: {phi: 1}}
simulation: {scheme: combined, step: 1e-3, until: 2}
)";

// Called after every accepted step.
class Watch final : public ricochet::Observer {
 public:
  void step(const ricochet::State&, const ricochet::State& after, const ricochet::StepReport& report) override {
    for (const ricochet::ConstraintReport& c : report.constraints)
      if (c.impulse[0] > 0 && impacts++ == 0) first_impact = after.t;
  }
  int impacts = 0;
  double first_impact = 0;
};

int main() {
  // A scenario is a model, an initial state, a scheme with its options and a policy.
  const ricochet::Scenario s = ricochet::read_scenario(kScenario, "pendulum");
  const auto scheme = ricochet::make_scheme(s.scheme, s.options);
  ricochet::RunState run = ricochet::begin_run(s.model, *scheme, s.initial);
  Watch watch;
  const ricochet::RunResult result = ricochet::run(s.model, *scheme, run, s.policy, &watch);
  if (result.status != ricochet::RunStatus::finished) return 1;
  std::printf("first impact at %.3f s, penetration %.1e m, energy %.3f J\n", watch.first_impact,
              run.summary.certificate.penetration, run.summary.energy.kinetic + run.summary.energy.potential);

  // Or all of it in memory, under the names that `ricochet export` gives the columns.
  const ricochet::Trajectory all = ricochet::simulate(s, {"q", "gap", "E"});
  double lowest = 0;
  for (double gap : all["gap.stop"]) lowest = std::fmin(lowest, gap);
  std::printf("%zu rows, lowest gap %.1e m\n", all.rows(), lowest);
  return watch.impacts > 0 && lowest > -1e-9 ? 0 : 1;
}
