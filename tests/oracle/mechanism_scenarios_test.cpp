// The shipped mechanisms against closed forms, conserved quantities and each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::mechanism_scenarios_test {
namespace {

constexpr double kPi = std::numbers::pi;

Trajectory run_shipped(const std::string& name, const std::string& scheme, double step, double until,
                       std::vector<std::string> more = {}) {
  more.insert(more.end(),
              {"simulation.scheme=" + scheme, set("simulation.step", step), set("simulation.until", until)});
  const Trajectory run = simulate(load_scenario(name, more));
  EXPECT_EQ(run.result.status, RunStatus::finished) << name << " " << scheme << " " << step;
  return run;
}

Quaterniond turned(const VectorXd& q) { return {q[3], q[4], q[5], q[6]}; }

// Momentum in space and energy, to rounding.
TEST(MechanismScenarios, AFreeBodyKeepsItsMomentum) {
  const Trajectory run = run_shipped("free-body", "{name: moreau-jean, theta: 0.5}", 1e-2, 5);
  const auto momentum = [](const Row& r) {
    return Vector3d(turned(r.q) * Vector3d(0.1 * r.v[3], 0.2 * r.v[4], 0.25 * r.v[5]));
  };
  const Vector3d first = momentum(run.rows.front());
  double turned_over = 1;
  for (const Row& r : run.rows) {
    EXPECT_LT((momentum(r) - first).norm(), 1e-11 * first.norm()) << r.t;
    EXPECT_NEAR(r.energy, run.rows.front().energy, 1e-11) << r.t;
    turned_over = std::min(turned_over, r.v[4] / 6);
  }
  EXPECT_LT(turned_over, -0.9);
}

// Lagrange's top: spin, vertical momentum and energy are first integrals; the axis nutates between inclinations whose
// cosines are roots of a cubic.
TEST(MechanismScenarios, AHeavyTopNutates) {
  const double m = 0.5, l = 0.1, J1 = 1e-3 + m * l * l, J3 = 8e-4, spin = 150, u0 = std::cos(0.5), mgl = m * 9.81 * l;
  // from rest of the axis: a' = spin J3 / J1, (1 - u^2) b' .. : u'^2 = (u0 - u) (beta (1 - u^2) - a^2 (u0 - u))
  const double a = J3 * spin / J1, beta = 2 * mgl / J1;
  double low = -1, high = u0;  // the other root of beta (1 - u^2) = a^2 (u0 - u) below u0
  for (int k = 0; k < 200; ++k) {
    const double u = 0.5 * (low + high);
    (beta * (1 - u * u) - a * a * (u0 - u) > 0 ? high : low) = u;
  }
  for (const std::string scheme : {"combined", "nonsmooth-alpha", "decoupled-alpha"}) {
    std::vector<double> steps, errors;
    for (const double h : {2.1e-3, 1.4e-3, 1e-3, 0.7e-3}) {
      const Trajectory run = run_shipped("heavy-top", scheme, h, 0.5);
      double least = 1, worst = 0;
      for (const Row& r : run.rows) {
        const Quaterniond Q = turned(r.q);
        least = std::min(least, (Q * Vector3d::UnitZ()).z());
        worst = std::max(worst, std::abs(r.v[5] / spin - 1));
        const Vector3d omega(r.v[3], r.v[4], r.v[5]);
        const double Lz = (Q * Vector3d(1e-3 * omega.x(), 1e-3 * omega.y(), J3 * omega.z())).z() +
                          m * (r.q[0] * r.v[1] - r.q[1] * r.v[0]);
        worst = std::max(worst, std::abs(Lz / (J3 * spin * u0) - 1));
        worst = std::max(worst, std::abs(r.energy / run.rows.front().energy - 1));
      }
      EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10) << scheme;
      steps.push_back(h);
      errors.push_back(worst + std::abs(least - low));
    }
    EXPECT_LT(errors.back(), 2e-3) << scheme;
    EXPECT_GT(fitted_order(steps, errors), 1.8) << scheme;
  }
}

