#include "ricochet/io/result/trajectory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "ricochet/io/result/export.hpp"
#include "ricochet/io/result/recorder.hpp"

namespace ricochet::trajectory_test {
namespace {

// The trajectory in memory and the table of a result file have the same columns and the same bits.
TEST(Trajectory, IsTheTableOfTheResultFile) {
  const Scenario s = load_scenario("rocking-block", {"simulation.until=0.7"});
  const Trajectory kept = simulate(s);
  const auto path = std::filesystem::temp_directory_path() / ("trajectory-" + std::to_string(::getpid()) + ".h5");
  {
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run_state = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(path, header_of(s), s.model, run_state, {});
    const RunResult result = run(s.model, *scheme, run_state, s.policy, &recorder);
    recorder.finish(run_state, result);
  }
  const Results results(path);
  const auto& columns = results.columns();
  ASSERT_EQ(columns.size(), kept.names.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    EXPECT_EQ(columns[k].name, kept.names[k]);
    const std::vector<double> numbers = results.column(columns[k]);
    for (std::size_t row = 0; row < kept.rows(); ++row)
      ASSERT_TRUE(same_bits(numbers[row], kept.columns[k][row])) << columns[k].name;
  }
  std::filesystem::remove(path);
}

TEST(Trajectory, KeepsTheColumnsAskedFor) {
  const Scenario s = load_scenario("rocking-block", {"simulation.until=0.1"});
  const Trajectory kept = simulate(s, {"q", "gap.A", "E"});
  EXPECT_EQ(kept.names, (std::vector<std::string>{"t", "q.x", "q.y", "q.theta", "gap.A", "E"}));
  EXPECT_EQ(kept["E"].size(), kept.rows());
  EXPECT_THROW(kept["gap.B"], InputError);
}

}  // namespace
}  // namespace ricochet::trajectory_test
