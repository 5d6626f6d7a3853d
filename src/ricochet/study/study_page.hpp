#pragma once
// A study for people and for programs: a table on the terminal, JSON, a page with its diagrams.
#include "ricochet/page/page.hpp"
#include "ricochet/study/local_errors.hpp"

namespace ricochet {

/// Orders and errors, scheme by scheme.
TextTable study_table(const Study& study);
/// What is worth a line: schemes that refuse the model, cells that failed.
std::vector<std::string> study_notes(const Study& study);
std::string study_json(const Study& study);
Page study_page(const Study& study);

TextTable local_table(const LocalStudy& study);
std::string local_json(const LocalStudy& study);
Page local_page(const LocalStudy& study);

}  // namespace ricochet
