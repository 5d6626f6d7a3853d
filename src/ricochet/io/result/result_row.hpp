#pragma once
// One row of results in the making: the state at its end, and what was exchanged, counted and worst since the row
// before. The file (io/result/recorder) and the trajectory in memory (io/result/trajectory) hold the same rows.
#include <vector>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

class ResultRow {
 public:
  explicit ResultRow(const Model& model) : layout_(model), model_(model) { numbers.resize(layout_.width); }

  const ResultLayout& layout() const { return layout_; }
  void start(const RunState& start);  ///< row 0: the initial state
  void clear();
  void add(const State& after, const StepReport& report);

  std::vector<double> numbers;  ///< (layout().width)

 private:
  ResultLayout layout_;
  const Model& model_;
};

}  // namespace ricochet
