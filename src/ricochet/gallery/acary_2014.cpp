// Acary (2014): energy conservation and dissipation of time-stepping schemes. The document has no figures to draw; its
// identities are a table.
#include "ricochet/gallery/acary_2014.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery {
namespace {

// Largest rise of energy in a step, relative to the initial energy, on the two balls.
double largest_gain(const std::string& scheme, double e, double until = 4) {
  const Trajectory run =
      simulate("two-balls-oscillator",
               {"scheme=" + scheme, "step=1.9e-3", set("until", until), set("system.formulas.parameters.e", e)}, {"E"});
  return largest(increments(run["E"])) / run["E"].front();
}

void dissipation(Outcome& out) {
  // The rival's energy grows without bound; the run is not let go on beyond 1.44 s.
  const auto gain_below_half = [](const char* scheme, double e) {
    return largest_gain(fmt::format("{{name: {}, theta: 0.45, forecast: energy-safe}}", scheme), e, 1);
  };
  for (const auto& [e, theta] : {std::pair{0.0, 1.0}, {0.5, 0.6}, {1.0, 0.5}})
    out.checks.push_back(
        {.what = fmt::format("largest rise of energy in a step over the initial one, Moreau-Jean, "
                             "theta = {:g}, e = {:g}",
                             theta, e),
         .published = acary14::range_of_theta,
         .computed = largest_gain(fmt::format("{{name: moreau-jean, theta: {}, forecast: energy-safe}}", theta), e),
         .accepted = at_most(1e-12),
         .reason = "rounding",
         .rival = "theta = 0.45",
         .rival_computed = gain_below_half("moreau-jean", e)});
  for (double theta : {0.5, 0.75, 1.0})
    out.checks.push_back(
        {.what = fmt::format("largest rise of energy in a step, the variant (31), theta = {:g}, e = 0.9", theta),
         .published = acary14::variant_dissipates,
         .computed =
             largest_gain(fmt::format("{{name: moreau-jean-midpoint, theta: {}, forecast: energy-safe}}", theta), 0.9),
         .accepted = at_most(1e-12),
         .reason = "rounding",
         .rival = "theta = 0.45",
         .rival_computed = gain_below_half("moreau-jean-midpoint", 0.9)});
  // Forecast (26) leaves out a contact that opens: a ball at rest falls for a step and is hit, u+ = e (h g - u+).
  const auto at_rest = [](const char* forecast) {
    const Trajectory run =
        simulate("bouncing-ball-bruls", {std::string("scheme={name: newmark, forecast: ") + forecast + "}"}, {"v"});
    return largest_magnitude(after(run, "v.y", 4.2)) / (2e-3 * 10);
  };
  out.checks.push_back({.what = "largest speed of a ball at rest over h g, newmark, e = 0.8",
                        .derived = "1/(1 + e), the price of the forecast (26), for which the above is proved",
                        .computed = at_rest("energy-safe"),
                        .accepted = around(1 / 1.8, 1e-9),
                        .reason = "1/(1 + e): opens, falls for a step, is hit",
                        .rival = "forecast = explicit",
                        .rival_computed = at_rest("explicit")});
  std::vector<svg::Series> series;
  for (const char* scheme : {"{name: moreau-jean, theta: 0.5}", "{name: moreau-jean, theta: 0.6}",
                             "{name: moreau-jean-midpoint, theta: 0.75}"}) {
    const Trajectory run = simulate("two-balls-oscillator", {std::string("scheme=") + scheme, "step=1.9e-3"}, {"E"});
    series.push_back(line(scheme, run, "E"));
  }
  out.figures.push_back({plot_over_time("Energy", "energy", "J", series), "Two balls oscillator, e = 0.8."});
}

// Largest distance of two motions, relative to the first's size.
double distance(const Trajectory& a, const Trajectory& b) {
  double worst = 0, size = 0;
  for (const char* column : {"q.y1", "q.y2"})
    for (std::size_t k = 0; k < a.rows(); ++k) {
      worst = std::max(worst, std::abs(a[column][k] - b[column][k]));
      size = std::max(size, std::abs(a[column][k]));
    }
  return worst / size;
}

void equivalences(Outcome& out) {
  const auto run = [](const std::string& scheme) {
    return simulate("two-balls-oscillator",
                    {"scheme={" + scheme + ", forecast: energy-safe}", "step=1.9e-3", "until=2"}, {"q", "E"});
  };
  struct Pair {
    const char* what;
    Quote printed_at;
    const char *first, *second, *other;
  };
  for (const Pair& p :
       {Pair{"Moreau-Jean, theta = 1/2, and Newmark (1/2, 1/4)", acary14::moreau_not_newmark, "name: moreau-jean",
             "name: newmark, gamma: 0.5, beta: 0.25", "name: newmark, gamma: 0.6, beta: 0.3025"},
        Pair{"the variant (31), theta = 0.7, and Newmark (0.7, 0.35)", acary14::newmark_of_variant,
             "name: moreau-jean-midpoint, theta: 0.7", "name: newmark, gamma: 0.7, beta: 0.35",
             "name: newmark, gamma: 0.6, beta: 0.35"},
        Pair{"HHT, alpha = 0, and Newmark", acary14::newmark_of_alpha, "name: hht, alpha: 0", "name: newmark",
             "name: hht, alpha: 0.1"},
        Pair{"Krenk-Høgsberg and generalized-alpha, C = 0, constant load", acary14::kh_differs,
             "name: generalized-alpha-kh", "name: generalized-alpha", "name: newmark"}}) {
    const Trajectory first = run(p.first);
    out.checks.push_back({.what = std::string("largest distance of ") + p.what,
                          .published = p.printed_at,
                          .derived = "0: one scheme",
                          .computed = distance(first, run(p.second)),
                          .accepted = at_most(1e-11),
                          .reason = "rounding over 1000 steps and ten impacts",
                          .rival = p.other,
                          .rival_computed = distance(first, run(p.other))});
    if (out.figures.empty())
      out.figures.push_back(
          {plot_over_time("Height of the lower ball", "height", "m",
                          {line("moreau-jean", first, "q.y1"), line("newmark", run(p.second), "q.y1")}),
           "One on the other."});
  }
}

}  // namespace

Document acary_2014() {
  return {"acary-2014",
          "Acary (2014): energy conservation and dissipation of time-stepping schemes",
          {
              {"acary-2014/identities", "the identities of the algorithmic energy, from q, v and P",
               acary_2014_parts::identities},
              {"acary-2014/algorithmic-energy", "the algorithmic energy does not rise",
               acary_2014_parts::algorithmic_energy},
              {"acary-2014/remark-1", "discrete works and their integrals differ by O(h) where a step has an impact",
               acary_2014_parts::works_and_integrals},
              {"acary-2014/remark-2", "without damping there are no filters", acary_2014_parts::no_filter},
              {"acary-2014/lemma-3", "the work of the contact is never positive", acary_2014_parts::contact_work},
              {"acary-2014/corollary-1", "Newmark: three pairs of parameters", acary_2014_parts::corollary},
              {"acary-2014/dissipation", "no gain in the promised ranges", dissipation},
              {"acary-2014/equivalences", "schemes that are one scheme", equivalences},
          }};
}

}  // namespace ricochet::gallery
