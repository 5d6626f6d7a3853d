// The way of `auto` through problems that are linear complementarity problems in disguise: frictionless contact and
// friction in the plane, without joints.
//   two rows           by hand
//   few                the active set from the warm start; Newton on the modes (`solve_few`)
//   up to 100 rows     the active set from the warm start; pivoting; every mode; as contacts in space
//   more               as contacts in space: sweeps, interior point, Newton on sparse blocks, whatever the storage
//   more, W full       the active set from the warm start, its systems as dense as W is; without a start 50 sweeps of
//                      Gauss-Seidel find most modes, or with friction the interior point does
// Pivoting comes last where contacts are many: it costs the square of the rows at each of many steps.
#include <cmath>
#include <limits>

#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet::detail {
namespace {

constexpr int kSmall = 100;          ///< rows
constexpr int kLargestLemke = 2400;  ///< rows of the linear complementarity problem

/// Two frictionless rows: the four modes by hand, least impulse first. False if none holds, or both close with W
/// near-singular: the general way then.
bool solve_pair(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const double* W = problem.W.dense();
  const double b0 = problem.b[0], b1 = problem.b[1];
  double p0 = 0, p1 = 0;
  if (b0 < 0 || b1 < 0) {
    const double alone0 = -b0 / W[0], alone1 = -b1 / W[3];
    if (b0 < 0 && W[0] > 0 && W[1] * alone0 + b1 >= 0) {
      p0 = alone0;
    } else if (b1 < 0 && W[3] > 0 && W[2] * alone1 + b0 >= 0) {
      p1 = alone1;
    } else {
      const double factor = W[1] / W[0], pivot = W[3] - factor * W[2];
      if (!(W[0] > 0) || !(pivot > 1e-10 * W[3])) return false;
      p1 = (factor * b0 - b1) / pivot;
      p0 = (-b0 - W[2] * p1) / W[0];
      if (!(p0 >= 0) || !(p1 >= 0)) return false;
    }
  }
  solution.p[0] = p0, solution.p[1] = p1;
  solution.residual = judge(problem, goal, solution, scratch);
  scratch.judged = true;
  solution.iterations = 1;
  return solution.residual <= goal.tolerance;
}

}  // namespace

bool solve_small_plane(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const bool dense = problem.W.storage() == Delassus::Storage::dense;
  if (problem.rows == 2 && dense) {
    const bool friction = problem.blocks[0].cone != Cone::nonnegative;
    if (friction ? solve_alone(problem, goal, solution, scratch) : solve_pair(problem, goal, solution, scratch))
      return true;
    scratch.judged = false;
  }
  // A good start needs one system or two; few contacts are then quicker by Newton with proximal terms.
  double start[kFewRows], *p = solution.p.data();
  std::copy(p, p + problem.rows, start);
  if (dense && solve_active_set(problem, goal, 2, solution, scratch)) return true;
  scratch.judged = false;
  std::copy(start, start + problem.rows, p);
  return solve_few(problem, goal, solution, scratch, 0);
}

namespace {

/// Whether most of W is there: factors are dense then, and rows of their own cheaper than blocks.
bool is_full(const Delassus& W) {
  const Index rows = W.rows();
  if (W.storage() == Delassus::Storage::sparse) return 4 * W.stored() > rows * rows;
  Index nonzeros = 0;
  for (const double *entry = W.dense(), *end = entry + rows * rows; entry != end; ++entry) nonzeros += *entry != 0;
  return 4 * nonzeros > rows * rows;
}

/// A plane problem in dense storage, as pivoting wants it.
struct Dense {
  Problem problem;
};

const Problem& made_dense(const Problem& problem, SolverScratch& scratch) {
  if (problem.W.storage() == Delassus::Storage::dense) return problem;
  Problem& dense = scratch.of<Dense>().problem;
  dense.rows = problem.rows;
  dense.blocks = problem.blocks;
  problem.W.copy_dense(dense.W.make_dense(problem.rows));
  std::copy(problem.b.data(), problem.b.data() + problem.rows, dense.b.need(problem.rows));
  return dense;
}

/// Solved, or found infeasible, by whatever was tried last.
bool ended(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  return solution.status == SolveStatus::infeasible ||
         (solution.status == SolveStatus::converged && judge(problem, goal, solution, scratch) <= goal.tolerance);
}

/// The modes from the warm start, or from where a cheap method leads; W is dense.
bool solve_full(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const bool cold = largest(solution.p.data(), problem.rows) == 0, friction = problem.has_friction();
  const auto inside = [&] {
    on_contacts(problem, goal, solution, scratch, [](ContactWork& work, int limit) {
      const auto at_most = [limit](int count) { return limit > 0 ? std::min(limit, count) : count; };
      interior_point(work, 1e-5, at_most(60), false);
      proximal_newton(work, at_most(40));
    });
    return ended(problem, goal, solution, scratch);
  };
  if (cold && friction && inside()) return true;
  if (cold && !friction) {
    gauss_seidel(problem, goal.with(50), solution, scratch);
    if (ended(problem, goal, solution, scratch)) return true;
  }
  if (solve_active_set(problem, goal, 8, solution, scratch)) return true;
  scratch.judged = false;
  return !cold && friction && inside();
}

/// As contacts in space; true if that ends it.
bool solve_as_contacts(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  on_contacts(problem, goal, solution, scratch, [](ContactWork& work, int limit) {
    solve_contacts(work, limit > 0 ? limit : std::numeric_limits<int>::max() / 2);
  });
  return ended(problem, goal, solution, scratch);
}

}  // namespace

void solve_plane(const Problem& given, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const bool many = given.rows > kSmall, full = many && is_full(given.W);
  if (many && !full && solve_as_contacts(given, goal, solution, scratch)) return;
  const bool pivots = lemke_size(given) <= kLargestLemke;
  if (many && !full && !pivots) return;
  const Problem& problem = made_dense(given, scratch);
  if (full && solve_full(problem, goal, solution, scratch)) return;
  if (!many) {
    if (solve_active_set(problem, goal, 8, solution, scratch)) return;
    scratch.judged = false;
  }
  if (pivots) {
    // It begins anew where others have failed; what they reached is kept if it is better.
    std::vector<double> kept(solution.p.data(), solution.p.data() + problem.rows);
    const double reached = judge(problem, goal, solution, scratch);
    lemke(problem, goal, solution, scratch);
    if (ended(problem, goal, solution, scratch)) return;
    if (!(judge(problem, goal, solution, scratch) < reached)) std::copy(kept.begin(), kept.end(), solution.p.data());
  }
  if (enumerable(problem)) {
    enumerate_modes(problem, goal, solution, scratch);
    if (ended(problem, goal, solution, scratch)) return;
  }
  if (!many || full) solve_as_contacts(problem, goal, solution, scratch);
}

}  // namespace ricochet::detail
