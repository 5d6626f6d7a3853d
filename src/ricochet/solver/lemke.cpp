// Lemke's complementary pivoting with a lexicographic ratio test, so that degenerate problems cannot cycle.
//     w = M z + q,   0 <= w ⊥ z >= 0
// Frictionless contact is a row of it. Coulomb's law in the plane is four rows, exactly and not associated (Stewart and
// Trinkle, Int. J. Numer. Meth. Eng. 39 (1996)), with p_T = p+ - p- and the sliding speed s:
//     u_N          ⊥ p_N
//     s + u_T      ⊥ p+
//     s - u_T      ⊥ p-
//     mu p_N - p+ - p- ⊥ s
// The associated law takes the two edges of the cone, p = a (1, mu) + b (1, -mu). M is copositive if W is, which is
// what the method needs; W may be rank-deficient. Cottle, Pang, Stone, The Linear Complementarity Problem (1992),
// section 4.4 and 4.9.
#include <cmath>

#include "ricochet/math/small_lu.hpp"
#include "ricochet/solver/active_set.hpp"
#include "ricochet/solver/cores.hpp"

namespace ricochet {
namespace detail {
namespace {

/// Row of the linear complementarity problem: which rows of u with which weights, and the same for p.
struct Term {
  int row;      ///< normal row of the contact; -1: the sliding speed
  double n, t;  ///< weights of the normal and the tangential component
};

int rows_of(const ConeBlock& block) {
  if (block.cone == Cone::nonnegative) return block.dim;
  if (block.mu == 0) return 1;
  return block.cone == Cone::coulomb ? 4 : 2;
}

double power_of_two_below(double x) { return x > 0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1.0; }

/// M (N x N, column major) and q in scratch.B, in units of powers of two in which W and b are of size one.
class Pivoting {
 public:
  Pivoting(const Problem& problem, SolverScratch& scratch) : problem_(problem), m_(problem.rows) {
    N_ = lemke_size(problem);
    M_ = scratch.B.zeros(static_cast<Index>(N_) * N_ + 2 * N_);
    q_ = M_ + static_cast<Index>(N_) * N_;
    scale_ = q_ + N_;
    T_ = scratch.A.zeros(static_cast<Index>(N_) * (2 * N_ + 2));
    if (static_cast<int>(scratch.basis.size()) < 2 * N_) scratch.basis.resize(static_cast<std::size_t>(2 * N_));
    basis_ = scratch.basis.data();
    if (static_cast<int>(scratch.pivot.size()) < N_) scratch.pivot.resize(static_cast<std::size_t>(2 * N_));
    pivots_ = scratch.pivot.data();
    x_ = scratch.x.need(2 * N_);
    units();
    assemble();
    equilibrate();
  }

  enum class End { solved, ray, limit };
  End run(int limit, int& iterations) {
    double* column = T_;
    const int z0 = 2 * N_;
    int first = -1;
    for (int i = 0; i < N_; ++i) {
      T_[i + at(i)] = 1;
      basis_[i] = i;
      T_[i + at(z0)] = -1;
      T_[i + at(2 * N_ + 1)] = q_[i];
      if (q_[i] < 0 && (first < 0 || q_[i] <= q_[first])) first = i;  // the last of equals keeps rows lexico-positive
    }
    for (Index i = 0; i < static_cast<Index>(N_) * N_; ++i) column[at(N_) + i] = -M_[i];
    if (first < 0) return End::solved;
    int entering = z0, row = first;
    while (iterations < limit) {
      ++iterations;
      const int leaving = basis_[row];
      pivot(row, entering);
      if (leaving == z0) return End::solved;
      entering = leaving < N_ ? leaving + N_ : leaving - N_;
      row = ratio_test(entering);
      if (row < 0) return certain_ray(entering) ? End::ray : End::limit;
    }
    return End::limit;
  }

