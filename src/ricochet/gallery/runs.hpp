#pragma once
// What the entries share: runs of scenarios, numbers of columns, plots of them.
#include <string>
#include <vector>

#include "ricochet/gallery/entry.hpp"
#include "ricochet/io/result/trajectory.hpp"

namespace ricochet::gallery {

using Column = std::vector<double>;

/// Runs a shipped scenario; overrides as for --set, where "scheme=", "step=" and "until=" stand for those of
/// `simulation`. Throws std::runtime_error if the run does not finish.
Trajectory simulate(const std::string& scenario, std::vector<std::string> overrides = {},
                    const std::vector<std::string>& columns = {});
/// "key=value" with all digits.
std::string set(const std::string& key, double value);

double largest(const Column& x);            ///< NaN are skipped
double smallest(const Column& x);           ///< NaN are skipped
double largest_magnitude(const Column& x);  ///< NaN are skipped
/// The part of x where t lies in [from, to].
Column window(const Column& t, const Column& x, double from, double to);
/// Of consecutive rows: x[k + 1] - x[k].
Column increments(const Column& x);
/// Value at time t, linear between rows.
double value_at(const Column& t, const Column& x, double time);
/// Integral over time of |x - y|, trapezoidal on the grid of x; y is sampled linearly.
double l1_distance(const Column& t, const Column& x, const Column& t_other, const Column& y);

/// One line of a figure; `column` over time.
svg::Series line(const std::string& name, const Trajectory& run, const std::string& column);
svg::Plot plot_over_time(const std::string& title, const std::string& label, const std::string& unit,
                         std::vector<svg::Series> series);
/// The same plot between two times, with the values found there.
svg::Plot zoom(svg::Plot plot, double from, double to);

/// The values from `from` on.
Column after(const Trajectory& run, const std::string& column, double from);
/// Sum of the magnitudes of the changes of energy over all steps in which none of the contacts acts.
double lost_in_flight(const Trajectory& run, const std::vector<std::string>& contacts);

}  // namespace ricochet::gallery
