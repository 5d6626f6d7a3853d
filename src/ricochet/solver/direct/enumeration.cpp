// All modes of a few contacts, one linear system each: open or closed; with friction open, stick, slip either way. The
// modes of the warm start come first, then a fixed order. If none satisfies the law, there is no solution but for
// rounding; `infeasible` waits for a proof that can be checked (infeasibility.hpp).
#include "ricochet/solver/direct/modes.hpp"
#include "ricochet/solver/frame/cores.hpp"

namespace ricochet {
namespace detail {
namespace {

constexpr long kMostModes = 4096;

/// Modes a block (or one row of a nonnegative block) can have. Without friction both slips are one.
int choices(const ConeBlock& block) {
  if (block.cone == Cone::rolling) return 16;  // once expanded
  if (block.cone == Cone::nonnegative || (block.mu == 0 && block.cone != Cone::interval)) return 2;
  return 4;
}

long count_modes(const Problem& problem) {
  long count = 1;
  for (const ConeBlock& block : problem.blocks) {
    if (block.cone == Cone::free) continue;
    for (int i = 0; i < (block.cone == Cone::nonnegative ? block.dim : 1); ++i)
      if ((count *= choices(block)) > kMostModes) return count;
  }
  return count;
}

void decode(const Problem& problem, long code, int* mode) {
  for (const ConeBlock& block : problem.blocks) {
    const int n = choices(block);
    for (int i = 0; i < (block.cone == Cone::nonnegative ? block.dim : 1); ++i) {
      const int digit = static_cast<int>(code % n);
      code /= n;
      const bool frictionless_slip = block.cone != Cone::nonnegative && n == 2 && digit == 1;
      mode[block.row + i] = frictionless_slip ? static_cast<int>(kSlipUp) : digit;
    }
  }
}

}  // namespace

bool enumerable(const Problem& problem) { return count_modes(problem) <= kMostModes; }

void enumerate_modes(const Problem& problem, const Goal& goal, Solution& solution, SolverScratch& scratch) {
  if (solve_active_set(problem, goal, 1, solution, scratch)) return;
  scratch.judged = false;
  const int m = problem.rows;
  int* mode = scratch.mode.data();
  double *p = scratch.z.need(m), *u = solution.u.data(), *best = scratch.best.need(m);
  const double strict = goal.strict();
  double least = std::numeric_limits<double>::infinity();
  const long modes = count_modes(problem);
  for (long code = 0; code < modes && least > strict; ++code) {
    decode(problem, code, mode);
    const bool regular = solve_modes(problem, mode, p, scratch);
    ++solution.iterations;
    velocities(problem, p, u, scratch.y);
    const double residual = goal.error(problem, p, u);
    if (!(residual < least)) continue;
    least = residual;
    solution.minimum_norm = !regular;
    std::copy(p, p + m, best);
  }
  solution.status = least <= goal.tolerance ? SolveStatus::converged : SolveStatus::iteration_limit;
  if (!(least <= std::numeric_limits<double>::max())) return;
  std::copy(best, best + m, solution.p.data());
  clamp(problem, solution.p.data());
}

}  // namespace detail

namespace {

class Enumeration final : public Solver {
 public:
  const SolverInfo& info() const override {
    static const SolverInfo kInfo{
        "enumeration", "tries every mode of a few contacts; exact, and a reference for others",
        "joints, nonnegative, friction in the plane; up to 4096 modes (12 contacts, 6 with friction)", true};
    return kInfo;
  }
  bool accepts(const Problem& problem) const override {
    return detail::well_formed(problem) && detail::polyhedral(problem) && detail::enumerable(problem);
  }
  void solve(const Problem& problem, const SolverOptions& options, Solution& solution,
             SolverScratch& scratch) const override {
    detail::solve_without_joints(problem, options, solution, scratch, detail::takes_dense, detail::enumerate_modes);
  }
};

}  // namespace

const Solver& enumeration_solver();
const Solver& enumeration_solver() {
  static const Enumeration kSolver;
  return kSolver;
}

}  // namespace ricochet
