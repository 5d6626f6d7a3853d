// bruls-2014 section 10: ball, pendulum, bar and rocking block with nonsmooth-alpha against Moreau-Jean.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::bruls_test {
namespace {

/// Moreau-Jean with theta = 1/(1 + rho_inf).
std::string moreau_jean(double rho_inf) {
  return "scheme={name: moreau-jean, rho_inf: " + std::to_string(rho_inf) + "}";
}

// 10.1: whatever it came from, the ball rests where the gap is zero, and only there.
TEST(Bruls, TheBallComesToOneRest) {
  for (const char* height : {"1.001", "0.9", "0.537", "0.2"}) {
    const Trajectory run = simulate(
        "bouncing-ball-bruls",
        {"scheme=nonsmooth-alpha", "step=2e-3", "until=6", std::string("system.formulas.parameters.height=") + height});
    ASSERT_EQ(run.result.status, RunStatus::finished);
    for (std::size_t k = 1; k < run.rows.size(); ++k)
      EXPECT_LE(run.rows[k].energy, run.rows[k - 1].energy + 1e-14 * run.rows[0].energy) << height;
    const Row& end = run.rows.back();
    EXPECT_EQ(end.gap[0], 0) << height;
    EXPECT_LT(std::abs(end.v[0]), 1e-14) << height;
    EXPECT_NEAR(end.P[0], 10 * 2e-3, 1e-14) << height;
    EXPECT_NEAR(end.energy, 2, 1e-14) << height;
  }
}

// 10.2
TEST(Bruls, ThePendulumDriftsOnlyWithMoreauJean) {
  const Trajectory alpha = simulate("bouncing-pendulum", {"scheme=nonsmooth-alpha"});
  const Trajectory jean = simulate("bouncing-pendulum", {moreau_jean(0.8)});
  const Certificate &a = alpha.end.summary.certificate, &j = jean.end.summary.certificate;
  EXPECT_LT(std::max({a.joint_position, a.joint_velocity, a.penetration}), 1e-10);
  EXPECT_GT(j.joint_position, 1e-5);
  EXPECT_LT(j.joint_velocity, 1e-10);
  EXPECT_GT(j.penetration, 1e-5);
  // both come to lean on the obstacle
  EXPECT_LT(alpha.rows.back().v.norm(), 1e-9);
  EXPECT_NEAR(alpha.rows.back().q[2], -M_PI / 4, 1e-9);
}

// 10.3
TEST(Bruls, TheBarTouchesForTwoThirdsOfASecond) {
  const double h = 2e-3;
  for (const char* scheme : {"nonsmooth-alpha", "{name: nonsmooth-alpha, monolithic: true}", "decoupled-alpha"}) {
    const Trajectory run = simulate("elastic-bar-bruls", {std::string("scheme=") + scheme, set("step", h)});
    ASSERT_EQ(run.result.status, RunStatus::finished) << scheme;
    double first = 0, last = 0, impulse = 0;
    for (const Row& r : run.rows) {
      if (r.P.empty() || !(r.P[0] > 0)) continue;
      if (first == 0) first = r.t;
      last = r.t;
      impulse += r.P[0];
    }
    RecordProperty("contact", std::to_string(last - first));
    EXPECT_NEAR(first, 0.5005, h) << scheme;
    EXPECT_NEAR(last - first, 2.0 / 3, 3 * h) << scheme;
    EXPECT_NEAR(impulse, 200, 4) << scheme;  // the bar turns round: 2 m v0
    EXPECT_LT(run.end.summary.certificate.penetration, 1e-12) << scheme;
  }
}

TEST(Bruls, LessEnergyIsLostThanWithMoreauJeanAtEqualRho) {
  for (double rho : {0.0, 0.5, 0.8})
    for (const char* name : {"elastic-bar-bruls", "rocking-block-bruls"}) {
      const auto lost = [&](const std::string& scheme) {
        // the block: up to its second impact, before all comes to rest
        const Trajectory run =
            simulate(name, {scheme, name == std::string("rocking-block-bruls") ? "until=0.5" : "until=1.5"});
        EXPECT_EQ(run.result.status, RunStatus::finished) << name << scheme;
        return run.rows.front().energy - run.rows.back().energy;
      };
      const double alpha = lost("scheme={name: nonsmooth-alpha, rho_inf: " + std::to_string(rho) + "}"),
                   jean = lost(moreau_jean(rho));
      RecordProperty(std::string(name) + std::to_string(rho), std::to_string(alpha) + " " + std::to_string(jean));
      EXPECT_LT(alpha, jean) << name << " " << rho;
      EXPECT_GT(alpha, 0) << name << " " << rho;
    }
}

// 10.4: h = 1e-2 against 2e-4, as in the paper; exact at both levels, at rest on both corners in the end.
TEST(Bruls, TheRockingBlockComesToRest) {
  const Trajectory coarse = simulate("rocking-block-bruls", {"scheme=nonsmooth-alpha", "step=1e-2"});
  const Trajectory fine = simulate("rocking-block-bruls", {"scheme=nonsmooth-alpha", "step=2e-4"});
  ASSERT_EQ(coarse.result.status, RunStatus::finished);
  ASSERT_EQ(fine.rows.size(), 50 * (coarse.rows.size() - 1) + 1);
  double difference = 0;
  for (std::size_t k = 0; k < coarse.rows.size(); ++k)
    difference += 1e-2 * (coarse.rows[k].q - fine.rows[50 * k].q).lpNorm<1>();
  RecordProperty("difference", std::to_string(difference));
  EXPECT_LT(difference, 0.02);
  for (const Trajectory* run : {&coarse, &fine}) {
    EXPECT_LT(run->end.summary.certificate.penetration, 1e-10);
    EXPECT_LT(run->end.summary.certificate.complementarity, 1e-10);
    const Row& end = run->rows.back();
    EXPECT_LT(end.v.norm(), 1e-9);
    EXPECT_LT(std::abs(end.q[2]), 1e-9);
    EXPECT_NEAR(end.q[1], 0.75, 1e-12);
    EXPECT_NEAR(end.P[0] + end.P[1], 9.81 * end.h, 1e-9);
  }
}

}  // namespace
}  // namespace ricochet::test::bruls_test
