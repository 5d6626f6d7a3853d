// A system written in other units moves alike: with units that are powers of 4 to the last bit, whatever the scheme,
// with powers of ten to rounding. Tolerances have no units of their own (model/scales.hpp).
#include "ricochet/model/scales.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/io/scenario/scenario.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::scales_test {
namespace {

/// What one unit of the system as it is shipped amounts to in the units of another writing.
struct Units {
  double length = 1, mass = 1, time = 1;
  double of(int l, int m, int t) const { return std::pow(length, l) * std::pow(mass, m) * std::pow(time, t); }
};

/// A number of a scenario, with the powers of length, mass and time in its unit.
struct Number {
  const char* path;
  std::vector<const char*> values;  ///< one, or a list
  int l, m, t;
};

struct System {
  const char* name;
  std::vector<Number> numbers;
  double step, until;
  std::vector<int> powers;  ///< of length, of the coordinates (nv)
};

const System kBall{"bouncing-ball",
                   {{"system.formulas.parameters.m", {"1"}, 0, 1, 0},
                    {"system.formulas.parameters.f", {"-2"}, 1, 1, -2},
                    {"initial.position.q", {"1"}, 1, 0, 0}},
                   1.37e-2,  // no impact at the end of a step, where rounding decides
                   3.2,
                   {1}};
const System kBlock{"rocking-block",
                    {{"system.formulas.parameters.m", {"1"}, 0, 1, 0},
                     {"system.formulas.parameters.L", {"1"}, 1, 0, 0},
                     {"system.formulas.parameters.l", {"1.5"}, 1, 0, 0},
                     {"system.formulas.parameters.g", {"9.81"}, 1, 0, -2},
                     {"initial.position.y", {"1"}, 1, 0, 0},
                     {"initial.velocity.theta", {"0.2"}, 0, 0, -1}},
                    1e-2,
                    1,
                    {1, 1, 0}};
const System kCrank{"slider-crank",
                    {{"system.formulas.parameters.l1", {"0.153"}, 1, 0, 0},
                     {"system.formulas.parameters.l2", {"0.306"}, 1, 0, 0},
                     {"system.formulas.parameters.m1", {"0.038"}, 0, 1, 0},
                     {"system.formulas.parameters.m2", {"0.038"}, 0, 1, 0},
                     {"system.formulas.parameters.m3", {"0.076"}, 0, 1, 0},
                     {"system.formulas.parameters.J1", {"7.4e-5"}, 2, 1, 0},
                     {"system.formulas.parameters.J2", {"5.9e-4"}, 2, 1, 0},
                     {"system.formulas.parameters.J3", {"2.7e-6"}, 2, 1, 0},
                     {"system.formulas.parameters.g", {"9.81"}, 1, 0, -2},
                     {"system.formulas.parameters.a", {"0.05"}, 1, 0, 0},
                     {"system.formulas.parameters.b", {"0.025"}, 1, 0, 0},
                     {"system.formulas.parameters.c", {"0.001"}, 1, 0, 0},
                     {"initial.velocity.th1", {"150"}, 0, 0, -1},
                     {"initial.velocity.th2", {"-75"}, 0, 0, -1}},
                    5e-5,
                    0.02,
                    {0, 0, 0}};
const System kPendulum{"bouncing-pendulum",
                       {{"system.formulas.parameters.m", {"1"}, 0, 1, 0},
                        {"system.formulas.parameters.J", {"0.1"}, 2, 1, 0},
                        {"system.formulas.parameters.g", {"10"}, 1, 0, -2},
                        {"system.formulas.parameters.l", {"1"}, 1, 0, 0},
                        {"system.formulas.parameters.stop", {"sqrt(2)/2"}, 1, 0, 0},
                        {"system.formulas.contacts.obstacle.gap", {"x - stop"}, 0, 0, 0}},
                       1e-2,
                       2,
                       {1, 1, 0}};
const System kBelt{"belt-oscillator",
                   {{"system.formulas.parameters.m", {"1"}, 0, 1, 0},
                    {"system.formulas.parameters.k", {"10"}, 0, 1, -2},
                    {"system.formulas.parameters.g", {"9.81"}, 1, 0, -2},
                    {"system.formulas.parameters.v_belt", {"0.15"}, 1, 0, -1}},
                   1e-2,
                   3,  // later the block only just comes up to the belt's speed
                   {1, 1}};
const System kBox{"rigid-box",
                  {{"system.bodies.box.mass", {"46.8"}, 0, 1, 0},
                   {"system.bodies.box.box.size", {"0.1", "0.2", "0.3"}, 1, 0, 0},
                   {"system.bodies.box.position", {"0", "0", "1"}, 1, 0, 0},
                   {"system.bodies.box.velocity", {"3", "0", "0"}, 1, 0, -1},
                   {"system.bodies.box.angular_velocity", {"60", "60", "0"}, 0, 0, -1},
                   {"system.gravity", {"0", "0", "-9.81"}, 1, 0, -2}},
                  1e-3,
                  0.5,
                  {1, 1, 1, 0, 0, 0}};
const System kBodies{"slider-crank-bodies",
                     {{"system.parameters.l1", {"0.153"}, 1, 0, 0},
                      {"system.parameters.l2", {"0.306"}, 1, 0, 0},
                      {"system.parameters.a", {"0.05"}, 1, 0, 0},
                      {"system.parameters.b", {"0.025"}, 1, 0, 0},
                      {"system.parameters.c", {"0.001"}, 1, 0, 0},
                      {"system.parameters.w1", {"150"}, 0, 0, -1},
                      {"system.parameters.w2", {"-75"}, 0, 0, -1},
                      {"system.bodies.crank.mass", {"0.038"}, 0, 1, 0},
                      {"system.bodies.rod.mass", {"0.038"}, 0, 1, 0},
                      {"system.bodies.slider.mass", {"0.076"}, 0, 1, 0},
                      {"system.bodies.crank.inertia", {"7.4e-5", "7.4e-5", "7.4e-5"}, 2, 1, 0},
                      {"system.bodies.rod.inertia", {"5.9e-4", "5.9e-4", "5.9e-4"}, 2, 1, 0},
                      {"system.bodies.slider.inertia", {"2.7e-6", "2.7e-6", "2.7e-6"}, 2, 1, 0},
                      {"system.gravity", {"0", "0", "-9.81"}, 1, 0, -2}},
                     5e-5,
                     0.02,
                     {1, 1, 0, 1, 1, 0, 1, 1, 0}};

std::string assignment(const Number& n, const Units& u) {
  std::string value;
  for (const char* x : n.values) {
    const std::string one =
        n.l == 0 && n.m == 0 && n.t == 0 ? x : fmt::format("({})*({:.17g})", x, u.of(n.l, n.m, n.t));
    value += (value.empty() ? "" : ", ") + one;
  }
  return fmt::format("{}={}", n.path, n.values.size() > 1 ? "[" + value + "]" : value);
}

Scenario written_in(const System& s, const Units& u, const std::string& scheme) {
  std::vector<std::string> set{"simulation.scheme=" + scheme,
                               fmt::format("simulation.step=({:.17g})*({:.17g})", s.step, u.time),
                               fmt::format("simulation.until=({:.17g})*({:.17g})", s.until, u.time)};
  for (const Number& n : s.numbers) set.push_back(assignment(n, u));
  return load_scenario(s.name, set);
}

/// A motion in the units of the shipped system: increments of q since the step before, and v.
struct Motion : Observer {
  Motion(const Scenario& s, const System& of, const Units& units) : scenario(s), system(of), u(units) {}
  void step(const State& before, const State& after, const StepReport& r) override {
    VectorXd x(after.v.size());
    scenario.model.difference(before.q, after.q, x);
    for (Index i = 0; i < x.size(); ++i) {
      const int l = system.powers[static_cast<std::size_t>(i)];
      numbers.push_back(x[i] / u.of(l, 0, 0));
      numbers.push_back(after.v[i] / u.of(l, 0, -1));
    }
    times.push_back(after.t / u.time);
    impacts += r.impacts;
    events += r.events.size();
  }
  const Scenario& scenario;
  const System& system;
  Units u;
  std::vector<double> numbers, times;
  std::int64_t impacts = 0;
  std::size_t events = 0;
};

struct Outcome {
  RunResult result;
  RunState state;
  std::vector<double> numbers, times;
  std::int64_t impacts = 0;
  std::size_t events = 0;
};

Outcome motion_of(const System& system, const Units& u, const std::string& scheme) {
  const Scenario s = written_in(system, u, scheme);
  const auto made = make_scheme(s.scheme, s.options);
  Motion motion(s, system, u);
  Outcome out;
  out.state = begin_run(s.model, *made, s.initial);
  out.result = run(s.model, *made, out.state, s.policy, &motion);
  out.numbers = motion.numbers;
  out.times = motion.times;
  out.impacts = motion.impacts;
  out.events = motion.events;
  return out;
}

const double kStep = std::ldexp(1.0, 20);  // 4^10
const Units kPowersOfFour[] = {{kStep, 1, 1},
                               {1 / kStep, 1, 1},
                               {1, kStep, 1},
                               {1, 1 / kStep, 1},
                               {1, 1, kStep},
                               {1, 1, 1 / kStep},
                               {kStep, kStep, kStep},
                               {1 / kStep, kStep, 1 / kStep},
                               {1 / kStep, 1 / kStep, kStep}};

void expect_same_bits(const System& system, const std::string& scheme) {
  const Outcome base = motion_of(system, {}, scheme);
  if (find_scheme(scheme)->info.impact_order > 0) {  // else it is there for comparison, and may fail
    EXPECT_EQ(base.result.status, RunStatus::finished) << system.name << ' ' << scheme;
  }
  for (const Units& u : kPowersOfFour) {
    const std::string what =
        fmt::format("{} {} lengths {:g} masses {:g} times {:g}", system.name, scheme, u.length, u.mass, u.time);
    const Outcome other = motion_of(system, u, scheme);
    EXPECT_EQ(base.result.status, other.result.status) << what;
    ASSERT_EQ(base.numbers.size(), other.numbers.size()) << what;
    for (std::size_t k = 0; k < base.numbers.size(); ++k)
      ASSERT_EQ(base.numbers[k], other.numbers[k])
          << what << ", number " << k << " of " << base.numbers.size()
          << ", t = " << base.times[k * base.times.size() / base.numbers.size()];
    EXPECT_EQ(base.state.summary.newton_sum, other.state.summary.newton_sum) << what;
    EXPECT_EQ(base.impacts, other.impacts) << what;
    const Scales &a = *base.state.state.scales, &b = *other.state.state.scales;
    EXPECT_EQ(a.length * u.length, b.length) << what;
    EXPECT_EQ(a.velocity * u.of(1, 0, -1), b.velocity) << what;
    EXPECT_EQ(a.mass * u.mass, b.mass) << what;
    const double energy = u.of(2, 1, -2);
    EXPECT_EQ(base.state.summary.energy.impact * energy, other.state.summary.energy.impact) << what;
    EXPECT_EQ(base.state.summary.energy.projection * energy, other.state.summary.energy.projection) << what;
  }
}

bool takes(const SchemeInfo& info, const System& s) {
  const bool friction = s.name == std::string("slider-crank") || s.name == std::string("belt-oscillator") ||
                        s.name == std::string("slider-crank-bodies") || s.name == std::string("rocking-block");
  return (info.friction || !friction) && (info.rotations || s.name != std::string("rigid-box"));
}

class EveryScheme : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheme, BouncesInAnyUnitsWithTheSameBits) { expect_same_bits(kBall, GetParam()); }
TEST_P(EveryScheme, RocksInAnyUnitsWithTheSameBits) {
  if (takes(find_scheme(GetParam())->info, kBlock)) expect_same_bits(kBlock, GetParam());
}
TEST_P(EveryScheme, SwingsInAnyUnitsWithTheSameBits) { expect_same_bits(kPendulum, GetParam()); }
TEST_P(EveryScheme, SticksAndSlidesInAnyUnitsWithTheSameBits) {
  if (takes(find_scheme(GetParam())->info, kBelt)) expect_same_bits(kBelt, GetParam());
}

