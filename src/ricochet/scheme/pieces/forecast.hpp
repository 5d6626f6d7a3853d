#pragma once
// Rules that decide, before the impulses are known, which contacts get the velocity-level law in a step.
//
//     explicit:     g_k + gamma h U_k <= tolerance                                       acary-2012 (61)
//     free:         g_k + h (w U_free + (1 - w) U_k) <= tolerance                        (62), w the weight of the end
//     energy-safe:  g_k + h U_k <= tolerance and U_k <= tolerance                        acary-2014 (26)
#include "ricochet/scheme/pieces/stage.hpp"

namespace ricochet {

struct Forecast {
  enum class Rule { by_velocity, free, energy_safe };
  Rule rule = Rule::by_velocity;
  double gamma = 0;
  double weight = 0.5;  ///< of the end of the step in the increment of q

  Forecast(const Options& options, double weight_of_end);
  bool needs_free_velocity() const { return rule == Rule::free; }
  /// Every contact that is closed at the beginning gets the law; the other rules leave out those that would open.
  bool holds_closed() const { return rule == Rule::by_velocity && gamma == 0; }
  /// Appends the contacts whose forecast gap is closed; v_free matters to the free rule alone.
  void activate(double h, ConstView v_free, double tolerance, const Workspace& w, std::vector<int>& pick) const;
};

/// The rows `forecast` and `gamma` of a scheme's options.
std::vector<OptionInfo> forecast_options();

}  // namespace ricochet
