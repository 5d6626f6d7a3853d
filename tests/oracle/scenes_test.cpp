// Scenes: funnels, bodies that are fixed, chains of links; and what must not depend on the step.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/runs.hpp"

namespace ricochet::test::scenes_test {
namespace {

/// A ball in a funnel that is too narrow for it rests where it touches the plates: with the opening o, the slope a and
/// the radius r, at z = (r - o/2 sin a)/cos a over the opening.
TEST(Scenes, ABallRestsInAFunnel) {
  const double o = 0.08, a = 0.9, r = 0.1;
  for (const auto& [planar, plates] : {std::pair("  planar: xz\n", 2), std::pair("", 4), std::pair("", 6)}) {
    const Trajectory run = simulate(read_scenario(
        fmt::format("system:\n{}  gravity: [0, 0, -9.81]\n  collision: {{friction: 0}}\n  bodies:\n    ball: {{shapes: "
                    "[{{sphere: {{radius: {}}}, mass: 1}}], position: [0, 0, 0.42]}}\n  scenes:\n    funnel: {{funnel: "
                    "[{}], opening: {}, slope: {}, at: [0, 0, 0.3], body: {{fixed: true, shapes: [{{box: {{size: [0.5, "
                    "0.7, 0.02]}}}}]}}}}\nsimulation: {{scheme: combined, step: 1e-3, until: 0.2}}\n",
                    planar, r, plates, o, a),
        "funnel"));
    ASSERT_EQ(run.result.status, RunStatus::finished);
    const Index z = *planar != 0 ? 1 : 2;
    EXPECT_NEAR(run.rows.back().q[z], 0.3 + (r - o / 2 * std::sin(a)) / std::cos(a), 1e-10) << plates;
    EXPECT_NEAR(run.rows.back().v[z], 0, 1e-12) << plates;
  }
}

/// Stairs that are a scene: a row of fixed boxes. A ball that rolls over the edge of a box comes to the next one.
TEST(Scenes, FixedBodiesStayAndHaveNoMass) {
  const std::string text = R"(
system:
  gravity: [0, 0, -9.81]
  collision: {friction: 0.4}
  bodies:
    ball: {shapes: [{sphere: {radius: 0.05}, mass: 1}], position: [0.2, 0, 0.45]}
  scenes:
    pegs: {pyramid: [3], gap: 0.1, body: {fixed: true, shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}}
simulation: {scheme: combined, step: 1e-3, until: 0.5}
)";
  const Scenario s = read_scenario(text, "pegs");
  EXPECT_EQ(s.model.nv(), 6);  // of the ball alone
  const Trajectory run = simulate(s);
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().q[2], 0.15, 1e-10);  // on the outer one of the lowest layer
  std::string other = text;
  other.replace(other.find("fixed: true"), 11, "fixed: true, velocity: [1, 0, 0]");
  EXPECT_THAT(message_of(other), testing::HasSubstr("has no meaning for a body that is fixed"));
}

