// Bodies that meet: what is known of them in closed form.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "ricochet/math/input_error.hpp"
#include "support/paths.hpp"
#include "support/runs.hpp"

namespace ricochet::test::collision_test {
namespace {

constexpr double kQuarter = 1.5707963267948966;

/// Ten boxes carry a weight and do not sink, in 200 steps.
class BoxStack : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Weights, BoxStack, testing::Values(1, 10, 100, 10000));

TEST_P(BoxStack, Stands) {
  const Trajectory run = simulate("box-stack", {set("system.parameters.top", GetParam()), "until=0.2"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_EQ(run.end.summary.retries, 0);
  const Row &first = run.rows.front(), &last = run.rows.back();
  for (Index i = 0; i < first.q.size(); ++i) EXPECT_NEAR(last.q[i], first.q[i], 2e-12) << i;  // measured: 5e-13 in 2 s
  double ground = 0;
  for (std::size_t k = 0; k < 4; ++k) ground += last.P[k];  // the lowest box, the contacts with the floor come first
  EXPECT_NEAR(ground / 1e-3, (9 + GetParam()) * 9.81, 1e-9 * (9 + GetParam()));
}

/// What rests does so to round-off, and the impulses of a step solve the next one: nothing is left to a solver.
TEST(Collision, RestCostsNoIterations) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  gravity: [0, 0, -9.81]
  collision: {friction: 0.5}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
  scenes:
    one: {stack: [4], body: {box: {size: [0.1, 0.1, 0.1]}, mass: 1}}
    other: {stack: [4], at: [0.15, 0, 0], body: {box: {size: [0.1, 0.1, 0.1]}, mass: 1}}
simulation: {scheme: combined, step: 1e-3, until: 0.05}
)",
                                                "columns"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LE(run.end.summary.solver_sum, 50);  // measured: 18, in the first of the 50 steps
  EXPECT_EQ(run.end.summary.impacts, 0);      // 32 contacts begin to carry, none approaches
  const Row& last = run.rows.back();
  for (Index i = 0; i < last.v.size(); ++i) EXPECT_NEAR(last.v[i], 0, 1e-14) << i;  // measured: 1e-15
}

/// Two balls in line, e between them: velocities by momentum and Newton's law.
TEST(Collision, BallsInLine) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  gravity: [0, 0, 0]
  collision: {restitution: 0.6}
  bodies:
    a: {shapes: [{sphere: {radius: 0.1}, mass: 2}], position: [-0.5, 0, 0], velocity: [3, 0, 0]}
    b: {shapes: [{sphere: {radius: 0.2}, mass: 5}], position: [0.5, 0, 0], velocity: [-1, 0, 0]}
simulation: {scheme: combined, step: 1e-3, until: 0.5}
)",
                                                "balls"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const VectorXd& v = run.rows.back().v;
  const double mean = (2 * 3 - 5 * 1) / 7.0;
  EXPECT_NEAR(v[0], mean - 0.6 * 4 * 5 / 7, 1e-12);
  EXPECT_NEAR(v[6], mean + 0.6 * 4 * 2 / 7, 1e-12);
}

