#pragma once
// Columns that are not recorded but follow from what is: the angle or displacement of each joint of bodies,
// joint.NAME.angle, and what it transmits in its own axes, reaction.NAME.x to reaction.NAME.mz.
#include <memory>

#include "ricochet/io/result/results.hpp"

namespace ricochet {

class JointColumns {
 public:
  /// None where the scenario has no joints of bodies.
  explicit JointColumns(const Results& results);
  /// Of rows in this layout, which must outlive it; null: none.
  JointColumns(const ResultLayout& layout, std::shared_ptr<const Scenario> scenario);
  /// Whether there may be some: else nobody need read a scenario.
  static bool possible(const ResultNames& names);
  /// Named as all others, of the kind `derived`; their place is among these.
  const std::vector<NamedColumn>& columns() const { return columns_; }
  /// Takes the next row; rows in their order, none left out, because angles are followed beyond half a turn.
  void take(const ResultRowView& row);
  double value(const NamedColumn& c) const { return values_[c.place]; }

 private:
  void add(const std::string& name);

  const ResultLayout& layout_;
  std::shared_ptr<const Scenario> scenario_;
  std::vector<NamedColumn> columns_;
  std::vector<std::vector<NamedColumn>> multipliers_;  ///< of each joint
  std::vector<double> values_;
  bool begun_ = false;
};

}  // namespace ricochet
