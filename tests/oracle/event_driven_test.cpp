// Event tracking against closed solutions: times of impacts, of releases and of transitions between sticking and
// sliding, energies after impacts, accumulations, and what it must refuse.
#include <gtest/gtest.h>

#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test::event_driven_test {
namespace {

struct Tracked {
  Trajectory run;
  std::vector<Event> events;
  std::vector<const Event*> of(EventKind kind) const {
    std::vector<const Event*> out;
    for (const Event& e : events)
      if (e.kind == kind) out.push_back(&e);
    return out;
  }
};

class Log final : public Observer {
 public:
  explicit Log(Tracked& out) : out_(out), rows_(out.run.rows) {}
  void step(const State& before, const State& after, const StepReport& r) override {
    rows_.step(before, after, r);
    out_.events.insert(out_.events.end(), r.events.begin(), r.events.end());
  }

 private:
  Tracked& out_;
  Recorder rows_;
};

Tracked track(const Scenario& s) {
  Tracked out;
  const auto scheme = make_scheme(s.scheme, s.options);
  out.run.end = begin_run(s.model, *scheme, s.initial);
  Log log(out);
  out.run.result = run(s.model, *scheme, out.run.end, s.policy, &log);
  return out;
}

Tracked track(const std::string& name, std::vector<std::string> overrides, const std::string& options = "") {
  overrides.push_back("simulation.scheme={name: event-driven" + options + "}");
  return track(load_scenario(name, overrides));
}

/// A scenario of formulas, `system` indented by four spaces.
Tracked track_formulas(const std::string& system, const std::string& initial, double step, double until,
                       const std::string& scheme = "event-driven") {
  return track(read_scenario("name: test\nsystem:\n  formulas:\n" + system + "\ninitial: " + initial +
                                 "\nsimulation: {scheme: " + scheme + ", step: " + std::to_string(step) +
                                 ", until: " + std::to_string(until) + "}\n",
                             "test"));
}

TEST(EventDriven, FirstImpactOfABall) {
  for (const char* method : {", method: dopri5", ", method: dop853", ", method: radau5"})
    for (const char* step : {"simulation.step=1e-3", "simulation.step=0.1", "simulation.step=0.7"}) {
      const Tracked ball = track("bouncing-ball-lecture", {step, "simulation.until=0.7"}, method);
      ASSERT_EQ(ball.of(EventKind::impact).size(), 1U) << method << step;
      // measured: 4e-16, velocities 2e-14
      EXPECT_NEAR(ball.events[0].t, std::sqrt(2 / 9.81), 1e-13) << method << step;
      EXPECT_NEAR(ball.events[0].U_before, -std::sqrt(2 * 9.81), 1e-13);
      EXPECT_NEAR(ball.events[0].U_after, 0.9 * std::sqrt(2 * 9.81), 1e-13);
      EXPECT_NEAR(ball.events[0].impulse, 1.9 * std::sqrt(2 * 9.81), 1e-13);
    }
}

TEST(EventDriven, EnergyAfterTwentyImpacts) {
  for (const auto& [name, e, E0, until] :
       {std::tuple{"bouncing-ball-lecture", 0.9, 9.81, 7.6}, std::tuple{"bouncing-ball", 0.5, 2.0, 2.99999999}}) {
    const Tracked ball = track(name, {"simulation.step=0.37", set("simulation.until", until)});
    const auto impacts = ball.of(EventKind::impact);
    ASSERT_GE(impacts.size(), 20U);
    for (std::size_t n = 1; n <= 20; ++n)  // measured: at most 1.7e-13 J
      EXPECT_NEAR(0.5 * std::pow(impacts[n - 1]->U_after, 2), std::pow(e, 2 * static_cast<double>(n)) * E0, 1e-12 * E0);
  }
}

TEST(EventDriven, AccumulationsCloseInTime) {
  for (const auto& [name, t] : {std::pair{"bouncing-ball", 3.0}, std::pair{"bouncing-ball-bruls", 3.60225}}) {
    for (const char* step : {"simulation.step=2e-3", "simulation.step=1"}) {
      const Tracked ball = track(name, {step});
      ASSERT_EQ(ball.run.result.status, RunStatus::finished);
      ASSERT_GE(ball.of(EventKind::hand_over).size(), 1U);  // again if the end of a step falls into it
      ASSERT_EQ(ball.of(EventKind::take_back).size(), ball.of(EventKind::hand_over).size());
      const double exact = t == 3 ? 3 : std::sqrt(2 * 0.801 / 10) * 1.8 / 0.2;
      EXPECT_NEAR(ball.of(EventKind::take_back).back()->t, exact, 1e-6);  // measured 7e-9 (e = 0.5), 6e-8 (e = 0.8)
      EXPECT_LE(ball.of(EventKind::hand_over)[0]->t, exact);
      // from there on it rests, exactly, and the ground carries it
      const Row& end = ball.run.rows.back();
      EXPECT_EQ(end.v[0], 0);
      EXPECT_NEAR(end.gap[0], 0, 1e-15);
      EXPECT_NEAR(end.P[0] / end.h, t == 3 ? 2 : 10, 5e-14);  // measured 5e-15
    }
  }
}

TEST(EventDriven, RockingBlockLosesItsEnergyInStairsAndRests) {
  for (const char* mu : {"system.formulas.parameters.mu=0", "system.formulas.parameters.mu=0.3"}) {
    const Tracked block = track("rocking-block", {mu, "simulation.step=1.7e-3"});
    ASSERT_EQ(block.run.result.status, RunStatus::finished);
    EXPECT_GE(block.of(EventKind::hand_over).size(), 1U);
    double before = 9.81 + 0.5 * 3.25 / 12 * 0.04, sum = 0;
    for (const Row& row : block.run.rows) {
      EXPECT_LE(row.energy, before + 1e-14) << row.t;  // measured: rises of at most 3e-15 J of 10 J
      before = row.energy;
      sum += row.ledger.sum();
    }
    EXPECT_NEAR(before, 9.81 * 0.75, 1e-14);
    EXPECT_NEAR(9.81 + 0.5 * 3.25 / 12 * 0.04 + sum, before, 1e-13);  // measured 1e-14
    EXPECT_LT(block.run.rows.back().v.norm(), 1e-12);
  }
}

// m x'' = -k x + mu m g while the belt is faster; then carried; then x'' = -k (x - x_s).
TEST(EventDriven, BeltOscillatorSticksAndSlipsInTime) {
  const double w = std::sqrt(10.0), xs = 0.2 * 9.81 / 10, vb = 0.15;
  const double stick = std::asin(vb / (xs * w)) / w, slip = stick + xs * std::cos(w * stick) / vb;
  for (const char* step : {"simulation.step=1.3e-3", "simulation.step=0.5"}) {
    const Tracked belt = track("belt-oscillator", {step, "simulation.until=2.5"});
    ASSERT_EQ(belt.run.result.status, RunStatus::finished);
    ASSERT_EQ(belt.of(EventKind::sticking).size(), 1U);
    ASSERT_EQ(belt.of(EventKind::sliding).size(), 1U);
    EXPECT_NEAR(belt.of(EventKind::sticking)[0]->t, stick, 1e-14);  // measured 3e-16
    EXPECT_NEAR(belt.of(EventKind::sliding)[0]->t, slip, 5e-14);    // measured 5e-15
    const Row& end = belt.run.rows.back();
    EXPECT_NEAR(end.q[0], xs + vb / w * std::sin(w * (end.t - slip)), 2e-12);  // measured 3e-13
  }
}

// x'' = -w^2 x - mu g sign x': turns at n pi / w, each time 2 x_f nearer to the rest position, and sticks within x_f.
TEST(EventDriven, DryFrictionOscillatorReversesInTime) {
  const double w = std::sqrt(10.0), xf = 0.2 * 9.81 / 10;
  for (const char* step : {"simulation.step=1.3e-3", "simulation.step=2"}) {
    const Tracked o = track("belt-oscillator", {"system.formulas.parameters.v_belt=0", "initial.position={x: 1.3}",
                                                step, "simulation.until=6"});
    ASSERT_EQ(o.run.result.status, RunStatus::finished);
    ASSERT_EQ(o.of(EventKind::reversal).size(), 2U);  // 1.3, -0.9076, 0.5152, -0.1228: that holds
    ASSERT_EQ(o.of(EventKind::sticking).size(), 1U);
    EXPECT_NEAR(o.of(EventKind::reversal)[0]->t, std::numbers::pi / w, 5e-12);      // measured 2e-13
    EXPECT_NEAR(o.of(EventKind::reversal)[1]->t, 2 * std::numbers::pi / w, 5e-12);  // 4e-13
    EXPECT_NEAR(o.of(EventKind::sticking)[0]->t, 3 * std::numbers::pi / w, 5e-12);  // 8e-13
    EXPECT_NEAR(o.run.rows.back().q[0], -(1.3 - 6 * xf), 1e-12);                    // 1e-13
  }
}

TEST(EventDriven, TwoContactsCloseTogether) {
  const Tracked block = track("rocking-block", {"initial.position={y: 1}", "initial.velocity={}",
                                                "simulation.step=0.19", "simulation.until=0.5"});
  const auto impacts = block.of(EventKind::impact);
  ASSERT_GE(impacts.size(), 2U);
  EXPECT_EQ(impacts[0]->t, impacts[1]->t);
  EXPECT_NE(impacts[0]->item, impacts[1]->item);
  EXPECT_NEAR(impacts[0]->t, std::sqrt(0.5 / 9.81), 1e-13);
  EXPECT_NEAR(impacts[0]->U_after, -0.5 * impacts[0]->U_before, 1e-13);
  EXPECT_NEAR(impacts[1]->U_after, -0.5 * impacts[1]->U_before, 1e-13);
  EXPECT_NEAR(block.run.rows.back().q[2], 0, 1e-15);
}

const std::string kTable = R"(    parameters: {g: 9.81, A: 0.1, w: 12}
    coordinates: [y, th]
    kinetic: y'^2/2 + th'^2/20
    potential: g*y
    contacts:
      left: {gap: y - sin(th) - A*sin(w*t)}
      right: {gap: y + sin(th) - A*sin(w*t)})";

