#include "ricochet/solver/problem.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

/// The block of G that holds a row.
const Jacobian::Block& block_of(const Jacobian& G, int row) {
  const auto& blocks = G.blocks();
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), row,
                                      [](int r, const Jacobian::Block& block) { return r < block.row; });
  assert(after != blocks.begin());
  return *(after - 1);
}

double entry(const Jacobian& L, const Jacobian& Y, int i, int j) {
  const Jacobian::Block &a = block_of(L, i), &b = block_of(Y, j);
  return block_dot(L, a, i - a.row, Y, b, j - b.row);
}

void form_dense(const Jacobian& L, const Jacobian& Y, double* out) {
  const int m = L.rows();
  const int n = L.dense_size();
  if (n > 0 && n == Y.dense_size()) {
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) {
        const double *a = L.data() + static_cast<Index>(i) * n, *b = Y.data() + static_cast<Index>(j) * n;
        double s = 0;
        for (int k = 0; k < n; ++k) s += a[k] * b[k];
        out[i + static_cast<Index>(j) * m] = s;
      }
    return;
  }
  for (const Jacobian::Block& b : Y.blocks())
    for (int j = 0; j < b.dim; ++j)
      for (const Jacobian::Block& a : L.blocks())
        for (int i = 0; i < a.dim; ++i)
          out[a.row + i + static_cast<Index>(b.row + j) * m] = block_dot(L, a, i, Y, b, j);
}

/// Distance to the natural map's fixed point, times 1/rho; NaN stays NaN.
double block_residual(const ConeBlock& block, double rho, const double* p, const double* u) {
  double worst = 0;
  const auto take = [&worst](double r) {
    if (!(std::abs(r) <= worst) && !std::isnan(worst)) worst = std::abs(r);
  };
  switch (block.cone) {
    case Cone::free:
      for (int i = 0; i < block.dim; ++i) take(u[i]);
      return worst;
    case Cone::nonnegative:
      // (p - max(0, p - rho u)) / rho without the division where p is basic: min(p / rho, u)
      for (int i = 0; i < block.dim; ++i) take(p[i] <= rho * u[i] ? p[i] / rho : u[i]);
      return worst;
    case Cone::coulomb:
    case Cone::second_order:
      break;
  }
  double z[3];
  double shift = 0;
  if (block.cone == Cone::coulomb) shift = block.mu * (block.dim == 2 ? std::abs(u[1]) : std::hypot(u[1], u[2]));
  z[0] = p[0] - rho * (u[0] + shift);
  for (int i = 1; i < block.dim; ++i) z[i] = p[i] - rho * u[i];
  project(block.cone, block.dim, block.mu, z);
  for (int i = 0; i < block.dim; ++i) take((p[i] - z[i]) / rho);
  return worst;
}

}  // namespace

double* Delassus::make_dense(int m) {
  storage_ = Storage::dense;
  rows_ = m;
  n_ = 0;
  left_ = right_ = nullptr;
  return dense_.need(static_cast<Index>(m) * m);
}

void Delassus::form(const Jacobian& L, const Jacobian& Y, int n, Storage storage) {
  assert(L.rows() == Y.rows());
  if (storage == Storage::dense) {
    form_dense(L, Y, make_dense(L.rows()));
    return;
  }
  storage_ = Storage::factored;
  rows_ = L.rows();
  n_ = n;
  left_ = &L;
  right_ = &Y;
}

void Delassus::copy_dense(double* out) const {
  if (storage_ == Storage::factored) {
    form_dense(*left_, *right_, out);
  } else {
    std::copy(dense_.data(), dense_.data() + static_cast<Index>(rows_) * rows_, out);
  }
}

void Delassus::diagonal_block(const ConeBlock& block, double* out) const {
  for (int j = 0; j < block.dim; ++j)
    for (int i = 0; i < block.dim; ++i)
      out[i + j * block.dim] = storage_ == Storage::dense ? (*this)(block.row + i, block.row + j)
                                                          : entry(*left_, *right_, block.row + i, block.row + j);
}

double Delassus::diagonal(int row) const {
  return storage_ == Storage::dense ? (*this)(row, row) : entry(*left_, *right_, row, row);
}

void Delassus::apply(const double* p, double* u, Buffer& scratch) const {
  if (storage_ == Storage::factored) {
    View y(scratch.zeros(n_), n_);
    right_->add_times(1, p, y);
    left_->transpose_times(y, u);
    return;
  }
  std::fill(u, u + rows_, 0.0);
  const double* column = dense_.data();
  for (int j = 0; j < rows_; ++j, column += rows_) {
    const double pj = p[j];
    if (pj == 0) continue;
    for (int i = 0; i < rows_; ++i) u[i] += column[i] * pj;
  }
}

bool Problem::has_friction() const {
  for (const ConeBlock& block : blocks)
    if (block.cone == Cone::coulomb || block.cone == Cone::second_order) return true;
  return false;
}

const char* name(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration limit";
    case SolveStatus::infeasible:
      return "infeasible";
    case SolveStatus::singular:
      return "singular";
  }
  return "";
}

void Solution::fit(int m) {
  if (rows == m && p.capacity() >= m && u.capacity() >= m) return;
  p.zeros(m);
  u.zeros(m);
  rows = m;
}

double natural_residual(const Problem& problem, const double* p, const double* u) {
  double worst = 0;
  for (const ConeBlock& block : problem.blocks) {
    double trace = 0;
    if (block.cone != Cone::free)
      for (int i = 0; i < block.dim; ++i) trace += problem.W.diagonal(block.row + i);
    const double rho = trace > 0 ? block.dim / trace : 1;
    const double r = block_residual(block, rho, p + block.row, u + block.row);
    if (std::isnan(r)) return r;
    if (r > worst) worst = r;
  }
  return worst;
}

}  // namespace ricochet
