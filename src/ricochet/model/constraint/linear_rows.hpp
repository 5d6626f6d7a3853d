#pragma once
// Constraints whose value is affine in q: g = G^T q + w with constant G.
#include "ricochet/model/constraint.hpp"

namespace ricochet {

struct LinearRow {
  struct Entry {
    int coordinate;
    double value;
  };
  std::string name;
  std::vector<std::vector<Entry>> rows;  ///< a joint: its rows; a contact: the normal row, then the tangential ones
  std::vector<double> offset;            ///< w (rows)
  const ContactLaw* law = nullptr;       ///< null: a joint
};

std::unique_ptr<ConstraintSet> make_linear_rows(std::vector<LinearRow> items);

}  // namespace ricochet
