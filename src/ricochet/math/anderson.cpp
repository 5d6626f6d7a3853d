#include "ricochet/math/anderson.hpp"

#include <algorithm>

namespace ricochet {
namespace {

/// Four sums, so that they do not wait for each other; their order is fixed.
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double s[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) s[k] += a[i + k] * b[i + k];
  for (; i < a.size(); ++i) s[0] += a[i] * b[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

/// A x = r of a symmetric positive matrix; r becomes x.
template <class Matrix, class Vector>
void solve_small(Matrix& A, Vector& r, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const double factor = A[j][i] / A[i][i];
      for (int k = i; k < n; ++k) A[j][k] -= factor * A[i][k];
      r[j] -= factor * r[i];
    }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) r[i] -= A[i][j] * r[j];
    r[i] /= A[i][i];
  }
}

}  // namespace

void Anderson::start(std::size_t n, const double* weights) {
  weights_ = weights;
  last_f_.resize(n), last_g_.resize(n);
  for (Change& change : window_) change.f.resize(n), change.g.resize(n);
  forget();
}

void Anderson::forget() {
  kept_ = next_ = 0;
  fresh_ = true;
}

void Anderson::remember(const double* x, const double* g) {
  Change& change = window_[next_];
  for (std::size_t i = 0; i < last_f_.size(); ++i) {
    const double f = weights_ ? weights_[i] * (g[i] - x[i]) : g[i] - x[i];
    change.f[i] = f - last_f_[i], change.g[i] = g[i] - last_g_[i];
    last_f_[i] = f, last_g_[i] = g[i];
  }
  if (!fresh_) {
    kept_ = std::min(kept_ + 1, kWindow);
    for (int j = 0; j < kept_; ++j) products_[next_][j] = products_[j][next_] = dot(change.f, window_[j].f);
    next_ = (next_ + 1) % kWindow;
  }
  fresh_ = false;
}

bool Anderson::combine(double* x) const {
  auto A = products_;
  std::array<double, kWindow> weight{};
  double trace = 0;
  for (int j = 0; j < kept_; ++j) trace += A[j][j];
  for (int j = 0; j < kept_; ++j) A[j][j] += kRegular * trace, weight[j] = dot(window_[j].f, last_f_);
  std::copy(last_g_.begin(), last_g_.end(), x);
  if (!(trace > 0)) return false;
  solve_small(A, weight, kept_);
  for (int j = 0; j < kept_; ++j)
    for (std::size_t i = 0; i < last_g_.size(); ++i) x[i] -= weight[j] * window_[j].g[i];
  return true;
}

bool Anderson::step(double* x, const double* g) {
  remember(x, g);
  return combine(x);
}

}  // namespace ricochet
