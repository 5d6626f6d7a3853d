// Semismooth Newton on the projection equations, in the unit of u,
//     F(p) = (p - P(p - rho u)) / rho = 0,     u = W p + b,     rho = dim / trace(W_kk)
// P is the projection on the cone for frictionless contact and for the associated law; for Coulomb's law the normal
// part is projected first and the tangential part on the disc of that radius (Alart and Curnier, Comput. Methods Appl.
// Mech. Eng. 92 (1991)), which has Coulomb's law as its zeros without the De Saxcé term. The step of a singular system
// is the one of least norm: redundant contacts keep quadratic convergence.
#include <cmath>

#include "ricochet/math/small_lu.hpp"
#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/frame/cores.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr int kLargestDamped = 200;  ///< rows; beyond, sweeps of Gauss-Seidel are the cheaper way out

/// P(z) in place and its derivative (dim x dim, column major).
void project_with_derivative(const ConeBlock& block, double* z, double* D) {
  const int n = block.dim;
  std::fill(D, D + n * n, 0.0);
  const double zt = n == 2 ? std::abs(z[1]) : std::sqrt(z[1] * z[1] + z[2] * z[2]);
  const bool coulomb = block.cone == Cone::coulomb;
  if (coulomb ? z[0] <= 0 : block.mu * zt <= -z[0]) {
    std::fill(z, z + n, 0.0);
    return;
  }
  if (zt <= block.mu * z[0]) {
    for (int i = 0; i < n; ++i) D[i + i * n] = 1;
    return;
  }
  double d[3] = {1, 0, 0};  // direction; d[0] unused
  for (int i = 1; i < n; ++i) d[i] = z[i] / zt;
  const double c = coulomb ? 1 : 1 / (1 + block.mu * block.mu);
  const double pn = coulomb ? z[0] : c * (z[0] + block.mu * zt);
  D[0] = c;
  if (!coulomb)
    for (int j = 1; j < n; ++j) D[j * n] = c * block.mu * d[j];
  for (int j = 0; j < n; ++j)
    for (int i = 1; i < n; ++i) {
      D[i + j * n] = block.mu * d[i] * D[j * n];
      if (j > 0) D[i + j * n] += block.mu * pn / zt * ((i == j ? 1 : 0) - d[i] * d[j]);
    }
  z[0] = pn;
  for (int i = 1; i < n; ++i) z[i] = block.mu * pn * d[i];
}

double rho_of(const Problem& problem, const ConeBlock& block, int first, int n) {
  double trace = 0;
  for (int i = 0; i < n; ++i) trace += problem.W(block.row + first + i, block.row + first + i);
  return trace > 0 ? n / trace : 1;
}

/// F, and J = dF/dp unless null: (I - D) / rho on the block's own columns plus D W_k.
void evaluate(const Problem& problem, const double* p, const double* u, double* F, double* J) {
  const int m = problem.rows;
  for (const ConeBlock& block : problem.blocks) {
    const int r = block.row;
    if (block.cone == Cone::nonnegative) {
      for (int i = 0; i < block.dim; ++i) {
        const double rho = rho_of(problem, block, i, 1);
        const bool open = p[r + i] <= rho * u[r + i];
        F[r + i] = open ? p[r + i] / rho : u[r + i];
        if (!J) continue;
        for (int j = 0; j < m; ++j) J[r + i + static_cast<Index>(j) * m] = open ? 0 : problem.W(r + i, j);
        if (open) J[r + i + static_cast<Index>(r + i) * m] = 1 / rho;
      }
      continue;
    }
    const int n = block.dim;
    const double rho = rho_of(problem, block, 0, n);
    double z[3], D[9];
    for (int i = 0; i < n; ++i) z[i] = p[r + i] - rho * u[r + i];
    project_with_derivative(block, z, D);
    const bool sticks = D[n * n - 1] == 1 && D[0] == 1 && z[0] == p[r] - rho * u[r];
    for (int i = 0; i < n; ++i) F[r + i] = sticks ? u[r + i] : (p[r + i] - z[i]) / rho;
    if (!sticks && D[0] == 1) F[r] = u[r];  // without the cancellation
    if (!J) continue;
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int k = 0; k < n; ++k) s += D[i + k * n] * problem.W(r + k, j);
        J[r + i + static_cast<Index>(j) * m] = s;
      }
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i) J[r + i + static_cast<Index>(r + k) * m] += ((i == k ? 1 : 0) - D[i + k * n]) / rho;
  }
}

double square(const double* F, int m) {
  double s = 0;
  for (int i = 0; i < m; ++i) s += F[i] * F[i];
  return s;
}

/// x := -J^-1 F, least norm where J is singular; false then.
bool newton_step(const double* J, const double* F, int m, double* x, SolverScratch& scratch) {
  double* A = scratch.B.need(static_cast<Index>(m) * m);
  std::copy(J, J + static_cast<Index>(m) * m, A);
  for (int i = 0; i < m; ++i) x[i] = -F[i];
  if (lu_factorise(A, scratch.pivot.data(), m, 1e-13)) {
    lu_solve(A, scratch.pivot.data(), m, x);
    return true;
  }
  std::copy(J, J + static_cast<Index>(m) * m, A);
  for (int i = 0; i < m; ++i) x[i] = -F[i];
  return solve_minimum_norm(A, m, x, 1, scratch.r.need(minimum_norm_work(m)), scratch.pivot.data(), 1e-11) == m;
}

