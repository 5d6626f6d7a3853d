#include "ricochet/study/study_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ricochet/io/result/results.hpp"
#include "ricochet/math/elementary.hpp"
#include "ricochet/page/svg.hpp"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

// Columns of the tables, by their places in StudyCell::errors.
constexpr std::size_t kPositionL1 = 0, kVelocityL1 = 4, kVelocityHausdorff = 8;

std::string text_of(const OrderFit& fit) {
  if (fit.points < 2) return "-";
  if (!std::isfinite(fit.half_width)) return fmt::format("{:.2f}", fit.order);
  return fmt::format("{:.2f} ± {:.2f}", fit.order, fit.half_width);
}

Json json_of(const OrderFit& fit) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  return {{"order", number(fit.order)},
          {"half_width_95", number(fit.half_width)},
          {"constant", number(fit.constant)},
          {"points", fit.points}};
}

std::string error_text(double e) { return fmt::format("{:.2e}", e); }

double smallest_step(const Study& s) { return *std::min_element(s.options().steps.begin(), s.options().steps.end()); }
double largest_step(const Study& s) { return *std::max_element(s.options().steps.begin(), s.options().steps.end()); }

using Work = std::function<double(const StudyCell&)>;

// error over something, a line for each scheme.
svg::Plot diagram(const Study& study, std::size_t error, const std::string& title, const svg::Axis& x,
                  const Work& work) {
  svg::Plot plot{.title = title, .x = x, .y = {.label = error_titles()[error], .log = true}};
  plot.x.log = true;
  for (std::size_t k = 0; k < study.variants().size(); ++k) {
    svg::Series series;
    series.name = study.variants()[k].label;
    series.style = svg::Style::line_points;
    for (const StudyCell* c : study.finished(k)) {
      series.x.push_back(work(*c));
      series.y.push_back(c->errors[error]);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// Lines of slope 1 and 2 below the data, to compare with.
void add_slopes(const Study& study, std::size_t error, svg::Plot& plot) {
  double low = std::numeric_limits<double>::infinity();
  const double small = smallest_step(study), large = largest_step(study);
  if (!(small < large)) return;
  for (const StudyCell& c : study.cells())
    if (c.finished() && c.errors[error] > 0) low = std::min(low, c.errors[error]);
  if (!std::isfinite(low)) return;
  for (const int order : {1, 2}) {
    svg::Series slope;
    slope.name = fmt::format("h{}", order == 1 ? "" : "²");
    slope.dashed = true;
    slope.colour = order == 1 ? "#9aa5b1" : "#cbd2d9";
    slope.x = {small, large};
    slope.y = {low / 2, low / 2 * elementary::pow(large / small, order)};
    plot.series.push_back(slope);
  }
}

std::vector<std::string> cell_row(const Study& study, const StudyCell& c) {
  std::vector<std::string> row{study.variants()[c.variant].label, fmt::format("{:.4e}", c.step),
                               fmt::format("{}", c.steps), fmt::format("{}", c.attempts),
                               fmt::format("{:.4f}", c.seconds)};
  for (std::size_t k : {kPositionL1, kVelocityL1, kVelocityHausdorff})
    row.push_back(c.finished() ? error_text(c.errors[k]) : "-");
  row.push_back(c.finished() ? "" : c.note);
  return row;
}

}  // namespace

TextTable study_table(const Study& study) {
  TextTable rows{{"scheme", "declared", "order q (L1)", "order v (L1)", "order v (graphs)", "error q", "error v",
                  "attempts", "seconds"}};
  for (std::size_t k = 0; k < study.variants().size(); ++k) {
    const int declared = study.declared_order(k);
    std::vector<std::string> row{study.variants()[k].label, declared > 0 ? fmt::format("{}", declared) : "-"};
    for (std::size_t e : {kPositionL1, kVelocityL1, kVelocityHausdorff}) row.push_back(text_of(study.order(k, e)));
    const auto cells = study.finished(k);
    const auto finest = std::min_element(cells.begin(), cells.end(),
                                         [](const StudyCell* a, const StudyCell* b) { return a->step < b->step; });
    if (finest != cells.end()) {
      row.push_back(error_text((*finest)->errors[kPositionL1]));
      row.push_back(error_text((*finest)->errors[kVelocityL1]));
      row.push_back(fmt::format("{}", (*finest)->attempts));
      row.push_back(fmt::format("{:.3f}", (*finest)->seconds));
    } else {
      for (int i = 0; i < 4; ++i) row.emplace_back("-");
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> study_notes(const Study& study) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < study.variants().size(); ++k) {
    const Variant& v = study.variants()[k];
    if (!v.refused.empty()) out.push_back(fmt::format("{} is left out: {}", v.label, v.refused));
    std::size_t failed = 0;
    const StudyCell* first = nullptr;
    for (const StudyCell& c : study.cells()) {
      if (c.variant != k || c.status != "failed") continue;
      ++failed;
      if (first == nullptr) first = &c;
    }
    if (failed > 0)
      out.push_back(fmt::format("{}: {} of {} runs failed, the first with the step {:.3g} s: {}", v.label, failed,
                                study.options().steps.size(), first->step, first->note));
  }
  return out;
}

std::string study_json(const Study& study) {
  Json j;
  j["scenario"] = study.name();
  j["reference"] = study.reference();
  j["begin"] = study.begin();
  j["until"] = study.until();
  j["hausdorff_scales"] = {{"time", study.options().scales.time}, {"value", study.options().scales.value}};
  j["coordinates"] = study.options().coordinates;
  j["schemes"] = Json::array();
  for (std::size_t k = 0; k < study.variants().size(); ++k) {
    Json s;
    s["scheme"] = study.variants()[k].label;
    if (!study.variants()[k].refused.empty()) s["refused"] = study.variants()[k].refused;
    s["declared_order"] = study.declared_order(k);
    for (std::size_t e = 0; e < kErrors; ++e) s["orders"][error_names()[e]] = json_of(study.order(k, e));
    s["cells"] = Json::array();
    for (const StudyCell& c : study.cells()) {
      if (c.variant != k || !c.done() || c.status == "refused") continue;
      Json cell{{"step", c.step},       {"status", c.status}, {"steps", c.steps},    {"attempts", c.attempts},
                {"impacts", c.impacts}, {"newton", c.newton}, {"seconds", c.seconds}};
      cell["instructions"] = c.instructions >= 0 ? Json(c.instructions) : Json(nullptr);
      if (!c.note.empty()) cell["failure"] = c.note;
      for (std::size_t e = 0; e < kErrors && c.finished(); ++e)
        cell["errors"][error_names()[e]] = std::isfinite(c.errors[e]) ? Json(c.errors[e]) : Json(nullptr);
      s["cells"].push_back(cell);
    }
    j["schemes"].push_back(s);
  }
  j["version"] = version();
  return j.dump(2);
}

Page study_page(const Study& study) {
  Page page("Study: " + study.name(),
            fmt::format("{} steps from {:.3g} to {:.3g} s over [{:g}, {:g}] s", study.options().steps.size(),
                        largest_step(study), smallest_step(study), study.begin(), study.until()));
  page.summary({{"reference", study.reference()},
                {"schemes", fmt::format("{}", study.variants().size())},
                {"Hausdorff, unit of time", fmt::format("{:g} s", study.options().scales.time)},
                {"Hausdorff, unit of value", fmt::format("{:g}", study.options().scales.value)},
                {"program", std::string("ricochet ") + version()}});
  for (const std::string& note : study_notes(study)) page.note(Page::Tone::warning, note);
  page.section(
      "Orders",
      "Slopes of log(error) over log(h) with their intervals of 95 % confidence; errors, attempted steps and time are "
      "those of the smallest step. Errors across impacts scatter: an impact may fall anywhere within a step.");
  page.table(study_table(study));
  const Work step = [](const StudyCell& c) { return c.step; };
  page.section("Errors over the step",
               "Norms over the whole interval at the grid points; 'Hausdorff' is the distance of the "
               "filled-in graphs, in which velocities with jumps converge.");
  for (std::size_t e :
       {std::size_t{0}, std::size_t{4}, std::size_t{8}, std::size_t{5}, std::size_t{6}, std::size_t{3}}) {
    svg::Plot plot =
        diagram(study, e, "Error: " + std::string(error_titles()[e]), {.label = "step h", .unit = "s"}, step);
    add_slopes(study, e, plot);
    page.figure(svg::render(plot));
  }
  page.section("Precision and work", "The lower left is better.");
  for (std::size_t e : {kPositionL1, kVelocityL1}) {
    page.figure(svg::render(diagram(study, e, "Against attempted steps", {.label = "steps, failed attempts included"},
                                    [](const StudyCell& c) { return static_cast<double>(c.attempts); })));
    page.figure(svg::render(diagram(study, e, "Against processor time", {.label = "time", .unit = "s"},
                                    [](const StudyCell& c) { return c.seconds; })));
    if (std::any_of(study.cells().begin(), study.cells().end(), [](const StudyCell& c) { return c.instructions > 0; }))
      page.figure(
          svg::render(diagram(study, e, "Against instructions", {.label = "instructions"},
                              [](const StudyCell& c) { return c.instructions > 0 ? c.instructions : std::nan(""); })));
  }
  page.section("Runs");
  TextTable cells;
  for (const StudyCell& c : study.cells())
    if (c.done() && c.status != "refused") cells.push_back(cell_row(study, c));
  page.table({"scheme", "step", "steps", "attempts", "seconds", "q, L1", "v, L1", "v, Hausdorff", "note"}, cells);
  return page;
}

TextTable local_table(const LocalStudy& study) {
  TextTable rows{{"scheme", "impact seen", "steps", "order e_v", "order e_q", "order correction"}};
  for (std::size_t k = 0; k < study.variants().size(); ++k)
    for (const bool right : {true, false}) {
      const LocalOrders o = study.orders(k, right);
      if (o.steps == 0) continue;
      rows.push_back({study.variants()[k].label, right ? "yes" : "no", fmt::format("{}", o.steps), text_of(o.e_v),
                      text_of(o.e_q), text_of(o.correction)});
    }
  return rows;
}

std::string local_json(const LocalStudy& study) {
  Json j;
  j["scenario"] = study.name();
  j["impact_time"] = study.impact_time();
  j["schemes"] = Json::array();
  for (std::size_t k = 0; k < study.variants().size(); ++k) {
    Json s;
    s["scheme"] = study.variants()[k].label;
    if (!study.variants()[k].refused.empty()) s["refused"] = study.variants()[k].refused;
    for (const bool right : {true, false}) {
      const LocalOrders o = study.orders(k, right);
      s[right ? "seen" : "missed"] = {
          {"steps", o.steps}, {"e_v", json_of(o.e_v)}, {"e_q", json_of(o.e_q)}, {"correction", json_of(o.correction)}};
    }
    j["schemes"].push_back(s);
  }
  j["steps"] = Json::array();
  for (const LocalError& e : study.errors())
    j["steps"].push_back({{"scheme", study.variants()[e.variant].label},
                          {"step", e.step},
                          {"sigma", e.sigma},
                          {"seen", e.right},
                          {"converged", e.converged},
                          {"e_q", e.e_q},
                          {"e_v", e.e_v},
                          {"correction", e.correction}});
  return j.dump(2);
}

Page local_page(const LocalStudy& study) {
  Page page("Local errors: " + study.name(),
            fmt::format("one step from the exact state; the impact at {:.6g} s falls within it", study.impact_time()));
  page.section(
      "Orders",
      "Where the scheme sees the impact in the step in which it happens, the velocity is wrong by O(h); where it "
      "does not, by O(1). The position is wrong by O(h) in both cases.");
  page.table(local_table(study), "Over the step, the largest error of all places of the impact within it.");
  struct Shown {
    const char* title;
    double LocalError::*value;
  };
  page.section("Errors");
  for (const Shown& shown : {Shown{"Velocity", &LocalError::e_v}, Shown{"Position", &LocalError::e_q},
                             Shown{"Multiplier of the position level", &LocalError::correction}}) {
    svg::Plot plot{
        .title = shown.title, .x = {.label = "step h", .unit = "s", .log = true}, .y = {.label = "size", .log = true}};
    for (std::size_t k = 0; k < study.variants().size(); ++k) {
      svg::Series series;
      series.name = study.variants()[k].label;
      series.style = svg::Style::points;
      for (const LocalError& e : study.errors()) {
        if (e.variant != k || !e.converged || !(e.*shown.value > 0)) continue;
        series.x.push_back(e.step);
        series.y.push_back(e.*shown.value);
      }
      if (!series.x.empty()) plot.series.push_back(std::move(series));
    }
    if (!plot.series.empty()) page.figure(svg::render(plot));
  }
  return page;
}

}  // namespace ricochet
