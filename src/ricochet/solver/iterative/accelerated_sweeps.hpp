#pragma once
// Sweeps of Gauss-Seidel, accelerated (math/anderson.hpp): a sweep is a map with fixed points at solutions, and what
// comes of the last few of them is projected back on the cones. It takes a fifth to a tenth of the sweeps where plain
// ones converge, and little more time for each: shot-1148-e1 of the data takes 120 instead of 648 to 1e-8. Where an
// extrapolation leads astray, the error tells, and all begins anew at the best point.
#include "ricochet/math/anderson.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet::detail {

class AcceleratedSweeps {
 public:
  static constexpr int kLook = 4;  ///< sweeps between two looks at the error, which cost half a sweep each

  /// From work.x.
  void start(ContactWork& work);
  /// kLook sweeps at most, until the target; offers the last one to the work. Returns how many there were.
  int advance(int most);

 private:
  static constexpr double kAstray = 10;  ///< times the best error

  ContactWork* work_ = nullptr;
  std::vector<double> x_, g_, u_;
  Anderson anderson_;
};

}  // namespace ricochet::detail
