// Acary (2018), lecture on time integration: exact solutions, orders, naive schemes, energy, spectral radii.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/hausdorff.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/cosimo_2020_flexible.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery {
namespace {

constexpr double kPi = std::numbers::pi;

// ---- exact solutions ------------------------------------------------------------------------------------------------
// Both academic examples end at 5 s: the ball of f = -2, e = 1/2, and the oscillator of 1 Hz with a stop at rest.
ExactStop exact_ball(double e = 0.5) { return {{.a = -2, .e = e}, 5}; }
ExactStop exact_oscillator(double e = 0.7) { return {{.a = 0, .w2 = 4 * kPi * kPi, .e = e}, 5}; }

svg::Plot exact_plot(const std::string& title, const ExactStop& exact) {
  svg::Plot plot = plot_over_time(title, "position, velocity", "m, m/s", {});
  svg::Series q{.name = "q"}, v{.name = "v"};
  for (int k = 0; k <= 4000; ++k) {
    const double t = 5.0 * k / 4000;
    q.x.push_back(t);
    v.x.push_back(t);
    q.y.push_back(exact.y(t));
    v.y.push_back(exact.v(t));
  }
  plot.series = {q, v};
  return plot;
}

void ball_exact(Outcome& out) {
  const ExactStop exact = exact_ball(), wrong = exact_ball(0.6);
  out.checks.push_back({.what = "time from which the ball rests [s]",
                        .published = "3",
                        .computed = exact.rest_time(),
                        .accepted = around(3, 1e-12),
                        .reason = "the sum 1 + 1 + 1/2 + 1/4 + ... of the flights",
                        .rival = "e = 0.6",
                        .rival_computed = wrong.rest_time()});
  out.checks.push_back({.what = "height at 1.5 s [m]",
                        .published = "-(t - 1)(t - 2) = 1/4 on [1, 2)",
                        .computed = exact.y(1.5),
                        .accepted = around(0.25, 1e-14),
                        .reason = "rounding",
                        .rival = "e = 0.6",
                        .rival_computed = wrong.y(1.5)});
  out.figures.push_back({exact_plot("Bouncing ball", exact), "The closed form."});
}

void oscillator_exact(Outcome& out) {
  const ExactStop exact = exact_oscillator(), wrong = exact_oscillator(0.8);
  out.checks.push_back({.what = "time of the third impact [s]",
                        .published = "in every half period",
                        .computed = exact.impacts().at(2).t,
                        .accepted = around(1.25, 1e-13),
                        .reason = "T/4 + 2 T/2 with T = 1 s; rounding",
                        .rival = "the fourth",
                        .rival_computed = exact.impacts().at(3).t});
  out.checks.push_back({.what = "height of the swing after the first impact [m]",
                        .published = "e times the one before",
                        .computed = exact.y(0.5),
                        .accepted = around(0.7, 1e-13),
                        .reason = "rounding",
                        .rival = "e = 0.8",
                        .rival_computed = wrong.y(0.5)});
  out.figures.push_back({exact_plot("Linear oscillator", exact), "The closed form."});
  out.choices.emplace_back(
      "the slides give no numbers for the oscillator; taken: 1 Hz, stop at the rest position, e = 0.7.");
}

// ---- orders ---------------------------------------------------------------------------------------------------------
struct Errors {
  Column l1_q, l1_v, uniform_q, uniform_v, hausdorff;
};

Errors errors_of(const std::string& scenario, const std::string& scheme, const ExactStop& exact,
                 const std::vector<double>& sizes) {
  FilledGraph graph;
  std::size_t next = 0;
  for (int k = 0; k <= 100000; ++k) {
    const double t = 5.0 * k / 100000;
    for (; next < exact.impacts().size() && exact.impacts()[next].t <= t; ++next) {
      graph.add(exact.impacts()[next].t, exact.impacts()[next].before);
      graph.add(exact.impacts()[next].t, exact.impacts()[next].after);
    }
    graph.add(t, exact.v(t));
  }
  Errors out;
  for (double h : sizes) {
    const Trajectory run = simulate(scenario, {"scheme=" + scheme, set("step", h)}, {"q", "v", "h"});
    Column q, v;
    FilledGraph samples;
    for (std::size_t k = 0; k < run.rows(); ++k) {
      samples.add(run.t()[k], run["v.q"][k]);
      if (k == 0) continue;
      q.push_back(std::abs(run["q.q"][k] - exact.y(run.t()[k])));
      v.push_back(std::abs(run["v.q"][k] - exact.v(run.t()[k])));
    }
    const Column steps(run["h"].begin() + 1, run["h"].end());
    const double infinity = std::numeric_limits<double>::infinity();
    out.l1_q.push_back(grid_norm(steps, q, 1));
    out.l1_v.push_back(grid_norm(steps, v, 1));
    out.uniform_q.push_back(grid_norm(steps, q, infinity));
    out.uniform_v.push_back(grid_norm(steps, v, infinity));
    out.hausdorff.push_back(hausdorff(filled_steps(samples), graph).distance);
  }
  return out;
}

void orders(Outcome& out, const std::string& scenario, const std::string& scheme, const ExactStop& exact) {
  const std::vector<double> sizes = geometric(2.3e-2, 4.7e-4, 14);
  const Errors e = errors_of(scenario, scheme, exact, sizes);
  const double of_uniform = fit_order(sizes, e.uniform_v).order;
  for (const auto& [what, column] : {std::pair{"order of the velocity in L1", &e.l1_v},
                                     {"order of the position in L1", &e.l1_q},
                                     {"order of the filled-in graph of the velocity, Hausdorff", &e.hausdorff}})
    out.checks.push_back({.what = what,
                          .published = "1",
                          .computed = fit_order(sizes, *column).order,
                          .accepted = around(1, 0.25),
                          .reason = "fitted over fourteen sizes off the grid",
                          .rival = "the velocity in the uniform norm",
                          .rival_computed = of_uniform});
  svg::Plot plot{.title = scheme + ", " + scenario,
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "error", .log = true}};
  for (const auto& [name, column] : {std::pair{"q, L1", &e.l1_q},
                                     {"q, uniform", &e.uniform_q},
                                     {"v, L1", &e.l1_v},
                                     {"v, uniform", &e.uniform_v},
                                     {"v, Hausdorff", &e.hausdorff}})
    plot.series.push_back({.name = name, .x = sizes, .y = *column, .style = svg::Style::line_points});
  out.figures.push_back({plot, "Errors in several norms."});
}

