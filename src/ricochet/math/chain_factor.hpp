#pragma once
// L D L^T of symmetric matrices with three diagonals, rods and chains. Eliminated from both ends at once: what one end
// waits for, the other computes meanwhile.
#include <Eigen/SparseCore>
#include <cmath>
#include <vector>

namespace ricochet {

class ChainFactor {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  /// Whether a pattern has no entry beside its three diagonals.
  static bool fits(const Matrix& A) {
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      for (Matrix::InnerIterator it(A, j); it; ++it)
        if (it.row() > j + 1 || it.row() + 1 < j) return false;
    return A.cols() > 1;
  }
  /// False: a pivot is zero or not finite.
  bool factorise(const Matrix& A) {
    const Eigen::Index n = A.cols(), middle = n / 2;
    D_.assign(static_cast<std::size_t>(n), 0);
    L_.assign(static_cast<std::size_t>(n), 0);
    for (Eigen::Index j = 0; j < n; ++j)
      for (Matrix::InnerIterator it(A, j); it; ++it) {
        if (it.row() == j) at(D_, j) += it.value();
        if (it.row() == j + 1) at(L_, j < middle ? j : j + 1) += it.value();
      }
    bool regular = true;
    const auto eliminate = [&](Eigen::Index i, Eigen::Index next) {
      const double b = at(L_, i), d = at(D_, i);
      regular = regular && d != 0 && std::isfinite(d);
      at(L_, i) = b / d;
      at(D_, next) -= b * at(L_, i);
    };
    for (Eigen::Index i = 0; i < middle; ++i) eliminate(i, i + 1);
    for (Eigen::Index i = n - 1; i > middle; --i) eliminate(i, i - 1);
    regular = regular && at(D_, middle) != 0 && std::isfinite(at(D_, middle));
    for (double& d : D_) d = 1 / d;
    return regular;
  }
  void solve(double* x) const {
    const auto n = static_cast<Eigen::Index>(D_.size()), middle = n / 2, both = n - 1 - middle;
    const double *L = L_.data(), *D = D_.data();
    double* end = x + n - 1;
    const double* L_end = L + n - 1;
    for (Eigen::Index i = 0; i < both; ++i) {
      if (i % kRun == 0) drop_tiny(x[i]), drop_tiny(end[-i]);
      x[i + 1] -= L[i] * x[i];
      end[-i - 1] -= L_end[-i] * end[-i];
    }
    if (both < middle) x[middle] -= L[middle - 1] * x[middle - 1];
    for (Eigen::Index i = 0; i < n; ++i) x[i] *= D[i];
    if (both < middle) x[middle - 1] -= L[middle - 1] * x[middle];
    for (Eigen::Index i = both - 1; i >= 0; --i) {
      if (i % kRun == 0) drop_tiny(x[i + 1]), drop_tiny(end[-i - 1]);
      x[i] -= L[i] * x[i + 1];
      end[-i] -= L_end[-i] * end[-i - 1];
    }
  }

 private:
  /// Solutions die away along a chain. Numbers below the normal ones, which never become zero by themselves, would make
  /// the rest of it many times as slow, and so would products of two that are not so small yet.
  static constexpr Eigen::Index kRun = 64;
  static void drop_tiny(double& x) {
    if (std::abs(x) < 1e-150) x = 0;
  }
  static double& at(std::vector<double>& values, Eigen::Index i) { return values[static_cast<std::size_t>(i)]; }
  std::vector<double> D_;  // its inverse
  std::vector<double> L_;  // of each place to the next one on its way to the middle
};

}  // namespace ricochet
