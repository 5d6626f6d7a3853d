#include "ricochet/page/profile_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/page/svg.hpp"

namespace ricochet {

std::string profile_plot(const std::string& title, const std::vector<ProfileMethod>& methods) {
  const std::size_t problems = methods.empty() ? 0 : methods.front().seconds.size();
  std::vector<double> best(problems, std::numeric_limits<double>::infinity());
  for (const ProfileMethod& method : methods)
    for (std::size_t k = 0; k < problems; ++k)
      if (method.seconds[k] < best[k]) best[k] = method.seconds[k];
  std::vector<std::vector<double>> ratios;
  double widest = 2;
  for (const ProfileMethod& method : methods) {
    std::vector<double>& mine = ratios.emplace_back();
    for (std::size_t k = 0; k < problems; ++k)
      if (std::isfinite(method.seconds[k])) mine.push_back(std::max(1.0, method.seconds[k] / best[k]));
    std::sort(mine.begin(), mine.end());
    if (!mine.empty()) widest = std::max(widest, mine.back());
  }
  svg::Plot plot{.title = title, .width = 760, .height = 420};
  plot.x = {.label = "time, as a multiple of the fastest", .log = true, .min = 1, .max = 1.2 * widest};
  plot.y = {.label = "share of problems solved", .min = 0, .max = 1.02};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    svg::Series series{.name = methods[m].name, .style = svg::Style::step};
    series.x.push_back(1);
    series.y.push_back(0);
    for (std::size_t k = 0; k < ratios[m].size(); ++k) {
      series.x.push_back(ratios[m][k]);
      series.y.push_back(static_cast<double>(k + 1) / static_cast<double>(problems));
    }
    series.x.push_back(1.2 * widest);
    series.y.push_back(series.y.back());
    plot.series.push_back(std::move(series));
  }
  return svg::render(plot);
}

}  // namespace ricochet
