#pragma once
// Results as comma-separated values, 17 significant digits: reading them back gives the same bits.
#include <cstdio>
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct CsvOptions {
  std::vector<std::string> columns;  ///< names, or the part before a dot ("q", "gap"); empty: all
  std::int64_t every = 1;            ///< rows
};
/// InputError for an unknown column; std::runtime_error if `file` does not take it.
void write_csv(const Results& results, const CsvOptions& options, std::FILE* file);

/// Events as a table: t, kind, constraint, U_before, U_after, impulse.
void write_events_csv(const Results& results, std::FILE* file);

}  // namespace ricochet
