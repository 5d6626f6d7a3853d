#pragma once
// What a result file holds and how it is read. One HDF5 file a run, self-describing; docs/results-format.md has the
// whole of it:
//
//   /                       attributes: format, version, name, scenario (the effective text), scheme, options (JSON),
//                           step (0: chosen by step_control), until, record_every, record_contacts, closed_below,
//                           length_scale, velocity_scale, mass_scale, status and, of a failed run, failure, failed_at,
//                           failed_step, remedy
//   /steps/{t,h,steps,q,v}  one row per recorded step; row 0 is the initial state; two rows may have one time
//   /energy                 kinetic and potential at the row; what was exchanged since the row before; defect
//   /certificate            largest errors since the row before
//   /iterations             sums since the row before; `contacts` the largest number
//   /joints/*               residual, U, P, correction, smooth: the rows of all joints side by side
//   /declared/{gap,U}       of the contacts that have a name, as long as these are not too many
//   /contacts/*             a list of contacts for each row, one after the other; row k holds offset[k] to offset[k+1]
//   /events/*               what happened at a time of its own, for schemes that locate it; there if something did
//   /names/*                of coordinates, constraints and bodies
//   /summary                attributes: sums and maxima of the whole run
//   /checkpoint             where the run can go on (io/result/checkpoint)
//
// There is no clock in it: equal runs give equal numbers, all of them.
#include <filesystem>
#include <string>
#include <vector>

#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/io/scenario/scenario.hpp"

namespace ricochet {

/// Of the program: "0.3.0", or "0.3.0+57.g5cdfcfe" between releases (cmake/version.cmake).
const char* version();
const char* name(RunStatus status);
constexpr int kResultFormat = 2;

/// What the root of a result file says.
struct ResultHeader {
  std::string name;
  std::string text;  ///< the effective scenario
  std::string scheme;
  std::string options;         ///< JSON object, defaults included
  double step = 0, until = 0;  ///< step 0: chosen by the control
  std::string step_control;    ///< fixed, auto, half-step, violation, both
  RecordChoice record{};
  double closed_below = 0;                    ///< gap up to which a contact is listed as closed
  double length = 1, velocity = 1, mass = 1;  ///< scales of the run [m], [m/s], [kg]
  double accepted_residual = 0;               ///< of steps that miss the tolerance; 0: none is accepted
};
ResultHeader header_of(const Scenario& scenario);
/// As the root of a result file has it.
RecordChoice read_record(const h5::Group& root);
ResultLayout layout_of(const Model& model, const RecordChoice& record);

/// A finished or unfinished result, to be read.
class Results {
 public:
  /// InputError if it is no result of this program, of another format, or damaged.
  explicit Results(const std::filesystem::path& path);

  const ResultHeader& header() const { return header_; }
  const std::string& status() const { return status_; }
  const h5::Group& root() const { return root_; }
  const std::string& file() const { return file_.name(); }
  Scenario scenario() const;  ///< from the text inside

  std::size_t rows() const { return rows_; }
  const ResultLayout& layout() const { return layout_; }
  const ResultNames& names() const { return layout_.names(); }
  const std::vector<NamedColumn>& columns() const { return columns_; }
  /// One column of all rows, by its name or as `columns` gives it. InputError for an unknown name.
  std::vector<double> column(const std::string& name) const;
  std::vector<double> column(const NamedColumn& column) const;
  /// Several columns, in one pass.
  std::vector<std::vector<double>> values(const std::vector<NamedColumn>& columns) const;
  /// All numbers of a dataset, row by row; InputError if it has another number of rows than the rest.
  std::vector<double> numbers(const std::string& path, std::size_t width = 1) const;
  /// A dataset with one row per row, or a list of contacts; InputError if it has another shape.
  h5::Dataset dataset(const std::string& path, std::size_t width, std::size_t rows) const;
  /// Of /events, in the order of time; empty if there are none.
  std::vector<Event> events() const;

 private:
  ResultNames read_names() const;

  h5::File file_;
  h5::Group root_;
  ResultHeader header_;
  std::string status_;
  std::size_t rows_ = 0;
  ResultLayout layout_;
  std::vector<NamedColumn> columns_;
};

/// Goes through the rows of a result in pieces: what it holds of them at a time does not depend on their number.
class RowReader {
 public:
  /// Reads what these columns need, and no more; empty: everything.
  explicit RowReader(const Results& results, const std::vector<NamedColumn>& columns = {});
  /// The next row, false after the last one. The view is valid until the next call.
  bool next();
  /// The next row will be this one.
  void seek(std::size_t row);
  const ResultRowView& row() const { return view_; }
  std::size_t index() const { return index_; }  ///< of the row

 private:
  void load();
  void load_contacts(std::size_t rows);
  void pick(const std::vector<NamedColumn>& columns);

  const Results& results_;
  std::vector<bool> wanted_;  ///< datasets of the layout
  bool contacts_wanted_ = true;
  std::vector<h5::Dataset> datasets_;
  std::size_t first_ = 0, loaded_ = 0, index_ = static_cast<std::size_t>(-1);
  std::size_t piece_ = 1;        ///< rows at a time
  std::vector<double> numbers_;  ///< whole rows
  std::vector<std::int64_t> offsets_;
  std::vector<ContactEntry> contacts_;
  std::vector<int> slots_;
  ResultRowView view_;
};

}  // namespace ricochet
