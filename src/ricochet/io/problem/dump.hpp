#pragma once
// Problems of a run as files: FOLDER/step000012-2.cones is the second problem solved in step 12 (attempts that were
// rejected counted in). `ricochet solve` takes them.
#include <filesystem>
#include <string>

#include "ricochet/io/problem/problem_file.hpp"
#include "ricochet/solver/tap.hpp"

namespace ricochet {

/// Which problems: all | failed | every=N | steps=A:B | time=A:B | contacts=N, joined by commas: all must hold.
struct DumpRule {
  bool failed = false;
  std::int64_t every = 1, first = 0, last = -1;  ///< steps; last < 0: no end
  double from = 0, to = 0;                       ///< times; from = to: any
  int contacts = 0;                              ///< at least so many
};
DumpRule parse_dump_rule(const std::string& text);  ///< InputError
void check_dump_form(const std::string& form);      ///< InputError unless write_problem knows it; without the dot

class ProblemDump final : public SolveTap {
 public:
  /// Makes the folder.
  ProblemDump(const DumpRule& rule, std::filesystem::path folder, std::string form);

  void solved(const Problem& problem, const Solution& solution) override;
  /// A step ended at time t.
  void step_done(double t);
  int written() const { return written_; }
  int skipped() const { return skipped_; }  ///< the form could not hold them, or there were too many

 private:
  bool wanted(const Problem& problem, const Solution& solution) const;

  static constexpr int kMost = 10000;
  DumpRule rule_;
  std::filesystem::path folder_;
  std::string form_;
  std::int64_t step_ = 0;
  double t_ = 0;
  int in_step_ = 0, written_ = 0, skipped_ = 0;
};

/// The problem of the contacts alone: joints eliminated, least norm where they are redundant.
ProblemData without_joints(const ProblemData& data);

}  // namespace ricochet
