// Acary (2012): projected event-capturing schemes. Section 6.4.1, the slider-crank; the others in acary_2012_*.cpp.
#include "ricochet/gallery/acary_2012.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery {
namespace {

// ---- 6.4.1 the slider-crank -----------------------------------------------------------------------------------------
Trajectory crank(const std::string& scheme, double h, std::vector<std::string> more = {}) {
  more.insert(more.end(), {scheme, set("step", h)});
  return simulate("slider-crank", more, {"q", "gap", "U", "P"});
}

// The most of some 400 impacts, each anywhere in its step: at 7 steps within 3 % of 1e-4 and of 1e-5 the violation over
// the step has the standard deviations 0.16 and 0.14 m/s (table_3 measures it).
constexpr double kScatter = 0.15;
constexpr const char* kScatterReason =
    "twice the standard deviation, 0.15 m/s times h, over steps that differ by 1 %: chance of the phases";

double penetration(const Trajectory& run) { return run.end.summary.certificate.penetration; }

Column revolutions(const Trajectory& run) {
  Column out = run["q.th1"];
  for (double& x : out) x /= 2 * std::numbers::pi;
  return out;
}

// Height of the slider's centre over half the play: -1 and 1 are the sides of the slot.
Column height(const Trajectory& run) {
  Column out(run.rows());
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = (0.153 * elementary::sin(run["q.th1"][k]) + 0.306 * elementary::sin(run["q.th2"][k])) / 1e-3;
  return out;
}

svg::Plot over_revolutions(const std::string& title, const std::string& label, const std::string& unit,
                           const Trajectory& run, const Column& y) {
  svg::Plot plot{.title = title, .x = {.label = "crank revolution"}, .y = {.label = label, .unit = unit}};
  plot.series.push_back({.x = revolutions(run), .y = y});
  return plot;
}

void crank_motion(Outcome& out) {
  const double h = 1e-6;
  const Trajectory run = crank("scheme=moreau-jean", h);
  const auto tilt = [](const Trajectory& r) { return largest_magnitude(r["q.th3"]); };
  out.checks.push_back(
      {.what = "largest tilt of the slider [rad]",
       .published = "the motion of the slider is a pure translation",
       .computed = tilt(run),
       .accepted = at_most(1e-9),
       .reason = "the torque of the corners vanishes by symmetry",
       .rival = "corner a = 0.051 m on one side",
       .rival_computed =
           tilt(crank("scheme=moreau-jean", 1e-5,
                      {"system.formulas.contacts.lower_left.gap=d/2 + l1*sin(th1) + l2*sin(th2) - 0.051*sin(th3) - "
                       "b*cos(th3) - 1e-6"}))});
  out.checks.push_back({.what = "largest penetration [m], h = 1e-6",
                        .published = "1.119e-6",
                        .computed = penetration(run),
                        .accepted = around(1.119e-6, 2 * kScatter * h),
                        .reason = kScatterReason,
                        .rival = "forecast = free",
                        .rival_computed = penetration(crank("scheme={name: moreau-jean, forecast: free}", h))});
  for (const char* corner : {"lower_left", "upper_left"}) {
    const std::string name(corner);
    svg::Plot gap = over_revolutions("Gap, " + name, "gap", "m", run, run["gap." + name]);
    svg::Plot speed = over_revolutions("Normal velocity, " + name, "velocity", "m/s", run, run["U." + name]);
    gap.x.max = speed.x.max = 2;
    out.figures.push_back({gap, "Two revolutions."});
    out.figures.push_back({speed, "Two revolutions."});
  }
  out.choices.emplace_back("J_2 = 5.9e-4 kg m^2 and a final time of 0.2 s, with which Table 3 comes out.");
}

void crank_steps(Outcome& out) {
  const std::vector<double> sizes{1e-4, 1e-5, 1e-6};
  Column violation, rival;
  for (double h : sizes) {
    const Trajectory run = crank("scheme=moreau-jean", h);
    violation.push_back(penetration(run));
    rival.push_back(penetration(crank("scheme=combined", h)));
    svg::Plot plot = over_revolutions(fmt::format("h = {:g}", h), "height over play", "", run, height(run));
    plot.rules = {{.at = -1}, {.at = 1}};
    plot.x.max = 1;
    out.figures.push_back({plot, "Motion of the slider; -1 and 1 are the sides of the slot."});
  }
  out.checks.push_back({.what = "order of the largest penetration in h, moreau-jean",
                        .published = "proportional to the step",
                        .computed = fit_order(sizes, violation).order,
                        .accepted = around(1, 0.1),
                        .reason = "a factor of 1.6 between two decades, by chance of the phases",
                        .rival = "combined, whose penetration is at its tolerance for every step",
                        .rival_computed = fit_order(sizes, rival).order});
}

void crank_portrait(Outcome& out) {
  const double h = 1e-4;
  const Trajectory moreau = crank("scheme=moreau-jean", h), direct = crank("scheme=projected", h),
                   combined = crank("scheme=combined", h);
  for (const auto& [name, run] : {std::pair{"projected", &direct}, {"combined", &combined}})
    out.checks.push_back({.what = std::string("largest height of the slider over the play, ") + name,
                          .published = "no violation",
                          .computed = largest_magnitude(height(*run)),
                          .accepted = at_most(1 + 1e-6),
                          .reason = "1 is the side of the slot, 1e-6 of 1e-3 m the tilt and the tolerance",
                          .rival = "moreau-jean: 1.324e-4 m published",
                          .rival_computed = largest_magnitude(height(moreau))});
  for (const auto& [name, run] : {std::pair{"moreau-jean", &moreau}, {"projected", &direct}, {"combined", &combined}}) {
    Column x(run->rows());
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = 0.153 * elementary::cos((*run)["q.th1"][k]) + 0.306 * elementary::cos((*run)["q.th2"][k]);
    svg::Plot plot{.title = std::string("Portrait, ") + name,
                   .x = {.label = "x of the slider", .unit = "m"},
                   .y = {.label = "height over play"},
                   .rules = {{.at = -1}, {.at = 1}}};
    plot.series.push_back({.x = x, .y = height(*run)});
    out.figures.push_back({plot, "Path of the slider's centre."});
  }
}

void crank_velocity(Outcome& out) {
  const double h = 1e-4;
  // After its last bounce the slider lies against the upper side; there its corners should not move.
  const auto unsteady = [](const Trajectory& run) {
    return largest_magnitude(window(revolutions(run), run["U.upper_left"], 0.16, 0.19));
  };
  const Trajectory moreau = crank("scheme=moreau-jean", h), direct = crank("scheme=projected", h),
                   combined = crank("scheme=combined", h);
  for (const auto& [name, run] : {std::pair{"moreau-jean", &moreau}, {"combined", &combined}})
    out.checks.push_back({.what = std::string("largest normal speed in closed contact [m/s], ") + name,
                          .published = "smooth stabilisation",
                          .computed = unsteady(*run),
                          .accepted = at_most(1e-10),
                          .reason = "the contact is closed in this part of the revolution: the tolerance",
                          .rival = "projected, which oscillates",
                          .rival_computed = unsteady(direct)});
  for (const auto& [name, run] : {std::pair{"moreau-jean", &moreau}, {"projected", &direct}, {"combined", &combined}}) {
    svg::Plot plot =
        over_revolutions(std::string("Normal velocity, ") + name, "velocity", "m/s", *run, (*run)["U.upper_left"]);
    plot.x.max = 0.25;
    out.figures.push_back({plot, "A corner."});
    plot.x.min = 0.15;
    plot.y.min = -0.5;
    plot.y.max = 0.5;
    out.figures.push_back({plot, "Closer."});
  }
}

// Mean and standard deviation of the violation over the step, of 7 steps that differ by 1 % each.
std::pair<double, double> violations_near(const std::string& scheme, double h) {
  double sum = 0, squares = 0;
  for (int k = -3; k <= 3; ++k) {
    const double step = h * (1 + 0.01 * k), x = penetration(crank(scheme, step)) / step;
    sum += x;
    squares += x * x;
  }
  return {sum / 7, std::sqrt((squares - sum * sum / 7) / 6)};
}

double each_step(const Trajectory& run, std::int64_t sum) {
  return static_cast<double>(sum) / static_cast<double>(run.end.summary.steps);
}

struct Row3 {
  double h, violation, sets, projections, direct_projections;
};

// Counts of one step size. The rival has the printed J_2.
void table_3_counts(Outcome& out, const Row3& r, const Trajectory& direct, const Trajectory& combined) {
  const std::string at = fmt::format(", h = {:g}", r.h), two = "scheme={name: combined, first_set: empty}";
  const Trajectory printed = crank(two, r.h, {"system.formulas.parameters.J2=8.9e-4"});
  const auto add = [&](const std::string& what, double published, double computed, double within, const char* rival,
                       double rival_computed) {
    out.checks.push_back(
        {.what = what + at,
         .published = fmt::format("{:g}", published),
         .computed = computed,
         .accepted = around(published, within * published),
         .reason = fmt::format("the printed digits and {:g} % for the last bounces before each rest", 100 * within),
         .rival = rival,
         .rival_computed = rival_computed});
  };
  add("index sets a step, Algorithm 2", r.sets, each_step(combined, combined.end.summary.activation_sum), 0.03,
      "J_2 = 8.9e-4, as printed", each_step(printed, printed.end.summary.activation_sum));
  add("projections a step, Algorithm 2", r.projections, each_step(combined, combined.end.summary.projection_sum), 0.08,
      "Algorithm 1, projected", each_step(direct, direct.end.summary.projection_sum));
  add("projections a step, Algorithm 1", r.direct_projections, each_step(direct, direct.end.summary.projection_sum),
      0.05, "Algorithm 2, combined", each_step(combined, combined.end.summary.projection_sum));
}

void table_3(Outcome& out) {
  svg::Plot plot{.title = "Largest violation",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "violation", .unit = "m", .log = true}};
  Column sizes, of_moreau, of_combined;
  for (const Row3& r : {Row3{1e-4, 1.324e-4, 1.18, 0.20, 0.226}, Row3{1e-5, 1.234e-5, 1.127, 0.019, 0.065},
                        Row3{1e-6, 1.119e-6, 1.12, 0.00036, 0.00066}}) {
    const std::string at = fmt::format(", h = {:g}", r.h);
    const Trajectory moreau = crank("scheme=moreau-jean", r.h), direct = crank("scheme=projected", r.h),
                     combined = crank("scheme={name: combined, first_set: empty}", r.h);
    for (const auto& [name, run] : {std::pair{"Algorithm 1", &direct}, {"Algorithm 2", &combined}})
      out.checks.push_back({.what = std::string("violation [m], ") + name + at,
                            .published = "below 1e-10",
                            .computed = penetration(*run),
                            .accepted = at_most(1e-10),
                            .reason = "tolerance on violations",
                            .rival = "moreau-jean",
                            .rival_computed = penetration(moreau)});
    table_3_counts(out, r, direct, combined);
    if (r.h > 1e-6) {  // seven runs of each, too long for the smallest step: acary-2012/fig-23 has that
      const auto [mean, deviation] = violations_near("scheme=moreau-jean", r.h);
      out.checks.push_back({.what = "violation of moreau-jean over the step [m/s], mean of 7 steps near by" + at,
                            .published = fmt::format("{:.4g}", r.violation / r.h),
                            .computed = mean,
                            .accepted = around(r.violation / r.h, 2 * deviation),
                            .reason = "twice the standard deviation over these steps",
                            .rival = "gamma = 1/2",
                            .rival_computed = violations_near("scheme={name: moreau-jean, gamma: 0.5}", r.h).first});
    }
    sizes.push_back(r.h);
    of_moreau.push_back(penetration(moreau));
    of_combined.push_back(std::max(penetration(combined), 1e-16));
  }
  plot.series.push_back({.name = "moreau-jean", .x = sizes, .y = of_moreau, .style = svg::Style::line_points});
  plot.series.push_back({.name = "combined", .x = sizes, .y = of_combined, .style = svg::Style::line_points});
  out.figures.push_back({plot, "Violations of the constraints."});
  out.disagreements.emplace_back(
      "J_2 is printed as 8.9e-4; with 5.9e-4 kg m^2, the value of the original mechanism, the counts of Algorithm 2 "
      "come out, with 8.9e-4 they do not. The averages of Newton iterations cannot be compared: the stopping tests "
      "differ between the rows.");
  out.disagreements.emplace_back(
      "The violations of Moreau-Jean are printed as 1.324, 1.234 and 1.119 times the step; the same steps give 1.046, "
      "1.033 and 1.100 here. The largest of several hundred impacts depends on where each falls in its step: steps "
      "within 6 % give 0.95 to 1.42 and 0.64 to 1.36. Tried, and further off: forecasts gamma = 1/2 (0.47), gamma = 1 "
      "(0.24), free (0.21), energy-safe (0.21); theta = 1 (3.2); rows at q_k (6.8); the printed J_2 (1.107, 1.115, "
      "1.044); final times from 0.01 to 0.4 s (0.32 to 1.38).");
}