void orders_moreau_ball(Outcome& out) { orders(out, "bouncing-ball", "moreau-jean", exact_ball()); }
void orders_moreau_oscillator(Outcome& out) { orders(out, "linear-oscillator", "moreau-jean", exact_oscillator()); }
void orders_paoli_ball(Outcome& out) { orders(out, "bouncing-ball", "schatzman-paoli", exact_ball()); }
void orders_paoli_oscillator(Outcome& out) { orders(out, "linear-oscillator", "schatzman-paoli", exact_oscillator()); }

// ---- naive schemes --------------------------------------------------------------------------------------------------
void naive_velocity(Outcome& out) {
  const auto run = [](const std::string& scheme) {
    return simulate("bouncing-ball-lecture", {"scheme=" + scheme, "step=1.03e-3", "until=3"});
  };
  const Trajectory half = run("{name: newmark-velocity, gamma: 0.5}"), one = run("{name: newmark-velocity, gamma: 1}"),
                   sound = run("newmark");
  const auto gain = [](const Trajectory& r) { return largest(r["E"]) / r["E"].front(); };
  out.checks.push_back({.what = "largest energy over the initial one, gamma = 1/2",
                        .published = "not consistent",
                        .computed = gain(half),
                        .accepted = at_least(2),
                        .reason = "a ball that bounces with e = 0.9 cannot rise",
                        .rival = "nonsmooth newmark",
                        .rival_computed = gain(sound)});
  out.checks.push_back({.what = "largest energy over the initial one, gamma = 1, alpha = 0",
                        .published = "consistent for gamma = 1 only",
                        .computed = gain(one),
                        .accepted = at_most(1 + 1e-12),
                        .reason = "rounding",
                        .rival = "gamma = 1/2",
                        .rival_computed = gain(half)});
  svg::Plot plot = plot_over_time(
      "Height", "height", "m",
      {line("gamma = 1/2", half, "q.x"), line("gamma = 1", one, "q.x"), line("nonsmooth newmark", sound, "q.x")});
  plot.y.min = 0;
  plot.y.max = 3;
  out.figures.push_back({plot, "Constraint at velocity level in Newmark's scheme."});
}

