#pragma once
// A scenario that can be run, and how it is made, so that it can be made again: with other values, or with something
// beside it.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/io/scenario/extension.hpp"

namespace ricochet::python {

struct Case {
  using Overrides = std::vector<std::string>;
  /// Makes it with these values, and with what a simulation of its own adds.
  using Make = std::function<Scenario(const Overrides& overrides, const Extension& extension)>;

  Make make;
  Overrides overrides;
  Scenario scenario;
  bool callbacks = false;  ///< the model calls functions of Python
};

/// InputError as the program would say it.
std::shared_ptr<const Case> make_case(Case::Make make, Case::Overrides overrides, bool callbacks,
                                      const Extension& extension = {});

/// Forces that Python writes and a model reads.
struct Forces {
  std::shared_ptr<VectorXd> values = std::make_shared<VectorXd>();
};

/// Generalised forces that somebody sets between steps; the vector is that somebody's.
std::unique_ptr<ForceSet> make_applied_forces(std::shared_ptr<const VectorXd> forces);

}  // namespace ricochet::python
