#pragma once
// What a run left behind: a snapshot of its record, or a file that was read.
#include <filesystem>
#include <optional>

#include "case.hpp"
#include "record.hpp"
#include "ricochet/io/result/joint_columns.hpp"
#include "ricochet/io/result/summary.hpp"

namespace ricochet::python {

struct ResultData {
  ResultHeader header;
  ResultLayout layout;
  Table table;
  std::string status;
  std::string file;  ///< empty: it was never in one
  Summary summary;
  std::string summary_json, text;  ///< as the program prints them; empty for a file
  std::vector<std::string> warnings, failure;
  // of a run in memory
  std::shared_ptr<const Case> from;
  std::optional<RunState> start, end;
  std::optional<Checkpoint> tail;  ///< before a last step that is shorter than the others
  std::optional<RunResult> outcome;
  mutable std::shared_ptr<JointColumns> joints;  ///< what follows from the rows: made when it is asked for

  std::size_t rows() const { return table.rows; }
  ResultRowView row(std::size_t k) const;
};

/// As 'ricochet run' writes it.
void write_result(const ResultData& result, const std::filesystem::path& path);
std::shared_ptr<ResultData> read_result(const std::filesystem::path& path);

}  // namespace ricochet::python
