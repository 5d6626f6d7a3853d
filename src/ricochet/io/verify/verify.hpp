#pragma once
// The certificate of a finished run, recomputed from its file alone: the model is built anew from the scenario in it,
// every recorded row is evaluated again, and the run is made again. docs/verify.md states every rule and why a lie does
// not pass it.
//
//   contents    groups, datasets, attributes: names, types, units, texts  as the program writes them for the scenario
//   rows        gaps, joint residuals, U, points, states, energies        from t, q, v of the row
//   kinematics  q+ - q                                                    against h v, and what impulses can add
//   momentum    M (v+ - v) = h f + G P + h G lambda                       up to the change of f over the step
//   laws        K ∋ P ⊥ U+ + e U- (+ mu |U_T+| n) ∈ K*                    of every contact, closed or loaded
//   ledger      energy = energy before + entries + defect                 between consecutive rows
//   sizes       penetration, joint errors, law errors, defect             against what the scheme promises
//   summary     sums and maxima                                           of the rows
//   replay      every number in the file                                  of the run made again
//
// Kinematics, momentum and laws need every step recorded; what is not checked is named. Another version of the program
// may have other bits and other contents: what it wrote is judged by the balances alone, and never said to hold.
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"
#include "ricochet/io/verify/findings.hpp"

namespace ricochet {

struct VerifyOptions {
  bool replay = true;
};

struct Verification {
  std::int64_t rows = 0;
  bool every_step = false;       ///< each is a row
  bool contacts = true;          ///< all that there is to say of them is recorded
  std::int64_t uncertified = 0;  ///< steps that missed the tolerance, by the rows; held to what was accepted
  std::int64_t reduced = 0;      ///< contacts with less restitution than the law's, by the rows
  Certificate certificate;       ///< recomputed
  Certificate recorded;          ///< the largest of the columns
  double energy_change = 0;      ///< final - initial
  double energy_sum = 0;         ///< of all entries
  Findings findings;
  std::string not_repeated{};          ///< why the run could not be made again: "written by 0.2.0"
  std::vector<std::string> unchecked;  ///< sentences
  std::vector<Disagreement> disagreements;
  bool laws_known() const { return every_step && contacts; }
  bool holds() const { return disagreements.empty() && not_repeated.empty(); }
};

/// Relative to the largest number in a column: well above what another compiler's rounding makes.
constexpr double kAgreement = 1e-12;

/// InputError if the file does not hold what a result must.
Verification verify(const Results& results, const VerifyOptions& options = {});

}  // namespace ricochet