// A beam rides on a table that drops away under it: both ends let go where A w^2 sin(w t) = g.
TEST(EventDriven, TwoContactsReleaseTogether) {
  const Tracked beam = track_formulas(kTable, "{velocity: {y: 1.2}}", 0.05, 0.15);
  ASSERT_EQ(beam.run.result.status, RunStatus::finished);
  const auto open = beam.of(EventKind::opening);
  ASSERT_EQ(open.size(), 2U);
  const double exact = std::asin(9.81 / (0.1 * 144)) / 12;
  EXPECT_EQ(open[0]->t, open[1]->t);
  EXPECT_NEAR(open[0]->t, exact, 1e-15);  // measured 2e-17
  const double t = 0.15 - exact, y = 0.1 * std::sin(12 * exact), v = 1.2 * std::cos(12 * exact);
  EXPECT_NEAR(beam.run.rows.back().q[0], y + v * t - 9.81 * t * t / 2, 1e-15);
  EXPECT_NEAR(beam.run.rows.back().q[1], 0, 1e-15);
}

// W = [1 -0.8; -0.8 1], free accelerations (0.92, -0.7): held as joints both would pull, lambda = (-1, -0.1). Who lets
// go of both for that sends the second through the ground; right is lambda = (0, 0.7), Gamma = (0.36, 0).
TEST(EventDriven, SeveralContactsAreReleasedByTheComplementarityProblem) {
  const Tracked both = track_formulas(R"(    parameters: {d: 0.36}
    coordinates: [x, y]
    kinetic: (x'^2 + y'^2 + 1.6*x'*y')/(2*d)
    potential: -((0.92 - 0.8*0.7)*x + (0.8*0.92 - 0.7)*y)/d
    contacts:
      first: {gap: x}
      second: {gap: y})",
                                      "{}", 0.3, 1.2);
  ASSERT_EQ(both.run.result.status, RunStatus::finished);
  EXPECT_NEAR(both.run.rows.back().q[0], 0.18 * 1.44, 1e-15);
  EXPECT_NEAR(both.run.rows.back().q[1], 0, 1e-14);
  EXPECT_NEAR(both.run.rows.back().P[1], 0.7 * 0.3, 2e-15);
}

