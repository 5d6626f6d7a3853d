// Acary (2012): Proposition 2, the local order of the direct projected scheme; (52) to (55), both levels in one
// problem; Remark 3, the metric of the projection; Remark 4, forecasts that cycle.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2012.hpp"
#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery::acary_2012_parts {
namespace {

/// The ball of Example 1 one step of h before the part `sigma` of it is over and it hits.
struct Ball {
  double h, sigma;
  double begin() const { return 1 - sigma * h; }
};

Trajectory one_step(const Ball& ball, const std::string& scheme) {
  const ExactStop exact({.a = -2, .e = 0.5}, 2);
  return simulate("bouncing-ball",
                  {"scheme=" + scheme, set("step", ball.h), set("until", ball.h),
                   set("initial.position.q", exact.y(ball.begin())), set("initial.velocity.q", exact.v(ball.begin()))},
                  {"q", "v"});
}

}  // namespace

// ---- Proposition 2 --------------------------------------------------------------------------------------------------
void local_order(Outcome& out) {
  const std::vector<double> sizes = geometric(0.05, 1e-3, 8);
  const ExactStop exact({.a = -2, .e = 0.5}, 2);
  svg::Plot plot{.title = "Errors of one step of the direct projected scheme, sigma = 0.4",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "error", .unit = "m/s, m", .log = true}};
  const auto errors = [&](const std::string& scheme, const char* column) {
    Column found;
    for (const double h : sizes) {
      const Ball ball{h, 0.4};
      const double end = ball.begin() + h, at_end = one_step(ball, scheme)[column].back();
      found.push_back(std::abs((column[0] == 'q' ? exact.y(end) : exact.v(end)) - at_end));
    }
    return found;
  };
  const std::string missed = "{name: projected, forecast: explicit, gamma: 0}";
  struct Row {
    const char *what, *column;
    Quote printed_at;
    double order;
    const char *rival, *wrong;
  };
  for (const Row& r : {Row{"coordinates", "q.q", acary12::local_order_q, 1, "mannshardt of order 1",
                           "{name: mannshardt, order: 1, location: 1e-6}"},
                       Row{"velocities", "v.q", acary12::local_order_v, 0, "gamma = 1, which sees the impact",
                           "{name: projected, forecast: explicit, gamma: 1}"}}) {
    const Column found = errors(missed, r.column);
    out.checks.push_back({.what = fmt::format("order of the error of one step with an impact, {}", r.what),
                          .published = r.printed_at,
                          .derived = fmt::format("{:g}", r.order),
                          .computed = fit_order(sizes, found).order,
                          .accepted = around(r.order, 0.05),
                          .reason = "eight sizes, the impact after 0.4 of the step in all",
                          .rival = r.rival,
                          .rival_computed = fit_order(sizes, errors(r.wrong, r.column)).order});
    plot.series.push_back({.name = r.what, .x = sizes, .y = found, .style = svg::Style::line_points});
  }
  out.figures.push_back({plot, "The forecast misses the impact; the position is projected all the same."});
}

