#pragma once
// The laws of contact over a recorded step, by an evaluation of its own.
//
// Where the impulse of a step joins the velocities of its two ends (SchemeInfo::one_impulse), the natural map
// p - P_K(p - rho u) of every contact that carries an impulse or is closed at both ends, with rho from the mass alone.
// Elsewhere, what holds for any lawful parts: the sum of their impulses lies in the cone, and what is closed at both
// ends without restitution does not approach.
#include "ricochet/io/verify/findings.hpp"
#include "ricochet/io/verify/recorded_step.hpp"

namespace ricochet {

/// What the law's errors are measured by.
struct LawSizes {
  double speed;  ///< the largest velocity of the run
  double told;   ///< the complementarity that the step recorded
};

class LawCheck {
 public:
  LawCheck(const Scheme& scheme, const Scales& scales);
  void check(const RecordedStep& step, const LawSizes& sizes, Findings& findings);
  double worst() const { return worst_; }  ///< complementarity, recomputed [m/s]
  bool whole() const { return by_jump_; }  ///< the law itself is checked, not only what follows from it

 private:
  void check_jump(const RecordedStep& step, std::size_t i, double accepted, Findings& findings);
  void check_sum(const RecordedStep& step, std::size_t i, double accepted, Findings& findings);
  static void impulse_scales(const RecordedStep& step, std::size_t i, bool parts, double* rho);

  const SchemeInfo info_;
  Tolerances tolerance_;
  double closed_, slow_;  ///< gaps and velocities that count as none
  double velocity_;       ///< scale
  bool by_jump_;
  double told_ = 0, worst_ = 0;
};

}  // namespace ricochet
