#include "ricochet/solver/infeasibility.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/math/orthogonal.hpp"
#include "ricochet/solver/frame/frame.hpp"

namespace ricochet {
namespace {

constexpr double kRoundOff = 1e-13;  ///< of the terms of a sum: what counts as zero
constexpr int kMostRows = 300;       ///< candidates for a weight
constexpr double kRidge = 4e-15;     ///< on the unit diagonal of the active sets' systems

bool has_friction(const ConeBlock& block) { return block.cone == Cone::coulomb || block.cone == Cone::second_order; }

/// The nearest weights that U allows, in place.
void admit(const Problem& problem, double* d) {
  for (const ConeBlock& block : problem.blocks) {
    double* at = d + block.row;
    switch (block.cone) {
      case Cone::free: break;
      case Cone::nonnegative:
        for (int i = 0; i < block.dim; ++i) at[i] = std::max(0.0, at[i]);
        break;
      case Cone::coulomb:
        at[0] = std::max(0.0, at[0]);
        std::fill(at + 1, at + block.dim, 0.0);
        break;
      case Cone::second_order: project(block.cone, block.dim, block.mu, at); break;
      case Cone::interval: std::fill(at, at + block.dim, 0.0); break;  // bounded: it proves nothing
      case Cone::rolling:
        at[0] = std::max(0.0, at[0]);
        std::fill(at + 1, at + block.dim, 0.0);
        break;
    }
  }
}

/// By how much y = W^T d fails to lie in -K*, for one block: p . y is at most this times the largest entry of p.
double misses(const ConeBlock& block, const double* y) {
  if (has_friction(block)) {
    double tangential = 0;
    for (int i = 1; i < block.dim; ++i) tangential += y[i] * y[i];
    return std::max(0.0, y[0] + block.mu * std::sqrt(tangential));
  }
  double sum = 0;
  for (int i = 0; i < block.dim; ++i) sum += block.cone == Cone::free ? std::abs(y[i]) : std::max(0.0, y[i]);
  return sum;
}

/// rho of each block; where the diagonal vanishes, the largest of the others'.
std::vector<double> mobilities(const Problem& problem) {
  std::vector<double> rho(problem.blocks.size(), 0.0);
  double most = 0;
  for (std::size_t k = 0; k < rho.size(); ++k) {
    const ConeBlock& block = problem.blocks[k];
    double trace = 0;
    for (int i = block.row; i < block.row + block.dim; ++i) trace += problem.W.diagonal(i);
    rho[k] = trace > 0 ? block.dim / trace : 0;
    most = std::max(most, rho[k]);
  }
  for (double& r : rho)
    if (r == 0) r = most > 0 ? most : 1;
  return rho;
}

}  // namespace

Infeasibility check_infeasibility(const Problem& problem, const double* given) {
  const int m = problem.rows;
  Infeasibility out;
  VectorXd d = Eigen::Map<const VectorXd>(given, m);
  if (!d.allFinite()) return out;
  admit(problem, d.data());
  VectorXd y = VectorXd::Zero(m), terms = VectorXd::Zero(m), root(m);
  // |W_ij| <= (W_ii W_jj)^1/2 where W comes from a mass: what the entries were summed from is of that size.
  for (int i = 0; i < m; ++i) root[i] = std::sqrt(std::max(0.0, problem.W.diagonal(i)));
  problem.W.for_each_entry([&](int i, int j, double value) {
    if (d[i] == 0 || value == 0) return;
    y[j] += value * d[i];
    terms[j] += std::max(std::abs(value), root[i] * root[j]) * std::abs(d[i]);
  });
  double pushed = 0, weighed = 0, size = 0, largest_b = 0, most = 0;
  for (const ConeBlock& block : problem.blocks) {
    double own = 0, length = 0;
    for (int i = block.row; i < block.row + block.dim; ++i) {
      own -= problem.b[i] * d[i];
      weighed += std::abs(problem.b[i] * d[i]);
      length += has_friction(block) ? d[i] * d[i] : std::abs(d[i]);
      largest_b = std::max(largest_b, std::abs(problem.b[i]));
      out.rows += d[i] != 0 ? 1 : 0;
    }
    size += has_friction(block) ? std::sqrt(length) : length;
    pushed += own;
    if (own > most) most = own, out.block = static_cast<int>(&block - problem.blocks.data());
  }
  if (!(pushed > kRoundOff * weighed) || !(size > 0)) return out;
  const std::vector<double> rho = mobilities(problem);
  double missed = 0;
  bool zero = true;
  for (std::size_t k = 0; k < rho.size(); ++k) {
    const ConeBlock& block = problem.blocks[k];
    const double miss = misses(block, y.data() + block.row), friction = has_friction(block) ? 1 + block.mu : 1;
    double allowed = 0;
    for (int i = block.row; i < block.row + block.dim; ++i) allowed = std::max(allowed, terms[i]);
    zero = zero && miss <= kRoundOff * friction * allowed;
    missed += rho[k] * miss;
  }
  out.closing = pushed / size;
  out.reach = missed > 0 ? 0.5 * pushed / missed / largest_b : std::numeric_limits<double>::infinity();
  out.holds = zero;
  return out;
}

namespace detail {
namespace {

class Search {
 public:
  Search(const Problem& problem, const double* guess) : problem_(problem) {
    choose(guess);
    fill();
  }

