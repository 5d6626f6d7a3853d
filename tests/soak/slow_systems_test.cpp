// Systems that took minutes, or had no end: event tracking finishes them, or says that they have none.
#include <gtest/gtest.h>

#include <algorithm>

#include "ricochet/io/scenario/scenario.hpp"
#include "soak/generator.hpp"
#include "soak/judge.hpp"

namespace ricochet::soak::slow_systems_test {
namespace {

struct Slow {
  const char* scheme;
  std::uint64_t seed, index;
  const char* ends;  ///< the cause of its failure; empty: it finishes
};
void PrintTo(const Slow& s, std::ostream* out) { *out << s.scheme << ' ' << s.seed << '/' << s.index; }

class SlowSystems : public ::testing::TestWithParam<Slow> {};

TEST_P(SlowSystems, EndInTime) {
  const Slow& slow = GetParam();
  const System system = generate(slow.seed, slow.index);
  const Scenario scenario = read_scenario(system.yaml(), "system");
  const Outcome out = run_and_judge({system, scenario.model, scenario.initial}, *find_scheme(slow.scheme));
  EXPECT_FALSE(is_defect(out.verdict)) << name(out.verdict) << ", " << out.what << " at t = " << out.at;
  EXPECT_EQ(out.verdict == Verdict::failed ? out.what : "", slow.ends);
  EXPECT_LT(out.work, 176640);  // measured: at most 35328
}

INSTANTIATE_TEST_SUITE_P(
    Found, SlowSystems,
    ::testing::Values(
        // Accumulations of one contact while others are met.
        Slow{"event-driven", 1, 282, ""}, Slow{"event-driven", 1, 749, ""}, Slow{"event-driven", 20, 145, ""},
        // Sliding in space that begins slowly.
        Slow{"event-driven", 1, 1267, ""}, Slow{"event-driven", 20, 590, ""},
        // Reactions of least norm that are as good as rounding allows.
        Slow{"event-driven", 20, 1397, ""},
        // A wall that is said three times, elastic, against which a spring presses; rods on their elastic end.
        Slow{"event-driven", 20, 112, "event-limit"}, Slow{"mannshardt", 20, 112, "event-limit"},
        Slow{"mannshardt", 1, 4158, ""}),
    [](const auto& slow) {
      std::string scheme = slow.param.scheme;
      scheme.erase(std::remove(scheme.begin(), scheme.end(), '-'), scheme.end());
      return scheme + '_' + std::to_string(slow.param.seed) + '_' + std::to_string(slow.param.index);
    });

}  // namespace
}  // namespace ricochet::soak::slow_systems_test
