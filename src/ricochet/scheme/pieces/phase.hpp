#pragma once
// A smooth phase: the motion between two events, with a fixed set of closed contacts, and the search for its end.
//
//     x' = increment_rate(x, v),   v' = a(t, q ⊕ x, v)      acceleration.hpp, fixed set
//     works and impulses of the held constraints are integrated beside them
//
// Watched are functions that stay >= 0 as long as the set is the right one:
//
//     open contact          g                       acary-2018, cases 1.2 to 1.5
//     closed contact        lambda_N                case 2.2
//     sticking contact      mu lambda_N -+ lambda_T (plane),   mu lambda_N - |lambda_T| (space)
//     sliding contact       s U_T (plane),   |U_T| less a threshold (space);   response of U_N' to lambda_N (Painleve)
//     redundant rows        noise less |Gamma|, where reactions of least norm are not lawful and others were chosen
//                           (acceleration.hpp): these are never outside their cones, but may let go of a row; the
//                           signs above do not count then
//
// They are sampled on the continuous output at several places of a step. A gap comes with its rate: where that changes
// its sign between two samples the extremum is sought first, so that a gap which dips below zero between them, or rises
// and falls again, is not missed; where the samples do not show how a gap moves, the step is halved. The first zero is
// then polished with steps of the method itself.
#include <cstdint>
#include <memory>

#include "ricochet/scheme/pieces/acceleration.hpp"
#include "ricochet/scheme/pieces/runge_kutta.hpp"

namespace ricochet {

/// State of a contact, as ContactMemory::mode keeps it. In space `forward` is sliding in any direction.
enum class ContactMode : std::int64_t { open = 0, closed = 1, sticking = 2, forward = 3, backward = 4 };
inline bool slides(ContactMode m) { return m == ContactMode::forward || m == ContactMode::backward; }

constexpr double kSlipThreshold = 1e-9;  ///< of the velocity scale: in space, sliding slower than this has no direction

/// Where the motion is, s after the beginning of the scheme's step.
struct Moment {
  double s = 0;
  VectorXd q, v;
};

/// The absolute one in units of the scales.
struct PhaseTolerances {
  double atol = 1e-12, rtol = 1e-12;
};

/// What the motion is made of; the same for all phases of a step.
struct PhaseContext {
  const Model& model;
  Workspace& w;
  const Controls& controls;
  double t;  ///< at the beginning of the scheme's step
};

class Phase {
 public:
  enum Work { external, damping, joints, impact, friction, kWorks };

  Phase(const Model& model, std::unique_ptr<Stepper> stepper);

  /// The set of the phase: joints, and contacts by their modes (over all candidates). `directions`: in space, where
  /// those go that begin to slide; later the velocity tells.
  void choose_set(const PhaseContext& c, const std::vector<ContactMode>& modes,
                  const std::vector<std::array<double, 2>>& directions);
  /// Room for all candidates, so that a contact that closes late allocates nothing.
  void reserve(const PhaseContext& c);

  struct Outcome {
    StepStatus status = StepStatus::converged;
    bool event = false;
    bool slip = false;   ///< a sliding velocity vanished
    int candidate = -1;  ///< whose function ended the phase, or was to blame
    double h = 0;        ///< taken; 0: the event is where the phase begins, and nothing moved
  };
  /// One step of the method of at most h_max, to an event if there is one before. `proposal` is the step that the error
  /// control wants; 0: none yet.
  Outcome advance(const PhaseContext& c, Moment& at, double h_max, const PhaseTolerances& tolerance, double& proposal);
  /// Takes the drift out of (q, v); what is left of it is judged.
  StepStatus project(const PhaseContext& c, Moment& at);

  const double* works() const { return stepper_->y_end().data() + 2 * nv_; }
  /// Impulses of the held constraints over the last advance, rows as in `held`.
  const double* impulses() const { return chosen_ ? impulses_.data() : works() + kWorks; }
  const Accelerations& held() const { return acc_; }
  int evaluations = 0;

 private:
  struct Watch {
    enum Kind { gap, release, cone_up, cone_down, slip, jam, choice } kind;
    int candidate;
    int place;  ///< in the rows of open contacts, or in `held`
  };
  class Rates;
  /// Values and, for gaps and slips, rates of all watched functions at a state.
  bool sample(const PhaseContext& c, double s, ConstView state, double* f, double* df);
  bool sample_dense(const PhaseContext& c, double theta, double* f, double* df);
  bool add_closed(const PhaseContext& c, const Point& at, double* f, double* df);
  /// The first zero on the continuous output, or 2.
  double first_zero(const PhaseContext& c, std::size_t& watch);
  double zero(const PhaseContext& c, std::size_t k, double a, double b, bool of_rate);
  /// In space, slower than the threshold at the beginning of the step: it only just began to slide.
  bool begins_to_slide(std::size_t k) const;
  bool take_samples(const PhaseContext& c);
  bool resolved(const PhaseContext& c) const;
  /// Which contacts creep, at the beginning of a step. Sliding in space that has just begun is stiff: friction turns
  /// U_T into the direction of Gamma_T within tau = |U_T| / (what friction pulls), while this may last for
  /// milliseconds. What creeps has that direction (Accelerations::direct): wrong by tau times the rate at which it
  /// turns, which leaves |U_T| tau of that, at most kCreep.
  void find_creeping(const PhaseContext& c, View a);
  /// What crept does not do so at a much higher speed at the end of a step.
  bool still_creeps(const PhaseContext& c);
  double zero_of_force(const PhaseContext& c, std::size_t k, int j);
  double zero_of_gap(const PhaseContext& c, std::size_t k, int j);
  bool polish(const PhaseContext& c, Flow& flow, std::size_t k, double s, double& h);
  double noise(const PhaseContext& c, std::size_t k) const;
  /// The impulses of the step once more, with positive weights: what is chosen has kinks, and the methods' weights are
  /// of both signs, so that their sums may leave the cones.
  bool integrate_impulses(const PhaseContext& c, Flow& flow, double h);
  /// Reactions and accelerations at a point. False: `trouble_` says why, if it is not that the step is too long.
  bool hold(const PhaseContext& c, const Point& at, View a);
  void make_scale(const PhaseContext& c, const Moment& at, const PhaseTolerances& tolerance, ConstView end);

  int nv_;
  std::unique_ptr<Stepper> stepper_;
  Accelerations acc_;
  Rows open_;
  std::vector<Watch> watches_;
  bool chosen_ = false;  // somewhere in the step lawful reactions had to be chosen
  bool begins_ = false;  // the next evaluation is that of the beginning of a step
  StepStatus trouble_ = StepStatus::converged;
  bool reserved_ = false;
  std::size_t reserved_for_ = 0;
  double force_noise_ = 0, s_ = 0, h_ = 0;
  const VectorXd* q0_ = nullptr;
  VectorXd y_, scale_, state_, q_, a_, x_, f_, df_, values_, rates_, impulses_;
  VectorXd base_;  // a gap that touches at the beginning of a step may be negative by round-off: zero is there
};

}  // namespace ricochet
