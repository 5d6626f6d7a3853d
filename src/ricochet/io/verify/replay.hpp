#pragma once
// The run of a result made again, from the scenario in the file, and every row that it records compared with the one in
// the file: numbers, contacts, events, how it ended. What made the rows, the run's own control of steps included, is
// thereby made again too; equal input gives equal bits.
#include "ricochet/io/result/results.hpp"
#include "ricochet/io/verify/findings.hpp"

namespace ricochet {

/// Empty if all rows were compared, else a sentence that says why not.
std::string replay(const Results& results, const Scenario& scenario, Findings& findings);

}  // namespace ricochet
