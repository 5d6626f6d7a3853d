#include "ricochet/scheme/pieces/radau.hpp"

#include <cmath>

#include "ricochet/math/small_lu.hpp"

namespace ricochet {
namespace {

const double kRoot = std::sqrt(6.0);
const double kC[3] = {(4 - kRoot) / 10, (4 + kRoot) / 10, 1};
const double kA[3][3] = {{(88 - 7 * kRoot) / 360, (296 - 169 * kRoot) / 1800, (-2 + 3 * kRoot) / 225},
                         {(296 + 169 * kRoot) / 1800, (88 + 7 * kRoot) / 360, (-2 - 3 * kRoot) / 225},
                         {(16 - kRoot) / 36, (16 + kRoot) / 36, 1.0 / 9}};
const double kE[3] = {-(13 + 7 * kRoot) / 3, (-13 + 7 * kRoot) / 3, -1.0 / 3};
constexpr double kCubeRoot81 = 4.326748710922225, kCubeRoot9 = 2.080083823051904;
const double kGamma = 30 / (6 + kCubeRoot81 - kCubeRoot9);  // the real eigenvalue of A^-1
constexpr int kPasses = 12;
constexpr double kRelative = 1e-14;  // corrections below this, relative to the state, are round-off

}  // namespace

void Radau::reserve(Index n) {
  if (y_.size() >= n) return;
  for (VectorXd* v : {&y_, &y_end_, &f_, &stage_, &e_}) v->setZero(n);
  for (VectorXd* v : {&k_, &Z_, &d_}) v->setZero(3 * n);
  pivots_.resize(static_cast<std::size_t>(3 * n));
  error_pivots_.resize(static_cast<std::size_t>(n));
}

void Radau::measure(ConstView sizes) {
  if (size_.size() != sizes.size()) size_.resize(sizes.size());
  for (Index i = 0; i < sizes.size(); ++i) size_[i] = std::ldexp(1.0, std::ilogb(sizes[i]));
}

bool Radau::begin(Flow& flow, double t, ConstView y, Index coupled) {
  n_ = y.size();
  coupled_ = coupled;
  reserve(n_);
  if (size_.size() != coupled) size_.setOnes(coupled);
  t_ = t;
  copy(y, y_.data());
  jacobian_ = false;
  return flow.rate(t, y, {f_.data(), n_});
}

bool Radau::make_dense(Flow&) { return true; }

bool Radau::difference_jacobian(Flow& flow) {
  double* J = J_.need(coupled_ * coupled_);
  double size = 0;
  for (Index i = 0; i < coupled_; ++i) size = std::max(size, std::abs(y_[i]) / size_[i]);
  copy({y_.data(), n_}, stage_.data());
  for (Index j = 0; j < coupled_; ++j) {
    const double delta = 1e-8 * std::max(std::abs(y_[j]), 1e-3 * std::max(size, 1e-3) * size_[j]);
    stage_[j] = y_[j] + delta;
    if (!flow.rate(t_, {stage_.data(), n_}, {k_.data(), n_})) return false;
    for (Index i = 0; i < coupled_; ++i)
      J[i + j * coupled_] = (k_[i] - f_[i]) / (stage_[j] - y_[j]) * (size_[j] / size_[i]);
    stage_[j] = y_[j];
  }
  jacobian_ = true;
  return true;
}

bool Radau::factorise() {
  const Index n = coupled_, m = 3 * n;
  double *A = A_.zeros(m * m), *E = E_.zeros(n * n);
  for (Index bi = 0; bi < 3; ++bi)
    for (Index bj = 0; bj < 3; ++bj)
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          A[bi * n + i + (bj * n + j) * m] = (bi == bj && i == j ? 1 : 0) - h_ * kA[bi][bj] * J_[i + j * n];
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) E[i + j * n] = (i == j ? kGamma / h_ : 0) - J_[i + j * n];
  return lu_factorise(A, pivots_.data(), static_cast<int>(m), 0) &&
         lu_factorise(E, error_pivots_.data(), static_cast<int>(n), 0);
}

bool Radau::step(Flow& flow, double h) {
  h_ = h;
  if ((!jacobian_ && !difference_jacobian(flow)) || !factorise()) return false;
  const Index n = coupled_;
  Z_.setZero();
  double before = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (int i = 0; i < 3; ++i) {
      for (Index m = 0; m < n_; ++m) stage_[m] = m < n ? y_[m] + Z_[i * n + m] : y_[m];
      if (!flow.rate(t_ + kC[i] * h, {stage_.data(), n_}, {k_.data() + i * n_, n_})) return false;
    }
    double change = 0, size = 1e-3;
    for (int i = 0; i < 3; ++i)
      for (Index m = 0; m < n; ++m) {
        double sum = -Z_[i * n + m];
        for (int j = 0; j < 3; ++j) sum += h * kA[i][j] * k_[j * n_ + m];
        d_[i * n + m] = sum / size_[m];
        size = std::max(size, std::abs(y_[m]) / size_[m]);
      }
    lu_solve(A_.data(), pivots_.data(), static_cast<int>(3 * n), d_.data());
    for (Index m = 0; m < 3 * n; ++m) {
      Z_[m] += d_[m] * size_[m % n];
      change = std::max(change, std::abs(d_[m]));
    }
    if (!std::isfinite(change)) return false;
    const bool stalls = pass > 2 && change > 0.5 * before;
    if (change <= kRelative * size || (stalls && change <= 100 * kRelative * size)) {
      for (Index m = 0; m < n_; ++m) {
        double quadrature = 0;
        for (int j = 0; m >= n && j < 3; ++j) quadrature += h * kA[2][j] * k_[j * n_ + m];
        y_end_[m] = m < n ? y_[m] + Z_[2 * n + m] : y_[m] + quadrature;
      }
      return true;
    }
    if (stalls) return false;
    before = change;
  }
  return false;
}

double Radau::error(ConstView scale) {
  const Index n = coupled_;
  double sum = 0;
  for (Index m = 0; m < n; ++m)
    e_[m] = (f_[m] + (kE[0] * Z_[m] + kE[1] * Z_[n + m] + kE[2] * Z_[2 * n + m]) / h_) / size_[m];
  lu_solve(E_.data(), error_pivots_.data(), static_cast<int>(n), e_.data());
  for (Index m = 0; m < n; ++m) {
    const double part = e_[m] * size_[m] / scale[m];
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(std::max<Index>(n, 1)));
}

void Radau::interpolate(double theta, View y) const {
  // Lagrange on 0, c_1, c_2, 1, where Z vanishes at 0
  double weight[3];
  for (int i = 0; i < 3; ++i) {
    weight[i] = theta / kC[i];
    for (int j = 0; j < 3; ++j)
      if (j != i) weight[i] *= (theta - kC[j]) / (kC[i] - kC[j]);
  }
  for (Index m = 0; m < coupled_; ++m)
    y[m] = y_[m] + weight[0] * Z_[m] + weight[1] * Z_[coupled_ + m] + weight[2] * Z_[2 * coupled_ + m];
}

}  // namespace ricochet