// ---- (52) to (55) ---------------------------------------------------------------------------------------------------
void coupled(Outcome& out) {
  // A stiff spring and a large step: the coupling h theta K G tau is as large as the impulse.
  const auto run = [](const std::string& options) {
    return simulate(
        "linear-oscillator",
        {"scheme={name: projected, gamma: 1" + options + "}", "step=1.3e-2", "system.formulas.parameters.k=4e3"},
        {"q", "v", "P", "correction"});
  };
  const Trajectory one = run(", coupled: true"), two = run(""), wrong = run(", coupled: true, theta: 0.6");
  const auto distance = [&](const Trajectory& other) {
    double worst = 0;
    for (std::size_t k = 0; k < one.rows(); ++k) worst = std::max(worst, std::abs(one["q.q"][k] - other["q.q"][k]));
    return worst;
  };
  out.checks.push_back({.what = "largest distance of the motions, coupled and decoupled [m]",
                        .derived = "0: both solve (28)",
                        .computed = distance(two),
                        .accepted = at_most(1e-7),
                        .reason = "steps end at a violation of 1e-10 m, and there are 385",
                        .rival = "theta = 0.6",
                        .rival_computed = distance(wrong)});
  // What the equations (52) leave over, from q, v, P and tau alone.
  const auto leftover = [](const Trajectory& r, double sign) {
    const double m = 1, K = 4e3, h = 1.3e-2, theta = 0.5;
    double worst = 0, size = 0;
    for (std::size_t k = 0; k + 1 < r.rows(); ++k) {
      const double q = r["q.q"][k], v = r["v.q"][k], v1 = r["v.q"][k + 1], tau = r["correction.stop"][k + 1];
      const double M = m + h * h * theta * theta * K, f = -h * K * (q + h * theta * v);
      worst = std::max(worst, std::abs(M * (v1 - v) - f - r["P.stop"][k + 1] + sign * h * theta * K * tau));
      size = std::max(size, std::abs(r["P.stop"][k + 1]));
    }
    return worst / size;
  };
  out.checks.push_back({.what = "what the first row of (52) leaves over, over the largest impulse",
                        .derived = "0, with - h theta K G tau",
                        .computed = leftover(one, 1),
                        .accepted = at_most(1e-9),
                        .reason = "a step ends at a residual of 1e-10 of its scales, which are some of these impulses",
                        .rival = "+ h theta K G tau, as printed",
                        .rival_computed = leftover(one, -1)});
  const auto passes = [](const char* options, double h) {
    const Trajectory r = simulate(
        "slider-crank", {std::string("scheme={name: projected, forecast: energy-safe") + options + "}", set("step", h)},
        {"t"});
    return static_cast<double>(r.end.summary.newton_sum) / static_cast<double>(r.end.summary.steps);
  };
  const auto sweeps = [](const char* options) {
    const Trajectory r = simulate(
        "elastic-bar-bruls",
        {std::string("scheme={name: nonsmooth-alpha, max_newton: 400") + options + "}", "step=5e-3", "until=0.7"},
        {"t"});
    return static_cast<double>(r.end.summary.newton_sum);
  };
  out.checks.push_back({.what = "Newton passes of the slider-crank, decoupled over coupled, h = 1e-4",
                        .published = acary12::few_iterations,
                        .computed = passes("", 1e-4) / passes(", coupled: true", 1e-4),
                        .accepted = around(1, 0.25),
                        .reason = "slightly: a quarter",
                        .rival = "nonsmooth-alpha on the bar, whose decoupling costs sweeps, over monolithic = true",
                        .rival_computed = sweeps("") / sweeps(", monolithic: true"),
                        .shape = true});
  out.figures.push_back({plot_over_time("Oscillator at a stop, h = 13 ms", "position", "m",
                                        {line("coupled", one, "q.q"), line("decoupled", two, "q.q")}),
                         "One on the other."});
  out.disagreements.emplace_back(
      "(45), (46), (52) print + h theta K G tau and the entry h; derived, and solved here, are - h theta K G tau and - "
      "h theta I.");
}

