#pragma once
// The run of a result made again from the scenario in it, and written by the same recorder into a file of its own: what
// a result may hold, and what it must, is what this file holds. A run that was not brought to its end is repeated as
// far as its rows go.
#include <set>
#include <string>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct Remade {
  h5::File file;
  /// What depends on the moment at which the run was interrupted: paths of attributes and datasets, and a sentence.
  std::set<std::string> unknown{};
  std::string sentence{};
};

Remade remake(const Results& results, const Scenario& scenario);
/// Its beginning alone: everything but the rows of steps, events, the summary and how it ended.
h5::File remake_beginning(const Scenario& scenario);

}  // namespace ricochet
