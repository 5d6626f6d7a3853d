#pragma once
// Active sets of the semi-smooth Newton methods of the papers (bruls-2014 (38), cosimo-2020 (38), (43)). A contact with
// multiplier nu and row u (its gap, or its velocity with restitution) is active, u = 0, if
//
//     xi = nu - p u >= 0,
//
// else nu = 0. The solution does not depend on p > 0, a mass; the way there does: a large p looks at u alone, a small
// one at nu alone, and either may cycle. p is therefore given in units of a characteristic mass, by default the mean
// over the rows of G^T M G / (G^T G)^2, the inertia that a row moves.
//
// Round-off must not toggle a contact that has neither multiplier nor gap: a set changes only where |xi| exceeds the
// slack.
#include <limits>
#include <vector>

#include "ricochet/scheme/options.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {

/// xi of what is active in any case.
constexpr double kAlways = std::numeric_limits<double>::infinity();

class ActiveSet {
 public:
  enum class Change { none, fresh, repeated };

  /// No set yet.
  void begin() {
    history_.clear();
    marks.clear();
  }
  /// xi of each place; kAlways: a joint.
  std::vector<double> xi;
  /// The set for the present xi. `repeated`: the step had this set before, and others since.
  Change choose(double slack);

  std::vector<char> marks;  ///< the set (by place)

 private:
  std::vector<std::vector<char>> history_;
  std::vector<char> proposed_;
};

/// See above; 1 where there are no rows or they move nothing.
double characteristic_mass(const Model& model, const Point& at, const Jacobian& G, Workspace& w);

/// The row `characteristic_mass` of a scheme's options.
OptionInfo characteristic_mass_option();

}  // namespace ricochet