// ---- Remark 3 -------------------------------------------------------------------------------------------------------
void metric(Outcome& out) {
  // One step that hits and is projected: c = W_q tau, and v+ - v_free = W_v (P - h theta K c).
  const double h = 1e-2, m = 2, K = 400, theta = 0.5, q0 = 2e-4, v0 = -3;
  const auto step = [&](const std::string& metric, double stop) {
    return simulate(
        "linear-oscillator",
        {"scheme={name: projected, gamma: 1, metric: " + metric + "}", set("step", h), set("until", h),
         set("initial.position.q", q0), set("initial.velocity.q", v0), set("system.formulas.parameters.m", m),
         set("system.formulas.parameters.k", K), set("system.formulas.parameters.stop", stop)},
        {"q", "v", "P", "correction"});
  };
  const double v_free = step("identity", -1e3)["v.q"].back();
  struct Found {
    double position, velocity;
  };
  const auto found = [&](const std::string& metric) {
    const Trajectory run = step(metric, 0);
    const double v = run["v.q"].back(), c = run["q.q"].back() - q0 - h * (theta * v + (1 - theta) * v0);
    return Found{c / run["correction.stop"].back(), (v - v_free) / (run["P.stop"].back() - h * theta * K * c)};
  };
  const Found iteration = found("iteration"), identity = found("identity");
  out.checks.push_back({.what = "W of the position over W of the velocity, N = M^^-1",
                        .published = acary12::same_matrix,
                        .derived = "1",
                        .computed = iteration.position / iteration.velocity,
                        .accepted = around(1, 1e-9),
                        .reason = "differences of numbers of 1e-2: rounding",
                        .rival = "metric = identity",
                        .rival_computed = identity.position / identity.velocity});
  out.checks.push_back({.what = "W of the position [1/kg]",
                        .derived = "1/(m + h^2 theta^2 K) = 1/2.01",
                        .computed = iteration.position,
                        .accepted = around(1 / 2.01, 1e-9),
                        .reason = "rounding",
                        .rival = "metric = mass",
                        .rival_computed = found("mass").position});
  const Trajectory one = simulate("linear-oscillator", {"scheme={name: projected, metric: iteration}", "step=1.3e-2"}),
                   two = simulate("linear-oscillator", {"scheme={name: projected, metric: identity}", "step=1.3e-2"});
  out.figures.push_back(
      {plot_over_time("Multiplier of the projection", "multiplier", "",
                      {line("N = M^^-1", one, "correction.stop"), line("N = I", two, "correction.stop")}),
       "The motion is the same, the multiplier has another unit."});
}

// ---- Remark 4 -------------------------------------------------------------------------------------------------------
void forecasts_that_cycle(Outcome& out) {
  // (64) within the Newton loop: the contact has the law of impact if the position of the step is beyond the ground,
  // and none if it is not. Both are steps of Moreau-Jean; the ball hits after the part sigma of its step.
  const double h = 0.02;
  Column phases, without, with;
  double cycling = 0, lost = 0;
  for (double sigma = 0.005; sigma < 1; sigma += 0.01) {
    const Ball ball{h, sigma};
    phases.push_back(sigma);
    without.push_back(one_step(ball, "{name: moreau-jean, forecast: explicit, gamma: 0}")["q.q"].back());
    with.push_back(one_step(ball, "{name: moreau-jean, forecast: explicit, gamma: 2}")["q.q"].back());
    if (without.back() <= 0 && with.back() > 0) ++cycling;
    const Trajectory grown = one_step(ball, "combined");
    if (grown.end.summary.activation_max > 2) ++lost;
  }
  out.checks.push_back({.what = "part of the phases of an impact for which the forecast (64) has no answer",
                        .published = acary12::cycling,
                        .derived = "1 - (1 - e)/2 = 3/4",
                        .computed = cycling / 100,
                        .accepted = around(0.75, 0.02),
                        .reason = "hundred phases, and f h/|U| = 0.02",
                        .rival = "combined, whose sets only grow: more than two of them",
                        .rival_computed = lost / 100});
  svg::Plot plot{.title = "Where the step ends",
                 .x = {.label = "part of the step before the impact"},
                 .y = {.label = "height", .unit = "m"}};
  plot.series = {{.name = "without the law of impact", .x = phases, .y = without},
                 {.name = "with it", .x = phases, .y = with}};
  out.figures.push_back(
      {plot, "Below the ground without the law, above it with the law: neither assumption agrees with its result."});
}

}  // namespace ricochet::gallery::acary_2012_parts