std::vector<std::string> scheme_names() {
  std::vector<std::string> names;
  for (const SchemeEntry& e : schemes()) names.push_back(e.info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Scales, EveryScheme, testing::ValuesIn(scheme_names()), [](const auto& scheme) {
  std::string name = scheme.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(Scales, MachinesOfFormulasInAnyUnitsHaveTheSameBits) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "newmark", "projected"})
    expect_same_bits(kCrank, scheme);
}

TEST(Scales, MachinesOfBodiesInAnyUnitsHaveTheSameBits) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha"}) expect_same_bits(kBodies, scheme);
}

TEST(Scales, BodiesInSpaceInAnyUnitsHaveTheSameBits) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "projected"}) expect_same_bits(kBox, scheme);
}

/// The mean over time of the largest difference of the velocities and of the increments per step, over the largest.
double mean_difference(const Outcome& a, const Outcome& b) {
  double largest = 0, sum = 0;
  for (double x : a.numbers) largest = std::max(largest, std::abs(x));
  const std::size_t width = a.numbers.size() / a.times.size();
  for (std::size_t k = 0; k < a.times.size(); ++k) {
    double here = 0;
    for (std::size_t i = 0; i < width; ++i)
      here = std::max(here, std::abs(a.numbers[k * width + i] - b.numbers[k * width + i]));
    sum += here;
  }
  return sum / static_cast<double>(a.times.size()) / largest;
}

