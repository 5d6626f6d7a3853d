// Acary (2014), sections 5 and 6: the identities of the energy, and of the algorithmic energy H, from q, v and P alone.
// The pseudo-acceleration a and the filters follow from these: v+ = v + h ((1 - gamma) a + gamma a+) + w with w = P/m,
// and
//
//     (1 - alpha_m) zeta+ + alpha_m zeta = q+ - q,      likewise xi of v and upsilon of F
//
// which are z, x, y of the report over nu = 1/2 - alpha_m, so that nu = 0 is a case like others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/analysis/exact.hpp"
#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2014.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/math/elementary.hpp"

namespace ricochet::gallery::acary_2014_parts {
namespace {

// A mass on a spring with a stop, a damper and a load that changes: every term of the identities is there.
constexpr double kMass = 1, kStiffness = 40, kDamping = 0.8, kStep = 1.3e-3;
double load(double t) { return 3 * elementary::sin(4 * t); }

Trajectory oscillator(const std::string& scheme) {
  return simulate("linear-oscillator",
                  {"scheme={" + scheme + ", forecast: energy-safe}", set("step", kStep), set("until", 3846 * kStep),
                   set("system.formulas.parameters.k", kStiffness), set("system.formulas.parameters.c", kDamping),
                   "system.formulas.forces.q=-c*q' + 3*sin(4*t)"},
                  {"q", "v", "P"});
}

struct Coefficients {
  double alpha_m = 0, alpha_f = 0, gamma = 0.5, beta = 0.25;
  double nu() const { return 0.5 - alpha_m; }
  double eta() const { return alpha_f - alpha_m; }
};
Coefficients of_radius(double rho) {
  Coefficients c{.alpha_m = (2 * rho - 1) / (rho + 1), .alpha_f = rho / (rho + 1)};
  c.gamma = 0.5 + c.alpha_f - c.alpha_m;
  c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
  return c;
}

/// What an identity is made of, one step; `_last`: of the step before.
struct Step {
  double dH = 0, dq = 0;
  double F = 0, v = 0, F_last = 0, v_last = 0;  ///< gamma x+ + (1 - gamma) x
  double F_minus = 0;                           ///< gamma F+ - (1 - gamma) F, as (85) prints it
  double upsilon = 0, xi = 0;                   ///< likewise of the filters
  double da2 = 0, dq2 = 0, dzeta2 = 0;          ///< squares in the norms of M and K
  double contact = 0;                           ///< U_1/2 P
};

double mean(const Coefficients& c, double begin, double end) { return c.gamma * end + (1 - c.gamma) * begin; }

std::vector<Step> steps(const Trajectory& run, const Coefficients& c) {
  const Column &q = run["q.q"], &v = run["v.q"], &P = run["P.stop"], &t = run.t();
  double a = (load(t[0]) - kStiffness * q[0] - kDamping * v[0]) / kMass, zeta = 0, xi = 0, upsilon = 0;
  const auto filtered = [&](double before, double change) { return (change - c.alpha_m * before) / (1 - c.alpha_m); };
  const auto H = [&](std::size_t k, double a_k, double z) {
    return kMass * v[k] * v[k] / 2 + kStiffness * q[k] * q[k] / 2 +
           kStep * kStep / 4 * (2 * c.beta - c.gamma) * kMass * a_k * a_k +
           c.eta() / 2 * (c.nu() - c.gamma + 0.5) * kStiffness * z * z;
  };
  std::vector<Step> out;
  for (std::size_t k = 0; k + 1 < run.rows(); ++k) {
    const double w = P[k + 1] / kMass, F0 = load(t[k]), F1 = load(t[k + 1]);
    const double a1 = ((v[k + 1] - v[k] - w) / kStep - (1 - c.gamma) * a) / c.gamma;
    const double zeta1 = filtered(zeta, q[k + 1] - q[k]), xi1 = filtered(xi, v[k + 1] - v[k]),
                 upsilon1 = filtered(upsilon, F1 - F0);
    Step s;
    s.dH = H(k + 1, a1, zeta1) - H(k, a, zeta);
    s.dq = q[k + 1] - q[k];
    s.F = mean(c, F0, F1);
    s.F_minus = c.gamma * F1 - (1 - c.gamma) * F0;
    s.v = mean(c, v[k], v[k + 1]);
    s.F_last = k == 0 ? F0 : out.back().F;
    s.v_last = k == 0 ? v[0] : out.back().v;
    s.xi = mean(c, xi, xi1);
    s.upsilon = mean(c, upsilon, upsilon1);
    s.da2 = kMass * (a1 - a) * (a1 - a);
    s.dq2 = kStiffness * s.dq * s.dq;
    s.dzeta2 = kStiffness * (zeta1 - zeta) * (zeta1 - zeta);
    s.contact = (v[k] + v[k + 1]) / 2 * P[k + 1];
    out.push_back(s);
    a = a1, zeta = zeta1, xi = xi1, upsilon = upsilon1;
  }
  return out;
}

/// Largest of what `left` makes of a step, over the largest change of H.
template <class Left>
double leftover(const std::vector<Step>& all, Left&& left) {
  double worst = 0, size = 0;
  for (const Step& s : all) {
    worst = std::max(worst, std::abs(left(s)));
    size = std::max(size, std::abs(s.dH));
  }
  return worst / size;
}

double works(const Step& s) { return s.dq * (s.F - kDamping * s.v); }
double quadratic(const Step& s, const Coefficients& c) {
  return kStep * kStep / 2 * (0.5 - c.gamma) * (2 * c.beta - c.gamma) * s.da2 + (c.eta() + 0.5 - c.gamma) * s.dq2;
}
/// The last term of (69), (72), (80).
double of_filter(const Step& s, const Coefficients& c) {
  return -c.eta() * c.nu() * (c.nu() - c.gamma + 0.5) * s.dzeta2;
}

Check check(const char* what, const Quote& where, double computed, const char* rival, double rival_computed) {
  return {.what = std::string("what the identity leaves over in a step, ") + what,
          .published = where,
          .computed = computed,
          .accepted = at_most(1e-11),
          .reason = "rounding, over the largest change of H in a step",
          .rival = rival,
          .rival_computed = rival_computed};
}

/// The two identities of section 5 for theta = 0.7. `weight`: of v+ in the velocity that contact and balance are tested
/// with, theta for Moreau-Jean and 1/2 for its variant (31), whose momentum is none of the losses.
double theta_leftover(const Trajectory& run, double weight, double contact_weight) {
  const double theta = 0.7;
  const Column &q = run["q.q"], &v = run["v.q"], &P = run["P.stop"], &t = run.t();
  double worst = 0, size = 0;
  for (std::size_t k = 0; k + 1 < run.rows(); ++k) {
    const auto mixed = [&](double w) { return (1 - w) * v[k] + w * v[k + 1]; };
    const double dv = v[k + 1] - v[k], dq = q[k + 1] - q[k];
    const double dE = kMass * dv * mixed(0.5) + kStiffness * dq * (q[k] + q[k + 1]) / 2;
    const double works = kStep * mixed(weight) * (load(t[k] + theta * kStep) - kDamping * mixed(theta));
    const double lost = (0.5 - theta) * ((weight == theta ? kMass * dv * dv : 0) + kStiffness * dq * dq);
    worst = std::max(worst, std::abs(dE - works - lost - mixed(contact_weight) * P[k + 1]));
    size = std::max(size, std::abs(dE));
  }
  return worst / size;
}

void identities_of_theta(Outcome& out) {
  const Trajectory jean = oscillator("name: moreau-jean, theta: 0.7"),
                   variant = oscillator("name: moreau-jean-midpoint, theta: 0.7");
  const auto add = [&](const char* what, const Quote& where, const Trajectory& run, double weight, double wrong) {
    out.checks.push_back({.what = std::string("what the identity leaves over in a step, ") + what,
                          .published = where,
                          .computed = theta_leftover(run, weight, weight),
                          .accepted = at_most(1e-11),
                          .reason = "rounding, over the largest change of E in a step",
                          .rival = fmt::format("U_w P with w = {:g}", wrong),
                          .rival_computed = theta_leftover(run, weight, wrong)});
  };
  add("Moreau-Jean, theta = 0.7", acary14::lemma_1, jean, 0.7, 0.5);
  add("the variant (31), theta = 0.7", acary14::variant_too, variant, 0.5, 0.7);
}

const Coefficients kNewmark{.gamma = 0.6, .beta = 0.4};
const char* const kNewmarkScheme = "name: newmark, gamma: 0.6, beta: 0.4";
const Coefficients kHht{.alpha_f = 0.1, .gamma = 0.6, .beta = 0.3025};
const char* const kHhtScheme = "name: hht, alpha: 0.1";
const char *const kAlphaScheme = "name: generalized-alpha, rho_inf: 0.8",
                  *const kKhScheme = "name: generalized-alpha-kh, rho_inf: 0.8";

}  // namespace

void identities(Outcome& out) {
  identities_of_theta(out);
  const Coefficients alpha = of_radius(0.8);
  const auto newmark = steps(oscillator(kNewmarkScheme), kNewmark), hht = steps(oscillator(kHhtScheme), kHht),
             general = steps(oscillator(kAlphaScheme), alpha), kh = steps(oscillator(kKhScheme), alpha);
  const auto of_newmark = [](double factor) {
    return [factor](const Step& s) {
      return s.dH - works(s) - s.contact -
             (0.5 - kNewmark.gamma) * (s.dq2 + factor * (2 * kNewmark.beta - kNewmark.gamma) * s.da2);
    };
  };
  out.checks.push_back(check("Newmark (0.6, 0.4)", acary14::proposition_4,
                             leftover(newmark, of_newmark(kStep * kStep / 2)), "h/2 for h^2/2, as printed",
                             leftover(newmark, of_newmark(kStep / 2))));
  const auto of_hht = [](bool printed) {
    return [printed](const Step& s) {
      const double F = printed ? s.F_minus : s.F;
      const double external = s.dq * ((1 - kHht.alpha_f) * F + kHht.alpha_f * s.F_last),
                   damping = -s.dq * kDamping * ((1 - kHht.alpha_f) * s.v + kHht.alpha_f * s.v_last);
      return s.dH - external - damping - s.contact - quadratic(s, kHht) - of_filter(s, kHht);
    };
  };
  out.checks.push_back(check("HHT, alpha = 0.1", acary14::proposition_3, leftover(hht, of_hht(false)),
                             "gamma F+ - (1 - gamma) F, as (85) prints it", leftover(hht, of_hht(true))));
  const auto of_general = [&](double ratio) {
    return [&alpha, ratio](const Step& s) {
      // (eta/nu) y = eta upsilon for the ratio as it is
      const double filters = s.dq * ratio * alpha.nu() * (s.upsilon - kDamping * s.xi);
      return s.dH - works(s) + filters - s.contact - quadratic(s, alpha) - of_filter(s, alpha);
    };
  };
  const double ratio = alpha.eta() / alpha.nu();
  out.checks.push_back(check("generalized-alpha, rho_inf = 0.8", acary14::lemma_2, leftover(general, of_general(ratio)),
                             "eta/nu upside down, as (64) prints it", leftover(general, of_general(1 / ratio))));
  const auto of_kh = [&](double factor) {
    return [&alpha, factor](const Step& s) {
      return s.dH - works(s) - s.contact - quadratic(s, alpha) - factor * of_filter(s, alpha);
    };
  };
  out.checks.push_back(check("Krenk-Høgsberg, rho_inf = 0.8", acary14::proposition_2, leftover(kh, of_kh(1)),
                             "eta/nu upside down, as (64) prints it", leftover(kh, of_kh(1 / (ratio * ratio)))));
  svg::Plot plot = plot_over_time("Algorithmic energy less the works", "energy", "J", {});
  for (const auto& [name, all] :
       {std::pair{"Newmark", &newmark}, {"HHT", &hht}, {"generalized-alpha", &general}, {"Krenk-Høgsberg", &kh}}) {
    svg::Series line{.name = name, .x = {0}, .y = {0}};
    for (const Step& s : *all) {
      line.x.push_back(line.x.back() + kStep);
      line.y.push_back(line.y.back() + s.dH - works(s));
    }
    plot.series.push_back(std::move(line));
  }
  out.figures.push_back(
      {plot, "What impacts and the scheme take out of H: drops at impacts, and little between them."});
  out.choices.emplace_back(
      "The document computes nothing; a mass on a spring (linear-oscillator) with a damper, the load 3 sin(4 t) and a "
      "stop, from the first step on with a_0 = (F - K q - C v)/M and filters at zero.");
  out.disagreements.emplace_back(
      "(88), (101) print h/2 (2 beta - gamma)|a+ - a|^2, the identity closes with h^2/2; (64) is upside down; (85) has "
      "a "
      "wrong sign; (32) has a wrong sign of F.");
}

void algorithmic_energy(Outcome& out) {
  const Coefficients alpha = of_radius(0.8);
  // Largest rise of H above the works; those of HHT are of its own filtered loads.
  const auto rise = [](const std::vector<Step>& all, auto&& left) {
    double worst = -INFINITY, size = 0;
    for (const Step& s : all) {
      worst = std::max(worst, left(s));
      size = std::max(size, std::abs(s.dH));
    }
    return worst / size;
  };
  const auto plain = [](const Step& s) { return works(s); };
  const auto lagging = [](const Step& s) {
    return s.dq * ((1 - kHht.alpha_f) * (s.F - kDamping * s.v) + kHht.alpha_f * (s.F_last - kDamping * s.v_last));
  };
  const auto add = [&](const char* what, const Quote& where, const std::vector<Step>& all, auto&& work,
                       const char* rival, const std::vector<Step>& wrong) {
    const auto above = [&](const Step& s) { return s.dH - work(s); };
    out.checks.push_back({.what = std::string("largest rise of H above the works in a step, ") + what,
                          .published = where,
                          .computed = rise(all, above),
                          .accepted = at_most(1e-12),
                          .reason = "rounding, over the largest change of H in a step",
                          .rival = rival,
                          .rival_computed = rise(wrong, above)});
  };
  const Trajectory kh_run = oscillator(kKhScheme), hht_run = oscillator(kHhtScheme),
                   newmark_run = oscillator(kNewmarkScheme);
  const auto kh = steps(kh_run, alpha), hht = steps(hht_run, kHht), newmark = steps(newmark_run, kNewmark);
  add("Krenk-Høgsberg, rho_inf = 0.8", acary14::kh_stable, kh, plain, "H of rho_inf = 0.5",
      steps(kh_run, of_radius(0.5)));
  add("HHT, alpha = 0.1", acary14::hht_stable, hht, lagging, "H of alpha = 0.3",
      steps(hht_run, {.alpha_f = 0.3, .gamma = 0.8, .beta = 0.4225}));
  add("Newmark (0.6, 0.4)", acary14::newmark_stable, newmark, plain, "H of gamma = 0.8",
      steps(newmark_run, {.gamma = 0.8, .beta = 0.4}));
  svg::Plot plot = plot_over_time("Rise of H above the works, step by step", "energy", "J", {});
  for (const auto& [name, all] : {std::pair{"Krenk-Høgsberg", &kh}, {"Newmark", &newmark}}) {
    svg::Series line{.name = name};
    for (const Step& s : *all) {
      line.x.push_back(kStep * static_cast<double>(line.x.size() + 1));
      line.y.push_back(s.dH - works(s));
    }
    plot.series.push_back(std::move(line));
  }
  out.figures.push_back({plot, "Never above zero."});
}

// ---- Remark 1 -------------------------------------------------------------------------------------------------------
namespace {

/// One step of Moreau-Jean from the exact motion of the damped oscillator under a constant load, whose first impact
/// lies `sigma` steps after its beginning: discrete works less their integrals.
struct Works {
  double external = 0, damping = 0, balance = 0;  ///< (41), (42), (43)
};
Works distances(double h, double sigma) {
  const double F = -3, theta = 0.5;
  const ExactStop exact({.a = F, .zeta = kDamping / 2, .w2 = kStiffness, .e = 0.7}, 1);
  const double impact = exact.impacts().front().t, begin = impact - sigma * h;
  const Trajectory run =
      simulate("linear-oscillator",
               {"scheme=moreau-jean", set("step", h), set("until", h), set("initial.position.q", exact.y(begin)),
                set("initial.velocity.q", exact.v(begin)), set("system.formulas.parameters.k", kStiffness),
                set("system.formulas.parameters.c", kDamping), fmt::format("system.formulas.forces.q=-c*q' + {}", F)},
               {"q", "v", "P", "E"});
  // v^2 is smooth on both sides of the impact: Simpson's rule on each.
  const auto of_squares = [&](double from, double to) {
    const double last = to == impact ? exact.impacts().front().before : exact.v(to), middle = exact.v((from + to) / 2);
    return (to - from) / 6 * (exact.v(from) * exact.v(from) + 4 * middle * middle + last * last);
  };
  const double end = begin + h, split = std::min(impact, end);
  const double squares = of_squares(begin, split) + (end > split ? of_squares(split, end) : 0);
  const double v_theta = (1 - theta) * run["v.q"][0] + theta * run["v.q"][1];
  Works out;
  out.external = h * v_theta * F - F * (exact.y(end) - exact.y(begin));
  out.damping = h * kDamping * (v_theta * v_theta) - kDamping * squares;
  out.balance = run["E"][1] - run["E"][0] - F * (exact.y(end) - exact.y(begin)) + kDamping * squares -
                (run["v.q"][0] + run["v.q"][1]) / 2 * run["P.stop"][1];
  return out;
}

}  // namespace

void works_and_integrals(Outcome& out) {
  const std::vector<double> sizes = geometric(1e-2, 1e-5, 7);
  svg::Plot plot{.title = "Discrete works less their integrals, one step with an impact",
                 .x = {.label = "step", .unit = "s", .log = true},
                 .y = {.label = "distance", .unit = "J", .log = true}};
  for (const auto& [what, part, where] :
       {std::tuple{"work of the load, (41)", &Works::external, acary14::remark_1_load},
        {"work of the damping, (42)", &Works::damping, acary14::remark_1_damping},
        {"balance of energy, (43)", &Works::balance, acary14::remark_1_balance}}) {
    const auto distance_of = [&, part = part](double sigma) {
      Column found;
      for (const double h : sizes) found.push_back(std::abs(distances(h, sigma).*part));
      return found;
    };
    const Column with = distance_of(0.37);
    out.checks.push_back({.what = std::string("order of the distance from the integral in one step, ") + what,
                          .published = where,
                          .derived = "1",
                          .computed = fit_order(sizes, with).order,
                          .accepted = around(1, 0.03),
                          .reason = "seven sizes, each with the impact after 0.37 of the step",
                          .rival = "sigma = 2, the impact behind the step",
                          .rival_computed = fit_order(sizes, distance_of(2)).order});
    plot.series.push_back({.name = what, .x = sizes, .y = with, .style = svg::Style::line_points});
  }
  out.figures.push_back({plot, "First order, whatever the order of the scheme: a jump somewhere in the step."});
  out.choices.emplace_back(
      "The remark has no example: the mass on a spring with a damper and a stop (linear-oscillator), k = 40 N/m, c = "
      "0.8 N s/m, under a load of -3 N, whose motion is known in closed form; theta = 1/2.");
  out.disagreements.emplace_back("(43) prints the integral of C v for that of v C v.");
}

// ---- Remark 2, Lemma 3, Corollary 1 ---------------------------------------------------------------------------------
void no_filter(Outcome& out) {
  const Coefficients near = of_radius(1 - 1e-6), at = of_radius(1), damped = of_radius(0.8);
  out.checks.push_back({.what = "nu and eta for rho_inf = 1, the larger one",
                        .published = acary14::no_filter,
                        .derived = "0",
                        .computed = std::max(std::abs(at.nu()), std::abs(at.eta())),
                        .accepted = at_most(1e-15),
                        .reason = "rounding",
                        .rival = "rho_inf = 0.8",
                        .rival_computed = std::max(damped.nu(), damped.eta())});
  out.checks.push_back({.what = "eta/nu as rho_inf goes to 1",
                        .published = acary14::ratio,
                        .derived = "2/3",
                        .computed = near.eta() / near.nu(),
                        .accepted = around(2.0 / 3, 1e-6),
                        .reason = "rho_inf = 1 - 1e-6",
                        .rival = "upside down, as (64) prints the fractions",
                        .rival_computed = near.nu() / near.eta()});
  // Without filters nothing is left of Lemma 2 but works and impacts.
  const auto conserved = [](const Step& s) { return s.dH - works(s) - s.contact; };
  const auto undamped = steps(oscillator("name: generalized-alpha, rho_inf: 1"), at),
             dissipating = steps(oscillator(kAlphaScheme), damped);
  out.checks.push_back(check("generalized-alpha, rho_inf = 1", acary14::no_filter, leftover(undamped, conserved),
                             "rho_inf = 0.8", leftover(dissipating, conserved)));
  svg::Plot plot{.title = "Filters over the spectral radius", .x = {.label = "rho_inf"}, .y = {.label = "nu, eta"}};
  svg::Series nu{.name = "nu"}, eta{.name = "eta"};
  for (int k = 0; k <= 20; ++k) {
    const Coefficients c = of_radius(k / 20.0);
    nu.x.push_back(k / 20.0), nu.y.push_back(c.nu());
    eta.x.push_back(k / 20.0), eta.y.push_back(c.eta());
  }
  plot.series = {nu, eta};
  out.figures.push_back({plot, "Both vanish at 1; their ratio goes to 2/3."});
  out.disagreements.emplace_back("(64) prints both fractions upside down; its value 2/3 is that of eta/nu.");
}

void contact_work(Outcome& out) {
  svg::Plot plot = plot_over_time("Work of the contact", "work", "J", {});
  /// Largest work of a step with the velocity (1 - w) U + w U+.
  const auto largest_work = [](const Trajectory& run, double w) {
    const Column &U = run["U.ground"], &P = run["P.ground"];
    double worst = -INFINITY;
    for (std::size_t k = 1; k < run.rows(); ++k) worst = std::max(worst, ((1 - w) * U[k - 1] + w * U[k]) * P[k]);
    return worst;
  };
  const auto run = [](const std::string& scheme) {
    return simulate("two-balls-oscillator",
                    {"scheme={" + scheme + ", forecast: energy-safe}", "step=1.9e-3", "until=2",
                     "system.formulas.parameters.e=0.9"},
                    {"U", "P"});
  };
  const double weighted = largest_work(run("name: moreau-jean, theta: 0.7"), 0.7);
  for (const char* scheme :
       {"name: newmark", kNewmarkScheme, kHhtScheme, kAlphaScheme, kKhScheme, "name: moreau-jean-midpoint, theta: 0.7"})
    out.checks.push_back({.what = fmt::format("largest work of the contact in a step [J], {}", scheme),
                          .published = acary14::lemma_3,
                          .computed = largest_work(run(scheme), 0.5),
                          .accepted = at_most(1e-12),
                          .reason = "rounding of works of some joules",
                          .rival = "moreau-jean, theta = 0.7, e = 0.9, whose own velocity is U_theta",
                          .rival_computed = weighted});
  const Trajectory shown = run("name: newmark");
  svg::Series work{.name = "newmark"};
  for (std::size_t k = 1; k < shown.rows(); ++k) {
    work.x.push_back(shown.t()[k]);
    work.y.push_back((shown["U.ground"][k - 1] + shown["U.ground"][k]) / 2 * shown["P.ground"][k]);
  }
  plot.series = {work};
  out.figures.push_back({plot, "Each impact of the lower ball takes energy."});
  out.choices.emplace_back("Two balls on a spring (two-balls-oscillator), e = 0.9.");
}

void corollary(Outcome& out) {
  struct Case {
    const char *what, *scheme;
    Coefficients c;
    Quote printed_at;
    bool dissipates;  ///< (1/2 - gamma) |q+ - q|_K^2 is part of it
    const char *rival, *wrong;
    Coefficients other;
  };
  svg::Plot plot = plot_over_time("Change of H less the works", "energy", "J", {});
  for (const Case& x : {Case{"gamma = 1/2, beta = 0.4",
                             "name: newmark, gamma: 0.5, beta: 0.4",
                             {.gamma = 0.5, .beta = 0.4},
                             acary14::corollary_half,
                             false,
                             "gamma = 0.6",
                             kNewmarkScheme,
                             kNewmark},
                        Case{"gamma = 2 beta = 0.6",
                             "name: newmark, gamma: 0.6, beta: 0.3",
                             {.gamma = 0.6, .beta = 0.3},
                             acary14::corollary_two_beta,
                             true,
                             "beta = 0.4",
                             kNewmarkScheme,
                             {.gamma = 0.6, .beta = 0.3}},
                        Case{"gamma = 2 beta = 1/2",
                             "name: newmark, gamma: 0.5, beta: 0.25",
                             {},
                             acary14::corollary_both,
                             false,
                             "beta = 0.4",
                             "name: newmark, gamma: 0.5, beta: 0.4",
                             {}}}) {
    const auto of = [&](const Coefficients& c) {
      return
          [&x, c](const Step& s) { return s.dH - works(s) - s.contact - (x.dissipates ? (0.5 - c.gamma) * s.dq2 : 0); };
    };
    const auto all = steps(oscillator(x.scheme), x.c);
    out.checks.push_back(check(x.what, x.printed_at, leftover(all, of(x.c)), x.rival,
                               leftover(steps(oscillator(x.wrong), x.other), of(x.other))));
    svg::Series line{.name = x.what};
    for (const Step& s : all) {
      line.x.push_back(kStep * static_cast<double>(line.x.size() + 1));
      line.y.push_back(s.dH - works(s));
    }
    plot.series.push_back(std::move(line));
  }
  out.figures.push_back({plot, "What impacts take, and the scheme where gamma > 1/2."});
  out.choices.emplace_back("The mass on a spring of acary-2014/identities.");
}

}  // namespace ricochet::gallery::acary_2014_parts
