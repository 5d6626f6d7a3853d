#pragma once
// Errors of several schemes over many step sizes, against one reference: orders of convergence, precision and work.
// Each cell (scheme, step) is a run of its own; cells run on all cores, and those that are finished are kept in a file,
// so that a study that was stopped goes on where it was. What comes out does not depend on the number of threads, times
// excepted.
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/analysis/hausdorff.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/study/reference.hpp"

namespace ricochet {

/// A scenario with other settings. A scheme that does not take the model stays in the study with the reason.
struct Variant {
  std::string label;
  std::shared_ptr<const Scenario> scenario;
  std::string refused;  ///< why there is none
};

/// Errors over the whole interval, in the order of error_names().
constexpr std::size_t kErrors = 9;
const std::array<const char*, kErrors>& error_names();
/// For people: "position, L1".
const std::array<const char*, kErrors>& error_titles();

struct StudyCell {
  std::size_t variant = 0;
  double step = 0;
  std::string status;  ///< "finished", "failed"; empty: not run yet
  std::string note;    ///< why it failed
  std::int64_t steps = 0, attempts = 0, impacts = 0, newton = 0;
  double seconds = 0, instructions = -1;
  std::array<double, kErrors> errors{};

  bool done() const { return !status.empty(); }
  bool finished() const { return status == "finished"; }
};

struct StudyOptions {
  std::vector<double> steps{};
  std::vector<std::string> coordinates{};  ///< names; empty: all
  HausdorffScales scales{};
  std::string reference = "auto";
  double reference_step = 0;
  int threads = 0;                ///< 0: all cores
  std::filesystem::path cells{};  ///< file of finished cells; empty: none
  bool resume = false;            ///< take over what `cells` holds
};

/// `count` sizes between largest and smallest, evenly spread in their logarithm but no two in a simple ratio, so that
/// impacts do not fall on grid points.
std::vector<double> off_grid_steps(double largest, double smallest, int count);

class Study {
 public:
  /// `base` is the scenario of the reference and outlives the study. InputError for options that do not fit.
  Study(const Scenario& base, std::vector<Variant> variants, StudyOptions options);

  /// Runs what is not done. `progress` is called from this thread with the numbers of cells done and in all. False: it
  /// was stopped before its end.
  bool run(std::atomic<bool>& stop, const std::function<void(std::size_t, std::size_t)>& progress = {});

  const std::string& name() const { return name_; }
  const StudyOptions& options() const { return options_; }
  const std::vector<Variant>& variants() const { return variants_; }
  const std::vector<StudyCell>& cells() const { return cells_; }  ///< variant by variant, steps as given
  const std::string& reference() const { return reference_text_; }
  double begin() const { return begin_; }
  double until() const { return until_; }
  std::size_t resumed() const { return resumed_; }

  /// Cells of a variant that came to their end.
  std::vector<const StudyCell*> finished(std::size_t variant) const;
  /// Over the cells whose error is above round-off, 1e-12.
  OrderFit order(std::size_t variant, std::size_t error) const;
  /// What its scheme declares for motions of this kind; 0: none, it does not converge or controls its error by itself.
  int declared_order(std::size_t variant) const;
  bool has_impacts() const;

 private:
  void compute(StudyCell& cell, const std::atomic<bool>& stop) const;
  std::string identity() const;
  void load_cells();
  bool append(const StudyCell& cell) const;
  void write_cells() const;

  std::string name_;
  const Scenario& base_;
  std::vector<Variant> variants_;
  StudyOptions options_;
  std::vector<StudyCell> cells_;
  std::vector<std::size_t> q_, v_;  ///< coordinates that count
  std::unique_ptr<Reference> reference_;
  std::string reference_text_;
  double begin_, until_;
  std::size_t resumed_ = 0;
};

}  // namespace ricochet
