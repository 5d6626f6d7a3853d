// Acary (2018): adaptive steps, schemes of order p across impacts, splitting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2018.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery::acary_2018_parts {
namespace {

// ---- precision and work ---------------------------------------------------------------------------------------------
// L1 error of q and one-step solves, half steps and rejections included.
struct Work {
  Column solves, error;
};
void measure(Work& work, const std::string& scenario, const ExactStop& exact,
             const std::vector<std::string>& overrides) {
  const Trajectory run = simulate(scenario, overrides, {"q", "h"});
  Column error;
  for (std::size_t k = 1; k < run.rows(); ++k) error.push_back(std::abs(run["q.q"][k] - exact.y(run.t()[k])));
  work.solves.push_back(static_cast<double>(run.end.summary.solves));
  work.error.push_back(grid_norm(Column(run["h"].begin() + 1, run["h"].end()), error, 1));
}

// Solves that a method needs for an error, along the line through its points in logarithms: at most those of its first
// point if that is better already, infinitely many if it never gets there.
double solves_for(const Work& work, double error) {
  if (work.error.front() <= error) return work.solves.front();
  for (std::size_t k = 1; k < work.error.size(); ++k) {
    const double a = elementary::log(work.error[k - 1] / error), b = elementary::log(work.error[k] / error);
    if (a >= 0 && b <= 0)
      return elementary::exp(elementary::log(work.solves[k - 1]) +
                             a / (a - b) * elementary::log(work.solves[k] / work.solves[k - 1]));
  }
  return std::numeric_limits<double>::infinity();
}

svg::Plot work_plot(const std::string& title) {
  return {.title = title,
          .x = {.label = "one-step solves", .log = true},
          .y = {.label = "L1 error of the position", .unit = "m s", .log = true}};
}

svg::Series work_line(const std::string& name, const Work& work) {
  return {.name = name, .x = work.solves, .y = work.error, .style = svg::Style::line_points};
}

// Twelve diagrams: six controls, two examples. An impact that both the step and its halves see at their ends is no
// difference between them: the comparison alone lets its error stay. With the violation an impact is found within atol,
// order 1, and smooth motion within atol^(p/(p + 1)), 1/2 and more.
void precision_work(Outcome& out, const std::string& scenario, const ExactStop& exact) {
  Work fixed;
  for (double h : geometric(2.3e-2, 1.3e-4, 12))
    measure(fixed, scenario, exact, {"scheme=moreau-jean", set("step", h)});
  svg::Plot plot = work_plot("Moreau-Jean, fixed and adaptive steps, " + scenario);
  plot.series.push_back(work_line("fixed", fixed));
  const std::vector<double> tolerances{1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6};
  struct Diagram {
    const char *name, *control, *other;
    Quote printed_at;
    bool violation;
  };
  const std::vector<Diagram> diagrams{
      {"order 0", "half-step, order: 0", "both, order: 0", acary18::diagram_order_0, false},
      {"order 1", "half-step, order: 1", "both, order: 1", acary18::diagram_order_1, false},
      {"order 2", "half-step, order: 2", "both, order: variable", acary18::diagram_order_2, false},
      {"order 0 and violation", "both, order: 0", "half-step, order: 0", acary18::diagram_violation_0, true},
      {"order 1 and violation", "both, order: 1", "half-step, order: 1", acary18::diagram_violation_1, true},
      {"variable order", "both, order: variable", "half-step, order: 0", acary18::diagram_variable, true}};
  std::map<std::string, Work> all;
  for (const Diagram& d : diagrams) {
    Work& work = all[d.control];
    for (double atol : tolerances)
      measure(work, scenario, exact,
              {"scheme=moreau-jean", fmt::format("step={{control: {}, atol: {}, rtol: 0}}", d.control, atol)});
    plot.series.push_back(work_line(d.control, work));
  }
  for (const Diagram& d : diagrams)
    out.checks.push_back({.what = fmt::format("order of the error in the tolerance, {}", d.name),
                          .published = d.printed_at,
                          .derived = d.violation ? "1/2 to 1" : "below 1/2: the error of an impact stays",
                          .computed = fit_order(tolerances, all[d.control].error).order,
                          .accepted = d.violation ? Range{0.5, 1.2} : at_most(0.5),
                          .reason = d.violation
                                        ? "impacts within atol, smooth motion within atol^(p/(p + 1)); a fifth for "
                                          "the chance of the phases"
                                        : "what one step and two halves do not tell apart",
                          .rival = fmt::format("control = {}", d.other),
                          .rival_computed = fit_order(tolerances, all[d.other].error).order});
  const Work &best = all["both, order: variable"], &zero = all["half-step, order: 0"];
  const double wanted = 1.01 * std::max(smallest(best.error), smallest(fixed.error));  // both reach it
  out.checks.push_back(
      {.what = fmt::format("solves for an error of {:.2g}, half steps and violation with variable order over fixed",
                           wanted),
       .published = acary18::diagram_variable,
       .derived = "below 1: adaptive steps beat fixed ones",
       .computed = solves_for(best, wanted) / solves_for(fixed, wanted),
       .accepted = at_most(0.1),
       .reason = "half steps and rejections counted; less than a tenth of the work",
       .rival = "control by half steps with order = 0, which needs infinitely many where it does not get there",
       .rival_computed = solves_for(zero, wanted) / solves_for(fixed, wanted),
       .shape = true});
  out.figures.push_back({plot, "Every one-step solve counts, those of rejected steps too."});
}

void precision_work_ball(Outcome& out) { precision_work(out, "bouncing-ball", exact_ball()); }
void precision_work_oscillator(Outcome& out) { precision_work(out, "linear-oscillator", exact_oscillator()); }

// Errors of `scheme` over sizes, as solves and L1 norms.
Work works(const std::string& scenario, const ExactStop& exact, const std::string& scheme,
           const std::vector<double>& sizes, const std::vector<std::string>& more = {}) {
  Work out;
  for (double h : sizes) {
    std::vector<std::string> overrides{"scheme=" + scheme, set("step", h)};
    overrides.insert(overrides.end(), more.begin(), more.end());
    measure(out, scenario, exact, overrides);
  }
  return out;
}

// Orders of Mannshardt's scheme with one kind of Runge-Kutta method.
struct HighOrders {
  const char *scenario, *method;
  std::vector<int> orders;
  int gained;  ///< by the example: parabolas are integrated exactly, and only the location of the events is seen
  std::vector<double> sizes;
};
void high_order(Outcome& out, const ExactStop& exact, const HighOrders& c) {
  svg::Plot plot = work_plot(fmt::format("Runge-Kutta on both sides of impacts, {}, {}", c.method, c.scenario));
  const Work moreau = works(c.scenario, exact, "moreau-jean", c.sizes);
  plot.series.push_back(work_line("moreau-jean", moreau));
  for (const int p : c.orders) {
    const Work work =
        works(c.scenario, exact, fmt::format("{{name: mannshardt, order: {}, method: {}}}", p, c.method), c.sizes);
    plot.series.push_back(work_line(fmt::format("order {}", p), work));
    out.checks.push_back(
        {.what = fmt::format("order of the position in L1, {} Runge-Kutta of order {}, {}", c.method, p, c.scenario),
         .published = acary18::mannshardt_order,
         .derived = fmt::format("{}", p + c.gained),
         .computed = fit_order(c.sizes, work.error).order,
         .accepted = around(p + c.gained, 0.3),
         .reason = c.gained == 0 ? "fitted over ten sizes off the grid"
                                 : "flights are integrated exactly; events are located within h^(p+1)",
         .rival = "moreau-jean",
         .rival_computed = fit_order(c.sizes, moreau.error).order});
  }
  out.figures.push_back({plot, "Schemes of order p across impacts."});
}

void precision_work_orders(Outcome& out) {
  const std::vector<double> sizes = geometric(4.3e-2, 5.3e-3, 10);
  for (const char* method : {"explicit", "implicit"})
    high_order(out, exact_oscillator(), {"linear-oscillator", method, {2, 3, 4, 5}, 0, sizes});
}

void accumulation_orders(Outcome& out) {
  const std::vector<double> sizes = geometric(4.3e-2, 8.3e-3, 8);
  for (const char* method : {"explicit", "implicit"})
    high_order(out, exact_ball(), {"bouncing-ball", method, {2, 3}, 1, sizes});
  out.choices.emplace_back("5 s, so that the accumulation at 3 s and the rest after it are part of every run.");
}

// ---- splitting ------------------------------------------------------------------------------------------------------
void splitting_orders(Outcome& out) {
  const std::vector<double> sizes = geometric(2.3e-2, 4.7e-4, 16);
  svg::Plot plot{.title = "Splitting with RKF45 across impacts",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "L1 error of the position", .unit = "m s", .log = true}};
  const auto across = [&](const std::string& scenario, const ExactStop& exact, const std::vector<std::string>& all) {
    const double rival = fit_order(sizes, works(scenario, exact, "{name: mannshardt, order: 2}", sizes).error).order;
    for (const std::string& options : all) {
      const Work found = works(scenario, exact, "{name: splitting, " + options + "}", sizes);
      out.checks.push_back({.what = "order of the position in L1 across impacts, " + scenario + ", " + options,
                            .published = acary18::splitting_orders,
                            .derived = "1",
                            .computed = fit_order(sizes, found.error).order,
                            .accepted = around(1, 0.2),
                            .reason = "fitted over sixteen sizes off the grid",
                            .rival = "mannshardt of order 2",
                            .rival_computed = rival});
      plot.series.push_back(
          {.name = scenario + ", " + options, .x = sizes, .y = found.error, .style = svg::Style::line_points});
    }
  };
  across("linear-oscillator", exact_oscillator(),
         {"contact_forces: continuous", "contact_forces: impulsive", "adaptive: true"});
  across("bouncing-ball", exact_ball(), {"contact_forces: continuous", "contact_forces: impulsive"});
  out.figures.push_back({plot, "An impact at a frozen position is of order 1, whatever the order of the rest."});
  out.choices.emplace_back(
      "impulsive is (140), (141): contact in the second part alone; continuous is (142), (143). With adaptive the "
      "smooth part takes inner steps by its own error estimate.");
}

