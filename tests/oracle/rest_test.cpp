// What rests does so to the last bit, and what slides without friction goes on, however slowly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ricochet/scheme/pieces/workspace.hpp"
#include "support/runs.hpp"

namespace ricochet::test::rest_test {
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

/// Columns of four boxes, forty contacts and more of which sleep; and what comes to wake them.
std::string columns(const std::string& more, double until) {
  std::string text = R"(
system:
  gravity: [0, 0, -9.81]
  collision: {friction: 0.5, materials: {ice: {friction: 0}}}
  bodies:
    floor: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
)" + more + "  scenes:\n";
  for (int k = 0; k < 6; ++k)
    text += fmt::format("    c{}: {{stack: [4], at: [{}, 0, 0], body: {{box: {{size: [0.1, 0.1, 0.1]}}, mass: 1}}}}\n",
                        k, 0.2 * k);
  return text + fmt::format("simulation: {{scheme: combined, step: 1e-3, until: {}}}\n", until);
}

struct Sleeping {
  const char* name;
  std::string more;
  double until;
  bool wakes;  ///< boxes are moved in the course of it
};
void PrintTo(const Sleeping& s, std::ostream* out) { *out << s.name; }

class AsleepOrAwake : public testing::TestWithParam<Sleeping> {};
INSTANTIATE_TEST_SUITE_P(
    Columns, AsleepOrAwake,
    testing::Values(Sleeping{"alone", "", 0.02, false},
                    Sleeping{"ball",
                             "    ball: {shapes: [{sphere: {radius: 0.05}, density: 2000}], position: [-0.2, 0, "
                             "0.3], velocity: [6, 0, 1]}\n",
                             0.08, true},
                    Sleeping{"load",
                             "    a: {box: {size: [0.1, 0.1, 0.1]}, mass: 1, position: [-0.105, 0, 0.05]}\n"
                             "  forces:\n    push: {load: a, at: [-0.105, 0, 0.05], force: ['5000*max(0, t - 0.02)', "
                             "0, 0]}\n",
                             0.08, true},
                    Sleeping{"ice",
                             "    a: {box: {size: [0.1, 0.1, 0.1]}, mass: 1, material: ice, position: [-1, 0, "
                             "0.05], velocity: [0.3, 0.1, 0]}\n    b: {box: {size: [0.1, 0.1, 0.1]}, mass: 1, "
                             "material: ice, position: [-1, 1, 0.05], velocity: [1e-17, 0, 0]}\n",
                             0.03, false}));

/// States, contacts and ledgers are the same with sleep and without, bit for bit.
TEST_P(AsleepOrAwake, SameBits) {
  Scenario s = read_scenario(columns(GetParam().more, GetParam().until), "columns");
  const Trajectory asleep = simulate(s);
  s.policy.sleeping = false;
  const Trajectory awake = simulate(s);
  ASSERT_EQ(asleep.result.status, RunStatus::finished);
  ASSERT_EQ(asleep.rows.size(), awake.rows.size());
  for (std::size_t k = 0; k < awake.rows.size(); ++k) {
    const Row &a = asleep.rows[k], &b = awake.rows[k];
    ASSERT_TRUE(same_bits(a.q, b.q) && same_bits(a.v, b.v)) << k;
    ASSERT_EQ(a.P, b.P) << k;
    ASSERT_EQ(a.gap, b.gap) << k;
    ASSERT_EQ(a.U, b.U) << k;
    ASSERT_EQ(a.ledger.sum(), b.ledger.sum()) << k;
    ASSERT_EQ(a.certificate.complementarity, b.certificate.complementarity) << k;
    ASSERT_EQ(a.certificate.penetration, b.certificate.penetration) << k;
  }
  const Index boxes = 6 * 4 * 7;
  const VectorXd &first = awake.rows.front().q, &last = awake.rows.back().q;
  EXPECT_EQ(!same_bits(ConstView(first).segment(first.size() - boxes, boxes),
                       ConstView(last).segment(last.size() - boxes, boxes)),
            GetParam().wakes);
}

/// Who sleeps wakes where the step has another size: the motion is that of a workspace in which nobody sleeps.
TEST(Sleep, AnotherStepWakes) {
  Scenario s = read_scenario(columns("", 1), "columns");
  const auto scheme = make_scheme(s.scheme, s.options);
  const State begin = begin_run(s.model, *scheme, s.initial).state;
  Workspace asleep(s.model), awake(s.model);
  asleep.sleep.allowed = true;
  State a = begin, b = begin, next_a, next_b;
  const auto step = [&](double h) {
    StepReport report_a, report_b;
    scheme->step(s.model, a, h, next_a, asleep, report_a);
    scheme->step(s.model, b, h, next_b, awake, report_b);
    ASSERT_TRUE(report_a.ok() && report_b.ok()) << h;
    swap(a, next_a), swap(b, next_b);
    ASSERT_TRUE(same_bits(a.q, b.q) && same_bits(a.v, b.v)) << h;
    ASSERT_EQ(a.contacts.size(), b.contacts.size()) << h;
    for (std::size_t k = 0; k < a.contacts.size(); ++k) ASSERT_EQ(a.contacts[k].reaction, b.contacts[k].reaction) << h;
  };
  for (int k = 0; k < 20; ++k) step(1e-3);
  ASSERT_TRUE(asleep.sleep.any());
  EXPECT_TRUE(asleep.candidates.empty());  // nobody is looked at
  step(5e-4);
  EXPECT_FALSE(asleep.candidates.empty());
  for (int k = 0; k < 20; ++k) step(5e-4);
  EXPECT_TRUE(asleep.sleep.any());
}

}  // namespace
}  // namespace ricochet::test::rest_test
