#pragma once
// The two problems of a step in two impulses (two_impulse.cpp derives them): what is asked of which row, where it is
// taken, and how the problems are solved. The energy of both is found here, and restitution is reduced by it.
#include "ricochet/scheme/pieces/impulse_problem.hpp"
#include "ricochet/scheme/pieces/set_newton.hpp"
#include "ricochet/scheme/pieces/theta.hpp"

namespace ricochet {

/// One attempt at a step.
struct TwoImpulseStep {
  const Controls& controls;
  const Model& model;
  const State& state;
  double h;
  State& next;
  Workspace& w;
  StepReport& report;
};

class TwoImpulses {
 public:
  explicit TwoImpulses(const Model& m);

  /// The whole step: next, impulses, restitution that was applied, ledger. False: report.status says why.
  bool solve(const TwoImpulseStep& s);

 private:
  static constexpr double kTheta = 0.5;

  /// How the position problem is posed: as it is; along directions that cannot gain; without friction besides.
  enum class Way { plain, lean, frictionless };

  void begin(const TwoImpulseStep& s);
  double load_of(const TwoImpulseStep& s, const Candidate& c, const Buffer& impulse) const;
  void append(const TwoImpulseStep& s, ImpulseProblem& problem, std::size_t i, int dim, const Buffer& impulse);

  /// Of the position problem: the balance as a velocity, and the rows, over the scales.
  struct Left {
    double velocity = 0, rows = 0;
  };

  /// visit(point, weight) of Simpson's rule over the way of the step, less the one point at mid-step.
  template <class Visit>
  void for_each_weight(const TwoImpulseStep& s, Visit visit) const {
    visit(Point{s.state.t, s.state.q, motion_.v_theta}, 1.0 / 6);
    visit(Point{s.state.t + kTheta * s.h, motion_.q_theta, motion_.v_theta}, -2.0 / 6);
    visit(Point{s.next.t, s.next.q, motion_.v_theta}, 1.0 / 6);
  }
  bool solve_position(const TwoImpulseStep& s, Way way);
  bool iterate(const TwoImpulseStep& s, Way way, int most);
  Left left_open(const TwoImpulseStep& s);
  double depth() const;
  void place(const TwoImpulseStep& s);
  void evaluate_rows(const TwoImpulseStep& s);
  bool take_in();
  void pose_position(const TwoImpulseStep& s, Way way);
  void add_position_rows(const TwoImpulseStep& s, Way way, std::size_t i);
  void direction(const TwoImpulseStep& s, Way way, std::size_t i, int dim, double* out, double* drift);
  void find_lean(const TwoImpulseStep& s);
  bool factorise_position(const TwoImpulseStep& s, Way way);
  bool advance(const TwoImpulseStep& s, ImpulseProblem& problem, bool rescue);
  bool solve_by_solver(const TwoImpulseStep& s, ImpulseProblem& problem);

  bool solve_velocity(const TwoImpulseStep& s);
  void pose_velocity(const TwoImpulseStep& s, const Buffer& impulse);
  bool solve_linear(const TwoImpulseStep& s);
  void find_islands(const TwoImpulseStep& s);
  std::size_t island(const Jacobian& D, const Jacobian::Block& b);
  bool apply_rebound(const TwoImpulseStep& s);
  bool renew_bounds(const TwoImpulseStep& s);

  bool restitute(const TwoImpulseStep& s);
  void find_gains(const TwoImpulseStep& s, std::vector<double>& gains);
  void tell_restitution(const TwoImpulseStep& s);
  void finish(const TwoImpulseStep& s);
  void audit(const TwoImpulseStep& s);
  void describe(const TwoImpulseStep& s);
  void scatter(const ImpulseProblem& problem, Buffer& all) const;

  ImpulseProblem position_, velocity_;
  SetNewton sets_;
  Solution solution_;
  ThetaMotion motion_;
  Operator own_, mass_;
  Operator* S_ = nullptr;
  Rows mid_, end_;  // all candidates at q_theta and at q+
  // By candidate, at the beginning of the step: closed; and not closing; no contact that may open; it has rows in the
  // position problem; its direction that cannot gain is that of the beginning (-1) or of the end (1).
  std::vector<char> closed_, rests_, always_, in_;
  std::vector<signed char> lean_;
  std::vector<double> wanted_;   // velocities that restitution asks contacts to leave with
  bool rubs_ = false;            // there is friction in the position problem
  Buffer guess_, first_, both_;  // impulses of the last step; of the position problem; of both: rows as in before->rows
  Buffer drift_;                 // dg/dt along the directions
  Buffer given_, star_rows_;     // of the velocity problem: impulses of the first, rows at v*
  Buffer u_, scratch_;
  VectorXd v_star_, mean_, left_, v_good_;
  Buffer good_;                                    // impulses of the last stage that was solved
  Energies star_;                                  // at q+ with v*
  double ease_ = 0;                                // by which gaps are larger, on the way to a solution
  Unions islands_;                                 // of coordinates
  std::vector<double> part_;                       // of restitution that is applied, by island
  std::vector<double> high_, low_, middle_, now_;  // gains, by island
  bool redundant_ = false;
};

}  // namespace ricochet
