// Acary (2012), section 1, Painlevé's rod; sections 4 and 5: the direct projected scheme and its chattering, the
// combined scheme, on ball, oscillator, roller and rocking block.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2012.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery::acary_2012_parts {
namespace {

// ---- Examples 1 and 2: ball and oscillator --------------------------------------------------------------------------
constexpr const char* kOffGrid =
    "the printed step 0.05 puts the first impact on a grid point, where the rounding of one comparison decides what "
    "happens; taken: 0.0437.";
constexpr const char* kStep = "step=0.0437";
constexpr const char* kUntil = "until=4.9818";  // 114 steps: no shorter one at the end

std::string projected(int gamma) {
  return "scheme={name: projected, forecast: explicit, gamma: " + std::to_string(gamma) + "}";
}

// L1, L2 and uniform norms of the error in the velocity against the closed form, for one step size.
struct Errors {
  double l1_v = 0, l2_v = 0, uniform_v = 0;
};
Errors errors(const std::string& scenario, const std::string& scheme, double h) {
  const Trajectory run = simulate(scenario, {"scheme=" + scheme, set("step", h)}, {"q", "v", "h"});
  const bool is_ball = scenario == "bouncing-ball";
  const double w2 = 4 * std::numbers::pi * std::numbers::pi;
  const ExactStop exact(
      is_ball ? ExactStop::Parameters{.a = -2, .e = 0.5} : ExactStop::Parameters{.a = 0, .w2 = w2, .e = 0.7},
      run.t().back());
  Column error_v;
  for (std::size_t k = 1; k < run.rows(); ++k) error_v.push_back(std::abs(run["v.q"][k] - exact.v(run.t()[k])));
  const Column steps(run["h"].begin() + 1, run["h"].end());
  const double infinity = std::numeric_limits<double>::infinity();
  return {grid_norm(steps, error_v, 1), grid_norm(steps, error_v, 2), grid_norm(steps, error_v, infinity)};
}

void orders(Outcome& out) {
  const std::vector<double> sizes = geometric(2.3e-2, 4.7e-4, 14);
  struct Norm {
    const char *name, *unit;
    double Errors::*error;
    Quote printed_at;
    double order, within;
    const char *reason, *rival, *other;
  };
  const char* const fitted = "fitted over fourteen sizes off the grid; impacts fall anywhere in a step";
  const Norm norms[] = {
      {"L1", "m", &Errors::l1_v, acary12::same_orders, 1, 0.15, fitted, "trapezoidal-position", "trapezoidal-position"},
      {"L2", "m/s^0.5", &Errors::l2_v, acary12::norms_of_figure_2, 0.5, 0.15, fitted,
       "mannshardt, which locates impacts", "mannshardt"},
      {"uniform norm", "m/s", &Errors::uniform_v, acary12::norms_of_figure_2, 0, 0.1,
       "a jump that falls a step late is an error of the size of the jump", "mannshardt, which locates impacts",
       "mannshardt"}};
  for (const char* scenario : {"bouncing-ball", "linear-oscillator"}) {
    const auto measured = [&](const std::string& scheme) {
      std::vector<Errors> found;
      for (const double h : sizes) found.push_back(errors(scenario, scheme, h));
      return found;
    };
    std::map<std::string, std::vector<Errors>> all;
    for (const char* scheme : {"schatzman-paoli", "moreau-jean", "projected", "trapezoidal-position", "mannshardt"})
      all[scheme] = measured(scheme);
    for (const Norm& n : norms) {
      const auto column = [&](const std::string& scheme) {
        Column x;
        for (const Errors& e : all.at(scheme)) x.push_back(e.*n.error);
        return x;
      };
      svg::Plot plot{.title = fmt::format("Error of the velocity, {}, {}", n.name, scenario),
                     .x = {.label = "step", .unit = "s", .log = true},
                     .y = {.label = "error", .unit = n.unit, .log = true}};
      for (const char* scheme : {"schatzman-paoli", "moreau-jean", "projected"}) {
        out.checks.push_back({.what = fmt::format("order of the velocity in {}, {}, {}", n.name, scheme, scenario),
                              .published = n.printed_at,
                              .derived = fmt::format("{:g}: a jump of O(1) misplaced by O(h)", n.order),
                              .computed = fit_order(sizes, column(scheme)).order,
                              .accepted = around(n.order, n.within),
                              .reason = n.reason,
                              .rival = n.rival,
                              .rival_computed = fit_order(sizes, column(n.other)).order});
        plot.series.push_back({.name = scheme, .x = sizes, .y = column(scheme), .style = svg::Style::line_points});
      }
      out.figures.push_back({plot, fmt::format("Order {:g}.", n.order)});
    }
  }
  out.choices.emplace_back("no values are given for the oscillator; taken: those of the scenario linear-oscillator.");
}

void multiplier_order(Outcome& out) {
  const std::vector<double> sizes = geometric(2.3e-2, 4.7e-4, 20);
  // Over h |U|, |U| = 2 m/s at the first impact. The step in which the gap closes is projected by up to h |U|, the next
  // one, which turns the velocity, by (1 - e)/2 h |U|.
  const auto multipliers = [&](const std::string& scheme, double e) {
    Column tau;
    for (double h : sizes)
      tau.push_back(largest(simulate("bouncing-ball", {scheme, set("step", h), set("system.formulas.parameters.e", e)},
                                     {"correction"})["correction.wall"]) /
                    (2 * h));
    return tau;
  };
  Column tau = multipliers(projected(0), 0.5);
  out.checks.push_back({.what = "largest projection multiplier over h |U|, the largest of twenty steps",
                        .published = acary12::multiplier_order,
                        .derived = "3/4 to 1 times h |U|",
                        .computed = largest(tau),
                        .accepted = {0.75, 1},
                        .reason = "the part of the step that is left after the impact, up to a whole one",
                        .rival = "combined, which takes the impact into this step",
                        .rival_computed = largest(multipliers("scheme=combined", 0.5))});
  out.checks.push_back({.what = "largest projection multiplier over h |U|, the smallest of twenty steps",
                        .published = acary12::multiplier_order,
                        .derived = "(1 - e)/2 times h |U|",
                        .computed = smallest(tau),
                        .accepted = around(0.25, 0.006),
                        .reason =
                            "the step that turns the velocity, (1 - e)/2, where the one before needs less; |U| is "
                            "found within f h",
                        .rival = "e = 0.9",
                        .rival_computed = smallest(multipliers(projected(0), 0.9))});
  for (std::size_t k = 0; k < sizes.size(); ++k) tau[k] *= 2 * sizes[k];
  svg::Plot plot{.title = "Largest projection multiplier",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "tau", .unit = "m", .log = true}};
  plot.series.push_back({.name = "projected, ball", .x = sizes, .y = tau, .style = svg::Style::line_points});
  out.figures.push_back({plot, "It vanishes with the step."});
}

