#pragma once
// The energy ledger of a step that is made of several balances, each M(q_i) dv_i + h_i (convective - f)(t_i, q_i, v_i)
// = D_i p_i and tested with a velocity w_i of its own: stages of a Runge-Kutta method, elements of a Galerkin method,
// jumps.
//
//     dE = sum h_i w_i^T F_i + damping + sum w_i^T D_i p_i + projection
//        + (dT - sum w_i^T (M dv_i + h_i convective_i)) + (dV + sum h_i w_i^T f_V,i) + (sum h_i w_i^T C_i - damping)
//
// where C_i are the velocity-dependent forces and `damping` is sum h_i w_i^T C_i as long as that lies between the time
// of the step times the least and times the largest power v_i^T C_i that was met. Beyond it the sum is no work of these
// forces: an explicit step outside its stability, or negative weights, would make a damper drive.
// The last line is what the scheme's quadrature does to the energies and the work of damping: `numerical` for a linear
// system, `nonlinear_remainder` else. Every term is computed by itself, so that the defect is sum w_i^T (the residual
// of balance i): it shows a stage that was not solved, and nothing else.
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {

class WorkLedger {
 public:
  explicit WorkLedger(const Model& m) : r_(m.nv()) {}

  void reset();
  /// Forces and inertia at `at` with the acceleration a, over the time h, on the velocity w.
  void balance(const Model& model, const Point& at, ConstView a, double h, ConstView w, ModelScratch& scratch);
  /// M(at) dv on the velocity w.
  void jump(const Model& model, const Point& at, ConstView dv, ConstView w, ModelScratch& scratch);
  /// c p along the rows, on the velocity w; and c p into the impulses of the step.
  void impulses(Workspace& workspace, const Rows& rows, const double* p, double c, ConstView w);
  /// Energy changed by a correction of the position or the velocity that is no force.
  void projection(const Energies& before, const Energies& after);
  /// Fills report.energy after end_step.
  void close(const Model& model, StepReport& report) const;

 private:
  VectorXd r_;                              // (nv)
  EnergyLedger work_;                       // its entries alone
  double inertia_ = 0;                      // sum w^T (M dv + h convective)
  double potential_ = 0;                    // -sum h w^T f_V + sum h dV/dt
  double quadrature_ = 0;                   // sum h w^T C
  double time_ = 0, least_ = 0, most_ = 0;  // sum h; range of v^T C
};

}  // namespace ricochet
