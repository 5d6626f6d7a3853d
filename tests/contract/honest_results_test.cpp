// What the program writes, verify believes: every shipped scenario and a chain that hits the floor, with every scheme
// that takes it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "support/bodies.hpp"

namespace ricochet::honest_results_test {
namespace {

constexpr const char* kChain = "chain-on-the-floor";

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const ShippedScenario& s : shipped_scenarios()) out.push_back(s.name);
  out.emplace_back(kChain);
  return out;
}

Scenario load(const std::string& name, const std::vector<std::string>& overrides) {
  return name == kChain ? read_scenario(test::chain_on_the_floor(6), name, overrides) : load_scenario(name, overrides);
}

struct Run {
  std::string name;
  int steps;
};
void PrintTo(const Run& run, std::ostream* out) { *out << run.name << ", " << run.steps << " steps"; }

class HonestResults : public ::testing::TestWithParam<Run> {};

TEST_P(HonestResults, Hold) {
  const auto& [name, most] = GetParam();
  const auto path = std::filesystem::temp_directory_path() / ("honest-" + name + std::to_string(getpid()) + ".h5");
  // Fewer where a step costs milliseconds, and explicit schemes would be far beyond their stability before the end.
  const Scenario plain = load(name, {});
  const bool large = plain.model.nv() > 100;
#ifdef __SANITIZE_ADDRESS__
  const int steps = large ? 2 : std::min(most, 20);
#else
  const int steps = large ? 5 : most;
#endif
  int taken = 0;
  for (const SchemeEntry& entry : schemes()) {
    if (name == "breaker-step" && entry.info.name != "combined") continue;  // milliseconds a step
    if (name == "masonry-dome" && (!entry.info.holds_closed || entry.info.name == "decoupled-alpha"))
      continue;  // seconds a step
    std::optional<Scenario> s;
    try {
      s.emplace(load(name, {"simulation.scheme=" + entry.info.name,
                            fmt::format("simulation.until={}", steps * plain.policy.step)}));
    } catch (const InputError&) {
      continue;  // the scheme does not take it
    }
    ++taken;
    {
      const auto scheme = make_scheme(s->scheme, s->options);
      RunState run = begin_run(s->model, *scheme, s->initial);
      Recorder recorder(path, header_of(*s), s->model, run, {});
      recorder.finish(run, ricochet::run(s->model, *scheme, run, s->policy, &recorder));
    }
    const Verification v = verify(Results(path));
    EXPECT_EQ(v.findings.check(CheckKind::replay).worst, 0) << entry.info.name;
    for (const Disagreement& d : v.disagreements)
      ADD_FAILURE() << entry.info.name << ": " << ricochet::name(d.kind) << " " << d.column << " row " << d.row << ": "
                    << d.recorded << " for " << d.recomputed << ", accepted " << d.accepted;
  }
  EXPECT_GT(taken, 0);
  std::filesystem::remove(path);
}

std::vector<Run> runs(int steps) {
  std::vector<Run> out;
  for (const std::string& name : names()) out.push_back({name, steps});
  return out;
}
std::string label(const ::testing::TestParamInfo<Run>& test) {
  std::string out = test.param.name;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}
INSTANTIATE_TEST_SUITE_P(Shipped, HonestResults, ::testing::ValuesIn(runs(25)), label);
INSTANTIATE_TEST_SUITE_P(LongShipped, HonestResults, ::testing::ValuesIn(runs(150)), label);

}  // namespace
}  // namespace ricochet::honest_results_test
