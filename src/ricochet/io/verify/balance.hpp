#pragma once
// Motion between two consecutive rows, whatever the scheme: q against v, and v against the impulses.
//
// Kinematics. During a step the velocity differs from v by no more than forces and impulses can have made of it, so
//
//     |q+ - q - h v|  <=  h (|v+ - v| + h |M^-1 F| + |M^-1 G| |P|) + [|M^-1 G| |tau| + |G| |tau|] + |N G| |tau|
//
// (each coordinate) with F = f - c + G lambda of both ends, tau the position-level multipliers, and [x] the largest x
// of the same body: schemes spread corrections by operators of their own. N is the metric of projections, one over the
// arms' squares (model/scales.hpp), where a coordinate moves by more in it than a length does.
//
// Momentum. Every scheme balances M (v+ - v) = h F* + G P with F* a mean of F over the step, and, where it remembers,
// over the steps before, the weight of which it halves from step to step or faster. Hence, with r = M (v+ - v) - h F -
// G P by the rule of the midpoint,
//
//     |r|  <=  h R + |d M| |v+ - v| + |d G| |P| + M 1 u,            R_k = |d F| + R_{k-1} / 2         (each coordinate)
//
// where |d X| = |X+ - X| + 4 |X_middle - (X + X+)/2| is how X changes over the step, with the middle of the parabola
// that has both velocities, so that a wave that both ends do not show is included; u is the velocity that the tolerance
// leaves; and rounding, of the terms and of the positions that forces are taken at. What a constant force does, a fall,
// a weight on a contact, is thus checked to rounding; an impulse that is wrong by a factor shows unless it is smaller
// than the forces change within a step.
//
// Where a step has two impulses, at mid-step and at its end, |P| is the sum of the sizes of both.
//
// Steps that have parts of their own (SchemeInfo::one_impulse false) may contain motion that their ends do not show: a
// wave that passes, an impact; and their velocity may be a combination of several, with the impulses of one. There the
// bounds are those of the body, [h |M^-1 F| + ...] and 10 M [h M^-1 R], with a tenth of |G| |P|; the
// latter also in the steps after a correction of the positions, since forces may be taken before or after it, and for
// the coordinates of rotations, which schemes take in other axes of the body than the midpoint's. These axes turn by
// |x| within the step, and with them all terms of the balance: |x| (|M (v+ - v)| + h |F| + |G| |P|) is added there.
// Schemes
// that do not converge across impacts, or have positions only, spread an impulse over several steps: there, too, and G
// P / h is one of the forces F, and as nothing is known of the time before the first row, or in terms of a step of
// another size, |F| is added to R.
#include "ricochet/io/verify/findings.hpp"
#include "ricochet/io/verify/recorded_step.hpp"

namespace ricochet {

class BalanceCheck {
 public:
  BalanceCheck(const Model& model, const Scheme& scheme, const State& initial);
  void check(const RecordedStep& step, Findings& findings);
  /// Rows whose momentum cannot be judged: positions and velocities are finite at both ends of the step, and forces at
  /// one of them, or in the middle where it never was, are not (an element inside out).
  const std::vector<std::int64_t>& unjudged() const { return unjudged_; }

 private:
  void forces(const EvaluatedRow& at, const std::vector<double>& smooth, VectorXd& F, VectorXd& size);
  void reach(const RecordedStep& step);
  /// Of the turns that lead from q to q+, the difference is the shortest; makes it that which is nearest to h v.
  void unwind(const RecordedStep& step);
  /// Each coordinate the largest of its body.
  void widen(VectorXd& x) const;
  /// What the turning of a body's axes within the step does to the terms of the balance.
  void add_turning_axes(const RecordedStep& step, VectorXd& accepted);
  /// The middle of the step.
  struct Middle {
    double t;
    VectorXd q;      ///< of the straight line
    VectorXd bowed;  ///< of the parabola that has both velocities
    VectorXd v;
  };
  Middle middle(const RecordedStep& step) const;
  void add_force_change(const RecordedStep& step, const Middle& at);
  /// What rounding of the positions makes of the forces; those of stiff elements are small differences of large terms.
  VectorXd force_rounding(const Middle& at);
  VectorXd mass_change(const RecordedStep& step, const Middle& at);
  /// Of the step's P, or of the mean of this and the last one where they are spread; what that leaves open is added to
  /// `accepted`.
  void add_first_joints(const RecordedStep& s, VectorXd& accepted) const;
  void subtract_impulses(const RecordedStep& step, const Middle& at, VectorXd& r, VectorXd& accepted);
  void check_momentum(const RecordedStep& step, Findings& findings);
  void check_kinematics(const RecordedStep& step, Findings& findings);

  const Model& model_;
  Tolerances tolerance_;
  bool spread_;  ///< impulses may act over several steps
  bool parts_;   ///< steps have parts of their own
  bool two_;     ///< and an impulse at mid-step and one at the end
  std::vector<Range> bodies_;
  VectorXd curved_;  ///< 1 where coordinates are those of a rotation, else 0
  Workspace w_;
  std::vector<std::string> position_columns_, velocity_columns_;
  VectorXd F_begin_, F_middle_, F_end_, size_begin_, size_end_, change_, x_;
  VectorXd reach_;                     ///< how far q+ may be from q + h v
  VectorXd scale_;                     ///< of the mass, each coordinate
  VectorXd impulse_, impulse_before_;  ///< G P at the end of a step
  Rows middle_, straight_;
  double h_before_ = 0;
  std::vector<std::int64_t> unjudged_;
  int corrected_ = 0;  ///< steps for which a correction of the positions still counts
};

}  // namespace ricochet