/// A fast body does not pass a thin wall: it bounces, or the run says that its steps are too long. 0.9 m, 18 and 9 mm a
/// step; the wall is 10 mm thick, the body 40.
TEST(Collision, NothingPassesThrough) {
  for (const char* scheme : {"moreau-jean", "combined", "nonsmooth-alpha", "decoupled-alpha"})
    for (const char* shape : {"sphere: {radius: 0.02}", "box: {size: [0.04, 0.04, 0.04]}"})
      for (const double step : {1e-3, 2e-5, 1e-5}) {
        const std::string what = fmt::format("{} {} {}", scheme, shape, step);
        const Trajectory run = run_text(std::string(R"(
system:
  gravity: [0, 0, 0]
  collision: {restitution: 1}
  bodies:
    wall: {fixed: true, shapes: [{box: {size: [0.01, 1, 1]}}]}
    bullet: {position: [-0.5003, 0, 0], velocity: [900, 0, 0], shapes: [{mass: 0.1, )") +
                                            shape + "}]}\nsimulation: {scheme: combined, step: 1e-3, until: 5e-3}\n",
                                        scheme, step, 2e-3);
        if (run.result.status != RunStatus::finished) {
          EXPECT_EQ(run.result.failure.status, StepStatus::overlooked) << what;
          EXPECT_GT(step, 1e-4) << what;
        } else {
          EXPECT_NEAR(run.rows.back().v[0], -900, 1e-9) << what;
        }
        for (const Row& row : run.rows) EXPECT_LE(row.q[0], -0.025 + 0.9 * 900 * step) << what;
        for (const Row& row : run.rows) EXPECT_LE(row.q[0], 0) << what;
      }
}

/// What would pass through a plate of 1 mm within a step, by up to a metre, is caught in shorter ones, which are
/// counted; a ball rebounds as its restitution says, however fast it came and whatever the step.
TEST(Collision, WhatPassesAPlateIsCaughtWhereItTouches) {
  for (const char* shape : {"sphere: {radius: 0.002}", "capsule: {radius: 0.001, length: 0.004}"})
    for (const double speed : {100.0, 1000.0})
      for (const double step : {1e-3, 1e-4}) {
        const std::string what = fmt::format("{} {} {}", shape, speed, step);
        const Trajectory run = run_text(fmt::format(R"(
system:
  gravity: [0, 0, 0]
  collision: {{restitution: 0.8, friction: 0.2}}
  bodies:
    plate: {{fixed: true, shapes: [{{box: {{size: [0.3, 0.3, 0.001]}}}}]}}
    shot: {{position: [0.011, 0.017, 0.05], orientation: [0.3, 0.2, 0.1], velocity: [0, 0, {}], shapes: [{{mass: 0.1, {}}}]}}
simulation: {{scheme: combined, step: 1e-3, until: 5e-3}}
)",
                                                    -speed, shape),
                                        "combined", step, 3e-3);
        ASSERT_EQ(run.result.status, RunStatus::finished) << what;
        for (const Row& row : run.rows) EXPECT_GT(row.q[2], 0.0015) << what;  // 0.5 mm and the radius of the capsule
        EXPECT_GT(run.rows.back().v[2], 0) << what;
        if (shape[0] == 's') {
          EXPECT_NEAR(run.rows.back().v[2], 0.8 * speed, 1e-9 * speed) << what;
        }
      }
}

/// A box slides over the joint of two tiles: neither caught nor slowed down.
TEST(Collision, AJointInTheFloorIsNotFelt) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  collision: {friction: 0}
  bodies:
    tiles: {fixed: true, shapes: [{box: {size: [1, 1, 1]}, at: [-0.5, 0, -0.5]}, {box: {size: [1, 1, 1]}, at: [0.5, 0, -0.5]}]}
    box: {box: {size: [0.1, 0.1, 0.1]}, mass: 1, position: [-0.2, 0, 0.05], velocity: [1, 0, 0]}
simulation: {scheme: combined, step: 1e-3, until: 0.4}
)",
                                                "tiles"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_NEAR(run.rows.back().v[0], 1, 1e-12);
  EXPECT_NEAR(run.rows.back().q[2], 0.05, 1e-12);
}

/// Rolling and spinning friction by materials: a ball that rolls has 1.4 a = mu_R g / r, one that spins
/// 0.4 r^2 omega' = mu_S g. Two different materials have the geometric means, 0.003 of 0.009 and 0.001.
TEST(Collision, MaterialsResistRollingAndSpinning) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  gravity: [0, 0, -10]
  collision:
    materials:
      felt: {friction: 0.5, rolling: 0.009, spinning: 0.009}
      ivory: {friction: 0.5, rolling: 0.001, spinning: 0.001}
      steel: {friction: 0.5}
    pairs: [{between: [felt, steel], friction: 0.5, rolling: 0.006}]
  bodies:
    table: {fixed: true, material: felt, shapes: [{plane: {}}]}
    rolls: {material: ivory, shapes: [{sphere: {radius: 0.1}, mass: 2}], position: [0, 0, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 10, 0]}
    spins: {material: ivory, shapes: [{sphere: {radius: 0.1}, mass: 2}], position: [0, 1, 0.1], angular_velocity: [0, 0, 10]}
    other: {material: steel, shapes: [{sphere: {radius: 0.1}, mass: 2}], position: [0, 2, 0.1], velocity: [1, 0, 0], angular_velocity: [0, 10, 0]}
