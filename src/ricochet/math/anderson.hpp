#pragma once
// Acceleration of a fixed-point iteration x -> g(x) after Anderson: from its last few steps the next point is
//
//     x' = g - sum_j a_j dg_j,      |f - sum_j a_j df_j| least,      f = g - x,
//
// which on a linear map is what GMRES does. Unknowns of several units are measured by weights. Anderson, J. ACM 12
// (1965); Walker and Ni, SIAM J. Numer. Anal. 49 (2011).
#include <array>
#include <cstddef>
#include <vector>

namespace ricochet {

class Anderson {
 public:
  /// Of n unknowns; nothing is remembered. `weights`: one over the sizes of the unknowns, which the caller keeps; null:
  /// they are alike.
  void start(std::size_t n, const double* weights = nullptr);
  void forget();
  /// x, of which g is the image, becomes the next point; false: that is g itself.
  bool step(double* x, const double* g);

 private:
  static constexpr int kWindow = 5;          ///< 10 takes as many sweeps of Gauss-Seidel
  static constexpr double kRegular = 1e-12;  ///< of the trace of the normal equations

  struct Change {
    std::vector<double> f, g;  ///< f times the weights
  };
  void remember(const double* x, const double* g);
  bool combine(double* x) const;

  const double* weights_ = nullptr;
  std::vector<double> last_f_, last_g_;
  std::array<Change, kWindow> window_;
  std::array<std::array<double, kWindow>, kWindow> products_{};  ///< of the df
  int kept_ = 0, next_ = 0;
  bool fresh_ = true;  ///< no last point
};

}  // namespace ricochet
