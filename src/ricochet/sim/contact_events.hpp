#pragma once
// What two halves and a whole step cannot see, because they are wrong alike. A time-stepping scheme knows the force of
// a closed contact as a mean over the step, and decides by it whether the contact holds, sticks or slides: an event
// between the last mean and the end of the step, or before the first, is taken at the wrong moment by both. So the
// margins s(t) of the contacts are watched themselves:
//
//   holds    s = lambda_N               while it is closed, -U_N'/W_N once it has opened
//   sticks   s = mu lambda_N - |lambda_T|   while it sticks, -|U_T'|/W_T once it slides           W = G^T M^-1 G
//
// s_1, s_2 are the means of the two halves, s_c that of the whole, d = |s_c - (s_1 + s_2)/2| how far they are from a
// straight line. An event is in the step if s changes sign; it may be if s does so when continued over another half
// step, 2 s_2 - s_1 < 4 d, or min(s_1, s_2) < 4 d. A straight line has the slope (s_1 - s_2)/(h/2) and is nowhere
// further than h/4 from the middle of a half: what the scheme holds too long or lets go too early is at most
// slope (h/4)^2/2 = |s_1 - s_2| h/16 in impulse. Weighed is twice that, with d added: M^-1 G (|s_1 - s_2| + d) h/8.
//
//   turns    sliding turns round between two halves: friction points the wrong way for part of one,
//            M^-1 G |lambda_T2 - lambda_T1| h/2; or a half brings it to rest although the forces along the contact,
//            f = U_T'/W_T - lambda_T, are more than friction: M^-1 G (|f| - mu lambda_N) h/2
//   grazes   an open gap has its minimum inside a half step (cubic through g and U at its ends) and that is below zero:
//            an impact is passed over, M^-1 G/W (1 + e) sqrt(2 |g_min| U_N')
//
// A step with an impact has impulses in place of forces; the control bounds it by its jump (step_control.hpp), which
// makes it so short that nothing else in it matters.
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet {

/// The lowest point of a gap between two times, h apart, by its values and rates there; only asked if it first falls
/// and then rises.
double lowest_gap(double g0, double U0, double g1, double U1, double h);

/// A step in both ways, all from the same state.
struct ComparedStep {
  const State& from;
  double h;
  const State &half, &next, &coarse;
  const StepReport &half_report, &next_report;  ///< with their constraints
};

class ContactEvents {
 public:
  explicit ContactEvents(const Model& model);
  /// True if a contact closes, opens, sticks, slides or turns, or may do so before the end of the step. `e`: the error
  /// of the velocity for which the comparison is blind, by coordinate (nv).
  bool look(const ComparedStep& step, VectorXd& e);
  /// M^-1 G of the normal of a contact at this state, divided by W if asked; false: M has no inverse.
  bool response(const State& at, const Candidate& c, int row, bool per_velocity, VectorXd& x);
  /// Sum of |G| over the coordinates, of the row of the last response.
  double reach() const { return reach_; }
  /// The mass is asked anew: the next response is at another state.
  void forget() { mass_known_ = false; }

 private:
  struct Half;
  void begin(const State& from, double h);
  void add(const State& at, const Candidate& c, int row, double force, double rate, VectorXd& e);
  bool look_at(const ComparedStep& step, std::size_t i, VectorXd& e);
  void graze(const ComparedStep& step, std::size_t i, VectorXd& e);
  /// What pulls along the contact apart from its friction, as a force: |U_T'/W_T - lambda_T|.
  double driven(const State& at, const Half& half);
  bool normal(const ComparedStep& step, const Half& a, const Half& b, VectorXd& e);
  bool tangent(const ComparedStep& step, const Half& a, const Half& b, VectorXd& e);

  const Model& model_;
  bool any_contacts_ = false;
  ModelScratch scratch_;
  std::vector<Candidate> candidates_;
  Rows rows_, one_;
  Buffer U_;
  Operator mass_;
  bool mass_known_ = false, mass_regular_ = false;
  VectorXd x_;
  double reach_ = 0;
};

}  // namespace ricochet