// Largest speed once the exact ball rests (t = 3).
double unrest(const Trajectory& run) { return largest_magnitude(window(run.t(), run["v.q"], 4.5, 5)); }

void chattering(Outcome& out) {
  const Trajectory free = simulate("bouncing-ball", {"scheme={name: projected, forecast: free}", kStep, kUntil});
  for (int gamma : {0, 1, 2}) {
    const Trajectory run = simulate("bouncing-ball", {projected(gamma), kStep, kUntil});
    out.checks.push_back({.what = "largest speed from 4.5 s on [m/s], gamma = " + std::to_string(gamma),
                          .published = acary12::any_gamma,
                          .derived = "f h/(1 + e), twice that for gamma = 0",
                          .computed = unrest(run),
                          .accepted = around((gamma == 0 ? 2 : 1) * 2 * 0.0437 / 1.5, 1e-4),
                          .reason = gamma == 0 ? "2 f h/(1 + e): free, projected without an impulse, hit"
                                               : "f h/(1 + e): free for a step, then hit",
                          .rival = "forecast = free",
                          .rival_computed = unrest(free)});
    const svg::Plot plot = plot_over_time("gamma = " + std::to_string(gamma), "position, velocity", "m, m/s",
                                          {line("q", run, "q.q"), line("v", run, "v.q")});
    out.figures.push_back({plot, "Explicit forecast."});
    svg::Plot detail = zoom(plot, 3, 5);
    detail.y.min = -0.15;
    detail.y.max = 0.15;
    out.figures.push_back({detail, "It never rests."});
  }
  out.choices.emplace_back(kOffGrid);
}

