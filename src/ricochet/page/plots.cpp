#include "ricochet/page/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ricochet/analysis/spectrum.hpp"
#include "ricochet/io/error.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet {
namespace {

constexpr std::size_t kLines = 8;  // as many as the palette tells apart
constexpr const char* kClosed = "#009E73";
constexpr const char* kStuck = "#0072B2";
constexpr const char* kSliding = "#E69F00";

// Some of many, evenly.
std::vector<std::size_t> some(std::size_t n) {
  std::vector<std::size_t> out;
  const std::size_t m = std::min(n, kLines);
  for (std::size_t k = 0; k < m; ++k) out.push_back(m == n || m < 2 ? k : k * (n - 1) / (m - 1));
  return out;
}

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// Coordinates of bodies have units by their names; those of formulas and matrices are what their author made of them.
constexpr const char* kAnyUnit = "SI";
std::string unit_of(const ResultNames& names, const std::string& coordinate, bool velocity) {
  const std::size_t dot = coordinate.rfind('.');
  const std::string body = dot == std::string::npos ? "" : coordinate.substr(0, dot);
  const std::string part = coordinate.substr(dot == std::string::npos ? 0 : dot + 1);
  if (std::find(names.bodies.begin(), names.bodies.end(), body) == names.bodies.end()) return kAnyUnit;
  if (part == "x" || part == "y" || part == "z") return velocity ? "m/s" : "m";
  if (part == "angle" || part.starts_with("w")) return velocity ? "rad/s" : "rad";
  return part.starts_with("q") ? "1" : kAnyUnit;
}

// Spans of time in one state. A box narrower than a pixel is not seen: what is shorter than a part of the window in a
// thousand joins its neighbour.
struct Span {
  double from, to;
  int state;
};
std::vector<Span> spans(const std::vector<double>& t, const std::vector<int>& state) {
  std::vector<Span> out;
  const double shortest = (t.back() - t.front()) / 4000;
  for (std::size_t i = 1; i < t.size(); ++i) {  // a row says what happened since the row before
    if (!out.empty() && (out.back().state == state[i] || out.back().to - out.back().from < shortest)) {
      if (out.back().state != state[i]) out.back().state = std::max(out.back().state, state[i]);
      out.back().to = t[i];
    } else {
      out.push_back({t[i - 1], t[i], state[i]});
    }
  }
  return out;
}

}  // namespace

const std::vector<PlotKind>& plot_kinds() {
  static const std::vector<PlotKind> all{{"energy", "total, kinetic and potential energy over time"},
                                         {"dissipation", "where the energy went, stacked by origin"},
                                         {"positions", "coordinates over time, of bodies their places"},
                                         {"angles", "angles of bodies in a plane over time"},
                                         {"orientations", "unit quaternions of bodies in space over time"},
                                         {"velocities", "velocities over time, of bodies those of their places"},
                                         {"spins", "angular velocities of bodies over time"},
                                         {"coordinates", "of formulas and matrices that stand beside bodies"},
                                         {"rates", "their velocities"},
                                         {"phase", "velocities over positions"},
                                         {"gaps", "gaps over time; below zero is penetration"},
                                         {"residuals", "joint residuals over time"},
                                         {"impulses", "normal impulses over time"},
                                         {"timeline", "when contacts are open, closed, sticking, sliding"},
                                         {"iterations", "how many iterations the steps took"},
                                         {"spectrum", "amplitudes of the positions over frequency"},
                                         {"certificate", "errors of the steps over time"}};
  return all;
}

ResultPlots::ResultPlots(const Results& results, PlotOptions options) : r_(results), options_(std::move(options)) {
  t_ = r_.column("t");
  first_ = static_cast<std::size_t>(std::lower_bound(t_.begin(), t_.end(), options_.from) - t_.begin());
  last_ = static_cast<std::size_t>(std::upper_bound(t_.begin(), t_.end(), options_.to) - t_.begin());
  if (first_ >= last_)
    throw InputError(r_.file(),
                     fmt::format("there are no rows between {:g} and {:g} s; accepted: times from {:g} to {:g} s",
                                 options_.from, options_.to, t_.front(), t_.back()));
  t_ = {t_.begin() + static_cast<std::ptrdiff_t>(first_), t_.begin() + static_cast<std::ptrdiff_t>(last_)};
  find_jumps();
  check_names();
}

