#pragma once
// A result as a page to look at: motion, gaps, energy with what took it away, certificate.
#include "ricochet/io/report.hpp"
#include "ricochet/io/results.hpp"

namespace ricochet {

Report make_report(const Results& results);

}  // namespace ricochet