// w2 / w1 = cos b / (1 - sin^2 b cos^2 a), a = 0 where the cross lies in the plane of the shafts or across it.
TEST(MechanismScenarios, AUniversalJointTurnsUnevenly) {
  const double b = 40 * kPi / 180, w = 10;
  for (const std::string scheme : {"combined", "nonsmooth-alpha"}) {
    const Trajectory run = run_shipped("universal-joint", scheme, 1e-3, 1);
    double least = 100, most = 0;
    for (const Row& r : run.rows) {
      const double w2 = Vector3d(turned(r.q.tail(7)) * Vector3d(r.v[9], r.v[10], r.v[11])).norm();
      least = std::min(least, w2);
      most = std::max(most, w2);
      const double angle = w * r.t;
      const double one = w * std::cos(b) / (1 - std::pow(std::sin(b) * std::cos(angle), 2));
      const double other = w * std::cos(b) / (1 - std::pow(std::sin(b) * std::sin(angle), 2));
      EXPECT_LT(std::min(std::abs(w2 - one), std::abs(w2 - other)), 1e-2) << scheme << " " << r.t;
    }
    EXPECT_NEAR(least, w * std::cos(b), 1e-2) << scheme;
    EXPECT_NEAR(most, w / std::cos(b), 1e-2) << scheme;
  }
}

// Loops stay closed and energies are kept: 5 s at 1 kHz.
TEST(MechanismScenarios, AFourBarKeepsItsLoopAndItsEnergy) {
  for (const std::string scheme : {"{name: combined, tolerance: 1e-12}", "{name: nonsmooth-alpha, tolerance: 1e-12}"}) {
    const Trajectory run = run_shipped("four-bar", scheme, 1e-3, 5);
    EXPECT_LT(run.end.summary.certificate.joint_position, 1e-12) << scheme;
    double swing = 0, worst = 0;
    for (const Row& r : run.rows) {
      swing = std::max(swing, std::abs(r.q[2] - run.rows.front().q[2]));
      worst = std::max(worst, std::abs(r.energy - run.rows.front().energy));
    }
    EXPECT_GT(swing, 1);
    EXPECT_LT(worst / std::abs(run.rows.front().energy), 1e-3) << scheme;
  }
}

// With one joint too many the platform moves as without it.
TEST(MechanismScenarios, AnOverConstrainedParallelogramMoves) {
  const Trajectory run = run_shipped("parallelogram", "combined", 1e-3, 2);
  EXPECT_TRUE(run.end.summary.minimum_norm);
  EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10);
  // cranks in parallel, all masses at one angle a from upright: J a'' = 5 cos a + (1.5 + 2) g sin a, J = 3/3 + 2
  double a = 0, w = 0;
  const int n = 20000;
  const double h = 2. / n;
  const auto f = [](double x) { return (5 * std::cos(x) + 3.5 * 9.81 * std::sin(x)) / 3; };
  for (int k = 0; k < n; ++k) {  // Störmer-Verlet
    w += 0.5 * h * f(a);
    a += h * w;
    w += 0.5 * h * f(a);
  }
  const VectorXd& q = run.rows.back().q;
  EXPECT_NEAR(q[9], 1 + std::sin(a), 1e-3);
  EXPECT_NEAR(q[10], std::cos(a), 1e-3);
  EXPECT_NEAR(q[11], 0, 1e-9);
}