void expect_alike(const System& system, const std::string& scheme) {
  const Outcome base = motion_of(system, {}, scheme);
  for (const double s : {1e-6, 1e6})
    for (const Units& u : {Units{s, 1, 1}, Units{1, s, 1}, Units{1, 1, s}, Units{s, s, s}}) {
      const std::string what =
          fmt::format("{} {} lengths {:g} masses {:g} times {:g}", system.name, scheme, u.length, u.mass, u.time);
      const Outcome other = motion_of(system, u, scheme);
      EXPECT_EQ(base.impacts, other.impacts) << what;
      EXPECT_EQ(base.events, other.events) << what;
      ASSERT_EQ(base.numbers.size(), other.numbers.size()) << what;
      EXPECT_LE(mean_difference(base, other), 1e-8) << what;
    }
}

TEST(Scales, MillionthsAndMillionsAreAlike) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "decoupled-alpha", "event-driven",
                             "mannshardt", "newmark", "projected"})
    expect_alike(kBall, scheme);
  // of formulas the projections of `metric: identity` have units of their own, but for powers of 2^20
  const char* const combined = "{name: combined, metric: mass}";
  for (const char* scheme : {"moreau-jean", combined, "nonsmooth-alpha"}) expect_alike(kBlock, scheme);
  for (const char* scheme : {"moreau-jean", combined, "combined", "projected"}) expect_alike(kBodies, scheme);
  for (const char* scheme : {"moreau-jean", "event-driven"}) expect_alike(kBelt, scheme);
  for (const char* scheme : {"moreau-jean", "nonsmooth-alpha"}) expect_alike(kBox, scheme);
}

