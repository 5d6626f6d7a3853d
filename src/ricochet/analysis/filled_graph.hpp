#pragma once
// A function of time with jumps, as a polyline: values in R^dim at times that never decrease. Two samples at one time
// are a jump, and the segment between them fills it in: the polyline is the filled-in graph of the function.
#include <cstddef>
#include <vector>

namespace ricochet {

struct FilledGraph {
  int dim = 1;
  std::vector<double> t;
  std::vector<double> x;  ///< sample by sample

  explicit FilledGraph(int dimension = 1) : dim(dimension) {}
  std::size_t size() const { return t.size(); }
  const double* at(std::size_t i) const { return x.data() + i * static_cast<std::size_t>(dim); }
  void add(double time, const double* value) {
    t.push_back(time);
    x.insert(x.end(), value, value + dim);
  }
  void add(double time, double value) { add(time, &value); }  ///< dim 1
};

/// The step function of Moreau: the value of the end of a step holds over the whole of it, x(t) = x_{k+1} in (t_k,
/// t_{k+1}].
FilledGraph filled_steps(const FilledGraph& samples);

}  // namespace ricochet
