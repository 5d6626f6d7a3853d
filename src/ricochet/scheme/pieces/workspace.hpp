#pragma once
// Everything a step needs and nothing that it depends on: throw it away between any two steps and no bit changes.
#include <memory>
#include <typeindex>
#include <vector>

#include "ricochet/model/scales.hpp"
#include "ricochet/scheme/pieces/loop_rows.hpp"
#include "ricochet/scheme/pieces/sleep.hpp"
#include "ricochet/scheme/scheme.hpp"
#include "ricochet/solver/solver.hpp"

namespace ricochet {

/// The candidates that take part in something, evaluated at one configuration.
struct Rows : ConstraintRows {
  std::vector<int> pick;       ///< indices into Workspace::candidates, joints first
  std::vector<int> gradients;  ///< the pick for which G was evaluated last
  bool normals = false;        ///< and whether that was normals only
};

/// What tells one candidate from another: its rows depend on nothing else.
struct CandidateMark {
  Key key;
  std::array<double, 3> aim;
};

/// All candidates at one end of a step.
struct End {
  bool valid = false;
  bool taken = false;  ///< the rows at (t, q) stand there already, see take_rows
  bool lent = false;   ///< the room of the gradients is another's, see lend_gradients: they are no more
  double t = 0;
  VectorXd q, v;
  std::vector<CandidateMark> candidates;
  Rows rows;
  Buffer U;  ///< G^T v + dg/dt
  Energies energies;
};

/// What errors are divided by: the scales of the run in the forms that steps need. See model/scales.hpp.
struct Measures {
  double length = 1, velocity = 1;
  double per_length = 1, per_velocity = 1;
  double fall = 1;  ///< what a fall over the length takes
  double time = 1;
  std::vector<double> coordinate;              ///< (nv) sizes
  std::vector<double> arm;                     ///< (nv) lengths for a unit of each, in metrics
  std::vector<double> per_position, per_rate;  ///< (nv) one over sizes of increments and of velocities

  double acceleration() const { return velocity / time; }
  /// Largest entries over their sizes: of increments, of velocities.
  double of_position(ConstView x) const { return largest(x, per_position.data()); }
  double of_rate(ConstView x) const { return largest(x, per_rate.data()); }

 private:
  static double largest(ConstView x, const double* per) {
    double s = 0;
    for (Index i = 0; i < x.size(); ++i) s = std::max(s, std::abs(x[i]) * per[i]);
    return s;
  }
};

class Workspace {
 public:
  explicit Workspace(const Model& m);

  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Takes over what the state is measured by. Before anything else of a step.
  void measure(const Model& m, const State& state) {
    if (measured_ != state.scales.get()) take_scales(m, state);
  }

  ModelScratch model;
  bool laws_keep;  ///< variables from step to step
  Measures scale;
  std::vector<Candidate> candidates;
  bool joints = false;         ///< there may be some among the candidates
  bool velocity_rows = false;  ///< likewise rows without a position
  End *before = &ends_[0], *after = &ends_[1];
  OperatorCache operators;
  SolverScratch solver;
  Sleep sleep;
  LoopRows loops;                      ///< at the beginning of the step
  double nearest = 1;                  ///< smallest of a contact's
  bool uneven = false;                 ///< some of these are no lengths
  Buffer size, per_size;               ///< of the candidates' gaps and joint residuals, rows as in before->rows
  Buffer impulse, correction, smooth;  ///< multipliers of all candidates, rows as in before->rows
  /// Velocity for an impulse, as its problem saw it: by the first row of a contact, and of each disc of a rolling one.
  Buffer compliance;
  Buffer judged;       ///< what each candidate left of its law at the end of the step, if islands may sleep
  Buffer kept;         ///< by the laws at the beginning of the step, kLawVariables of each candidate; if they keep any
  Buffer restitution;  ///< asked for and applied, two numbers a candidate, of a scheme that may reduce it:
  bool reduces = false;  ///< it is one, and the step is done. What opens is then asked for none
  double load = 0;       ///< largest velocity that the problems of the step had to turn
  VectorXd audit;        ///< (nv)
  Buffer along;          ///< of the audit: rows at a velocity
  const double *joint_g = nullptr, *joint_U = nullptr;  ///< of all rows at the end, as joints are held to the tolerance
  Buffer joint_g_room, joint_U_room;

  /// Somebody wants the run to end: asked once per inner step by schemes whose step is long. The attempt then fails as
  /// `interrupted`; the flag is SolverScratch::stop.
  bool stopped() const { return solver.stopped(); }

  /// Drops what was evaluated and factorised: an attempt was left by an exception, and nobody knows how far it came.
  void forget(const Model& m) {
    for (End& end : ends_) end = {};
    model = ModelScratch(m);
    model.share_with(solver.crew);
    operators = {};
    sleep.wake();
    locals_.clear();
  }

  /// The private scratch of a scheme, made on first use.
  template <class Local>
  Local& of(const Model& m) {
    for (auto& [type, local] : locals_)
      if (type == typeid(Local)) return *static_cast<Local*>(local.get());
    locals_.emplace_back(typeid(Local), std::make_shared<Local>(m));
    return *static_cast<Local*>(locals_.back().second.get());
  }

  const Scales* scales() const { return scales_.get(); }

