#pragma once
// What nonsmooth-alpha and decoupled-alpha share: three stages over one smooth motion, their preparation, and the way
// from solved stages to the report.
#include "ricochet/scheme/pieces/alpha_ledger.hpp"

namespace ricochet {

struct AlphaStages {
  explicit AlphaStages(const Model& m)
      : smooth(m, Level::velocity),
        position(m, Level::position),
        velocity(m, Level::velocity),
        motion(m),
        U(m.nv()),
        slide(m.nv()),
        x(m.nv()),
        part(m.nv()),
        zero(VectorXd::Zero(m.nv())) {}
  Stage smooth, position, velocity;
  AlphaMotion motion;
  VectorXd U;      ///< position correction (nv)
  VectorXd slide;  ///< h/2 W_T, what friction does to the position (nv)
  VectorXd x;      ///< total increment (nv)
  VectorXd part;   ///< scratch (nv)
  VectorXd zero;   ///< 0 (nv)
  Rows gaps;       ///< contacts, normals

  /// The joints alone in every stage, all contacts in `gaps`, no correction.
  void prepare(const Workspace& w);
  /// Multipliers to where they are reported: p = h lambda~ of the smooth stage as lambda~.
  void scatter(double h, Workspace& w) const;
  /// Memory of the next state, counts, certificate. The ledger is the scheme's.
  void close(const Model& model, const AlphaCoefficients& c, const State& state, double h, State& next, Workspace& w,
             StepReport& report);
};

/// cosimo-2020 (51): the smooth motion may go once, in L2 norms,
///
///     |r| < tol_r (|M v~'| + |f - convective| + |G_J lambda~| + tol_f),      rows of joints to the tolerance.
///
/// What is left of its dynamics is in the energy defect; in decoupled-alpha the jump takes it, which has the whole
/// balance, where there is one.
struct RelativeCriterion {
  bool chosen = false;
  double tol_r = 0, tol_f = 0;

  static std::vector<OptionInfo> options();
  static RelativeCriterion of(const Options& o);
  /// For the smooth stage of `l` as evaluated at `at`; false if not chosen.
  bool holds(const Model& model, const Point& at, double h, Workspace& w, AlphaStages& l, double constraint) const;
};

/// The row `rho_inf` of their options.
OptionInfo spectral_radius_option();

/// Throws InputError for one of the options that was given although `with`, what makes it count, was not chosen.
void refuse_idle(const Options& o, bool chosen, const std::string& with, std::initializer_list<const char*> options);

}  // namespace ricochet