void no_chattering(Outcome& out) {
  const Trajectory run = simulate("bouncing-ball", {"scheme={name: projected, forecast: free}", kStep, kUntil});
  out.checks.push_back({.what = "largest speed from 4.5 s on [m/s], free forecast",
                        .published = acary12::free_forecast,
                        .computed = unrest(run),
                        .accepted = at_most(1e-8),
                        .reason = "what is left of the last bounces halves with every step",
                        .rival = "forecast = explicit",
                        .rival_computed = unrest(simulate("bouncing-ball", {projected(0), kStep, kUntil}))});
  const auto projections = [](const Trajectory& r) {
    return static_cast<double>(
        std::count_if(r["correction.wall"].begin(), r["correction.wall"].end(), [](double tau) { return tau > 0; }));
  };
  out.checks.push_back({.what = "steps with a projection, free forecast",
                        .published = acary12::never_violated,
                        .derived = "none",
                        .computed = projections(run),
                        .accepted = at_most(2),
                        .reason = "nearly none; see below why not none",
                        .rival = "forecast = explicit",
                        .rival_computed = projections(simulate("bouncing-ball", {projected(0), kStep, kUntil}))});
  out.disagreements.emplace_back(
      "The free forecast is said never to let the constraint be violated. It may be: a step that activates the contact "
      "ends at g + h (v + v+)/2 with v+ = -e v, which is negative where g < h (1 - e)|v|/2. With h = 0.0437 this "
      "happens once, at t = 3.1901 s (the column correction.wall of such a run shows it).");
  out.figures.push_back(
      {plot_over_time("Free forecast", "position, velocity", "m, m/s", {line("q", run, "q.q"), line("v", run, "v.q")}),
       "It comes to rest."});
  out.choices.emplace_back(kOffGrid);
}

svg::Plot energy_plot(const std::string& title, const Trajectory& run) {
  return plot_over_time(
      title, "energy", "J",
      {line("kinetic", run, "kinetic"), line("potential", run, "potential"), line("total", run, "E")});
}

void energy(Outcome& out) {
  const Trajectory run = simulate("bouncing-ball", {projected(0), kStep, kUntil}),
                   combined = simulate("bouncing-ball", {"scheme=combined", kStep, kUntil});
  out.checks.push_back({.what = "largest rise of the total energy in a step [J], projected",
                        .published = acary12::potential_rises,
                        .computed = largest(increments(run["E"])),
                        .accepted = at_least(1e-3),
                        .reason = "of 2 J; far above rounding",
                        .rival = "combined",
                        .rival_computed = largest(increments(combined["E"])),
                        .shape = true});
  out.figures.push_back({energy_plot("Projected, explicit forecast", run), "Energy of the ball, e = 1/2."});
  out.figures.push_back({energy_plot("Combined", combined), "The same without chattering."});
  out.choices.emplace_back(kOffGrid);
}

void energy_elastic(Outcome& out) {
  const std::string elastic = "system.formulas.parameters.e=1";
  const Trajectory run = simulate("bouncing-ball", {projected(0), kStep, kUntil, elastic}),
                   combined = simulate("bouncing-ball", {"scheme=combined", kStep, kUntil, elastic});
  out.checks.push_back({.what = "energy at the end over the initial one, projected, e = 1",
                        .published = acary12::total_rises,
                        .computed = run["E"].back() / run["E"].front(),
                        .accepted = at_least(1 + 1e-9),
                        .reason = "the exact ball keeps it; rounding is below 1e-13",
                        .rival = "combined, which loses",
                        .rival_computed = combined["E"].back() / combined["E"].front()});
  out.figures.push_back({energy_plot("Projected, e = 1", run), "The energy of a conservative system rises."});
  out.choices.emplace_back(kOffGrid);
}

