#pragma once
// The three sub-problems of nonsmooth generalized-alpha in one Newton pass (bruls-2014 (37)-(46)): smooth motion v~,
// position correction U and jump W = v+ - v~ together, their multipliers p = h lambda~, nu, Lambda in one
// complementarity problem instead of the semi-smooth active sets.
//
// With dx = kappa dv~ + dU + (E Lambda - s) the change of the increment of q (kappa = h beta/gamma, E = h/2 M^-1 G_T
// the part of friction, s its present value), all at the present place, one pass is
//
//     c_M M dv~ + h C (dv~ + dW) + B_s dx = -r + G_J p          B_s = h K - d(G_J p)/dq
//     M dU + B_p dx = -M U + G nu                               B_p = d(M U - G nu)/dq
//     M dW + B_v dx = -M W + G Lambda                           B_v = d(M W - G Lambda)/dq
//
//     rows:   G_J^T (v~ + dv~) + dg_J/dt + R dx = 0
//             g + G^T dx:               joints 0, contacts ⊥ nu
//             G^T (v+ + dv~ + dW) + dg/dt + e U_k + R dx:   joints 0, active contacts by their law with Lambda
//
// (R: turning of the rows). Linear systems have B_p = B_v = R = 0: U and W are eliminated with M, then v~ with
// S* = c_M M + h C + h kappa K, and one pass is exact whatever h. Elsewhere B and R are differences of the residuals
// and the 3 nv equations are eliminated as one dense matrix: quadratic convergence, for systems of some hundred
// coordinates.
#include <array>

#include "ricochet/scheme/pieces/alpha.hpp"

namespace ricochet {

class CoupledAlpha {
 public:
  explicit CoupledAlpha(const Model& m);

  /// What a pass starts from and moves.
  struct Motion {
    const AlphaCoefficients& c;
    const State& state;
    double h;
    const State& next;  ///< q+, v+ that belong to the rest
    const VectorXd& x;  ///< total increment
    AlphaMotion& smooth;
    VectorXd &U, &jump;
    VectorXd& slide;  ///< h/2 W_T
  };

  /// No multipliers known yet.
  void begin(const Workspace& w);
  /// One pass with these rows (joints first in each); `equalities`: they all hold, multipliers of either sign. False:
  /// no solution; nothing has moved.
  bool pass(const Model& model, const Controls& controls, const std::vector<int>& position,
            const std::vector<int>& velocity, bool equalities, Motion& m, Workspace& w);
  /// S_t of the last pass, (44), for what had a multiplier; systems that are not linear. `scaled`: in the unknowns (42)
  /// and the residuals (39), whose limit for h -> 0 is the regular matrix (46); else in dv~, dlambda~, dU, dnu, dW,
  /// dLambda with the residuals of (37), which grow apart as h falls.
  MatrixXd iteration_matrix(bool scaled) const;

  double change = 0;            ///< of the last pass: dU, dv~ and dW over the scales, relative to max(1, |v+|)
  std::vector<double> changes;  ///< of all passes of the step
  int solver_iterations = 0;
  /// nu and Lambda of the last pass by candidate, rows as in Workspace::impulse.
  const Buffer& corrections() const { return nu_; }
  const Buffer& impulses() const { return Lambda_; }

 private:
  struct Level {
    Rows rows;
    Buffer p;       // present multipliers
    int first = 0;  // of its rows in the stack
  };
  void gather(const Workspace& w, Level& level, const Buffer& all) const;
  void scatter(const Workspace& w, const Level& level, Buffer& all) const;
  void evaluate_rows(const Model& model, double t, ConstView q, Workspace& w);
  void present(const Motion& m, VectorXd& out) const;
  void forces(const Model& model, const Motion& m, ConstView q, ConstView v, bool reactions, VectorXd& out,
              Workspace& w);
  void linearise(const Model& model, const Motion& m, Workspace& w);
  /// What the columns of X but the last depend on.
  struct Columns {
    std::array<double, 4> coefficients{};
    std::vector<int> smooth, position, velocity;
    bool operator==(const Columns&) const = default;
  };
  void keep_columns(const Model& model, const Motion& m);
  bool eliminate_linear(const Model& model, const Motion& m, Workspace& w);
  bool eliminate_dense(const Model& model, const Motion& m, Workspace& w);
  bool friction_columns(const Model& model, const Motion& m, Workspace& w);
  void linear_response(const Model& model, const Motion& m, const double* x, const double* v, Workspace& w);
  bool pose(const Motion& m, bool equalities, Workspace& w);

  Level smooth_, position_, velocity_;
  double h_ = 0, kappa_ = 0, c_M_ = 0;  // of the last pass
  Buffer p_, nu_, Lambda_;              // by candidate, rows as in before->rows
  MatrixXd G_;                          // gradients of the stacked rows (nv x rows)
  MatrixXd R_;                          // their part by dx: R or G (nv x rows)
  MatrixXd E_;                          // (nv x rows of velocity)
  MatrixXd B_, C_, M_, A_;              // (3 nv x nv), (nv x nv) twice, (3 nv x 3 nv)
  MatrixXd X_;                          // responses to multipliers, last column: to the residual (3 nv x rows + 1)
  Columns columns_;                     // of X_ as it is
  bool columns_kept_ = false;           // they are those of this pass
  MatrixXd rows_;                       // (3 nv x rows)
  VectorXd base_, f_, moved_, x_, q_, y_, z_, zero_, unit_;
  std::vector<int> place_;  // of stacked row i in the problem
  Operator mass_;
  Problem problem_;
  Solution solution_;
  SolverScratch scratch_;
};

}  // namespace ricochet
