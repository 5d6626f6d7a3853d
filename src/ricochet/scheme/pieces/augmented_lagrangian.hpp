#pragma once
// A sub-problem of an alpha-scheme by the semi-smooth Newton method on its augmented Lagrangian (cosimo-2020 (36)-(43),
// (46)-(50)): with the rows u of joints and contacts, xi = k nu - p u, and the active set A of active_set.hpp,
//
//     r(x) - G_A xi_A = 0,      -k u_A = 0,      -k^2/p nu_inactive = 0.
//
// A pass with the matrix (48) eliminates x: on A the multipliers k nu follow from k^2 G^T S^-1 G, and since u_A + G_A^T
// dx vanishes, p leaves the equations of a pass and remains in the sets. k scales the unknowns and p the sets; neither
// changes what is converged to. Frictionless contacts only.
//
// Where sets repeat themselves on a linear system, every further pass would repeat too: activation_cycle. On nonlinear
// systems that is said once the passes are used up while the set still changes.
#include "ricochet/scheme/pieces/active_set.hpp"
#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

/// The way to the multipliers of a sub-problem.
struct AugmentedLagrangian {
  double k = 1, p = 1;  ///< in units of the mass
  double mass = 0;      ///< 0: characteristic_mass of the rows
};

/// As newton() of newton.hpp, whose arguments these are, for the rows of all contacts that may take part.
template <class Place, class Evaluate, class Assemble>
StepStatus augmented_newton(const Model& model, Workspace& w, Stage& stage, const Controls& controls, double h,
                            VectorXd& x, const OperatorCache::Coefficients& coefficients, bool one_pass, Place&& place,
                            Evaluate&& evaluate, Assemble&& assemble, const AugmentedLagrangian& parameters,
                            const Point& at, ActiveSet& set) {
  set.begin();
  stage.bend(model, false);  // the sets alone decide which rows have multipliers
  double mass = parameters.mass, before = 0;
  for (int pass = 0;; ++pass) {
    place();
    evaluate();
    if (pass == 0 && mass == 0) mass = characteristic_mass(model, at, stage.L.G, w);
    const double p = parameters.p * mass, error = stage.error(x, w, h);
    const double* u = stage.rows(w, h, x);
    set.xi.clear();
    for (std::size_t k = 0; k < stage.L.pick.size(); ++k) {
      const int row = stage.L.G.blocks()[k].row;
      const double nu = pass > 0 ? stage.p()[row] : 0;
      set.xi.push_back(w.candidates[stage.L.pick[k]].bilateral() ? kAlways : nu - p * u[row]);
    }
    const ActiveSet::Change change = set.choose(p * controls.tolerance.newton * stage.unit(w));
    if (change == ActiveSet::Change::none && pass > 0) {
      const bool floor = pass > 2 && error > 0.5 * before && error <= 0.1 * controls.tolerance.constraint;
      if (one_pass || error <= controls.tolerance.newton || floor) return StepStatus::converged;
    }
    if (one_pass && change == ActiveSet::Change::repeated) return StepStatus::activation_cycle;
    if (pass >= controls.tolerance.max_newton)
      return change == ActiveSet::Change::none ? StepStatus::newton_limit : StepStatus::activation_cycle;
    if (!stage.factorise(model, w, coefficients, assemble)) return StepStatus::singular;
    before = error;
    stage.solve_active(model, w, h, set.marks, parameters.k * mass, x);
    if (stage.solved != SolveStatus::converged) return StepStatus::solver_failed;
  }
}

}  // namespace ricochet