  bool run(double least, double* d) {
    if (rows_.empty() || !(load_ > 0) || !descend()) return false;
    // What the null space does not hold is cleared away; rows that then pull are let go.
    for (int pass = 0; pass < 20 && clear(); ++pass) {
      std::fill(d, d + problem_.rows, 0.0);
      bool pulls = false;
      const double most = x_.cwiseAbs().maxCoeff();
      for (Index k = 0; k < x_.size(); ++k) {
        if (passive_[k] && !free_[k] && x_[k] <= 1e-12 * most) passive_[k] = 0, pulls = pulls || x_[k] < 0, x_[k] = 0;
        d[rows_[k]] = x_[k] * scale_[k];
      }
      if (pulls) continue;
      const Infeasibility proof = check_infeasibility(problem_, d);
      return proof.holds && proof.closing > least;
    }
    return false;
  }

 private:
  /// Rows that can carry a weight, normal or free; those of the largest guess where they are many.
  void choose(const double* guess) {
    for (const ConeBlock& block : problem_.blocks)
      for (int i = 0; i < (has_friction(block) ? 1 : block.dim); ++i) rows_.push_back(block.row + i);
    if (static_cast<int>(rows_.size()) > kMostRows) {
      if (guess == nullptr) return rows_.clear();
      const auto larger = [&](int a, int b) { return std::abs(guess[a]) > std::abs(guess[b]); };
      std::nth_element(rows_.begin(), rows_.begin() + kMostRows, rows_.end(), larger);
      rows_.resize(kMostRows);
      std::sort(rows_.begin(), rows_.end());
    }
    free_.assign(rows_.size(), 0);
    const int joints = joint_rows(problem_);
    for (std::size_t k = 0; k < rows_.size(); ++k) free_[k] = rows_[k] < joints;
  }

  /// A := W^T in the chosen columns, scaled to a unit diagonal; G := A among them if W is symmetric, else A^T A.
  void fill() {
    const int m = problem_.rows, n = static_cast<int>(rows_.size());
    std::vector<int> place(static_cast<std::size_t>(m), -1);
    for (int k = 0; k < n; ++k) place[static_cast<std::size_t>(rows_[k])] = k;
    // A row without a diagonal is scaled by its largest entry.
    VectorXd size = VectorXd::Zero(m);
    for (int i = 0; i < m; ++i) size[i] = std::max(0.0, problem_.W.diagonal(i));
    VectorXd most = VectorXd::Zero(m);
    problem_.W.for_each_entry([&](int i, int, double value) { most[i] = std::max(most[i], std::abs(value)); });
    for (int i = 0; i < m; ++i)
      size[i] = size[i] > 0 ? 1 / std::sqrt(size[i]) : most[i] > 0 ? 1 / std::sqrt(most[i]) : 1;
    A_ = MatrixXd::Zero(m, n);
    problem_.W.for_each_entry([&](int i, int j, double value) {
      const int k = place[static_cast<std::size_t>(i)];
      if (k >= 0) A_(j, k) = value * size[i] * size[j];
    });
    scale_.resize(n), b_.resize(n), G_.resize(n, n);
    for (int k = 0; k < n; ++k) {
      scale_[k] = size[rows_[k]];
      b_[k] = problem_.b[rows_[k]] * scale_[k];
      G_.row(k) = A_.row(rows_[k]);
    }
    if (n == 0) return;
    load_ = b_.cwiseAbs().maxCoeff();
    if (load_ > 0) b_ /= load_;
    if (!((G_ - G_.transpose()).cwiseAbs().maxCoeff() <= 1e-10)) G_ = A_.transpose() * A_;
  }

