#pragma once
// The motion of a theta-scheme and its energy ledger, shared by Moreau-Jean and what is built on it.
//
//     v_theta = (1-theta) v + theta v_next,   x = h v_theta + correction,   q_next = q ⊕ x,   q_theta = q ⊕ theta x
//
// Energy (Lemma 1 of the 2014 energy report, with contact work taken at mid-step as its equation (50)). For a linear
// system, with P the impulses of all rows and the differences taken over the step,
//
//     dE = h v_theta^T (F + damping) + U_1/2^T P + (1/2 - theta) ( |dv|_M^2 + |dq|_K^2 - dU^T P ).
//
// Each term is computed by itself. For nonlinear systems what T, V and the rows' change add beyond this is evaluated
// and booked as nonlinear_remainder; the defect that is left is v_theta^T times the momentum residual.
#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

class ThetaMotion {
 public:
  explicit ThetaMotion(const Model& m) : v_theta(m.nv()), x(m.nv()), a(m.nv()), q_theta(m.nq()), half_(m.nv()) {}

  /// Places next.q and the intermediate point for the velocity next.v.
  void place(const Model& model, const State& state, double h, double theta, State& next);
  Motion motion(const State& state, double h, double theta, const State& next) const {
    return {state.t, h, theta, state.q, state.v, x, q_theta, v_theta, next.v, a};
  }

  VectorXd v_theta, x, a;  ///< (nv)
  VectorXd q_theta;        ///< (nq)

 private:
  VectorXd half_;
};

/// Fills report.energy after end_step; stage.r and its rows are those of the accepted step.
void audit_theta(const Model& model, const State& state, double h, double theta, const ThetaMotion& motion,
                 const Stage& stage, Workspace& w, StepReport& report);

/// Work of the velocity-level multipliers at mid-step, U_1/2 = (U_before + U_after) / 2, booked by kind; and dU^T P.
/// Moving boundaries, dg/dt, are external.
double book_contact_work(const Workspace& w, StepReport& report);

}  // namespace ricochet