  /// The basic solution anew from the data, with one step of refinement, then p.
  void recover(double* p, double* work) {
    double* B = T_;
    bool complementary = true;
    for (int k = 0; k < N_; ++k) complementary = complementary && basis_[k] < 2 * N_;
    if (complementary) {
      for (int k = 0; k < N_; ++k) {
        double* out = B + static_cast<Index>(k) * N_;
        if (basis_[k] < N_) {
          std::fill(out, out + N_, 0.0);
          out[basis_[k]] = 1;
        } else {
          for (int i = 0; i < N_; ++i) out[i] = -M_[i + at(basis_[k] - N_)];
        }
      }
      double* r = x_ + N_;
      std::copy(q_, q_ + N_, x_);
      if (lu_factorise(B, pivots_, N_)) {
        lu_solve(B, pivots_, N_, x_);
        std::copy(q_, q_ + N_, r);
        for (int k = 0; k < N_; ++k) {
          if (basis_[k] < N_) {
            r[basis_[k]] -= x_[k];
          } else {
            for (int i = 0; i < N_; ++i) r[i] += M_[i + at(basis_[k] - N_)] * x_[k];
          }
        }
        lu_solve(B, pivots_, N_, r);
        for (int k = 0; k < N_; ++k) x_[k] += r[k];
      } else {
        // The pivots passed, their product did not: keep the tableau's values, out of reach now, as zero.
        std::fill(x_, x_ + N_, 0.0);
      }
    }
    double* z = work;
    std::fill(z, z + N_, 0.0);
    for (int k = 0; k < N_ && complementary; ++k)
      if (basis_[k] >= N_) z[basis_[k] - N_] = std::max(0.0, x_[k]);
    std::fill(p, p + m_, 0.0);
    int k = 0;
    for_each_term([&](const Term& p_term, const Term&) {
      if (p_term.row >= 0) {
        const double value = z[k] * scale_[k] * unit_p_;
        p[p_term.row] += p_term.n * value;
        if (p_term.t != 0) p[p_term.row + 1] += p_term.t * value;
      }
      ++k;
    });
  }
  int size() const { return N_; }

 private:
  Index at(int column) const { return static_cast<Index>(column) * N_; }

  /// Calls f(what the unknown z_k adds to p, what w_k reads from u) in order.
  template <class F>
  void for_each_term(F f) const {
    for (const ConeBlock& block : problem_.blocks) {
      const int r = block.row;
      if (block.cone == Cone::nonnegative) {
        for (int i = r; i < r + block.dim; ++i) f(Term{i, 1, 0}, Term{i, 1, 0});
      } else if (block.mu == 0) {
        f(Term{r, 1, 0}, Term{r, 1, 0});
      } else if (block.cone == Cone::coulomb) {
        f(Term{r, 1, 0}, Term{r, 1, 0});
        f(Term{r, 0, 1}, Term{r, 0, 1});
        f(Term{r, 0, -1}, Term{r, 0, -1});
        f(Term{-1, block.mu, 0}, Term{-1, 0, 0});
      } else {
        f(Term{r, 1, block.mu}, Term{r, 1, block.mu});
        f(Term{r, 1, -block.mu}, Term{r, 1, -block.mu});
      }
    }
  }

  void units() {
    double w = 0;
    for (int i = 0; i < m_; ++i) w = std::max(w, problem_.W(i, i));
    unit_w_ = power_of_two_below(w);
    unit_p_ = power_of_two_below(largest(problem_.b.data(), m_)) / unit_w_;
  }

  /// z_k = scale_k z_k', w_k' = scale_k w_k: rows and columns alike, which keeps M copositive. Powers of two.
  void equilibrate() {
    std::fill(scale_, scale_ + N_, 1.0);
    for (int pass = 0; pass < 4; ++pass)
      for (int k = 0; k < N_; ++k) {
        double most = 0;
        for (int i = 0; i < N_; ++i) most = std::max({most, std::abs(M_[i + at(k)]), std::abs(M_[k + at(i)])});
        const double factor = most > 0 ? std::ldexp(1.0, -(std::ilogb(most) / 2)) : 1;
        if (factor == 1) continue;
        for (int i = 0; i < N_; ++i) {
          M_[i + at(k)] *= factor;
          M_[k + at(i)] *= factor;
        }
        q_[k] *= factor;
        scale_[k] *= factor;
      }
  }

  void assemble() {
    int i = 0;
    for_each_term([&](const Term&, const Term& read) {
      if (read.row >= 0) {
        int j = 0;
        for_each_term([&](const Term& add, const Term&) {
          if (add.row >= 0) {
            double w = 0;
            for (int a = 0; a < 2; ++a)
              for (int c = 0; c < 2; ++c) {
                const double weight = (a == 0 ? read.n : read.t) * (c == 0 ? add.n : add.t);
                if (weight != 0) w += weight * problem_.W(read.row + a, add.row + c);
              }
            M_[i + at(j)] = w / unit_w_;
          }
          ++j;
        });
        double b = read.n * problem_.b[read.row];
        if (read.t != 0) b += read.t * problem_.b[read.row + 1];
        q_[i] = b / (unit_p_ * unit_w_);
      } else {
        M_[(i - 2) + at(i)] = M_[(i - 1) + at(i)] = 1;
        M_[i + at(i - 2)] = M_[i + at(i - 1)] = -1;
      }
      ++i;
    });
    i = 0;
    for_each_term([&](const Term& add, const Term&) {
      if (add.row < 0) M_[i + at(i - 3)] = add.n;
      ++i;
    });
  }