// lambda = cos t: released at pi/2, where lambda = Gamma = 0 and only the next derivative tells.
TEST(EventDriven, TheUndeterminedCaseIsDecidedByTheNextDerivative) {
  const Tracked mass = track_formulas(R"(    coordinates: [y]
    kinetic: y'^2/2
    forces: {y: -cos(t)}
    contacts:
      ground: {gap: y})",
                                      "{}", 0.4, 3.2);
  ASSERT_EQ(mass.of(EventKind::opening).size(), 1U);
  EXPECT_NEAR(mass.of(EventKind::opening)[0]->t, std::numbers::pi / 2, 1e-15);                // measured 0
  EXPECT_NEAR(mass.run.rows.back().q[0], 3.2 - std::numbers::pi / 2 + std::cos(3.2), 1e-12);  // measured 9e-14
  // cos^2 touches zero and comes back: the contact stays closed
  const Tracked touch = track_formulas(R"(    coordinates: [y]
    kinetic: y'^2/2
    forces: {y: -cos(t)^2}
    contacts:
      ground: {gap: y})",
                                       "{}", 0.4, 3.2);
  ASSERT_EQ(touch.run.result.status, RunStatus::finished);
  EXPECT_NEAR(touch.run.rows.back().q[0], 0, 1e-15);
}

