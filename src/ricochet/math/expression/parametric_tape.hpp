#pragma once
// A tape with parameters: inputs that stay what they are as long as a work array does. Whatever depends on them alone,
// also as part of a sum or a product, is computed when the array is prepared; running it costs what it would cost with
// numbers in their place. Many models with other parameters share one such tape.
#include "ricochet/math/expression/tape.hpp"

namespace ricochet {

class ParametricTape {
 public:
  ParametricTape() = default;
  /// Variables below `inputs` are inputs, those from `first` on parameters: nothing between.
  ParametricTape(Graph& graph, std::vector<NodeId> outputs, int inputs, int first);

  std::size_t work_size() const { return running_.work_size(); }
  /// Once for each work array, and again for other parameters.
  void prepare(double* work, std::span<const double> parameters) const;
  void run(double* work) const { running_.run(work); }
  double* input(double* work) const { return running_.input(work); }
  double* output(double* work) const { return running_.output(work); }
  int outputs() const { return running_.outputs(); }
  const Tape& running() const { return running_; }

 private:
  Tape running_;    // of the inputs, then of what the parameters make
  Tape preparing_;  // of the parameters: further inputs, then outputs that need no running
  int inputs_ = 0, made_ = 0;
  std::vector<int> fixed_;  // outputs that need no running
};

}  // namespace ricochet
