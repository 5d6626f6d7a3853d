#pragma once
// What a result file holds and how it is read. One HDF5 file a run, self-describing:
//
//   /                       attributes: format, version, name, scenario (the effective text), scheme, options (JSON),
//                           step (0: chosen by step_control), until, record_every, status and, of a failed run,
//                           failure, failed_at, failed_step, remedy
//   /steps/{t,h,steps,q,v}  one row per recorded step; row 0 is the initial state; two rows may have one time
//   /energy/*               kinetic and potential at the row; what was exchanged since the row before; defect
//   /certificate/*          largest errors since the row before
//   /iterations/*           sums since the row before; `contacts` the largest number
//   /constraints/NAME/*     gap or residual, U, P, correction, smooth (joints), reaction
//   /events/*               what happened at a time of its own, for schemes that locate it; there if something did
//   /summary                attributes: sums and maxima of the whole run
//   /checkpoint             where the run can go on (io/result/checkpoint)
//
// There is no clock in it: equal runs give equal numbers, all of them.
#include <filesystem>
#include <string>
#include <vector>

#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

/// Of the program, "0.1.0".
const char* version();
const char* name(RunStatus status);

/// What the root of a result file says.
struct ResultHeader {
  std::string name;
  std::string text;  ///< the effective scenario
  std::string scheme;
  std::string options;         ///< JSON object, defaults included
  double step = 0, until = 0;  ///< step 0: chosen by the control
  std::string step_control;    ///< fixed, auto, half-step, violation, both
  std::int64_t record_every = 1;
};
ResultHeader header_of(const Scenario& scenario, std::int64_t record_every);

struct ColumnInfo {
  std::string path;  ///< "energy/kinetic"
  std::size_t width = 1;
  std::string unit;
  std::string doc;
  bool integer = false;
};

/// Columns of a model's results in the order of the rows that a Recorder makes.
struct ResultLayout {
  struct Item {
    std::string group;  ///< "constraints/NAME"
    bool bilateral = false;
    int dim = 1;
    int g_dim = 1;                                                              ///< rows of g and of the correction
    std::size_t g = 0, U = 0, P = 0, correction = 0, smooth = 0, reaction = 0;  ///< places in a row
  };
  std::vector<ColumnInfo> columns;
  std::vector<Item> items;
  std::size_t t = 0, h = 0, steps = 0, q = 0, v = 0, energy = 0, certificate = 0, iterations = 0;
  std::size_t width = 0;

  explicit ResultLayout(const Model& model);
};

// Ledger and certificate as columns: names, and the numbers in the same order.
const std::vector<std::string>& energy_names();
const std::vector<std::string>& certificate_names();
const std::vector<std::string>& iteration_names();
constexpr std::size_t kEnergyStates = 2;  ///< kinetic and potential come first and are not sums
constexpr std::size_t kEnergies = 11, kCertificates = 5, kIterations = 6;
void energy_numbers(const EnergyLedger& e, double* out);
void certificate_numbers(const Certificate& c, double* out);

/// A finished or unfinished result, to be read.
class Results {
 public:
  /// InputError if it is no result of this program, or damaged.
  explicit Results(const std::filesystem::path& path);

  const ResultHeader& header() const { return header_; }
  const std::string& status() const { return status_; }
  const h5::Group& root() const { return root_; }
  const std::string& file() const { return file_.name(); }
  Scenario scenario() const;  ///< from the text inside

  std::size_t rows() const { return rows_; }
  /// All numbers of a dataset, row by row; InputError if it has another number of rows than the rest.
  std::vector<double> numbers(const std::string& path, std::size_t width = 1) const;
  /// Of /events, in the order of time; empty if there are none.
  std::vector<Event> events() const;
  std::vector<std::string> names(const std::string& of) const;  ///< "positions", "velocities", "constraints"

 private:
  h5::File file_;
  h5::Group root_;
  ResultHeader header_;
  std::string status_;
  std::size_t rows_ = 0;
};

}  // namespace ricochet
