// Brüls, Acary, Cardona (2014): the nonsmooth generalized-alpha scheme with constraints at both levels. Section 10
// compares four schemes at the spectral radius 0.8; here the bar and the block, ball and pendulum beside it.
#include "ricochet/gallery/bruls_2014.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery {
namespace bruls {
namespace {

// ---- 10.3 the bar --------------------------------------------------------------------------------------------------
constexpr double kTouch = 0.5005, kLeave = kTouch + 2.0 / 3;  // the wave goes to the end and back

Trajectory bar(const char* scheme, std::vector<std::string> more = {}) {
  more.insert(more.begin(), scheme);
  return simulate("elastic-bar-bruls", more, {"gap", "U", "P", "reaction", "E", "correction"});
}

constexpr const char* kSection =
    "cross-section and kind of mass matrix; taken: 1 m^2 (it scales force and energy only) and consistent.";

void bar_gap(Outcome& out) {
  const Trajectory moreau = bar(kMoreau), alpha = bar(kAlpha), smooth = bar(kSmooth);
  out.checks.push_back({.what = "largest penetration [m], nonsmooth-alpha",
                        .published = bruls14::bar_penetration,
                        .computed = -smallest(alpha["gap.wall"]),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean",
                        .rival_computed = -smallest(moreau["gap.wall"])});
  const auto closed = [](const Trajectory& run) {
    double begin = 0, end = 0;
    for (std::size_t k = 1; k < run.rows(); ++k)
      if (run["P.wall"][k] > 0) {
        if (begin == 0) begin = run.t()[k];
        end = run.t()[k];
      }
    return end - begin;
  };
  for (const auto& [name, run] : {std::pair{"nonsmooth-alpha", &alpha}, {"moreau-jean", &moreau}})
    out.checks.push_back({.what = std::string("time in contact [s], ") + name,
                          .published = bruls14::bar_contact,
                          .derived = "2 L sqrt(rho/E) = 2/3 s",
                          .computed = closed(*run),
                          .accepted = around(2.0 / 3, 3 * 2e-3),
                          .reason = "three steps",
                          .rival = "E = 800 Pa",
                          .rival_computed = closed(bar(kAlpha, {"system.bar.young=800"}))});
  const svg::Plot plot =
      plot_over_time("Gap", "gap", "m",
                     {line("smooth-alpha", smooth, "gap.wall"), line("moreau-jean", moreau, "gap.wall"),
                      line("nonsmooth-alpha", alpha, "gap.wall")});
  out.figures.push_back({plot, "Gap of the bar's end."});
  svg::Plot detail = zoom(plot, 0.45, 1.25);
  detail.y.min = -0.03;
  detail.y.max = 0.06;
  out.figures.push_back({detail, "Closed for 2/3 s."});
  out.choices.emplace_back(kSection);
  out.choices.emplace_back(kForecast);
}

void bar_energy(Outcome& out) {
  const Trajectory moreau = bar(kMoreau), alpha = bar(kAlpha), smooth = bar(kSmooth);
  const auto speed = [](const Trajectory& run) {
    return largest_magnitude(window(run.t(), run["U.wall"], kTouch + 0.05, kLeave - 0.05));
  };
  out.checks.push_back({.what = "largest speed of the end in closed contact [m/s], nonsmooth-alpha",
                        .published = bruls14::bar_velocity,
                        .computed = speed(alpha),
                        .accepted = at_most(1e-9),
                        .reason = "tolerance of a converged step at 10 m/s",
                        .rival = "smooth-alpha",
                        .rival_computed = speed(smooth)});
  const auto rise = [](const Trajectory& run) { return largest(increments(run["E"])); };
  out.checks.push_back({.what = "largest rise of energy in a step [J], smooth-alpha",
                        .published = bruls14::bar_energy,
                        .computed = rise(smooth),
                        .accepted = at_least(0.1),
                        .reason = "of 500 J; far above rounding",
                        .rival = "moreau-jean",
                        .rival_computed = rise(moreau),
                        .shape = true});
  const auto lost = [](const Trajectory& run) { return run["E"].front() - run["E"].back(); };
  out.checks.push_back({.what = "energy lost, nonsmooth-alpha over moreau-jean",
                        .published = bruls14::bar_dissipation,
                        .computed = lost(alpha) / lost(moreau),
                        .accepted = at_most(0.3),
                        .reason = "both at rho_inf = 0.8; less than a third, not just less",
                        .rival = "nonsmooth-alpha with rho_inf = 0",
                        .rival_computed = lost(bar("scheme={name: nonsmooth-alpha, rho_inf: 0}")) / lost(moreau),
                        .shape = true});
  out.figures.push_back({plot_over_time("Velocity of the end", "velocity", "m/s",
                                        {line("smooth-alpha", smooth, "U.wall"), line("moreau-jean", moreau, "U.wall"),
                                         line("nonsmooth-alpha", alpha, "U.wall")}),
                         "Zero in contact, but not with the smooth scheme."});
  out.figures.push_back({plot_over_time("Energy", "energy", "J",
                                        {line("smooth-alpha", smooth, "E"), line("moreau-jean", moreau, "E"),
                                         line("nonsmooth-alpha", alpha, "E")}),
                         "Energy of the bar."});
}

void bar_force(Outcome& out) {
  const Trajectory moreau = bar(kMoreau), alpha = bar(kAlpha), smooth = bar(kSmooth);
  // Exact: sqrt(E rho) v0 S = 300 N all the time. Standard deviation over the contact.
  const auto spread = [](const Trajectory& run) {
    const Column force = window(run.t(), run["reaction.wall"], kTouch + 0.03, kLeave - 0.03);
    double sum = 0;
    for (double f : force) sum += (f - 300) * (f - 300);
    return std::sqrt(sum / static_cast<double>(force.size()));
  };
  for (const auto& [name, run] : {std::pair{"nonsmooth-alpha", &alpha}, {"moreau-jean", &moreau}})
    out.checks.push_back({.what = std::string("deviation of the force from 300 N, root mean square, ") + name,
                          .published = bruls14::bar_stable_force,
                          .derived = "sqrt(E rho) v0 S = 300 N",
                          .computed = spread(*run),
                          .accepted = at_most(3),
                          .reason = "one per cent of the force",
                          .rival = "smooth-alpha",
                          .rival_computed = spread(smooth)});
  svg::Plot plot =
      plot_over_time("Contact force", "force", "N",
                     {line("smooth-alpha", smooth, "reaction.wall"), line("moreau-jean", moreau, "reaction.wall"),
                      line("nonsmooth-alpha", alpha, "reaction.wall")});
  plot.y.min = -200;
  plot.y.max = 1200;
  out.figures.push_back({plot, "Peaks of the first step cut."});
  out.figures.push_back({zoom(plot, 0.6, 0.7), "The smooth scheme oscillates."});
  out.choices.emplace_back(kSection);
}

// ---- 10.4 the block ------------------------------------------------------------------------------------------------
constexpr double kStill = 1.7;  // at rest on both corners

Trajectory block(const char* scheme, std::vector<std::string> more = {}) {
  more.insert(more.begin(), scheme);
  return simulate("rocking-block-bruls", more);
}

void block_height(Outcome& out) {
  const Trajectory moreau = block(kMoreau), alpha = block(kAlpha), reference = block(kAlpha, {"step=2e-4"});
  const auto distance = [&](const Trajectory& run) {
    return l1_distance(run.t(), run["q.y"], reference.t(), reference["q.y"]);
  };
  out.checks.push_back(
      {.what = "L1 distance of the height to the reference [m s], nonsmooth-alpha",
       .published = bruls14::block_response,
       .computed = distance(alpha),
       .accepted = at_most(5e-3),
       .reason = "(1 + e)|U| h times the 0.2 s of a flight: an impact at 2 m/s seen a step of 1e-2 s late",
       .rival = "e = 0.2",
       .rival_computed = distance(block(kAlpha, {"system.formulas.parameters.e=0.2"}))});
  out.checks.push_back({.what = "height at the end [m], nonsmooth-alpha",
                        .derived = "l/2 = 0.75 m, at rest on both corners",
                        .computed = alpha["q.y"].back(),
                        .accepted = around(0.75, 1e-9),
                        .reason = "gap zero at both corners",
                        .rival = "moreau-jean, which has sunk",
                        .rival_computed = moreau["q.y"].back()});
  out.figures.push_back({plot_over_time("Height of the centre", "height", "m",
                                        {line("moreau-jean", moreau, "q.y"), line("nonsmooth-alpha", alpha, "q.y"),
                                         line("reference, h = 2e-4", reference, "q.y")}),
                         "The block falls, rocks and rests."});
  out.choices.emplace_back(
      "the initial velocity is zero here and 0.2 rad/s in acary-2012, although the parameters are said to be the same; "
      "each document is run with its own.");
}

void block_gaps(Outcome& out) {
  const Trajectory moreau = block(kMoreau), alpha = block(kAlpha), reference = block(kAlpha, {"step=2e-4"});
  const auto depth = [](const Trajectory& run) { return -std::min(smallest(run["gap.A"]), smallest(run["gap.B"])); };
  out.checks.push_back({.what = "largest penetration of a corner [m], nonsmooth-alpha",
                        .published = bruls14::block_levels,
                        .computed = depth(alpha),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean",
                        .rival_computed = depth(moreau)});
  for (const char* corner : {"gap.A", "gap.B"}) {
    const svg::Plot plot = plot_over_time(std::string("Gap of corner ") + corner[4], "gap", "m",
                                          {line("moreau-jean", moreau, corner), line("nonsmooth-alpha", alpha, corner),
                                           line("reference, h = 2e-4", reference, corner)});
    out.figures.push_back({plot, "Gap of a corner."});
    out.figures.push_back({zoom(plot, 1.2, 2), "Towards rest."});
  }
}

void block_rates(Outcome& out) {
  const Trajectory moreau = block(kMoreau), alpha = block(kAlpha), modified = block(kModified);
  const auto speed = [](const Trajectory& run) {
    return std::max(largest_magnitude(after(run, "U.A", kStill)), largest_magnitude(after(run, "U.B", kStill)));
  };
  out.checks.push_back({.what = "largest normal speed of a corner at rest [m/s], nonsmooth-alpha",
                        .published = bruls14::block_levels,
                        .computed = speed(alpha),
                        .accepted = at_most(1e-10),
                        .reason = "the tolerance",
                        .rival = "nonsmooth-alpha-modified",
                        .rival_computed = speed(modified)});
  for (const char* corner : {"U.A", "U.B"})
    out.figures.push_back(
        {plot_over_time(std::string("Normal velocity of corner ") + corner[2], "velocity", "m/s",
                        {line("moreau-jean", moreau, corner), line("nonsmooth-alpha", alpha, corner)}),
         "Rate of a gap."});
}

void block_energy(Outcome& out) {
  const Trajectory moreau = block(kMoreau), alpha = block(kAlpha), reference = block(kAlpha, {"step=2e-4"});
  out.checks.push_back({.what = "energy lost in steps without impulse [J], nonsmooth-alpha",
                        .published = bruls14::block_dissipation,
                        .computed = lost_in_flight(alpha, {"A", "B"}),
                        .accepted = at_most(1e-12),
                        .reason = "rounding of 10 J: free flight under a constant force is exact",
                        .rival = "moreau-jean, (theta - 1/2) m g^2 h^2 a step",
                        .rival_computed = lost_in_flight(moreau, {"A", "B"})});
  const svg::Plot plot = plot_over_time("Energy", "energy", "J",
                                        {line("moreau-jean", moreau, "E"), line("nonsmooth-alpha", alpha, "E"),
                                         line("reference, h = 2e-4", reference, "E")});
  out.figures.push_back({plot, "Energy of the block."});
  out.figures.push_back({zoom(plot, 0.5, 1.5), "The staircase."});
}

void block_impulse(Outcome& out) {
  const Trajectory moreau = block(kMoreau), alpha = block(kAlpha);
  const auto sum = [](const Trajectory& run) { return run["P.A"].back() + run["P.B"].back(); };
  out.checks.push_back({.what = "sum of the impulses of both corners at rest over m g h, nonsmooth-alpha",
                        .published = bruls14::block_as_before,
                        .derived = "m g h",
                        .computed = sum(alpha) / (9.81 * 1e-2),
                        .accepted = around(1, 1e-4),
                        .reason = "weight; the last bounces are still dying out",
                        .rival = "g = 9.8",
                        .rival_computed = sum(block(kAlpha, {"system.formulas.parameters.g=9.8"})) / (9.81 * 1e-2)});
  const svg::Plot plot = plot_over_time("Impulse of corner A", "impulse", "N s",
                                        {line("moreau-jean", moreau, "P.A"), line("nonsmooth-alpha", alpha, "P.A")});
  out.figures.push_back({plot, "Impulse of a corner in a step."});
  svg::Plot detail = zoom(plot, 1.2, 2);
  detail.y.min = 0;
  detail.y.max = 0.3;
  out.figures.push_back({detail, "It tends to half the weight times h."});
}

std::vector<Entry> bodies() {
  return {
      {"bruls-2014/fig-17", "bar, gap of the end", bar_gap},
      {"bruls-2014/fig-18", "bar, velocity of the end and energy", bar_energy},
      {"bruls-2014/fig-19", "bar, contact force", bar_force},
      {"bruls-2014/fig-20", "block, height", block_height},
      {"bruls-2014/fig-21", "block, gaps of the corners", block_gaps},
      {"bruls-2014/fig-22", "block, rates of the gaps", block_rates},
      {"bruls-2014/fig-23", "block, energy", block_energy},
      {"bruls-2014/fig-24", "block, impulse of a corner", block_impulse},
  };
}

}  // namespace
}  // namespace bruls

Document bruls_2014() {
  std::vector<Entry> entries;
  for (const auto& part : {bruls::properties(), bruls::balls(), bruls::pendulums(), bruls::bodies()})
    entries.insert(entries.end(), part.begin(), part.end());
  return {"bruls-2014", "Brüls, Acary, Cardona (2014): constraints at position and velocity level, generalized-alpha",
          std::move(entries)};
}

}  // namespace ricochet::gallery