// Four bars, four revolute axes at angles to each other: three equations too many for a chain that should not move at
// all, but with opposite bars equal (lengths a, b and twists alpha, beta) and a sin(beta) = b sin(alpha) it does.
TEST(MechanismScenarios, BennettsLoopMoves) {
  const Trajectory run = simulate("bennett-loop", {"scheme=event-driven", "step=1e-2", "until=1"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10);
  EXPECT_GT(std::abs(run.rows.back().q[0] - run.rows.front().q[0]), 0.1);
  EXPECT_NEAR(run.rows.back().energy, run.end.summary.energy.external, 1e-9);
}

// Off the closed loop the equations contradict each other, by the square of what is open, and iterates of a step are
// off it. Every scheme that is exact at both levels takes it, without a step that has to be repeated, with order 2.
TEST(MechanismScenarios, BennettsLoopMovesOnEverySchemeThatIsExact) {
  const VectorXd exact = simulate("bennett-loop", {"scheme=event-driven", "step=1e-2", "until=1"}).rows.back().q;
  for (const char* scheme : {"combined", "projected", "nonsmooth-alpha", "decoupled-alpha"}) {
    double error[2];
    for (const int k : {0, 1}) {
      const Trajectory run =
          simulate("bennett-loop", {std::string("scheme=") + scheme, k == 0 ? "step=4e-3" : "step=2e-3", "until=1"});
      ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
      EXPECT_EQ(run.end.summary.retries, 0) << scheme;
      EXPECT_LE(run.end.summary.certificate.joint_position, 1e-10) << scheme;
      EXPECT_LE(run.end.summary.certificate.joint_velocity, 1e-10) << scheme;
      error[k] = (run.rows.back().q - exact).norm();
    }
    EXPECT_GT(error[0], 3.5 * error[1]) << scheme;
    EXPECT_LT(error[1], 1e-4) << scheme;
  }
}

TEST(MechanismScenarios, AnRssrLinkageStaysClosed) {
  const Trajectory run = run_shipped("rssr-linkage", "combined", 1e-3, 2);
  EXPECT_LT(run.end.summary.certificate.joint_position, 1e-10);
  // the balls are as far apart as the coupler is long, whatever it does between
  for (const Row& r : run.rows) {
    const Vector3d crank = r.q.head(3) + turned(r.q.head(7)) * Vector3d(0.06, 0, 0);
    const Vector3d rocker = r.q.segment(14, 3) + turned(r.q.segment(14, 7)) * Vector3d(0, 0, 0.3);
    EXPECT_NEAR((crank - rocker).norm(), 1.1, 1e-9) << r.t;
  }
}

// Sliding until t = 2 (v + w r) / (7 mu g), then rolling at v - mu g t.
TEST(MechanismScenarios, ABallWithBackSpinRolls) {
  const double r = 0.03, v = 1, w = 120, mu = 0.2, t1 = 2 * (v + w * r) / (7 * mu * 9.81), v1 = v - mu * 9.81 * t1;
  for (const double h : {8.3e-3, 4.7e-3, 2.9e-3, 1.7e-3, 1.1e-3}) {
    const Trajectory run = run_shipped("back-spin-ball", "combined", h, 1);
    double error = 0;
    for (const Row& x : run.rows) {
      const double exact = x.t < t1 ? v - mu * 9.81 * x.t : v1;
      error += h * std::abs(x.v[0] - exact);
    }
    EXPECT_NEAR(run.rows.back().v[0], v1, 1e-9);
    EXPECT_NEAR(run.rows.back().v[4] * r, v1, 1e-9);
    // the step in which rolling begins is off by less than h, all others are exact: order 2
    EXPECT_LT(error, mu * 9.81 * h * h) << h;
  }
}

TEST(MechanismScenarios, ABoxOnAnInclineDoesNotCreep) {
  for (const std::string scheme : {"combined", "nonsmooth-alpha", "decoupled-alpha", "moreau-jean"}) {
    const Trajectory run = run_shipped("box-on-incline", scheme, 1e-3, 10);
    EXPECT_LT((run.rows.back().q - run.rows.front().q).norm(), 1e-12) << scheme;
  }
}

// One ball comes with v; the last one leaves with v, the others rest. At equal masses every impact swaps velocities.
TEST(MechanismScenarios, NewtonsCradle) {
  const double v = std::sqrt(2 * 9.81 * 0.3 * (1 - std::cos(0.4)));
  const Trajectory run = run_shipped("newtons-cradle", "event-driven", 1e-3, 0.45);
  const VectorXd& u = run.rows.back().v;
  for (int k = 0; k < 4; ++k) EXPECT_LT(std::abs(u[3 * k]), 0.02 * v) << k;
  double fastest = 0;
  for (const Row& r : run.rows) fastest = std::max(fastest, r.v[12]);
  EXPECT_NEAR(fastest, v, 1e-3 * v);
  // in touch, with one law for all at once, the first ball bounces back instead
  const Trajectory touching = run_shipped("newtons-cradle", "combined", 1e-4, 0.45, {"system.parameters.gap=0"});
  double back = 0;
  for (const Row& r : touching.rows) back = std::min(back, r.v[0]);
  EXPECT_LT(back, -0.1 * v);
}

TEST(MechanismScenarios, StopsOfADoublePendulum) {
  const Trajectory run = run_shipped("double-pendulum-stops", "combined", 1e-3, 3);
  double least = 0, most = 0;
  for (const Row& r : run.rows) {
    least = std::min(least, r.q[5] - r.q[2]);
    most = std::max(most, r.q[5] - r.q[2]);
  }
  EXPECT_NEAR(least, -0.6, 1e-9);
  EXPECT_LT(most, 0.6 + 1e-9);
}

// A roller on a cam: on the cam its height is that of the pitch curve, and it jumps when the spring is too weak.
TEST(MechanismScenarios, ARollerFollowsItsCamUntilItJumps) {
  const Trajectory run = run_shipped("cam-follower", "combined", 1e-4, 1);
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
  double jump = 1;
  for (const Row& r : run.rows)
    if (jump == 1 && !r.gap.empty() && r.gap.back() > 1e-6) jump = r.t;
  EXPECT_GT(jump, 0.2);
  EXPECT_LT(jump, 0.9);
}

// The woodpecker: it goes down in jerks, and stands still for a good part of the time.
TEST(MechanismScenarios, AWoodpeckerGoesDown) {
  const Trajectory run = run_shipped("woodpecker", "combined", 1e-4, 1);
  EXPECT_LT(run.end.summary.certificate.penetration, 1e-10);
  const double down = run.rows.front().q[1] - run.rows.back().q[1];
  EXPECT_GT(down, 0.03);  // 0.056 m
  EXPECT_LT(down, 0.10);
  std::size_t still = 0;
  for (const Row& r : run.rows) still += std::abs(r.v[1]) < 1e-9 ? 1 : 0;
  EXPECT_GT(still, run.rows.size() / 10);
}

// What can be read off a joint.
TEST(MechanismScenarios, ReadingsOfAJoint) {
  const Scenario s = read_scenario(
      "name: arm\nsystem:\n  bodies:\n    arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n  joints:\n    "
      "hinge: {revolute: [arm, ground], at: [0.2, 0, 0], axis: [0, 1, 0], x: [0, 0, 1]}\nsimulation: {scheme: "
      "combined, "
      "step: 1e-3, until: 1}\n",
      "arm.yaml");
  ASSERT_EQ(s.joints.size(), 1U);
  const JointReading& hinge = s.joints[0];
  EXPECT_EQ(hinge.coordinate, JointReading::Coordinate::angle);
  const Quaterniond Q = exp_quaternion({0, 0.7, 0});
  VectorXd q(7);
  q << 0.5, 0, 0, Q.w(), Q.x(), Q.y(), Q.z();
  EXPECT_NEAR(hinge.value(q), -0.7, 1e-14);
  // rows: the force in space, then moments across the axis; axes of the joint: x along z of the arm, y along its x
  const double lambda[5] = {1, 2, 3, 0, 0};
  const auto w = hinge.reaction(q, lambda);
  const Vector3d f(1, 2, 3);
  EXPECT_NEAR(w[0], f.dot(Q * Vector3d::UnitZ()), 1e-14);
  EXPECT_NEAR(w[1], f.dot(Q * Vector3d::UnitX()), 1e-14);
  EXPECT_NEAR(w[2], 2, 1e-14);
  EXPECT_NEAR(w[3], 0, 1e-14);
  EXPECT_NEAR(w[4], 0, 1e-14);
  EXPECT_NEAR(w[5], 0, 1e-14);
}

// The ring of acary-2012: combined keeps the contact while the normal force is positive; Moreau-Jean drifts, here by
// 6e-4 m until friction has stopped the rod.
TEST(MechanismScenarios, APendulumHangsInItsRing) {
  const Trajectory combined = run_shipped("pendulum-in-ring", "combined", 1e-3, 3);
  EXPECT_LT(combined.end.summary.certificate.penetration, 1.1e-10);
  const Trajectory drifting = run_shipped("pendulum-in-ring", "{name: moreau-jean, forecast: explicit}", 1e-3, 3);
  EXPECT_GT(drifting.end.summary.certificate.penetration, 3e-4);
}

}  // namespace
}  // namespace ricochet::test::mechanism_scenarios_test
