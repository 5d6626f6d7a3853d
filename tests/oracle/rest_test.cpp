// What rests does so to the last bit, and what slides without friction goes on, however slowly.
#include <gtest/gtest.h>

#include "support/runs.hpp"

namespace ricochet::test {
namespace {

std::string boxes(const std::string& friction, const std::string& velocity) {
  return R"(
system:
  gravity: [0, 0, -9.81]
  collision: {friction: )" +
         friction + R"(}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
    a: {box: {size: [0.1, 0.1, 0.1]}, mass: 1, position: [0, 0, 0.05], velocity: )" +
         velocity + R"(}
  scenes:
    column: {stack: [6], at: [1, 0, 0], body: {box: {size: [0.1, 0.1, 0.1]}, mass: 1}}
simulation: {scheme: combined, step: 1e-3, until: 0.05}
)";
}

class AtRest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Scenarios, AtRest, testing::Values("box-stack", "brick-wall", "card-tower", "masonry-arch"));

TEST_P(AtRest, ToTheBit) {
  const Trajectory run = simulate(GetParam(), {"until=0.05"});
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const Row &first = run.rows.front(), &last = run.rows.back();
  EXPECT_TRUE(same_bits(first.q, last.q));
  for (Index i = 0; i < last.v.size(); ++i) EXPECT_EQ(last.v[i], 0) << i;
}

/// 1e-17 m/s is a millionth of a millionth of what gravity would make of it in a step. On ice nothing holds it.
TEST(Rest, IsNotMadeOfSliding) {
  const Trajectory run = simulate(read_scenario(boxes("0", "[1e-17, 2e-17, 0]"), "ice"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const VectorXd& v = run.rows.back().v;
  EXPECT_EQ(v[0], 1e-17);
  EXPECT_EQ(v[1], 2e-17);
  for (Index i = 2; i < v.size(); ++i) EXPECT_EQ(v[i], 0) << i;
}

/// With friction it is held: the impulse that would stop it is less than the last digit of the weight's.
TEST(Rest, OfWhatFrictionHolds) {
  const Trajectory run = simulate(read_scenario(boxes("0.5", "[1e-17, 2e-17, 0]"), "stone"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const VectorXd& v = run.rows.back().v;
  for (Index i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], 0) << i;
}

/// Little friction takes what it can of a velocity in a step, mu g h, and no more.
TEST(Rest, LittleFrictionStopsByItsLaw) {
  const double mu = 1e-12;
  const Trajectory run = simulate(read_scenario(boxes("1e-12", "[1e-12, 0, 0]"), "smooth"));
  ASSERT_EQ(run.result.status, RunStatus::finished);
  const double left = 1e-12 - mu * 9.81 * 0.05;
  EXPECT_NEAR(run.rows.back().v[0], left, 1e-9 * left);
}

}  // namespace
}  // namespace ricochet::test