simulation: {scheme: combined, step: 1e-3, until: 0.1}
)",
                                                "table"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const VectorXd& v = run.rows.back().v;
  EXPECT_NEAR(v[0], 1 - 0.1 * 0.003 * 10 / 1.4 / 0.1, 1e-9);
  EXPECT_NEAR(v[6 + 5], 10 - 0.1 * 0.003 * 10 / 0.4 / 0.01, 1e-7);
  EXPECT_NEAR(v[12], 1 - 0.1 * 0.006 * 10 / 1.4 / 0.1, 1e-9);
  EXPECT_NEAR(v[12 + 4], v[12] / 0.1, 1e-9);  // it still rolls
}

/// In the plane: a disk on two others that touch. At rest as long as friction holds it: mu >= tan 15 degrees.
TEST(Collision, ThreeDisks) {
  const auto lowest = [](double mu) {
    const Trajectory run = simulate(read_scenario(
        R"(
system:
  planar: xz
  parameters: {r: 0.1, h: 0.1*sqrt(3)}
  collision: {friction: )" +
            std::to_string(mu) +
            R"(}
  bodies:
    ground: {fixed: true, shapes: [{plane: {}}]}
    left: {position: [-r, 0, r], shapes: [{cylinder: {radius: r, length: 0.1}, orientation: [1.5707963267948966, 0, 0], mass: 1}]}
    right: {position: [r, 0, r], shapes: [{cylinder: {radius: r, length: 0.1}, orientation: [1.5707963267948966, 0, 0], mass: 1}]}
    top: {position: [0, 0, r + h], shapes: [{cylinder: {radius: r, length: 0.1}, orientation: [1.5707963267948966, 0, 0], mass: 1}]}
simulation: {scheme: combined, step: 1e-3, until: 0.1}
)",
        "disks"));
    EXPECT_EQ(run.result.status, RunStatus::finished);
    return run.rows.back().q[7];
  };
  const double rest = 0.1 + 0.1 * std::sqrt(3.0);
  EXPECT_NEAR(lowest(0.28), rest, 1e-9);  // tan 15 degrees is 0.268
  EXPECT_LT(lowest(0.25), rest - 1e-4);
}

/// A cylinder rolls down a slope without slipping, lying on two points: a = 2/3 g sin(alpha).
TEST(Collision, ACylinderRolls) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  gravity: [3, 0, -8]
  collision: {friction: 0.5}
  bodies:
    ground: {fixed: true, shapes: [{plane: {}}]}
    can: {shapes: [{cylinder: {radius: 0.1, length: 0.5}, orientation: [1.5707963267948966, 0, 0], mass: 2}], position: [0, 0, 0.1]}
simulation: {scheme: combined, step: 1e-3, until: 0.2}
)",
                                                "roll"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row& last = run.rows.back();
  EXPECT_NEAR(last.v[0], 2.0 / 3 * 3 * 0.2, 1e-9);
  EXPECT_NEAR(last.q[2], 0.1, 1e-12);
  EXPECT_NEAR(last.v[4], last.v[0] / 0.1, 1e-9);
}

/// What stands on a rim stays: a cylinder on the floor, one on a box, a cone on it; pushed hard enough it slides and
/// does not wobble.
TEST(Collision, WhatStandsOnARimDoesNotWobble) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  collision: {friction: 0.3}
  bodies:
    ground: {fixed: true, shapes: [{plane: {}}]}
    table: {fixed: true, shapes: [{box: {size: [1, 1, 0.2]}}], position: [3, 0, 0.1]}
    can: {shapes: [{cylinder: {radius: 0.1, length: 0.3}, mass: 2}], position: [0, 0, 0.15]}
    second: {shapes: [{cylinder: {radius: 0.07, length: 0.2}, mass: 1}], position: [0.01, 0.02, 0.4]}
    cone: {shapes: [{cone: {radius: 0.1, height: 0.2}, mass: 1}], position: [3.1, 0.1, 0.2]}
    slides: {shapes: [{cylinder: {radius: 0.2, length: 0.1}, mass: 1}], position: [0, 2, 0.05], velocity: [1, 0, 0]}
