#pragma once
// One scenario, several schemes or settings: run side by side, in tables and on one page.
#include <atomic>

#include "ricochet/io/result/trajectory.hpp"
#include "ricochet/page/page.hpp"
#include "ricochet/study/study.hpp"

namespace ricochet {

class Comparison {
 public:
  /// Runs the variants, on all cores. Columns of long runs are kept for what the page shows only.
  Comparison(std::string name, std::vector<Variant> variants, int threads, const std::atomic<bool>& stop);

  const std::string& name() const { return name_; }
  const std::vector<Variant>& variants() const { return variants_; }
  const std::vector<Trajectory>& runs() const { return runs_; }  ///< empty for a variant that was refused
  bool ran(std::size_t k) const { return variants_[k].scenario != nullptr && !runs_[k].columns.empty(); }
  bool interrupted() const;

 private:
  std::string name_;
  std::vector<Variant> variants_;
  std::vector<Trajectory> runs_;
};

/// Certificates, iterations and time; then the energy ledger.
TextTable certificate_table(const Comparison& c);
TextTable energy_table(const Comparison& c);
std::vector<std::string> comparison_notes(const Comparison& c);
std::string comparison_json(const Comparison& c);
Page comparison_page(const Comparison& c);

}  // namespace ricochet