// Event tracking tells the time of an impact; with time stepping it is that of the row.
void ResultPlots::find_jumps() {
  const auto impacts = column("impacts");
  const std::vector<Event> events = r_.events();
  jumps_.assign(t_.size(), std::numeric_limits<double>::quiet_NaN());
  auto event = events.begin();
  for (std::size_t k = 1; k < t_.size(); ++k) {
    if (impacts[k] > 0) jumps_[k] = t_[k];
    const auto passed = [&] { return event == events.end() || event->t > t_[k]; };
    bool first = true;
    for (; !passed(); ++event)
      if (event->kind == EventKind::impact && event->t > t_[k - 1] && std::exchange(first, false)) jumps_[k] = event->t;
  }
}

svg::Series ResultPlots::with_jumps(std::string name, const std::vector<double>& y, std::string colour) const {
  svg::Series out{.name = std::move(name), .colour = std::move(colour)};
  for (std::size_t k = 0; k < t_.size(); ++k) {
    if (!std::isnan(jumps_[k])) {
      out.x.insert(out.x.end(), {jumps_[k], jumps_[k]});
      out.y.insert(out.y.end(), {y[k - 1], y[k]});
    }
    out.x.push_back(t_[k]);
    out.y.push_back(y[k]);
  }
  return out;
}

void ResultPlots::check_names() const {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const std::string& name : r_.names().positions) add(name);
  for (const std::string& name : r_.names().velocities) add(name);
  for (const ConstraintItem& item : r_.names().items) add(item.name);
  for (const std::string& name : options_.names)
    if (std::find(all.begin(), all.end(), name) == all.end()) throw InputError("--of", unknown_word("name", name, all));
}

std::optional<ResultPlot> ResultPlots::make(const std::string& kind) const {
  std::string caption;
  if (kind == "energy") return energy();
  if (kind == "dissipation") return dissipation();
  if (kind == "positions") return coordinates("Positions", "q", "m");
  if (kind == "angles") return coordinates("Angles", "q", "rad");
  if (kind == "orientations") return coordinates("Orientations", "q", "1");
  if (kind == "velocities") return coordinates("Velocities", "v", "m/s");
  if (kind == "coordinates") return coordinates("Coordinates", "q", kAnyUnit);
  if (kind == "rates") return coordinates("Rates", "v", kAnyUnit);
  if (kind == "spins") return coordinates("Angular velocities", "v", "rad/s");
  if (kind == "phase") return phase();
  if (kind == "gaps")
    return curves("Gaps", "m", columns("gap", caption), "Below zero is penetration. " + caption, Shape::from_zero);
  if (kind == "residuals")
    return curves("Joint residuals", "", columns("residual", caption), "First row of each joint. " + caption,
                  Shape::from_zero);
  if (kind == "impulses")
    return curves("Normal impulses", "N s", columns("P", caption),
                  "Over the time between two rows; of a joint its first row. " + caption);
  if (kind == "timeline") return timeline();
  if (kind == "iterations") return iterations();
  if (kind == "spectrum") return spectrum();
  if (kind == "certificate") return certificate();
  std::vector<std::string> names;
  for (const PlotKind& k : plot_kinds()) names.emplace_back(k.name);
  throw InputError("--what", unknown_word("plot", kind, names));
}

std::vector<double> ResultPlots::window(const std::vector<double>& all) const {
  return {all.begin() + static_cast<std::ptrdiff_t>(first_), all.begin() + static_cast<std::ptrdiff_t>(last_)};
}

std::vector<double> ResultPlots::column(const std::string& name) const { return window(r_.column(name)); }

