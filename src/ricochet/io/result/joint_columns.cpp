#include "ricochet/io/result/joint_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ricochet {

bool JointColumns::possible(const ResultNames& names) {
  return !names.bodies.empty() &&
         std::any_of(names.items.begin(), names.items.end(), [](const ConstraintItem& i) { return i.bilateral; });
}

JointColumns::JointColumns(const Results& results)
    : JointColumns(results.layout(),
                   possible(results.names()) ? std::make_shared<const Scenario>(results.scenario()) : nullptr) {}

JointColumns::JointColumns(const ResultLayout& layout, std::shared_ptr<const Scenario> scenario)
    : layout_(layout), scenario_(std::move(scenario)) {
  if (!scenario_) return;
  const std::vector<NamedColumn> recorded = layout.columns();
  for (const JointReading& j : scenario_->joints) {
    if (j.coordinate != JointReading::Coordinate::none)
      add(fmt::format("joint.{}.{}", j.name,
                      j.coordinate == JointReading::Coordinate::angle ? "angle" : "displacement"));
    for (const char* part : {"x", "y", "z", "mx", "my", "mz"}) add(fmt::format("reaction.{}.{}", j.name, part));
    auto& rows = multipliers_.emplace_back();
    for (std::size_t k = 0; k < j.rows.size(); ++k) {
      const std::string name = k == 0 ? "reaction." + j.name : fmt::format("reaction.{}.{}", j.name, k);
      for (const NamedColumn& c : recorded)
        if (c.name == name) rows.push_back(c);
    }
  }
}

void JointColumns::add(const std::string& name) {
  columns_.push_back({name, NamedColumn::Kind::derived, values_.size()});
  values_.push_back(0);
}

void JointColumns::take(const ResultRowView& row) {
  if (!scenario_) return;
  const ConstView q(row.numbers + layout_.q, scenario_->model.nq());
  std::size_t at = 0;
  std::vector<double> lambda;
  for (std::size_t k = 0; k < scenario_->joints.size(); ++k) {
    const JointReading& j = scenario_->joints[k];
    if (j.coordinate != JointReading::Coordinate::none) {
      double x = j.value(q);
      const double turn = 2 * std::numbers::pi;
      if (begun_ && j.coordinate == JointReading::Coordinate::angle)
        x += turn * std::nearbyint((values_[at] - x) / turn);
      values_[at++] = x;
    }
    lambda.clear();
    for (const NamedColumn& c : multipliers_[k]) lambda.push_back(layout_.value(c, row));
    lambda.resize(j.rows.size(), 0);
    for (const double x : j.reaction(q, lambda.data())) values_[at++] = x;
  }
  begun_ = true;
}

}  // namespace ricochet