void roller(Outcome& out) {
  const auto run = [](const std::string& scheme) { return simulate("slider-and-roller", {scheme, "step=9.7e-3"}); };
  const Trajectory combined = run("scheme=combined"), moreau = run("scheme=moreau-jean"), direct = run(projected(0));
  const auto creep = [](const Trajectory& r) { return largest_magnitude(window(r.t(), r["v.phi"], 3, 4)); };
  for (const auto& [name, r] : {std::pair{"combined", &combined}, {"moreau-jean", &moreau}})
    out.checks.push_back({.what = std::string("largest speed of the roller in the last second [rad/s], ") + name,
                          .published = acary12::roller_rests,
                          .computed = creep(*r),
                          .accepted = at_most(1e-8),
                          .reason = "the torque is 60 % of mu m g R",
                          .rival = "projected, explicit forecast: never stops",
                          .rival_computed = creep(direct)});
  out.figures.push_back({plot_over_time("Speed of the roller", "angular velocity", "rad/s",
                                        {line("moreau-jean", moreau, "v.phi"), line("projected", direct, "v.phi"),
                                         line("combined", combined, "v.phi")}),
                         "With the direct projection the slider goes on bouncing and the roller slips under it."});
  out.choices.emplace_back("the document gives no values; those of the scenario slider-and-roller are taken.");
  out.disagreements.emplace_back(
      "The limit of the torque is printed as mu m g; it must be mu m g R, as the dimensions show.");
}

void rocking_block(Outcome& out) {
  const Trajectory direct = simulate("rocking-block", {"scheme={name: projected, forecast: explicit}", "step=1e-2"}),
                   combined = simulate("rocking-block", {"scheme=combined", "step=1e-2"});
  const auto speed = [](const Trajectory& r) {
    return std::max(largest_magnitude(window(r.t(), r["U.A"], 1.8, 2)),
                    largest_magnitude(window(r.t(), r["U.B"], 1.8, 2)));
  };
  out.checks.push_back({.what = "largest normal speed of a corner in the last 0.2 s [m/s], combined",
                        .published = acary12::block_rests,
                        .computed = speed(combined),
                        .accepted = at_most(1e-10),
                        .reason = "the tolerance",
                        .rival = "projected, which oscillates",
                        .rival_computed = speed(direct)});
  out.checks.push_back({.what = "energy at the end [J], combined",
                        .published = acary12::block_energy,
                        .computed = combined["E"].back(),
                        .accepted = at_most(7.3575 + 1e-8),
                        .reason = "m g l/2, the energy at rest",
                        .rival = "projected",
                        .rival_computed = direct["E"].back()});
  for (const auto& [name, r] : {std::pair{"projected", &direct}, {"combined", &combined}}) {
    out.figures.push_back(
        {plot_over_time(std::string("Gaps, ") + name, "gap", "m", {line("A", *r, "gap.A"), line("B", *r, "gap.B")}),
         "Gaps of the corners."});
    svg::Plot rates = zoom(
        plot_over_time(std::string("Rates, ") + name, "velocity", "m/s", {line("A", *r, "U.A"), line("B", *r, "U.B")}),
        1.2, 2);
    rates.y.min = -0.3;
    rates.y.max = 0.3;
    out.figures.push_back({rates, "Towards rest."});
    out.figures.push_back({energy_plot(std::string("Energy, ") + name, *r), "Energy of the block."});
  }
  out.choices.emplace_back("the initial angular velocity is 0.2 rad/s: the dot over theta_0 is lost in print.");
}

// ---- section 1: Painlevé's rod --------------------------------------------------------------------------------------
Trajectory rod(const std::string& scheme, double h, double angle, double spin = 0, double friction = 2) {
  return simulate(
      "painleve-rod",
      {"scheme=" + scheme, set("step", h), set("until", 5 * h), set("initial.position.th", angle),
       set("initial.position.y", elementary::sin(angle)), set("initial.velocity.th", spin),
       set("initial.velocity.y", spin * elementary::cos(angle)), set("system.formulas.parameters.mu", friction)},
      {"q", "v", "gap", "P"});
}

