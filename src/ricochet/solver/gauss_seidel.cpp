// Block Gauss-Seidel: contact after contact, each solved exactly (`local`) with the others frozen,
//     u_k = b_k + sum_j W_kj p_j,     W_kk p_k' + (u_k - W_kk p_k) = u_k'.
// For frictionless contacts this is projected Gauss-Seidel, p_i = max(0, p_i - u_i / W_ii). With W = L^T Y only
// y = Y p is kept, and a contact costs what it touches.
// Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999).
#include <cmath>

#include "ricochet/solver/cores.hpp"
#include "ricochet/solver/local.hpp"

namespace ricochet {
namespace detail {
namespace {

/// What a sweep needs from W: the velocity of a block, and the effect of a change of its multipliers.
class Coupling {
 public:
  Coupling(const Problem& problem, const double* p, SolverScratch& scratch)
      : problem_(problem), factored_(problem.W.storage() == Delassus::Storage::factored), m_(problem.rows) {
    n_ = factored_ ? problem.W.coordinates() : m_;
    state_ = scratch.r.need(n_);
    if (factored_) {
      if (static_cast<int>(scratch.index.size()) < 2 * m_) scratch.index.resize(static_cast<std::size_t>(2 * m_));
      left_ = scratch.index.data();
      right_ = left_ + m_;
      map(problem.W.left(), left_);
      map(problem.W.right(), right_);
    }
    refresh(p);
  }
  /// Anew from p: increments gather round-off.
  void refresh(const double* p) {
    std::fill(state_, state_ + n_, 0.0);
    if (factored_) {
      problem_.W.right().add_times(1, p, View(state_, n_));
      return;
    }
    for (int j = 0; j < m_; ++j) add_column(j, p[j]);
    for (int i = 0; i < m_; ++i) state_[i] += problem_.b[i];
  }
  void velocity(const ConeBlock& block, double* u) const {
    for (int i = 0; i < block.dim; ++i) {
      const int row = block.row + i;
      if (factored_) {
        const Jacobian& L = problem_.W.left();
        const Jacobian::Block& at = L.blocks()[static_cast<std::size_t>(left_[row])];
        u[i] = problem_.b[row] + L.row_times(at, row - at.row, ConstView(state_, n_));
      } else {
        u[i] = state_[row];
      }
    }
  }
  void change(int row, double by) {
    if (by == 0) return;
    if (!factored_) return add_column(row, by);
    const Jacobian& Y = problem_.W.right();
    const Jacobian::Block& at = Y.blocks()[static_cast<std::size_t>(right_[row])];
    const double* c = Y.row(at, row - at.row);
    const Range* ranges = Y.ranges(at);
    for (int k = 0; k < at.ranges; ++k)
      for (int j = 0; j < ranges[k].n; ++j) state_[ranges[k].at + j] += by * *c++;
  }

 private:
  static void map(const Jacobian& G, int* at) {
    int k = 0;
    for (const Jacobian::Block& block : G.blocks()) {
      for (int i = 0; i < block.dim; ++i) at[block.row + i] = k;
      ++k;
    }
  }
  void add_column(int j, double by) {
    if (by == 0) return;
    const double* column = problem_.W.dense() + static_cast<Index>(j) * m_;
    for (int i = 0; i < m_; ++i) state_[i] += by * column[i];
  }

  const Problem& problem_;
  bool factored_;
  int m_, n_ = 0;
  double* state_ = nullptr;  ///< y = Y p, or u
  int *left_ = nullptr, *right_ = nullptr;
};

/// Diagonal blocks one after another.
const double* diagonal_blocks(const Problem& problem, SolverScratch& scratch) {
  Index size = 0;
  for (const ConeBlock& block : problem.blocks) size += block.dim * (block.cone == Cone::nonnegative ? 1 : block.dim);
  double* out = scratch.B.need(size);
  double* at = out;
  for (const ConeBlock& block : problem.blocks) {
    if (block.cone == Cone::nonnegative) {
      for (int i = 0; i < block.dim; ++i) *at++ = problem.W.diagonal(block.row + i);
    } else {
      problem.W.diagonal_block(block, at);
      at += block.dim * block.dim;
    }
  }
  return out;
}

/// Largest change of a multiplier, times its diagonal: in the unit of u.
double sweep(const Problem& problem, const double* D, Coupling& coupling, double* p) {
  double largest_change = 0;
  for (const ConeBlock& block : problem.blocks) {
    double* pk = p + block.row;
    if (block.cone == Cone::nonnegative) {
      for (int i = 0; i < block.dim; ++i, ++D) {
        if (!(*D > 0)) continue;
        double u;
        coupling.velocity({block.cone, block.row + i, 1, 0}, &u);
        const double next = std::max(0.0, pk[i] - u / *D), by = next - pk[i];
        coupling.change(block.row + i, by);
        pk[i] = next;
        largest_change = std::max(largest_change, std::abs(by) * *D);
      }
      continue;
    }
    const int n = block.dim;
    double u[3], next[3];
    coupling.velocity(block, u);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) u[i] -= D[i + j * n] * pk[j];
    std::copy(pk, pk + n, next);
    solve_local(block, D, u, next);
    for (int i = 0; i < n; ++i) {
      const double by = next[i] - pk[i];
      coupling.change(block.row + i, by);
      pk[i] = next[i];
      largest_change = std::max(largest_change, std::abs(by * D[i + i * n]));
    }
    D += n * n;
  }
  return largest_change;
}

}  // namespace

void gauss_seidel(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const int limit = goal.max_iterations > 0 ? goal.max_iterations : 20000;
  double* p = solution.p.data();
  const double* D = diagonal_blocks(problem, scratch);
  Coupling coupling(problem, p, scratch);
  solution.status = SolveStatus::iteration_limit;
  for (int k = 0, until_check = 0; k < limit; ++k) {
    const double change = sweep(problem, D, coupling, p);
    ++solution.iterations;
    if (!std::isfinite(change)) {
      solution.status = SolveStatus::singular;
      return;
    }
    // The true residual costs as much as a sweep; changes above the tolerance say that it is not time yet.
    const bool early = goal.relative() ? change > 0 : change > goal.tolerance;
    if (early && ++until_check < (goal.relative() ? 10 : 50)) continue;
    until_check = 0;
    coupling.refresh(p);
    velocities(problem, p, solution.u.data(), scratch.y);
    if (goal.error(problem, p, solution.u.data()) <= goal.tolerance) {
      solution.status = SolveStatus::converged;
      return;
    }
    if (change == 0) return;
  }
}

}  // namespace detail

namespace {

class GaussSeidel final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{
        "projected-gauss-seidel",
        "contact after contact, each solved exactly; any size, factored W, linear convergence",
        "joints, nonnegative, friction in the plane and in space", false};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_without_joints(problem, options, solution, scratch, detail::takes_factored, detail::gauss_seidel);
  }
};

}  // namespace

const Solver& gauss_seidel_solver();
const Solver& gauss_seidel_solver() {
  static const GaussSeidel kSolver;
  return kSolver;
}

}  // namespace ricochet
