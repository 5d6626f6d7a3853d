#pragma once
// What the readers of the single forms share.
#include <string>
#include <string_view>

#include "ricochet/io/error.hpp"
#include "ricochet/io/problem/problem_file.hpp"

namespace ricochet::detail {

/// Numbers separated by white space, with the line of each for messages.
class NumberText {
 public:
  NumberText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) { skip(); }

  bool at_end() const { return at_ == text_.size(); }
  std::string_view word();
  void rest_of_line();
  /// A whole number of low..high; `what` names it in messages.
  int integer(const char* what, int low, int high);
  double number(const char* what);
  VectorXd numbers(const char* what, int count);
  /// How many words are left.
  std::size_t words_left() const;
  /// InputError unless at least that many values can still come: nothing is allocated for what a file only announces.
  void expect(double values, const char* what) const;
  void expect_end() const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void skip();
  std::string name_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

constexpr int kMostRows = 50'000'000;

/// Triplets into rows; equal places are summed.
SparseRows compress(int rows, int columns, std::vector<Eigen::Triplet<double>>& entries);

/// nc cones of `dim` rows with friction.
std::vector<ConeBlock> friction_blocks(Cone cone, int dim, const VectorXd& mu);

/// What a problem with these cones is called.
ProblemKind classify(const std::vector<ConeBlock>& blocks);

bool is_plain_text(std::string_view contents);  ///< fc3d, fc2d, lcp, cones
ProblemData read_plain_text(NumberText& text);
std::string plain_text(const ProblemData& data, std::string_view form, const std::string& file);

ProblemData read_siconos(NumberText& text);
std::string siconos_text(const ProblemData& data, const std::string& file);

ProblemData read_fclib(const std::filesystem::path& path);
void write_fclib(const std::filesystem::path& path, const ProblemData& data);

/// W and b of a global problem.
void condense(ProblemData& data, const std::string& where);

}  // namespace ricochet::detail
