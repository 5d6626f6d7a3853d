#pragma once
// What a row of results is made of. A row in the making (io/result/result_row), a row in the file (io/result/recorder,
// io/result/results) and a row in memory (io/result/trajectory) have one shape: numbers in the order of the layout, and
// a list of contacts.
//
//   numbers   t, h, steps, q, v, energy, certificate, iterations, the rows of all joints, and the gaps and velocities
//   of
//             declared contacts as long as these are not too many
//   contacts  those that are closed at the row, or carried an impulse since the row before; sorted by key
#include <array>
#include <span>
#include <string>
#include <vector>

#include "ricochet/io/scenario/record.hpp"
#include "ricochet/model/scales.hpp"
#include "ricochet/scheme/report.hpp"

namespace ricochet {

/// The words of a result: what its columns are called.
struct ResultNames {
  std::vector<std::string> positions, velocities, bodies;
  std::vector<ConstraintItem> items;  ///< joints and declared contacts, each name once
  bool places = false;                ///< contacts know where they touch
  int nameless_rows = 0;              ///< of contacts without a name; 0: there are none
};
ResultNames names_of(const Model& model);

// Ledger, certificate and counters: names, and the numbers in the same order.
const std::vector<std::string>& energy_names();
const std::vector<std::string>& certificate_names();
/// Whether entry k of the certificate says anything of a system: those of joints only where there are some.
bool certified(std::size_t k, const std::vector<ConstraintItem>& items);
const std::vector<std::string>& iteration_names();
constexpr std::size_t kEnergyStates = 2;  ///< kinetic and potential come first and are not sums
constexpr std::size_t kEnergies = 11, kCertificates = 5, kIterations = 6;
void energy_numbers(const EnergyLedger& e, double* out);
void certificate_numbers(const Certificate& c, double* out);
/// The same over the scales of the run.
void relative_certificate(const Certificate& c, const Scales& scales, double* out);
extern const std::array<const char*, kCertificates> kCertificateUnits;

enum class ContactState : std::uint8_t {
  open,      ///< it carried an impulse since the row before, and has left
  closed,    ///< without friction
  sticking,  ///< tangential velocity below kSticking
  sliding
};
constexpr double kSticking = 1e-9;  ///< of the velocity scale
constexpr std::array<const char*, 4> kContactStates{"open", "closed", "sticking", "sliding"};

struct ContactEntry {
  Key key = 0;
  int item = -1;  ///< among the names; -1: it has none
  std::array<int, 2> bodies{Candidate::kGround, Candidate::kGround};
  ContactState state = ContactState::open;
  double gap = 0;
  double correction = 0;                            ///< position-level multiplier since the row before
  std::array<double, kMostContactRows> U{}, P{};    ///< velocity at the row; impulse since the row before; normal first
  std::array<double, kMostContactRows> reaction{};  ///< P/h of the last step
  std::array<double, 3> point{}, normal{};          ///< not a number where nobody knows
  std::array<double, 2> restitution{};              ///< asked for and applied in the last step
};

/// One quantity of the contacts, a dataset of its own: doubles, or whole numbers.
struct ContactColumn {
  std::string name, unit, doc;
  std::size_t width = 1;
  double* (*numbers)(ContactEntry&) = nullptr;  ///< where a contact has them
  int integer_bytes = 0;                        ///< of whole numbers in the file
  void (*take)(const ContactEntry&, std::int64_t*) = nullptr;
  bool (*put)(ContactEntry&, const std::int64_t*) = nullptr;  ///< false: a number that cannot be
};

/// A dataset with one row per row.
struct DatasetInfo {
  std::string path;  ///< "steps/q"
  std::size_t width = 1;
  std::string unit, doc;
  bool integer = false;
  std::vector<std::string> names{};  ///< of its columns; none: it is a vector
  std::size_t place = 0;             ///< in the numbers of a row
};

struct ResultRowView {
  const double* numbers = nullptr;
  std::span<const ContactEntry> contacts;
  const int* slots = nullptr;  ///< of each item its place among the contacts, -1: it is not listed; null: look for it

  const ContactEntry* find(int item) const;
};

/// A column as `export --csv` names it.
struct NamedColumn {
  enum class Kind : std::uint8_t { number, total, joint_reaction, gap, U, P, correction, reaction, derived };
  std::string name;  ///< "t", "q.x", "gap.A", "U.A.1", "E"
  Kind kind = Kind::number;
  std::size_t place = 0;  ///< in the numbers: of the number, or of the joint's P; among what is derived
  int item = -1;          ///< of a contact
  std::size_t row = 0;    ///< component
};

class ResultLayout {
 public:
  static constexpr std::size_t kDeclared = 256;  ///< contacts up to which gaps and velocities are columns of their own
  ResultLayout(ResultNames names, const RecordChoice& record, std::size_t declared_limit = kDeclared);

  struct Item {
    bool bilateral = false;
    int dim = 1;
    std::size_t row = 0;    ///< first of its rows among those of all joints, or of all contacts
    std::size_t index = 0;  ///< among the contacts
  };

  const ResultNames& names() const { return names_; }
  /// Those of the last step are numbers of their own; not needed where every step is a row.
  bool reactions() const { return record_.every != 1; }
  bool marks() const { return record_.marks; }  ///< of steps that missed the tolerance
  ContactDetail detail() const { return record_.contacts; }
  const std::vector<DatasetInfo>& datasets() const { return datasets_; }
  const std::vector<Item>& items() const { return items_; }
  std::size_t width() const { return width_; }
  bool has_contacts() const { return contact_dim > 0; }  ///< lists of them
  bool omits_contacts() const { return omits_; }         ///< what an entire list would say is left out
  std::vector<ContactColumn> contact_columns() const;
  std::vector<NamedColumn> columns() const;  ///< t first
  /// Of a column in a row. Contacts that the row does not list have no impulse, and gaps nobody knows.
  double value(const NamedColumn& column, const ResultRowView& row) const;

  // Places in the numbers of a row.
  std::size_t uncertified = 0;  ///< only with marks()
  std::size_t t = 0, h = 0, steps = 0, q = 0, v = 0, energy = 0, certificate = 0, iterations = 0;
  std::size_t joint_residual = 0, joint_U = 0, joint_P = 0, joint_correction = 0, joint_smooth = 0, joint_reaction = 0;
  std::size_t gap = 0, U = 0;  ///< of declared contacts
  bool declared = false;       ///< these two are there
  int contact_dim = 0;         ///< rows of the largest contact; 0: none is listed

 private:
  std::size_t add(DatasetInfo dataset);
  void add_joints();
  void add_declared();

  ResultNames names_;
  RecordChoice record_;
  bool omits_ = false;
  std::vector<DatasetInfo> datasets_;
  std::vector<Item> items_;
  std::vector<std::string> joint_names_, contact_names_, contact_row_names_;
  std::size_t width_ = 0;
};

}  // namespace ricochet