// Lost all its energy to `projection`, with a clean certificate, when a gap of 1e-9 m counted as closed.
TEST(Scales, ABallOfANanometreKeepsItsEnergy) {
  for (const char* scheme : {"combined", "projected", "nonsmooth-alpha", "moreau-jean"}) {
    const Outcome large = motion_of(kBall, {}, scheme), small = motion_of(kBall, {1e-9, 1, 1}, scheme);
    const EnergyLedger &a = large.state.summary.energy, &b = small.state.summary.energy;
    EXPECT_EQ(large.state.summary.impacts, small.state.summary.impacts) << scheme;
    // nonsmooth-alpha: signs of gaps that are rounding decide which of the two takes what is left at rest
    EXPECT_NEAR((b.impact + b.projection) / 1e-18, a.impact + a.projection, 1e-9) << scheme;
    EXPECT_NEAR(b.projection / 1e-18, a.projection, scheme == std::string("nonsmooth-alpha") ? 0.05 : 1e-9) << scheme;
    EXPECT_GE(large.state.summary.impacts, 5) << scheme;
  }
}

Scales of(const char* name, const std::vector<std::string>& set = {}) {
  return *load_scenario(name, set).initial.scales;
}

/// Two pins 0.3 m apart on a bar of 0.01 m gyration, the farther one 0.2 m from its centre, somewhere, turned by an
/// angle.
Scales bar(const std::string& x, const std::string& angle, const char* more = "") {
  const std::string along = "*cos(" + angle + ")", up = "*sin(" + angle + ")";
  return *read_scenario("name: bar\nsystem:\n  planar: xy\n  bodies:\n    bar: {mass: 3, inertia: 3e-4, position: [" +
                            x + ", 1, 0], orientation: [0, 0, " + angle +
                            "]}\n  joints:\n    far: {revolute: [ground, bar], at: [" + x + " + 0.2" + along +
                            ", 1 + 0.2" + up + ", 0]}\n    near: {spherical: [ground, bar], at: [" + x + " - 0.1" +
                            along + ", 1 - 0.1" + up + ", 0]}\n" + more +
                            "simulation: {scheme: combined, step: 1e-3, until: 1}\n",
                        "bar.yaml")
              .initial.scales;
}

