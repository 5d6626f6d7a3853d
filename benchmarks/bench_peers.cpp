// Ricochet's side of what benchmarks/peers measures of other engines: incline, four-bar in the plane and in space.
#include <cstdlib>
#include <string>

#include "peers/work.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {
namespace {

struct Energies final : Observer {
  peers::Watch watch;
  void step(const State&, const State&, const StepReport& r) override {
    if (!watch.begun) watch.see(r.energy.kinetic_before, r.energy.potential_before, 0);
    watch.see(r.energy.kinetic, r.energy.potential, r.certificate.joint_position);
  }
};

/// Runs to the end; microseconds of the processor a step.
double timed(const Scenario& s, const Scheme& scheme, RunState& r, Observer* observer) {
  const double begin = peers::seconds();
  if (run(s.model, scheme, r, s.policy, observer).status != RunStatus::finished) std::exit(3);
  return 1e6 * (peers::seconds() - begin) / static_cast<double>(r.summary.steps);
}

double incline() {
  Scenario s = load_scenario("box-on-incline");
  s.policy.step = peers::kStep;
  s.policy.until = peers::kStep * peers::kInclineSteps;
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState r = begin_run(s.model, *scheme, s.initial);
  const double at = s.initial.q[0];
  timed(s, *scheme, r, nullptr);
  return std::abs(r.state.q[0] - at);
}

std::string number(double x) {
  char out[40];
  std::snprintf(out, sizeof out, "%.17g", x);
  return out;
}

std::string four_bar(bool space, const std::string& tolerance) {
  const peers::FourBar f;
  const auto bar = [&](const char* name, const peers::Bar& b) {
    const std::string J = number(b.inertia());
    return std::string("    ") + name + ": {mass: " + number(b.mass) +
           ", inertia: " + (space ? "[0.01*" + J + ", " + J + ", " + J + "]" : J) + ", position: [" + number(b.x) +
           ", 0, " + number(b.z) + "], orientation: [0, " + number(-b.angle()) + ", 0]}\n";
  };
  const auto pin = [](const char* name, const char* bodies, double x, double z) {
    return std::string("    ") + name + ": {revolute: [" + bodies + "], at: [" + number(x) + ", 0, " + number(z) +
           "], axis: [0, 1, 0]}\n";
  };
  return std::string("name: four-bar\nsystem:\n") + (space ? "" : "  planar: xz\n") + "  bodies:\n" +
         bar("crank", f.crank) + bar("coupler", f.coupler) + bar("rocker", f.rocker) + "  joints:\n" +
         pin("base", "ground, crank", 0, 0) + pin("elbow", "crank, coupler", 0, 1) +
         pin("knee", "coupler, rocker", f.kx, f.kz) + pin("foot", "ground, rocker", 2, 0) +
         "initial: {assemble: true}\nsimulation: {scheme: {name: combined, tolerance: " + tolerance +
         "}, step: 1e-3, until: 5}\n";
}

struct Rebound final : Observer {
  peers::Ball seen;
  void step(const State&, const State& after, const StepReport&) override { seen.see(after.q[0], after.v[0]); }
};

void ball() {
  for (const double h : peers::kBallSteps) {
    const Scenario s =
        read_scenario("system: {formulas: {coordinates: [z], kinetic: z'^2/2, potential: " + number(peers::kGravity) +
                          "*z, contacts: {floor: {gap: z, restitution: " + number(peers::kRestitution) + "}}}}\n" +
                          "initial: {position: {z: " + number(peers::kHeight) + "}}\n" +
                          "simulation: {step: " + number(h) + ", until: " + number(peers::kBallEnd) + "}\n",
                      "ball");
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState r = begin_run(s.model, *scheme, s.initial);
    Rebound rebound;
    timed(s, *scheme, r, &rebound);
    peers::print("ricochet", h, rebound.seen);
  }
}

void measure(const char* name, bool space, const std::string& tolerance, double creep) {
  const Scenario s = read_scenario(four_bar(space, tolerance), "four-bar");
  const auto scheme = make_scheme(s.scheme, s.options);
  Energies energies;
  RunState watched = begin_run(s.model, *scheme, s.initial), r = begin_run(s.model, *scheme, s.initial);
  timed(s, *scheme, watched, &energies);
  peers::print(name, creep, energies.watch, timed(s, *scheme, r, nullptr));
}

}  // namespace
}  // namespace ricochet

int main() {
  const double creep = ricochet::incline();
  ricochet::measure("ricochet, plane, to 1e-10", false, "1e-10", creep);
  ricochet::measure("ricochet, plane, to 1e-12", false, "1e-12", creep);
  ricochet::measure("ricochet, space, to 1e-10", true, "1e-10", creep);
  ricochet::ball();
  return 0;
}