  void pivot(int row, int entering) {
    double* enter = T_ + at(entering);
    const double p = enter[row];
    for (int j = 0; j < 2 * N_ + 2; ++j) {
      double* column = T_ + at(j);
      if (j == entering || column[row] == 0) continue;
      const double factor = column[row] / p;
      column[row] = factor;
      for (int i = 0; i < N_; ++i)
        if (i != row) column[i] -= enter[i] * factor;
    }
    std::fill(enter, enter + N_, 0.0);
    enter[row] = 1;
    basis_[row] = entering;
  }

  /// No entry is positive even at round-off: a ray, not a pivot that was refused for its size.
  bool certain_ray(int entering) const {
    const double* enter = T_ + at(entering);
    double size = 0, most = 0;
    for (int i = 0; i < N_; ++i) size = std::max(size, std::abs(enter[i])), most = std::max(most, enter[i]);
    return most <= 1e-13 * size;
  }

  /// The row whose (q, B^-1) / entry is lexicographically least among positive entries; B^-1 stands in the first N
  /// columns. z0 wins ties, which ends the walk.
  int ratio_test(int entering) const {
    const double* enter = T_ + at(entering);
    double size = 0;
    for (int i = 0; i < N_; ++i) size = std::max(size, std::abs(enter[i]));
    const double least = 1e-9 * std::max(size, 1e-3);
    int* tied = basis_ + N_;
    int count = 0;
    for (int i = 0; i < N_; ++i)
      if (enter[i] > least) tied[count++] = i;
    for (int k = -1; k < N_ && count > 1; ++k) {
      const double* column = T_ + at(k < 0 ? 2 * N_ + 1 : k);
      double lowest = std::numeric_limits<double>::infinity(), width = 0;
      for (int c = 0; c < count; ++c) {
        const double ratio = column[tied[c]] / enter[tied[c]];
        lowest = std::min(lowest, ratio);
        width = std::max(width, 1e-13 / enter[tied[c]]);
      }
      width = std::min(width, 1e-11 * std::max(1.0, std::abs(lowest)));
      int kept = 0;
      for (int c = 0; c < count; ++c)
        if (column[tied[c]] / enter[tied[c]] <= lowest + width) {
          if (k < 0 && basis_[tied[c]] == 2 * N_) return tied[c];
          tied[kept++] = tied[c];
        }
      count = kept;
    }
    return count > 0 ? tied[0] : -1;
  }

  const Problem& problem_;
  int m_, N_ = 0;
  double *M_ = nullptr, *q_ = nullptr, *scale_ = nullptr, *T_ = nullptr, *x_ = nullptr;
  double unit_p_ = 1, unit_w_ = 1;
  int *basis_ = nullptr, *pivots_ = nullptr;
};

}  // namespace

int lemke_size(const Problem& problem) {
  int rows = 0;
  for (const ConeBlock& block : problem.blocks) rows += rows_of(block);
  return rows;
}

void lemke(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  Pivoting pivoting(problem, scratch);
  const int limit = goal.max_iterations > 0 ? goal.max_iterations : 100 + 10 * pivoting.size();
  int pivots = 0;
  const Pivoting::End end = pivoting.run(limit, pivots);
  solution.iterations += pivots;
  solution.status = end == Pivoting::End::solved ? SolveStatus::converged
                    : end == Pivoting::End::ray  ? SolveStatus::infeasible
                                                 : SolveStatus::iteration_limit;
  if (end != Pivoting::End::solved) return;
  pivoting.recover(solution.p.data(), scratch.z.need(pivoting.size()));
  clamp(problem, solution.p.data());
  velocities(problem, solution.p.data(), solution.u.data(), scratch.y);
  if (goal.error(problem, solution.p.data(), solution.u.data()) <= goal.tolerance) return;
  // Refused pivots leave the last digits to the modes that were found.
  solve_active_set(problem, goal, 5, solution, scratch);
  scratch.judged = false;
}

}  // namespace detail

namespace {

class Lemke final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{"lemke",
                                  "complementary pivoting, lexicographic; exact, also when W is rank-deficient",
                                  "joints, nonnegative, friction in the plane", true};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override {
    return detail::well_formed(problem) && detail::polyhedral(problem) && detail::lemke_size(problem) <= 2000;
  }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_without_joints(problem, options, solution, scratch, detail::takes_dense, detail::lemke);
  }
};

}  // namespace

const Solver& lemke_solver();
const Solver& lemke_solver() {
  static const Lemke kSolver;
  return kSolver;
}

}  // namespace ricochet