/// 1: event tracking ends at once and says why; 0: it goes on.
double refused(double angle, double friction) {
  try {
    rod("event-driven", 1e-3, angle, 0, friction);
    return 0;
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).find("painleve") != std::string::npos ? 1 : 0;
  }
}

void painleve(Outcome& out) {
  // 1 rad, mu = 2: p = 1 + 3 c (c - mu s) = -0.85. An impact that stops the tip has P_N = 3/4 c s m U_T.
  const double angle = 1, c = elementary::cos(angle), s = elementary::sin(angle), h = 1e-5;
  const auto first = [](const Trajectory& run) { return run["P.tip"][1]; };
  const double regular = first(rod("moreau-jean", h, angle, 0, 0.5));
  for (const char* scheme : {"moreau-jean", "projected", "combined", "newmark", "nonsmooth-alpha", "decoupled-alpha"})
    out.checks.push_back({.what = std::string("impulse of the first step, inconsistent region, ") + scheme,
                          .published = acary12::friction_jumps,
                          .derived = "3/4 cos sin, an impact that stops the tip",
                          .computed = first(rod(scheme, h, angle)),
                          .accepted = around(0.75 * c * s, 2e-4),
                          .reason = "3/4 cos sin, an impact that stops the tip; the step adds m g h",
                          .rival = "moreau-jean with mu = 0.5, where p > 0: it slides on",
                          .rival_computed = regular});
  out.checks.push_back({.what = "event tracking stops and names the paradox (1) or goes on (0)",
                        .derived = "1: no acceleration obeys the laws",
                        .computed = refused(angle, 2),
                        .accepted = around(1, 0),
                        .reason = "yes or no",
                        .rival = "mu = 0.5",
                        .rival_computed = refused(angle, 0.5)});
  // th'^2 l sin > g: with N = 0 the tip lifts off, with N = b m/|p| it could stay.
  const auto lifted = [&](double spin) { return rod("moreau-jean", 1e-3, angle, spin)["gap.tip"].back(); };
  out.checks.push_back({.what = "gap after 5 ms, indeterminate region [m], moreau-jean",
                        .derived = "(th'^2 sin - g) t^2/2, the solution without a force",
                        .computed = lifted(5),
                        .accepted = around(1.417e-4, 1e-6),
                        .reason = "(th'^2 sin - g) t^2/2 + th'^3 cos t^3/6; t^4 is 1e-8",
                        .rival = "th' = 0, the inconsistent region",
                        .rival_computed = lifted(0)});
  const Trajectory run = simulate("painleve-rod", {}, {"q", "v", "P"});
  out.figures.push_back({plot_over_time("Painlevé's rod from 1.4 rad, regular", "angular velocity", "rad/s",
                                        {line("combined", run, "v.th")}),
                         "The tip is stopped and the rod turns over it."});
  out.choices.emplace_back("The paper names the paradox and computes nothing: a uniform rod of length 2 m, mu = 2.");
}

}  // namespace

std::vector<Entry> examples() {
  return {
      {"acary-2012/painleve", "Painlevé's rod: what each scheme does where no acceleration obeys the laws", painleve},
      {"acary-2012/fig-2", "orders of Schatzman-Paoli, Moreau-Jean and the projected scheme", orders},
      {"acary-2012/fig-3", "the multiplier of the projection is of order h", multiplier_order},
      {"acary-2012/fig-4", "ball: chattering with the explicit forecast", chattering},
      {"acary-2012/fig-5", "ball: no chattering with the free forecast", no_chattering},
      {"acary-2012/fig-6", "ball: energy of the projected scheme", energy},
      {"acary-2012/fig-7", "ball with e = 1: the projected scheme gains energy", energy_elastic},
      {"acary-2012/fig-8", "slider and roller: only a scheme that rests stops the roller", roller},
      {"acary-2012/fig-9", "rocking block: direct projection against the combined scheme", rocking_block},
  };
}

}  // namespace ricochet::gallery::acary_2012_parts