// Speed after the first impact over that before it; the impact lies at `phase` of its step.
double apparent_restitution(const std::string& scheme, double phase) {
  const double h = 1e-3, g = 9.81, t = (450 + phase) * h;
  const Trajectory run = simulate("bouncing-ball-lecture", {"scheme=" + scheme, set("step", h), "until=0.6",
                                                            set("initial.position.x", g * t * t / 2)});
  return (run["v.x"].back() + g * (run.t().back() - t)) / (g * t);
}

void naive_position(Outcome& out) {
  Column phases, naive, sound;
  for (double phase = 0.05; phase < 1; phase += 0.1) {
    phases.push_back(phase);
    naive.push_back(apparent_restitution("{name: newmark-position, gamma: 1}", phase));
    sound.push_back(apparent_restitution("newmark", phase));
  }
  out.checks.push_back({.what = "spread of the restitution that one sees over the phase of the impact, gamma = 1",
                        .published = "not the impact law",
                        .computed = largest(naive) - smallest(naive),
                        .accepted = at_least(0.3),
                        .reason = "e = 0.9 should be seen whatever the phase",
                        .rival = "nonsmooth newmark",
                        .rival_computed = largest(sound) - smallest(sound)});
  const Trajectory run = simulate("bouncing-ball-lecture", {"scheme={name: newmark-position, gamma: 1}", "step=1e-3"}),
                   right = simulate("bouncing-ball-lecture", {"scheme=newmark", "step=1e-3"});
  out.figures.push_back(
      {plot_over_time("Height", "height", "m",
                      {line("newmark-position", run, "q.x"), line("nonsmooth newmark", right, "q.x")}),
       "Constraint at position level in Newmark's scheme, gamma = 1, beta = 1/2."});
  svg::Plot plot{.title = "Restitution that one sees",
                 .x = {.label = "phase of the impact in its step"},
                 .y = {.label = "restitution"}};
  plot.series = {{.name = "newmark-position", .x = phases, .y = naive, .style = svg::Style::line_points},
                 {.name = "nonsmooth newmark", .x = phases, .y = sound, .style = svg::Style::line_points}};
  plot.rules = {{.at = 0.9, .label = "e"}};
  out.figures.push_back({plot, "It depends on chance."});
}

// ---- energy ---------------------------------------------------------------------------------------------------------
constexpr const char* kThree[] = {"{name: moreau-jean, theta: 1}", "{name: newmark, gamma: 1, beta: 0.5}",
                                  "{name: hht, alpha: 0.1}"};
constexpr const char* kNames[] = {"Moreau, theta = 1", "Newmark (1, 0.5)", "HHT, alpha = 0.1"};

void energies(Outcome& out, const std::string& scenario, const std::vector<std::string>& overrides,
              const std::string& text, double kept_at_least) {
  std::vector<svg::Series> series;
  Column kept;
  for (int k = 0; k < 3; ++k) {
    std::vector<std::string> all = overrides;
    all.push_back(std::string("scheme=") + kThree[k]);
    const Trajectory run = simulate(scenario, all, {"E"});
    series.push_back(line(kNames[k], run, "E"));
    kept.push_back(run["E"].back() / run["E"].front());
    out.checks.push_back(
        {.what = std::string("largest rise of the energy in a step over the initial energy, ") + kNames[k],
         .published = "no gain",
         .computed = largest(increments(run["E"])) / run["E"].front(),
         .accepted = at_most(2e-2),
         .reason = "alpha-schemes keep their own energy H, not E: it ripples with the vibration"});
  }
  for (int k = 0; k < 2; ++k)
    out.checks.push_back({.what = text,
                          .published = "HHT dissipates in high frequencies only",
                          .computed = kept[2],
                          .accepted = at_least(kept_at_least),
                          .reason = "the vibration is resolved; first-order damping kills it",
                          .rival = kNames[k],
                          .rival_computed = kept[static_cast<std::size_t>(k)]});
  out.figures.push_back({plot_over_time("Energy", "energy", "J", series), "Total energy with three schemes."});
}

