// Cosimo, Cavalieri, Brüls, Cardona (2020), 4.3 and 4.4: the flexible pendulum and the flexible cube; and the rotating
// beam of the lecture (Acary 2018), which is printed without parameters and taken for the same pendulum.
#include "ricochet/gallery/cosimo_2020_flexible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery {
namespace {

constexpr const char* kDecoupled = "scheme={name: decoupled-alpha, criterion: relative}";
constexpr const char* kCoupled = "scheme={name: nonsmooth-alpha, criterion: relative, max_newton: 100}";
constexpr const char* kNodes =
    "quadrature, mass and the pivot are not described; taken: strains in the middle of each element, the mass of "
    "nodes, "
    "a joint.";
constexpr const char* kCube =
    "the finite element is not described; taken: 2 x 2 x 2 points, consistent mass, mean dilatation, St. "
    "Venant-Kirchhoff.";

double passes(const Trajectory& run) { return static_cast<double>(run.end.summary.newton_max); }

/// A run that may end early: with a cap on the sweeps of CS no step is repeated in halves.
Trajectory attempt(const std::string& scenario, std::vector<std::string> overrides) {
  overrides.emplace_back("simulation.max_halvings=0");
  return ricochet::simulate(load_scenario(scenario, overrides), {"t"});
}
std::vector<std::string> with(const char* scheme, double h) {
  return {"simulation." + std::string(scheme), set("simulation.step", h)};
}

/// (52) of a column against a finer run whose steps divide those of the run.
double error(const Trajectory& run, const Trajectory& reference, const std::string& column) {
  double difference = 0, size = 0;
  for (std::size_t k = 0; k < run.rows(); ++k) {
    const double exact = value_at(reference.t(), reference[column], run.t()[k]);
    difference += std::abs(run[column][k] - exact);
    size += std::abs(exact);
  }
  return difference / size;
}

svg::Plot over_steps(const std::string& title, const std::string& label) {
  return {.title = title, .x = {.label = "step", .unit = "s", .log = true}, .y = {.label = label, .log = true}};
}
svg::Series marked(const std::string& name, const Column& x, const Column& y) {
  return {.name = name, .x = x, .y = y, .style = svg::Style::line_points};
}

struct Study {
  const char* scenario;
  std::string column, rate;
  std::vector<double> steps;
  double reference;
  std::string rival, wrong;  ///< another model, whose motion is not approached
};

/// Order of DS in (52), with what a wrong model makes of it.
void convergence(const Study& s, Outcome& out) {
  const Trajectory reference = simulate(s.scenario, {kDecoupled, set("step", s.reference)}, {"q", "v"});
  Column displacement, velocity, other;
  for (const double h : s.steps) {
    const Trajectory run = simulate(s.scenario, {kDecoupled, set("step", h)}, {"q", "v"});
    displacement.push_back(error(run, reference, s.column));
    velocity.push_back(error(run, reference, s.rate));
    other.push_back(error(simulate(s.scenario, {kDecoupled, set("step", h), s.wrong}, {"q"}), reference, s.column));
  }
  out.checks.push_back({.what = "order of DS in (52), displacement at the contact",
                        .published = "close to order 1",
                        .computed = fit_order(s.steps, displacement).order,
                        .accepted = at_least(0.9),
                        .reason = "first order across impacts, less a tenth",
                        .rival = s.rival,
                        .rival_computed = fit_order(s.steps, other).order});
  svg::Plot plot = over_steps("Error (52) at the contact, DS", "relative error");
  plot.series = {marked("displacement", s.steps, displacement), marked("velocity", s.steps, velocity)};
  out.figures.push_back({plot, "The velocity is shown alone: with e = 0 micro-impacts come and go with the step."});
  const Trajectory run = simulate(s.scenario, {kDecoupled, set("step", s.steps.back())}, {"q", "v"});
  out.figures.push_back(
      {plot_over_time("Displacement at the contact", "displacement", "m", {line("DS", run, s.column)}),
       fmt::format("h = {:g} s.", s.steps.back())});
}

}  // namespace

void pendulum_motion(Outcome& out) {
  convergence({"flexible-pendulum",
               "q.beam.node8.y",
               "v.beam.node8.y",
               {2e-3, 1e-3, 5e-4},
               2e-5,
               "E = 2.1e10 Pa",
               "system.flexible.beam.young=2.1e10"},
              out);
  out.choices.emplace_back(kNodes);
}

