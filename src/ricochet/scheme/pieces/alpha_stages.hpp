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
        x(m.nv()) {}
  Stage smooth, position, velocity;
  AlphaMotion motion;
  VectorXd U;      ///< position correction (nv)
  VectorXd slide;  ///< h/2 W_T, what friction does to the position (nv)
  VectorXd x;      ///< total increment (nv)
  Rows gaps;       ///< contacts, normals

  /// The joints alone in every stage, all contacts in `gaps`, no correction.
  void prepare(const Workspace& w);
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
