// Brüls, Acary, Cardona (2014), sections 7.2 and 7.3: the four predictions, and what is proved for the ball.
#include <algorithm>
#include <cmath>

#include "ricochet/gallery/bruls_2014.hpp"
#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery::bruls {
namespace {

constexpr double kStep = 2e-3, kGravity = 10, kRadius = 0.2;

Trajectory ball_with(const std::string& scheme, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"scheme=" + scheme};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return simulate("bouncing-ball-bruls", overrides);
}

std::string predicting(const char* forecast) {
  return std::string("{name: nonsmooth-alpha, rho_inf: 0.8, forecast: ") + forecast + "}";
}

// ---- 7.2 ------------------------------------------------------------------------------------------------------------
void predictions(Outcome& out) {
  const Trajectory reference = ball_with(predicting("smooth"), {"step=1e-4"}),
                   moreau = ball_with("{name: moreau-jean, forecast: explicit}");
  const auto distance = [](const Trajectory& a, const Trajectory& b) {
    return l1_distance(a.t(), a["gap.plane"], b.t(), b["gap.plane"]);
  };
  // A start at -0.0123 m/s: from rest the flights after an impact take whole numbers of steps, end at a gap of zero but
  // for rounding, and q* = q+ is a matter of its tolerance.
  const auto apart = [](const char* a, const char* b) {
    const std::vector<std::string> start{"initial.velocity.y=-0.0123"};
    const Trajectory first = ball_with(predicting(a), start), second = ball_with(predicting(b), start);
    double worst = 0;
    for (std::size_t k = 0; k < first.rows(); ++k)
      worst = std::max(worst, std::abs(first["gap.plane"][k] - second["gap.plane"][k]));
    return worst;
  };
  const Trajectory wrong = ball_with(predicting("smooth"), {"system.formulas.parameters.e=0.7"});
  svg::Plot plot = plot_over_time("Gap with four predictions", "gap", "m", {});
  for (const char* forecast : {"smooth", "previous", "explicit", "end"}) {
    const Trajectory run = ball_with(predicting(forecast));
    out.checks.push_back({.what = std::string("largest penetration [m], prediction ") + forecast,
                          .derived = "the position level, (29e), holds whatever is predicted",
                          .computed = -smallest(run["gap.plane"]),
                          .accepted = at_most(1e-10),
                          .reason = "the tolerance",
                          .rival = "moreau-jean",
                          .rival_computed = -smallest(moreau["gap.plane"])});
    out.checks.push_back({.what = std::string("L1 distance of the gap to the reference [m s], prediction ") + forecast,
                          .published = bruls14::change_behaviour,
                          .computed = distance(run, reference),
                          .accepted = at_most(0.046),
                          .reason = "(1 + e)|U| h (3.6 - 0.4) s: the first impact seen a step late",
                          .rival = "e = 0.7",
                          .rival_computed = distance(wrong, reference)});
    plot.series.push_back(line(forecast, run, "gap.plane"));
  }
  out.checks.push_back({.what = "largest distance of the gaps with q* = q+ and q* = q~ [m]",
                        .published = bruls14::similar_prediction,
                        .computed = apart("end", "smooth"),
                        .accepted = at_most(1e-12),
                        .reason = "on the ball nu > 0 and g(q~) < 0 are the same: rounding",
                        .rival = "forecast = previous",
                        .rival_computed = apart("previous", "smooth")});
  out.figures.push_back({zoom(plot, 0.35, 0.5), "Around the first impact: previous is a step late."});
  out.figures.push_back({zoom(plot, 3, 3.8), "Around the accumulation."});
  out.disagreements.emplace_back(
      "q+ and q~ are said to behave alike. They do, to the bit, but for one case: from rest with h = 2e-3 s the "
      "flights "
      "of 10.1 take whole numbers of steps and end at a gap of zero but for rounding, where q+ with its tolerance "
      "takes "
      "the impact into the step that ends there, and q~ into the next; the gaps then differ by 0.021 m.");
  out.choices.emplace_back(
      "q~, q_n, q_n + h v_n and q_{n+1} are forecast: smooth, previous, explicit and end. The section has no example; "
      "the ball of 10.1 is taken.");
}

// ---- 7.3 ------------------------------------------------------------------------------------------------------------
/// How far the ball is from (gap, 0) after `steps` steps from there, in units of h^2 g and h g.
double moved(const std::string& scheme, double gap, int steps) {
  const Trajectory run = ball_with(
      scheme, {set("initial.position.y", kRadius + gap), set("initial.velocity.y", 0), set("until", steps * kStep)});
  return std::abs(run["gap.plane"].back() - gap) / (kStep * kStep * kGravity) +
         std::abs(run["v.y"].back()) / (kStep * kGravity);
}

