#include "ricochet/study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "ricochet/io/result/summary.hpp"
#include "ricochet/page/svg.hpp"
#include "ricochet/study/tasks.hpp"

namespace ricochet {
namespace {

constexpr std::size_t kShown = 4;  // coordinates, contacts
constexpr std::size_t kZooms = 3;  // impacts
constexpr double kZoomSteps = 12;  // to each side

// Some of many, evenly.
std::vector<std::string> some(const std::vector<std::string>& all) {
  if (all.size() <= kShown) return all;
  std::vector<std::string> out;
  for (std::size_t k = 0; k < kShown; ++k) out.push_back(all[k * (all.size() - 1) / (kShown - 1)]);
  return out;
}

std::vector<std::string> shown_columns(const Model& model) {
  std::vector<std::string> out{"E", "h"};
  for (const std::string& name : some(model.position_names())) out.push_back("q." + name);
  for (const std::string& name : some(model.velocity_names())) out.push_back("v." + name);
  std::vector<std::string> items;
  for (const ConstraintItem& item : names_of(model).items) items.push_back(item.name);
  for (const std::string& item : some(items))
    for (const char* kind : {"gap.", "residual.", "U.", "P.", "reaction."}) out.push_back(kind + item);
  return out;
}

std::int64_t attempts(const Summary& s) { return std::accumulate(s.failures.begin(), s.failures.end(), s.steps); }

std::string mean(std::int64_t sum, std::int64_t count) {
  return fmt::format("{:.2f}", count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0);
}

double interpolated(const std::vector<double>& x, const std::vector<double>& y, double at) {
  const auto after = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), at) - x.begin());
  if (after == 0 || after == x.size()) return y[after == 0 ? 0 : x.size() - 1];
  const double width = x[after] - x[after - 1];
  return width > 0 ? y[after - 1] + (at - x[after - 1]) / width * (y[after] - y[after - 1]) : y[after];
}

struct Impact {
  std::string contact;
  double t = 0, h = 0, impulse = 0;
};

// The first, the hardest and the last impulse that follows a step without one, over the contacts shown of one run.
std::vector<Impact> impacts_of(const Trajectory& run) {
  std::vector<Impact> all;
  for (const std::string& name : run.names) {
    if (!name.starts_with("gap.")) continue;
    const std::string contact = name.substr(4);
    const auto &P = run["P." + contact], &h = run["h"];
    for (std::size_t i = 1; i < run.rows(); ++i)
      if (P[i] > 0 && !(P[i - 1] > 0)) all.push_back({contact, run.t()[i], h[i], P[i]});
  }
  if (all.empty()) return {};
  const auto earlier = [](const Impact& a, const Impact& b) { return a.t < b.t; };
  const auto softer = [](const Impact& a, const Impact& b) { return a.impulse < b.impulse; };
  const std::vector<Impact> three{*std::min_element(all.begin(), all.end(), earlier),
                                  *std::max_element(all.begin(), all.end(), softer),
                                  *std::max_element(all.begin(), all.end(), earlier)};
  std::vector<Impact> out;
  for (const Impact& impact : three)
    if (std::none_of(out.begin(), out.end(),
                     [&](const Impact& o) { return std::abs(o.t - impact.t) < 2 * kZoomSteps * o.h; }))
      out.push_back(impact);
  std::sort(out.begin(), out.end(), earlier);
  return out;
}

class ComparisonPage {
 public:
  explicit ComparisonPage(const Comparison& c)
      : c_(c), page_("Comparison: " + c.name(), fmt::format("{} runs", c.variants().size())) {}

  Page make() {
    for (const std::string& note : comparison_notes(c_)) page_.note(Page::Tone::warning, note);
    add("Certificate and work", "Largest errors of all steps, iterations, attempted steps, processor time.",
        certificate_table(c_));
    add("Energy", "Energy ledgers of the whole runs, in joules.", energy_table(c_));
    figure("E", "Total energy", "J");
    std::set<std::string> names;  // in the order of the first run, those of others after
    std::vector<std::string> order;
    for (std::size_t k = 0; k < c_.runs().size(); ++k)
      if (c_.ran(k))
        for (const std::string& name : c_.runs()[k].names)
          if (names.insert(name).second) order.push_back(name);
    group(order, "Positions", "q.", "SI", "");
    differences(order);
    group(order, "Velocities", "v.", "SI", "");
    group(order, "Gaps", "gap.", "m", "Below zero is penetration.");
    group(order, "Joint residuals", "residual.", "SI", "");
    group(order, "Normal reactions", "reaction.", "N",
          "Impulses divided by the step: at impacts they grow as it falls.");
    zooms();
    return std::move(page_);
  }

