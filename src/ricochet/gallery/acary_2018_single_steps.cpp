// Acary (2018), "Local error estimates for the Moreau's time-stepping": one step of the ball of f = -2, e = 1/2 from
// its exact motion, with the impact after the part sigma of the step. With p = 0 the scheme does not see the impact,
// with p > 0 it does. e_v and e_q are the exact values less those of the scheme.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2018.hpp"
#include "ricochet/gallery/runs.hpp"

namespace ricochet::gallery::acary_2018_parts {
namespace {

constexpr double kForce = -2, kRestitution = 0.5;

/// The first impact is at t = 1.
struct Step {
  double h = 0, sigma = 0, theta = 0.5;
  double q() const { return 1 - time() * time(); }
  double v() const { return kForce * time(); }
  double time() const { return 1 - sigma * h; }
};
struct Error {
  double v = 0, q = 0;
};

Error measured(const Step& s, const std::string& scheme) {
  const Trajectory run = simulate("bouncing-ball",
                                  {"scheme=" + scheme, set("step", s.h), set("until", s.h),
                                   set("initial.position.q", s.q()), set("initial.velocity.q", s.v())},
                                  {"q", "v"});
  const ExactStop exact = exact_ball();
  const double end = s.time() + s.h;
  return {exact.v(end) - run["v.q"].back(), exact.y(end) - run["q.q"].back()};
}

std::string moreau(double theta, int gamma) {
  return fmt::format("{{name: moreau-jean, theta: {}, forecast: explicit, gamma: {}}}", theta, gamma);
}

// The formulas; `printed` as the slides have them.
Error unseen(const Step& s, double e, bool printed) {
  const double left = 1 - s.sigma, f = kForce, h = s.h;
  const double of_v = printed ? e * (left + 1) : e * left + 1, square = (printed ? 1 : -1) * left * left / 2;
  return {-(1 + e) * (s.v() + h * f * s.sigma),
          -s.q() - h * of_v * s.v() - f * h * h * (e * s.sigma * left + square + s.theta)};
}
Error seen(const Step& s, double e, bool printed) {
  const double left = 1 - s.sigma, f = kForce, h = s.h, sign = printed ? -1 : 1;
  return {sign * h * f * (left - e * s.sigma), -s.q() - h * ((1 + e) * (1 - s.theta) - e * s.sigma) * s.v() -
                                                   f * h * h * (e * s.sigma * left - sign * left * left / 2)};
}

/// Largest distance of what is measured from the formula, over phases and both theta.
template <class Formula>
Error distance(int gamma, Formula&& formula) {
  Error out;
  for (const double theta : {0.5, 0.7})
    for (const double sigma : {0.1, 0.3, 0.5, 0.7}) {
      const Step s{.h = 0.03, .sigma = sigma, .theta = theta};
      const Error a = measured(s, moreau(theta, gamma)), b = formula(s);
      out.v = std::max(out.v, std::abs(a.v - b.v));
      out.q = std::max(out.q, std::abs(a.q - b.q));
    }
  return out;
}

void formulas(Outcome& out) {
  const auto add = [&](const std::string& what, const Quote& where, double computed, const char* rival,
                       double rival_computed) {
    out.checks.push_back({.what = "largest distance of the error of a step from the formula, " + what,
                          .published = where,
                          .derived = "0, of the formulas as corrected below",
                          .computed = computed,
                          .accepted = at_most(1e-14),
                          .reason = "rounding; h = 0.03, four phases, theta = 0.5 and 0.7",
                          .rival = rival,
                          .rival_computed = rival_computed});
  };
  const auto of = [](auto&& formula, double e, bool printed) {
    return [&formula, e, printed](const Step& s) { return formula(s, e, printed); };
  };
  const Error p0 = distance(0, of(unseen, kRestitution, false)), p0_print = distance(0, of(unseen, kRestitution, true)),
              p0_wrong = distance(0, of(unseen, 0.6, false)), p1 = distance(1, of(seen, kRestitution, false)),
              p1_print = distance(1, of(seen, kRestitution, true));
  add("velocity, p = 0", acary18::local_e_v_missed, p0.v, "e = 0.6", p0_wrong.v);
  add("position, p = 0", acary18::local_formulas, p0.q, "the formula as printed", p0_print.q);
  add("velocity, p > 0", acary18::local_formulas, p1.v, "the formula as printed", p1_print.v);
  add("position, p > 0", acary18::local_formulas, p1.q, "the formula as printed", p1_print.q);
  svg::Plot plot{.title = "Errors of one step, h = 0.03 s, theta = 1/2",
                 .x = {.label = "sigma, part of the step before the impact"},
                 .y = {.label = "error", .unit = "m/s, m"}};
  svg::Series v0{.name = "v, p = 0"}, v1{.name = "v, p > 0"}, q0{.name = "q, p = 0"}, q1{.name = "q, p > 0"};
  for (double sigma = 0.05; sigma < 0.9; sigma += 0.05) {
    const Step s{.h = 0.03, .sigma = sigma};
    const Error a = measured(s, moreau(0.5, 0)), b = measured(s, moreau(0.5, 1));
    for (svg::Series* line : {&v0, &v1, &q0, &q1}) line->x.push_back(sigma);
    v0.y.push_back(a.v), v1.y.push_back(b.v), q0.y.push_back(a.q), q1.y.push_back(b.q);
  }
  plot.series = {v0, v1, q0, q1};
  out.figures.push_back({plot, "A missed impact is an error of the size of the jump."});
  out.disagreements.emplace_back(
      "The slides misprint three of the four formulas: e_q for p = 0 has h(e(1 - sigma) + 1) v and -(1 - sigma)^2/2, "
      "e_v for p > 0 is +h f(1 - sigma - e sigma), and e_q for p > 0 has -(1 - sigma)^2/2. As printed they are off by "
      "the rivals above.");
}

void orders(Outcome& out) {
  const std::vector<double> sizes = geometric(0.05, 1e-3, 8);
  svg::Plot plot{.title = "Errors of one step, sigma = 0.4",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "error", .unit = "m/s, m", .log = true}};
  const auto order = [&](const std::string& scheme, double Error::*part, const char* name = nullptr) {
    Column found;
    for (const double h : sizes) found.push_back(std::abs(measured({.h = h, .sigma = 0.4}, scheme).*part));
    if (name != nullptr)
      plot.series.push_back({.name = name, .x = sizes, .y = found, .style = svg::Style::line_points});
    return fit_order(sizes, found).order;
  };
  const std::string missed = moreau(0.5, 0), caught = moreau(0.5, 1),
                    located = "{name: mannshardt, order: 1, location: 1e-6}";
  struct Row {
    const char* what;
    Quote published;
    const std::string& scheme;
    double Error::*part;
    double expected;
    const char* rival;
    const std::string& wrong;
  };
  for (const Row& r :
       {Row{"velocity, p = 0", acary18::summary_v, missed, &Error::v, 0, "gamma = 1, so that p > 0", caught},
        Row{"position, p = 0", acary18::summary_q, missed, &Error::q, 1, "mannshardt of order 1", located},
        Row{"velocity, p > 0", acary18::local_seen, caught, &Error::v, 1, "gamma = 0, so that p = 0", missed},
        Row{"position, p > 0", acary18::summary_q, caught, &Error::q, 1, "mannshardt of order 1", located}})
    out.checks.push_back({.what = std::string("order of the error of one step, ") + r.what,
                          .published = r.published,
                          .derived = fmt::format("{:g}", r.expected),
                          .computed = order(r.scheme, r.part, r.what),
                          .accepted = around(r.expected, 0.05),
                          .reason = "eight sizes, the impact after 0.4 of the step in all",
                          .rival = r.rival,
                          .rival_computed = order(r.wrong, r.part)});
  out.figures.push_back({plot, "The position is wrong by O(h) either way."});
  out.choices.emplace_back(
      "The forecast g + gamma h U decides whether p > 0: gamma = 0 misses the impact, gamma = 1 sees it. The same "
      "errors over all phases of the impact: ricochet study bouncing-ball --local.");
}

// A step of length 2 h from 3 - h, where infinitely many impacts lie in it: n with 1/2^n < h < 1/2^(n-1).
void accumulation(Outcome& out) {
  const ExactStop exact = exact_ball();
  std::vector<double> sizes;
  Column found, printed, of_formula;
  for (int n = 3; n <= 12; ++n) {
    const double part = std::ldexp(1.0, -n), h = 1.2 * part, begin = 3 - h;
    const double q = exact.y(begin), v = exact.v(begin);
    const Trajectory run = simulate("bouncing-ball",
                                    {"scheme=" + moreau(0.5, 1), set("step", 2 * h), set("until", 2 * h),
                                     set("initial.position.q", q), set("initial.velocity.q", v)},
                                    {"v"});
    sizes.push_back(h);
    found.push_back(-run["v.q"].back());  // the exact ball rests
    of_formula.push_back(kRestitution * (2 * h - 3 * part));
    printed.push_back(-2 * h - 3 * part);
  }
  const auto distance_to = [&](const Column& formula) {
    double worst = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) worst = std::max(worst, std::abs(found[k] - formula[k]) / sizes[k]);
    return worst;
  };
  out.checks.push_back({.what = "largest distance of e_v from e (2 h - 3/2^n), over h",
                        .published = acary18::accumulation_order,
                        .derived = "e (2 h - 3/2^n)",
                        .computed = distance_to(of_formula),
                        .accepted = at_most(1e-12),
                        .reason = "v+ = -e v(3 - h) and a ball that rests: rounding",
                        .rival = "-2 h - 3/2^n, as printed",
                        .rival_computed = distance_to(printed)});
  Column missed, magnitudes;
  for (const double h : sizes) {
    magnitudes.push_back(std::abs(found[magnitudes.size()]));
    missed.push_back(std::abs(measured({.h = h, .sigma = 0.4}, moreau(0.5, 0)).v));
  }
  out.checks.push_back({.what = "order of e_v at the accumulation",
                        .published = acary18::accumulation_order,
                        .derived = "1",
                        .computed = fit_order(sizes, magnitudes).order,
                        .accepted = around(1, 1e-6),
                        .reason = "h halves from each to the next",
                        .rival = "gamma = 0 at the first impact",
                        .rival_computed = fit_order(sizes, missed).order});
  svg::Plot plot{.title = "Error of the velocity, one step over the accumulation",
                 .x = {.label = "h", .unit = "s", .log = true},
                 .y = {.label = "error", .unit = "m/s", .log = true}};
  plot.series.push_back({.name = "moreau-jean", .x = sizes, .y = magnitudes, .style = svg::Style::line_points});
  out.figures.push_back({plot, "Infinitely many impacts in the step, and an error of O(h)."});
  out.disagreements.emplace_back(
      "(126) prints e_v = -2 h - 3/2^n for the step from 3 - h to 3 + h (which has the length 2 h). With v(3 - h) = 2 "
      "h "
      "- 3/2^n and v+ = -e v it is e (2 h - 3/2^n). Both are O(h).");
}

}  // namespace

std::vector<Entry> single_steps() {
  return {
      {"acary-2018/local-error", "one step with an impact: the errors in closed form", formulas},
      {"acary-2018/local-orders", "one step with an impact: O(1) and O(h)", orders},
      {"acary-2018/local-accumulation", "one step over the accumulation of impacts: O(h)", accumulation},
  };
}

}  // namespace ricochet::gallery::acary_2018_parts
