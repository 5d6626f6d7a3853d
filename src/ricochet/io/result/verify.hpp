#pragma once
// The certificate of a finished run, recomputed from its file alone: the model is built anew from the scenario in it,
// and every recorded row is evaluated again. What is compared:
//
//   gaps, joint residuals, U, kinetic and potential energy     at every row, from q and v
//   penetration, joint errors                                  at every row, from the gaps
//   change of energy = entries of the ledger + defect          between consecutive rows
//   K ∋ P ⊥ U+ + e U- (+ mu |U_T+| n) ∈ K*                     where every step is recorded, for each contact with
//                                                              P ≠ 0 or closed at both ends of the step
//   P/h + smooth = reaction, times, sums and maxima            against the columns and the summary
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct Disagreement {
  std::string column;     ///< "energy/kinetic"
  std::int64_t row = -1;  ///< -1: the summary
  double recorded = 0, recomputed = 0;
};

struct Verification {
  std::int64_t rows = 0;
  bool every_step = false;   ///< complementarity can be checked
  Certificate certificate;   ///< recomputed
  Certificate recorded;      ///< the largest of the columns
  double energy_change = 0;  ///< final - initial
  double energy_sum = 0;     ///< of all entries
  double largest = 0;        ///< disagreement, relative to the largest number of its column
  std::string largest_in;    ///< the column
  double complementarity_limit = 0;
  std::vector<Disagreement> disagreements;  ///< the worst row of each column that disagrees
  bool holds() const { return disagreements.empty(); }
};

/// Relative to the largest number in a column: well above what another compiler's rounding makes.
constexpr double kAgreement = 1e-12;

/// InputError if the file does not hold what a result must.
Verification verify(const Results& results);

}  // namespace ricochet