 private:
  // A run is a column, some of them a table: more are too wide for a page.
  void add(const std::string& title, const std::string& text, const TextTable& rows) {
    constexpr std::size_t kColumns = 6;
    page_.section(title, text);
    for (std::size_t first = 1; first < rows.size(); first += kColumns) {
      TextTable part(rows[0].size());
      for (std::size_t j = 0; j < rows[0].size(); ++j) {
        part[j].push_back(j == 0 ? "" : rows[0][j]);
        for (std::size_t k = first; k < std::min(rows.size(), first + kColumns); ++k) part[j].push_back(rows[k][j]);
      }
      page_.table(part);
    }
  }

  // Of the positions, against the first run, which is interpolated where the steps differ.
  void differences(const std::vector<std::string>& names) {
    std::size_t base = 0;
    while (base < c_.runs().size() && !c_.ran(base)) ++base;
    if (base + 1 >= c_.runs().size()) return;
    const Trajectory& reference = c_.runs()[base];
    bool first = true;
    for (const std::string& name : names) {
      if (!name.starts_with("q.") || !reference.has(name)) continue;
      svg::Plot plot{.title = name.substr(2),
                     .x = {.label = "time", .unit = "s"},
                     .y = {.label = "difference", .unit = "SI", .log = true}};
      plot.zoom = true;
      for (std::size_t k = base + 1; k < c_.runs().size(); ++k) {
        if (!c_.ran(k) || !c_.runs()[k].has(name)) continue;
        svg::Series series{.name = c_.variants()[k].label, .colour = svg::colour(k)};
        const Trajectory& run = c_.runs()[k];
        const double end = reference.t().back() * (1 + 1e-12);
        for (std::size_t i = 0; i < run.rows() && run.t()[i] <= end; ++i) {
          series.x.push_back(run.t()[i]);
          series.y.push_back(std::abs(run[name][i] - interpolated(reference.t(), reference[name], run.t()[i])));
        }
        plot.series.push_back(std::move(series));
      }
      const auto differs = [](const svg::Series& series) {
        return std::any_of(series.y.begin(), series.y.end(), [](double y) { return y > 0; });
      };
      if (std::none_of(plot.series.begin(), plot.series.end(), differs)) continue;
      if (first)
        page_.section("Differences", fmt::format("Positions compared with those of {}. Zeros are left out.",
                                                 c_.variants()[base].label));
      first = false;
      page_.figure(svg::render(plot));
    }
  }

  void group(const std::vector<std::string>& names, const std::string& title, const std::string& prefix,
             const std::string& unit, const std::string& text) {
    bool first = true;
    for (const std::string& name : names) {
      if (!name.starts_with(prefix)) continue;
      if (first) page_.section(title, text);
      first = false;
      figure(name, name.substr(prefix.size()), unit);
    }
  }

  // A column of every run over time; within [from, to] with its points.
  void figure(const std::string& column, const std::string& title, const std::string& unit, double from = -INFINITY,
              double to = INFINITY) {
    svg::Plot plot{.title = title, .x = {.label = "time", .unit = "s"}, .y = {.label = column, .unit = unit}};
    for (std::size_t k = 0; k < c_.runs().size(); ++k) {
      if (!c_.ran(k) || !c_.runs()[k].has(column)) continue;
      const Trajectory& run = c_.runs()[k];
      const std::vector<double>& y = run[column];
      svg::Series series;
      series.name = c_.variants()[k].label;
      series.colour = svg::colour(k);
      series.dashed = k % 2 == 1;  // what lies upon each other is seen
      for (std::size_t i = 0; i < run.rows(); ++i) {
        if (run.t()[i] < from || run.t()[i] > to) continue;
        series.x.push_back(run.t()[i]);
        series.y.push_back(y[i]);
      }
      plot.zoom = !std::isfinite(from);
      if (std::isfinite(from)) series.style = svg::Style::line_points;
      plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) page_.figure(svg::render(plot));
  }

  void zooms() {
    std::vector<Impact> impacts;
    for (std::size_t k = 0; k < c_.runs().size() && impacts.empty(); ++k)
      if (c_.ran(k)) impacts = impacts_of(c_.runs()[k]);
    if (impacts.empty()) return;
    page_.section("At impacts", "The first, the hardest and the last impact of the first run, step by step.");
    for (const Impact& i : impacts) {
      const double from = i.t - kZoomSteps * i.h, to = i.t + kZoomSteps * i.h;
      figure("gap." + i.contact, fmt::format("Gap of {} about t = {:.6g} s", i.contact, i.t), "m", from, to);
      figure("U." + i.contact, fmt::format("Normal velocity of {} there", i.contact), "m/s", from, to);
    }
  }

  const Comparison& c_;
  Page page_;
};

}  // namespace

Comparison::Comparison(std::string name, std::vector<Variant> variants, int threads, const std::atomic<bool>& stop)
    : name_(std::move(name)), variants_(std::move(variants)), runs_(variants_.size()) {
  run_tasks({.count = variants_.size(), .threads = threads, .task = [&](std::size_t k) {
               if (!variants_[k].scenario || stop.load()) return;
               const Scenario& s = *variants_[k].scenario;
               runs_[k] = simulate(s, shown_columns(s.model), s.policy, &stop);
             }});
}

