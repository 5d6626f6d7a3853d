#pragma once
// A scenario that can be run, and where it came from, so that it can be read again with other values.
#include <map>
#include <string>
#include <vector>

#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet::python {

struct Origin {
  bool in_memory = false;
  std::string text;    ///< the scenario itself if it is in memory, else its path or shipped name
  std::string source;  ///< what messages call a text in memory
  std::vector<std::string> overrides;
};

struct Case {
  Origin origin;
  Scenario scenario;
  bool callbacks = false;  ///< the model calls functions of Python
};

/// InputError as the program would say it.
std::shared_ptr<const Case> make_case(Origin origin);

}  // namespace ricochet::python
