#include "ricochet/scheme/report.hpp"

#include <cmath>

namespace ricochet {

const char* name(StepStatus status) {
  switch (status) {
    case StepStatus::converged: return "converged";
    case StepStatus::newton_limit: return "newton-limit";
    case StepStatus::solver_failed: return "solver-failed";
    case StepStatus::activation_cycle: return "activation-cycle";
    case StepStatus::singular: return "singular";
    case StepStatus::not_finite: return "not-finite";
    case StepStatus::inner_step: return "inner-step";
    case StepStatus::event_limit: return "event-limit";
    case StepStatus::painleve: return "painleve";
    case StepStatus::irregular_sliding: return "irregular-sliding";
    case StepStatus::active_set_cycle: return "active-set-cycle";
    case StepStatus::interrupted: return "interrupted";
    case StepStatus::uncertified: return "uncertified";
    case StepStatus::unheld_contact: return "unheld-contact";
    case StepStatus::energy_defect: return "energy-defect";
    case StepStatus::overlooked: return "overlooked";
    case StepStatus::out_of_bounds: return "out-of-bounds";
    case StepStatus::energy_gain: return "energy-gain";
  }
  return "";
}

const char* name(EventKind kind) {
  switch (kind) {
    case EventKind::impact: return "impact";
    case EventKind::opening: return "opening";
    case EventKind::sticking: return "sticking";
    case EventKind::sliding: return "sliding";
    case EventKind::reversal: return "reversal";
    case EventKind::hand_over: return "hand-over";
    case EventKind::take_back: return "take-back";
  }
  return "";
}

// [option|words] is for schemes that have the option, see remedy.hpp.
const char* remedy(StepStatus status) {
  switch (status) {
    case StepStatus::converged: return "";
    case StepStatus::newton_limit:
      return "the iteration did not contract: take a smaller step[max_newton|, raise max_newton][monolithic|, set "
             "monolithic], or use another scheme";
    case StepStatus::solver_failed:
      return "no solution of the contact problem was found within the tolerance, which need not mean that there is "
             "none: look for contacts that conflict, try another solver or a smaller step";
    case StepStatus::activation_cycle:
      return "the set of active contacts repeats: take [forecast|another forecast, ][active_set|another active_set, "
             "][multipliers|multipliers: exact, ]a smaller step or the combined scheme";
    case StepStatus::singular:
      return "the iteration matrix is singular: a coordinate without mass must be held by a joint";
    case StepStatus::not_finite:
      return "a force, mass or gap is not finite here: check the formulas' domain and the step size";
    case StepStatus::inner_step:
      return "the tolerances need steps of the size of rounding: take [atol|larger atol and rtol, or ]a method for "
             "stiff systems";
    case StepStatus::event_limit:
      return "events follow each other without end: [accumulation_interval|raise accumulation_interval or max_events, "
             "or ][location|take a much smaller step, or ]capture them with a time-stepping scheme such as combined";
    case StepStatus::painleve:
      return "a sliding contact jams (Painleve's paradox): its smooth motion does not exist or is not unique here; "
             "time-stepping schemes such as moreau-jean and combined pass it with an impulse";
    case StepStatus::irregular_sliding:
      return "the direction of sliding is not determined by the motion before, or several sliding contacts share a "
             "load "
             "that nothing divides between them: time-stepping schemes such as moreau-jean and combined pass this";
    case StepStatus::active_set_cycle:
      return "a contact closes and opens in turn within the step: take a smaller step[coupled| or coupled: true]";
    case StepStatus::interrupted: return "the run was asked to end: resume it";
    case StepStatus::uncertified:
      return "the errors that the step leaves, evaluated anew, are above the tolerance, whatever its solver found: "
             "look "
             "for joints and contacts that hold the same motion, try another solver or a smaller step, or raise the "
             "tolerance";
    case StepStatus::unheld_contact:
      return "the forecast leaves out a closed contact that others press together: nonsmooth-alpha holds it with "
             "forecast: end, projected with forecast: explicit, and auto (combined) in any case";
    case StepStatus::energy_defect:
      return "what the solver returned is not good enough: another solver or scheme, or a smaller step";
    case StepStatus::overlooked:
      return "bodies came together that were too far apart, or too slow, to be looked at: a smaller step, or more "
             "halvings; of parts with faces: name all faces that may touch";
    case StepStatus::out_of_bounds:
      return "a much smaller step; if that only moves the moment, the motion itself goes to infinity there";
    case StepStatus::energy_gain:
      return "contacts gain energy in a step that large: a smaller step, or a larger tolerance where the gain is that "
             "of "
             "the gaps that it leaves";
  }
  return "";
}

double EnergyLedger::magnitude() const {
  return std::abs(kinetic - kinetic_before) + std::abs(potential - potential_before) + std::abs(external) +
         std::abs(damping) + std::abs(joints) + std::abs(impact) + std::abs(friction) + std::abs(projection) +
         std::abs(numerical) + std::abs(nonlinear_remainder);
}

}  // namespace ricochet