void bar_energy(Outcome& out) {
  energies(out, "elastic-bar-bruls", {"step=2e-3"}, "energy kept by the bar after its impact, HHT", 0.97);
}

// Right after the first bounce of the lower ball, while the spring vibrates.
void two_balls(Outcome& out) {
  std::vector<svg::Series> energy, spring;
  Column vibration;
  for (int k = 0; k < 3; ++k) {
    const Trajectory run =
        simulate("two-balls-oscillator", {std::string("scheme=") + kThree[k], "step=2e-3", "until=1"});
    energy.push_back(line(kNames[k], run, "E"));
    Column length = run["q.y2"];
    for (std::size_t i = 0; i < length.size(); ++i) length[i] -= run["q.y1"][i] + 0.5;
    spring.push_back({.name = kNames[k], .x = run.t(), .y = length});
    const auto swing = [&](double from, double to) {
      const Column part = window(run.t(), length, from, to);
      return largest(part) - smallest(part);
    };
    vibration.push_back(swing(0.6, 0.65) / swing(0.46, 0.51));
  }
  for (std::size_t k = 0; k < 2; ++k)
    out.checks.push_back({.what = "vibration of the spring 0.14 s after the first impact over that right after it, HHT",
                          .published = "dissipates in high frequencies only",
                          .computed = vibration[2],
                          .accepted = at_least(0.2),
                          .reason = "22 ms of period are eleven steps: resolved, so it should live for some periods",
                          .rival = kNames[k],
                          .rival_computed = vibration[k]});
  out.figures.push_back({plot_over_time("Energy", "energy", "J", energy), "h = 2e-3 s."});
  out.figures.push_back(
      {zoom(plot_over_time("Stretch of the spring", "stretch", "m", spring), 0.4, 0.8), "After the first impact."});
  out.choices.emplace_back(
      "masses, stiffness and heights are not given; those of the scenario two-balls-oscillator are taken.");
}

// ---- spectral radii -------------------------------------------------------------------------------------------------
// Decay a step of a free oscillator with h omega = Omega, from the amplitudes after 20 to 60 and 260 to 300 steps.
double spectral_radius(const std::string& scheme, double Omega) {
  const double k = 1, h = Omega;
  const Trajectory run = simulate("linear-oscillator",
                                  {"scheme=" + scheme, set("step", h), set("until", 300 * h),
                                   set("system.formulas.parameters.k", k), "system.formulas.parameters.stop=-1e9"},
                                  {"q"});
  const auto amplitude = [&](std::size_t from, std::size_t to) {
    double out = 0;
    for (std::size_t i = from; i <= to && i < run.rows(); ++i) out = std::max(out, std::abs(run["q.q"][i]));
    return out;
  };
  return elementary::pow(amplitude(260, 300) / amplitude(20, 60), 1.0 / 240);
}