// What a turn counts in a metric is the lever where the body is held, wherever that is, however it lies, whatever it
// weighs; and the smallest radius of gyration where it is held at its centre.
TEST(Scales, ATurnCountsByTheLeverOfWhatHoldsABody) {
  for (const char* x : {"0", "100"})
    for (const char* angle : {"0", "0.3", "pi/4", "2"}) {
      const Scales s = bar(x, angle);
      EXPECT_EQ(s.arm[0], 1);
      EXPECT_EQ(s.arm[1], 1);
      EXPECT_NEAR(s.arm[2], 0.2, 1e-12) << x << " " << angle;
    }
  const Scales wheel = *read_scenario(
                            "name: wheel\nsystem:\n  bodies:\n    wheel: {mass: 2, inertia: [0.5, 0.6, 0.7]}\n"
                            "  joints:\n    axle: {revolute: [ground, wheel]}\n"
                            "simulation: {scheme: combined, step: 1e-3, until: 1}\n",
                            "wheel.yaml")
                            .initial.scales;
  for (Index i = 3; i < 6; ++i) EXPECT_NEAR(wheel.arm[i], std::sqrt(0.5 / 2), 1e-12);
}

// What joints hold is measured by its levers, wherever it is; but not by less than a thousandth of how far that is.
TEST(Scales, BodiesThatJointsHoldAreMeasuredByTheirLevers) {
  for (const char* x : {"0", "-3000", "1e5"}) EXPECT_EQ(bar(x, "0.3").length, 1) << x;
  EXPECT_EQ(bar("1e6", "0.3").length, 1024);
  EXPECT_EQ(of("flexible-pendulum").length, 1);  // its nodes are bodies of some millimetres, most without a joint
}

/// The power of two below the size of the smallest body, wherever the bodies are.
TEST(Scales, BodiesThatMeetAreMeasuredByTheSmallest) {
  EXPECT_EQ(of("boxes-in-a-bin").length, 0x1p-4);  // 0.1 m
  EXPECT_EQ(of("boxes-in-a-bin").velocity, 1);
  EXPECT_EQ(of("silo").length, 0x1p-6);  // 0.02 m
  EXPECT_EQ(of("boxes-in-a-bin", {"system.parameters.a=0.003"}).length, 0x1p-9);
  // bodies that are as nothing beside their distances do not count
  EXPECT_EQ(of("boxes-in-a-bin", {"system.parameters.a=1e-6"}).length, 0x1p-14);  // 2^-10 of some 0.1 m
}

