// The default: the cheapest method that can be exact, chosen by size, cones, fill and progress, no clock among them, so
// that the same problem always takes the same way. Islands (`on_islands`) choose each for itself.
//   one frictionless contact       closed form
//   joints only                    direct
//   plane problems                 `solve_plane`
//   one contact in space           exact local solution
//   up to six contacts in space    Newton on the modes (`solve_few`)
//   several contacts in space      Newton from the warm start; then, on sparse blocks, accelerated sweeps, interior
//                                  point, proximal Newton, central path (`solve_contacts`)
//   large, W factored, no joints   Gauss-Seidel, W never formed
#include <algorithm>
#include <cmath>
#include <utility>

#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/frame/cores.hpp"
#include "ricochet/solver/iterative/contacts.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr int kLargestDense = 1500;  ///< rows up to which W is formed for Newton and pivoting

/// 0 <= p ⊥ w p + b >= 0 of one row; b is finite or the comparison fails.
void solve_scalar(double w, double b, double tolerance, Solution& solution) {
  double &p = solution.p[0], &u = solution.u[0];
  p = 0;
  u = b;
  solution.iterations = 0;
  solution.minimum_norm = false;
  solution.status = SolveStatus::converged;
  solution.blame = -1;
  solution.residual = 0;
  if (b >= 0 && finite(b) && finite(w)) return;
  const double closed = -b / w;
  if (w > 0 && finite(closed) && finite(w)) {
    p = closed;
    u = w * closed + b;
    solution.residual = std::abs(u);
    return;
  }
  const bool sound = finite(b) && finite(w);
  solution.residual = sound ? -b : std::numeric_limits<double>::infinity();
  if (solution.residual <= tolerance) return;
  solution.status = SolveStatus::singular;
  if (!sound || w > 0) return;
  solution.status = SolveStatus::infeasible, solution.blame = 0;
  solution.proof.need(1)[0] = 1;
}

/// Gauss-Seidel comes near from anywhere, Newton finishes; each failure of Newton is answered by more sweeps, unless
/// they end where fewer did, or with impulses beyond all measure.
void alternate(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const bool dense = problem.W.storage() == Delassus::Storage::dense && problem.rows <= kLargestDense;
  const int limit = goal.max_iterations > 0 ? goal.max_iterations : 20000;
  constexpr double kSame = 1e-6;
  const double most = (goal.relative() ? 1 : goal.size) / kMostRoundOff;
  double before = most;
  for (int sweeps = std::max(10, problem.rows / 2), used = 0; used < limit; used += sweeps, sweeps *= 4) {
    gauss_seidel(problem, goal.with(dense ? std::min(sweeps, limit - used) : limit), solution, scratch);
    if (solution.status != SolveStatus::iteration_limit || !dense) return;
    const double error = judge(problem, goal, solution, scratch);
    if (std::abs(error - before) <= kSame * before || !(error <= most)) return;
    before = error;
    newton(problem, goal.with(30), solution, scratch);
    if (solution.status == SolveStatus::converged) return;
  }
}

/// Friction grown from none to its full value, Newton following: helps where large coefficients leave several
/// solutions or narrow ones. Steps are halved on failure.
void grow_friction(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  const int m = problem.rows;
  Problem& trial = scratch.trial;
  trial.rows = m;
  trial.blocks.assign(problem.blocks.begin(), problem.blocks.end());
  problem.W.copy_dense(trial.W.make_dense(m));
  std::copy(problem.b.data(), problem.b.data() + m, trial.b.need(m));
  double* last = scratch.last.zeros(m);
  std::fill(solution.p.data(), solution.p.data() + m, 0.0);
  double reached = 0, step = 0;
  while (reached < 1 || step == 0) {
    const double next = std::min(1.0, reached + step);
    for (std::size_t k = 0; k < trial.blocks.size(); ++k) trial.blocks[k].mu = next * problem.blocks[k].mu;
    gauss_seidel(trial, goal.with(20), solution, scratch);
    if (solution.status != SolveStatus::converged) newton(trial, goal.with(30), solution, scratch);
    if (solution.status == SolveStatus::converged) {
      std::copy(solution.p.data(), solution.p.data() + m, last);
      reached = next;
      if (reached == 1) return;
      step = step == 0 ? 0.125 : 1.5 * step;
    } else {
      std::copy(last, last + m, solution.p.data());
      step /= 2;
      if (step < 1.0 / 512) return;
    }
  }
}

