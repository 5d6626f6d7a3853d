// Lemke's complementary pivoting (solver/direct/pivoting.hpp) on problems that are linear complementarity problems in
// disguise,
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

#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/direct/pivoting.hpp"
#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/infeasibility.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr double kWorthModes = 0.1;  ///< relative error from which the modes are worth a try

/// Row of the linear complementarity problem: which rows of u with which weights, and the same for p.
struct Term {
  int row;      ///< normal row of the contact; -1: the sliding speed
  double n, t;  ///< weights of the normal and the tangential component
};

/// As many as `for_each_term` calls for the block.
int rows_of(const ConeBlock& block) {
  if (block.cone == Cone::nonnegative || block.cone == Cone::free) return block.dim;
  if (block.cone == Cone::interval || block.cone == Cone::rolling) return 4 * (block.dim + 1) / 2;  // once expanded
  if (block.mu == 0) return 1;
  return block.cone == Cone::coulomb ? 4 : 2;
}

/// Calls f(what the unknown z_k adds to p, what w_k reads from u, whether w_k = 0) in order.
template <class F>
void for_each_term(const Problem& problem, F f) {
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    if (block.cone == Cone::nonnegative || block.cone == Cone::free) {
      for (int i = r; i < r + block.dim; ++i) f(Term{i, 1, 0}, Term{i, 1, 0}, block.cone == Cone::free);
    } else if (block.mu == 0) {
      f(Term{r, 1, 0}, Term{r, 1, 0}, false);
    } else if (block.cone == Cone::coulomb) {
      f(Term{r, 1, 0}, Term{r, 1, 0}, false);
      f(Term{r, 0, 1}, Term{r, 0, 1}, false);
      f(Term{r, 0, -1}, Term{r, 0, -1}, false);
      f(Term{-1, block.mu, 0}, Term{-1, 0, 0}, false);
    } else {
      f(Term{r, 1, block.mu}, Term{r, 1, block.mu}, false);
      f(Term{r, 1, -block.mu}, Term{r, 1, -block.mu}, false);
    }
  }
}

/// The linear complementarity problem behind a polyhedral one. Lives in the scratch.
struct Linear {
  Pivoting pivoting;
  Buffer M, q, z;
  std::vector<char> equality;
  std::vector<Term> adds, reads;
  int n = 0;

  void assemble(const Problem& problem) {
    adds.clear(), reads.clear(), equality.clear();
    for_each_term(problem, [&](const Term& add, const Term& read, bool equal) {
      adds.push_back(add), reads.push_back(read), equality.push_back(equal ? 1 : 0);
    });
    n = static_cast<int>(adds.size());
    assert(n == lemke_size(problem));
    double *to = M.zeros(static_cast<Index>(n) * n), *load = q.need(n);
    // The sliding speed in units in which its row and column are of the size of W: other units of mass or speed then
    // scale all of M alike.
    double size = 0;
    for (Index k = 0; k < static_cast<Index>(problem.rows) * problem.rows; ++k)
      size = std::max(size, std::abs(problem.W.dense()[k]));
    const double unit = size > 0 && finite(size) ? std::ldexp(1.0, std::ilogb(size)) : 1;
    for (int j = 0; j < n; ++j) {
      const Term& add = adds[static_cast<std::size_t>(j)];
      double* column = to + static_cast<Index>(j) * n;
      for (int i = 0; i < n; ++i) {
        const Term& read = reads[static_cast<std::size_t>(i)];
        if (read.row < 0 || add.row < 0) continue;
        double w = 0;
        for (int a = 0; a < 2; ++a)
          for (int c = 0; c < 2; ++c) {
            const double weight = (a == 0 ? read.n : read.t) * (c == 0 ? add.n : add.t);
            if (weight != 0) w += weight * problem.W(read.row + a, add.row + c);
          }
        column[i] = w;
      }
      if (add.row < 0) {  // the sliding speed: with p+ and p- before it, and the normal before those
        column[j - 2] = column[j - 1] = unit;
        to[j + static_cast<Index>(j - 2) * n] = to[j + static_cast<Index>(j - 1) * n] = -unit;
        to[j + static_cast<Index>(j - 3) * n] = unit * add.n;
      }
    }
    for (int i = 0; i < n; ++i) {
      const Term& read = reads[static_cast<std::size_t>(i)];
      load[i] = read.row < 0 ? 0 : read.n * problem.b[read.row];
      if (read.row >= 0 && read.t != 0) load[i] += read.t * problem.b[read.row + 1];
    }
  }
  bool positive_diagonal() const {
    for (int i = 0; i < n; ++i)
      if (!(M[i * (static_cast<Index>(n) + 1)] > 0)) return false;
    return true;
  }
  /// z of the multipliers p; sliding speeds unknown. False if p = 0.
  bool guess(const double* p) {
    double* to = z.zeros(n);
    bool any = false;
    for (int k = 0; k < n; ++k) {
      const Term& add = adds[static_cast<std::size_t>(k)];
      if (add.row < 0) continue;
      to[k] = add.n != 0 && add.t != 0 ? 0.5 * (p[add.row] / add.n + p[add.row + 1] / add.t)
              : add.n != 0             ? p[add.row]
                                       : add.t * p[add.row + 1];
      any = any || to[k] > 0;
    }
    return any;
  }
  void multipliers(int rows, double* p) const {
    std::fill(p, p + rows, 0.0);
    for (int k = 0; k < n; ++k) {
      const Term& add = adds[static_cast<std::size_t>(k)];
      if (add.row < 0) continue;
      p[add.row] += add.n * z[k];
      if (add.t != 0) p[add.row + 1] += add.t * z[k];
    }
  }
};

}  // namespace

