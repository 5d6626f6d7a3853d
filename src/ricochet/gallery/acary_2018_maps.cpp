// Acary (2018): spectral radii of the Newmark family, and event tracking with the Delassus example.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "ricochet/analysis/norms.hpp"
#include "ricochet/gallery/acary_2018.hpp"
#include "ricochet/gallery/runs.hpp"
#include "ricochet/scheme/pieces/workspace.hpp"

namespace ricochet::gallery::acary_2018_parts {
namespace {

// ---- spectral radii -------------------------------------------------------------------------------------------------
/// Largest modulus of an eigenvalue of the step as a linear map of (q, v, what the scheme remembers), for the
/// oscillator q'' + q = 0 and h = Omega. Its columns are steps from unit vectors.
double spectral_radius(const std::string& scheme_text, double Omega) {
  const Scenario s =
      load_scenario("linear-oscillator", {"simulation.scheme=" + scheme_text, set("simulation.step", Omega),
                                          "system.formulas.parameters.k=1", "system.formulas.parameters.stop=-1e9"});
  const std::unique_ptr<Scheme> scheme = make_scheme(s.scheme, s.options);
  Workspace w(s.model);
  State start = s.initial;
  scheme->start(s.model, start, w);
  const auto size = static_cast<Eigen::Index>(2 + start.memory.size());
  const auto entry = [](State& x, Eigen::Index k) -> double& {
    return k == 0 ? x.q[0] : k == 1 ? x.v[0] : x.memory[static_cast<std::size_t>(k - 2)][0];
  };
  MatrixXd map(size, size);
  for (Eigen::Index column = 0; column < size; ++column) {
    State from = start, next = start;
    for (Eigen::Index k = 0; k < size; ++k) entry(from, k) = k == column ? 1 : 0;
    StepReport report;
    scheme->step(s.model, from, Omega, next, w, report);
    if (!report.ok()) throw std::runtime_error("a step of " + scheme_text + " failed");
    for (Eigen::Index k = 0; k < size; ++k) map(k, column) = entry(next, k);
  }
  return map.eigenvalues().cwiseAbs().maxCoeff();
}

void spectral_radii(Outcome& out) {
  struct Member {
    const char *name, *scheme;
    double at_infinity, at_one;  ///< of h omega; closed forms
    const char *rival, *wrong;
    Quote printed_at{};
  };
  // Newmark with complex roots: rho^2 = 1 - (gamma - 1/2) O^2/(1 + beta O^2), Moreau-Jean: (1 + (1 - theta)^2 O^2)/(1 +
  // theta^2 O^2). At infinity the roots of each coincide, in rho_inf.
  const double unknown = 0;
  const std::vector<Member> members{
      {"trapezoidal: Newmark (1/2, 1/4)", "{name: newmark, gamma: 0.5, beta: 0.25}", 1, 1, "newmark with gamma = 0.6",
       "{name: newmark, gamma: 0.6, beta: 0.3025}"},
      {"damped Newmark, gamma = 0.6", "{name: newmark, gamma: 0.6, beta: 0.3025}", 0.9 / 1.1,
       std::sqrt(1 - 0.1 / 1.3025), "newmark with gamma = 0.5", "{name: newmark, gamma: 0.5, beta: 0.25}"},
      {"HHT, alpha = 0.05", "{name: hht, alpha: 0.05}", 0.95 / 1.05, unknown, "hht with alpha = 0.06",
       "{name: hht, alpha: 0.06}"},
      {"HHT, alpha = 0.3", "{name: hht, alpha: 0.3}", 0.7 / 1.3, unknown, "hht with alpha = 0.29",
       "{name: hht, alpha: 0.29}"},
      {"generalized-alpha, rho_inf = 0.6", "{name: generalized-alpha, rho_inf: 0.6}", 0.6, unknown,
       "generalized-alpha with rho_inf = 0.61", "{name: generalized-alpha, rho_inf: 0.61}",
       acary18::radius_at_infinity},
      {"Moreau-Jean, theta = 0.6", "{name: moreau-jean, theta: 0.6}", 0.4 / 0.6, std::sqrt(1.16 / 1.36),
       "moreau-jean with theta = 0.61", "{name: moreau-jean, theta: 0.61}"}};
  const double far = 1e5;
  const std::vector<double> Omegas = geometric(1e3, 1e-2, 61);
  svg::Plot plot{.title = "Spectral radii",
                 .x = {.label = "h omega", .log = true},
                 .y = {.label = "spectral radius", .min = 0.4, .max = 1.05}};
  for (const Member& m : members) {
    Column radii;
    for (double Omega : Omegas) radii.push_back(spectral_radius(m.scheme, Omega));
    out.checks.push_back({.what = std::string("spectral radius at h omega = 1e5, ") + m.name,
                          .published = m.printed_at,
                          .derived = fmt::format("{:.4g}", m.at_infinity),
                          .computed = spectral_radius(m.scheme, far),
                          .accepted = around(m.at_infinity, 1e-3),
                          .reason = "double roots at infinity: the distance is of the order of 1/(h omega)",
                          .rival = m.rival,
                          .rival_computed = spectral_radius(m.wrong, far)});
    if (m.at_one != unknown)
      out.checks.push_back({.what = std::string("spectral radius at h omega = 1, ") + m.name,
                            .derived = fmt::format("{:.6g}", m.at_one),
                            .computed = spectral_radius(m.scheme, 1),
                            .accepted = around(m.at_one, 1e-12),
                            .reason = "the determinant of the map of (q, v) in closed form",
                            .rival = m.rival,
                            .rival_computed = spectral_radius(m.wrong, 1)});
    plot.series.push_back({.name = m.name, .x = Omegas, .y = radii});
  }
  out.figures.push_back({plot, "Largest modulus of the eigenvalues of one step."});
  out.choices.emplace_back(
      "the slide reprints a figure of the literature with other families too; shown are the members that the program "
      "has. The radii are those of the map of position, velocity and the accelerations that a scheme remembers.");
}

// ---- event tracking -------------------------------------------------------------------------------------------------
// Two contacts at rest, W = [1 -0.8; -0.8 1], accelerations without them (0.92, -0.7): M = W^-1, f = M (0.92, -0.7) =
// (1, 0.1). Forces that hold both are -f: both pull, and yet the second contact stays closed with 0.7 N.
constexpr const char* kDelassus = R"(
name: two contacts of Delassus
system:
  formulas:
    parameters: {shift: 0}
    coordinates: [x, y]
    kinetic: (x'^2 + 1.6*x'*y' + y'^2)/0.72
    potential: -x - 0.1*y
    contacts:
      first: {gap: x}
      second: {gap: y + shift}
initial: {position: {x: 0, y: 0}}
simulation: {scheme: event-driven, step: 0.01, until: 0.5}
)";

Trajectory delassus(const std::vector<std::string>& overrides) {
  return ricochet::simulate(read_scenario(kDelassus, "delassus", overrides));
}

void delassus_example(Outcome& out) {
  const Trajectory run = delassus({}), released = delassus({"system.formulas.parameters.shift=1"});
  const auto end = [](const Trajectory& r, const char* column) { return r[column].back(); };
  struct Row {
    const char *what, *column;
    double exact;
  };
  for (const Row& r : {Row{"position of the first after 0.5 s [m]", "q.x", 0.36 / 8},
                       Row{"position of the second after 0.5 s [m]", "q.y", 0},
                       Row{"impulse of the second contact over the last step [N s]", "P.second", 0.7 * 0.01}})
    out.checks.push_back(
        {.what = r.what,
         .published = acary18::one_contact,
         .derived = fmt::format("{:g}", r.exact),
         .computed = end(run, r.column),
         .accepted = around(r.exact, 1e-12),
         .reason = "the accelerations (0.36, 0) and the force 0.7 N solve the problem of both contacts",
         .rival = "gap = y + 1: both released",
         .rival_computed = end(released, r.column)});
  for (const char* scheme : {"moreau-jean", "combined"})
    out.checks.push_back({.what = std::string("position of the first after 0.5 s [m], ") + scheme,
                          .derived = "0.045 m, the solution of both contacts",
                          .computed = end(delassus({std::string("simulation.scheme=") + scheme}), "q.x"),
                          .accepted = around(0.36 / 8, 1e-12),
                          .reason = "constant accelerations are integrated exactly",
                          .rival = "gap = y + 1: both released",
                          .rival_computed = end(released, "q.x")});
  out.figures.push_back({plot_over_time("Positions", "position", "m",
                                        {line("first", run, "q.x"), line("second", run, "q.y"),
                                         line("second, both released", released, "q.y")}),
                         "The second contact carries 0.7 N."});
  out.choices.emplace_back("The slide names the example and gives no numbers; taken: W = [1 -0.8; -0.8 1].");
}

}  // namespace

std::vector<Entry> linear_maps_and_events() {
  return {
      {"acary-2018/spectral-radii", "spectral radii, from the eigenvalues of a step", spectral_radii},
      {"acary-2018/delassus", "event tracking: two contacts whose forces would both pull", delassus_example},
  };
}

}  // namespace ricochet::gallery::acary_2018_parts
