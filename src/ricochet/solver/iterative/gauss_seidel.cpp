// Block Gauss-Seidel: contact after contact, each solved exactly (`local`) with the others frozen,
//     u_k = b_k + sum_j W_kj p_j,     W_kk p_k' + (u_k - W_kk p_k) = u_k'.
// For frictionless contacts this is projected Gauss-Seidel, p_i = max(0, p_i - u_i / W_ii). With W = L^T Y only
// y = Y p is kept, and a contact costs what it touches.
// Relaxation moves each contact omega times as far and projects it back on its cone. Left to itself it is 1 for twenty
// sweeps and 1.5 from then on; when ten looks at the error have found nothing better, it is halved towards 1, or given
// up together with all that it did if that was little: over-relaxed sweeps may run in circles where others converge.
// Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Eng. 177 (1999).
#include <cmath>

#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/contacts.hpp"
#include "ricochet/solver/iterative/local.hpp"

namespace ricochet {
namespace {

constexpr int kSweeps = 20000;  ///< if nobody sets a limit

}  // namespace

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
double sweep(const Problem& problem, const double* D, double relaxation, Coupling& coupling, double* p) {
  double largest_change = 0;
  for (const ConeBlock& block : problem.blocks) {
    double* pk = p + block.row;
    if (block.cone == Cone::nonnegative) {
      for (int i = 0; i < block.dim; ++i, ++D) {
        if (!(*D > 0)) continue;
        double u;
        coupling.velocity({block.cone, block.row + i, 1, 0}, &u);
        const double next = std::max(0.0, pk[i] - relaxation * u / *D), by = next - pk[i];
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
    if (relaxation != 1) {
      for (int i = 0; i < n; ++i) next[i] = pk[i] + relaxation * (next[i] - pk[i]);
      project(block.cone, n, block.mu, next);
    }
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

void gauss_seidel(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch,
                  double relaxation) {
  const int limit = goal.max_iterations > 0 ? goal.max_iterations : kSweeps;
  double* p = solution.p.data();
  const double* D = diagonal_blocks(problem, scratch);
  Coupling coupling(problem, p, scratch);
  solution.status = SolveStatus::iteration_limit;
  for (int k = 0, until_check = 0; k < limit; ++k) {
    const double change = sweep(problem, D, relaxation, coupling, p);
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

namespace {

constexpr int kPlain = 20;           ///< sweeps before relaxation is tried
constexpr int kSweepLook = 4;        ///< sweeps between two looks at the error
constexpr double kRelaxation = 1.5;  ///< 1.4 and 1.6 take as many sweeps over the published problems
constexpr int kStaleLooks = 10;      ///< looks

struct SweepScratch {
  std::vector<double> x, u, back;
};

void relaxed_sweeps(ContactWork& work, int count) {
  gauss_seidel(work, std::min(count, kPlain));
  if (work.done()) return;
  SweepScratch& s = work.scratch->of<SweepScratch>();
  s.x = s.back = work.x;
  double omega = kRelaxation, there = work.error;
  for (int k = kPlain, stale = 0; k < count && !work.done(); ++k) {
    sweep(work.contacts, s.x.data(), omega);
    ++work.iterations;
    if (k % kSweepLook != kSweepLook - 1 && k + 1 < count) continue;
    const double error = work.judge(s.x, s.u);
    stale = error < work.error ? 0 : stale + 1;
    work.offer(s.x, s.u, error);
    if (stale < kStaleLooks || omega == 1) continue;
    const bool worth = work.error < 0.5 * there;
    omega = worth && omega > 1.1 ? 1 + (omega - 1) / 2 : 1;
    if (!worth) s.x = s.back;
    s.back = s.x, there = work.error, stale = 0;
  }
}

}  // namespace
}  // namespace detail

namespace {

class GaussSeidel final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{
        "projected-gauss-seidel",
        "contact after contact, each solved exactly, over-relaxed; any size, factored W, linear",
        "joints, nonnegative, friction in the plane and in space", false};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    const double relaxation = options.relaxation;
    assert(relaxation >= 0 && relaxation < 2);
    detail::solve_without_joints(
        problem, options, solution, scratch, detail::takes_factored | detail::takes_sparse,
        [relaxation](const Problem& contacts, const detail::Goal& goal, Solution& inner, SolverScratch& place) {
          if (contacts.W.storage() != Delassus::Storage::sparse)
            return detail::gauss_seidel(contacts, goal, inner, place, relaxation > 0 ? relaxation : 1);
          detail::on_contacts(contacts, goal, inner, place, [relaxation](detail::ContactWork& work, int limit) {
            const int count = limit > 0 ? limit : kSweeps;
            relaxation > 0 ? detail::gauss_seidel(work, count, relaxation) : detail::relaxed_sweeps(work, count);
          });
        });
  }
};

}  // namespace

const Solver& gauss_seidel_solver();
const Solver& gauss_seidel_solver() {
  static const GaussSeidel kSolver;
  return kSolver;
}

}  // namespace ricochet
