#pragma once
// Linear time-invariant systems, dense or sparse:   M a + C v + K q = F(t).
#include <functional>

#include "ricochet/model/formula/mounts.hpp"

namespace ricochet {

struct LinearParameters {
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  Sparse M, C, K;                              ///< C and K may be empty: zero
  std::function<void(double t, View f)> load;  ///< writes F(t); empty: zero
  bool dense = false;                          ///< operators stored dense
  std::vector<std::string> names;              ///< empty: q1, q2, ...
  FormulaMounts mounts;                        ///< frames, of the coordinates' formulas
};

/// Throws InputError on sizes that do not match or an M that is not symmetric.
std::unique_ptr<Subsystem> make_linear(LinearParameters parameters);

/// An elastic bar of equal linear elements with consistent mass along its axis; coordinate 0 is the end that may touch.
struct BarParameters {
  double length = 1, section = 1, young = 1, density = 1;
  int elements = 100;
};
LinearParameters bar(const BarParameters& p);

}  // namespace ricochet
