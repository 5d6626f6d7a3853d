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

  // Of contacts whose place is known; `normal` is zero where it is not.
  Vector3d normal = Vector3d::Zero();
  Vector3d point = Vector3d::Zero();          ///< at q = 0
  std::array<std::vector<Entry>, 3> moves{};  ///< how its coordinates change with q
  int body = Candidate::kGround;              ///< which it belongs to
};

std::unique_ptr<ConstraintSet> make_linear_rows(std::vector<LinearRow> items);

}  // namespace ricochet