/// Newton from points spread over the cones, the same for the same problem; for few contacts, where it costs little.
void spread_starts(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  std::uint64_t bits = 0x9e3779b97f4a7c15u;
  const auto chance = [&bits] {  // in [-1, 1), xorshift
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  };
  for (int start = 0; start < 40; ++start) {
    for (const ConeBlock& block : problem.blocks) {
      double* p = solution.p.data() + block.row;
      for (int i = 0; i < block.dim; ++i) {
        const double w = problem.W.diagonal(block.row + i);
        p[i] = (i == 0 ? 1 + chance() : block.mu * chance()) * (w > 0 ? goal.size / w : 0);
      }
      project(block.cone, block.dim, block.mu, p);
    }
    if (start % 2 == 1) gauss_seidel(problem, goal.with(5), solution, scratch);
    newton(problem, goal.with(30), solution, scratch);
    if (solution.status == SolveStatus::converged) return;
  }
}

/// Few contacts with large friction, where solutions are several or narrow.
bool from_other_starts(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (solve_few(problem, goal, solution, scratch, 400)) return true;
  if (problem.W.storage() != Delassus::Storage::dense || problem.rows > 60) return false;
  for (const auto method : {grow_friction, spread_starts, alternate}) {
    method(problem, goal, solution, scratch);
    if (solution.status == SolveStatus::converged) return true;
  }
  return false;
}

void solve_space(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (problem.W.storage() == Delassus::Storage::dense && problem.rows <= 100) {
    newton(problem, goal.with(10), solution, scratch);
    if (solution.status == SolveStatus::converged) return;
  }
  if (problem.W.storage() == Delassus::Storage::factored) return alternate(problem, goal, solution, scratch);
  on_contacts(problem, goal, solution, scratch, [](ContactWork& work, int limit) {
    solve_contacts(work, limit > 0 ? limit : std::numeric_limits<int>::max() / 2);
  });
  if (solution.status == SolveStatus::converged || solution.status == SolveStatus::infeasible) return;
  double* p = solution.p.data();
  const auto error = [&] {
    velocities(problem, p, solution.u.data(), scratch.y);
    return goal.error(problem, p, solution.u.data());
  };
  std::vector<double> kept(p, p + problem.rows);
  const double least = error();
  if (least <= goal.enough || from_other_starts(problem, goal, solution, scratch)) return;
  if (!(error() < least)) std::copy(kept.begin(), kept.end(), p);
}

/// What takes a few microseconds, in one piece or not.
bool solve_quickly(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (problem.rows > kFewRows || problem.W.storage() == Delassus::Storage::factored) return false;
  if (polyhedral(problem)) return solve_small_plane(problem, goal, solution, scratch);
  return (problem.blocks.size() == 1 && solve_alone(problem, goal, solution, scratch)) ||
         solve_few(problem, goal, solution, scratch, 4);
}

void solve_connected(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (solve_quickly(problem, goal, solution, scratch)) return;
  const bool plane = polyhedral(problem) && problem.W.storage() != Delassus::Storage::factored;
  plane ? solve_plane(problem, goal, solution, scratch) : solve_space(problem, goal, solution, scratch);
}

/// Several contacts rub, none of which moved before.
bool rests(const Problem& problem) {
  return problem.blocks.size() > 1 && std::all_of(problem.blocks.begin(), problem.blocks.end(), [](const ConeBlock& b) {
           return b.rests && b.cone == Cone::coulomb;
         });
}