void splitting_smooth(Outcome& out) {
  const double w2 = 4 * std::numbers::pi * std::numbers::pi;
  const ExactStop swing({.a = 0, .w2 = w2, .e = 0.7, .y0 = 1, .v0 = 0}, 0.2);
  const std::vector<double> sizes = geometric(2.3e-2, 1.1e-3, 14);  // below, rounding
  const std::vector<std::string> free{"until=0.2"};                 // before the first impact
  const auto order = [&](int p) {
    return works("linear-oscillator", swing, fmt::format("{{name: splitting, order: {}}}", p), sizes, free);
  };
  const Work five = order(5);
  out.checks.push_back({.what = "order of the position in L1 without impacts, RKF45",
                        .published = acary18::splitting_orders,
                        .derived = "5",
                        .computed = fit_order(sizes, five.error).order,
                        .accepted = around(5, 0.15),
                        .reason = "down to rounding",
                        .rival = "order = 4",
                        .rival_computed = fit_order(sizes, order(4).error).order});
  // One step of 0.1 s and its inner ones; the tolerance governs the error.
  const auto error = [&](const std::string& options) {
    return works("linear-oscillator", swing, "{name: splitting" + options + "}", {0.1}, free).error.front();
  };
  const std::vector<double> tolerances{1e-4, 1e-6, 1e-8, 1e-10};
  Column errors;
  for (double tolerance : tolerances)
    errors.push_back(error(fmt::format(", adaptive: true, atol: {0}, rtol: {0}", tolerance)));
  out.checks.push_back({.what = "L1 error with steps of 0.1 s and inner steps to 1e-10 [m s]",
                        .published = acary18::splitting_adaptive,
                        .derived = "at most the tolerance",
                        .computed = errors.back(),
                        .accepted = at_most(1e-10),
                        .reason = "some ten inner steps, each wrong by less than the tolerance",
                        .rival = "adaptive = false",
                        .rival_computed = error("")});
  svg::Plot plot{.title = "Splitting with RKF45 without impacts",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "L1 error of the position", .unit = "m s", .log = true}},
      adaptive = plot;
  plot.series = {{.name = "RKF45", .x = sizes, .y = five.error, .style = svg::Style::line_points}};
  adaptive.title = "Inner steps by the error estimate, steps of 0.1 s";
  adaptive.x = {.label = "tolerance", .log = true};
  adaptive.series = {{.name = "RKF45", .x = tolerances, .y = errors, .style = svg::Style::line_points}};
  out.figures.push_back({plot, "Order 5."});
  out.figures.push_back({adaptive, "The tolerance governs the error."});
}

}  // namespace

std::vector<Entry> high_orders() {
  return {
      {"acary-2018/precision-work-ball", "adaptive steps against fixed ones on the ball", precision_work_ball},
      {"acary-2018/precision-work-oscillator", "adaptive steps against fixed ones on the oscillator",
       precision_work_oscillator},
      {"acary-2018/precision-work-orders", "Runge-Kutta of order p on both sides of impacts, explicit and implicit",
       precision_work_orders},
      {"acary-2018/accumulation-orders", "Runge-Kutta of order p on the ball, through the accumulation of impacts",
       accumulation_orders},
      {"acary-2018/splitting-orders", "splitting with RKF45: order 1 across impacts", splitting_orders},
      {"acary-2018/splitting-smooth", "splitting with RKF45: order 5 without impacts, adaptive inner steps",
       splitting_smooth},
  };
}

}  // namespace ricochet::gallery::acary_2018_parts
