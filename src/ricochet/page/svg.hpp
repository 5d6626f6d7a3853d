#pragma once
// Plots as SVG text, from plain numbers: lines, steps, points and stacked areas, linear and logarithmic axes. They need
// no script, scale with the page, print well, and keep the same size however many samples there are.
//
//   svg::Plot plot{.title = "Height", .x = {.label = "time", .unit = "s"}, .y = {.label = "height", .unit = "m"}};
//   plot.series.push_back({.name = "moreau-jean", .x = t, .y = y});
//   std::string figure = svg::render(plot);
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ricochet::svg {

enum class Style : std::uint8_t {
  line,
  step,        ///< a value holds until the next one
  points,      ///< markers alone
  line_points  ///< markers joined by lines
};

struct Series {
  std::string name{};  ///< in the legend; empty: not in the legend
  std::vector<double> x{};
  std::vector<double> y{};  ///< NaN leaves a gap
  Style style = Style::line;
  bool dashed = false;
  std::string colour{};  ///< any of CSS; empty: the next of the palette
};

struct Axis {
  std::string label{};
  std::string unit{};
  bool log = false;                  ///< values <= 0 leave a gap
  std::vector<std::string> names{};  ///< in place of numbers, at 0, 1, 2, ...; of the y axis, from top to bottom
  // NaN: from the data.
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
};

/// A straight line across the plot, say a tolerance or the time of an event.
struct Rule {
  double at = 0;
  bool vertical = false;
  std::string label{};
};

/// A filled rectangle in units of the axes: bars, spans of time.
struct Box {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  std::string colour{};
};

struct Plot {
  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
  std::vector<Rule> rules{};
  std::vector<Box> boxes{};   ///< drawn below the lines; a series without samples names a colour of them in the legend
  bool stacked = false;       ///< areas upon each other, positive upwards and negative downwards; one x for all
  bool equal_scales = false;  ///< a metre in x is as long as a metre in y
  bool tooltips = true;       ///< name and range of a series under the pointer
  bool zoom = false;          ///< carry the numbers along, so that a Page lets its reader zoom and pan in x
  int width = 560;            ///< half a page of a Page; 1120 fills it
  int height = 310;
};

std::string render(const Plot& plot);

/// The colour of series k: eight that readers with any colour vision tell apart, also in grey print.
std::string colour(std::size_t k);

/// Indices of at most about `limit` samples that draw the same line: in each of limit/4 slices of x the first, the
/// lowest, the highest and the last. Where x goes back and forth: the points that move more than a growing fraction of
/// the extent. NaN are kept as gaps.
std::vector<std::size_t> decimate(std::span<const double> x, std::span<const double> y, std::size_t limit = 2000);

struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
  std::vector<double> minor;  ///< lines without a label
  std::string note;           ///< "×10⁻³" or "+ 9.81", to be shown at the end of the axis
};

Ticks linear_ticks(double min, double max, int about);
Ticks log_ticks(double min, double max, int about);

/// Numbers as text that a script reads back: 32 bits each, base 64.
std::string packed(std::span<const double> numbers);

/// For text and attributes of SVG and HTML.
std::string escape(std::string_view text);

}  // namespace ricochet::svg
