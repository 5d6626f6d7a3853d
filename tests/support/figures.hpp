#pragma once
// Figures of the documents beside what is measured. A table below the line <!-- figures: NAME --> holds what a test
// computes, row by row; the test fails where a row differs. With RICOCHET_FIGURES=write it writes the row instead:
//   RICOCHET_FIGURES=write build/tests/test_convergence --gtest_filter='Figures*'
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/paths.hpp"

namespace ricochet::test {

/// 1.3e-3, 0.
inline std::string figure(double x, int digits = 2) {
  if (x == 0) return "0";
  std::string out = fmt::format("{:.{}e}", x, digits - 1);
  const std::size_t e = out.find('e');
  return out.substr(0, e) + fmt::format("e{}", std::stoi(out.substr(e + 1)));
}

/// Errors at rounding or within the tolerance say no more than that: their digits change with the last bits.
inline std::string error_figure(double x, const std::string& unit = "") {
  for (const auto& [bound, text] :
       {std::pair{1e-12, "≤ 1e-12"}, std::pair{1e-10, "≤ 1e-10"}, std::pair{1e-8, "≤ 1e-8"}})
    if (std::abs(x) <= bound) return text + unit;
  return figure(x) + unit;
}

inline std::string table_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += (cell.empty() ? " " : " " + cell + " ") + "|";
  return out;
}

/// The table NAME of a document, relative to the root: where its rows stand among the lines.
class FigureTable {
 public:
  FigureTable(const std::string& document, const std::string& name) : path_(RICOCHET_SOURCE_DIR "/" + document) {
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
    const std::string mark = "<!-- figures: " + name + " -->";
    while (first_ < lines_.size() && lines_[first_] != mark) ++first_;
    EXPECT_LT(first_, lines_.size()) << document << " lacks the line " << mark;
    first_ += 3;  // the mark, the heads of the columns, the line below them
    last_ = first_;
    while (last_ < lines_.size() && lines_[last_].rfind('|', 0) == 0) ++last_;
  }
  std::size_t rows() const { return last_ - first_; }

  /// The row that begins with the same cell is this one.
  void expect(const std::vector<std::string>& cells) {
    const std::string row = table_row(cells), begin = table_row({cells[0]});
    for (std::size_t k = first_; k < last_; ++k) {
      if (lines_[k].rfind(begin, 0) != 0) continue;
      if (writing() && lines_[k] != row) {
        lines_[k] = row;
        std::ofstream out(path_);
        for (const std::string& line : lines_) out << line << '\n';
      }
      EXPECT_EQ(lines_[k], row) << path_ << ":" << k + 1;
      return;
    }
    ADD_FAILURE() << path_ << " lacks the row " << row;
  }

 private:
  static bool writing() {
    const char* what = std::getenv("RICOCHET_FIGURES");  // NOLINT(concurrency-mt-unsafe)
    return what != nullptr && std::string(what) == "write";
  }

  std::string path_;
  std::vector<std::string> lines_;
  std::size_t first_ = 0, last_ = 0;
};

}  // namespace ricochet::test
