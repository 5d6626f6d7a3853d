#include "ricochet/solver/frame/frame.hpp"

#include <cmath>

#include "ricochet/math/small_lu.hpp"
#include "ricochet/math/team.hpp"
#include "ricochet/solver/infeasibility.hpp"

namespace ricochet::detail {

int joint_rows(const Problem& problem) {
  int rows = 0;
  for (const ConeBlock& block : problem.blocks) {
    if (block.cone != Cone::free) break;
    rows += block.dim;
  }
  return rows;
}

bool well_formed(const Problem& problem) {
  bool contacts = false;
  int row = 0;
  for (const ConeBlock& block : problem.blocks) {
    if (block.row != row || block.dim < 1) return false;
    row += block.dim;
    if (block.cone == Cone::free && contacts) return false;
    contacts = contacts || block.cone != Cone::free;
    const bool friction = block.cone == Cone::coulomb || block.cone == Cone::second_order;
    if (friction && ((block.dim != 2 && block.dim != 3) || !(block.mu >= 0))) return false;
    if (block.cone == Cone::interval && (block.dim > 3 || !(block.mu >= 0 && finite(block.mu)))) return false;
    if (block.cone == Cone::rolling &&
        (block.dim < 3 || block.dim > kMostContactRows || !(block.mu >= 0 && block.roll >= 0 && block.spin >= 0)))
      return false;
  }
  return row == problem.rows && problem.W.rows() == problem.rows;
}

bool polyhedral(const Problem& problem) {
  for (const ConeBlock& block : problem.blocks) {
    const bool round = block.cone != Cone::free && block.cone != Cone::nonnegative;
    if (round && block.dim > (block.cone == Cone::rolling ? 3 : block.cone == Cone::interval ? 1 : 2)) return false;
  }
  return true;
}

void velocities(const Problem& problem, const double* p, double* u, Buffer& scratch) {
  velocities(problem, p, u, scratch, nullptr);
}

void velocities(const Problem& problem, const double* p, double* u, Buffer& scratch, Team* team) {
  const int m = problem.rows;
  const double* b = problem.b.data();
  if (m > 8 || problem.W.storage() != Delassus::Storage::dense) {
    problem.W.apply(p, u, scratch, team);
    for (int i = 0; i < m; ++i) u[i] += b[i];
    return;
  }
  // The same sums in the same order, without the set-up of long loops.
  const double* W = problem.W.dense();
  for (int i = 0; i < m; ++i, ++W) {
    double s = 0;
    for (int j = 0; j < m; ++j) s += W[j * m] * p[j];
    u[i] = s + b[i];
  }
}

namespace {

/// Below this a residual is round-off of the terms that make up u, whatever the tolerance says; not more than 1e-8 of
/// the loads, because impulses beyond all measure round off anything.
double round_off(const Problem& problem, const Goal& goal, const double* p) {
  double scale = 0;
  for (int i = 0; i < problem.rows; ++i)
    if (p[i] != 0) scale = std::max(scale, std::abs(problem.W.diagonal(i) * p[i]));
  return std::min(kRoundOffOfTerms * scale, kMostRoundOff * goal.size);
}

/// Whether there is a proof that contradicts the tolerance; it is left in the solution, with the blame.
bool proven(const Problem& problem, const Goal& goal, Solution& solution) {
  if (expandable(problem)) return false;
  double* d = solution.proof.need(problem.rows);
  Infeasibility proof;
  if (solution.status == SolveStatus::infeasible) proof = check_infeasibility(problem, d);
  if (!proof.holds && find_infeasibility(problem, solution.p.data(), goal.least_closing(), d))
    proof = check_infeasibility(problem, d);
  if (!proof.holds || !(proof.closing > goal.least_closing())) return false;
  solution.blame = proof.block;
  return true;
}

}  // namespace

void conclude(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  double *p = solution.p.data(), *u = solution.u.data();
  if (!scratch.judged) {
    velocities(problem, p, u, scratch.y, goal.team);
    solution.residual = goal.error(problem, p, u);
  }
  double nothing = 0;  // NaN if a velocity is not finite: an infinite one passes for an open contact
  for (int i = 0; i < problem.rows; ++i) nothing += 0 * u[i];
  solution.blame = -1;
  if (solution.residual <= goal.tolerance && nothing == 0) {
    // A solver that gave up at a point which happens to satisfy everything has solved the problem.
    solution.status = SolveStatus::converged;
    return;
  }
  if (!finite(solution.residual) || nothing != 0) {
    std::fill(p, p + problem.rows, 0.0);
    std::copy(problem.b.data(), problem.b.data() + problem.rows, u);
    solution.residual = std::numeric_limits<double>::infinity();
    solution.status = SolveStatus::singular;
  } else if (!goal.relative() && solution.residual <= round_off(problem, goal, p)) {
    solution.status = SolveStatus::converged;
  } else {
    solution.status = proven(problem, goal, solution) ? SolveStatus::infeasible : SolveStatus::iteration_limit;
  }
}

void refuse(const Problem& problem, Solution& solution) {
  std::fill(solution.p.data(), solution.p.data() + problem.rows, 0.0);
  std::copy(problem.b.data(), problem.b.data() + problem.rows, solution.u.data());
  solution.residual = std::numeric_limits<double>::infinity();
  solution.status = SolveStatus::singular;
}

Team* team_of(SolverScratch& scratch, const Problem& problem) {
  constexpr int kWorth = 90;  // rows
  return problem.rows < kWorth ? nullptr : scratch.crew.team();
}

bool all_finite(const Delassus& W) {
  if (W.rows() <= 8 || W.storage() == Delassus::Storage::factored) return true;
  // All of the dense form, or blocks: a row that is not finite shows in its diagonal block.
  const double* entry = W.blocks();
  const Index count = W.held();
  double s[4] = {0, 0, 0, 0};  // four sums, so that they do not wait for each other
  Index i = 0;
  for (; i + 4 <= count; i += 4)
    for (int k = 0; k < 4; ++k) s[k] += 0 * entry[i + k];
  for (; i < count; ++i) s[0] += 0 * entry[i];
  return s[0] + s[1] + s[2] + s[3] == 0;
}

namespace {

/// X := W_jj^-1 [W_jc, b_j]; false if W_jj is rank-deficient and least-norm solutions were taken.
bool solve_joints(const double* W, int m, const double* b, int nj, SolverScratch& scratch) {
  const int nc = m - nj;
  double* A = scratch.joint_lu.need(static_cast<Index>(nj) * nj);
  double* X = scratch.joint_x.need(static_cast<Index>(nj) * (nc + 1));
  if (static_cast<int>(scratch.joint_pivot.size()) < minimum_norm_index(nj))
    scratch.joint_pivot.resize(static_cast<std::size_t>(2 * minimum_norm_index(nj)));
  const auto fill = [&] {
    for (int j = 0; j < nj; ++j)
      std::copy(W + static_cast<Index>(j) * m, W + static_cast<Index>(j) * m + nj, A + j * nj);
  };
  for (int j = 0; j < nc; ++j)
    std::copy(W + static_cast<Index>(nj + j) * m, W + static_cast<Index>(nj + j) * m + nj,
              X + static_cast<Index>(j) * nj);
  std::copy(b, b + nj, X + static_cast<Index>(nc) * nj);
  fill();
  if (lu_factorise(A, scratch.joint_pivot.data(), nj, 1e-13)) {
    lu_solve(A, scratch.joint_pivot.data(), nj, X, nc + 1);
    return true;
  }
  fill();
  const int rank =
      solve_minimum_norm(A, nj, X, nc + 1, scratch.x.need(minimum_norm_work(nj)), scratch.joint_pivot.data());
  return rank == nj;
}

}  // namespace

namespace {

/// Rows of contacts that joints hold leave nothing but round-off behind: it is made the zero that it stands for, in b
/// too. Where a diagonal vanishes so, the row and the column do, unless W is no matrix of masses and they are large.
void drop_round_off(const double* W, const Problem& problem, int nj, SolverScratch& scratch) {
  constexpr double kNothing = 1e-13, kLittle = 1e-10;
  const int m = problem.rows, nc = m - nj;
  double *V = scratch.reduced.W.make_dense(nc), *b = scratch.reduced.b.need(nc);
  const double* X = scratch.joint_x.data();
  const auto terms = [&](int i, int j) {  // what the entry is the difference of; j = nc: the load
    double sum = std::abs(j < nc ? W[nj + i + static_cast<Index>(nj + j) * m] : problem.b[nj + i]);
    for (int k = 0; k < nj; ++k)
      sum += std::abs(W[nj + i + static_cast<Index>(k) * m] * X[k + static_cast<Index>(j) * nj]);
    return sum;
  };
  for (int i = 0; i < nc; ++i) {
    const double diagonal = V[i * (static_cast<Index>(nc) + 1)];
    if (!(std::abs(diagonal) <= kNothing * terms(i, i))) continue;
    bool held = true;
    for (int k = 0; k < nc && held; ++k)
      held = std::abs(V[i + static_cast<Index>(k) * nc]) <= kLittle * terms(i, k) &&
             std::abs(V[k + static_cast<Index>(i) * nc]) <= kLittle * terms(k, i);
    if (!held) continue;
    for (int k = 0; k < nc; ++k) V[i + static_cast<Index>(k) * nc] = V[k + static_cast<Index>(i) * nc] = 0;
    if (std::abs(b[i]) <= kNothing * terms(i, nc)) b[i] = 0;
  }
}

}  // namespace

void eliminate_joints(const Problem& problem, int nj, Solution& solution, SolverScratch& scratch) {
  const int m = problem.rows, nc = m - nj;
  Problem& reduced = scratch.reduced;
  Solution& inner = scratch.reduced_solution;
  const double* W = problem.W.dense();
  if (problem.W.storage() != Delassus::Storage::dense) {
    double* all = scratch.A.need(static_cast<Index>(m) * m);
    problem.W.copy_dense(all);
    W = all;
  }
  if (nj > 0 && !solve_joints(W, m, problem.b.data(), nj, scratch)) solution.minimum_norm = true;
  reduced.rows = nc;
  reduced.blocks.clear();
  for (const ConeBlock& block : problem.blocks)
    if (block.row >= nj) reduced.blocks.push_back(block.at(block.row - nj));
  double* V = reduced.W.make_dense(nc);
  double* b = reduced.b.need(nc);
  const double* X = scratch.joint_x.data();
  for (int j = 0; j <= nc; ++j) {
    double* out = j < nc ? V + static_cast<Index>(j) * nc : b;
    const double* from = j < nc ? W + static_cast<Index>(nj + j) * m + nj : problem.b.data() + nj;
    std::copy(from, from + nc, out);
    for (int k = 0; k < nj; ++k) {
      const double factor = X[k + static_cast<Index>(j) * nj];
      if (factor == 0) continue;
      const double* column = W + static_cast<Index>(k) * m + nj;
      for (int i = 0; i < nc; ++i) out[i] -= column[i] * factor;
    }
  }
  if (nj > 0) drop_round_off(W, problem, nj, scratch);
  inner.fit(nc);
  std::copy(solution.p.data() + nj, solution.p.data() + m, inner.p.data());
  inner.status = SolveStatus::converged;
  inner.iterations = 0;
  inner.minimum_norm = false;
  inner.blame = -1;
}

void restore_joints(int nj, Solution& solution, SolverScratch& scratch) {
  const Solution& inner = scratch.reduced_solution;
  const int nc = scratch.reduced.rows;
  double* p = solution.p.data();
  const double* X = scratch.joint_x.data();
  for (int i = 0; i < nj; ++i) p[i] = -X[i + static_cast<Index>(nc) * nj];
  for (int j = 0; j < nc; ++j) {
    const double pj = p[nj + j] = inner.p[j];
    if (pj == 0) continue;
    for (int i = 0; i < nj; ++i) p[i] -= X[i + static_cast<Index>(j) * nj] * pj;
  }
  if (inner.status == SolveStatus::infeasible) {
    // The joints' weights that leave no work to them, exact where W is symmetric; the check comes later.
    double* d = solution.proof.need(nj + nc);
    std::fill(d, d + nj, 0.0);
    for (int j = 0; j < nc; ++j) {
      d[nj + j] = inner.proof[j];
      for (int i = 0; i < nj; ++i) d[i] -= X[i + static_cast<Index>(j) * nj] * inner.proof[j];
    }
  }
  solution.status = inner.status;
  solution.iterations = inner.iterations;
  solution.minimum_norm = solution.minimum_norm || inner.minimum_norm;
}

}  // namespace ricochet::detail