simulation: {scheme: combined, step: 1e-3, until: 0.2}
)",
                                                "stand"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row &first = run.rows.front(), &last = run.rows.back();
  for (Index i = 0; i < 21; ++i) EXPECT_NEAR(last.q[i], first.q[i], 1e-11) << i;
  EXPECT_NEAR(last.v[18], 1 - 0.3 * 9.81 * 0.2, 1e-9);
  for (Index i = 19; i < 24; ++i) EXPECT_NEAR(last.v[i], 0, 1e-9) << i;
}

/// Cylinders and cones stand, lie and roll over the seams of what is flush, tiles or triangles, and do not feel them.
class OverSeams : public testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Floors, OverSeams,
                         testing::Combine(testing::Values("tiles", "triangles", "grid"),
                                          testing::Values("combined", "decoupled-alpha", "projected", "moreau-jean")));

TEST_P(OverSeams, RoundThingsSlideAndRoll) {
  const auto [floor, scheme] = GetParam();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("ricochet-seams-{}-{}", floor, scheme);
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "triangles.obj") << "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nf 1 2 3\nf 1 3 4\n";
  std::ofstream(folder / "grid.obj") << "v -2 -2 0\nv 0 -2 0\nv 2 -2 0\nv -2 2 0\nv 0 2 0\nv 2 2 0\n"
                                        "f 1 2 5 4\nf 2 3 6 5\n";
  const std::string tile = "{fixed: true, shapes: [{box: {size: [2, 2, 1]}}], position: ";
  const std::string ground =
      std::string(floor) == "tiles"
          ? fmt::format("one: {0}[-1, 0, -0.5]}}\n    two: {0}[1, 0, -0.5]}}", tile)
          : fmt::format("ground: {{fixed: true, shapes: [{{mesh: {{file: {}/{}.obj}}}}]}}", folder.string(), floor);
  const double half = std::atan2(0.1, 0.2);  // the angle at the tip of the cone
  struct Thing {
    const char *name, *shape;
    double friction, height, tilt;  // about y; of what rolls about x
  };
  for (const Thing& thing :
       {Thing{"can that stands", "cylinder: {radius: 0.1, length: 0.1}", 0, 0.05, 0},
        {"can that lies", "cylinder: {radius: 0.1, length: 0.2}", 0, 0.1, kQuarter},
        {"can that rolls", "cylinder: {radius: 0.1, length: 0.2}", 0.5, 0.1, kQuarter},
        {"cone that stands", "cone: {radius: 0.1, height: 0.2}", 0, 0, 0},
        {"cone, tip behind", "cone: {radius: 0.1, height: 0.2}", 0, 0.1 * std::cos(half), -kQuarter - half},
        {"cone, tip first", "cone: {radius: 0.1, height: 0.2}", 0, 0.1 * std::cos(half), kQuarter + half}}) {
    SCOPED_TRACE(thing.name);
    const bool rolls = thing.friction > 0;
    const Trajectory run = simulate(read_scenario(
        fmt::format(R"(
system:
  collision: {{friction: {}}}
  bodies:
    {}
    thing: {{shapes: [{{{}, mass: 1}}], position: [-0.3, 0.01, {:.17g}], orientation: {}, velocity: [1, 0, 0], angular_velocity: {}}}
simulation: {{scheme: {}, step: 1e-3, until: 0.5}}
)",
                    thing.friction, ground, thing.shape, thing.height,
                    rolls ? fmt::format("[{:.17g}, 0, 0]", thing.tilt) : fmt::format("[0, {:.17g}, 0]", thing.tilt),
                    rolls ? "[0, 0, -10]" : "[0, 0, 0]", scheme),
        "seams"));
    ASSERT_EQ(run.result.status, RunStatus::finished);
    EXPECT_EQ(run.end.summary.retries, 0);
    const Row &first = run.rows.front(), &last = run.rows.back();
    EXPECT_NEAR(last.q[0] - first.q[0], 0.5, 1e-11);  // measured: 1e-14
    for (const Index i : {1, 2}) EXPECT_NEAR(last.q[i], first.q[i], 1e-11) << i;
    for (Index i = 0; i < 6; ++i) EXPECT_NEAR(last.v[i], first.v[i], 1e-11) << i;
  }
}