// Cases 1.4 and 1.5: a wall that comes and goes between the ends of a step. The particle does not move, and the error
// control would take one step for all.
TEST(EventDriven, CrossingsInsideAStepAreFound) {
  // the wall reaches in by a millionth for 0.3 ms of a step of 3 s
  const Tracked dip = track_formulas(R"(    coordinates: [y]
    kinetic: y'^2/2
    contacts:
      wall: {gap: y - sin(9*t)})",
                                     "{position: {y: 1 - 1e-6}}", 3, 3);
  ASSERT_GE(dip.of(EventKind::impact).size(), 1U);
  EXPECT_NEAR(dip.events[0].t, std::asin(1 - 1e-6) / 9, 3e-14);  // measured 3e-15
  EXPECT_NEAR(dip.events[0].U_before, -9 * std::cos(9 * dip.events[0].t), 1e-13);
  // and it misses six times before it hits
  const Tracked late = track_formulas(R"(    coordinates: [y]
    kinetic: y'^2/2
    contacts:
      wall: {gap: y - sin(9*t) - 0.07*t})",
                                      "{position: {y: 1.3}}", 5, 5);
  ASSERT_GE(late.of(EventKind::impact).size(), 1U);
  const auto gap = [](double t) { return 1.3 - std::sin(9 * t) - 0.07 * t; };
  double lo = 0, hi = std::numbers::pi / 18;
  while (gap(hi) > 0) hi += 2 * std::numbers::pi / 9;
  lo = hi - 0.1;
  for (int i = 0; i < 80; ++i) (gap(0.5 * (lo + hi)) > 0 ? lo : hi) = 0.5 * (lo + hi);
  EXPECT_NEAR(late.events[0].t, lo, 1e-14);  // measured 9e-16
}

// Case 1.3: the gap touches zero with zero velocity and leaves again: no impact, and nothing closes.
TEST(EventDriven, GrazingLeavesTheMotionAlone) {
  const Tracked p = track_formulas(R"(    coordinates: [y]
    kinetic: y'^2/2
    potential: y^2/2
    contacts:
      wall: {gap: y + 1, restitution: 0.5})",
                                   "{position: {y: 1}}", 1, 12);
  ASSERT_EQ(p.run.result.status, RunStatus::finished);
  EXPECT_NEAR(p.run.rows.back().q[0], std::cos(12.0), 1e-11);  // measured 1.2e-12
}

