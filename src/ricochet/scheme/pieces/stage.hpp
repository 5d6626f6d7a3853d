#pragma once
// Every sub-problem of every scheme has one form. With x a velocity or a position increment, one pass of Newton solves
//
//     S (x+ - x) = -r(x) + D p,        K ∋ p ⊥ L^T x+ + c ∈ K*,
//
// joints first (free cone), then the contacts picked. The impulse direction D and the condition L may be taken at
// different configurations, so W = L^T S^-1 D need not be symmetric. A scheme says what r, S, L, D are; this piece
// builds the complementarity problem, solves it and moves x.
//
// A singular S (massless coordinates) is regular together with the joints: since the joints' rows w_J(x+) vanish at the
// solution, S may be replaced by S + rho D_J L_J^T and r by r + rho D_J w_J without changing x+ or p.
//
// Where all rows have free multipliers, W and Y = S^-1 D of the first pass serve the next ones too, as its S does: they
// are as old as S, and with D p in r what they leave vanishes with the passes,
//     d = S^-1 (r - D p) - Y dp,      W dp = -(w - L^T S^-1 (r - D p)),      x+ = x - d.
//
// In systems of many bodies the rows with free multipliers (joints, gaps that are put to zero) do not enter the problem
// but the matrix: `HeldRows`. The problem is then that of the contacts alone.
#include <limits>
#include <memory>

#include "ricochet/math/minimum_norm_factor.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {

enum class Level {
  velocity,  ///< rows U = L^T x + dg/dt, shifted by the laws (restitution), with friction
  position   ///< rows g, normals only
};

/// How hard a scheme tries: its tolerances and its solver, looked up once.
struct Controls {
  explicit Controls(const Tolerances& t);
  Tolerances tolerance;
  const Solver* solver;
  SolverOptions solver_options;
};

/// How rows and directions turn with the unknown x. Both are taken where x leads to, dq = D dx at the place of the
/// impulse directions and dq = L dx at that of the condition's rows, so that Newton's pass reads
///
///     (S - D d(D p)/dq) (x+ - x) = -r + D p,      U(x+) = U(x) + (L^T + L dU/dq) (x+ - x).
///
/// What these add is of the order h^2 of the loads over the masses: it is left out until a pass contracts badly.
struct Bending {
  double D = 0, L = 0;
  double t_D = 0;
  ConstView q_D;
  Point at_L;  ///< with the velocity that the rows are the rates of
  bool any() const { return D != 0 || L != 0; }
};

class HeldRows;

class Stage {
 public:
  Stage(const Model& model, Level level);
  ~Stage();

  /// Forgets multipliers and passes, keeps memory; then L.pick is the scheme's to fill.
  void reset();
  /// The multipliers belong to another pick.
  void forget() {
    solution_.rows = 0;
    settled_ = false;
  }
  /// Takes the impulses remembered in the state as a first guess.
  void warm_start(const State& state, double h, const Workspace& w) {
    if (!L.pick.empty()) take_impulses(state, h, w);
  }

  Rows L, D;                   ///< the condition's rows; the impulse's, if they differ
  bool collocated = true;      ///< D = L
  std::vector<char> equal;     ///< position level: contacts (by place in L.pick) whose gap must vanish, multiplier free
  bool restitution = true;     ///< velocity level: contacts are shifted by e U_before
  bool accelerations = false;  ///< velocity level: x and the rows are accelerations
  bool moves = false;          ///< position level: x is a velocity, and the gradients are by it
  Bending bending;             ///< the scheme's to say, before newton; `reset` forgets it
  /// What joints carry over the step, for rows that rub on them: `load_factor` times the stage's own multipliers, and
  /// beside these what other stages gave them, by the joints' rows as here; null: nothing.
  double load_factor = 1;
  const double* load_beside = nullptr;
  /// Velocities before the jump, rows as in Workspace::before; null: those at the beginning of the step.
  const double* U_before = nullptr;
  VectorXd r;  ///< residual, without D p  (nv)
  int passes = 0, solver_iterations = 0;
  SolveStatus solved = SolveStatus::converged;
  bool minimum_norm = false;

