#include "ricochet/solver/direct/pivoting.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ricochet/math/small_lu.hpp"

namespace ricochet::detail {
namespace {

constexpr double kSmallPivot = 1e-9;  ///< of the column's largest entry
/// Of the load, which is of size one; taken back step by step.
constexpr double kPerturbations[] = {1e-6, 1e-8, 1e-10, 1e-12, 0};

double power_of_two(double x) { return x > 0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1.0; }

}  // namespace

bool Pivoting::start(int n, const double* M, const double* q, const std::vector<char>& equality, int variant) {
  variant_ = variant;
  n_ = n;
  M_ = M;
  q_ = q;
  const Index size = n;
  double* store = store_.need(size * (n + 1) + 7 * size);
  T_ = store;
  rhs_ = T_ + size * (n + 1);
  row_scale_ = rhs_ + size;
  column_scale_ = row_scale_ + size;
  load_ = column_scale_ + size;
  extra_ = load_ + size;
  cover_ = extra_ + size;
  is_free_.assign(static_cast<std::size_t>(n), 0);
  if (!equality.empty()) std::copy(equality.begin(), equality.end(), is_free_.begin());
  scale(variant);
  basic_.resize(static_cast<std::size_t>(n));
  nonbasic_.resize(static_cast<std::size_t>(n) + 1);
  columns_ = n;
  for (int j = 0; j < n; ++j) {
    basic_[static_cast<std::size_t>(j)] = j;
    nonbasic_[static_cast<std::size_t>(j)] = n + j;
    for (int i = 0; i < n; ++i) at(i, j) = scaled(i, j);
  }
  std::fill(extra_, extra_ + n, 0.0);
  std::copy(load_, load_ + n, rhs_);
  return place_free();
}

/// Rows and columns to size one: alike in variant 0, which keeps the largest entry of each row and column near one;
/// apart by geometric means in the others. Then the load to size one.
void Pivoting::scale(int variant) {
  // To size one as a whole first: then units of z and w by powers of two change no bit of what follows.
  double whole = 0;
  for (Index k = 0; k < static_cast<Index>(n_) * n_; ++k) whole = std::max(whole, std::abs(M_[k]));
  std::fill(row_scale_, row_scale_ + n_, 1 / power_of_two(whole));
  std::fill(column_scale_, column_scale_ + n_, 1.0);
  for (int pass = 0; pass < 4; ++pass) {
    for (int a = 0; a < n_ && variant == 0; ++a) {
      double most = 0;
      for (int b = 0; b < n_; ++b) most = std::max({most, std::abs(scaled(a, b)), std::abs(scaled(b, a))});
      const double factor = most > 0 ? std::ldexp(1.0, -(std::ilogb(most) / 2)) : 1;
      row_scale_[a] *= factor, column_scale_[a] *= factor;
    }
    for (const bool rows : {true, false})
      for (int a = 0; a < n_ && variant != 0; ++a) {
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (int b = 0; b < n_; ++b) {
          const double x = std::abs(rows ? scaled(a, b) : scaled(b, a));
          if (x == 0) continue;
          low = std::min(low, x), high = std::max(high, x);
        }
        // Entries far below the largest are round-off more often than structure.
        if (high > 0)
          (rows ? row_scale_ : column_scale_)[a] /=
              power_of_two(std::sqrt(std::max(low, 1e-8 * high)) * std::sqrt(high));
      }
  }
  double most = 0;
  for (int i = 0; i < n_; ++i) most = std::max(most, std::abs(load_[i] = q_[i] * row_scale_[i]));
  unit_ = power_of_two(most);
  for (int i = 0; i < n_; ++i) load_[i] /= unit_;
}

void Pivoting::pivot(int row, int column) {
  const double p = at(row, column);
  // x_r = rhs_r + p x_c + ...   =>   x_c = (x_r - rhs_r - ...) / p
  Eigen::Map<Eigen::MatrixXd> T(T_, n_, columns_);
  Eigen::Map<Eigen::VectorXd> rhs(rhs_, n_);
  Eigen::Map<Eigen::VectorXd> enter(work_.need(n_), n_);
  enter = T.col(column);
  enter[row] = 0;
  const double value = -rhs[row] / p;
  rhs += value * enter;
  rhs[row] = value;
  for (int j = 0; j < columns_; ++j) {
    if (j == column) continue;
    const double a = T(row, j);
    if (a == 0) continue;
    const double factor = -a / p;
    T.col(j) += factor * enter;
    T(row, j) = factor;
  }
  T.col(column) = enter / p;
  T(row, column) = 1 / p;
  std::swap(basic_[static_cast<std::size_t>(row)], nonbasic_[static_cast<std::size_t>(column)]);
}

int Pivoting::find_column(int variable) const {
  for (int j = 0; j < columns_; ++j)
    if (nonbasic_[static_cast<std::size_t>(j)] == variable) return j;
  return -1;
}

/// Free unknowns become basic, their w leaves for good. False: the equalities contradict each other.
bool Pivoting::place_free() {
  std::vector<int> rows, cols;  // equality rows whose w is basic, columns of free unknowns
  for (int i = 0; i < n_; ++i)
    if (is_free_[static_cast<std::size_t>(i)]) rows.push_back(i), cols.push_back(i);
  if (rows.empty()) return true;
  const auto erase = [](std::vector<int>& from, int what) { from.erase(std::find(from.begin(), from.end(), what)); };
  double size = 0;
  for (int i : rows)
    for (int j = 0; j < columns_; ++j) size = std::max(size, std::abs(at(i, j)));
  while (!rows.empty()) {
    int row = -1, column = -1;
    double best = 1e-10 * size;
    for (int j : cols)
      for (int i : rows)
        if (std::abs(at(i, j)) > best) best = std::abs(at(i, j)), row = i, column = j;
    if (row >= 0) {
      pivot(row, column);
      erase(rows, row), erase(cols, column);
      continue;
    }
    // No free column reaches a free row any more: through a pair k, z_k into a free row, a free column into w_k.
    int pair = -1;
    best = 1e-20 * size * size;
    for (int k = 0; k < n_; ++k) {
      if (is_free_[static_cast<std::size_t>(k)] || basic_[static_cast<std::size_t>(k)] != k) continue;
      double up = 0, down = 0;
      for (int i : rows) up = std::max(up, std::abs(at(i, k)));
      for (int j : cols) down = std::max(down, std::abs(at(k, j)));
      if (up * down > best) best = up * down, pair = k;
    }
    if (pair < 0) break;
    row = *std::max_element(rows.begin(), rows.end(),
                            [&](int a, int b) { return std::abs(at(a, pair)) < std::abs(at(b, pair)); });
    column = *std::max_element(cols.begin(), cols.end(),
                               [&](int a, int b) { return std::abs(at(pair, a)) < std::abs(at(pair, b)); });
    pivot(row, pair);
    pivot(pair, column);
    erase(rows, row), erase(cols, column);
  }
  for (int i : rows)  // redundant or contradicting
    if (std::abs(rhs_[i]) > 1e-8) return false;
  // Equalities' w are zero, and so are free unknowns that nothing determines.
  for (int j = columns_ - 1; j >= 0; --j)
    if (is_free(nonbasic_[static_cast<std::size_t>(j)])) drop_column(j);
  return true;
}

void Pivoting::drop_column(int column) {
  const int last = --columns_;
  if (column == last) return;
  std::copy(T_ + static_cast<Index>(last) * n_, T_ + static_cast<Index>(last + 1) * n_,
            T_ + static_cast<Index>(column) * n_);
  nonbasic_[static_cast<std::size_t>(column)] = nonbasic_[static_cast<std::size_t>(last)];
}

void Pivoting::crash(const double* guess) {
  for (int k = 0; k < n_; ++k) {
    if (is_free(k) || !(guess[k] > 0) || basic_[static_cast<std::size_t>(k)] != k) continue;
    const int column = find_column(n_ + k);
    if (at(k, column) > 1e-6) pivot(k, column);
  }
}

bool Pivoting::factorise_basis() {
  double* basis = basis_.need(static_cast<Index>(n_) * n_);
  for (int r = 0; r < n_; ++r) {
    double* column = basis + static_cast<Index>(r) * n_;
    const int variable = basic_[static_cast<std::size_t>(r)];
    if (variable < n_) {
      std::fill(column, column + n_, 0.0);
      column[variable] = 1;
    } else if (variable == 2 * n_) {
      for (int i = 0; i < n_; ++i) column[i] = -cover_[i];
    } else {
      for (int i = 0; i < n_; ++i) column[i] = -scaled(i, variable - n_);
    }
  }
  if (n_ <= kUnblocked) {
    pivots_.resize(static_cast<std::size_t>(n_));
    return lu_factorise(basis, pivots_.data(), n_, 1e-15);
  }
  lu_.compute(Eigen::Map<Eigen::MatrixXd>(basis, n_, n_));
  double least = 1, most = 0;
  for (int i = 0; i < n_; ++i) {
    const double d = std::abs(lu_.matrixLU()(i, i));
    if (!(d > 0)) return false;  // or NaN
    least = i == 0 ? d : std::min(least, d), most = std::max(most, d);
  }
  return least > 1e-15 * most;
}

void Pivoting::solve_basis(double* x, int columns) const {
  if (n_ <= kUnblocked) return lu_solve(basis_.data(), pivots_.data(), n_, x, columns);
  Eigen::Map<Eigen::MatrixXd> X(x, n_, columns);
  X = lu_.permutationP() * X;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(X);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(X);
}

/// The dictionary anew: w - M z - cover z0 = load + extra, so that basic = B^-1 (load + extra) - B^-1 N nonbasic.
bool Pivoting::refresh() {
  if (!factorise_basis()) return false;
  for (int j = 0; j < columns_; ++j) {
    double* column = T_ + static_cast<Index>(j) * n_;
    const int variable = nonbasic_[static_cast<std::size_t>(j)];
    if (variable < n_) {
      std::fill(column, column + n_, 0.0);
      column[variable] = -1;
    } else if (variable == 2 * n_) {
      std::copy(cover_, cover_ + n_, column);
    } else {
      for (int i = 0; i < n_; ++i) column[i] = scaled(i, variable - n_);
    }
  }
  solve_basis(T_, columns_);
  for (int i = 0; i < n_; ++i) rhs_[i] = load_[i] + extra_[i];
  solve_basis(rhs_, 1);
  return true;
}

/// How far the basic values are from the data: largest |load + extra - B rhs|.
double Pivoting::drift() {
  Eigen::Map<Eigen::VectorXd> r(work_.need(n_), n_);
  for (int i = 0; i < n_; ++i) r[i] = load_[i] + extra_[i];
  for (int k = 0; k < n_; ++k) {
    const int variable = basic_[static_cast<std::size_t>(k)];
    if (rhs_[k] == 0) continue;
    if (variable < n_) {
      r[variable] -= rhs_[k];
    } else if (variable == 2 * n_) {
      for (int i = 0; i < n_; ++i) r[i] += cover_[i] * rhs_[k];
    } else {
      for (int i = 0; i < n_; ++i) r[i] += scaled(i, variable - n_) * rhs_[k];
    }
  }
  return r.cwiseAbs().maxCoeff();
}

/// Largest pivot among the rows that block within the tolerance; z0 whenever it is among them. -1: a ray.
int Pivoting::ratio_test(int column) const {
  double size = 0;
  for (int i = 0; i < n_; ++i) size = std::max(size, std::abs(at(i, column)));
  const double least = kSmallPivot * std::max(size, 1e-3);
  double bound = std::numeric_limits<double>::infinity();
  const auto blocks = [&](int i) { return !is_free(basic_[static_cast<std::size_t>(i)]) && at(i, column) < -least; };
  for (int i = 0; i < n_; ++i)
    if (blocks(i)) bound = std::min(bound, (std::max(rhs_[i], 0.0) + feasible_) / -at(i, column));
  int row = -1;
  for (int i = 0; i < n_; ++i) {
    if (!blocks(i) || std::max(rhs_[i], 0.0) / -at(i, column) > bound) continue;
    if (basic_[static_cast<std::size_t>(i)] == 2 * n_) return i;
    if (row < 0 || at(i, column) < at(row, column)) row = i;
  }
  return row;
}

/// How z changes when the entering variable grows and nothing blocks it.
void Pivoting::note_ray(int column) {
  ray_.assign(static_cast<std::size_t>(n_), 0.0);
  const auto grow = [&](int variable, double by) {
    if (variable < n_ || variable == 2 * n_) return;
    const int i = variable - n_;
    ray_[static_cast<std::size_t>(i)] =
        (is_free_[static_cast<std::size_t>(i)] ? by : std::max(0.0, by)) * column_scale_[i];
  };
  for (int i = 0; i < n_; ++i) grow(basic_[static_cast<std::size_t>(i)], at(i, column));
  grow(nonbasic_[static_cast<std::size_t>(column)], 1);
}

void Pivoting::ray(double* z) const { std::copy(ray_.begin(), ray_.end(), z); }

Pivoting::End Pivoting::walk(double perturbation, int limit, int& pivots) {
  // Perturbed loads and covers: a fixed sequence, so that the same problem takes the same way.
  std::uint64_t bits = 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(variant_);
  const auto chance = [&bits] {  // in [0.5, 1)
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    return 0.5 + 0.5 * static_cast<double>(bits >> 11) * 0x1p-53;
  };
  for (int i = 0; i < n_; ++i) extra_[i] = is_free(i) ? 0 : perturbation * chance();
  if (!refresh()) return End::singular;
  const int cover = columns_;
  std::fill(cover_, cover_ + n_, 0.0);
  int row = -1;
  for (int i = 0; i < n_; ++i) {
    const int variable = basic_[static_cast<std::size_t>(i)];
    const double d = at(i, cover) = is_free(variable) ? 0 : variant_ < 2 ? 1 : chance();
    if (d == 0) continue;
    if (rhs_[i] < -feasible_ && (row < 0 || rhs_[i] / d < rhs_[row] / at(row, cover))) row = i;
    // In the rows of the data the cover is B d.
    if (variable < n_) {
      cover_[variable] += d;
    } else {
      for (int k = 0; k < n_; ++k) cover_[k] -= scaled(k, variable - n_) * d;
    }
  }
  if (row < 0) return End::solved;
  nonbasic_[static_cast<std::size_t>(columns_++)] = 2 * n_;
  int column = cover;
  End end = End::limit;
  for (int step = 1; step <= limit; ++step) {
    ++pivots;
    const int leaving = basic_[static_cast<std::size_t>(row)];
    pivot(row, column);
    if (leaving == 2 * n_) {
      end = End::solved;
      break;
    }
    if (step % kCheck == 0 && drift() > 1e-11 && !refresh()) return End::singular;
    column = find_column(complement(leaving));
    row = ratio_test(column);
    if (row < 0) {
      end = End::ray;
      note_ray(column);
      break;
    }
  }
  if (const int out = find_column(2 * n_); out >= 0) drop_column(out);
  return end;
}

Pivoting::End Pivoting::run(int limit, int& pivots) {
  for (const double perturbation : kPerturbations) {
    feasible_ = std::max(1e-4 * perturbation, 1e-15);
    const End end = walk(perturbation, limit, pivots);
    if (end != End::solved) return end;
    // With the true load: done unless a row turned negative.
    if (!factorise_basis()) return End::singular;
    std::copy(load_, load_ + n_, rhs_);
    solve_basis(rhs_, 1);
    double worst = 0;
    for (int i = 0; i < n_; ++i)
      if (!is_free(basic_[static_cast<std::size_t>(i)])) worst = std::min(worst, rhs_[i]);
    if (worst >= -1e-15) break;
  }
  return End::solved;
}

bool Pivoting::solution(double* z) {
  if (!factorise_basis()) return false;
  double *x = work_.need(2 * static_cast<Index>(n_)), *r = x + n_;
  std::copy(load_, load_ + n_, x);
  solve_basis(x, 1);
  for (int pass = 0; pass < 2; ++pass) {
    std::copy(load_, load_ + n_, r);
    for (int k = 0; k < n_; ++k) {
      const int variable = basic_[static_cast<std::size_t>(k)];
      if (variable < n_) {
        r[variable] -= x[k];
      } else if (variable == 2 * n_) {
        for (int i = 0; i < n_; ++i) r[i] += cover_[i] * x[k];
      } else {
        for (int i = 0; i < n_; ++i) r[i] += scaled(i, variable - n_) * x[k];
      }
    }
    solve_basis(r, 1);
    for (int k = 0; k < n_; ++k) x[k] += r[k];
  }
  std::fill(z, z + n_, 0.0);
  for (int k = 0; k < n_; ++k) {
    const int variable = basic_[static_cast<std::size_t>(k)];
    if (variable < n_ || variable == 2 * n_) continue;
    const int i = variable - n_;
    z[i] = (is_free_[static_cast<std::size_t>(i)] ? x[k] : std::max(0.0, x[k])) * column_scale_[i] * unit_;
  }
  return true;
}

}  // namespace ricochet::detail
