// cosimo-2020 section 4.2, the bar of 200 elements against a wall: what the coupling costs, and what the forces in the
// corrections are good for.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test::cosimo_bar_test {
namespace {

Trajectory bar(const std::string& scheme, double h, const char* until = "1.5") {
  return simulate("elastic-bar-bruls",
                  {"scheme={name: " + scheme + "}", set("step", h), std::string("until=") + until});
}

// Criterion (51) with both tolerances 1e-5. Figure 4 shows the growth and no figure at 1e-2, where the authors gave up;
// the contraction is slow but it is one.
TEST(CosimoBar, SweepsOfTheSequentialScheme) {
  const std::string scheme = "nonsmooth-alpha, criterion: relative, tol_r: 1e-5, tol_f: 1e-5, max_newton: 400";
  const Trajectory coarse = bar(scheme, 1e-2), middle = bar(scheme, 5e-3), fine = bar(scheme, 2e-3);
  for (const Trajectory* run : {&coarse, &middle, &fine}) {
    ASSERT_EQ(run->result.status, RunStatus::finished);
    EXPECT_EQ(run->end.summary.retries, 0);
    EXPECT_LT(run->end.summary.certificate.penetration, 1e-12);  // what is let go is the dynamics, not the wall
    EXPECT_LT(run->end.summary.certificate.complementarity, 1e-12);
    EXPECT_GT(run->end.summary.certificate.energy_defect, 1e-7);  // and the ledger says so: measured 7e-6 to 1e-4 J
    EXPECT_LT(run->end.summary.certificate.energy_defect, 1e-3);
  }
  const auto sweeps = [](const Trajectory& run) { return static_cast<double>(run.end.summary.newton_max); };
  EXPECT_NEAR(sweeps(coarse), 137, 0.15 * 137);     // measured: 137
  EXPECT_LT(sweeps(middle), 0.6 * sweeps(coarse));  // measured: 62
  EXPECT_LT(sweeps(fine), 0.5 * sweeps(middle));    // measured: 22
}

// Over two decades of both tolerances the motion is the same within them.
TEST(CosimoBar, TheCriterionDoesNotChangeTheMotion) {
  const Trajectory exact = bar("nonsmooth-alpha, max_newton: 400", 5e-3);
  for (const char* options : {"tol_r: 1e-4, tol_f: 1e-4", "tol_r: 1e-5, tol_f: 1e-5", "tol_r: 1e-6, tol_f: 1e-6",
                              "tol_r: 1e-6, tol_f: 1e-4"}) {
    const Trajectory run = bar(std::string("nonsmooth-alpha, criterion: relative, max_newton: 400, ") + options, 5e-3);
    ASSERT_EQ(run.rows.size(), exact.rows.size()) << options;
    double difference = 0;
    for (std::size_t k = 0; k < run.rows.size(); ++k)
      difference = std::max(difference, (run.rows[k].q - exact.rows[k].q).lpNorm<Eigen::Infinity>());
    const double tol_r = std::atof(options + 7);
    EXPECT_LT(difference, 20 * tol_r) << options;  // the bar moves by 10 m
    EXPECT_GT(difference, 0) << options;
  }
}

TEST(CosimoBar, OnePassASubProblemAtEveryStep) {
  for (const char* options : {"", ", neglect_forces: true", ", multipliers: augmented-lagrangian",
                              ", neglect_forces: true, multipliers: augmented-lagrangian"})
    for (double h : {0.1, 0.03, 0.01, 3e-3, 1e-3}) {
      const Trajectory run = bar(std::string("decoupled-alpha") + options, h);
      ASSERT_EQ(run.result.status, RunStatus::finished) << options << " " << h;
      EXPECT_EQ(run.end.summary.newton_max, 3) << options << " " << h;
      EXPECT_EQ(run.end.summary.retries, 0) << options << " " << h;
    }
}

/// Distance of the node 0.45 m from the tip to the wall.
double node(const Row& row) { return 5.005 + 0.45 + row.q[9]; }

/// When the tip leaves the wall for good, and how deep the node behind it came.
std::pair<double, double> release_and_depth(const Trajectory& run, double until) {
  double left = 0, depth = 1e9;
  for (const Row& row : run.rows) {
    if (row.t > until) break;
    depth = std::min(depth, node(row));
    if (row.t > 0.6 && !row.gap.empty() && row.gap[0] > 0.01 && left == 0) left = row.t;
  }
  return {left, depth};
}

// The wave solution leaves at 0.5005 + 2/3 s, the node stays 0.3 m before the wall. Within the time of the paper, 1.5
// s, DSn at 0.03 s never bounces back, and its node goes through the wall by metres while the tip stays at it. It
// leaves at 2.37 s, after that window: without f^p and f* the wall acts on the bar by the velocity of the tip alone,
// with a third of the force (105 N instead of 300 N over the contact), and the position corrections wind the bar up to
// 840 times its energy. Nothing keeps it at the wall for ever.
TEST(CosimoBar, WithoutTheForcesItDoesNotBounceBackAndPassesTheWall) {
  const double release = 0.5005 + 2.0 / 3;
  const auto with = release_and_depth(bar("decoupled-alpha", 0.03), 1.5);
  EXPECT_NEAR(with.first, release, 3 * 0.03);  // measured: 1.23
  EXPECT_NEAR(with.second, 0.3, 0.01);         // measured: 0.2995
  const Trajectory long_run = bar("decoupled-alpha, neglect_forces: true", 0.03, "4");
  const auto without = release_and_depth(long_run, 1.5);
  EXPECT_EQ(without.first, 0);
  EXPECT_LT(without.second, -1);  // measured: -4.82
  for (const Row& row : long_run.rows)
    if (row.t > 0.52 && row.t < 1.5) {
      EXPECT_LT(std::abs(row.gap[0]), 1e-10) << row.t;
    }
  EXPECT_NEAR(release_and_depth(long_run, 4).first, 2.37, 0.1);
  // h = 0.01 s: "a quite long delay"
  EXPECT_NEAR(release_and_depth(bar("decoupled-alpha", 0.01), 1.5).first, release, 0.03);                      // 1.19
  EXPECT_GT(release_and_depth(bar("decoupled-alpha, neglect_forces: true", 0.01), 1.5).first, release + 0.1);  // 1.35
}

}  // namespace
}  // namespace ricochet::test::cosimo_bar_test
