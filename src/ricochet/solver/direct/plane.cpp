// The way of `auto` through problems that are linear complementarity problems in disguise: frictionless contact and
// friction in the plane, without joints.
//   two rows           by hand
//   few                the active set from the warm start; Newton on the modes (`solve_few`)
//   up to 100 rows     the active set from the warm start; pivoting; every mode; as contacts in space
//   more               the same; without a warm start 50 sweeps of Gauss-Seidel find most modes, or with friction the
//                      interior point does; pivoting costs the square of the rows at each of many steps
//   many, sparse       as contacts in space: sweeps and proximal Newton in turn, then the strong methods
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

void solve_plane(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (problem.W.storage() == Delassus::Storage::sparse) {
    return on_contacts(problem, goal, solution, scratch, [](ContactWork& work, int limit) {
      // A sweep costs a hundredth of a factorisation here.
      for (int sweeps = 200; sweeps <= 1600 && !work.done(); sweeps *= 2) {
        gauss_seidel(work, limit > 0 ? std::min(limit, sweeps) : sweeps);
        proximal_newton(work, 15);
      }
      solve_contacts(work, limit > 0 ? limit : std::numeric_limits<int>::max() / 2);
    });
  }
  const auto done = [&] {
    return solution.status == SolveStatus::infeasible ||
           (solution.status == SolveStatus::converged && judge(problem, goal, solution, scratch) <= goal.tolerance);
  };
  const bool many = problem.rows > kSmall, cold = largest(solution.p.data(), problem.rows) == 0;
  const bool friction = problem.has_friction();
  const auto inside = [&] {
    on_contacts(problem, goal, solution, scratch, [](ContactWork& work, int limit) {
      const auto at_most = [limit](int count) { return limit > 0 ? std::min(limit, count) : count; };
      interior_point(work, 1e-5, at_most(60), false);
      proximal_newton(work, at_most(40));
    });
    return done();
  };
  if (many && cold && friction && inside()) return;
  if (many && cold && !friction) {
    gauss_seidel(problem, goal.with(50), solution, scratch);
    if (done()) return;
  }
  if (solve_active_set(problem, goal, 8, solution, scratch)) return;
  scratch.judged = false;
  if (many && !cold && friction && inside()) return;
  if (lemke_size(problem) <= kLargestLemke) {
    lemke(problem, goal, solution, scratch);
    if (done()) return;
  }
  if (enumerable(problem)) {
    enumerate_modes(problem, goal, solution, scratch);
    if (done()) return;
  }
  on_contacts(problem, goal, solution, scratch,
              [](ContactWork& work, int limit) { solve_contacts(work, limit > 0 ? limit : 2000); });
}

}  // namespace ricochet::detail
