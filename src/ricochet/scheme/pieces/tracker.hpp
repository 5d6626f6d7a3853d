#pragma once
// One step of event tracking (scheme/event_driven.cpp): smooth phases one after the other, and what happens between
// them. What happens at an instant, impacts and changes of the contacts' states, is in tracker_settle.cpp; what has too
// many instants, in tracker_accumulation.cpp.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/scheme/pieces/phase.hpp"

namespace ricochet {

struct TrackerSettings {
  explicit TrackerSettings(const Options& o)
      : method(o.choice("method")),
        tolerance{o.number("atol"), o.number("rtol")},
        accumulation(o.number("accumulation_interval")),
        max_events(static_cast<int>(o.number("max_events"))),
        controls(tolerances(o)) {}
  std::string method;
  PhaseTolerances tolerance;
  double accumulation;
  int max_events;
  Controls controls;
};

/// Scratch of a step.
struct TrackerScratch {
  explicit TrackerScratch(const Model& m) : set(m), q(m.nq()), a(m.nv()), x(m.nv()), v(m.nv()) {}
  std::unique_ptr<Phase> phase;
  std::string method;
  Accelerations set;  ///< of impacts and of the choice of states
  Moment at;
  std::vector<ContactMode> modes, modes_before, chosen;
  std::vector<char> resting, hits;                ///< by candidate
  std::vector<std::array<double, 2>> directions;  ///< by candidate: in space, of what begins to slide
  std::vector<double> last_impact;
  std::vector<int> closing;  ///< by candidate: time steps in a row at rest; negative: without an impulse
  Buffer U;
  Rows open;
  VectorXd q, a, x, v;
};

/// One step of the scheme.
class Tracker {
 public:
  Tracker(const TrackerSettings& s, const Model& model, const State& state, double h, Workspace& w, StepReport& report);

  bool run(State& next);

 private:
  static constexpr double kClosed = 1e-12;   // gaps and normal velocities of this size, times the motion's, are zero
  static constexpr double kDrifted = 1e-11;  // likewise velocities of what is held: more than that is no drift

  bool fail(StepStatus status, int candidate = -1) {
    report_.status = status;
    if (candidate >= 0) report_.blame = m_.index_of(w_.candidates[static_cast<std::size_t>(candidate)]);
    return false;
  }
  std::size_t size() const { return w_.candidates.size(); }
  bool contact(std::size_t i) const { return !w_.candidates[i].bilateral(); }
  double t() const { return state_.t + l_.at.s; }
  Point here() const { return {t(), l_.at.q, l_.at.v}; }
  double speed() const { return w_.scale.velocity * velocity_size(l_.at.v, w_); }
  double extent() const { return w_.scale.length * configuration_size(m_, l_.at.q, w_); }
  double accumulation() const { return s_.accumulation * w_.scale.fall; }
  /// A velocity of a joint's row, as one of a length.
  double drift(std::size_t i, int row, double U) const {
    return std::abs(U) * w_.per_size[w_.before->rows.G.blocks()[i].row + row] * w_.scale.length;
  }
  double energy() {
    const Energies e = m_.energies(here(), w_.model);
    return e.kinetic + e.potential;
  }
  void record(EventKind kind, std::size_t candidate, double before = 0, double after = 0, double impulse = 0) {
    report_.events.push_back(
        {t(), kind, candidate < size() ? m_.index_of(w_.candidates[candidate]) : -1, before, after, impulse});
  }

  // tracker.cpp
  void begin();
  bool unsettled() const;
  bool touches();
  bool smooth_step();
  /// No progress worth the inner steps that it took.
  bool crawls();
  bool project();
  void book_phase();
  void finish(State& next);

  // tracker_settle.cpp
  /// Everything that happens at an instant: impacts, then states. False: report says why.
  bool settle();
  void gather(bool closed_only);
  bool impacts();
  bool jump(bool inelastic);
  struct Work {
    double sum = 0, boundaries = 0;  ///< all of it; that of what moves by itself
  };
  Work book_jump();
  bool states();
  void hold_by_velocity();
  /// The states that the solution of the accelerations' problem shows; `unsure` if some are undetermined.
  bool read_states(bool look_ahead, bool& unsure);
  void record_changes();
  bool jams(SolveStatus status);

  // tracker_accumulation.cpp
  bool accumulate(double interval);
  double begin_capture(double interval);
  enum class Capture { goes_on, at_rest, lost };  ///< lost: nothing hits any more
  bool capture_step(double h, double slow, Capture& outcome);
  bool met(std::size_t k, double h) const;
  Capture judge_rest(double slow);

  const TrackerSettings& s_;
  const Model& m_;
  const State& state_;
  double h_, proposal_ = 0;
  Workspace& w_;
  StepReport& report_;
  TrackerScratch& l_;
  PhaseContext c_;
  int standstill_ = 0, capture_steps_ = 0, inner_steps_ = 0;
  double checked_ = 0;   // where the last kCrawlSteps began
  int called_ = -1;      // whose force came to its limit: undetermined, whatever rounding makes of it
  double interval_ = 0;  // > 0: the shortest time since the last impact of a contact that hit again
};

}  // namespace ricochet
