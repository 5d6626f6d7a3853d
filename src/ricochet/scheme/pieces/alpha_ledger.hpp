#pragma once
// The energy ledger of alpha-schemes. With W = v+ - v~ the jump, U = x - x~ the position correction (h/2 W where the
// scheme has no other), vbar = (v + v+)/2, means of both ends and e the filter force, M (a - v~') where the scheme
// keeps v~',
//
//     dE = h vbar^T (F + damping + reactions)_mean + vbar^T (impulses of the step)
//        + h vbar^T (e_mean + (gamma - 1/2) M (a+ - a)) + h^2 (gamma/2 - beta) (a - a+)^T grad V_mean       numerical
//        + (U - h W/2)^T grad V_mean                                                                        projection
//
// (the part of moving boundaries in the reactions' work, -dg/dt times the multipliers, is external), exactly for linear
// systems: from M a + convective - f = reactions + e at both ends, from
// v+ - v = h ((1-gamma) a + gamma a+) + W and x = h vbar + h^2 (gamma/2 - beta)(a - a+) + U - h W/2. The scheme books
// its reactions and impulses between open and close. What nonlinear systems add is evaluated apart; the defect is h/2
// vbar^T times the residual of this step's dynamics.
#include "ricochet/scheme/pieces/alpha.hpp"

namespace ricochet {

class AlphaLedger {
 public:
  explicit AlphaLedger(const Model& m)
      : mean(m.nv()),
        reaction(m.nv()),
        test_(m.nv()),
        y_(m.nv()),
        zero_(VectorXd::Zero(m.nv())),
        multipliers_(m, Level::velocity),
        controls_(Tolerances{}) {}

  VectorXd mean;      ///< vbar (nv)
  VectorXd reaction;  ///< G lambda of the joints at the beginning (nv)

  /// Books external forces and damping. filter_force: memory[kAcceleration] holds e instead of v~'.
  void open(const Model& model, const AlphaCoefficients& c, bool filter_force, const State& state, double h,
            const State& next, Workspace& w, EnergyLedger& e);
  /// Books the impulses of the step by what they did; returns their sum.
  double contacts(Workspace& w, StepReport& report) const;
  /// Books the position correction: `beyond` is U - h W/2.
  void correct(const Model& model, const State& state, const State& next, ConstView beyond, Workspace& w,
               EnergyLedger& e);
  /// vbar^T (G p): what multipliers do on the mean velocity.
  double work(const Jacobian& G, const double* p) const;
  /// `reaction`, and of the contacts if they have any, from the dynamics that the previous step solved.
  void reaction_begin(const Model& model, const State& state, Workspace& w);
  /// Books the work of `reaction` and of the multipliers lambda+ at the end (rows as in Workspace::before), each with
  /// half the step. `work_end`: h vbar^T G lambda+.
  void joints(const Model& model, const State& state, const double* lambda_end, double work_end, Workspace& w,
              EnergyLedger& e);
  /// Books the scheme's own dissipation and what is left. `turning`: vbar^T (impulses) less what was booked for them.
  void close(const Model& model, const State& state, const State& next, double turning, Workspace& w,
             StepReport& report);

 private:
  double convective(const Model& model, const Point& at, const Power& p, Workspace& w);
  double gradient(const Model& model, const State& state, const State& next, ConstView direction, Workspace& w) const;
  /// The multipliers of `reaction`.
  const double* multipliers_begin(const Model& model, const State& state, Workspace& w);
  template <class Add>
  double product(Add&& add) {
    y_.setZero();
    add();
    return dot(mean, y_);
  }

  AlphaCoefficients c_;
  bool filter_force_ = false;
  double h_ = 0, projection_ = 0;
  Power begin_, end_;
  VectorXd test_, y_, zero_;
  Stage multipliers_;  // M x = -reaction + G lambda, G^T x = 0
  Controls controls_;  // joints are eliminated directly: none of its tolerances is asked
};

/// A step of the family that is done, as its ledger reads it.
struct AlphaStep {
  const State& begin;
  double h;
  const State& end;
  const AlphaMotion& motion;
  ConstView correction;               ///< of the position
  const Stage& smooth;                ///< reactions of the smooth motion
  const Stage& velocity;              ///< impulses of the jump
  const VectorXd* missing = nullptr;  ///< a force at the beginning that the dynamics lack, besides the reactions
};

/// The whole ledger of a scheme. Fills report.energy after end_step.
void audit_alpha(const Model& model, const AlphaCoefficients& c, const AlphaStep& step, Workspace& w,
                 StepReport& report);

}  // namespace ricochet