int lemke_size(const Problem& problem) {
  int rows = 0;
  for (const ConeBlock& block : problem.blocks) rows += rows_of(block);
  return rows;
}

void lemke(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  Linear& linear = scratch.of<Linear>();
  linear.assemble(problem);
  Pivoting& pivoting = linear.pivoting;
  const int n = linear.n, limit = goal.max_iterations > 0 ? goal.max_iterations : 100 + 10 * n;
  const bool warm = linear.guess(solution.p.data());
  double* p = solution.p.data();
  double least = std::numeric_limits<double>::infinity();
  bool contradiction = false;
  // From the guess, then as the book says; the others differ in scaling, perturbation and cover. Rows and columns are
  // scaled apart first unless sliding speeds, whose diagonal is zero, are among them.
  const int first = linear.positive_diagonal() ? 1 : 0;
  for (int attempt = warm ? 0 : 1; attempt < (n <= 200 ? 4 : 3); ++attempt) {
    const int variant = attempt < 2 ? first : attempt == 2 ? 1 - first : 2;
    if (!pivoting.start(n, linear.M.data(), linear.q.data(), linear.equality, variant)) {
      contradiction = find_infeasibility(problem, nullptr, goal.least_closing(), solution.proof.need(problem.rows));
      break;
    }
    if (attempt == 0) pivoting.crash(linear.z.data());
    int pivots = 0;
    const Pivoting::End end = pivoting.run(limit, pivots);
    solution.iterations += pivots;
    if (attempt == 1 && end == Pivoting::End::ray) {
      // Impulses grow along it; with friction, or where W is not copositive, that alone proves nothing.
      pivoting.ray(linear.z.data());
      linear.multipliers(problem.rows, p);
      contradiction = find_infeasibility(problem, p, goal.least_closing(), solution.proof.need(problem.rows));
      if (contradiction) break;
    }
    // A walk that breaks off with little of the cover left is near a solution as well.
    if (!pivoting.solution(linear.z.data())) continue;
    linear.multipliers(problem.rows, p);
    clamp(problem, p);
    velocities(problem, p, solution.u.data(), scratch.y);
    double error = goal.error(problem, p, solution.u.data());
    if (error > goal.tolerance && error < kWorthModes) {
      // Refused pivots leave the last digits to the modes that were found.
      solve_active_set(problem, goal, 20, solution, scratch);
      scratch.judged = false;
      error = solution.residual;
    }
    if (!(error < least)) continue;
    least = error;
    std::copy(p, p + problem.rows, linear.q.need(n + problem.rows) + n);
    if (error <= goal.tolerance) break;
  }
  if (std::isfinite(least)) {
    const double* kept = linear.q.data() + n;
    std::copy(kept, kept + problem.rows, p);
  } else {
    std::fill(p, p + problem.rows, 0.0);
  }
  solution.status = least <= goal.tolerance ? SolveStatus::converged
                    : contradiction         ? SolveStatus::infeasible
                                            : SolveStatus::iteration_limit;
}

void solve_mixed(const Problem& problem, const SolverOptions& options, Solution& solution, SolverScratch& scratch) {
  if (expandable(problem)) return;
  const double size = largest(problem.b.data(), problem.rows);
  const Goal goal = goal_of(options, problem, size);
  const double residual = solution.residual;
  double* kept = scratch.last.need(problem.rows);
  std::copy(solution.p.data(), solution.p.data() + problem.rows, kept);
  const Problem* dense = &problem;
  if (problem.W.storage() != Delassus::Storage::dense) {
    Problem& trial = scratch.trial;
    trial.rows = problem.rows;
    trial.blocks.assign(problem.blocks.begin(), problem.blocks.end());
    problem.W.copy_dense(trial.W.make_dense(problem.rows));
    std::copy(problem.b.data(), problem.b.data() + problem.rows, trial.b.need(problem.rows));
    dense = &trial;
  }
  lemke(*dense, goal, solution, scratch);
  scratch.judged = false;
  conclude(problem, goal, solution, scratch);
  if (options.minimum_norm) least_norm(problem, goal, solution, scratch);
  if (solution.status != SolveStatus::iteration_limit || solution.residual <= residual) return;
  std::copy(kept, kept + problem.rows, solution.p.data());
  solution.residual = judge(problem, goal, solution, scratch);
}

}  // namespace detail

namespace {

class Lemke final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{"lemke", "complementary pivoting; exact, also when W is rank-deficient",
                                  "joints, nonnegative, friction in the plane", true};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override {
    return detail::well_formed(problem) && detail::polyhedral(problem) && detail::lemke_size(problem) <= 2000;
  }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_without_joints(problem, options, solution, scratch, detail::takes_dense, detail::lemke);
    if (solution.status == SolveStatus::iteration_limit && detail::joint_rows(problem) > 0)
      detail::solve_mixed(problem, options, solution, scratch);
  }
};

}  // namespace

const Solver& lemke_solver();
const Solver& lemke_solver() {
  static const Lemke kSolver;
  return kSolver;
}

}  // namespace ricochet
