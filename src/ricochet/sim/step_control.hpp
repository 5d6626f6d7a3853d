#pragma once
// How long the next step may be. A step h is compared with two of h/2 from the same state: x_1 and x_{1/2}; the scheme
// is a black box. Reference: lecture (acary-2018), adaptive schemes.
//
//   estimate, order p >= 1   e = (x_{1/2} - x_1) / (2^p - 1)                                     (109)
//   order 0                  e = 2 (x_{1/2} - x_1): (109) has no meaning there                    (127)
//   allowed                  etol_i = atol + rtol max(|x_i| before, |x_i| after)                  (110)
//   error                    max_i |e_i| / etol_i, accepted if <= 1                               (111)
//   violation                rise of max(0, -g, |joint residuals|) over the step / atol           (128)
//   both                     the larger of the two                                                (129)
//   next step                h min(grow, max(shrink, safety (1/error)^{1/(p+1)}))                 (113)
//
// x is (q, v), differences of q taken in velocity coordinates. Variable order: p is the scheme's order on smooth
// motion, and 0 in a step in which a contact closes, opens, sticks or slides. In such a step x_{1/2} - x_1 alone can
// deceive: a scheme that puts the impact at the end of its step does so in both, wherever in the second half it was. A
// half step in which a contact closes therefore counts with at least h/2 |v_after - v_before|, the way that an impact
// at the wrong moment costs. What is not seen of the other events: contact_events.hpp.
//
// (128) with the violation itself instead of its rise has no way out once a scheme at velocity level has drifted that
// far: no step, however small, brings it back. Where a contact closes the two are the same.
//
// Steps are initial * 2^k: they repeat, and a linear system finds its factors of h and h/2 again.
#include <cstdint>
#include <limits>

#include "ricochet/model/state.hpp"

namespace ricochet {

enum class Control : std::uint8_t { fixed, half_step, violation, both };
const char* name(Control control);

inline constexpr int kVariableOrder = -1;

struct StepControl {
  Control kind = Control::fixed;
  int order = kVariableOrder;
  double atol = 1e-4, rtol = 1e-4;
  bool atol_scaled = false;                             ///< atol is in units of the run's scales, else in SI units
  double initial = 1e-3, floor = 1e-12, largest = 0.1;  ///< [s]
  double safety = 0.9, shrink = 0.125, grow = 8;
  bool stop_at_floor = false;  ///< false: a step of the floor's size is accepted, and counted
  double tolerance = 0;        ///< > 0: the L1 error of q asked for; atol is found by rehearsals
};

/// As the scenario calls it: auto with a tolerance for the whole motion, else the name of its kind.
const char* name(const StepControl& control);

/// What to try when the control asks for less than the floor.
inline constexpr const char* kFloorRemedy =
    "a larger tolerance, a smaller floor, or at_floor: accept, which goes on with the floor and counts such steps";

/// What keeps a step small.
enum class LimitSource : std::uint8_t { position, velocity, impact, event, violation, failure };
const char* name(LimitSource source);
struct StepLimit {
  LimitSource source = LimitSource::failure;
  double t = 0, h = 0;
  double error = 0;     ///< as a multiple of what is allowed
  int coordinate = -1;  ///< velocity coordinate with the largest error
  int item = -1;        ///< constraint, place among Model::items
};

/// The largest error seen so far, as a multiple of what is allowed.
struct Estimate {
  double error = 0;
  LimitSource source = LimitSource::position;
  int coordinate = -1;

  /// e_i against atol_i + rtol * max(|x0_i|, |x1_i|); without x0 and x1 against atol alone.
  void weigh(LimitSource from, const VectorXd& e, double factor, const VectorXd& atol, double rtol, const VectorXd* x0,
             const VectorXd* x1);
  void weigh(LimitSource from, double relative);
};

/// (109), (127).
double estimate_factor(int order);
/// (113), not quantised.
double proposed_step(const StepControl& control, double h, double error, int order);
/// The largest initial * 2^k that is not above h.
double quantised_step(double initial, double h);

}  // namespace ricochet