void spectral_radii(Outcome& out) {
  struct Member {
    const char *name, *scheme;
    double at_infinity;
  };
  const std::vector<Member> members{
      {"trapezoidal: Newmark (1/2, 1/4)", "{name: newmark, gamma: 0.5, beta: 0.25}", 1},
      {"damped Newmark, gamma = 0.6", "{name: newmark, gamma: 0.6, beta: 0.3025}", 0.9 / 1.1},
      {"HHT, alpha = 0.05", "{name: hht, alpha: 0.05}", 0.95 / 1.05},
      {"HHT, alpha = 0.3", "{name: hht, alpha: 0.3}", 0.7 / 1.3},
      {"generalized-alpha, rho_inf = 0.6", "{name: generalized-alpha, rho_inf: 0.6}", 0.6},
      {"Moreau-Jean, theta = 0.6", "{name: moreau-jean, theta: 0.6}", 0.4 / 0.6}};
  const std::vector<double> Omegas = geometric(1e3, 1e-2, 61);
  svg::Plot plot{.title = "Spectral radii",
                 .x = {.label = "h omega", .log = true},
                 .y = {.label = "spectral radius", .min = 0.4, .max = 1.05}};
  for (const Member& m : members) {
    Column radii;
    for (double Omega : Omegas) radii.push_back(spectral_radius(m.scheme, Omega));
    out.checks.push_back(
        {.what = std::string("spectral radius at h omega = 1000, ") + m.name,
         .published = fmt::format("{:.4g} at infinity", m.at_infinity),
         .computed = radii.front(),
         .accepted = around(m.at_infinity, 0.02),
         .reason = "measured from 240 steps of a free oscillator; roots nearly coincide there",
         .rival = m.at_infinity < 1 ? "the same at h omega = 0.01" : members[1].name,
         .rival_computed = m.at_infinity < 1 ? radii.back() : spectral_radius(members[1].scheme, 1e3)});
    plot.series.push_back({.name = m.name, .x = Omegas, .y = radii});
  }
  out.figures.push_back({plot, "Decay of a free oscillation in a step."});
  out.choices.emplace_back(
      "the slide reprints a figure of the literature with other families too; shown are the members that the program "
      "has.");
}

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

void precision_work(Outcome& out, const std::string& scenario, const ExactStop& exact) {
  Work fixed;
  for (double h : geometric(2.3e-2, 1.3e-4, 12))
    measure(fixed, scenario, exact, {"scheme=moreau-jean", set("step", h)});
  svg::Plot plot = work_plot("Moreau-Jean, fixed and adaptive steps, " + scenario);
  plot.series.push_back(work_line("fixed", fixed));
  for (const char* control : {"half-step, order: 0", "half-step, order: 1", "half-step, order: 2", "both, order: 0",
                              "both, order: 1", "both, order: variable"}) {
    Work adaptive;
    for (double atol : {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6})
      measure(adaptive, scenario, exact,
              {"scheme=moreau-jean", fmt::format("step={{control: {}, atol: {}, rtol: 0}}", control, atol)});
    plot.series.push_back(work_line(control, adaptive));
    if (std::string(control) != "both, order: variable") continue;
    const double wanted = 1.01 * std::max(smallest(adaptive.error), smallest(fixed.error));  // both reach it
    out.checks.push_back(
        {.what = fmt::format("solves for an error of {:.2g}, half steps and violation with variable order over fixed",
                             wanted),
         .published = "adaptive steps beat fixed ones",
         .computed = solves_for(adaptive, wanted) / solves_for(fixed, wanted),
         .accepted = at_most(0.5),
         .reason = "half steps and rejections counted; less than half the work",
         .rival = "fixed steps",
         .rival_computed = 1});
  }
  out.figures.push_back({plot, "Every one-step solve counts, those of rejected steps too."});
}

void precision_work_ball(Outcome& out) { precision_work(out, "bouncing-ball", exact_ball()); }
void precision_work_oscillator(Outcome& out) { precision_work(out, "linear-oscillator", exact_oscillator()); }

void precision_work_orders(Outcome& out) {
  const ExactStop exact = exact_oscillator();
  svg::Plot plot = work_plot("Runge-Kutta on both sides of impacts, linear-oscillator");
  const std::vector<double> sizes = geometric(4.3e-2, 5.3e-3, 10);
  double moreau = 0;
  for (int p : {0, 2, 3, 4, 5}) {  // 0: Moreau-Jean
    Work work;
    for (double h : sizes)
      measure(
          work, "linear-oscillator", exact,
          {p == 0 ? "scheme=moreau-jean" : fmt::format("scheme={{name: mannshardt, order: {}}}", p), set("step", h)});
    plot.series.push_back(work_line(p == 0 ? "moreau-jean" : fmt::format("order {}", p), work));
    const double order = fit_order(sizes, work.error).order;
    if (p == 0)
      moreau = order;
    else
      out.checks.push_back({.what = fmt::format("order of the position in L1 with Runge-Kutta of order {}", p),
                            .published = fmt::format("{}", p),
                            .computed = order,
                            .accepted = at_least(p - 0.3),
                            .reason = "fitted over ten sizes off the grid",
                            .rival = "moreau-jean",
                            .rival_computed = moreau});
  }
  out.figures.push_back({plot, "Schemes of order p across impacts."});
}

