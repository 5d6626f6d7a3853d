#pragma once
// The Newton loop around one stage. It owns the stopping test and decides when a factor is kept, nothing else.
#include <utility>

#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

/// What else may end a loop after its first pass: nothing.
struct NeverEnough {
  bool operator()() const { return false; }
};

/// When a loop of passes ends.
class Stopping {
 public:
  Stopping(const Tolerances& tolerance, double rounding)
      : newton_(tolerance.newton), floor_(std::max(0.1 * tolerance.constraint, rounding)) {}
  double before = 0;  ///< error of the last pass
  /// At the floor of round-off the error stops falling; it is accepted there only well below what the user asked for,
  /// or where it is that of places that differ by a few units in their last digit.
  bool met(int pass, double error) const {
    return error <= newton_ || (pass > 1 && error > 0.5 * before && error <= floor_);
  }
  /// One more pass with the same factor, which contracts as the last one did, leaves rounding alone: momentum is kept
  /// to that over thousands of steps.
  bool met_after(int pass, double error) const {
    return pass > 0 && error < 0.05 * before && error * error <= std::numeric_limits<double>::epsilon() * before;
  }

 private:
  double newton_, floor_;
};

/// `one_pass`: the first pass is exact (a linear model whose active set is fixed).
/// `place()` brings the motion, `evaluate()` then stage.r, stage.L and stage.D to the present x; `assemble(S)` adds the
/// operator there. `enough()` may end the loop after the first pass, before all holds to the tolerance.
template <class Place, class Evaluate, class Assemble, class Enough = NeverEnough>
StepStatus newton(const Model& model, Workspace& w, Stage& stage, const Controls& controls, double h, VectorXd& x,
                  const OperatorCache::Coefficients& coefficients, bool one_pass, Place&& place, Evaluate&& evaluate,
                  Assemble&& assemble, Enough&& enough = {}) {
  Stopping stop(controls.tolerance, stage.rounding(w, h));
  int found = -1;  // rows for which x is found: what is left is to evaluate there, unless that chooses others
  for (int pass = 0;; ++pass) {
    place();
    evaluate();
    const int rows = stage.L.G.rows();
    if (std::exchange(found, -1) == rows) return StepStatus::converged;
    const double error = stage.error(x, w, h);
    if (stop.met(pass, error) || (rows == 0 && stop.met_after(pass, error))) {
      if (rows > 0) return StepStatus::converged;
      stage.polish(x);
      found = rows;
      continue;
    }
    if (pass > 0 && enough()) return StepStatus::converged;
    if (pass >= controls.tolerance.max_newton) return StepStatus::newton_limit;
    // The factor is kept while it contracts well: at small steps one factor serves the whole loop. Where it does not,
    // rows and directions turn too fast to be left as they are, and Newton is taken at its word; so it is from the
    // beginning where that was found before, or can be seen.
    const bool first = pass == 0 && !stage.keeps_factor();
    if (first || (pass > 0 && error > (stage.bent() ? 1e-3 : 0.05) * stop.before)) {
      stage.bend(model, pass > 0 || stage.bent() || stage.turned(x, w));
      if (!stage.factorise(model, w, coefficients, assemble)) return StepStatus::singular;
    }
    stop.before = error;
    stage.solve(model, w, controls, h, x);
    if (first) stop.before = stage.step(x, w);
    if (stage.solved != SolveStatus::converged) return StepStatus::solver_failed;
    if (one_pass && !stage.renews()) found = rows;
  }
}

}  // namespace ricochet
