#pragma once
// What nonsmooth-alpha and decoupled-alpha share: three stages over one smooth motion, their preparation, and the way
// from solved stages to the report.
#include "ricochet/scheme/pieces/alpha_ledger.hpp"

namespace ricochet {

/// What the sub-problems begin with, kept behind the memory of a scheme: the corrections of the step before, as long as
/// nothing hits.
struct AlphaStart {
  enum { kJump, kCorrection, kSlide, kCount };  ///< W/h, U/h^2, slide/h^2
  static void append_names(std::vector<std::string>& names);
  static void append_zeros(State& state, Index nv) {
    state.memory.resize(state.memory.size() + kCount, VectorXd::Zero(nv));
  }
};

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
  /// Begins with jump, U and slide of the step before, and with the contacts that had a part in U, in position.L.pick
  /// (nonlinear models; for a linear one any start is as good). `taken`: by place in `gaps`, those contacts.
  void start(const Model& model, const State& state, double h, const Workspace& w, VectorXd& jump,
             std::vector<char>& taken);
  /// For the next step.
  void keep(const StepReport& report, double h, const VectorXd& jump, State& next) const;
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
