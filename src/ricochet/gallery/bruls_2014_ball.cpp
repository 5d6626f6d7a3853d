// Brüls, Acary, Cardona (2014), section 10.1: the ball.
#include <algorithm>
#include <cmath>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/gallery/bruls_2014.hpp"
#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery::bruls {
namespace {

// ---- 10.1 the ball -------------------------------------------------------------------------------------------------
constexpr double kAccumulation = 3.60225;       // t1 (1 + e)/(1 - e), t1 = sqrt(2 0.801/10)
constexpr double kAfter = kAccumulation + 0.2;  // a discrete motion shrinks by e a step once it is that small

Trajectory ball(const char* scheme, std::vector<std::string> more = {}) {
  more.insert(more.begin(), scheme);
  return simulate("bouncing-ball-bruls", more);
}

Trajectory fine_ball() { return ball(kAlpha, {"step=1e-4"}); }

void ball_gap_failing(Outcome& out) {
  const Trajectory smooth = ball(kSmooth), modified = ball(kModified), alpha = ball(kAlpha), reference = fine_ball();
  out.checks.push_back({.what = "largest energy over the initial one, smooth-alpha",
                        .published = bruls14::smooth_gains,
                        .computed = largest(smooth["E"]) / smooth["E"].front(),
                        .accepted = at_least(1.5),
                        .reason = "a rise that nobody can take for rounding",
                        .rival = "nonsmooth-alpha",
                        .rival_computed = largest(alpha["E"]) / alpha["E"].front(),
                        .shape = true});
  out.checks.push_back({.what = "largest gap from 0.2 s after the accumulation on, modified law",
                        .published = bruls14::chatters,
                        .computed = largest(after(modified, "gap.plane", kAfter)),
                        .accepted = at_least(1e-6),
                        .reason = "a resting ball has none",
                        .rival = "nonsmooth-alpha",
                        .rival_computed = largest(after(alpha, "gap.plane", kAfter)),
                        .shape = true});
  const svg::Plot plot = plot_over_time(
      "Gap", "gap", "m",
      {line("smooth-alpha", smooth, "gap.plane"), line("nonsmooth-alpha-modified", modified, "gap.plane"),
       line("reference", reference, "gap.plane")});
  out.figures.push_back({plot, "The smooth scheme gains energy at impacts."});
  svg::Plot detail = plot;
  detail.series.erase(detail.series.begin());
  out.figures.push_back({zoom(detail, 3.4, 3.9), "The modified law goes on chattering after the accumulation."});
}

void ball_velocity_failing(Outcome& out) {
  const Trajectory modified = ball(kModified), alpha = ball(kAlpha), reference = fine_ball();
  out.checks.push_back({.what = "largest speed from 0.2 s after the accumulation on, modified law",
                        .published = bruls14::chatters,
                        .computed = largest_magnitude(after(modified, "v.y", kAfter)),
                        .accepted = at_least(1e-3),
                        .reason = "g h = 0.02 m/s is what one step of free fall gives",
                        .rival = "nonsmooth-alpha",
                        .rival_computed = largest_magnitude(after(alpha, "v.y", kAfter)),
                        .shape = true});
  const svg::Plot plot =
      plot_over_time("Velocity", "velocity", "m/s",
                     {line("nonsmooth-alpha-modified", modified, "v.y"), line("reference", reference, "v.y")});
  out.figures.push_back({plot, "Velocity of the ball."});
  out.figures.push_back({zoom(plot, 3.4, 3.9), "Around the accumulation."});
}

void ball_gap(Outcome& out) {
  const Trajectory moreau = ball(kMoreau), alpha = ball(kAlpha), reference = fine_ball();
  out.checks.push_back({.what = "largest penetration, nonsmooth-alpha",
                        .published = bruls14::position_level,
                        .computed = -smallest(alpha["gap.plane"]),
                        .accepted = at_most(1e-10),
                        .reason = "tolerance of a converged step",
                        .rival = "moreau-jean",
                        .rival_computed = -smallest(moreau["gap.plane"])});
  for (const auto& [name, run] : {std::pair{"nonsmooth-alpha", &alpha}, {"moreau-jean", &moreau}})
    out.checks.push_back({.what = std::string("L1 distance of the gap to the reference, ") + name,
                          .published = bruls14::consistent,
                          .computed = l1_distance(run->t(), (*run)["gap.plane"], reference.t(), reference["gap.plane"]),
                          .accepted = at_most(0.046),
                          .reason = "(1 + e)|U| h (3.6 - 0.4) s: the first impact seen a step late",
                          .rival = "e = 0.7",
                          .rival_computed = [&] {
                            const Trajectory wrong = ball(kAlpha, {"system.formulas.parameters.e=0.7"});
                            return l1_distance(wrong.t(), wrong["gap.plane"], reference.t(), reference["gap.plane"]);
                          }()});
  const auto rests = [](double e) { return ExactStop({.a = -10, .e = e, .y0 = 0.801}, 10).rest_time(); };
  out.checks.push_back({.what = "time of the accumulation [s], closed form",
                        .published = bruls14::accumulation,
                        .derived = "sqrt(2 0.801/10) (1 + e)/(1 - e) = 3.60225 s",
                        .computed = rests(0.8),
                        .accepted = around(3.602, 5e-4),
                        .reason = "the printed digits",
                        .rival = "e = 0.7",
                        .rival_computed = rests(0.7)});
  const svg::Plot plot =
      plot_over_time("Gap", "gap", "m",
                     {line("moreau-jean", moreau, "gap.plane"), line("nonsmooth-alpha", alpha, "gap.plane"),
                      line("reference", reference, "gap.plane")});
  out.figures.push_back({plot, "Gap of the ball."});
  out.figures.push_back({zoom(plot, 3.4, 3.8), "Around the accumulation: only moreau-jean stays below the plane."});
  out.choices.emplace_back(kForecast);
}

void ball_energy(Outcome& out) {
  const Trajectory moreau = ball(kMoreau), alpha = ball(kAlpha), reference = fine_ball();
  out.checks.push_back({.what = "energy lost in free flight [J], nonsmooth-alpha",
                        .published = bruls14::constant_energy,
                        .computed = lost_in_flight(alpha, {"plane"}),
                        .accepted = at_most(1e-12),
                        .reason = "rounding of an energy of 10 J",
                        .rival = "moreau-jean",
                        .rival_computed = lost_in_flight(moreau, {"plane"})});
  // Energy above the plane after the first impact over that before it.
  const auto kept = [](const Trajectory& run) {
    const double ground = 10 * 0.2;
    return (value_at(run.t(), run["E"], 0.6) - ground) / (run["E"].front() - ground);
  };
  const Trajectory wrong = ball(kAlpha, {"system.formulas.parameters.e=0.7"});
  out.checks.push_back({.what = "energy kept by the first impact, nonsmooth-alpha",
                        .published = bruls14::energy_drops,
                        .derived = "e^2 = 0.64",
                        .computed = kept(alpha),
                        .accepted = around(0.64, 0.01),
                        .reason = "speed at impact is found within g h = 0.02 of 4 m/s: 1 %",
                        .rival = "e = 0.7",
                        .rival_computed = kept(wrong)});
  out.figures.push_back({plot_over_time("Velocity", "velocity", "m/s",
                                        {line("moreau-jean", moreau, "v.y"), line("nonsmooth-alpha", alpha, "v.y"),
                                         line("reference", reference, "v.y")}),
                         "Velocity of the ball."});
  out.figures.push_back({plot_over_time("Energy", "energy", "J",
                                        {line("moreau-jean", moreau, "E"), line("nonsmooth-alpha", alpha, "E"),
                                         line("reference", reference, "E")}),
                         "A staircase; between the impacts moreau-jean with theta > 1/2 loses a little."});
}

void ball_impulse(Outcome& out) {
  const Trajectory moreau = ball(kMoreau), alpha = ball(kAlpha), modified = ball(kModified);
  const double weight = 10 * 2e-3;  // m g h
  const auto distance = [&](const Trajectory& run) {
    double worst = 0;
    for (double P : after(run, "P.plane", kAfter)) worst = std::max(worst, std::abs(P / weight - 1));
    return worst;
  };
  out.checks.push_back({.what = "impulse at rest against m g h, relative, nonsmooth-alpha",
                        .published = bruls14::weight,
                        .derived = "0 off m g h",
                        .computed = distance(alpha),
                        .accepted = at_most(1e-9),
                        .reason = "what is left of the last bounces shrinks by e = 0.8 a step",
                        .rival = "nonsmooth-alpha-modified",
                        .rival_computed = distance(modified)});
  const auto first = [](const Trajectory& run) {
    for (double P : run["P.plane"])
      if (P > 0) return P;
    return 0.0;
  };
  out.checks.push_back({.what = "first impulse [N s], nonsmooth-alpha",
                        .published = bruls14::impulses,
                        .derived = "(1 + e) m sqrt(2 g 0.801) = 7.2045 N s",
                        .computed = first(alpha),
                        .accepted = around(7.2045, 2 * 1.8 * weight),
                        .reason = "speed at impact is found within two steps of fall",
                        .rival = "e = 0.7",
                        .rival_computed = first(ball(kAlpha, {"system.formulas.parameters.e=0.7"}))});
  const svg::Plot plot = plot_over_time(
      "Impulse", "impulse", "N s", {line("moreau-jean", moreau, "P.plane"), line("nonsmooth-alpha", alpha, "P.plane")});
  out.figures.push_back({plot, "Impulse of the contact in a step."});
  svg::Plot detail = zoom(plot, 3.2, 4);
  detail.y.max = 0.4;
  detail.y.min = 0;
  out.figures.push_back({detail, "It tends to m g h = 0.02 N s."});
}

void ball_correction(Outcome& out) {
  const Trajectory alpha = ball(kAlpha);
  out.checks.push_back({.what = "smallest position multiplier, nonsmooth-alpha",
                        .published = bruls14::positive_multiplier,
                        .computed = smallest(alpha["correction.plane"]),
                        .accepted = at_least(0),
                        .reason = "complementarity at position level is exact",
                        .rival = "combined, whose multiplier has either sign where an impulse acts",
                        .rival_computed = smallest(ball("scheme=combined")["correction.plane"])});
  const auto closed = [](const Trajectory& run) {
    double worst = 0;
    for (std::size_t k = 0; k < run.rows(); ++k)
      if (run["P.plane"][k] > 0) worst = std::max(worst, std::abs(run["gap.plane"][k]));
    return worst;
  };
  out.checks.push_back({.what = "largest gap at the end of a step in which the contact acts [m], nonsmooth-alpha",
                        .derived = "closed: the multiplier complements the gap, (29e)",
                        .computed = closed(alpha),
                        .accepted = at_most(1e-10),
                        .reason = "the gap is closed to the tolerance",
                        .rival = "moreau-jean",
                        .rival_computed = closed(ball(kMoreau))});
  const svg::Plot plot =
      plot_over_time("Position multiplier", "multiplier", "", {line("nonsmooth-alpha", alpha, "correction.plane")});
  out.figures.push_back({plot, "Multiplier of the position correction."});
  out.figures.push_back({zoom(plot, 0.38, 0.42), "It acts in the step of the impact."});
}

}  // namespace

std::vector<Entry> balls() {
  return {
      {"bruls-2014/fig-2", "ball, gap: the smooth scheme and the modified law fail", ball_gap_failing},
      {"bruls-2014/fig-3", "ball, velocity: the modified law chatters", ball_velocity_failing},
      {"bruls-2014/fig-4", "ball, gap: Moreau-Jean penetrates, nonsmooth-alpha does not", ball_gap},
      {"bruls-2014/fig-5", "ball, velocity and energy", ball_energy},
      {"bruls-2014/fig-6", "ball, impulse of the contact", ball_impulse},
      {"bruls-2014/fig-7", "ball, multiplier of the position level", ball_correction},
  };
}

}  // namespace ricochet::gallery::bruls
