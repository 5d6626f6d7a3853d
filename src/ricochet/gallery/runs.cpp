#include "ricochet/gallery/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ricochet::gallery {

Trajectory simulate(const std::string& scenario, std::vector<std::string> overrides,
                    const std::vector<std::string>& columns) {
  for (std::string& o : overrides)
    for (const char* key : {"scheme=", "step=", "until="})
      if (o.starts_with(key)) o = "simulation." + o;
  const Scenario s = load_scenario(scenario, overrides);
  Trajectory run = ricochet::simulate(s, columns);
  if (run.result.status != RunStatus::finished)
    throw std::runtime_error(fmt::format("{} with {} stopped at t = {:g} s: {}", s.name, s.scheme, run.result.failed_at,
                                         name(run.result.failure.status)));
  return run;
}

std::string set(const std::string& key, double value) { return fmt::format("{}={:.17g}", key, value); }

double largest(const Column& x) {
  double out = -std::numeric_limits<double>::infinity();
  for (double value : x) out = value > out ? value : out;
  return out;
}

double smallest(const Column& x) {
  double out = std::numeric_limits<double>::infinity();
  for (double value : x) out = value < out ? value : out;
  return out;
}

double largest_magnitude(const Column& x) { return std::max(largest(x), -smallest(x)); }

Column window(const Column& t, const Column& x, double from, double to) {
  Column out;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] >= from && t[k] <= to) out.push_back(x[k]);
  return out;
}

Column increments(const Column& x) {
  Column out;
  for (std::size_t k = 1; k < x.size(); ++k) out.push_back(x[k] - x[k - 1]);
  return out;
}

double value_at(const Column& t, const Column& x, double time) {
  const auto after = std::upper_bound(t.begin(), t.end(), time);
  if (after == t.begin()) return x.front();
  if (after == t.end()) return x.back();
  const auto k = static_cast<std::size_t>(after - t.begin());
  return x[k - 1] + (x[k] - x[k - 1]) * (time - t[k - 1]) / (t[k] - t[k - 1]);
}

double l1_distance(const Column& t, const Column& x, const Column& t_other, const Column& y) {
  double sum = 0, before = std::abs(x.front() - value_at(t_other, y, t.front()));
  for (std::size_t k = 1; k < t.size(); ++k) {
    const double here = std::abs(x[k] - value_at(t_other, y, t[k]));
    sum += (t[k] - t[k - 1]) * (before + here) / 2;
    before = here;
  }
  return sum;
}

svg::Series line(const std::string& name, const Trajectory& run, const std::string& column) {
  return {.name = name, .x = run.t(), .y = run[column]};
}

svg::Plot plot_over_time(const std::string& title, const std::string& label, const std::string& unit,
                         std::vector<svg::Series> series) {
  return {.title = title,
          .x = {.label = "time", .unit = "s"},
          .y = {.label = label, .unit = unit},
          .series = std::move(series)};
}

svg::Plot zoom(svg::Plot plot, double from, double to) {
  plot.title += ", zoom";
  for (svg::Series& s : plot.series) {
    const Column x = s.x;
    s.y = window(x, s.y, from, to);
    s.x = window(x, x, from, to);
  }
  plot.x.min = from;
  plot.x.max = to;
  return plot;
}

Column after(const Trajectory& run, const std::string& column, double from) {
  return window(run.t(), run[column], from, run.t().back());
}

double lost_in_flight(const Trajectory& run, const std::vector<std::string>& contacts) {
  double sum = 0;
  for (std::size_t k = 1; k < run.rows(); ++k) {
    const bool free = std::all_of(contacts.begin(), contacts.end(), [&](const std::string& c) {
      return run["P." + c][k] == 0 && run["correction." + c][k] == 0;
    });
    if (free) sum += std::abs(run["E"][k] - run["E"][k - 1]);
  }
  return sum;
}

}  // namespace ricochet::gallery
