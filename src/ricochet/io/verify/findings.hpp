#pragma once
// What a verification looked at, and what it found: for each kind of check how many comparisons were made and which one
// came closest to what is accepted, and every column that went beyond.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

enum class CheckKind : std::uint8_t {
  contents,    ///< groups, datasets and attributes, their types, units and texts, against those of the run made again
  rows,        ///< what follows from t, q and v at every row
  kinematics,  ///< q against v
  momentum,    ///< impulses against M (v+ - v)
  laws,        ///< impulses against the laws of contact
  ledger,      ///< energies, and their sum
  sizes,       ///< the errors themselves, against what the scheme promises
  summary,     ///< sums and maxima of the whole run
  replay       ///< numbers, against those of the run made again
};
inline constexpr std::size_t kCheckKinds = 9;
const char* name(CheckKind kind);

struct Disagreement {
  CheckKind kind = CheckKind::rows;
  std::string column;     ///< "energy.kinetic"
  std::int64_t row = -1;  ///< -1: the whole run
  double recorded = 0, recomputed = 0;
  double accepted = 0;  ///< difference
  std::string what{};   ///< of what is no number: "is 'mm', not 'm'"
};

struct Check {
  std::int64_t compared = 0;
  double worst = 0;  ///< the largest difference over what is accepted of it
  std::int64_t row = -1;
  std::string column;
};

class Findings {
 public:
  void compare(CheckKind kind, std::string_view column, std::int64_t row, double recorded, double recomputed,
               double accepted);
  /// An error that should be zero.
  void hold(CheckKind kind, std::string_view column, std::int64_t row, double error, double accepted) {
    compare(kind, column, row, error, 0, accepted);
  }
  /// What is wrong and is no number.
  void refuse(CheckKind kind, std::string_view column, const std::string& what);
  /// Texts that should be the same.
  void same(CheckKind kind, std::string_view column, const std::string& recorded, const std::string& expected);
  const Check& check(CheckKind kind) const { return checks_[static_cast<std::size_t>(kind)]; }
  /// The worst row of each column that went beyond what is accepted.
  std::vector<Disagreement> disagreements() const;

 private:
  std::array<Check, kCheckKinds> checks_;
  std::map<std::string, std::pair<double, Disagreement>> beyond_;
};

}  // namespace ricochet
