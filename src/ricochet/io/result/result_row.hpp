#pragma once
// One row of results in the making: the state at its end, and what was exchanged, counted and worst since the row
// before. The file (io/result/recorder) and the trajectory in memory (io/result/trajectory) hold the same rows.
#include <limits>
#include <vector>

#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/sim/driver.hpp"

namespace ricochet {

/// Where a contact counts as closed, and a tangential velocity as none.
struct ContactLimits {
  double closed_below, slow;
};
/// What a listed contact with this gap, velocity and reaction is doing.
ContactState state_of(const ContactEntry& contact, const Candidate& candidate, const ContactLimits& limits);

class ResultRow {
 public:
  /// `closed_below`: gaps up to which a contact is listed also without an impulse.
  ResultRow(const Model& model, ResultLayout layout, double closed_below = -std::numeric_limits<double>::infinity())
      : numbers(layout.width()), layout_(std::move(layout)), model_(model), closed_below_(closed_below) {}

  const ResultLayout& layout() const { return layout_; }
  ResultRowView view() const { return {numbers.data(), contacts}; }
  void start(const RunState& start);  ///< row 0: the initial state
  void clear();
  void add(const State& after, const StepReport& report);

  std::vector<double> numbers;  ///< (layout().width())
  std::vector<ContactEntry> contacts;

 private:
  void add_ledger(const StepReport& report);
  void add_joint(const ConstraintReport& joint, double h);
  /// Lists a contact that deserves it; `known` is what the row has of it, or null.
  void add_contact(const ConstraintReport& contact, double h, const ContactEntry* known);
  static void leave_out_details(ContactEntry& contact);
  void no_longer_near(ContactEntry& contact);

  ResultLayout layout_;
  const Model& model_;
  double closed_below_;
  double slow_ = kSticking;           ///< velocities up to which a contact sticks
  std::vector<ContactEntry> before_;  ///< the list as the step before left it
};

}  // namespace ricochet
