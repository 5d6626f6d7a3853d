// Ricochet's side of what benchmarks/peers measures of other engines: incline, ball, four-bar in the plane and in
// space; with an argument the piles of peers/piles.hpp.
#include <cstdlib>
#include <string>

#include "peers/piles.hpp"
#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/sim/stepper.hpp"

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

std::string pile_text(const peers::Pile& pile, const std::string& scheme, double h) {
  std::string text = "name: pile\nsystem:\n  gravity: [0, 0, -9.81]\n  collision: {friction: " + number(pile.friction) +
                     "}\n  bodies:\n    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}\n";
  if (pile.wall > 0)
    for (const char* normal : {"[1, 0, 0]", "[-1, 0, 0]", "[0, 1, 0]", "[0, -1, 0]"})
      text += "    wall" + std::to_string(text.size()) + ": {fixed: true, shapes: [{plane: {normal: " + normal +
              ", offset: " + number(-pile.wall) + "}}]}\n";
  int k = 0;
  for (const peers::Block& b : pile.blocks)
    text += "    b" + std::to_string(k++) + ": {position: [" + number(b.x) + ", " + number(b.y) + ", " + number(b.z) +
            "], shapes: [{mass: " + number(b.mass) + ", " +
            (pile.spheres ? "sphere: {radius: " + number(peers::Pile::kBall) + "}"
                          : "box: {size: [" + number(peers::Pile::kSide) + ", " + number(peers::Pile::kSide) + ", " +
                                number(peers::Pile::kSide) + "]}") +
            "}]}\n";
  return text + "simulation: {scheme: " + scheme + ", step: " + number(h) + ", until: " + number(pile.seconds) + "}\n";
}

// With the default tolerance; asleep is what a user gets, awake what a pile costs that something keeps in motion.
void piles(const char* which) {
  for (const peers::Pile& pile : peers::piles(which))
    for (const double h : peers::steps_of(pile))
      for (const char* settings : {"awake", "asleep"}) {
        Scenario s = read_scenario(pile_text(pile, "combined", h), "pile");
        s.policy.sleeping = settings == std::string("asleep");
        const auto scheme = make_scheme(s.scheme, s.options);
        RunState r = begin_run(s.model, *scheme, s.initial);
        Stepper stepper(s.model, *scheme, r, s.policy, nullptr);
        peers::measure(
            "ricochet", settings, pile, h,
            [&] {
              if (!stepper.advance() && !complete(stepper.result().status)) std::exit(3);
            },
            [&](std::size_t k) {
              const double *x = &r.state.q[7 * static_cast<Index>(k)], *v = &r.state.v[6 * static_cast<Index>(k)];
              return peers::Where{x[0], x[1], x[2], std::hypot(v[0], v[1], v[2])};
            });
      }
}

}  // namespace
}  // namespace ricochet

int main(int argc, char** argv) {
  if (argc > 1) {
    ricochet::piles(argv[1]);
    return 0;
  }
  const double creep = ricochet::incline();
  ricochet::measure("ricochet, plane, to 1e-10", false, "1e-10", creep);
  ricochet::measure("ricochet, plane, to 1e-12", false, "1e-12", creep);
  ricochet::measure("ricochet, space, to 1e-10", true, "1e-10", creep);
  ricochet::ball();
  return 0;
}