/// Coulomb's law may have several answers. Rest, if it is one, is the answer of the associated law too, because the
/// shift mu |u_T| vanishes with u; and that law has but one velocity. So what did not move is asked to stay.
void choose_connected(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  solve_connected(problem, goal, solution, scratch);
  if (!rests(problem) || goal.relative()) return;
  if (!scratch.judged) solution.residual = judge(problem, goal, solution, scratch);
  scratch.judged = true;
  const bool moves = largest(solution.u.data(), problem.rows) > goal.tolerance;
  if (solution.status == SolveStatus::converged && !moves) return;
  Problem still = problem;
  for (ConeBlock& block : still.blocks) block.cone = Cone::second_order;
  Solution held;
  held.fit(problem.rows);
  scratch.judged = false;
  solve_connected(still, goal, held, scratch);
  solution.iterations += held.iterations;
  scratch.judged = true;  // u and residual are still those of p
  if (!(judge(problem, goal, held, scratch) <= goal.tolerance)) return;
  std::copy_n(held.p.data(), problem.rows, solution.p.data());
  solution.status = SolveStatus::converged;
  scratch.judged = false;
}

void choose(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (problem.rows <= kFewRows && !problem.part) {
    // Too few to gain from being taken apart, unless a part cannot be solved.
    choose_connected(problem, goal, solution, scratch);
    if (solution.status == SolveStatus::converged || problem.blocks.size() < 2) return;
    const int all = problem.rows;
    scratch.judged = false;
    return on_islands(problem, goal, solution, scratch,
                      [all](const Problem& part, const Goal& aim, Solution& found, SolverScratch& place) {
                        if (part.rows < all) choose_connected(part, aim, found, place);
                      });
  }
  // What rests has the impulses of the step before. Within the tolerance alone they must not be kept: bounds that
  // follow the load would never arrive.
  constexpr double kAsBefore = 1e-3;
  const auto as_before = [](const Problem& part, const Goal& aim, Solution& found, SolverScratch& place) {
    const double error = judge(part, aim, found, place);
    if (!(error <= kAsBefore * aim.tolerance)) return false;
    found.residual = error;
    return place.judged = true;
  };
  if (as_before(problem, goal, solution, scratch)) return;
  const bool sweep = goal.relative() && problem.W.storage() == Delassus::Storage::sparse && !polyhedral(problem);
  on_islands(
      problem, goal, solution, scratch,
      [&](const Problem& part, const Goal& aim, Solution& found, SolverScratch& place) {
        if (&part == &problem || !as_before(part, aim, found, place)) choose_connected(part, aim, found, place);
      },
      sweep ? 10 : 0);
}

}  // namespace
}  // namespace detail

namespace {

class Auto final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{"auto", "the cheapest exact method for the size and the cones; the default",
                                  "joints, nonnegative, friction in the plane and in space", true};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override { return detail::well_formed(problem); }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    if (problem.rows == 1 && problem.W.storage() == Delassus::Storage::dense &&
        problem.blocks[0].cone == Cone::nonnegative && options.criterion == Criterion::velocity &&
        !options.minimum_norm) {
      solution.fit(1);
      return detail::solve_scalar(problem.W.dense()[0], problem.b[0], options.tolerance * problem.unit, solution);
    }
    const bool large = problem.rows > detail::kLargestDense;
    const unsigned what = (large ? detail::takes_factored : detail::takes_dense) | detail::takes_sparse;
    detail::solve_without_joints(problem, options, solution, scratch, what, detail::choose);
    if (solution.status == SolveStatus::iteration_limit && !large && detail::joint_rows(problem) > 0 &&
        detail::polyhedral(problem) && !detail::expandable(problem))
      detail::solve_mixed(problem, options, solution, scratch);
  }
};

}  // namespace

const Solver& auto_solver();
const Solver& auto_solver() {
  static const Auto kSolver;
  return kSolver;
}

}  // namespace ricochet