// Of a constraint its first row.
std::vector<ResultPlots::Chosen> ResultPlots::columns(const std::string& kind, std::string& caption,
                                                      const std::string& unit) const {
  struct Column {
    NamedColumn column;
    std::size_t place;  ///< of its coordinate or constraint, which gives the colour
  };
  const bool coordinate = kind == "q" || kind == "v";
  std::vector<std::string> names = kind == "v" ? r_.names().velocities : r_.names().positions;
  if (!coordinate) {
    names.clear();
    for (const ConstraintItem& item : r_.names().items) names.push_back(item.name);
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < names.size(); ++k) places.emplace(names[k], k);
  std::vector<Column> all, picked;
  const auto name = [&](const Column& c) { return c.column.name.substr(kind.size() + 1); };
  for (const NamedColumn& c : r_.columns()) {
    if (!c.name.starts_with(kind + ".")) continue;
    const auto place = places.find(c.name.substr(kind.size() + 1));
    if (place == places.end()) continue;
    if (!unit.empty() && unit_of(r_.names(), place->first, kind == "v") != unit) continue;
    all.push_back({c, place->second});
  }
  for (const Column& c : all)
    if (std::find(options_.names.begin(), options_.names.end(), name(c)) != options_.names.end()) picked.push_back(c);
  if (picked.empty())
    for (std::size_t k : some(all.size())) picked.push_back(all[k]);
  if (picked.size() < all.size()) caption = fmt::format("{} of {} are shown.", picked.size(), all.size());
  std::vector<NamedColumn> wanted;
  for (const Column& c : picked) wanted.push_back(c.column);
  // The palette has eight colours: where two of those shown would get the same, they are counted through.
  std::set<std::size_t> colours;
  for (const Column& c : picked) colours.insert(c.place % kLines);
  const bool own = colours.size() == picked.size();
  std::vector<Chosen> out;
  const auto values = r_.values(wanted);
  for (std::size_t k = 0; k < picked.size(); ++k)
    out.push_back({name(picked[k]), window(values[k]), svg::colour(own ? picked[k].place : k)});
  return out;
}

// One figure, one unit. What was asked for by name is shown whatever it is; without places, the coordinates of formulas
// take their figure, else they have one of their own.
std::optional<ResultPlot> ResultPlots::coordinates(const std::string& title, const std::string& kind,
                                                   std::string unit) const {
  std::string caption;
  const bool place = unit == "m" || unit == "m/s", velocity = kind == "v";
  if (!options_.names.empty()) {
    auto asked = columns(kind, caption);
    std::set<std::string> units;
    for (const Chosen& c : asked) units.insert(unit_of(r_.names(), c.name, velocity));
    return curves(title, units.size() == 1 ? *units.begin() : kAnyUnit, std::move(asked), caption,
                  velocity ? Shape::jumps : Shape::smooth);
  }
  if (place || unit == kAnyUnit) {
    const bool no_places = columns(kind, caption, velocity ? "m/s" : "m").empty();
    if (unit == kAnyUnit && no_places) return std::nullopt;
    if (no_places) unit = kAnyUnit;
    caption.clear();
  }
  return curves(title, unit, columns(kind, caption, unit), caption, velocity ? Shape::jumps : Shape::smooth);
}

svg::Plot ResultPlots::over_time(const std::string& title, const std::string& unit) const {
  return {.title = title, .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = unit}, .zoom = true};
}

std::optional<ResultPlot> ResultPlots::curves(const std::string& title, const std::string& unit,
                                              std::vector<Chosen> columns, std::string caption, Shape shape) const {
  if (columns.empty()) return std::nullopt;
  ResultPlot out{over_time(title, unit), std::move(caption)};
  for (Chosen& c : columns)
    out.plot.series.push_back(
        shape == Shape::jumps
            ? with_jumps(c.name, c.values, std::move(c.colour))
            : svg::Series{.name = c.name, .x = t_, .y = std::move(c.values), .colour = std::move(c.colour)});
  if (shape == Shape::from_zero) out.plot.rules.push_back({.at = 0, .vertical = false, .label = ""});
  return out;
}

std::optional<ResultPlot> ResultPlots::energy() const {
  const auto kinetic = column("kinetic"), potential = column("potential");
  std::vector<double> total(kinetic.size());
  for (std::size_t i = 0; i < total.size(); ++i) total[i] = kinetic[i] + potential[i];
  ResultPlot out{over_time("Energy", "J"), ""};
  out.plot.series.push_back(with_jumps("total", total));
  out.plot.series.push_back(with_jumps("kinetic", kinetic));
  out.plot.series.push_back({.name = "potential", .x = t_, .y = potential});
  return out;
}