std::vector<Entry> mechanisms() {
  return {
      {"acary-2012/fig-20", "pendulum in a ring", acary_2012_parts::ring_gap},
      {"acary-2012/fig-23", "slider-crank: motion with Moreau-Jean", crank_motion},
      {"acary-2012/fig-24", "slider-crank: violations are proportional to the step", crank_steps},
      {"acary-2012/fig-25", "slider-crank: portrait with three schemes", crank_portrait},
      {"acary-2012/fig-26", "slider-crank: velocity of a corner with three schemes", crank_velocity},
      {"acary-2012/table-3", "slider-crank: violations and counts", table_3},
      {"acary-2012/fig-28", "slider-crank with play in a pin, Moreau-Jean", acary_2012_parts::pin_moreau},
      {"acary-2012/fig-29", "slider-crank with play in a pin, combined", acary_2012_parts::pin_combined},
      {"acary-2012/fig-30", "slider-crank with a larger play, combined", acary_2012_parts::pin_larger},
  };
}

}  // namespace

Document acary_2012() {
  std::vector<Entry> entries;
  for (const auto& part : {acary_2012_parts::examples(), acary_2012_parts::bars(), mechanisms()})
    entries.insert(entries.end(), part.begin(), part.end());
  return {"acary-2012", "Acary (2012): projected event-capturing schemes", std::move(entries)};
}

}  // namespace ricochet::gallery