void splitting_orders(Outcome& out) {
  const ExactStop exact = exact_oscillator();
  const std::vector<double> sizes = geometric(2.3e-2, 2.3e-4, 27);
  const std::string free = "system.formulas.parameters.stop=-2";  // swings between -1 and 1 without touching
  const ExactStop swing({.a = 0, .w2 = 4 * kPi * kPi, .e = 0.7, .y0 = 1, .v0 = 0}, 0.2);
  Work with, without;
  Column depth;
  for (double h : sizes) {
    measure(with, "linear-oscillator", exact, {"scheme=splitting", set("step", h)});
    depth.push_back(simulate("linear-oscillator", {"scheme=splitting", set("step", h)}, {"gap"})
                        .end.summary.certificate.penetration);
  }
  const std::vector<double> coarse = geometric(2.3e-2, 1.1e-3, 14);  // below, rounding
  for (double h : coarse)
    measure(without, "linear-oscillator", swing, {"scheme=splitting", set("step", h), free, "until=0.2"});
  out.checks.push_back({.what = "order of the position in L1 across impacts, RKF45",
                        .published = "1",
                        .computed = fit_order(sizes, with.error).order,
                        .accepted = around(1, 0.25),
                        .reason = "fitted over 27 sizes off the grid",
                        .rival = "without impacts",
                        .rival_computed = fit_order(coarse, without.error).order});
  out.checks.push_back({.what = "order of the position in L1 without impacts, RKF45",
                        .published = "5",
                        .computed = fit_order(coarse, without.error).order,
                        .accepted = at_least(4.7),
                        .reason = "down to rounding",
                        .rival = "with impacts",
                        .rival_computed = fit_order(sizes, with.error).order});
  svg::Plot plot{.title = "Splitting with RKF45, linear-oscillator",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "error", .log = true}};
  plot.series = {{.name = "with impacts", .x = sizes, .y = with.error, .style = svg::Style::line_points},
                 {.name = "without", .x = coarse, .y = without.error, .style = svg::Style::line_points},
                 {.name = "penetration", .x = sizes, .y = depth, .style = svg::Style::line_points}};
  out.figures.push_back({plot, "The smooth part is of order 5, an impact at a frozen position of order 1."});
}

}  // namespace

Document acary_2018() {
  return {
      "acary-2018",
      "Acary (2018): time integration of nonsmooth dynamics, lecture",
      {
          {"acary-2018/ball-exact", "bouncing ball: closed form", ball_exact},
          {"acary-2018/oscillator-exact", "linear oscillator: closed form", oscillator_exact},
          {"acary-2018/orders-moreau-ball", "order of Moreau-Jean on the ball", orders_moreau_ball},
          {"acary-2018/orders-moreau-oscillator", "order of Moreau-Jean on the oscillator", orders_moreau_oscillator},
          {"acary-2018/orders-paoli-ball", "order of Schatzman-Paoli on the ball", orders_paoli_ball},
          {"acary-2018/orders-paoli-oscillator", "order of Schatzman-Paoli on the oscillator", orders_paoli_oscillator},
          {"acary-2018/naive-velocity", "Newmark with the constraint at velocity level", naive_velocity},
          {"acary-2018/naive-position", "Newmark with the constraint at position level", naive_position},
          {"acary-2018/two-balls", "two balls oscillator with three schemes", two_balls},
          {"acary-2018/bar-energy", "energy of the bar with three schemes", bar_energy},
          {"acary-2018/spectral-radii", "spectral radii", spectral_radii},
          {"acary-2018/precision-work-ball", "adaptive steps against fixed ones on the ball", precision_work_ball},
          {"acary-2018/precision-work-oscillator", "adaptive steps against fixed ones on the oscillator",
           precision_work_oscillator},
          {"acary-2018/precision-work-orders", "Runge-Kutta of order p on both sides of impacts",
           precision_work_orders},
          {"acary-2018/splitting-orders", "splitting with RKF45: orders with and without impacts", splitting_orders},
          {"acary-2018/beam", "flexible rotating beam", rotating_beam},
      }};
}

}  // namespace ricochet::gallery
