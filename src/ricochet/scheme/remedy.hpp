#pragma once
// What to try after a failed step, in the words of the scheme that failed: no option is named that it does not have.
#include <string>
#include <string_view>

#include "ricochet/scheme/scheme.hpp"

namespace ricochet {

/// The remedy of report.hpp, in which `[option|words]` stands only where the scheme has that option. A name that is not
/// in the table has none.
std::string remedy(StepStatus status, std::string_view scheme);

}  // namespace ricochet