TEST(Scales, ComeFromWhatIsThere) {
  const double mega = 1 << 20;
  const Scales ball = of("bouncing-ball");  // a metre, and what a fall over it gives: sqrt(2) m/s
  EXPECT_EQ(ball.length, 1);
  EXPECT_EQ(ball.mass, 1);
  EXPECT_EQ(ball.velocity, 1);
  const Scales thrown = of("bouncing-ball", {"initial.velocity.q=7e4"});
  EXPECT_EQ(thrown.length, 1);
  EXPECT_EQ(thrown.velocity, mega);
  const Scales small = of("bouncing-ball", {"initial.position.q=1e-3"});
  EXPECT_EQ(small.length, 1 / 1024.0);
  const Scales box = of("rigid-box");  // spins with some 6 m/s
  EXPECT_EQ(box.mass, 46.8);
  EXPECT_EQ(box.length, 1);
  EXPECT_EQ(box.velocity, 1);
  EXPECT_EQ(of("rigid-box", {"system.bodies.box.angular_velocity=[6e5, 6e5, 0]"}).velocity, mega);
  // coordinates without units: by what they move
  const std::vector<std::string> tiny{"system.formulas.parameters.L=1e-3", "system.formulas.parameters.l=1.5e-3"};
  EXPECT_EQ(of("rocking-block", tiny).coordinate[0], of("rocking-block", tiny).length);
  EXPECT_EQ(of("rocking-block", tiny).coordinate[2], 1024);
}

TEST(Scales, AreTheSameForWhatDiffersALittle) {
  for (const char* v : {"-20", "-1", "0", "3", "25"}) {
    const Scales s = of("bouncing-ball", {std::string("initial.velocity.q=") + v});
    EXPECT_EQ(s.length, 1) << v;
    EXPECT_EQ(s.velocity, 1) << v;
  }
}

TEST(Scales, OfWhatBeginsAtTheOriginComeFromWhatTurnsIt) {
  const auto at_zero = [](std::vector<std::string> set) {
    set.insert(set.begin(), "initial.position.q=0");
    return of("bouncing-ball", set);
  };
  // a fall from nowhere: no length is to be seen
  EXPECT_EQ(at_zero({}).length, 1);
  EXPECT_EQ(at_zero({}).velocity, 1);
  // thrown: 5e-7 m high
  EXPECT_EQ(at_zero({"initial.velocity.q=1e-3"}).length, std::ldexp(1.0, -20));
  // lengths that one step passes a million times count as zero
  EXPECT_EQ(at_zero({"initial.velocity.q=1e-3", "initial.position.q=1e-20"}).length, std::ldexp(1.0, -20));
  // a spring gives way by 5e-9 m
  EXPECT_EQ(at_zero({"system.formulas.potential=2*q + 2e8*q^2"}).length, std::ldexp(1.0, -30));
  // nothing at all: neither load nor motion
  EXPECT_EQ(at_zero({"system.formulas.parameters.f=0"}).length, 1);
  EXPECT_EQ(at_zero({"system.formulas.parameters.f=0"}).velocity, 1);
}

TEST(Scales, OfWhatRestsComeFromTheStep) {
  const Scales still = of("bouncing-ball", {"system.formulas.parameters.f=0"});
  EXPECT_EQ(still.length, 1);
  EXPECT_EQ(still.velocity, 1);
  // a load that begins at zero: that of one step later
  const Scales late = of("bouncing-ball", {"system.formulas.potential=-2e12*q*t", "simulation.step=0.5"});
  EXPECT_EQ(late.velocity, 1 << 20);
}

TEST(Scales, AreTheUsersToGive) {
  const Scales s = of("bouncing-ball", {"simulation.scales={length: 0.5}"});
  EXPECT_EQ(s.length, 0.5);
  EXPECT_EQ(s.mass, 1);
  EXPECT_EQ(s.velocity, 1);  // of a fall over that length
  const Scales all = of("bouncing-ball", {"simulation.scales={length: 0.5, velocity: 30, mass: 3}"});
  EXPECT_EQ(all.length, 0.5);
  EXPECT_EQ(all.velocity, 30);
  EXPECT_EQ(all.mass, 3);
  EXPECT_THROW(of("bouncing-ball", {"simulation.scales={length: 0}"}), InputError);
  EXPECT_THROW(of("bouncing-ball", {"simulation.scales={time: 1}"}), InputError);
}

TEST(Scales, DoNotDependOnTheEndOfTheRun) {
  for (const char* step : {"simulation.step=1e-3", "simulation.step=auto"}) {
    const Scales a = of("rocking-block", {step, "simulation.until=1"}),
                 b = of("rocking-block", {step, "simulation.until=7"});
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.mass, b.mass);
  }
}

}  // namespace
}  // namespace ricochet::scales_test