// In space: a box slides flat on its four corners, whose normal forces are not unique, and stops after v^2/(2 mu g);
// under gravity (3, 2, -9) it begins to slide along (3, 2) with |(3, 2)| - 9 mu.
TEST(EventDriven, ABoxSlidesInSpaceStopsAndStarts) {
  const std::vector<std::string> flat = {"system.plane.friction=0.3",
                                         "system.plane.restitution=0",
                                         "system.bodies.box.position=[0, 0, 0.15]",
                                         "system.bodies.box.angular_velocity=[0, 0, 0]",
                                         "simulation.step=0.1",
                                         "simulation.until=1"};
  auto moving = flat, resting = flat;
  moving.push_back("system.bodies.box.velocity=[1, 2, 0]");
  const Tracked slide = track("rigid-box", moving);
  ASSERT_EQ(slide.run.result.status, RunStatus::finished);
  ASSERT_EQ(slide.of(EventKind::sticking).size(), 4U);
  EXPECT_NEAR(slide.of(EventKind::sticking)[0]->t, std::sqrt(5) / (0.3 * 9.81),
              2e-9);  // measured 3e-10, of the threshold 1e-9 m/s
  EXPECT_NEAR(slide.run.rows.back().q[0], std::sqrt(5) / (2 * 0.3 * 9.81), 1e-14);
  EXPECT_NEAR(slide.run.rows.back().q[1], 2 * std::sqrt(5) / (2 * 0.3 * 9.81), 1e-14);
  resting.push_back("system.bodies.box.velocity=[0, 0, 0]");
  resting.push_back("system.gravity=[3, 2, -9]");
  const Tracked start = track("rigid-box", resting);
  ASSERT_EQ(start.run.result.status, RunStatus::finished);
  EXPECT_LE(start.run.end.summary.newton_sum, 20);  // measured 14; the direction is right from the first instant
  const double a = 1 - 2.7 / std::sqrt(13);
  EXPECT_NEAR(start.run.rows.back().q[0], 1.5 * a, 1e-14);
  EXPECT_NEAR(start.run.rows.back().q[1], a, 1e-14);
}

// Four corners share the load in no determined way, and with it the friction: as equal feet would, which is smooth.
TEST(EventDriven, AFlatBoxThatSpinsStandsOnEqualFeet) {
  const auto run = [](const char* step) {
    return track("rigid-box",
                 {"system.plane.friction=0.3", "system.plane.restitution=0", "system.bodies.box.position=[0, 0, 0.15]",
                  "system.bodies.box.angular_velocity=[0, 0, 3]", "system.bodies.box.velocity=[1, 2, 0]", step,
                  "simulation.until=0.6"});
  };
  const Tracked coarse = run("simulation.step=0.1"), fine = run("simulation.step=0.01");
  ASSERT_EQ(coarse.run.result.status, RunStatus::finished);
  ASSERT_EQ(fine.run.result.status, RunStatus::finished);
  EXPECT_TRUE(coarse.run.end.summary.minimum_norm);
  for (Index i = 0; i < coarse.run.end.state.q.size(); ++i)
    EXPECT_NEAR(coarse.run.end.state.q[i], fine.run.end.state.q[i], 1e-9);  // measured 3e-12
  for (const Row& row : fine.run.rows)
    for (double P : row.P) EXPECT_GE(P, 0);
  EXPECT_NEAR(fine.run.end.state.q[0], 0.38562, 2e-5);  // combined with h = 1 ms: 0.385620, 0.717373
  EXPECT_NEAR(fine.run.end.state.q[1], 0.71737, 2e-5);
}

// Rows that turn fast (150 rad/s) do not keep an accumulation from closing: one hand-over, and the slider lies.
TEST(EventDriven, TheSlidersFirstAccumulationCloses) {
  const Tracked crank = track("slider-crank", {"simulation.step=1e-3", "simulation.until=0.01"});
  ASSERT_EQ(crank.run.result.status, RunStatus::finished);
  EXPECT_EQ(crank.of(EventKind::hand_over).size(), 1U);
  const Row& end = crank.run.rows.back();
  for (std::size_t corner : {2, 3}) {
    EXPECT_NEAR(end.gap[corner], 0, 1e-14);
    EXPECT_GT(end.P[corner], 0);
  }
  EXPECT_LE(crank.run.end.summary.energy_gain_max, 1e-12);
}

