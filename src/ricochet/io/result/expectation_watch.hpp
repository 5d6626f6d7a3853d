#pragma once
// Compares a run with what its scenario says that happens, step by step.
#include <string>
#include <vector>

#include "ricochet/io/result/result_row.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

/// What became of one sentence.
struct Judgement {
  const Expectation* expectation = nullptr;
  double value = 0;    ///< the number that was taken; of several columns the first that is out of bounds
  std::string column;  ///< which one; empty: there is but one
  bool met = false;
};
/// "the ball rests at the end: 0.012, expected at most 1e-06"
std::string words_of(const Judgement& judgement);

class ExpectationWatch final : public Observer {
 public:
  /// The scenario must outlive it.
  explicit ExpectationWatch(const Scenario& scenario);

  bool empty() const { return open_.empty(); }
  void start(const RunState& start);
  void step(const State& before, const State& after, const StepReport& report) override;
  std::vector<Judgement> judgements() const;

 private:
  /// One value of a sentence: the numbers of its formula's inputs, and what was taken so far.
  struct Open {
    const Expectation* expectation;
    std::string column;
    std::vector<NamedColumn> columns;  ///< of the inputs
    std::vector<double> inputs, work;
    double taken, last;
  };
  void look(bool first);

  ResultRow row_;
  std::vector<Open> open_;
};

}  // namespace ricochet
