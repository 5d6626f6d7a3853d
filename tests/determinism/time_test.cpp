// A sum of equal steps ends on the grid, however many there are: t is k h to the last bit.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::time_test {
namespace {

TEST(Time, EndsOnTheGrid) {
  Scenario s = load_scenario("bouncing-ball", {"simulation.step=1e-3", "simulation.until=10"});
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState run_state = begin_run(s.model, *scheme, s.initial);
  ASSERT_EQ(run(s.model, *scheme, run_state, s.policy, nullptr).status, RunStatus::finished);
  EXPECT_EQ(run_state.state.t, 10.0);  // 9.999999999999897 where rounding errors add up
}

}  // namespace
}  // namespace ricochet::time_test
