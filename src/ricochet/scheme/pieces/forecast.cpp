#include "ricochet/scheme/pieces/forecast.hpp"

namespace ricochet {

Forecast::Forecast(const Options& o, double weight_of_end)
    : rule(o.choice("forecast") == "free"          ? Rule::free
           : o.choice("forecast") == "energy-safe" ? Rule::energy_safe
                                                   : Rule::by_velocity),
      gamma(o.number("gamma")),
      weight(weight_of_end) {}

void Forecast::activate(double h, ConstView v_free, double tolerance, const Workspace& w,
                        std::vector<int>& pick) const {
  const Rows& rows = w.before->rows;
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    if (!w.candidates[i].unilateral()) continue;
    const int k = static_cast<int>(i);
    const double g = gap_before(w, k), U = U_before(w, k), near = tolerance * gap_size(w, k);
    bool closed = false;
    switch (rule) {
      case Rule::by_velocity: closed = g + gamma * h * U <= near; break;
      case Rule::energy_safe: closed = g + h * U <= near && U * w.scale.time <= near; break;
      case Rule::free: {
        const Jacobian::Block& b = rows.G.blocks()[i];
        const double U_free = rows.G.row_times(b, 0, v_free) + rows.g_t[b.row];
        closed = g + h * (weight * U_free + (1 - weight) * U) <= near;
        break;
      }
    }
    if (closed) pick.push_back(k);
  }
}

std::vector<OptionInfo> forecast_options() {
  return {choice_option("forecast", "explicit", {"explicit", "free", "energy-safe"}, "rule that activates contacts"),
          number_option("gamma", 0, 0, 2, "explicit forecast: g + gamma h U")};
}

}  // namespace ricochet
