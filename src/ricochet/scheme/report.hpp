#pragma once
// What a step says about itself: outcome, certificate, energy ledger. Data only; nothing here prints or throws.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/model/state.hpp"

namespace ricochet {

enum class StepStatus : std::uint8_t {
  converged,
  newton_limit,       ///< the Newton loop, or the sweeps of a sequential scheme, did not contract in time
  solver_failed,      ///< the complementarity problem was not solved to tolerance
  activation_cycle,   ///< the set of active contacts repeats itself
  singular,           ///< the iteration operator has no inverse, also not with the joints
  not_finite,         ///< a NaN or an infinity came up
  inner_step,         ///< a scheme of its own step control came down to steps of the size of rounding
  event_limit,        ///< more events in one step than it is worth to track
  painleve,           ///< a sliding contact whose reaction presses it further into itself: no smooth motion, or several
  irregular_sliding,  ///< a contact in space that starts to slide, or stops, in a direction that nothing tells
  active_set_cycle,   ///< inside the iteration the set of contacts that hold repeats itself
  interrupted,        ///< Workspace::stopped: not the step's fault
  uncertified,        ///< the errors of the step, evaluated anew at its end, are above the tolerance
  unheld_contact,     ///< a contact that is closed at both ends of the step approaches, and nothing was done about it
  energy_defect,      ///< converged by its residuals, but the ledger is off: sim/energy_watch.hpp
  overlooked,         ///< bodies overlap that the step did not see coming
  out_of_bounds,      ///< converged, but with more energy out of nothing than there ever was: sim/energy_watch.hpp
  energy_gain         ///< what contacts do in the step is work out of nothing, whatever their restitution
};
inline constexpr std::size_t kStepStatuses = 18;
const char* name(StepStatus status);
/// Likely causes and what to try, one sentence.
const char* remedy(StepStatus status);

/// Largest errors left by a step, in SI units and relative to the scales of the run (model/scales.hpp).
struct Certificate {
  /// Natural residual of the laws at velocity level, evaluated anew [m/s]: of every contact that carries an impulse or
  /// is closed at both ends of the step, whether the scheme thought of it or not.
  double complementarity = 0;
  double penetration = 0;     ///< largest -g over all contacts at the end of the step [m]
  double joint_position = 0;  ///< largest |g| over all joints
  double joint_velocity = 0;  ///< largest |U| over all joints
  double energy_defect = 0;   ///< |what the ledger does not explain| [J]
  // Over the scales of the rows: joints have rows of several units. For the others one scale does.
  double joint_position_relative = 0, joint_velocity_relative = 0;
};

/// Energy over one step: after - before = the sum of the entries + defect. The defect is the momentum balance times the
/// scheme's test velocity: it shows an unconverged step, and nothing else.
struct EnergyLedger {
  double kinetic = 0, potential = 0;                ///< at the end of the step [J]
  double kinetic_before = 0, potential_before = 0;  ///< at its beginning
  double external = 0;  ///< work of applied forces, moving boundaries and time-dependent potentials
  double damping = 0;
  double joints = 0;
  double impact = 0;  ///< normal contact impulses
  double friction = 0;
  double projection = 0;           ///< position corrections
  double numerical = 0;            ///< dissipation of the scheme on the linearised system
  double nonlinear_remainder = 0;  ///< quadrature errors that vanish for linear systems
  double defect = 0;

  double change() const { return kinetic + potential - kinetic_before - potential_before; }
  double sum() const {
    return external + damping + joints + impact + friction + projection + numerical + nonlinear_remainder;
  }
  /// Sum of absolute entries: the scale of round-off. Kinetic and potential changes count apart: in free fall they
  /// cancel and nothing else moves.
  double magnitude() const;
};

/// One constraint during the step; the pointers live until the next step.
struct ConstraintReport {
  const Candidate* candidate = nullptr;
  const double* g = nullptr;           ///< at the end of the step: gap, or joint residuals (dim)
  const double* U = nullptr;           ///< local velocity at the end (dim)
  const double* impulse = nullptr;     ///< P or Lambda, velocity level (dim)
  const double* correction = nullptr;  ///< tau or nu, position level (dim; a contact: first entry)
  const double* smooth = nullptr;      ///< lambda~ of the smooth motion, joints only (dim)
  const ConstraintSet* set = nullptr;
  double t = 0;
  ConstView q;                          ///< at the end of the step
  const double* restitution = nullptr;  ///< asked for and applied (2), of schemes that may reduce it