// Painleve's rod (length 2, uniform) slides on its lower end: at 60 degrees W_N - mu W_NT < 0 for mu = 2.5.
const std::string kRod = R"(    parameters: {m: 1, g: 9.81, l: 1, J: 1/3}
    coordinates: [x, y, th]
    kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2
    potential: m*g*y
    contacts:
      tip: {gap: y - l*sin(th), slip: x - l*cos(th), friction: 2.5})";
const std::string kRodStart = "{position: {y: sin(pi/3), th: pi/3}, velocity: {x: VX}}";

TEST(EventDriven, PainleveIsReportedAndTimeSteppingPasses) {
  // 1/m + l^2/J cos th (cos th - mu sin th) at 60 degrees: 1 + 3 (0.25 - 1.0825) < 0 when the tip slides to the left
  std::string start = kRodStart;
  start.replace(start.find("VX"), 2, "-8");
  const Tracked rod = track_formulas(kRod, start, 1e-3, 0.05);
  ASSERT_EQ(rod.run.result.status, RunStatus::failed);
  EXPECT_EQ(rod.run.result.failure.status, StepStatus::painleve);
  EXPECT_EQ(rod.run.result.failure.blame, 0);
  const Tracked stepped = track_formulas(kRod, start, 1e-3, 0.05, "moreau-jean");
  EXPECT_EQ(stepped.run.result.status, RunStatus::finished);
  // Turning fast, it could lift off as well as jam: two solutions, and none is preferred.
  const Tracked either =
      track_formulas(kRod, "{position: {y: sin(pi/3), th: pi/3}, velocity: {x: -8, y: 2.5, th: 5}}", 1e-3, 0.05);
  ASSERT_EQ(either.run.result.status, RunStatus::failed);
  EXPECT_EQ(either.run.result.failure.status, StepStatus::painleve);
  // the other way round it slides on
  start.replace(start.find("-8"), 2, "8");
  const Tracked back = track_formulas(kRod, start, 1e-3, 0.05);
  EXPECT_EQ(back.run.result.status, RunStatus::finished);
}

// Forces of every origin: belts and tables that do work, joints, friction, impacts, springs.
TEST(EventDriven, LedgersAddUp) {
  for (const auto& [name, until] :
       {std::pair{"belt-oscillator", 3.0}, std::pair{"moving-table", 1.0}, std::pair{"bouncing-pendulum", 6.0},
        std::pair{"slider-crank", 0.02}, std::pair{"two-balls-oscillator", 1.0}, std::pair{"rigid-box-points", 0.69},
        std::pair{"slider-and-roller", 4.0}}) {
    const Tracked run = track(name, {set("simulation.until", until), set("simulation.step", until / 37)});
    ASSERT_EQ(run.run.result.status, RunStatus::finished) << name;
    const Summary& s = run.run.end.summary;
    const double change = s.energy.kinetic + s.energy.potential - s.energy_initial;
    EXPECT_NEAR(s.energy.sum(), change, 1e-11 * s.magnitude_max) << name;
    EXPECT_EQ(s.energy.nonlinear_remainder, 0);
  }
}

// x'' = -1e8 (x - cos t) - 1e6 (x' + sin t) - cos t: x = cos t, reached through a layer of 1e-6 s.
TEST(EventDriven, TheImplicitMethodTakesStiffSystems) {
  const std::string system = R"(    parameters: {k: 1e8, c: 1e6}
    coordinates: [x]
    kinetic: x'^2/2
    forces: {x: -k*(x - cos(t)) - c*(x' + sin(t)) - cos(t)})";
  const auto run = [&](const std::string& method) {
    return track_formulas(system, "{position: {x: 1}}", 0.5, 1,
                          "{name: event-driven, atol: 1e-8, rtol: 1e-8, method: " + method + "}");
  };
  const Tracked radau = run("radau5"), explicit8 = run("dop853");
  EXPECT_NEAR(radau.run.rows.back().q[0], std::cos(1.0), 1e-10);      // measured 1.3e-11
  EXPECT_NEAR(explicit8.run.rows.back().q[0], std::cos(1.0), 1e-13);  // measured 4e-15
  EXPECT_LT(100 * radau.run.end.summary.newton_sum, explicit8.run.end.summary.newton_sum);
}

}  // namespace
}  // namespace ricochet::test::event_driven_test