std::optional<ResultPlot> ResultPlots::dissipation() const {
  ResultPlot out{over_time("Where the energy went", "J"),
                 "Taken from the system since the start, stacked by origin; what was given to it counts downwards."};
  out.plot.stacked = true;
  double largest = 0;
  std::vector<svg::Series> all;
  for (std::size_t k = kEnergyStates; k < energy_names().size(); ++k) {
    if (energy_names()[k] == "defect") continue;
    const auto whole = r_.column(energy_names()[k]);
    svg::Series s{.name = words(energy_names()[k]), .x = t_};
    double sum = 0;
    for (std::size_t i = 0; i < last_; ++i) {
      sum -= whole[i];
      if (i >= first_) s.y.push_back(sum == 0 ? 0 : sum);
    }
    for (double y : s.y) largest = std::max(largest, std::abs(y));
    s.colour = svg::colour(k - kEnergyStates);
    all.push_back(std::move(s));
  }
  // Entries that nobody could see in the stack are left to the table.
  for (svg::Series& s : all)
    if (std::any_of(s.y.begin(), s.y.end(), [&](double y) { return std::abs(y) > 1e-4 * largest; }))
      out.plot.series.push_back(std::move(s));
  return out.plot.series.empty() ? std::nullopt : Plot(out);
}

std::optional<ResultPlot> ResultPlots::phase() const {
  if (r_.names().positions != r_.names().velocities) return std::nullopt;
  std::string caption;
  auto q = columns("q", caption), v = columns("v", caption);
  if (q.empty()) return std::nullopt;
  ResultPlot out{
      {.title = "Phase portrait", .x = {.label = "position", .unit = "SI"}, .y = {.label = "velocity", .unit = "SI"}},
      caption};
  for (std::size_t k = 0; k < q.size(); ++k)
    out.plot.series.push_back({.name = q[k].name,
                               .x = std::move(q[k].values),
                               .y = std::move(v[k].values),
                               .colour = std::move(q[k].colour)});
  return out;
}

// Closed: an impulse since the row before. With friction it then sticks, if it does not move tangentially, or slides.
std::vector<std::vector<int>> ResultPlots::contact_states(const std::vector<int>& items) const {
  std::vector<NamedColumn> wanted;
  for (const NamedColumn& c : r_.columns())
    if (c.name.starts_with("P.") && c.item >= 0 && c.row == 0) wanted.push_back(c);
  std::vector<std::vector<int>> out(items.size());
  for (RowReader rows(r_, wanted); rows.next();) {
    if (rows.index() < first_ || rows.index() >= last_) continue;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const ContactEntry* const e = rows.row().find(items[k]);
      ContactState state = ContactState::open;
      if (e != nullptr && e->P[0] > 0) {
        const bool slides = elementary::hypot(e->U[1], e->U[2]) > kSticking * r_.header().velocity;
        state = r_.names().items[static_cast<std::size_t>(items[k])].dim == 1 ? ContactState::closed
                : slides                                                      ? ContactState::sliding
                                                                              : ContactState::sticking;
      }
      out[k].push_back(static_cast<int>(state));
    }
  }
  return out;
}

