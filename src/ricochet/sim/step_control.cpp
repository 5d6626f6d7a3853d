#include "ricochet/sim/step_control.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/math/elementary.hpp"

namespace ricochet {

const char* name(Control control) {
  switch (control) {
    case Control::fixed: return "fixed";
    case Control::half_step: return "half-step";
    case Control::violation: return "violation";
    case Control::both: return "both";
  }
  return "";
}

const char* name(const StepControl& control) { return control.tolerance > 0 ? "auto" : name(control.kind); }

const char* name(LimitSource source) {
  switch (source) {
    case LimitSource::position: return "the error of a position";
    case LimitSource::velocity: return "the error of a velocity";
    case LimitSource::impact: return "an impact at an unknown moment of the step";
    case LimitSource::event: return "a contact that opens, slides, turns or is grazed at an unknown moment of the step";
    case LimitSource::violation: return "the violation of a constraint";
    case LimitSource::failure: return "a step that does not converge";
  }
  return "";
}

void Estimate::weigh(LimitSource from, const VectorXd& e, double factor, const VectorXd& atol, double rtol,
                     const VectorXd* x0, const VectorXd* x1) {
  for (Index i = 0; i < e.size(); ++i) {
    const double size = x0 != nullptr ? std::max(std::abs((*x0)[i]), std::abs((*x1)[i])) : 0;
    const double relative = factor * std::abs(e[i]) / (atol[i] + rtol * size);
    if (relative <= error) continue;  // not: if it is larger; a NaN counts
    error = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
    source = from;
    coordinate = static_cast<int>(i);
  }
}

void Estimate::weigh(LimitSource from, double relative) {
  if (relative <= error) return;
  error = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
  source = from;
  coordinate = -1;
}

double estimate_factor(int order) { return order == 0 ? 2.0 : 1 / (std::ldexp(1.0, order) - 1); }

double proposed_step(const StepControl& control, double h, double error, int order) {
  const double wanted = control.safety * elementary::pow(1 / std::max(error, 1e-300), 1.0 / (order + 1));
  return h * std::min(control.grow, std::max(control.shrink, wanted));
}

double quantised_step(double initial, double h) {
  const int k = std::ilogb(h / initial);
  // The quotient rounds: the neighbours decide.
  for (int n = k + 1; n > k - 1; --n)
    if (const double candidate = std::ldexp(initial, n); candidate <= h * (1 + 1e-12)) return candidate;
  return std::ldexp(initial, k - 1);
}

}  // namespace ricochet
