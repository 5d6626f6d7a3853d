#include "ricochet/math/row_space.hpp"

#include <cmath>

namespace ricochet {
namespace {

double product(const double* a, const double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}

/// x -= beta (v . x) v
void reflect(const double* v, double beta, int n, double* x) {
  const double part = beta * product(v, x, n);
  for (int i = 0; i < n; ++i) x[i] -= part * v[i];
}

}  // namespace

double* RowSpace::entries(int m, int n) {
  m_ = m, n_ = n;
  return B_.need(static_cast<Index>(m) * n);
}

void RowSpace::factorise() {
  const int most = std::min(m_, n_);
  double *pivots = pivots_.zeros(most), *betas = betas_.zeros(most);
  const auto column = [this](int j) { return B_.data() + static_cast<Index>(j) * m_; };
  for (int j = 0; j < most; ++j) {
    const int left = m_ - j;
    int longest = j;
    double square = -1;
    for (int k = j; k < n_; ++k)
      if (const double s = product(column(k) + j, column(k) + j, left); s > square) square = s, longest = k;
    if (!(square > 0)) return;
    if (longest != j) std::swap_ranges(column(j), column(j) + m_, column(longest));
    double* v = column(j) + j;
    const double length = std::sqrt(square);
    v[0] += v[0] < 0 ? -length : length;
    pivots[j] = length;
    betas[j] = 2 / product(v, v, left);
    for (int k = j + 1; k < n_; ++k) reflect(v, betas[j], left, column(k) + j);
  }
}

void RowSpace::complement(int rank, double* N) const {
  std::fill_n(N, static_cast<Index>(m_) * (m_ - rank), 0.0);
  for (int k = rank; k < m_; ++k) {
    double* x = N + static_cast<Index>(k - rank) * m_;
    x[k] = 1;
    for (int j = std::min(rank, n_) - 1; j >= 0; --j)
      reflect(B_.data() + static_cast<Index>(j) * m_ + j, betas_[j], m_ - j, x + j);
  }
}

}  // namespace ricochet
