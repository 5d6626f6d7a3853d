#pragma once
// What the solvers share: the verdict at the end, and the direct elimination of joints. A solver itself is a `core` for
// problems without joints.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/solver/frame/expansion.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet::detail {

/// The team of a scratch; null for one thread, or a problem too small to share.
Team* team_of(SolverScratch& scratch, const Problem& problem);

/// error_parts with max(|p|, |rho b|, least) below the one, and the largest of |u|, |b|, `fastest` below the other.
ErrorParts error_parts(const Problem& problem, const double* p, const double* u, double least, double fastest);

/// What a core is asked for: the tolerance already multiplied by max(unit, |b|) of the whole problem if it is one on
/// velocities.
struct Goal {
  double tolerance;
  int max_iterations;  ///< 0: the solver's own default
  double size;         ///< |b| of the problem that the core sees
  /// Round-off of a solution that is as good as it gets; modes must hold to this before the tolerance is drawn on.
  double strict() const { return relative() ? 1e-16 : 1e-14 * size; }
  Criterion criterion = Criterion::velocity;
  double least = 0;      ///< impulses are relative to this at least: an island's share of the whole load
  double fastest = 0;    ///< velocities are relative to this at least: the largest |b| of the whole
  int swept = 0;         ///< sweeps of Gauss-Seidel that led to the start: it is no warm one, and needs no more of them
  Team* team = nullptr;  ///< threads to share loops with; none: this one alone. No bit depends on it
  double enough = 0;     ///< SolverOptions::enough
  bool relative() const { return criterion == Criterion::relative; }
  /// A contradiction below this, in the unit of u, is none.
  double least_closing() const { return tolerance * (relative() ? std::max(size, fastest) : 1); }
  Goal with(int iterations) const {
    return {tolerance, iterations, size, criterion, least, fastest, swept, team, enough};
  }
  double error(const Problem& problem, const double* p, const double* u) const {
    return relative() ? error_parts(problem, p, u, least, fastest).larger() : natural_residual(problem, p, u);
  }
};

/// Storages of W that a core can work on; others are made dense for it.
enum Takes : unsigned { takes_dense = 0, takes_factored = 1, takes_sparse = 2 };
inline bool takes(unsigned what, Delassus::Storage storage) {
  return storage == Delassus::Storage::dense || (what & (storage == Delassus::Storage::factored ? 1u : 2u)) != 0;
}

/// |x| <= the largest double: neither infinite nor NaN, in two instructions.
inline bool finite(double x) { return std::abs(x) <= std::numeric_limits<double>::max(); }

/// Velocities carry the last bits of the terms W_kk p_k that they are the sums of; up to so much of the largest.
constexpr double kRoundOffBits = 0x1p-50, kMostRoundOff = 1e-8;
/// The same where the velocities alone are judged, whatever the tolerance.
constexpr double kRoundOffOfTerms = 1e-14;

/// What is asked for beyond this no sum of rounded terms can show.
constexpr double kLeastTolerance = 0x1p-53;

/// Largest |b_i|; infinite if an entry is not finite.
inline double largest(const double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    const double a = std::abs(b[i]);
    if (!(a <= s)) s = a;
    if (!finite(s)) return std::numeric_limits<double>::infinity();
  }
  return s;
}

/// A core that solved the problem of the contacts to less than this part of the tolerance has done what it can.
constexpr double kLeastTightening = 1e-3;
constexpr int kTightenings = 2;

/// Of a problem with loads of that size.
inline Goal goal_of(const SolverOptions& options, const Problem& problem, double size) {
  const double scale = options.criterion == Criterion::velocity ? std::max(size, problem.unit) : 1;
  Goal goal{std::max(options.tolerance, kLeastTolerance) * scale, options.max_iterations, size, options.criterion};
  goal.enough = options.enough * (options.criterion == Criterion::velocity ? problem.unit : 1);
  return goal;
}

/// How many rows at the front belong to free cones.
int joint_rows(const Problem& problem);

/// Free blocks first, blocks contiguous, friction of dimension 2 or 3: what every solver relies on.
bool well_formed(const Problem& problem);
/// Friction blocks of dimension 3 are absent: the problem is a linear complementarity problem in disguise.
bool polyhedral(const Problem& problem);

/// u = W p + b.
void velocities(const Problem& problem, const double* p, double* u, Buffer& scratch);
void velocities(const Problem& problem, const double* p, double* u, Buffer& scratch, Team* team);

/// u of solution.p, and its error.
inline double judge(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  velocities(problem, solution.p.data(), solution.u.data(), scratch.y, goal.team);
  return goal.error(problem, solution.p.data(), solution.u.data());
}