 private:
  friend void begin_step(const Model& model, const State& state, double h, Workspace& w, bool may_sleep);
  void take_scales(const Model& m, const State& state);
  void measure_rows(const Model& m);

  static const Scales kNone;
  const Scales* measured_ = &kNone;  // what was taken over, null too; scales_ keeps it alive
  std::shared_ptr<const Scales> scales_;
  std::vector<int> first_row_;  // of Scales::row, by item
  End ends_[2];
  std::vector<std::pair<std::type_index, std::shared_ptr<void>>> locals_;
};

/// G, g, g_t of the picked candidates at (t, q); contacts with their normal row alone if normals_only.
void evaluate_picked(const Model& model, double t, ConstView q, const std::vector<Candidate>& candidates, Rows& rows,
                     ModelScratch& scratch, bool normals_only);
inline void evaluate(const Model& model, double t, ConstView q, const std::vector<Candidate>& candidates, Rows& rows,
                     ModelScratch& scratch, bool normals_only = false) {
  if (rows.pick.empty() && rows.rows == 0 && rows.gradients.empty()) return;  // free flight
  evaluate_picked(model, t, q, candidates, rows, scratch, normals_only);
}

/// Makes next a vessel for the step's result: sizes, time, and the velocity as a first guess.
void prepare_next(const State& state, double h, State& next);

/// Candidates of the step; gaps and local velocities at its beginning; multipliers zeroed. `may_sleep`: those of
/// sleeping islands are left out.
void begin_step(const Model& model, const State& state, double h, Workspace& w, bool may_sleep = false);

/// The joints among the candidates.
inline void pick_joints(const Workspace& w, std::vector<int>& pick) {
  pick.clear();
  if (!w.joints) return;
  for (std::size_t i = 0; i < w.candidates.size(); ++i)
    if (w.candidates[i].bilateral()) pick.push_back(static_cast<int>(i));
}

/// Those that have a position to be held at.
inline void pick_position_joints(const Workspace& w, std::vector<int>& pick) {
  pick_joints(w, pick);
  if (w.velocity_rows) std::erase_if(pick, [&](int i) { return w.candidates[i].velocity_only; });
}
/// All that takes part in every velocity-level problem: the joints, then the laws of rows without a position.
void append_velocity_rows(const Workspace& w, std::vector<int>& pick);
inline void pick_velocity_rows(const Workspace& w, std::vector<int>& pick) {
  pick_joints(w, pick);
  if (w.velocity_rows) append_velocity_rows(w, pick);
}

/// Place of the joint that bounds candidate c, among the candidates.
int load_candidate(const Workspace& w, const Candidate& c);
/// Its impulse over the step: that of the velocity level, and h times the force of the smooth motion.
double load_of(const Workspace& w, const Candidate& c, double h);

/// How large a configuration is beside the scales, 1 at least: what the rounding of gaps grows with.
double configuration_size(const Model& model, ConstView q, const Workspace& w);
/// The same of a velocity.
inline double velocity_size(ConstView v, const Workspace& w) { return std::max(1.0, w.scale.of_rate(v)); }

/// Gap and normal velocity of a candidate at the beginning of the step.
inline double gap_before(const Workspace& w, int i) { return w.before->rows.g[w.before->rows.G.blocks()[i].row]; }
inline double U_before(const Workspace& w, int i) { return w.before->U[w.before->rows.G.blocks()[i].row]; }
/// What its gap is measured by, and its velocities.
inline double gap_size(const Workspace& w, int i) { return w.size[w.before->rows.G.blocks()[i].row]; }
inline double U_size(const Workspace& w, int i) { return gap_size(w, i) / w.scale.time; }

/// What candidate i tells its law, with its velocities before (dim): those at the beginning of the step.
inline LocalState local_state(const Workspace& w, int i, double h, const double* U) {
  LocalState out{h, gap_before(w, i), {}, w.candidates[static_cast<std::size_t>(i)].dim};
  for (int k = 0; k < out.dim; ++k) out.U_before[static_cast<std::size_t>(k)] = U[k];
  if (w.laws_keep)
    for (std::size_t k = 0; k < kLawVariables; ++k) out.kept[k] = w.kept[i * kLawVariables + static_cast<int>(k)];
  return out;
}
inline LocalState local_state(const Workspace& w, int i, double h) {
  return local_state(w, i, h, w.before->U.data() + w.before->rows.G.blocks()[i].row);
}

/// Gaps as they are held to the tolerance: without what loops that are out of line leave open. They may be g itself.
const double* judged_gaps(const Rows& rows, const double* g, const Workspace& w, Buffer& room);

/// Exchanges the rows of the step's end with those of somebody who has evaluated all candidates there: end_step need
/// not do that again.
inline void take_rows(Rows& rows, Workspace& w) {
  std::swap(w.after->rows, rows);
  rows.pick = w.after->rows.pick;
  w.after->taken = true;
}

/// Gives the room of the gradients at the beginning of the step, whose gaps and velocities are all that is asked for
/// from here on, to rows that are evaluated next.
inline void lend_gradients(Workspace& w, Rows& rows) {
  if (rows.G.take_room(w.before->rows.G)) w.before->lent = true;
}

/// Evaluates the end of the step and fills the report: certificate at position and velocity level, contacts, views.
/// Writes the contact memory of `next`.
void end_step(const Model& model, const State& state, double h, State& next, Workspace& w, StepReport& report);

}  // namespace ricochet