bool Comparison::interrupted() const {
  for (std::size_t k = 0; k < runs_.size(); ++k)
    if (variants_[k].scenario && (!ran(k) || runs_[k].result.status == RunStatus::interrupted)) return true;
  return false;
}

namespace {

std::string spoken(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

bool certified_in_any(std::size_t k, const Comparison& c) {
  return std::any_of(c.variants().begin(), c.variants().end(),
                     [&](const Variant& v) { return v.scenario && certified(k, v.scenario->model.items()); });
}

}  // namespace

TextTable certificate_table(const Comparison& c) {
  TextTable rows{{"run", "status", "steps", "attempts", "impacts", "Newton", "solver"}};
  for (std::size_t k = 0; k < kCertificates; ++k)
    if (certified_in_any(k, c)) rows[0].push_back(spoken(certificate_names()[k]));
  rows[0].emplace_back("seconds");
  for (std::size_t k = 0; k < c.runs().size(); ++k) {
    if (!c.ran(k)) continue;
    const Trajectory& run = c.runs()[k];
    const Summary& s = run.end.summary;
    std::vector<std::string> row{c.variants()[k].label,        name(run.result.status),
                                 fmt::format("{}", s.steps),   fmt::format("{}", attempts(s)),
                                 fmt::format("{}", s.impacts), mean(s.newton_sum, s.steps),
                                 mean(s.solver_sum, s.steps)};
    double certificate[kCertificates];
    certificate_numbers(s.certificate, certificate);
    for (std::size_t e = 0; e < kCertificates; ++e)
      if (certified_in_any(e, c)) row.push_back(fmt::format("{:.1e}", certificate[e]));
    row.push_back(fmt::format("{:.3f}", run.thread_seconds));
    rows.push_back(std::move(row));
  }
  return rows;
}

TextTable energy_table(const Comparison& c) {
  // Entries that are zero in all runs are left out.
  std::vector<std::size_t> used;
  std::vector<std::vector<double>> all(c.runs().size(), std::vector<double>(kEnergies));
  for (std::size_t k = 0; k < c.runs().size(); ++k)
    if (c.ran(k)) energy_numbers(c.runs()[k].end.summary.energy, all[k].data());
  for (std::size_t e = kEnergyStates; e < kEnergies; ++e)
    if (std::any_of(all.begin(), all.end(), [&](const auto& row) { return row[e] != 0; })) used.push_back(e);
  TextTable rows{{"run", "initial"}};
  for (std::size_t e : used) rows[0].push_back(spoken(energy_names()[e]));
  rows[0].insert(rows[0].end(), {"final", "largest gain"});
  for (std::size_t k = 0; k < c.runs().size(); ++k) {
    if (!c.ran(k)) continue;
    const Summary& s = c.runs()[k].end.summary;
    std::vector<std::string> row{c.variants()[k].label, fmt::format("{:.6g}", s.energy_initial)};
    for (std::size_t e : used) row.push_back(fmt::format("{:.3e}", all[k][e]));
    row.push_back(fmt::format("{:.6g}", s.energy.kinetic + s.energy.potential));
    row.push_back(fmt::format("{:.1e}", s.energy_gain_max));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> comparison_notes(const Comparison& c) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < c.variants().size(); ++k) {
    const Variant& v = c.variants()[k];
    if (!v.refused.empty()) out.push_back(fmt::format("{} is left out: {}", v.label, v.refused));
    if (!c.ran(k)) continue;
    const std::string failure = failure_line(*v.scenario, c.runs()[k].result);
    if (!failure.empty()) out.push_back(fmt::format("{} ended early: {}", v.label, failure));
  }
  return out;
}

std::string comparison_json(const Comparison& c) {
  using Json = nlohmann::ordered_json;
  Json j;
  j["scenario"] = c.name();
  j["runs"] = Json::array();
  for (std::size_t k = 0; k < c.variants().size(); ++k) {
    const Variant& v = c.variants()[k];
    Json run;
    run["label"] = v.label;
    if (!v.refused.empty()) run["refused"] = v.refused;
    if (c.ran(k)) {
      const Trajectory& t = c.runs()[k];
      const RunOutcome outcome{v.scenario.get(), &t.end, &t.result, "", t.wall_seconds, t.end.summary.steps};
      run.update(Json::parse(summary_json(outcome)));
      run["attempts"] = attempts(t.end.summary);
      run["thread_seconds"] = t.thread_seconds;
      run["instructions"] = t.instructions >= 0 ? Json(t.instructions) : Json(nullptr);
    }
    j["runs"].push_back(run);
  }
  return j.dump(2);
}

Page comparison_page(const Comparison& c) { return ComparisonPage(c).make(); }

}  // namespace ricochet