void rest_point(Outcome& out) {
  const std::string alpha = predicting("smooth");
  const double unit = kStep * kStep * kGravity;
  out.checks.push_back({.what = "distance from rest after 100 steps from q = 0, v = 0, in h^2 g and h g",
                        .published = bruls14::equilibrium,
                        .computed = moved(alpha, 0, 100),
                        .accepted = at_most(1e-9),
                        .reason = "rounding of 0.2 m over h^2 g",
                        .rival = "q = h^2 g/4",
                        .rival_computed = moved(alpha, unit / 4, 100)});
  const Column at{0.01, 0.1, 0.25, 0.4, 0.49, 0.51, 0.75, 1, 10};
  const auto one_step = [&](const std::string& scheme) {
    Column found;
    for (const double x : at) found.push_back(moved(scheme, x * unit, 1));
    return found;
  };
  const auto least = [&](const Column& found) {
    double out_of_all = INFINITY;
    for (std::size_t k = 0; k < at.size(); ++k) out_of_all = std::min(out_of_all, found[k] / (at[k] < 0.5 ? at[k] : 1));
    return out_of_all;
  };
  const Column distances = one_step(alpha);
  out.checks.push_back({.what = "smallest distance after one step from nine other q, over q or 1",
                        .published = bruls14::unique,
                        .computed = least(distances),
                        .accepted = at_least(1 - 1e-6),
                        .reason = "below h^2 g/2 the step ends at q = 0, above it at v = -h g",
                        .rival = "moreau-jean with forecast = free, which rests anywhere below h^2 g/2",
                        .rival_computed = least(one_step("{name: moreau-jean, forecast: free}"))});
  svg::Plot plot{.title = "One step from rest at q",
                 .x = {.label = "q over h^2 g", .log = true},
                 .y = {.label = "distance from it, in h^2 g and h g"}};
  plot.series.push_back({.x = at, .y = distances, .style = svg::Style::line_points});
  out.figures.push_back({plot, "No rest but at zero."});
}

/// Largest rise of energy in one step over 10 J, from states all about the plane.
double largest_rise(const std::string& scheme) {
  double worst = -INFINITY;
  for (const double e : {0.0, 0.3, 0.8, 1.0})
    for (const double gap : {0.0, 0.1, 0.4, 0.9, 2.0, 20.0})
      for (const double speed : {-30.0, -3.0, -1.0, -0.4, 0.0, 0.2, 0.45, 0.7, 3.0}) {
        const Trajectory run = ball_with(scheme, {set("initial.position.y", kRadius + gap * kStep * kStep * kGravity),
                                                  set("initial.velocity.y", speed * kStep * kGravity),
                                                  set("until", kStep), set("system.formulas.parameters.e", e)});
        worst = std::max(worst, (run["E"].back() - run["E"].front()) / 10);
      }
  return worst;
}

void monotone_energy(Outcome& out) {
  out.checks.push_back({.what = "largest rise of energy in one step of 216 over 10 J, nonsmooth-alpha",
                        .published = bruls14::monotone,
                        .computed = largest_rise(predicting("smooth")),
                        .accepted = at_most(1e-15),
                        .reason = "rounding; gaps of 0 to 20 h^2 g, speeds of -30 to 3 h g, e from 0 to 1",
                        .rival = "nonsmooth-alpha-modified",
                        .rival_computed = largest_rise("{name: nonsmooth-alpha-modified, rho_inf: 0.8}")});
  const Trajectory run = ball_with(predicting("smooth")), smooth = ball_with("{name: smooth-alpha, rho_inf: 0.8}");
  const auto rise = [](const Trajectory& r) { return largest(increments(r["E"])) / 10; };
  out.checks.push_back({.what = "largest rise of energy in a step of the run of 10.1 over 10 J",
                        .published = bruls14::monotone,
                        .computed = rise(run),
                        .accepted = at_most(1e-15),
                        .reason = "rounding",
                        .rival = "smooth-alpha",
                        .rival_computed = rise(smooth)});
  out.figures.push_back({plot_over_time("Energy", "energy", "J", {line("nonsmooth-alpha", run, "E")}), "It falls."});
}

}  // namespace

std::vector<Entry> properties() {
  return {
      {"bruls-2014/section-7.2", "ball: four predictions of what the contact will do", predictions},
      {"bruls-2014/property-2", "ball: the only point of rest", rest_point},
      {"bruls-2014/property-3", "ball: the energy never rises", monotone_energy},
  };
}

}  // namespace ricochet::gallery::bruls
