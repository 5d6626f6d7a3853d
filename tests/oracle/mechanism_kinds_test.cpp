// Kinds of contact and friction that have more than a point: flats on cams, rims on planes, pins that slide and turn;
// and the mechanisms that are shipped with them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numbers>

#include "ricochet/io/result/joint_columns.hpp"
#include "ricochet/io/result/recorder.hpp"
#include "support/runs.hpp"

namespace ricochet::test::mechanism_kinds_test {
namespace {

using std::numbers::pi;

// As long as it lies on, the follower is as high as the cam reaches: the highest point of the turned curve, by search.
// Beyond 30 rad/s or so it jumps.
TEST(MechanismKinds, AFlatFollowerIsAsHighAsItsCam) {
  const Trajectory run = simulate("flat-follower");
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const auto reach = [](double angle) {
    double best = 0, at = 0;
    const auto height = [&](double a) { return (0.04 + 0.003 * std::cos(2 * (a - pi / 2))) * std::sin(a + angle); };
    for (int k = 0; k < 3000; ++k)
      if (const double a = k * 2 * pi / 3000; height(a) > best) best = height(at = a);
    for (double width = 1e-3; width > 1e-9; width /= 2)
      for (const double a : {at - width, at + width})
        if (height(a) > best) best = height(at = a);
    return best;
  };
  double jump = 0;
  int compared = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const Row& r = run.rows[k];
    const double gap = r.gap.back();
    jump = std::max(jump, gap);
    if (r.t < 0.3) {
      EXPECT_LT(gap, 1e-9) << r.t;
    }
    if (k % 50 != 0) continue;
    ++compared;
    EXPECT_NEAR(r.q[4] - 0.017 - reach(r.q[2]), gap, 1e-11) << r.t;
  }
  EXPECT_GT(compared, 150);
  EXPECT_GT(jump, 1e-4);
}

// The lowest point of a tilted rim, by search over the circle; lying flat, all of it.
TEST(MechanismKinds, RimsOnAPlaneAreExact) {
  const Scenario s = read_scenario(
      "name: coin\nsystem:\n  bodies:\n    coin: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n  contacts:\n    "
      "rim: {rim_on_plane: [ground, coin], first: {at: [0, 0, -0.2], axis: [0.1, 0.2, 1]}, second: {at: [0.02, 0, "
      "0.05], axis: [0, 1, 0]}, radius: 0.3, friction: 0.2}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n",
      "test.yaml");
  ModelScratch scratch(s.model);
  const Vector3d n = Vector3d(0.1, 0.2, 1).normalized();
  for (int k = 0; k < 40; ++k) {
    const Quaterniond Q = exp_quaternion(Vector3d(0.3 * k, 0.2 * std::sin(1. * k), 0.1 * k));
    VectorXd q(7);
    q << 0.1 * k, -0.2, 0.5, Q.w(), Q.x(), Q.y(), Q.z();
    std::vector<Candidate> candidates;
    s.model.candidates({0, q, s.initial.v}, 0, candidates);
    ConstraintRows rows;
    const int pick = 0;
    s.model.evaluate(0, q, {.candidates = candidates.data(), .pick = &pick, .count = 1}, rows, scratch);
    const auto height = [&](double phi) {
      const Vector3d x = q.head(3) + Q * Vector3d(0.02 + 0.3 * std::cos(phi), 0, 0.05 + 0.3 * std::sin(phi));
      return n.dot(x - Vector3d(0, 0, -0.2));
    };
    double least = 1e9, at = 0;
    for (int i = 0; i < 2000; ++i)
      if (const double phi = i * pi / 1000; height(phi) < least) least = height(at = phi);
    for (double width = 1e-3; width > 1e-9; width /= 2)
      for (const double phi : {at - width, at + width})
        if (height(phi) < least) least = height(at = phi);
    EXPECT_NEAR(rows.g[0], least, 1e-12) << k;
  }
}

// A coin that falls over from 0.3 rad on one rim: the lowest point stays on the plane, and the coin turns about it,
// until just before it lies flat, where all of the rim hits at once.
TEST(MechanismKinds, ACoinFallsOver) {
  const Trajectory run = simulate(read_scenario(
      "name: coin\nsystem:\n  bodies:\n    coin: {mass: 0.01, inertia: [4e-7, 4e-7, 7e-7], position: [0, 0, 0.02], "
      "orientation: [0.3, 0, 0]}\n  contacts:\n    rim: {rim_on_plane: [ground, coin], first: {}, second: {at: [0, 0, "
      "-0.001]}, radius: 0.012, friction: 0.3}\nsimulation: {scheme: combined, step: 1e-4, until: 0.062}\n",
      "test.yaml"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
  const auto tilt = [](const Row& r) { return 2 * std::asin(r.q[4]); };
  for (const Row& r : run.rows) {
    if (r.gap.empty()) continue;
    EXPECT_NEAR(r.gap[0], r.q[2] - 0.001 * std::cos(tilt(r)) - 0.012 * std::sin(std::abs(tilt(r))), 1e-12) << r.t;
  }
  EXPECT_LT(run.rows.back().gap[0], 1e-9);
  EXPECT_LT(tilt(run.rows.back()), 0.2);
}

// A sleeve of J = m r^2 slides along its rod and turns about it: the velocity of its surface, (v, r w), keeps its
// direction and falls by mu g, so that both come to rest at once, after |(v, r w)| / (mu g).
TEST(MechanismKinds, ASleeveSlidesAndTurns) {
  const double mu = 0.2, v = 0.3, w = 8, r = 0.05, g = 9.81, stop = std::hypot(v, r * w) / (mu * g);
  for (const char* scheme : {"combined", "projected", "moreau-jean", "nonsmooth-alpha"}) {
    const Trajectory run = simulate(read_scenario(
        std::string("name: sleeve\nsystem:\n  bodies:\n    sleeve: {mass: 2, inertia: [0.005, 0.01, 0.01], velocity: "
                    "[0.3, 0, 0], angular_velocity: [8, 0, 0]}\n  joints:\n    rod: {cylindrical: [ground, sleeve], "
                    "axis: [1, 0, 0], friction: 0.2, pin: 0.05}\nsimulation: {scheme: ") +
            scheme + ", step: 1e-3, until: 0.4}\n",
        "test.yaml"));
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    for (const Row& row : run.rows) {
      if (row.t > stop - 2e-3) continue;
      EXPECT_NEAR(row.v[0], v * (1 - row.t / stop), 2e-3) << scheme << " " << row.t;
      EXPECT_NEAR(row.v[3], w * (1 - row.t / stop), 5e-2) << scheme << " " << row.t;
    }
    EXPECT_NEAR(run.rows.back().q[0], v * stop / 2, 1e-3) << scheme;
    EXPECT_LT(run.rows.back().v.norm(), 1e-12) << scheme;
    EXPECT_NEAR(run.end.summary.energy.friction, -(0.5 * 2 * v * v + 0.5 * 0.005 * w * w), 1e-6) << scheme;
  }
}

// One way the wheel turns, tooth by tooth; the other way it is stopped by the next face, a pitch away at most.
TEST(MechanismKinds, ARatchetTurnsOneWay) {
  const Trajectory run = simulate("ratchet");
  ASSERT_EQ(run.result.status, RunStatus::finished);
  double highest = 0, back = 0;
  for (const Row& r : run.rows) {
    highest = std::max(highest, r.q[2]);
    back = std::max(back, highest - r.q[2]);
  }
  EXPECT_GT(run.rows.back().q[2], pi / 2);
  EXPECT_LT(back, pi / 4 + 0.05);
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
}

// With a millimetre of play the linkage moves as the ideal one does, to a few times that over its lengths.
TEST(MechanismKinds, AFourBarWithPlayStaysNearTheIdealOne) {
  const Trajectory play = simulate("four-bar-play", {"until=1", "system.parameters.mu=0"}),
                   ideal =
                       simulate("four-bar-play", {"until=1", "system.parameters.mu=0", "system.parameters.play=1e-6"});
  ASSERT_EQ(play.result.status, RunStatus::finished);
  ASSERT_EQ(ideal.result.status, RunStatus::finished);
  EXPECT_LT(play.end.summary.certificate.penetration, 1e-10);
  EXPECT_GT(std::abs(ideal.rows.back().q[2] - ideal.rows.front().q[2]), 0.2);
  EXPECT_NEAR(play.rows.back().q[2], ideal.rows.back().q[2], 3e-3);  // measured 5.8e-4
}

// A wheel with its weight off the axle, driven by 40 t^2: its angle is followed beyond a turn, and the bearing carries
// weight and centrifugal force in the axes of the ground.
TEST(MechanismKinds, TablesFollowAnglesAndReactions) {
  const auto path = std::filesystem::temp_directory_path() / ("angles" + std::to_string(getpid()) + ".h5");
  const Scenario s = read_scenario(
      "name: wheel\nsystem:\n  gravity: [0, -9.81, 0]\n  bodies:\n    wheel: {mass: 2, inertia: [0.1, 0.1, 0.2], "
      "position: [0.3, 0, 0]}\n  joints:\n    axle: {revolute: [ground, wheel], x: [1, 0, 0], drive: "
      "40*t^2}\nsimulation: {scheme: combined, step: 1e-3, until: 1}\n",
      "test.yaml");
  {
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState state = begin_run(s.model, *scheme, s.initial);
    ricochet::Recorder recorder(path, header_of(s), s.model, state, {});
    recorder.finish(state, run(s.model, *scheme, state, s.policy, &recorder));
  }
  const Results results(path);
  JointColumns joints(results);
  const auto value = [&](const char* name) {
    for (const NamedColumn& c : joints.columns())
      if (c.name == name) return joints.value(c);
    return std::nan("");
  };
  double t = 0;
  for (RowReader rows(results, results.columns()); rows.next(); t += 1e-3) {
    joints.take(rows.row());
    EXPECT_NEAR(value("joint.axle.angle"), 40 * t * t, 1e-9) << t;
    if (t < 0.5) continue;
    const double a = 40 * t * t, w = 80 * t, r = 0.3;
    // m x'' = F - m g: the force on the wheel, of the middle of the step
    const double x = 2 * r * (-w * w * std::cos(a) - 80 * std::sin(a)),
                 y = 2 * r * (-w * w * std::sin(a) + 80 * std::cos(a)) + 2 * 9.81;
    EXPECT_NEAR(value("reaction.axle.x"), x, 0.06 * 2 * r * w * w) << t;
    EXPECT_NEAR(value("reaction.axle.y"), y, 0.06 * 2 * r * w * w) << t;
  }
  EXPECT_NEAR(t, 1.001, 1e-9);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ricochet::test::mechanism_kinds_test
