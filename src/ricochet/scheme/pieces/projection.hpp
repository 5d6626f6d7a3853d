#pragma once
// A theta-step whose position is corrected until it satisfies the constraints too, shared by projected and combined:
//
//     M(q_theta)(v+ - v) + h (convective - f)(t_theta, q_theta, v_theta) = D P            velocity level, P by its law
//     q+ = q ⊕ x,   x = h v_theta + c,   c = N G(q+) tau,    q_theta = q ⊕ theta x         position level
//     joints  g(q+) = 0;   contacts  0 <= g(q+) ⊥ tau >= 0,  or g(q+) = 0 with tau of any sign, as the scheme chooses
//
// Metric: N = I as printed in acary-2012 (28), of displacements: a turn of a body counts by the lever where it is held
// (Scales::arm), since with a radian that counts as a metre small parts are shifted where they should turn; N = M^^-1,
// its Remark 3, by which both levels have one operator; or N = M^-1, which forgets stiffness and damping. M and M^ are
// those of the beginning of the step. D at q_theta and L at q+, as in moreau-jean; G of the correction at q+.
//
// Decoupled solution (acary-2012 4.3.1, with the signs corrected): Newton for v+ with c fixed, then, only if a
// constraint is violated beyond the tolerance, Newton for c with v+ fixed; again until the velocity level leaves the
// position level satisfied. A
// contact that carries an impulse has its velocity prescribed, so that for linear systems the second sweep finds
// nothing to do; what else couples the levels is of the order h^2 K and the curvature of the constraints. Where that
// takes sweeps, they are accelerated over v+ after Anderson.
//
// Where joints alone act, both levels share one loop and its evaluations: each pass moves v+ and then, with the same
// rows at q+ and what they make of the new v+, c; both are judged at the place where they lead to.
//
// Coupled solution (acary-2012 (52)-(55), corrected): before the projection, Newton for v+ and c together, with P and
// tau in one complementarity problem. The sweeps then only confirm what it found, and multipliers and certificate are
// theirs. One pass, with r the residual of the balance and K h theta its derivative by c, all rows at their present
// place:
//
//     M^ dv = -r + D P - h theta K (N G tau - c),     c+ = N G tau,     M^ = M + h theta C + h^2 theta^2 K
//     U+ = L^T (v + dv) + dg/dt + e U_k,              g+ = g + G^T (h theta dv + c+ - c)
//
// It pays where h^2 K is large beside M: stiff bodies, large steps. A singular M^ (massless coordinates) leaves the
// sweeps alone.
//
// Energy: v_theta^T times the balance as in theta.hpp, where h v_theta = x - c: the correction does the work c^T grad V
// at q_theta, which is booked as projection. For a linear system
//
//     dE = h v_theta^T (F + damping) + U_1/2^T P + c^T K q_theta + (1/2 - theta) ( |dv|_M^2 + |x|_K^2 - dU^T P ).
#include "ricochet/math/anderson.hpp"
#include "ricochet/scheme/pieces/newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {

enum class Metric { identity, mass, iteration };

/// What the options of such a scheme say.
struct ProjectionSettings {
  explicit ProjectionSettings(const Options& options);
  double theta;
  Metric metric;
  bool coupled;
  Controls controls;
  int smooth_order() const { return theta == 0.5 ? 2 : 1; }
};

/// One attempt at a step: what both levels need to know.
struct ThetaStep {
  const ProjectionSettings& settings;
  const Model& model;
  const State& state;
  double h;
  State& next;
  Workspace& w;
  StepReport& report;
  /// Of M^.
  OperatorCache::Coefficients coefficients() const {
    return {1, h * h * settings.theta * settings.theta, h * settings.theta};
  }
};

class ProjectedMotion {
 public:
  explicit ProjectedMotion(const Model& m);

  /// After begin_step.
  void begin(const Model& model, Workspace& w);
  /// No impulses, no corrections; velocity.L.pick is the caller's to fill.
  void reset();
  /// Newton for v+ with the present correction. False: report.status says why.
  bool solve_velocity(const ThetaStep& s);
  /// Both levels. `choose()` is asked after every velocity solution, with gaps and P up to date, and answers with the
  /// contacts to be projected in `projected`: 0 not, 1 complementarity, 2 gap zero. It returns whether it looks at
  /// gaps: it is then asked after every projection too, until that leaves it nothing to add.
  template <class Choose>
  bool solve(const ThetaStep& s, Choose&& choose) {
    bool joints = only_joints(s);
    for (int sweep = 0;; ++sweep) {
      joints = joints && solve_joints(s);
      if (!joints && !solve_velocity(s)) return false;
      measure(s);
      const bool by_gaps = choose();
      if (position_holds(s)) return true;
      if (sweep >= s.settings.controls.tolerance.max_newton) {
        s.report.status = projected != solved_for_ ? StepStatus::active_set_cycle : StepStatus::newton_limit;
        return false;
      }
      accelerate(s, sweep);
      do {
        choose_rows(s);
        if (s.settings.coupled) couple(s);
        if (!project(s)) return false;
        if (!by_gaps) break;
        measure(s);
        choose();
      } while (projected != solved_for_);
      joints = false;
    }
  }
  /// Multipliers, certificate and ledger of the accepted step.
  void finish(const ThetaStep& s);

