#include "ricochet/scheme/pieces/set_newton.hpp"

#include <algorithm>
#include <cmath>

namespace ricochet {

bool SetNewton::takes(const Problem& problem) {
  if (problem.W.storage() != Delassus::Storage::dense) return false;
  return std::none_of(problem.blocks.begin(), problem.blocks.end(),
                      [](const ConeBlock& b) { return b.cone == Cone::second_order; });
}

void SetNewton::choose_disc(const ConeBlock& block, int first, int dim, double radius, double coefficient) {
  const int row = block.row + first;
  double square = 0;
  for (int i = row; i < row + dim; ++i) square += z_[i] * z_[i];
  const double size = std::sqrt(square);
  const bool rim = size > radius;
  for (int i = row; i < row + dim; ++i) next_[static_cast<std::size_t>(i)] = rim ? slides : held;
  if (!rim) return;
  Disc disc{row, dim, block.cone == Cone::interval ? -1 : block.row, coefficient, radius, {}, radius / size};
  for (int i = 0; i < dim; ++i) disc.t[i] = z_[row + i] / size;
  discs_.push_back(disc);
}

void SetNewton::choose(const Problem& problem, const double* p) {
  const int m = problem.rows;
  double *u = u_.need(m), *z = z_.need(m), *rho = rho_.need(m);
  problem.W.apply(p, u, scratch_);
  next_.assign(static_cast<std::size_t>(m), held);
  discs_.clear();
  for (const ConeBlock& block : problem.blocks) {
    const auto weigh = [&](int first, int dim) {
      double trace = 0;
      for (int i = block.row + first; i < block.row + first + dim; ++i) trace += problem.W.diagonal(i);
      for (int i = block.row + first; i < block.row + first + dim; ++i) {
        u[i] += problem.b[i];
        rho[i] = trace != 0 ? dim / std::abs(trace) : 1;
        z[i] = p[i] - rho[i] * u[i];
      }
    };
    switch (block.cone) {
      case Cone::free: weigh(0, block.dim); break;
      case Cone::nonnegative:
        for (int i = 0; i < block.dim; ++i) {
          weigh(i, 1);
          if (!(z[block.row + i] > 0)) next_[static_cast<std::size_t>(block.row + i)] = gone;
        }
        break;
      case Cone::interval:
        weigh(0, block.dim);
        choose_disc(block, 0, block.dim, block.mu, block.mu);
        break;
      case Cone::coulomb:
      case Cone::second_order:
      case Cone::rolling: {
        weigh(0, 1);
        const double normal = z[block.row];
        const auto disc = [&](int first, int dim, double coefficient) {
          weigh(first, dim);
          if (normal > 0) choose_disc(block, first, dim, coefficient * normal, coefficient);
        };
        if (block.cone == Cone::rolling)
          for_each_disc(block.dim, block.friction(), disc);
        else
          disc(1, block.dim - 1, block.mu);
        if (!(normal > 0)) std::fill_n(next_.begin() + block.row, block.dim, static_cast<signed char>(gone));
        break;
      }
    }
  }
}

void SetNewton::assemble(const Problem& problem, const double* p) {
  const int m = problem.rows;
  index_.clear();
  place_.assign(static_cast<std::size_t>(m), -1);
  for (int i = 0; i < m; ++i) {
    if (next_[static_cast<std::size_t>(i)] == gone) continue;
    place_[static_cast<std::size_t>(i)] = static_cast<int>(index_.size());
    index_.push_back(i);
  }
  const std::size_t n = index_.size();
  A_.resize(n * n);
  c_.resize(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) A_[i + j * n] = problem.W(index_[i], index_[j]);
  for (std::size_t i = 0; i < n; ++i) c_[i] = -problem.b[index_[i]];
  // what slides: p_T - mu p_N t - b Pi (p_T - rho W_T p) = b Pi (rho (b_T - u_T') - p_T')  over rho
  std::vector<double> row(n);
  for (const Disc& d : discs_) {
    double old[3];
    MatrixXd lines(d.dim, static_cast<Index>(n));
    const double rho = rho_[d.row];
    for (int i = 0; i < d.dim; ++i) {
      const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(d.row + i)]);
      for (std::size_t j = 0; j < n; ++j) lines(i, static_cast<Index>(j)) = A_[at + j * n];
      old[i] = problem.b[d.row + i] - u_[d.row + i];
    }
    for (int i = 0; i < d.dim; ++i) {
      const auto at = static_cast<std::size_t>(place_[static_cast<std::size_t>(d.row + i)]);
      std::fill(row.begin(), row.end(), 0.0);
      row[at] += 1 / rho;
      double right = d.normal < 0 ? d.coefficient * d.t[i] / rho : 0;
      if (d.normal >= 0)
        row[static_cast<std::size_t>(place_[static_cast<std::size_t>(d.normal)])] -= d.coefficient * d.t[i] / rho;
      for (int k = 0; k < d.dim && d.dim > 1; ++k) {
        const double turn = d.part * ((i == k ? 1 : 0) - d.t[i] * d.t[k]);
        const auto other = static_cast<std::size_t>(place_[static_cast<std::size_t>(d.row + k)]);
        row[other] -= turn / rho;
        for (std::size_t j = 0; j < n; ++j) row[j] += turn * lines(k, static_cast<Index>(j));
        right -= turn * (p[d.row + k] / rho + old[k]);
      }
      for (std::size_t j = 0; j < n; ++j) A_[at + j * n] = row[j];
      c_[at] = right;
    }
  }
}

bool SetNewton::pass(const Problem& problem, double* p) {
  choose(problem, p);
  const bool same = marks_ == next_;
  marks_ = next_;
  assemble(problem, p);
  const int n = static_cast<int>(index_.size());
  redundant_ = false;
  if (n > 0) {
    factor_.factorise(A_.data(), n);
    factor_.solve(c_.data());
    redundant_ = !factor_.full_rank();
  }
  std::fill(p, p + problem.rows, 0.0);
  for (int i = 0; i < n; ++i) p[index_[static_cast<std::size_t>(i)]] = c_[static_cast<std::size_t>(i)];
  return same;
}

}  // namespace ricochet