/// J^T J, lower and upper.
void normal_matrix(const double* J, int m, double* out) {
  for (int j = 0; j < m; ++j)
    for (int i = 0; i <= j; ++i) {
      const double *a = J + static_cast<Index>(i) * m, *b = J + static_cast<Index>(j) * m;
      out[i + static_cast<Index>(j) * m] = out[j + static_cast<Index>(i) * m] = dot({a, m}, {b, m});
    }
}

/// x := -(J^T J + d I)^-1 J^T F: a descent direction of |F|^2 whatever J is.
bool damped_step(const double* J, const double* JJ, const double* F, int m, double damping, double* x,
                 SolverScratch& scratch) {
  double* A = scratch.B.need(static_cast<Index>(m) * m);
  std::copy(JJ, JJ + static_cast<Index>(m) * m, A);
  double trace = 0;
  for (int i = 0; i < m; ++i) trace += A[i + static_cast<Index>(i) * m];
  for (int i = 0; i < m; ++i) {
    A[i + static_cast<Index>(i) * m] += damping * trace / m;
    x[i] = -dot({J + static_cast<Index>(i) * m, m}, {F, m});
  }
  if (!lu_factorise(A, scratch.pivot.data(), m, 0)) return false;
  lu_solve(A, scratch.pivot.data(), m, x);
  return true;
}

}  // namespace

void newton(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const int m = problem.rows, limit = goal.max_iterations > 0 ? goal.max_iterations : 100;
  if (static_cast<int>(scratch.pivot.size()) < 2 * m) scratch.pivot.resize(static_cast<std::size_t>(4 * m));
  double *p = solution.p.data(), *u = solution.u.data(), *best = scratch.best.need(m);
  double* J = scratch.A.need(static_cast<Index>(m) * m);
  double *F = scratch.x.need(2 * m), *step = F + m, *trial = scratch.z.need(m);
  const double strict = goal.strict();
  double least = std::numeric_limits<double>::infinity();
  velocities(problem, p, u, scratch.y);
  for (int k = 0;; ++k) {
    const double residual = goal.error(problem, p, u), before = least;
    if (residual < least) {
      least = residual;
      std::copy(p, p + m, best);
    }
    // Beyond the tolerance go on as long as it pays: the digits are nearly free here.
    if (residual <= strict || k == limit || (before <= goal.tolerance && !(residual < 0.5 * before))) break;
    ++solution.iterations;
    evaluate(problem, p, u, F, J);
    const double merit = square(F, m);
    if (!std::isfinite(merit)) break;
    if (!newton_step(J, F, m, step, scratch)) solution.minimum_norm = true;
    const auto search = [&](int halvings) {
      double length = 1, found = 0, lowest = merit;
      for (int i = 0; i < halvings; ++i, length /= 2) {
        for (int j = 0; j < m; ++j) trial[j] = p[j] + length * step[j];
        velocities(problem, trial, u, scratch.y);
        evaluate(problem, trial, u, F, nullptr);
        const double value = square(F, m);
        if (value < lowest) found = length, lowest = value;
        if (value <= (1 - 1e-4 * length) * merit) break;
      }
      return found;
    };
    double length = search(10);
    if (length == 0 && m <= kLargestDamped && merit > 1e-28 * goal.size * goal.size) {
      velocities(problem, p, u, scratch.y);
      evaluate(problem, p, u, F, J);
      double* JJ = scratch.r.need(static_cast<Index>(m) * m);
      normal_matrix(J, m, JJ);
      for (double damping = 1e-6; length == 0 && damping < 10; damping *= 100)
        if (damped_step(J, JJ, F, m, damping, step, scratch)) {
          length = search(4);
          velocities(problem, p, u, scratch.y);
          evaluate(problem, p, u, F, nullptr);
        }
    }
    if (length == 0) break;
    for (int j = 0; j < m; ++j) p[j] += length * step[j];
    velocities(problem, p, u, scratch.y);
  }
  if (!(least <= std::numeric_limits<double>::max())) {
    solution.status = SolveStatus::singular;
    return;
  }
  std::copy(best, best + m, p);
  clamp(problem, p);  // which may take more than the tolerance leaves: redundant contacts that contradict each other
  const bool solved = least <= goal.tolerance && judge(problem, goal, solution, scratch) <= goal.tolerance;
  solution.status = solved ? SolveStatus::converged : SolveStatus::iteration_limit;
}

}  // namespace detail

namespace {

class Newton final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{
        "semismooth-newton", "Newton on the projection equations with a line search; quadratic",
        "joints, nonnegative, friction in the plane and in space; not from every start", false};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_without_joints(problem, options, solution, scratch, detail::takes_dense, detail::newton);
  }
};

}  // namespace

const Solver& newton_solver();
const Solver& newton_solver() {
  static const Newton kSolver;
  return kSolver;
}

}  // namespace ricochet
