// Acary (2014), section 6: the identities of the algorithmic energy H, from q, v and P alone. The pseudo-acceleration a
// and the filters follow from these: v+ = v + h ((1 - gamma) a + gamma a+) + w with w = P/m, and
//
//     (1 - alpha_m) zeta+ + alpha_m zeta = q+ - q,      likewise xi of v and upsilon of F
//
// which are z, x, y of the report over nu = 1/2 - alpha_m, so that nu = 0 is a case like others.
#include <algorithm>
#include <cmath>

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
  double dH = 0, dE = 0, dq = 0;
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
    s.dE = kMass * (v[k + 1] * v[k + 1] - v[k] * v[k]) / 2 + kStiffness * (q[k + 1] * q[k + 1] - q[k] * q[k]) / 2;
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

Check check(const char* what, const char* where, double computed, const char* rival, double rival_computed) {
  return {.what = std::string("what the identity leaves over in a step, ") + what,
          .published = std::string("nothing, ") + where,
          .computed = computed,
          .accepted = at_most(1e-11),
          .reason = "rounding, over the largest change of H in a step",
          .rival = rival,
          .rival_computed = rival_computed};
}

const Coefficients kNewmark{.gamma = 0.6, .beta = 0.4};
const char* const kNewmarkScheme = "name: newmark, gamma: 0.6, beta: 0.4";
const Coefficients kHht{.alpha_f = 0.1, .gamma = 0.6, .beta = 0.3025};
const char* const kHhtScheme = "name: hht, alpha: 0.1";
const char *const kAlphaScheme = "name: generalized-alpha, rho_inf: 0.8",
                  *const kKhScheme = "name: generalized-alpha-kh, rho_inf: 0.8";

}  // namespace

void identities(Outcome& out) {
  const Coefficients alpha = of_radius(0.8);
  const auto newmark = steps(oscillator(kNewmarkScheme), kNewmark), hht = steps(oscillator(kHhtScheme), kHht),
             general = steps(oscillator(kAlphaScheme), alpha), kh = steps(oscillator(kKhScheme), alpha);
  const auto of_newmark = [](double factor) {
    return [factor](const Step& s) {
      return s.dH - works(s) - s.contact -
             (0.5 - kNewmark.gamma) * (s.dq2 + factor * (2 * kNewmark.beta - kNewmark.gamma) * s.da2);
    };
  };
  out.checks.push_back(check("Newmark (0.6, 0.4)", "Proposition 4, (88)",
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
  out.checks.push_back(check("HHT, alpha = 0.1", "Proposition 3, (80)", leftover(hht, of_hht(false)),
                             "gamma F+ - (1 - gamma) F, as (85) prints it", leftover(hht, of_hht(true))));
  const auto of_general = [&](double ratio) {
    return [&alpha, ratio](const Step& s) {
      // (eta/nu) y = eta upsilon for the ratio as it is
      const double filters = s.dq * ratio * alpha.nu() * (s.upsilon - kDamping * s.xi);
      return s.dH - works(s) + filters - s.contact - quadratic(s, alpha) - of_filter(s, alpha);
    };
  };
  const double ratio = alpha.eta() / alpha.nu();
  out.checks.push_back(check("generalized-alpha, rho_inf = 0.8", "Lemma 2, (69)", leftover(general, of_general(ratio)),
                             "eta/nu upside down, as (64) prints it", leftover(general, of_general(1 / ratio))));
  const auto of_kh = [&](double factor) {
    return [&alpha, factor](const Step& s) {
      return s.dH - works(s) - s.contact - quadratic(s, alpha) - factor * of_filter(s, alpha);
    };
  };
  out.checks.push_back(check("Krenk-Høgsberg, rho_inf = 0.8", "Proposition 2, (72)", leftover(kh, of_kh(1)),
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
  const auto add = [&](const char* what, const char* where, const std::vector<Step>& all, auto&& work) {
    out.checks.push_back({.what = std::string("largest rise of H above the works in a step, ") + what,
                          .published = std::string("none, ") + where,
                          .computed = rise(all, [&](const Step& s) { return s.dH - work(s); }),
                          .accepted = at_most(1e-12),
                          .reason = "rounding, over the largest change of H in a step",
                          .rival = "the mechanical energy E, for which nothing is promised",
                          .rival_computed = rise(all, [&](const Step& s) { return s.dE - work(s); })});
  };
  const auto kh = steps(oscillator(kKhScheme), alpha), hht = steps(oscillator(kHhtScheme), kHht),
             newmark = steps(oscillator(kNewmarkScheme), kNewmark);
  add("Krenk-Høgsberg, rho_inf = 0.8", "(73)", kh, plain);
  add("HHT, alpha = 0.1", "(81)", hht, lagging);
  add("Newmark (0.6, 0.4)", "(89)", newmark, plain);
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

}  // namespace ricochet::gallery::acary_2014_parts
