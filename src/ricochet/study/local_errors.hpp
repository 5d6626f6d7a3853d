#pragma once
// Local errors: one step from the exact state, compared with the exact state at its end (acary-2018 (114) and what
// follows; acary-2012, propositions 1 and 2; bruls-2014, section 7). The step holds the first impact at t* = t_k +
// sigma h, sigma in (0, 1): where the scheme sees the impact in this step, the velocity is wrong by O(h), where it does
// not, by O(1); the position is wrong by O(h) in both cases, and the multipliers of the position level are O(h).
#include "ricochet/study/study.hpp"

namespace ricochet {

struct LocalError {
  std::size_t variant = 0;
  double step = 0, sigma = 0;
  double e_q = 0, e_v = 0;  ///< sizes
  double correction = 0;    ///< position-level multiplier, tau or nu
  bool right = false;       ///< there was an impulse in this step
  bool converged = true;
};

/// The orders over the steps of one kind; per size of the step the largest error over sigma counts.
struct LocalOrders {
  int steps = 0;
  OrderFit e_q, e_v, correction;
};

class LocalStudy {
 public:
  /// `places` values of sigma for each step size. InputError if the scenario has no closed form or no impact.
  LocalStudy(const Scenario& base, std::vector<Variant> variants, const std::vector<double>& steps, int places = 12);
  const std::vector<Variant>& variants() const { return variants_; }
  const std::vector<LocalError>& errors() const { return errors_; }
  const std::string& name() const { return name_; }
  double impact_time() const { return impact_; }
  LocalOrders orders(std::size_t variant, bool right) const;

 private:
  void measure(std::size_t variant, double h, double sigma, const ClosedForm& exact);

  std::string name_;
  std::vector<Variant> variants_;
  std::vector<LocalError> errors_;
  double impact_ = 0;
};

}  // namespace ricochet