/// The end of a cylinder that is flush with the floor is floor.
TEST(Collision, ThingsSlideOverAFlushDisc) {
  for (const char* shape : {"box: {size: [0.2, 0.2, 0.1]}", "cylinder: {radius: 0.1, length: 0.1}",
                            "hull: {points: [[-0.1, -0.1, 0], [0.1, -0.1, 0], [0, 0.12, 0], [0, 0, 0.1]]}"})
    for (const char* scheme : {"combined", "decoupled-alpha"}) {
      SCOPED_TRACE(fmt::format("{}, {}", shape, scheme));
      const Trajectory run = simulate(read_scenario(fmt::format(R"(
system:
  collision: {{}}
  bodies:
    left: {{fixed: true, shapes: [{{box: {{size: [1, 2, 1]}}}}], position: [-1, 0, -0.5]}}
    stump: {{fixed: true, shapes: [{{cylinder: {{radius: 0.5, length: 1}}}}], position: [0, 0, -0.5]}}
    right: {{fixed: true, shapes: [{{box: {{size: [1, 2, 1]}}}}], position: [1, 0, -0.5]}}
    thing: {{shapes: [{{{}, mass: 1}}], position: [-0.75, 0.01, {}], velocity: [1, 0, 0]}}
simulation: {{scheme: {}, step: 1e-3, until: 1.5}}
)",
                                                                shape, shape[0] == 'h' ? 0 : 0.05, scheme),
                                                    "stump"));
      ASSERT_EQ(run.result.status, RunStatus::finished);
      const Row &first = run.rows.front(), &last = run.rows.back();
      EXPECT_NEAR(last.q[0] - first.q[0], 1.5, 1e-11);  // measured: 1e-14
      EXPECT_NEAR(last.q[2], first.q[2], 1e-11);
      for (Index i = 0; i < 6; ++i) EXPECT_NEAR(last.v[i], first.v[i], 1e-11) << i;
    }
}

/// In the plane: a block slides over a chain of segments as over a floor, and a ball stays in its valley.
TEST(Collision, ChainsOfSegments) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  planar: xz
  gravity: [0, 0, -10]
  collision: {friction: 0.2}
  bodies:
    ground: {fixed: true, shapes: [{chain: {points: [[-2, 0, 0], [0, 0, 0], [0.7, 0, 0], [2, 0, 0], [3, 0, 1]]}}]}
    block: {box: {size: [0.2, 0.1, 0.1]}, mass: 1, position: [-0.4, 0, 0.05], velocity: [2, 0, 0]}
simulation: {scheme: combined, step: 1e-3, until: 0.5}
)",
                                                "chain"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row& last = run.rows.back();
  EXPECT_NEAR(last.v[0], 2 - 0.2 * 10 * 0.5, 1e-9);
  EXPECT_NEAR(last.q[1], 0.05, 1e-10);
}