  /// Whether the bending enters from the next factor on. That of the directions needs multipliers of the present rows.
  void bend(const Model& model, bool wanted) {
    const bool known = bending.D == 0 || solution_.rows == L.G.rows();
    bent_ = wanted && bending.any() && !model.constant_gradients() && known;
  }
  bool bent() const { return bent_; }
  /// Before the first pass: on the way to the present x contacts that carry have turned by more than a pass without
  /// bending makes up for.
  bool turned(ConstView x, const Workspace& w) const {
    return passes == 0 && level_ == Level::velocity && solution_.rows > 0 && solution_.rows == L.G.rows() &&
           rows_turned(x, w);
  }
  /// There are bounds that depend on the multipliers: one pass is not the last.
  bool renews() const { return renews_; }
  /// There is a factor of this step for these rows, and making another one costs more than trying it.
  bool keeps_factor() const { return passes > 0 && (settled_ || (many_ && holding())); }

  const Jacobian& directions() const { return collocated ? L.G : D.G; }
  const double* p() const { return solution_.p.data(); }

  /// The operator: out of the cache for a linear model, whose operators depend on these coefficients (c_M, c_K, c_C)
  /// alone, else assembled by `assemble(S)` anew. False: singular, also together with the joints.
  template <class Assemble>
  bool factorise(const Model& model, Workspace& w, const OperatorCache::Coefficients& coefficients,
                 Assemble&& assemble) {
    augmentation_ = 0;
    if (bent_) bend_rows(model, w);
    if (many_ && takes_hold(model, w)) {
      Operator& S = *held_operator_;
      assemble(S);
      if (bent_) bend_operator(model, w, S);
      return factorise_held(w, coefficients);
    }
    if (model.constancy().linear && !(bent_ && bending.D != 0)) {
      auto [S, fresh] = w.operators.find(model.layout(), coefficients);
      if (!fresh && S->regular()) return use(S, coefficients);
      S->zero();
      assemble(*S);
      if (S->factorise()) return use(S, coefficients);
    } else {
      own_.zero();
      assemble(own_);
      if (bent_) bend_operator(model, w, own_);
      if (own_.factorise()) return use(&own_, coefficients);
    }
    own_.zero();
    assemble(own_);
    if (bent_) bend_operator(model, w, own_);
    return factorise_with_joints(w) && use(&own_, coefficients);
  }
  /// How far the present x is from satisfying everything: |S^-1 (r - D p)| relative to the larger of |x| and one, the
  /// rows' change since p was computed, and that of bounds by the load; all of it over the scales of the run. Infinite
  /// before the first pass. Needs r, L and D at the present x.
  double error(ConstView x, const Workspace& w, double h) {
    return passes == 0 ? std::numeric_limits<double>::infinity() : distance(x, w, h);
  }
  /// What is left of the error where places are known to a few units in their last digit: of velocities these units
  /// over the step, which is more than any tolerance once the step is small.
  double rounding(const Workspace& w, double h) const {
    constexpr double kUnits = 16 * std::numeric_limits<double>::epsilon();
    return level_ == Level::velocity && !accelerations && !moves ? kUnits * w.scale.time / h : 0;
  }
  /// One pass: solves for p and moves x. Needs r, L and D at the present x, and an operator.
  void solve(const Model& model, Workspace& w, const Controls& controls, double h, View x);
  /// One pass with a chosen set in place of the complementarity problem: what is marked in `active` (by place in
  /// L.pick, joints always) holds with equality, the rest has no multiplier. The unknowns are p / k.
  void solve_active(const Model& model, Workspace& w, double h, const std::vector<char>& active, double k, View x);
  /// The item whose rows at x are farthest from what the last solve made of them; -1: there are none. For the report of
  /// a loop that did not end.
  int worst(const Model& model, const Workspace& w, ConstView x);
  /// x before the last solve less x after it.
  const VectorXd& moved() const { return d_; }
  /// Largest change of x by the last solve, relative to the larger of |x| and one, over the scales.
  double step(ConstView x, const Workspace& w) const { return relative(d_, x, w); }
  /// What the rows' values are measured by, as the solver sees them.
  double unit(const Workspace& w) const {
    return level_ == Level::position ? w.scale.length : accelerations ? w.scale.acceleration() : w.scale.velocity;
  }
  /// The rows at x as the laws see them: g, or U with restitution. Valid until the next call of any member.
  const double* rows(const Workspace& w, double h, ConstView x);
  /// x -= S^-1 r, as if there were no rows.
  void solve_free(View x);
  /// x -= S^-1 (r - D p) of the last error(): a last polish where no row can be upset by it.
  void polish(View x) const;
  /// x += c S^-1 D p of the rows without a position: the part of the last solve that acts along the contacts. In small
  /// systems joints and contacts that carry are held against it: where these leave no way to slide, friction is
  /// undetermined and moves nothing.
  void add_friction(double c, View x);
  /// Natural residual with the rows evaluated anew at x.
  double complementarity(ConstView x);
  /// Adds the multipliers of the picked candidates into an array over all candidates.
  void scatter(const Workspace& w, Buffer& all) const;
  /// Likewise how far each multiplier by itself moves its row, once they were solved for.
  void scatter_ways(const Workspace& w, Buffer& all) const;
  /// Into the impulses of the step, with what the certificate needs to judge them.
  void scatter_impulses(Workspace& w) const {
    scatter(w, w.impulse);
    describe(w);
  }
  /// Compliance of the picked contacts and the load.
  void describe(Workspace& w) const;

