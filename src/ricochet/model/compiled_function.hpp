#pragma once
// Formulas of a few numbers, compiled: a drive of time, a force of (x, x', t).
#include <algorithm>
#include <span>
#include <vector>

#include "ricochet/math/expression/tape.hpp"

namespace ricochet {

/// Work arrays are the caller's, so that many threads may share a function.
class CompiledFunction {
 public:
  CompiledFunction() = default;
  CompiledFunction(const Graph& graph, std::span<const NodeId> outputs, int inputs) : tape_(graph, outputs, inputs) {}

  bool empty() const { return tape_.outputs() == 0; }
  /// The outputs, in `work`, which belongs to this function alone.
  const double* operator()(std::span<const double> in, std::vector<double>& work) const {
    if (work.size() != tape_.work_size()) {
      work.resize(tape_.work_size());
      tape_.prepare(work.data());
    }
    std::copy(in.begin(), in.end(), tape_.input(work.data()));
    tape_.run(work.data());
    return tape_.output(work.data());
  }

 private:
  Tape tape_;
};

}  // namespace ricochet