  /// Lawson and Hanson's active sets on x . G x + (b . x + 1)^2, x >= 0 but for free rows. True if it falls.
  bool descend() {
    const Index n = b_.size();
    x_ = VectorXd::Zero(n);
    passive_ = free_;
    if (std::any_of(free_.begin(), free_.end(), [](char free) { return free != 0; })) step();
    for (int turn = 0; turn < 2 * n + 10; ++turn) {
      const VectorXd slope = G_ * x_ + (b_.dot(x_) + 1) * b_;
      Index next = -1;
      for (Index k = 0; k < n; ++k)
        if (!passive_[k] && slope[k] < -1e-10 && (next < 0 || slope[k] < slope[next])) next = k;
      if (next < 0) break;
      passive_[next] = 1;
      if (!step()) break;
      if (value() < 1e-11) break;
    }
    return value() < 0.9;  // contradictions of 1e-8 of the largest load are worth a look
  }

  double value() const {
    const double off = b_.dot(x_) + 1;
    return x_.dot(G_ * x_) + off * off;
  }

  /// To the least among the passive rows, leaving those that would turn negative on the way. False: no way on.
  bool step() {
    for (Index left = b_.size(); left >= 0; --left) {
      std::vector<Index> at;
      for (Index k = 0; k < b_.size(); ++k)
        if (passive_[k]) at.push_back(k);
      if (at.empty()) return false;
      MatrixXd H = G_(at, at) + b_(at) * b_(at).transpose();
      H.diagonal().array() += kRidge;
      const VectorXd aim = H.ldlt().solve(-b_(at));
      if (!aim.allFinite()) return false;
      double length = 1;
      Index first = -1;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const double now = x_[at[k]], there = aim[static_cast<Index>(k)];
        if (free_[at[k]] || there >= 0) continue;
        if (const double part = now / (now - there); first < 0 || part < length) length = part, first = at[k];
      }
      for (std::size_t k = 0; k < at.size(); ++k) x_[at[k]] += length * (aim[static_cast<Index>(k)] - x_[at[k]]);
      if (first < 0) return true;
      passive_[first] = 0, x_[first] = 0;
    }
    return false;
  }

  /// x := its part in the null space of A among the passive rows. False if there is none.
  bool clear() {
    std::vector<Index> at;
    for (Index k = 0; k < b_.size(); ++k)
      if (passive_[k]) at.push_back(k);
    if (at.empty()) return false;
    const MatrixXd columns = A_(Eigen::all, at);
    const Orthogonal factor(columns, 1e-11);
    VectorXd part = x_(at);
    const double before = part.norm();
    for (int pass = 0; pass < 3; ++pass) part -= factor.solve(VectorXd(columns * part));
    if (!(part.norm() > 1e-3 * before)) return false;
    x_.setZero();
    for (std::size_t k = 0; k < at.size(); ++k) x_[at[k]] = part[static_cast<Index>(k)];
    return true;
  }

  const Problem& problem_;
  std::vector<int> rows_;
  std::vector<char> free_, passive_;
  MatrixXd A_, G_;
  VectorXd scale_, b_, x_;
  double load_ = 0;
};

}  // namespace

bool find_infeasibility(const Problem& problem, const double* guess, double least, double* d) {
  if (problem.W.storage() == Delassus::Storage::factored && problem.rows > 3 * kMostRows) return false;
  return Search(problem, guess).run(least, d);
}

}  // namespace detail
}  // namespace ricochet