 private:
  double distance(ConstView x, const Workspace& w, double h);
  bool rows_turned(ConstView x, const Workspace& w) const;
  const double* per_size(const Workspace& w) const {
    return level_ == Level::velocity || moves ? w.scale.per_rate.data() : w.scale.per_position.data();
  }
  double relative(ConstView d, ConstView x, const Workspace& w) const {
    const double* per = per_size(w);
    double change = 0, size = 0;
    for (Index i = 0; i < x.size(); ++i) {
      change = std::max(change, std::abs(d[i]) * per[i]);
      size = std::max(size, std::abs(x[i]) * per[i]);
    }
    const double unit = accelerations ? w.scale.time : 1;
    return change * unit / std::max(1.0, size * unit);
  }
  /// Times one over the size of a row: what its errors are multiplied by.
  double per_row(const Workspace& w) const {
    return level_ == Level::position ? 1 : accelerations ? w.scale.time * w.scale.time : w.scale.time;
  }
  void take_impulses(const State& state, double h, const Workspace& w);
  bool use(Operator* S, const OperatorCache::Coefficients& coefficients) {
    if (!linear_ || coefficients != kept_for_) kept_ = false;
    kept_for_ = coefficients;
    S_ = S;
    settled_ = measured_ = false;
    return true;
  }
  bool factorise_with_joints(const Workspace& w);
  /// S -= bending.D d(D p)/dq with the multipliers of the last pass.
  void bend_operator(const Model& model, Workspace& w, Operator& S);
  /// L + bending.L dU/dq into bent_L_.
  void bend_rows(const Model& model, Workspace& w);
  /// How the rows change with x.
  const Jacobian& condition() const { return bent_ && bending.L != 0 ? bent_L_ : L.G; }
  /// The answer of the law of the k-th place of L.pick, which is no joint.
  LocalLaw law_of(const Workspace& w, std::size_t k, double h) const;
  /// Impulse of the joint that bounds the k-th place, with the multipliers of the last pass.
  double load_of(const Workspace& w, std::size_t k) const;
  /// How far the bounds of the last pass are from those that its multipliers ask for, as a velocity.
  double lag(const Workspace& w, double h) const;
  void give(int row, double compliance);
  /// u += c p of compliant rows.
  void add_give(double* u) const;
  /// Cones of the rows, and the laws' shift e U_before.
  void assemble_cones(const Workspace& w, double h);
  /// W and b of the pass from x.
  void condense(const Model& model, Workspace& w, double h, ConstView x);
  /// The same where W comes from halves of solutions, and Y is not made. `measured`: d_ = S^-1 (r - D p) already.
  void condense_by_halves(const Workspace& w, double h, ConstView x, bool measured);
  bool takes_halves() const;
  /// d_ = S^-1 (r - D p)
  void solve_balance();
  /// x += c S^-1 D p
  void add_response(double c, const double* p, View x);
  /// Adds to multipliers of friction those of joints and normals that keep these where they are.
  void hold(double* p);
  /// Multipliers and velocities of a chosen set; rows as in solve_active.
  void solve_chosen(const Problem& problem, const char* active, double k, double* p, double* u);
  void solve(const Problem& problem, Workspace& w, const Controls& controls, Solution& solution);
  /// Rows of joints and of their friction that are no lengths are made such, by powers of two: solvers see one unit.
  void find_factors(const Workspace& w);
  void even_rows();
  void even_bounds(bool back);
  /// Of which W has one part too many where a row was made a length.
  double square_of_factor(int row) const { return evened_ && !holding() ? even_[row] * even_[row] : 1; }
  void restore_rows();
  /// The contacts' problem of held rows.
  void solve_contacts(Workspace& w, const Controls& controls);
  /// x+ for the multipliers of the solution.
  void move(const Workspace& w, View x);
  /// The problem of free rows alone, by their factors, which are kept. False: it is the solver's.
  bool solve_free_rows(const Workspace& w, const Controls& controls);
  /// A pass with W and Y of an earlier one. False: they do not serve, and nothing has changed.
  bool solve_settled(const Workspace& w, View x);
  /// Whether the rows with free multipliers go into the matrix from the next factor on.
  bool takes_hold(const Model& model, const Workspace& w);
  bool factorise_held(const Workspace& w, const OperatorCache::Coefficients& coefficients);
  bool holding() const { return held_ != nullptr && S_ == held_operator_; }
  /// How far the multiplier of a row that is not held moves it by itself.
  double way(int row) const;
  /// The problem that the solver sees, and the first of the stage's rows in it.
  const Problem& solved_problem() const;
  int held_rows() const;
  /// Takes off rows what loops with redundant rows do not ask for. False: there are no such loops among them.
  bool take_off_loops(const LoopRows& loops, double* u) const {
    if (!loops.any() || !loops.place(L.pick, L.G)) return false;
    loops.take_off(u);
    return true;
  }
  /// L^T x + dg/dt + shift, or g.
  void present_rows(ConstView x, double* u) const { present_rows(x, u, nullptr); }
  void present_rows(ConstView x, double* u, Crew* crew) const;