/// The verdict. u and residual of the p given, or as they are if scratch.judged, come first: within the tolerance it is
/// `converged` whatever a solver said, and nothing else is, but for round-off (1e-14 max |W_ii p_i|, at most 1e-8 of
/// the loads). `infeasible` stands with a proof in solution.proof that passes the check and contradicts the tolerance;
/// one is looked for whenever a problem was not solved. What is not finite is replaced by p = 0 and status `singular`.
void conclude(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);

/// scratch.reduced := the problem on the contacts alone, dense: W_cc - W_cj W_jj^-1 W_jc and b_c - W_cj W_jj^-1 b_j.
/// Redundant joint rows (W_jj rank-deficient) get the multipliers of least norm and set solution.minimum_norm.
void eliminate_joints(const Problem& problem, int joints, Solution& solution, SolverScratch& scratch);
/// p_j = -W_jj^-1 (b_j + W_jc p_c), with p_c out of scratch.reduced_solution.
void restore_joints(int joints, Solution& solution, SolverScratch& scratch);

/// p = 0 and status singular for data that are not finite.
void refuse(const Problem& problem, Solution& solution);
/// Up to eight rows it is left to the velocities, which take every entry in.
bool all_finite(const Delassus& W);

/// Of all multipliers with the velocities of the solution, within the tolerance, those of least norm, if they can be
/// had: solution.minimum_norm says so. Else the solution is left as it is.
void least_norm(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch);

/// A core on a problem without joints, expanded where it has to be.
template <class Core>
void run_core(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch, Core& core) {
  if (!expandable(problem)) return core(problem, goal, solution, scratch);
  Expansion& expansion = scratch.of<Expansion>();
  // The verdict is passed on the problem as given, with other scales.
  Goal aim = goal;
  aim.tolerance *= 0.1;
  constexpr int kMostTurns = 40;  // of the frames of balls; 2 to 6 are usual
  // With joints to be restored the verdict has other mobilities: turns go on for as long as they bring the error down.
  constexpr double kEnough = 0.01;
  bool again = true;
  double before = std::numeric_limits<double>::infinity();
  for (int turn = 0; again && turn < kMostTurns; ++turn) {
    if (has_balls(problem)) velocities(problem, solution.p.data(), solution.u.data(), scratch.y);
    again = expansion.aim(problem, solution);
    expansion.take(problem, solution);
    core(expansion.problem, aim, expansion.solution, scratch);
    expansion.give(problem, solution);
    if (!again) break;
    const double error = judge(problem, goal, solution, scratch);
    again = error > (error > 0.5 * before ? 1 : kEnough) * goal.tolerance;
    before = error;
  }
  scratch.judged = false;
}

/// The frame of every solver: refuse what is not finite, eliminate the joints, run the core, restore them, judge.
/// A core gets factored or sparse W only if it says so.
template <class Core>
void solve_without_joints(const Problem& problem, const SolverOptions& options, Solution& solution,
                          SolverScratch& scratch, unsigned what, Core core) {
  solution.fit(problem.rows);
  solution.status = SolveStatus::converged;
  solution.iterations = 0;
  solution.minimum_norm = false;
  scratch.judged = false;
  const double size = largest(problem.b.data(), problem.rows);
  Goal whole = goal_of(options, problem, size);
  whole.team = team_of(scratch, problem);
  Goal goal = whole;
  // Faces of the cones are known as well as the velocities.
  if (options.minimum_norm && options.tolerance >= 1e-12) goal.tolerance *= 0.1;
  solution.blame = -1;
  const int joints = joint_rows(problem);
  if (!finite(size) || !all_finite(problem.W)) {
    refuse(problem, solution);
    return;
  }
  if (joints == 0 && takes(what, problem.W.storage())) {
    run_core(problem, goal, solution, scratch, core);
  } else {
    eliminate_joints(problem, joints, solution, scratch);
    Solution& inner = scratch.reduced_solution;
    goal.size = largest(scratch.reduced.b.data(), scratch.reduced.rows);
    // Errors of a cone are measured by the mobility of its contact, which is larger without the joints: what is just
    // good enough for the contacts alone may not be for the whole, and is then made better.
    for (int turn = 0;; ++turn) {
      if (problem.rows > joints) run_core(scratch.reduced, goal, inner, scratch, core);
      restore_joints(joints, solution, scratch);
      solution.residual = judge(problem, whole, solution, scratch);
      const bool better = problem.rows > joints && inner.status == SolveStatus::converged;
      if (turn == kTightenings || !better || !(solution.residual > whole.tolerance)) break;
      goal.tolerance *= std::max(0.1 * whole.tolerance / solution.residual, kLeastTightening);
    }
    scratch.judged = true;
  }
  conclude(problem, whole, solution, scratch);
  if (options.minimum_norm) least_norm(problem, whole, solution, scratch);
}

}  // namespace ricochet::detail