void pendulum_iterations(Outcome& out) {
  const std::vector<double> sizes{2e-3, 1e-3, 5e-4};
  Column ds, cs;
  for (const double h : sizes) {
    ds.push_back(passes(simulate("flexible-pendulum", {kDecoupled, set("step", h)}, {"t"})) / 3);
    cs.push_back(passes(attempt("flexible-pendulum", with(kCoupled, h))));
  }
  out.checks.push_back({.what = "iterations of DS a sub-problem, largest over steps of 5e-4 to 2e-3",
                        .published = "a small number",
                        .computed = largest(ds),
                        .accepted = at_most(6),
                        .reason = "Newton on three smooth problems",
                        .rival = "nonsmooth-alpha (CS), sweeps at the smallest of these steps",
                        .rival_computed = cs.back()});
  out.checks.push_back({.what = "sweeps of CS at h = 2e-3 over those at 5e-4",
                        .published = "grows with the step; not converged at the three largest",
                        .computed = cs.front() / cs.back(),
                        .accepted = at_least(1.5),
                        .reason = "the count grows with the step",
                        .rival = "decoupled-alpha (DS)",
                        .rival_computed = ds.front() / ds.back(),
                        .shape = true});
  svg::Plot plot = over_steps("Largest number of iterations", "iterations");
  plot.series = {marked("DS, a sub-problem", sizes, ds), marked("CS, sweeps", sizes, cs)};
  out.figures.push_back({plot, "Largest in a step."});
  out.choices.emplace_back(kNodes);
  out.disagreements.emplace_back(
      "CS is said not to converge at the three largest steps, without its cap. Here it contracts slowly: with "
      "criterion "
      "(51) and 1e-5 it takes some 80 sweeps at 2e-3.");
}

void cube_motion(Outcome& out) {
  convergence({"flexible-cube",
               "q.cube.n1.z",
               "v.cube.n1.z",
               {2e-3, 1e-3, 5e-4},
               1.25e-4,
               "E = 120 Pa",
               "system.flexible.cube.young=120"},
              out);
  out.choices.emplace_back(kCube);
}

void cube_iterations(Outcome& out) {
  const std::vector<double> sizes{1e-3, 5e-4};
  Column ds, cs;
  double ended = 1;
  for (const double h : sizes) {
    ds.push_back(passes(simulate("flexible-cube", {kDecoupled, set("step", h)}, {"t"})) / 3);
    const Trajectory run = attempt("flexible-cube", with(kCoupled, h));
    cs.push_back(passes(run));
    if (run.result.status != RunStatus::finished) ended = std::min(ended, run.result.failed_at);
  }
  out.checks.push_back({.what = "iterations of DS a sub-problem, largest over steps of 5e-4 and 1e-3",
                        .published = "a small number",
                        .computed = largest(ds),
                        .accepted = at_most(5),
                        .reason = "Newton on three smooth problems",
                        .rival = "nonsmooth-alpha (CS), sweeps until it ends",
                        .rival_computed = smallest(cs),
                        .shape = true});
  out.checks.push_back({.what = "time [s] at which CS gives up, the earlier of both steps (1: it does not)",
                        .published = "does not converge for larger steps",
                        .computed = ended,
                        .accepted = {0.24, 0.3},
                        .reason = "it fails while the cube is in contact, which begins at 0.2473 s",
                        .rival = "decoupled-alpha (DS), which ends at 0.3 s without failing",
                        .rival_computed = 1});
  svg::Plot plot = over_steps("Largest number of iterations", "iterations");
  plot.series = {marked("DS, a sub-problem", sizes, ds), marked("CS, sweeps until it ends", sizes, cs)};
  out.figures.push_back({plot, "Largest in a step."});
  out.choices.emplace_back(kCube);
}

void rotating_beam(Outcome& out) {
  std::vector<svg::Series> tips;
  const auto first_touch = [](const Trajectory& run) {
    for (std::size_t k = 0; k < run.rows(); ++k)
      if (run["gap.wall"][k] <= 1e-9) return run.t()[k];
    return 9.0;
  };
  double latest = 0, earliest = 9;
  for (const char* scheme :
       {"moreau-jean", "newmark, gamma: 0.6, beta: 0.3025", "hht, alpha: 0.1", "generalized-alpha, rho_inf: 0.8"}) {
    const Trajectory run = simulate(
        "flexible-pendulum", {fmt::format("scheme={{name: {}, tolerance: 1e-8}}", scheme), "step=1e-3"}, {"q", "gap"});
    tips.push_back(line(std::string(scheme).substr(0, std::string(scheme).find(',')), run, "q.beam.node8.y"));
    latest = std::max(latest, first_touch(run));
    earliest = std::min(earliest, first_touch(run));
  }
  const double rigid = 0.3302 * std::sqrt(1 + 1.0 / 128);
  const double soft = first_touch(simulate(
      "flexible-pendulum", {"scheme={name: moreau-jean, tolerance: 1e-8}", "step=1e-3", "system.gravity=[0, -9, 0]"},
      {"q", "gap"}));
  for (const auto& [what, value] : {std::pair("earliest", earliest), {"latest", latest}})
    out.checks.push_back({.what = fmt::format("first contact [s], {} of four schemes", what),
                          .published = "not printed; a rigid rod touches at 0.3315",
                          .computed = value,
                          .accepted = around(rigid, 2.5e-3),
                          .reason = "two steps of 1e-3 and the bending of the beam",
                          .rival = "g = 9 m/s^2",
                          .rival_computed = soft});
  out.figures.push_back({plot_over_time("Tip of the beam", "y", "m", tips), "h = 1e-3 s."});
  out.choices.emplace_back(
      "the lecture prints no parameters; taken: the flexible pendulum of cosimo-2020, 4.3, which is probably the "
      "same.");
  out.choices.emplace_back(kNodes);
}

}  // namespace ricochet::gallery
