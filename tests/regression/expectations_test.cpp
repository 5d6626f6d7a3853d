// What the shipped scenarios say of themselves happens; and what `run` makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ricochet/io/result/expectation_watch.hpp"
#include "ricochet/math/input_error.hpp"

namespace ricochet::expectations_test {
namespace {

/// Minutes to their ends: of these the sentences that end earlier are judged.
const std::set<std::string> kLong{"balls-in-a-bin", "breaker-step",      "hourglass",
                                  "janssen-column", "slider-crank-step", "spheres-in-a-box"};

std::vector<Judgement> judge(const Scenario& s, double until) {
  const auto scheme = make_scheme(s.scheme, s.options);
  RunState at = begin_run(s.model, *scheme, s.initial);
  ExpectationWatch watch(s);
  watch.start(at);
  Policy policy = s.policy;
  policy.until = until;
  const RunResult result = run(s.model, *scheme, at, policy, &watch);
  EXPECT_EQ(result.status, RunStatus::finished) << "at t = " << at.state.t;
  return watch.judgements();
}

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, DoesWhatItSays) {
  const Scenario s = load_scenario(GetParam());
  ASSERT_FALSE(s.expect.empty()) << "it does not say what happens";
  for (const std::string& note : s.notes) EXPECT_EQ(note.find("sentence is left out"), std::string::npos) << note;
  double until = 0;
  std::size_t judged = 0;
  const auto in_time = [&](const Expectation& e) { return !kLong.contains(GetParam()) || std::isfinite(e.to); };
  for (const Expectation& e : s.expect)
    if (in_time(e)) until = std::max(until, std::min(e.to, s.policy.until)), ++judged;
  EXPECT_GE(judged, 1U);
  for (const Judgement& j : judge(s, until)) EXPECT_TRUE(j.met || !in_time(*j.expectation)) << words_of(j);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const ShippedScenario& s : shipped_scenarios()) out.push_back(s.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Expectations, Shipped, testing::ValuesIn(names()), [](const auto& name) {
  std::string out = name.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
});

// ---- the sentences --------------------------------------------------------------------------------------------------
Scenario ball(const std::string& sentences) { return load_scenario("bouncing-ball", {"expect=" + sentences}); }

TEST(Expectation, TakesTheEndTheLeastTheMostAndCounts) {
  const Scenario s = ball(
      "[{says: a, end: q.q, at_most: 1e-6}, {says: b, least: v.q, at_most: -1.99}, {says: c, most: q.q, at_least: 1}, "
      "{says: d, count: P.wall, to: 2.9, at_least: 4, at_most: 6}, {says: e, end: E/start.E, at_most: 1e-6}, "
      "{says: f, each: '*.q', least: x - start.x, at_least: -2.1}, {says: g, most: abs(v.q), from: 3.1, at_most: 0}]");
  const auto all = judge(s, s.policy.until);
  ASSERT_EQ(all.size(), 7U);
  for (const Judgement& j : all) EXPECT_EQ(j.met, j.expectation->says != "g") << words_of(j);
  EXPECT_NEAR(all[1].value, -2, 0.01);
  EXPECT_EQ(all[2].value, 1);
}

TEST(Expectation, OfSeveralColumnsTellsTheOneThatIsNotAsItSays) {
  const Scenario s = ball("[{says: everything is slow, each: '*.q', most: abs(x), at_most: 1.5}]");
  const auto all = judge(s, s.policy.until);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].met);
  EXPECT_EQ(all[0].column, "v.q");
  EXPECT_NE(words_of(all[0]).find(" of v.q, expected at most 1.5"), std::string::npos) << words_of(all[0]);
}

// Without its push, and with no restitution, the same sentences must fail.
TEST(Expectation, ThatOfAnotherMotionIsNotMet) {
  const auto met = [](const std::string& name, const std::vector<std::string>& changes) {
    const Scenario s = load_scenario(name, changes);
    const auto all = judge(s, s.policy.until);
    return std::all_of(all.begin(), all.end(), [](const Judgement& j) { return j.met; });
  };
  EXPECT_FALSE(met("bouncing-ball", {"system.formulas.parameters.e=0"}));
  EXPECT_FALSE(met("block-on-incline", {"system.formulas.contacts.surface.friction=0"}));
  EXPECT_FALSE(met("dominoes", {"system.bodies.first.angular_velocity=[0, 2.5, 0]",
                                "system.bodies.first.velocity=[2.5*l/2, 0, 2.5*w/2]"}));
}

// A change of the system may take away what a sentence is about: it says so, and runs.
TEST(Expectation, OfWhatIsNotThereIsLeftOutWithANote) {
  const Scenario s = ball("[{says: a, end: q.p, at_most: 1}, {says: b, each: 'gap.*.b', end: x, at_most: 1}]");
  EXPECT_TRUE(s.expect.empty());
  ASSERT_EQ(s.notes.size(), 2U);
  EXPECT_NE(s.notes[0].find("there is no column 'q.p', so that the sentence is left out; did you mean 'q.q'?"),
            std::string::npos)
      << s.notes[0];
  EXPECT_NE(s.notes[1].find("there is no column 'gap.*.b'"), std::string::npos) << s.notes[1];
}

TEST(Expectation, MistakesAreTold) {
  const auto message = [](const std::string& sentence) -> std::string {
    try {
      load_scenario("bouncing-ball", {"expect=[" + sentence + "]"});
      return "accepted";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const auto has = [&](const std::string& sentence, const char* words) {
    EXPECT_NE(message(sentence).find(words), std::string::npos) << message(sentence);
  };
  has("{says: a, end: q.q}", "nothing is expected");
  has("{says: a, at_most: 1}", "end, least, most, count");
  has("{says: a, end: q.q, most: v.q, at_most: 1}", "most");
  has("{says: a, end: q.q, at_least: 2, at_most: 1}", "above at_most");
  has("{says: a, end: q.q, from: 2, to: 1, at_most: 1}", "after to");
  has("{end: q.q, at_most: 1}", "says");
  has("{says: a, end: q.q +, at_most: 1}", "ends where");
  has("{says: a, end: x, at_most: 1}", "unknown name 'x'");
}

}  // namespace
}  // namespace ricochet::expectations_test
