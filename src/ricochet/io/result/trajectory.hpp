#pragma once
// A run kept in memory, its columns under the names that `export --csv` gives them:
//
//   const Trajectory run = simulate(load_scenario("bouncing-ball"), {"q", "gap.floor", "E"});
//   const std::vector<double>& height = run["q.y"];
//
// Row 0 is the initial state.
#include <atomic>
#include <string>
#include <vector>

#include "ricochet/io/error.hpp"
#include "ricochet/io/result/result_row.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

struct Trajectory {
  std::vector<std::string> names;            ///< `t` first
  std::vector<std::vector<double>> columns;  ///< in the order of the names
  RunState end;
  RunResult result;
  double wall_seconds = 0;
  double thread_seconds = 0;  ///< processor time of the thread that ran it
  double instructions = -1;   ///< of that thread; negative: the machine does not tell

  std::size_t rows() const { return columns.front().size(); }
  const std::vector<double>& t() const { return columns.front(); }
  bool has(const std::string& name) const;
  /// InputError for a column that it does not hold.
  const std::vector<double>& operator[](const std::string& name) const;
};

/// Runs the scenario. `columns`: names, or the part before a dot ("q", "gap"); empty: all. Names that a model does not
/// have are left out.
Trajectory simulate(const Scenario& scenario, const std::vector<std::string>& columns = {});
/// With another policy; the run ends as interrupted when `stop` is set.
Trajectory simulate(const Scenario& scenario, const std::vector<std::string>& columns, const Policy& policy,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace ricochet