// The pieces behind the triangles are flat: what is deep inside touches none of them, and is told all the same. In the
// corner of the angle, which is no matter, it may be.
TEST(Collision, WhatAMeshSurroundsIsTold) {
  const auto told = [](const char* place) {
    try {
      read_scenario(
          fmt::format("system:\n  collision: {{friction: 0.2}}\n  bodies:\n    bracket: {{fixed: true, "
                      "shapes: [{{mesh: {{file: bracket.obj, scale: 1e-3}}}}]}}\n    ball: {{shapes: [{{sphere: "
                      "{{radius: 1e-3}}, density: 1000}}], position: {}}}\nsimulation: {{scheme: combined, "
                      "step: 1e-4, until: 1e-3}}\n",
                      place),
          RICOCHET_SOURCE_DIR "/scenarios/inside.yaml");
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(told("[-0.01, 0, -0.01]"), testing::HasSubstr("overlap"));
  EXPECT_THAT(told("[0.03, 0.001, -0.01]"), testing::HasSubstr("overlap"));
  EXPECT_EQ(told("[0.02, 0, 0.02]"), "accepted");
  EXPECT_EQ(told("[0.1, 0, 0]"), "accepted");
}

/// A cube that is a mesh slides over a floor that is one, across the borders of its triangles, as a box over a plane:
/// and a mesh that is open is refused as a body that moves.
TEST(Collision, AMeshSlidesLikeABox) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ricochet-mesh";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "cube.obj") << "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\n"
                                        "v -1 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  std::ofstream(folder / "floor.obj") << "v -1 -1 0\nv 0.05 -1 0\nv 1 -1 0\nv -1 1 0\nv 0 1 0\nv 1 1 0\n"
                                         "f 1 2 5 4\nf 2 3 6 5\n";
  const auto text = [&](const char* cube) {
    return fmt::format(R"(
system:
  gravity: [0, 0, -10]
  collision: {{friction: 0.2}}
  bodies:
    floor: {{fixed: true, shapes: [{{mesh: {{file: {0}/floor.obj}}}}]}}
    cube: {{shapes: [{{mesh: {{file: {0}/{1}, scale: 0.05}}, density: 1000}}], position: [-0.2, 0.02, 0.05], velocity: [2, 0, 0]}}
simulation: {{scheme: combined, step: 1e-3, until: 0.2}}
)",
                       folder.string(), cube);
  };
  const Trajectory run = simulate(read_scenario(text("cube.obj"), "mesh"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row& last = run.rows.back();
  EXPECT_NEAR(last.v[0], 2 - 0.2 * 10 * 0.2, 1e-9);
  EXPECT_NEAR(last.q[2], 0.05, 1e-10);
  for (Index i = 1; i < 6; ++i) EXPECT_NEAR(last.v[i], 0, 1e-9) << i;
  try {
    read_scenario(text("floor.obj"), "mesh");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("6 borders are open"), std::string::npos) << error.what();
  }
}

/// What was mended in a mesh, and what looks like millimetres, stands in the notes of a run.
TEST(Collision, MeshesSayWhatWasMended) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ricochet-mended";
  std::filesystem::create_directories(folder);
  const std::string corners = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n";
  // two faces look inwards, one is there twice, one triangle has no area
  std::ofstream(folder / "cube.obj") << corners << "f 1 2 3 4\nf 8 7 6 5\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
                                     << "f 4 1 5 8\nf 1 2 2\n";
  const auto notes = [&](const char* scale) {
    const Scenario s = read_scenario(
        fmt::format("system:\n  collision: {{}}\n  bodies:\n    cube: {{shapes: [{{mesh: {{file: {}/cube.obj{}}}, "
                    "density: 1000}}]}}\nsimulation: {{step: 1e-3, until: 1e-3}}\n",
                    folder.string(), scale),
        "mesh");
    return fmt::format("{}", fmt::join(s.notes, "\n"));
  };
  const std::string told = notes(", scale: 100");
  EXPECT_THAT(told, testing::HasSubstr("1 triangle without an area was left out"));
  EXPECT_THAT(told, testing::HasSubstr("2 triangles that were there twice were left out"));
  EXPECT_THAT(told, testing::HasSubstr("4 triangles were turned"));
  EXPECT_THAT(told, testing::Not(testing::HasSubstr("millimetres")));
  std::string long_corners = corners;
  for (std::size_t k = 0; (k = long_corners.find('1', k)) != std::string::npos; k += 2)
    long_corners.replace(k, 1, "60");
  std::ofstream(folder / "cube.obj") << long_corners
                                     << "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  EXPECT_THAT(notes(""), testing::HasSubstr("if its numbers are millimetres, give `scale: 1e-3`"));
}

/// What overlaps at the beginning is refused, with its names and its depth.
TEST(Collision, OverlapIsTold) {
  try {
    read_scenario(R"(
system:
  collision: {}
  bodies:
    a: {box: {size: [1, 1, 1]}, mass: 1}
    b: {box: {size: [1, 1, 1]}, mass: 1, position: [0.75, 0.1, 0.2]}
simulation: {step: 1e-3, until: 1}
)",
                  "overlap");
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("'a' and 'b' overlap by 0.25"), std::string::npos) << said;
  }
}