  double gap(std::size_t candidate) const { return measured_->g[measured_->G.blocks()[candidate].row]; }
  /// Normal impulse of a candidate.
  double P(const Workspace& w, std::size_t candidate) const { return P_[w.before->rows.G.blocks()[candidate].row]; }

  Stage velocity, position;
  std::vector<char> active;     ///< by candidate: contacts that have the velocity-level law, the caller's
  std::vector<char> projected;  ///< by candidate; joints always take part
  std::vector<char> released;   ///< by candidate: its gap was put to zero and then let go, the caller's
  std::vector<char> barred;     ///< by candidate: not in this step, the caller's

 private:
  /// All rows of the velocity level are those of joints that have a position.
  bool only_joints(const ThetaStep& s) const;
  /// Newton for v+ and c of these in one loop. False: as it was at the beginning; the sweeps are to try.
  bool solve_joints(const ThetaStep& s);
  /// Whether these gaps of theirs are within the tolerance.
  bool joints_hold(const ThetaStep& s, const double* g);
  /// c for the rows of the velocity level after v+ was moved there, if their gaps ask for it. False: not solved.
  bool correct(const ThetaStep& s);
  /// Where rows and directions of the velocity level are, and how they turn with v+.
  Bending bending(const ThetaStep& s) const;
  void place(const ThetaStep& s);
  /// Gaps at q+, P and the ways of tau by candidate.
  void measure(const ThetaStep& s);
  /// What is asked of candidate i at position level.
  bool holds(const ThetaStep& s, std::size_t i) const;
  bool position_holds(const ThetaStep& s) const;
  /// The islands with gaps that do not hold now, or did not before in this step. True: there are more than before.
  bool find_moving(const ThetaStep& s);
  /// The v+ for which the position is corrected next, from those that the last sweeps found.
  void accelerate(const ThetaStep& s, int sweep);
  /// The rows of the projection, from `projected`.
  void choose_rows(const ThetaStep& s);
  bool project(const ThetaStep& s);
  /// After a pass of the projection.
  void find_force(const ThetaStep& s);
  /// N^-1, and what it is known by.
  static OperatorCache::Coefficients metric_key(const ThetaStep& s);
  void assemble_metric(const ThetaStep& s, Operator& S) const;
  void evaluate_velocity(const ThetaStep& s);
  /// Newton for v+ and c together; leaves both as they were if it does not converge.
  void couple(const ThetaStep& s);
  bool couple_pass(const ThetaStep& s, double& change);
  bool linearise(const ThetaStep& s);
  void pose(const ThetaStep& s);
  void form_W(const ThetaStep& s);
  void response(const ThetaStep& s, ConstView direction, View out);

  ThetaMotion motion_;
  VectorXd c_, part_;  // correction; theta x (nv)
  VectorXd force_;     // N^-1 c (nv)
  double turned_ = 0;  // how far q+ has come from where the rows of c were taken, over the scales
  Buffer predicted_;   // gaps of joints after v+ was moved
  VectorXd zero_;
  VectorXd v_, v_found_;  // v+ that the last correction was made for, and that came of it (nv)
  Anderson sweeps_;
  std::vector<char> solved_for_;    // `projected` of the last projection
  Rows gaps_;                       // all candidates at q+
  Rows* measured_ = &gaps_;         // these, or the velocity level's where it has all of them
  const double* judged_ = nullptr;  // their gaps, as they are held to the tolerance
  Buffer room_;
  Buffer P_, way_;  // by candidate, rows as in before->rows: impulses; how far tau moves each gap alone
  struct Coupling;  // scratch of the coupled Newton, made on first use
  std::shared_ptr<Coupling> coupling_;
  std::vector<char> moves_;  // by body: find_moving
  Unions islands_;
};

/// The rows `theta`, `metric` and `coupled` of a scheme's options.
std::vector<OptionInfo> projection_options();

}  // namespace ricochet
