#pragma once
// A run while it goes on. It keeps a bounded number of rows: when they are too many every second one is dropped, and
// from then on only every second step is kept. The run never waits for who looks at it.
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "ricochet/io/result/result_row.hpp"
#include "ricochet/view/scene.hpp"
#include "ricochet/view/source.hpp"

namespace ricochet::view {

class LiveRun final : public Source {
 public:
  LiveRun(const Scenario& scenario, const RunState& start);

  void step(const State& after, const StepReport& report);  ///< from the thread that computes
  void finish();

  std::string description() const override;
  std::string overview(std::size_t result) const override;
  std::string piece(std::size_t result, std::size_t index) const override;
  std::string news(std::size_t& seen) const override;

  std::size_t rows_held() const;

 private:
  struct Row {
    std::vector<double> numbers;
    std::vector<ContactEntry> contacts;
    ResultRowView view() const { return {numbers.data(), contacts}; }
  };
  void keep();
  void thin();

  const Scenario& scenario_;
  ResultLayout layout_;
  std::vector<Curve> curves_;
  ResultHeader header_;
  std::size_t most_;         ///< rows
  ResultRow row_;            ///< in the making; of the thread that computes alone
  std::size_t waiting_ = 0;  ///< steps since the last row that was kept

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<Row> rows_;
  std::size_t stride_ = 1, generation_ = 0, steps_ = 0;
  bool ended_ = false;
  double largest_ = 0;
  std::vector<Mark> marks_;
};

}  // namespace ricochet::view
