#pragma once
// A scheme makes one attempt at a step. Retries, output and events belong to the drivers in sim/. Whether an attempt
// counts is decided here, for all of them: the certificate is evaluated anew at the end of the step and held against
// the tolerance, whatever the solvers of the attempt claimed (pieces/certificate.hpp).
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/model/model.hpp"
#include "ricochet/scheme/options.hpp"
#include "ricochet/scheme/report.hpp"

namespace ricochet {

class Workspace;

/// What a scheme declares; contract tests check the declarations both ways.
struct SchemeInfo {
  std::string name;
  std::string summary;    ///< one line
  std::string reference;  ///< where the equations come from
  int smooth_order = 1;   ///< without contact events, at the chosen options
  int impact_order = 1;   ///< in L1 across impacts; 0: not convergent (a comparison scheme)
  bool exact_position = false;
  bool exact_velocity = true;
  // What it takes; features.hpp makes the table of it.
  bool friction = true;
  bool velocity_rows = false;  ///< takes rows without a position: dry friction of joints, motors of limited torque
  bool rolling = false;        ///< takes rolling and spinning friction
  bool rotations = true;
  bool joints = true;
  bool collision = false;  ///< takes contacts that are found where bodies meet, of which each step has its own
  /// The laws join impulses of a whole step with the velocities at its two ends; false where a step has parts of its
  /// own, and its impulses cannot be checked against the laws from outside.
  bool one_impulse = true;
  /// Every contact that is closed at both ends of a step obeys its law; false where a forecast may leave one out that
  /// other contacts press together.
  bool holds_closed = true;
  /// The velocity-level laws hold with the rows at the end of the step; false where an option takes them elsewhere, and
  /// the scheme alone can tell.
  bool rows_at_end = true;
  /// A step has an impulse for the positions, told as the position-level multiplier, and one for the velocities; the
  /// laws are those of their sum. Restitution may be less than the law's, where the step would gain energy.
  bool two_impulses = false;
  bool error_controlled = false;  ///< tolerances govern the error; the step is the interval of the output and no more
  bool locates_events = false;    ///< and reports them at their times: StepReport::events
  bool step_control = true;       ///< its step may be chosen anew each time
};

class Scheme {
 public:
  virtual ~Scheme() = default;
  virtual const SchemeInfo& info() const = 0;
  /// Names of the vectors (nv each) it keeps in State::memory.
  virtual std::vector<std::string> memory() const { return {}; }
  /// Fills the memory from (t, q, v); called at the beginning and after every event hand-over.
  virtual void start(const Model& model, State& state, Workspace& workspace) const;
  /// The energy that the scheme's propositions speak of: T + V, or an algorithmic one. `h`: the step that led to state.
  virtual double energy(const Model& model, const State& state, double h, Workspace& workspace) const;
  /// One attempt from state over h. `state` is left alone; `next` holds the result if the report says converged,
  /// which it does only if the certificate holds.
  void step(const Model& model, const State& state, double h, State& next, Workspace& workspace,
            StepReport& report) const;
  /// What its steps are held to.
  virtual const Tolerances& tolerance() const = 0;

 protected:
  /// The step itself; `step` judges what it leaves.
  virtual void attempt(const Model& model, const State& state, double h, State& next, Workspace& workspace,
                       StepReport& report) const = 0;
};

struct SchemeEntry {
  SchemeInfo info;  ///< at default options
  std::vector<OptionInfo> options;
  std::unique_ptr<Scheme> (*make)(const Options& options) = nullptr;
  /// Options drawn from the range in which a proposition promises that linear systems with frictionless contacts, no
  /// damping and no load never gain Scheme::energy; `e` is the largest restitution, `uniform()` in [0, 1]. Null: none.
  OptionValues (*dissipating)(double e, const std::function<double()>& uniform) = nullptr;
};

/// The table of schemes.def.
const std::vector<SchemeEntry>& schemes();
const SchemeEntry* find_scheme(std::string_view name);
/// Throws InputError for an unknown name or option value.
std::unique_ptr<Scheme> make_scheme(std::string_view name, const OptionValues& values = {});

}  // namespace ricochet
