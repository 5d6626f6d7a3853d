#pragma once
// The figures of a result, by name: for the page of a result, and one by one as files.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet {

struct PlotKind {
  const char* name;
  const char* summary;
};
/// energy, dissipation, positions, velocities, gaps, ...
const std::vector<PlotKind>& plot_kinds();

struct PlotOptions {
  std::vector<std::string> names;  ///< of coordinates, contacts, joints; empty: all, or some of many
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
};

struct ResultPlot {
  svg::Plot plot;
  std::string caption;
};

/// Reads what it needs once; several figures of one result share it.
class ResultPlots {
 public:
  explicit ResultPlots(const Results& results, PlotOptions options = {});
  /// Nothing where the result has none of it: no contacts, no dissipation. InputError for an unknown kind or name, or a
  /// time window without rows.
  std::optional<ResultPlot> make(const std::string& kind) const;

 private:
  using Plot = std::optional<ResultPlot>;
  struct Chosen {
    std::string name;
    std::vector<double> values;
    std::string colour;  ///< that of its coordinate or constraint in all figures
  };
  std::vector<double> window(const std::vector<double>& all) const;
  std::vector<double> column(const std::string& name) const;
  /// "q", "gap": some of many; of coordinates those in this unit.
  std::vector<Chosen> columns(const std::string& kind, std::string& caption, const std::string& unit = {}) const;
  Plot coordinates(const std::string& title, const std::string& kind, std::string unit) const;
  std::vector<std::vector<int>> contact_states(const std::vector<int>& items) const;
  void check_names() const;
  void find_jumps();
  /// A quantity that jumps where velocities do: the values of both rows at the time of the impact.
  svg::Series with_jumps(std::string name, const std::vector<double>& y, std::string colour = {}) const;
  svg::Plot over_time(const std::string& title, const std::string& unit) const;
  enum class Shape : std::uint8_t { smooth, jumps, from_zero };
  Plot curves(const std::string& title, const std::string& unit, std::vector<Chosen> columns, std::string caption,
              Shape shape = Shape::smooth) const;
  Plot energy() const;
  Plot dissipation() const;
  Plot phase() const;
  Plot timeline() const;
  Plot iterations() const;
  Plot spectrum() const;
  Plot certificate() const;

  const Results& r_;
  PlotOptions options_;
  std::size_t first_ = 0, last_ = 0;  ///< rows of the window
  std::vector<double> t_;
  std::vector<double> jumps_;  ///< of each row: when velocities jumped since the row before; NaN: they did not
};

}  // namespace ricochet
