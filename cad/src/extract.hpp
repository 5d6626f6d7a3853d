#pragma once
// The boundary of a solid as the text that ricochet reads (src/ricochet/io/cad/brep_text.hpp), in metres.
#include <string>
#include <vector>

#include "step_model.hpp"

namespace ricochet::cad {

struct Extracted {
  std::string text;
  std::vector<std::string> notes;  ///< what was put right, a sentence each
};

/// Refused where it is not closed, or lies on surfaces of which ricochet knows nothing.
Extracted extract(const StepModel& model, const Instance& instance);

}  // namespace ricochet::cad