std::optional<ResultPlot> ResultPlots::timeline() const {
  constexpr const char* kColours[] = {"", kClosed, kStuck, kSliding};
  constexpr std::size_t kMost = 24;
  ResultPlot out{over_time("Contacts", ""), ""};
  bool friction = false, frictionless = false, many = false;
  std::vector<int> items;
  for (std::size_t i = 0; i < r_.names().items.size(); ++i) {
    const ConstraintItem& item = r_.names().items[i];
    const bool asked = options_.names.empty() ||
                       std::find(options_.names.begin(), options_.names.end(), item.name) != options_.names.end();
    if (item.bilateral || !asked) continue;
    many = items.size() == kMost;
    if (many) break;
    items.push_back(static_cast<int>(i));
    (item.dim > 1 ? friction : frictionless) = true;
    out.plot.y.names.push_back(item.name);
  }
  if (items.empty() || t_.size() < 2) return std::nullopt;
  const auto states = contact_states(items);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto row = static_cast<double>(k);
    for (const Span& s : spans(t_, states[k]))
      if (s.state != 0) out.plot.boxes.push_back({s.from, s.to, row - 0.32, row + 0.32, kColours[s.state]});
  }
  if (frictionless) out.plot.series.push_back({.name = "closed", .colour = kClosed});
  if (friction) {
    out.plot.series.push_back({.name = "sticking", .colour = kStuck});
    out.plot.series.push_back({.name = "sliding", .colour = kSliding});
  }
  out.plot.x.min = t_.front();
  out.plot.x.max = t_.back();
  out.plot.y.min = -0.6;
  out.plot.y.max = static_cast<double>(out.plot.y.names.size()) - 0.4;
  out.plot.width = 1120;
  out.plot.height = static_cast<int>(110 + 26 * out.plot.y.names.size());
  out.caption =
      fmt::format("Coloured where there was an impulse since the row before{}{}", many ? "; the first contacts" : "",
                  friction ? "; sticking: tangential velocity below 1e-9 of the velocity scale." : ".");
  if (friction && frictionless) out.caption += " Without friction a contact is shown as closed only.";
  return out;
}

std::optional<ResultPlot> ResultPlots::iterations() const {
  ResultPlot out{{.title = "Iterations", .x = {.label = "iterations of a row"}, .y = {.label = "rows"}}, ""};
  const auto steps = column("steps");
  struct Kind {
    const char *name, *column, *colour;
  };
  const Kind kinds[] = {{"Newton passes", "newton", "#0072B2"}, {"solver iterations", "solver", "#E69F00"}};
  constexpr double kBars = 40;
  double largest = 0;
  for (const Kind& k : kinds)
    for (double n : column(k.column)) largest = std::max(largest, n);
  const double width = std::max(1.0, std::ceil((largest + 1) / kBars));
  for (std::size_t k = 0; k < 2; ++k) {
    std::map<double, double> counts;
    const auto n = column(kinds[k].column);
    for (std::size_t i = 0; i < n.size(); ++i)
      if (steps[i] > 0) counts[std::floor(n[i] / width)] += 1;
    for (const auto& [bar, count] : counts) {
      const double left = (bar - 0.4 + 0.4 * static_cast<double>(k)) * width;
      out.plot.boxes.push_back({left, left + 0.4 * width, 0, count, kinds[k].colour});
    }
    out.plot.series.push_back({.name = kinds[k].name, .colour = kinds[k].colour});
  }
  if (width > 1) out.caption = fmt::format("Bars of {:g} each.", width);
  out.plot.x.min = -width;
  out.plot.x.max = largest + width;
  return out.plot.boxes.empty() ? std::nullopt : Plot(out);
}

std::optional<ResultPlot> ResultPlots::spectrum() const {
  std::string caption;
  ResultPlot out{{.title = "Spectrum",
                  .x = {.label = "frequency", .unit = "Hz", .log = true},
                  .y = {.label = "amplitude", .unit = "SI", .log = true}},
                 ""};
  for (const Chosen& c : columns("q", caption)) {
    Spectrum s = ricochet::spectrum(t_, c.values);
    if (s.frequency.empty()) continue;
    // Below round-off there is noise only.
    const double largest = *std::max_element(s.amplitude.begin(), s.amplitude.end());
    for (double& a : s.amplitude)
      if (a < 1e-12 * largest) a = 0;
    if (largest > 0)
      out.plot.series.push_back(
          {.name = c.name, .x = std::move(s.frequency), .y = std::move(s.amplitude), .colour = c.colour});
  }
  out.caption = "Of the positions, without mean and trend, Hann window. " + caption;
  return out.plot.series.empty() ? std::nullopt : Plot(out);
}

std::optional<ResultPlot> ResultPlots::certificate() const {
  ResultPlot out{over_time("Errors", "SI"), "Zeros are left out."};
  out.plot.y.log = true;
  out.plot.width = 1120;
  for (const std::string& name : certificate_names()) {
    auto y = column(name);
    if (std::any_of(y.begin(), y.end(), [](double e) { return e > 0; }))
      out.plot.series.push_back({.name = words(name), .x = t_, .y = std::move(y)});
  }
  return out.plot.series.empty() ? std::nullopt : Plot(out);
}

}  // namespace ricochet
