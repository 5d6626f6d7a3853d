// Brüls, Acary, Cardona (2014), section 10.2: the pendulum.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/gallery/bruls_2014.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery::bruls {
namespace {

// ---- 10.2 the pendulum ---------------------------------------------------------------------------------------------
// The accumulation ends near 4.5 s; from kLeaning on the pendulum leans on the obstacle.
constexpr double kLeaning = 5;
constexpr const char* kFineAlpha = "step=1e-4";

Trajectory pendulum(const char* scheme, std::vector<std::string> more = {}) {
  more.insert(more.begin(), scheme);
  return simulate("bouncing-pendulum", more);
}

void pendulum_gap(Outcome& out) {
  const Trajectory moreau = pendulum(kMoreau), alpha = pendulum(kAlpha), reference = pendulum(kAlpha, {kFineAlpha});
  out.checks.push_back({.what = "largest penetration, nonsmooth-alpha",
                        .published = bruls14::pendulum_position,
                        .computed = -smallest(alpha["gap.obstacle"]),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean",
                        .rival_computed = -smallest(moreau["gap.obstacle"])});
  out.checks.push_back({.what = "largest gap when it leans, nonsmooth-alpha",
                        .published = bruls14::pendulum_position,
                        .derived = "closed",
                        .computed = largest_magnitude(after(alpha, "gap.obstacle", kLeaning)),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean",
                        .rival_computed = largest_magnitude(after(moreau, "gap.obstacle", kLeaning))});
  const svg::Plot plot =
      plot_over_time("Gap", "gap", "m",
                     {line("moreau-jean", moreau, "gap.obstacle"), line("nonsmooth-alpha", alpha, "gap.obstacle"),
                      line("reference, h = 1e-4", reference, "gap.obstacle")});
  out.figures.push_back({plot, "Gap between the tip and the obstacle."});
  out.figures.push_back({zoom(plot, 3.5, 5.5), "The accumulation and the rest."});
  out.choices.emplace_back(kForecast);
  out.choices.emplace_back("the end time; taken: 6 s, which shows the rest after the accumulation.");
}

void pendulum_energy(Outcome& out) {
  const Trajectory moreau = pendulum(kMoreau), alpha = pendulum(kAlpha), reference = pendulum(kAlpha, {kFineAlpha});
  // A jump of the velocity within a step: the angular speed at the first impact is near 4 rad/s.
  const auto jump = [](const Trajectory& run) { return largest(increments(run["v.theta"])); };
  const Trajectory wrong = pendulum(kAlpha, {"system.formulas.parameters.e=0.5"});
  // m g l (sin 15 deg + sin 45 deg) = (m l^2 + J) omega^2 / 2 at the obstacle, then it turns round with e omega.
  const double drop = elementary::sin(std::numbers::pi / 12) + elementary::sin(std::numbers::pi / 4);
  const double exact = 1.8 * std::sqrt(2 * 10 * drop / 1.1);
  out.checks.push_back({.what = "jump of the angular velocity at the first impact [rad/s], nonsmooth-alpha",
                        .published = bruls14::pendulum_jumps,
                        .derived = "(1 + e) omega, from the energy of the fall",
                        .computed = jump(alpha),
                        .accepted = around(exact, 0.02 * exact),
                        .reason = "energy of the fall and (1 + e) omega; the step of the impact is first order",
                        .rival = "e = 0.5",
                        .rival_computed = jump(wrong)});
  out.checks.push_back({.what = "largest rise of energy in a step [J], nonsmooth-alpha",
                        .published = bruls14::pendulum_jumps,
                        .derived = "a staircase that falls",
                        .computed = largest(increments(alpha["E"])),
                        .accepted = at_most(2e-4),
                        .reason = "second-order oscillation of the energy in free swing, h^2 times some 100 W/s",
                        .rival = "smooth-alpha, up to 2 s (it stops later)",
                        .rival_computed = largest(increments(pendulum(kSmooth, {"until=2"})["E"]))});
  out.figures.push_back({plot_over_time("Velocity", "velocity of the tip in x", "m/s",
                                        {line("moreau-jean", moreau, "v.x"), line("nonsmooth-alpha", alpha, "v.x"),
                                         line("reference, h = 1e-4", reference, "v.x")}),
                         "Velocity of the tip."});
  out.figures.push_back({plot_over_time("Energy", "energy", "J",
                                        {line("moreau-jean", moreau, "E"), line("nonsmooth-alpha", alpha, "E"),
                                         line("reference, h = 1e-4", reference, "E")}),
                         "Energy drops at impacts."});
}

// Static force on the obstacle: moments about the pivot, force F in x at the tip, lever l sin(45 deg).
double leaning_force() { return 10 * elementary::cos(std::numbers::pi / 4) / elementary::sin(std::numbers::pi / 4); }

void pendulum_impulse(Outcome& out) {
  const Trajectory alpha = pendulum(kAlpha), reference = pendulum(kAlpha, {kFineAlpha});
  const double coarse = alpha["P.obstacle"].back(), fine = reference["P.obstacle"].back();
  out.checks.push_back({.what = "impulse in closed contact at h = 1e-3 over that at 1e-4",
                        .published = bruls14::ten_times,
                        .computed = coarse / fine,
                        .accepted = around(10, 1e-6),
                        .reason = "both are h times one force",
                        .rival = "h = 2e-4 for the reference",
                        .rival_computed = coarse / pendulum(kAlpha, {"step=2e-4"})["P.obstacle"].back()});
  out.checks.push_back(
      {.what = "impulse over h in closed contact [N]",
       .published = bruls14::contact_force,
       .derived = "m g cot(45 deg) = 10 N",
       .computed = coarse / 1e-3,
       .accepted = around(leaning_force(), 1e-6 * leaning_force()),
       .reason = "moments about the pivot: m g cot(45 deg)",
       .rival = "m = 1.01",
       .rival_computed = pendulum(kAlpha, {"system.formulas.parameters.m=1.01"})["P.obstacle"].back() / 1e-3});
  const svg::Plot plot = plot_over_time(
      "Impulse of the obstacle", "impulse", "N s",
      {line("nonsmooth-alpha", alpha, "P.obstacle"), line("reference, h = 1e-4", reference, "P.obstacle")});
  out.figures.push_back({plot, "Impulses at impacts."});
  svg::Plot detail = zoom(plot, 4.5, 6);
  detail.y.min = 0;
  detail.y.max = 0.02;
  out.figures.push_back({detail, "In closed contact it is the force times h."});
}

/// Time of the first impact, back from the first row after it; events are located.
double first_impact() {
  const Trajectory run = pendulum("scheme=event-driven", {"until=0.5", "step=1e-4"});
  std::size_t k = 1;
  while (run["P.obstacle"][k] == 0) ++k;
  return run.t()[k] - run["gap.obstacle"][k] / run["U.obstacle"][k];
}

// By (32), nu = -g(q~)/W and Lambda = (1 + e)|U|/W at an impact, where -g(q~) is |U| times what is left of the step.
void shrinking_multiplier(Outcome& out, const Quote& printed_at, const std::string& row, const std::string& whose) {
  const double impact = first_impact();
  const auto ratio = [&](const Trajectory& run) {
    std::size_t k = 1;
    while (run["P.obstacle"][k] == 0) ++k;
    return run["correction." + row][k] * 1.8 / (run["P." + row][k] * (run.t()[k] - impact));
  };
  const Trajectory alpha = pendulum(kAlpha), reference = pendulum(kAlpha, {kFineAlpha});
  for (const auto& [name, run] : {std::pair{"h = 1e-3", &alpha}, {"h = 1e-4", &reference}})
    out.checks.push_back({.what = "position multiplier of the first impact times (1 + e) over the impulse and what is "
                                  "left of the step, " +
                                  whose + ", " + name,
                          .published = printed_at,
                          .derived = "1, from (32)",
                          .computed = ratio(*run),
                          .accepted = around(1, 5e-3),
                          .reason = "1 + O(h)",
                          .rival = "e = 0.5",
                          .rival_computed = ratio(pendulum(kAlpha, {"system.formulas.parameters.e=0.5", "until=1"}))});
  out.figures.push_back({plot_over_time("Position multiplier of the " + whose, "multiplier", "",
                                        {line("nonsmooth-alpha", alpha, "correction." + row),
                                         line("reference, h = 1e-4", reference, "correction." + row)}),
                         "It acts at impacts and shrinks with the step."});
}

void pendulum_correction(Outcome& out) { shrinking_multiplier(out, bruls14::small_multiplier, "obstacle", "obstacle"); }

void pendulum_drift(Outcome& out) {
  const Trajectory moreau = pendulum(kMoreau), alpha = pendulum(kAlpha);
  out.checks.push_back({.what = "largest residual of the first joint equation [m], nonsmooth-alpha",
                        .published = bruls14::joint_exact,
                        .computed = largest_magnitude(alpha["residual.pivot"]),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean, which drifts",
                        .rival_computed = largest_magnitude(moreau["residual.pivot"])});
  out.figures.push_back({plot_over_time("First joint equation", "residual", "m",
                                        {line("moreau-jean", moreau, "residual.pivot"),
                                         line("nonsmooth-alpha", alpha, "residual.pivot")}),
                         "Moreau-Jean drifts."});
}

// Rows right after an impact, up to `count` of them: the smooth multiplier less its value when the disturbance is gone.
struct Transient {
  Column values;
  double alternations = 0;
};
Transient after_first_impact(const Trajectory& run, std::size_t skip, std::size_t count) {
  std::size_t impact = 1;
  while (run["P.obstacle"][impact] == 0) ++impact;
  Transient out;
  for (std::size_t k = impact + skip; k < impact + skip + count; ++k)
    out.values.push_back(run["smooth.pivot"][k] - run["smooth.pivot"][k - 1]);
  for (std::size_t k = 1; k < out.values.size(); ++k)
    if (out.values[k] * out.values[k - 1] < 0) ++out.alternations;
  return out;
}

void pendulum_joint_multipliers(Outcome& out) {
  const Trajectory moreau = pendulum(kMoreau), alpha = pendulum(kAlpha);
  // Lambda_1 acts only where the obstacle does.
  const auto idle = [](const Trajectory& run) {
    double worst = 0;
    for (std::size_t k = 1; k < run.rows(); ++k)
      if (run["P.obstacle"][k] == 0) worst = std::max(worst, std::abs(run["P.pivot"][k]));
    return worst;
  };
  out.checks.push_back({.what = "largest joint impulse while the obstacle is open [N s], nonsmooth-alpha",
                        .published = bruls14::only_if_active,
                        .computed = idle(alpha),
                        .accepted = at_most(1e-10),
                        .reason = "the smooth multiplier carries the joint in free motion",
                        .rival = "moreau-jean, whose only multiplier is this one",
                        .rival_computed = idle(moreau)});
  const auto peak = [](const Trajectory& run) { return largest_magnitude(run["P.pivot"]); };
  out.checks.push_back({.what = "largest joint impulse, nonsmooth-alpha over moreau-jean",
                        .published = bruls14::impulses_match,
                        .derived = "1",
                        .computed = peak(alpha) / peak(moreau),
                        .accepted = around(1, 0.05),
                        .reason = "one has the share of the smooth force in a step, the other not",
                        .rival = "e = 0.5",
                        .rival_computed = peak(pendulum(kAlpha, {"system.formulas.parameters.e=0.5"})) / peak(moreau)});
  out.figures.push_back({plot_over_time("Joint impulse", "impulse", "N s", {line("nonsmooth-alpha", alpha, "P.pivot")}),
                         "Nonzero at impacts and in closed contact."});
  out.figures.push_back(
      {plot_over_time("Joint impulse, Moreau-Jean", "impulse", "N s", {line("moreau-jean", moreau, "P.pivot")}),
       "One multiplier for everything."});
  const svg::Plot plot =
      plot_over_time("Smooth multiplier of the joint", "force", "N", {line("nonsmooth-alpha", alpha, "smooth.pivot")});
  out.figures.push_back({plot, "Oscillates after each impact."});
  out.figures.push_back({zoom(plot, 0.45, 0.75), "The oscillation decays."});
}

void pendulum_spectral_radius(Outcome& out) {
  const auto run = [](double rho) {
    return pendulum(("scheme={name: nonsmooth-alpha, " + set("rho_inf", rho).replace(7, 1, ": ") + "}").c_str(),
                    {"until=1"});
  };
  const Trajectory r0 = run(0), r4 = run(0.4), r8 = run(0.8);
  const Transient t8 = after_first_impact(r8, 1, 12), t0 = after_first_impact(r0, 5, 12),
                  t1 = after_first_impact(run(1), 1, 12);
  out.checks.push_back({.what = "changes of sign in the twelve steps after the impact, rho_inf = 0.8",
                        .published = bruls14::transient,
                        .computed = t8.alternations,
                        .accepted = at_least(8),
                        .reason = "nearly every step",
                        .rival = "rho_inf = 0, from the fifth step on",
                        .rival_computed = t0.alternations});
  out.checks.push_back({.what = "oscillation after twelve steps over that after the first, rho_inf = 0.8",
                        .published = bruls14::damped_out,
                        .derived = "0.8^11 to 0.5",
                        .computed = std::abs(t8.values.back() / t8.values.front()),
                        .accepted = {elementary::pow(0.8, 11), 0.5},
                        .reason = "0.8^11 = 0.086, the radius of a stiff row, with a factor that grows with the steps: "
                                  "its roots coincide",
                        .rival = "rho_inf = 1",
                        .rival_computed = std::abs(t1.values.back() / t1.values.front())});
  // Time from the impact until the multiplier changes by less than 1 N a step.
  const auto disturbed = [](double h) {
    const Column changes = after_first_impact(pendulum(kAlpha, {set("step", h), "until=0.55"}), 1, 60).values;
    const auto last = std::find_if(changes.rbegin(), changes.rend(), [](double x) { return std::abs(x) > 1; });
    return h * static_cast<double>(changes.rend() - last);
  };
  const double coarse = disturbed(1e-3);
  out.checks.push_back({.what = "time of the oscillation above 1 N a step at h = 1e-4 over that at 1e-3",
                        .published = bruls14::disturbances,
                        .derived = "1/10: it dies within a number of steps",
                        .computed = disturbed(1e-4) / coarse,
                        .accepted = around(0.1, 0.02),
                        .reason = "it dies within a number of steps",
                        .rival = "h = 5e-4",
                        .rival_computed = disturbed(5e-4) / coarse});
  out.disagreements.emplace_back(
      "The disturbances after an impact are said to decrease with the step. Their duration does, their size does not: "
      "the first change of the multiplier after the impact is 33, 28, 12 and 34 N for h = 1e-3, 5e-4, 2e-4 and 1e-4, "
      "by "
      "where in its step the impact falls.");
  const svg::Plot plot =
      plot_over_time("Smooth multiplier of the joint", "force", "N",
                     {line("rho_inf = 0.8", r8, "smooth.pivot"), line("rho_inf = 0.4", r4, "smooth.pivot"),
                      line("rho_inf = 0", r0, "smooth.pivot")});
  out.figures.push_back({plot, "Three spectral radii."});
  out.figures.push_back({zoom(plot, 0.45, 0.75), "The smaller the radius, the shorter the oscillation."});
}

void pendulum_joint_force(Outcome& out) {
  const Trajectory moreau = pendulum(kMoreau), alpha = pendulum(kAlpha);
  // In free swing, half-way between the first impacts and away from their transients; and at the end, where it leans.
  const auto mean = [](const Trajectory& run, double from, double to) {
    const Column part = window(run.t(), run["reaction.pivot"], from, to);
    double sum = 0;
    for (double x : part) sum += x;
    return sum / static_cast<double>(part.size());
  };
  for (const auto& [when, from, to] : {std::tuple{"in free swing", 0.3, 0.5}, {"when it leans", 5.5, 6.0}})
    out.checks.push_back({.what = std::string("mean reaction of the joint, nonsmooth-alpha over moreau-jean, ") + when,
                          .published = bruls14::similar_forces,
                          .derived = "1",
                          .computed = mean(alpha, from, to) / mean(moreau, from, to),
                          .accepted = around(1, 0.01),
                          .reason = "both converge to one force; h = 1e-3",
                          .rival = "g = 9",
                          .rival_computed = mean(pendulum(kAlpha, {"system.formulas.parameters.g=9"}), from, to) /
                                            mean(moreau, from, to)});
  svg::Plot plot =
      plot_over_time("Reaction of the joint", "force", "N",
                     {line("moreau-jean", moreau, "reaction.pivot"), line("nonsmooth-alpha", alpha, "reaction.pivot")});
  plot.y.min = -40;
  plot.y.max = 40;
  out.figures.push_back({plot, "Impulse over h plus the smooth multiplier; peaks cut."});
}

void pendulum_joint_correction(Outcome& out) {
  shrinking_multiplier(out, bruls14::similar_observations, "pivot", "joint");
}

}  // namespace

std::vector<Entry> pendulums() {
  return {
      {"bruls-2014/fig-8", "pendulum, gap", pendulum_gap},
      {"bruls-2014/fig-9", "pendulum, velocity and energy", pendulum_energy},
      {"bruls-2014/fig-10", "pendulum, impulse of the obstacle", pendulum_impulse},
      {"bruls-2014/fig-11", "pendulum, position multiplier of the obstacle", pendulum_correction},
      {"bruls-2014/fig-12", "pendulum, drift of the joint", pendulum_drift},
      {"bruls-2014/fig-13", "pendulum, multipliers of the joint", pendulum_joint_multipliers},
      {"bruls-2014/fig-14", "pendulum, smooth multiplier for three spectral radii", pendulum_spectral_radius},
      {"bruls-2014/fig-15", "pendulum, reaction of the joint", pendulum_joint_force},
      {"bruls-2014/fig-16", "pendulum, position multiplier of the joint", pendulum_joint_correction},
  };
}

}  // namespace ricochet::gallery::bruls
