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
        x(m.nv()) {}
  Stage smooth, position, velocity;
  AlphaMotion motion;
  VectorXd U;      ///< position correction (nv)
  VectorXd slide;  ///< h/2 W_T, what friction does to the position (nv)
  VectorXd x;      ///< total increment (nv)
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

/// The row `rho_inf` of their options.
OptionInfo spectral_radius_option();

/// Throws InputError for one of the options that was given although `with`, what makes it count, was not chosen.
void refuse_idle(const Options& o, bool chosen, const std::string& with, std::initializer_list<const char*> options);

}  // namespace ricochet
