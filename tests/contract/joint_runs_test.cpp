// Runs whose joints the solvers met in ways of their own: of several rows in pivoting, and redundant ones on the
// coordinate of a closed contact.
#include <gtest/gtest.h>

#include "support/problems.hpp"
#include "support/runs.hpp"

namespace ricochet::joint_runs_test {
namespace {

/// Revolute joints of two rows in problems that went to pivoting with them, which wrote beyond its storage.
TEST(JointRuns, breaker_planar_ideal) {
  const auto file = test::data_folder() / "breaker" / "breaker-planar-ideal.yaml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << test::no_data();
  for (const char* scheme : {"scheme=moreau-jean", "scheme=combined"}) {
    const test::Trajectory run = test::simulate(file.string(), {scheme, "step=1e-4", "until=0.02"});
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_LT(run.end.summary.certificate.complementarity, 1e-10) << scheme;  // measured 1e-12
  }
}

/// It finished with an impulse of 6.6e18 and a complementarity of 2.1e5.
TEST(JointRuns, redundant) {
  const auto file = test::data_folder() / "found" / "redundant.yaml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << test::no_data();
  for (const char* scheme :
       {"scheme=moreau-jean", "scheme=combined", "scheme=newmark", "scheme=moreau-jean-midpoint"}) {
    const test::Trajectory run = test::simulate(file.string(), {scheme});
    EXPECT_EQ(run.result.status, RunStatus::finished) << scheme;
    EXPECT_LT(run.end.summary.certificate.complementarity, 1e-10) << scheme;  // measured 4e-16
  }
}

}  // namespace
}  // namespace ricochet::joint_runs_test