/// `separate` moves bodies apart by the least |x|_M: two balls against their masses, along the line between them.
TEST(Collision, OverlapIsSeparated) {
  const Scenario s = read_scenario(R"(
system:
  collision: {}
  bodies:
    a: {shapes: [{sphere: {radius: 0.5}, mass: 1}], position: [0, 0, 0], velocity: [1, 0, 0]}
    b: {shapes: [{sphere: {radius: 0.5}, mass: 3}], position: [0, 0.6, 0.48], velocity: [2, 0, 0]}
    apart: {shapes: [{sphere: {radius: 0.5}, mass: 3}], position: [5, 0, 0]}
initial: {separate: true}
simulation: {scheme: combined, step: 1e-3, until: 1}
)",
                                   "pair");
  const double away = 1 - std::hypot(0.6, 0.48), y = 0.6 / std::hypot(0.6, 0.48), z = 0.48 / std::hypot(0.6, 0.48);
  EXPECT_NEAR(s.initial.q[1], -0.75 * away * y, 1e-12);
  EXPECT_NEAR(s.initial.q[2], -0.75 * away * z, 1e-12);
  EXPECT_NEAR(s.initial.q[8], 0.6 + 0.25 * away * y, 1e-12);
  EXPECT_EQ(s.initial.q[14], 5);
  EXPECT_EQ(s.initial.v[0], 1);
  ASSERT_EQ(s.notes.size(), 1U);
  EXPECT_NE(s.notes[0].find("1 overlap, the deepest by 0.231"), std::string::npos) << s.notes[0];
  EXPECT_NE(s.notes[0].find("a.y moved most, by 0.135"), std::string::npos) << s.notes[0];
}

/// A stack that overlaps everywhere, on the floor, and balls that press into its side: afterwards nothing does; what
/// has no room is told.
TEST(Collision, HeapsAreSeparated) {
  const auto text = [](double wall) {
    return fmt::format(R"(
system:
  collision: {{friction: 0.3}}
  bodies:
    ground: {{fixed: true, shapes: [{{plane: {{}}}}]}}
    walls: {{fixed: true, shapes: [{{plane: {{normal: [1, 0, 0], offset: -{0}}}}}, {{plane: {{normal: [-1, 0, 0], offset: -{0}}}}}]}}
  scenes:
    boxes: {{stack: [6], at: [0, 0, -0.02], body: {{shapes: [{{box: {{size: [0.2, 0.2, 0.1]}}, density: 1000}}], position: [0, 0, 0]}}}}
    balls: {{grid: [3, 3, 3], at: [0.24, 0, 0.01], body: {{shapes: [{{sphere: {{radius: 0.06}}, density: 1000}}]}}}}
initial: {{separate: true}}
simulation: {{scheme: combined, step: 1e-3, until: 1}}
)",
                       wall);
  };
  const Scenario s = read_scenario(text(1), "heap");
  ASSERT_EQ(s.notes.size(), 1U);
  EXPECT_NE(s.notes[0].find("moved apart"), std::string::npos) << s.notes[0];
  try {
    read_scenario(text(0.09), "heap");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be moved apart"), std::string::npos) << error.what();
  }
}

/// Boxes turned at random fall on each other: corners, edges and faces in every position, on the way to lying flat. The
/// schemes that are exact at both levels go through with it.
TEST(Collision, BoxesTurnedAtRandomSettle) {
  const Trajectory run = simulate("boxes-in-a-bin", {"until=0.6"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LE(run.end.summary.retries, 12);                                                        // measured: 3
  for (const Row& row : run.rows) EXPECT_LE(row.certificate.penetration, 1e-10 * 0.1) << row.t;  // of the size
}

/// Groups that are told to ignore each other, and bodies that a joint connects, pass through each other.
TEST(Collision, WhatIsIgnored) {
  const Trajectory run = simulate(read_scenario(R"(
system:
  gravity: [0, 0, 0]
  collision: {restitution: 1, ignore: [[ghost, wall]]}
  bodies:
    wall: {fixed: true, shapes: [{plane: {normal: [-1, 0, 0]}}]}
    ghost: {shapes: [{sphere: {radius: 0.1}, mass: 1}], position: [-0.5, 0, 0], velocity: [1, 0, 0]}
    ball: {shapes: [{sphere: {radius: 0.1}, mass: 1}], position: [-0.5, 1, 0], velocity: [1, 0, 0]}
simulation: {scheme: combined, step: 1e-2, until: 1}
)",
                                                "ignored"));
  EXPECT_NEAR(run.rows.back().v[0], 1, 1e-12);
  EXPECT_NEAR(run.rows.back().v[6], -1, 1e-12);
}

}  // namespace
}  // namespace ricochet::test::collision_test
