#pragma once
// One Runge-Kutta step of the smooth motion with a fixed set of closed constraints, as an index-1 system with
// multipliers (acary-2018 (131), (133)): for every stage i
//
//     M(Q_i) A_i + (convective - f)(t_i, Q_i, V_i) = G(Q_i) lambda_i,       G(Q_i)^T A_i + bias(t_i, Q_i, V_i) = 0
//     V_i = v + h sum_j a_ij A_j,      Q_i = q ⊕ X_i,   X_i = h sum_j a_ij x'(X_j, V_j)
//     v+  = v + h sum_i b_i A_i,       q+  = q ⊕ h sum_i b_i x'(X_i, V_i)                 x' = V in a vector space
//
// Explicit methods solve one linear system a stage (half-explicit: the multipliers are the only unknowns that are
// coupled to the acceleration), diagonally implicit ones run Newton with M + h a_ii C + (h a_ii)^2 K. Multipliers are
// eliminated at every stage, so that the order is that of the method; constraints are kept at acceleration level, and
// what they drift is the caller's to take out. Contacts are held by their normal rows, whatever the sign of the
// multiplier, or `unilateral`: 0 <= G^T A_i + bias ⊥ lambda_i >= 0, (132).
#include "ricochet/scheme/pieces/runge_kutta.hpp"
#include "ricochet/scheme/pieces/stage.hpp"
#include "ricochet/scheme/pieces/work_ledger.hpp"

namespace ricochet {

/// L-stable diagonally implicit methods of orders 2 to 5: Alexander 1977 (2, 3), Hairer and Wanner, Solving Ordinary
/// Differential Equations II, IV.6 (4), Kennedy and Carpenter 2003, the implicit part of ARK5(4)8L[2]SA (5).
const Tableau& implicit_tableau(int order);
/// Explicit methods of orders 1 to 5 and 8; null: none of that order.
const Tableau* explicit_tableau(int order);

class ConstrainedRungeKutta {
 public:
  explicit ConstrainedRungeKutta(const Model& model);

  /// From `begin` over h, the constraints of `held` (joints first) kept closed. The result is in q and v.
  StepStatus step(const Model& model, const Tableau& tableau, const Point& begin, double h,
                  const std::vector<int>& held, const Controls& controls, Workspace& w);
  /// Forces and reactions of the last step into the ledger.
  void book(const Model& model, Workspace& w, WorkLedger& ledger);
  /// Normal impulse over the last step of a contact, by its place in `held`. Negative although no stage pulls where the
  /// method has negative weights; or because a bilateral one does.
  double impulse(std::size_t place) const;
  /// Largest difference between the two methods of a pair over the last step, each component relative to
  /// atol times its scale + rtol |component|.
  double error(double atol, double rtol, const Workspace& w);

  VectorXd q;  ///< (nq)
  VectorXd v;  ///< (nv)
  bool unilateral = false;
  int passes = 0;  ///< linear systems solved since they were last counted
  bool minimum_norm = false;

 private:
  StepStatus solve(const Model& model, int i, const Controls& controls, Workspace& w);
  void place(const Model& model, int i, ConstView a, const Workspace& w);
  void evaluate_stage(const Model& model, int i, Workspace& w);
  Point at(int i) const;

  const Tableau* T_ = nullptr;
  double t_ = 0, h_ = 0;
  VectorXd q0_, v0_;
  Stage stage_;
  VectorXd a_, x_, v_, x_known_, v_known_;  // of the present stage (nv)
  MatrixXd A_, X_, K_, V_;                  // by stage: acceleration, increment, its rate, velocity (nv x stages)
  MatrixXd Q_;                              // (nq x stages)
  std::vector<int> held_;
  Buffer lambda_;  // by stage
  int rows_ = 0;
  Rows booked_;
};

}  // namespace ricochet