  /// Where a contact touches at the end of the step; nothing where its set does not know.
  std::optional<ContactPlace> place() const {
    return set->knows_places() && !candidate->bilateral() ? std::optional(set->place(t, q, *candidate)) : std::nullopt;
  }
};

/// Contacts of what sleeps, as the last step that they took part in left them. Sorted by key.
struct AsleepContact {
  Candidate candidate;
  int block = 0;  ///< of coordinates: one of those that it joins
  bool remembered = false;
  ContactMemory memory;
  double error = 0;  ///< what it leaves of its law
  std::array<double, kMostContactRows> g{}, U{}, impulse{}, none{};
};
struct AsleepContacts {
  std::vector<AsleepContact> list;
  std::vector<int> order;  ///< of all: places among the others, or ~places in the list
};

/// All candidates of the step in their order, put together when they are asked for: a run that nobody observes pays
/// nothing for them.
class ConstraintViews {
 public:
  ConstraintViews() = default;
  /// What all candidates of a step share: numbers by row, and where they are evaluated.
  struct Sources {
    const double *g, *U, *impulse, *correction, *smooth;
    const std::vector<std::unique_ptr<ConstraintSet>>* sets;
    const double* t;
    const VectorXd* q;
    const AsleepContacts* asleep = nullptr;  ///< null: none
    const double* restitution = nullptr;     ///< null: as the laws say
  };
  ConstraintViews(const std::vector<Candidate>& candidates, const Jacobian& rows, const Sources& from)
      : candidates_(&candidates), rows_(&rows), from_(from) {}

  std::size_t size() const { return from_.asleep ? from_.asleep->order.size() : candidates_ ? candidates_->size() : 0; }
  ConstraintReport operator[](std::size_t i) const {
    if (from_.asleep != nullptr) {
      const int place = from_.asleep->order[i];
      return place < 0 ? of_asleep(from_.asleep->list[static_cast<std::size_t>(~place)])
                       : of_others(static_cast<std::size_t>(place));
    }
    return of_others(i);
  }

 private:
  ConstraintReport of_asleep(const AsleepContact& a) const {
    return {&a.candidate,
            a.g.data(),
            a.U.data(),
            a.impulse.data(),
            a.none.data(),
            a.none.data(),
            (*from_.sets)[static_cast<std::size_t>(a.candidate.set)].get(),
            *from_.t,
            *from_.q};
  }
  ConstraintReport of_others(std::size_t i) const {
    const int row = rows_->blocks()[i].row;
    const Candidate& c = (*candidates_)[i];
    return {&c,
            from_.g + row,
            from_.U + row,
            from_.impulse + row,
            from_.correction + row,
            from_.smooth + row,
            (*from_.sets)[static_cast<std::size_t>(c.set)].get(),
            *from_.t,
            *from_.q,
            from_.restitution != nullptr ? from_.restitution + 2 * i : nullptr};
  }

 public:
  class Iterator {
   public:
    Iterator(const ConstraintViews* views, std::size_t i) : views_(views), i_(i) {}
    ConstraintReport operator*() const { return (*views_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    const ConstraintViews* views_;
    std::size_t i_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  const std::vector<Candidate>* candidates_ = nullptr;
  const Jacobian* rows_ = nullptr;
  Sources from_{};
};

/// What happened inside a step at a time of its own, for schemes that locate it.
enum class EventKind : std::uint8_t {
  impact,     ///< a velocity jump at a contact
  opening,    ///< a closed contact lets go
  sticking,   ///< sliding ends
  sliding,    ///< sticking ends
  reversal,   ///< sliding turns round
  hand_over,  ///< events come faster than they can be resolved: time stepping takes over
  take_back   ///< and gives back
};
const char* name(EventKind kind);
constexpr std::size_t kEventKinds = 7;

struct Event {
  double t = 0;
  EventKind kind = EventKind::impact;
  int item = -1;                     ///< place among Model::items; -1: the whole system
  double U_before = 0, U_after = 0;  ///< normal velocities of the contact
  double impulse = 0;                ///< normal
};

struct StepReport {
  StepStatus status = StepStatus::converged;
  double h = 0;
  int newton = 0;             ///< passes
  int solver = 0;             ///< iterations over all problems of the step
  int activations = 0;        ///< index sets tried
  int projections = 0;        ///< position-level passes
  int contacts = 0;           ///< with positive normal impulse
  int impacts = 0;            ///< of these, those that had none in the previous step
  int rebounds = 0;           ///< contacts that carry and have restitution, of schemes that may reduce it
  int reduced = 0;            ///< of these, those with less than the law's: the step would have gained energy
  double least_part = 1;      ///< of what the law says
  int unheld = 0;             ///< contacts closed at both ends of the step that approach and have no impulse
  int blame = -1;             ///< item that failed worst, where one can be named
  bool certified = true;      ///< false: taken over although it missed the tolerance, Policy::accept
  bool minimum_norm = false;  ///< multipliers are those of least norm: redundant ones, or all if asked for
  Certificate certificate;
  EnergyLedger energy;
  ConstraintViews constraints;  ///< all candidates; valid until the next step
  std::vector<Event> events;    ///< in the order of time
  bool ok() const { return status == StepStatus::converged; }
};

}  // namespace ricochet