  Level level_;
  Operator own_;
  Operator* S_ = nullptr;
  double augmentation_ = 0;  // rho, see above; 0: S as it is
  int joint_rows_ = 0;
  bool bent_ = false;
  bool renews_ = false;
  std::vector<signed char> sliding_;  // by place in L.pick: the first row without a position; -1: none
  bool linear_;                       // gradients and operators never change: Y and W are kept
  OperatorCache::Coefficients kept_for_{};
  std::vector<int> kept_pick_;
  bool kept_ = false;
  bool settled_ = false;  // W, factorised, and Y serve the next passes: all rows are free, S has not changed
  MinimumNormFactor settled_W_;
  bool measured_ = false;  // d_ = S^-1 (r - D p), and u_ are the rows, both at the x of now
  Jacobian Y_, kept_D_, bent_L_, rates_;
  std::vector<Range> ranges_;
  Problem problem_;
  Solution solution_;
  VectorXd d_, response_;
  bool halves_ = false;              // W was condensed by halves: there is no Y
  const LoopRows* loops_ = nullptr;  // of which not all combinations are asked for, in W and b; null: there are none
  Buffer u_, shift_, give_;          // rows, e U_before, compliance
  Buffer pushed_, hold_;             // of add_friction
  std::vector<int> hold_index_;
  bool gives_ = false;   // there is some
  Buffer even_;          // factors of the rows, those of W
  bool evened_ = false;  // W has them
  bool bodies_;          // S falls into blocks of a few coordinates
  bool many_;            // bodies, none of them more than a few coordinates of all
  std::unique_ptr<HeldRows> held_;
  std::vector<char> spared_;  // by row: left out of these
  Operator* held_operator_ = nullptr;
  std::vector<int> active_rows_, active_place_;
  MatrixXd active_W_;
  VectorXd active_b_;
};

}  // namespace ricochet