/// Links that hang through each other: the contacts between two of them carry the weight of all that hangs below.
TEST(Scenes, LinksCarryWhatHangsBelow) {
  // gravity along the row: it hangs straight, and falls through its play first
  const Trajectory run = simulate("chain-of-links", {"system.gravity=[9.81, 0, 0]", "until=0.4"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row& last = run.rows.back();
  for (Index i = 0; i < last.v.size(); ++i) EXPECT_NEAR(last.v[i], 0, 1e-8) << i;
  const double r = 0.005, wire = 4 * (0.015 + 0.005 + 0.007 * std::sqrt(2.0));  // lengths of the eight capsules
  const double mass = 7800 * std::numbers::pi * r * r * (wire + 8 * 4.0 / 3 * r);
  double all = 0;  // of all contacts: 10, 9, ... links hang below
  for (const double P : last.P) all += P;
  EXPECT_NEAR(all / 5e-4, mass * 9.81 * 55, 1e-6 * mass * 9.81);
}

/// Several bodies with e = 0.7 that hit the ground and each other once: balls, a box that falls flat on its face, and
/// two boxes that meet face to face. What is left of their velocities is 0.7 of what it was, at any step; where they
/// hit the ground in between of two steps the error is of the order of the step.
TEST(Scenes, RestitutionDoesNotDegradeWithTheStep) {
  for (const double h : {1e-3, 5e-4, 1e-4}) {
    const Scenario s = read_scenario(fmt::format(R"(
system:
  gravity: [0, 0, -10]
  collision: {{restitution: 0.7, friction: 0.3}}
  bodies:
    floor: {{fixed: true, shapes: [{{plane: {{}}}}]}}
    low: {{shapes: [{{sphere: {{radius: 0.1}}, mass: 1}}], position: [0, 0, 0.3]}}
    high: {{shapes: [{{sphere: {{radius: 0.1}}, mass: 1}}], position: [1, 0, 0.6123]}}
    box: {{box: {{size: [0.2, 0.2, 0.2]}}, mass: 1, position: [2, 0, 0.4567]}}
    left: {{box: {{size: [0.2, 0.2, 0.2]}}, mass: 1, position: [3, 0, 3], velocity: [1, 0, 0]}}
    right: {{box: {{size: [0.2, 0.2, 0.2]}}, mass: 1, position: [3.41234, 0, 3], velocity: [-1, 0, 0]}}
simulation: {{scheme: combined, step: {}, until: 0.4}}
)",
                                                 h),
                                     "bounces");
    const Trajectory run = simulate(s);
    ASSERT_EQ(run.result.status, RunStatus::finished);
    int body = 0;
    for (const double drop : {0.2, 0.5123, 0.3567}) {
      const double down = std::sqrt(2 * 10 * drop), back = 0.4 - down / 10;  // time since the bounce
      EXPECT_NEAR(run.rows.back().v[6 * body + 2], 0.7 * down - 10 * back, 12 * h)
          << h << " " << body;  // measured: 10 h
      ++body;
    }
    EXPECT_NEAR(run.rows.back().v[6 * 3], -0.7, 1e-9) << h;
    EXPECT_NEAR(run.rows.back().v[6 * 4], 0.7, 1e-9) << h;
  }
}

/// Impulses, along z, of the walls and of the floor on the grains of a column.
class ColumnLoads final : public Observer {
 public:
  explicit ColumnLoads(int floor) : floor_(floor) {}
  void step(const State&, const State& after, const StepReport& report) override {
    double walls = 0, floor = 0;
    for (const ConstraintReport& c : report.constraints) {
      if (c.candidate->bilateral() || c.impulse[0] == 0) continue;
      const auto& [a, b] = c.candidate->bodies;
      const Vector3d n = c.place()->normal;
      // in the plane the tangent is the normal turned by a right angle
      const double up =
          (a == floor_ ? -1 : 1) * (c.impulse[0] * n.z() + (c.candidate->dim > 1 ? c.impulse[1] * n.x() : 0));
      if (a == floor_ || b == floor_) floor += up;
      if (b == Candidate::kGround) walls += up;
    }
    t.push_back(after.t);
    wall.push_back(walls);
    ground.push_back(floor);
    momentum.push_back(after.v);
  }
  std::vector<double> t, wall, ground;
  std::vector<VectorXd> momentum;  ///< velocities, to be weighed

 private:
  int floor_;
};

/// Janssen: the walls carry a good part of a column whose floor sinks, and all forces add up to its weight and what its
/// momentum changes by. Without friction of the walls the floor carries it all.
TEST(Scenes, WallsCarryAColumn) {
  const double m = 2000 * 4.0 / 3 * std::numbers::pi * 1e-6;  // of a grain
  for (const double friction : {0.5, 0.0}) {
    const Scenario s = load_scenario("janssen-column", {"simulation.scheme=moreau-jean", "simulation.until=0.3",
                                                        set("system.parameters.mu_wall", friction)});
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState at = begin_run(s.model, *scheme, s.initial);
    ColumnLoads loads(0);
    ASSERT_EQ(run(s.model, *scheme, at, s.policy, &loads).status, RunStatus::finished);
    ASSERT_EQ(s.model.body_names().front(), "floor");
    const auto vertical = [&](std::size_t k) {  // momentum of the grains
      double sum = 0;
      for (Index i = 3; i < loads.momentum[k].size(); i += 3) sum += m * loads.momentum[k][i + 1];
      return sum;
    };
    const double weight = m * 9.81 * static_cast<double>(s.model.nv() / 3 - 1);
    double walls = 0, floor = 0, time = 0;
    for (std::size_t k = 1; k < loads.t.size(); ++k) {
      const double h = loads.t[k] - loads.t[k - 1];
      EXPECT_NEAR(loads.wall[k] + loads.ground[k] - weight * h, vertical(k) - vertical(k - 1), 1e-8 * weight * h) << k;
      if (loads.t[k] < 0.15) continue;  // the floor has come up to its speed, the grains to the floor
      walls += loads.wall[k], floor += loads.ground[k], time += h;
    }
    if (friction > 0) {
      EXPECT_LT(floor / time, 0.75 * weight);  // measured: 0.675
      EXPECT_GT(walls / time, 0.25 * weight);  // 0.354
    } else {
      EXPECT_EQ(walls, 0);
      EXPECT_NEAR(floor / time, weight, 0.05 * weight);  // 1.035: the grains still slow down
    }
  }
}

}  // namespace
}  // namespace ricochet::test::scenes_test
