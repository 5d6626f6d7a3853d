#include "ricochet/io/result/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ricochet/io/scenario/drawing.hpp"
#include "ricochet/scheme/pieces/not_finite.hpp"
#include "ricochet/scheme/remedy.hpp"

namespace ricochet {
namespace {

using Json = nlohmann::ordered_json;

double mean(std::int64_t sum, std::int64_t steps) {
  return steps > 0 ? static_cast<double>(sum) / static_cast<double>(steps) : 0;
}

double microseconds(const RunOutcome& o) {
  return o.steps_here > 0 ? 1e6 * o.wall_seconds / static_cast<double>(o.steps_here) : 0;
}

// A run that the control stopped at its floor has no step that failed.
bool at_floor(const RunOutcome& o) { return o.result->failure.ok() && o.result->limit.has_value(); }

// Entries of the ledger in the order of the sum, with what they are.
struct Entry {
  const char* name;
  double EnergyLedger::*value;
  const char* meaning;
};
constexpr Entry kEntries[] = {
    {"external", &EnergyLedger::external, "work of applied forces and moving boundaries"},
    {"damping", &EnergyLedger::damping, "work of velocity-dependent forces"},
    {"joints", &EnergyLedger::joints, "work of joint impulses"},
    {"impact", &EnergyLedger::impact, "work of normal contact impulses"},
    {"friction", &EnergyLedger::friction, "work of tangential contact impulses"},
    {"projection", &EnergyLedger::projection, "work of position corrections"},
    {"numerical", &EnergyLedger::numerical, "dissipation of the scheme"},
    {"nonlinear_remainder", &EnergyLedger::nonlinear_remainder, "quadrature errors, zero for linear systems"},
};

std::string coordinate_name(const Model& model, int k) {
  const std::vector<std::string> names = model.velocity_names();
  return k >= 0 && k < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(k)] : "";
}

std::string item_name(const Model& model, int k) {
  const auto& items = model.items();
  return k >= 0 && k < static_cast<int>(items.size()) ? items[static_cast<std::size_t>(k)].name : "";
}

// Where and why the control came to its floor for the first time, in words.
std::string limit_text(const RunOutcome& o) {
  if (!o.result->limit) return "";
  const StepLimit& limit = *o.result->limit;
  const Model& model = o.scenario->model;
  std::string out = fmt::format("at t = {:.9g} s, step {:.3g} s: {}", limit.t, limit.h, name(limit.source));
  if (const std::string x = coordinate_name(model, limit.coordinate); !x.empty()) out += fmt::format(" '{}'", x);
  if (limit.source != LimitSource::failure) out += fmt::format(" is {:.3g} times what is allowed", limit.error);
  if (const std::string c = item_name(model, limit.item); !c.empty()) out += fmt::format("; constraint '{}'", c);
  return out;
}

Json step_control_json(const RunOutcome& o) {
  const StepControl& c = o.scenario->policy.control;
  const Summary& s = o.run->summary;
  Json j{{"control", name(c)}};
  if (c.kind != Control::fixed) {
    if (c.kind != Control::violation) j["order"] = c.order == kVariableOrder ? Json("variable") : Json(c.order);
    j["atol"] = c.tolerance > 0 ? o.run->tolerance : c.atol;
    j["rtol"] = c.rtol;
    j["floor"] = c.floor;
    j["largest_allowed"] = c.largest;
  }
  if (c.tolerance > 0) {
    j["tolerance"] = c.tolerance;
    j["error_estimate"] = s.error_estimate;
    j["error_doubt"] = s.error_doubt;
    j["rehearsals"] = s.rehearsals;
    j["rehearsal_solves"] = s.rehearsal_solves;
  }
  j["accepted"] = s.accepted;
  j["rejected"] = s.rejected;
  j["floor_hits"] = s.floor_hits;
  j["smallest"] = s.step_smallest;
  j["largest"] = s.step_largest;
  if (o.result->limit) j["limit"] = limit_text(o);
  return j;
}

}  // namespace

const char* what_failed(StepStatus status) {
  switch (status) {
    case StepStatus::energy_defect: return "the energy of a step does not add up";
    case StepStatus::overlooked: return "bodies overlap that a step did not see coming";
    case StepStatus::out_of_bounds: return "the motion leaves all bounds";
    case StepStatus::energy_gain: return "contacts would gain energy in a step";
    default: return "a step did not converge";
  }
}

Scales scales_of(const RunOutcome& o) { return o.run->state.scales ? *o.run->state.scales : Scales{}; }

double tolerance_of(const Scenario& s) {
  const SchemeEntry* entry = find_scheme(s.scheme);
  if (entry == nullptr) return 1e-10;
  const Options options(entry->options, s.options);
  return options.values().count("tolerance") > 0 ? options.number("tolerance") : 1e-10;
}

std::string summary_json(const RunOutcome& o) {
  const Summary& s = o.run->summary;
  const auto iterations = [&](std::int64_t sum, std::int64_t max) {
    return Json{{"mean", mean(sum, s.steps)}, {"max", max}};
  };
  const ResultHeader header = header_of(*o.scenario);
  Json j;
  j["scenario"] = o.scenario->name;
  j["scheme"] = o.scenario->scheme;
  j["options"] = Json::parse(header.options);
  const StepControl& control = o.scenario->policy.control;
  j["step"] = control.kind == Control::fixed ? Json(o.scenario->policy.step) : Json(name(control));
  j["until"] = o.scenario->policy.until;
  j["time"] = o.run->state.t;
  j["steps"] = s.steps;
  j["impacts"] = s.impacts;
  j["events"] = s.events;
  j["contacts_max"] = s.contacts_max;
  j["retries"] = s.retries;
  j["uncertified_steps"] = s.uncertified;
  j["restitution"] = {{"impacts", s.rebounds}, {"reduced", s.reduced}, {"least_part", s.least_part}};
  for (std::size_t k = 1; k < kStepStatuses; ++k) j["failures"][name(static_cast<StepStatus>(k))] = s.failures[k];
  j["solves"] = s.solves;
  j["step_control"] = step_control_json(o);
  j["newton_iterations"] = iterations(s.newton_sum, s.newton_max);
  j["solver_iterations"] = iterations(s.solver_sum, s.solver_max);
  j["activation_iterations"] = iterations(s.activation_sum, s.activation_max);
  j["projection_iterations"] = iterations(s.projection_sum, s.projection_max);
  double c[kCertificates];
  certificate_numbers(s.certificate, c);
  for (std::size_t k = 0; k < kCertificates; ++k) j["certificate"][certificate_names()[k]] = c[k];
  const Scales scales = scales_of(o);
  j["scales"] = {{"length", scales.length},
                 {"velocity", scales.velocity},
                 {"mass", scales.mass},
                 {"time", scales.time()},
                 {"energy", scales.energy()}};
  relative_certificate(s.certificate, scales, c);
  for (std::size_t k = 0; k < kCertificates; ++k) j["certificate"]["relative"][certificate_names()[k]] = c[k];
  j["energy"] = {{"initial", s.energy_initial}, {"final", s.energy.kinetic + s.energy.potential}};
  for (const Entry& e : kEntries) j["energy"][e.name] = s.energy.*e.value;
  j["energy"]["defect"] = s.energy.defect;
  j["energy"]["gain_max"] = s.energy_gain_max;
  j["energy"]["gain"] = s.watch.gain;
  j["energy"]["at_stake"] = s.watch.at_stake();
  j["minimum_norm"] = s.minimum_norm;
  j["threads"] = {{"allowed", o.threads}, {"at_work", o.result->threads}};
  j["wall_seconds"] = o.wall_seconds;
  j["microseconds_per_step"] = microseconds(o);
  j["status"] = name(o.result->status);
  if (o.result->status == RunStatus::failed) {
    const StepReport& f = o.result->failure;
    j["failure"] = {{"what", at_floor(o) ? "step_floor" : name(f.status)},
                    {"time", o.result->failed_at},
                    {"step", o.result->failed_step},
                    {"constraint", item_name(o.scenario->model, at_floor(o) ? o.result->limit->item : f.blame)},
                    {"remedy", at_floor(o) ? kFloorRemedy : remedy(f.status, o.scenario->scheme)}};
  }
  j["expectations"] = Json::array();
  for (const Judgement& e : o.judgements)
    j["expectations"].push_back(
        {{"says", e.expectation->says}, {"value", e.value}, {"column", e.column}, {"met", e.met}});
  j["warnings"] = warnings(o);
  j["output"] = o.output.empty() ? Json(nullptr) : Json(o.output);
  j["version"] = version();
  return j.dump(2);
}

namespace {
std::string status_words(const RunOutcome& o) {
  if (o.result->status != RunStatus::uncertified) return name(o.result->status);
  const std::int64_t n = o.run->summary.uncertified;
  return fmt::format("finished with {} uncertified step{}", n, n == 1 ? "" : "s");
}
}  // namespace

namespace {
std::string expectations_met(const RunOutcome& o) {
  const auto met = std::count_if(o.judgements.begin(), o.judgements.end(), [](const Judgement& j) { return j.met; });
  return fmt::format("{} of {}", met, o.judgements.size());
}
}  // namespace

std::string summary_text(const RunOutcome& o) {
  const Summary& s = o.run->summary;
  const Scenario& scenario = *o.scenario;
  std::string out = fmt::format("{}: {} at t = {:.9g} s\n", scenario.name, status_words(o), o.run->state.t);
  const auto line = [&](std::string_view key, const std::string& value, std::string_view meaning) {
    out += fmt::format("  {:<21} {:>13}   {}\n", key, value, meaning);
  };
  const auto count = [](std::int64_t n) { return fmt::format("{}", n); };
  const auto iterations = [&](std::string_view key, std::int64_t sum, std::int64_t max) {
    line(key, fmt::format("{:.2f}", mean(sum, s.steps)), fmt::format("mean per step, max {}", max));
  };
  const StepControl& control = scenario.policy.control;
  line("scheme", scenario.scheme,
       control.kind == Control::fixed
           ? fmt::format("step {:g} s", scenario.policy.step)
           : fmt::format("steps {:.3g} to {:.3g} s by control '{}'", s.step_smallest, s.step_largest, name(control)));
  line("steps", count(s.steps),
       s.retries > 0
           ? fmt::format("{} failed attempt{} repeated with half the step", s.retries, s.retries == 1 ? "" : "s")
           : "no retries");
  if (control.kind != Control::fixed)
    line("one-step solves", count(s.solves),
         fmt::format("{} steps accepted, {} rejected, {} at the floor", s.accepted, s.rejected, s.floor_hits));
  if (control.tolerance > 0)
    line("error of q", fmt::format("{:.2e}", s.error_estimate),
         fmt::format("estimated, in L1; asked for {:.2g}; {} rehearsals, {} solves", control.tolerance, s.rehearsals,
                     s.rehearsal_solves));
  line("impacts", count(s.impacts), fmt::format("contacts that closed; at most {} at once", s.contacts_max));
  if (!o.judgements.empty()) line("expectations", expectations_met(o), "met, of what the scenario says that happens");
  iterations("Newton passes", s.newton_sum, s.newton_max);
  iterations("solver iterations", s.solver_sum, s.solver_max);
  if (o.threads > 1)
    line("threads at work", count(o.result->threads),
         o.result->threads > 1 ? fmt::format("of {} allowed, in loops that are long enough", o.threads)
                               : fmt::format("of {} allowed: no loop of a step is long enough to share", o.threads));
  line("wall time", fmt::format("{:.3f} s", o.wall_seconds),
       fmt::format("{:.3f} microseconds per step", microseconds(o)));

  const Scales scales = scales_of(o);
  line("scales", fmt::format("{:.3g} m", scales.length),
       fmt::format("{:.3g} m/s, {:.3g} kg; errors are relative to these", scales.velocity, scales.mass));

  out += "\nCertificate: largest errors over all steps, in SI units and relative to the scales\n";
  const char* meanings[kCertificates] = {"contact and friction laws, impulses against velocities",
                                         "depth below zero gap", "joint residuals", "rates of the joint residuals",
                                         "unexplained energy per step"};
  const char* keys[kCertificates] = {"complementarity", "penetration", "joint position", "joint velocity",
                                     "energy defect"};
  double errors[kCertificates], relative[kCertificates];
  certificate_numbers(s.certificate, errors);
  relative_certificate(s.certificate, scales, relative);
  for (std::size_t k = 0; k < kCertificates; ++k)
    if (certified(k, scenario.model.items()))
      line(keys[k], fmt::format("{:.2e} {:<3}", errors[k], kCertificateUnits[k]),
           fmt::format("{:.1e}  {}", relative[k], meanings[k]));

  out += "\nEnergy ledger in joules\n";
  const auto joule = [&](std::string_view key, double x, std::string_view meaning) {
    line(key, fmt::format("{:.6e}", x), meaning);
  };
  joule("initial", s.energy_initial, "kinetic + potential");
  for (const Entry& e : kEntries)
    if (s.energy.*e.value != 0) joule(std::string("+ ") + e.name, s.energy.*e.value, e.meaning);
  const double final_energy = s.energy.kinetic + s.energy.potential;
  joule("= sum", s.energy_initial + s.energy.sum(), "of the entries above");
  joule("final", final_energy,
        fmt::format("kinetic + potential; differs from the sum by {:.1e}",
                    std::abs(final_energy - s.energy_initial - s.energy.sum())));
  const auto notes = warnings(o);
  const bool as_said = std::all_of(o.judgements.begin(), o.judgements.end(), [](const Judgement& j) { return j.met; });
  if (!notes.empty() || !as_said) out += "\n";
  for (const Judgement& j : o.judgements)
    if (!j.met) out += "Not met: " + words_of(j) + "\n";
  for (const std::string& note : notes) out += "Note: " + note + "\n";
  if (!o.output.empty()) out += fmt::format("\nResults: {}\n", o.output);
  return out;
}

std::vector<std::string> energy_notes(const EnergyWatch& w, double defect) {
  std::vector<std::string> out;
  const double stake = w.at_stake(), noise = w.noise();
  const auto share = [&](double x) {
    return fmt::format("{:.2e} J, {:.2g} of the {:.3g} J at stake", x, x / stake, stake);
  };
  if (w.gain > kGainNoted * stake + noise)
    out.push_back(fmt::format("energy rose by {}, without work from outside", share(w.gain)));
  if (w.remainder > kRemainderNoted * stake + noise)
    out.push_back(fmt::format("the quadrature errors of the steps came to {}: the steps are too large for this motion",
                              share(w.remainder)));
  if (std::abs(defect) > kDefectRefused * stake + noise)
    out.push_back(fmt::format("{} are not explained by the ledgers of the steps", share(std::abs(defect))));
  return out;
}

std::string tolerance_note(double asked, double estimate, double doubt) {
  if (!(asked > 0 && estimate > asked)) return {};
  std::string out =
      fmt::format("the error of the positions is not within the tolerance {:.2g}: rehearsals estimate {:.2g} in L1",
                  asked, estimate);
  if (doubt > 0.1 * estimate)
    out += fmt::format(
        ", of which {:.2g} because a contact is only just touched, or only just missed, and the motion after it is "
        "another one in each case",
        doubt);
  return out;
}

namespace {
/// Of forces that were made those of minimum norm.
std::string forces_note(const Scenario& scenario) {
  const auto asked = scenario.options.find("minimum_norm");
  if (asked != scenario.options.end() && std::get<bool>(asked->second))
    return "of all forces that give this motion, those of minimum norm are shown, as minimum_norm asks";
  const auto& items = scenario.model.items();
  const bool joints = std::any_of(items.begin(), items.end(), [](const ConstraintItem& i) { return i.bilateral; });
  return fmt::format("{} forces are not unique; the minimum-norm set is shown",
                     joints ? "joint or contact" : "contact");
}
}  // namespace

std::vector<std::string> warnings(const RunOutcome& o) {
  std::vector<std::string> out = o.scenario->notes;
  const Summary& s = o.run->summary;
  const double tolerance = tolerance_of(*o.scenario);
  for (std::string& note : energy_notes(s.watch, s.energy.defect)) out.push_back(std::move(note));
  if (s.uncertified > 0)
    out.push_back(fmt::format("{} of {} steps missed the tolerance {:g} and {} accepted up to a residual of {:g}",
                              s.uncertified, s.steps, tolerance, s.uncertified == 1 ? "was" : "were",
                              header_of(*o.scenario).accepted_residual));
  if (s.reduced > 0)
    out.push_back(
        fmt::format("restitution reduced in {} of {} impacts, least factor {:.2g}: with all of it the step "
                    "would have gained energy; a smaller step reduces it less",
                    s.reduced, s.rebounds, s.least_part));
  const SchemeEntry* entry = find_scheme(o.scenario->scheme);
  if (entry != nullptr && entry->info.exact_position && s.certificate.penetration > tolerance * scales_of(o).length)
    out.push_back(fmt::format("penetration {:.2e} m is above the tolerance {:.0e} of the length scale",
                              s.certificate.penetration, tolerance));
  if (entry != nullptr && !entry->info.exact_position && entry->info.exact_velocity &&
      s.certificate.penetration > tolerance * scales_of(o).length)
    out.push_back(
        fmt::format("{} keeps contacts at velocity level: gaps drift with the step, here by {:.2e} m; "
                    "'ricochet list schemes' names those that are exact in position",
                    o.scenario->scheme, s.certificate.penetration));
  // All other errors of this size fail a step.
  if (entry != nullptr && s.certificate.complementarity > tolerance * scales_of(o).velocity &&
      !make_scheme(o.scenario->scheme, o.scenario->options)->info().holds_closed)
    out.push_back(
        fmt::format("closed contacts were left approaching by up to {:.2e} m/s: the forecast of {} leaves out contacts "
                    "that open as a step begins, also if others press them together; forecast: explicit "
                    "(nonsmooth-alpha: end), or the scheme auto, holds them",
                    s.certificate.complementarity, o.scenario->scheme));
  if (s.floor_hits > 0)
    out.push_back(fmt::format("{} steps are at the floor, and larger than the control asks for{}{}", s.floor_hits,
                              o.result->limit ? "; the first " : "", limit_text(o)));
  if (std::string note = tolerance_note(s.error_asked, s.error_estimate, s.error_doubt); !note.empty())
    out.push_back(std::move(note));
  if (s.minimum_norm) out.push_back(forces_note(*o.scenario));
  return out;
}

namespace {
/// Where something that is not finite comes from, if that is an element turned inside out; empty: it is not.
std::string broken_element(const Scenario& scenario, const StepReport& failure) {
  if (scenario.drawing == nullptr) return {};
  for (const FlexibleReading& f : scenario.drawing->flexible)
    if (failure.status == StepStatus::not_finite && f.body->broken_element() > 0)
      return fmt::format("element {} of {} is turned inside out", f.body->broken_element(), f.body->name());
  return {};
}
/// Or from a force: on what; empty: it does not.
std::string broken_force(const RunOutcome& o) {
  const StepReport& failure = o.result->failure;
  if (failure.status != StepStatus::not_finite) return {};
  const Model& model = o.scenario->model;
  ModelScratch scratch(model);
  const int i = not_finite_coordinate(model, o.run->state, o.result->failed_step, scratch);
  return i < 0 ? std::string()
               : fmt::format("the force on '{}' is not finite", model.velocity_names()[static_cast<std::size_t>(i)]);
}
constexpr const char* kBrokenRemedy =
    "a smaller step, larger elements where the body is pressed together, a stiffer material, or material: neo-hookean, "
    "which resists that";
}  // namespace

std::vector<std::string> failure_lines(const RunOutcome& o) {
  if (o.result->status != RunStatus::failed) return {};
  const StepReport& f = o.result->failure;
  if (at_floor(o))
    return {"the step control asks for less than the floor", "where: " + limit_text(o),
            fmt::format("try: {}", kFloorRemedy)};
  std::string where =
      fmt::format("where: the step from t = {:.9g} s of size {:g} s", o.result->failed_at, o.result->failed_step);
  if (const std::string item = item_name(o.scenario->model, f.blame); !item.empty())
    where += fmt::format(", worst at '{}'", item);
  if (const std::string broken = broken_element(*o.scenario, f); !broken.empty())
    return {fmt::format("{}: {}", broken, name(f.status)), where, fmt::format("try: {}", kBrokenRemedy)};
  const std::string force = broken_force(o);
  return {fmt::format("{}: {}", force.empty() ? what_failed(f.status) : force, name(f.status)), where,
          fmt::format("try: {}", remedy(f.status, o.scenario->scheme))};
}

std::string failure_line(const Scenario& scenario, const RunResult& result) {
  if (result.status != RunStatus::failed) return {};
  if (result.failure.ok() && result.limit)
    return fmt::format("the step control asks for less than the floor at t = {:.6g} s", result.failed_at);
  const std::string item = item_name(scenario.model, result.failure.blame);
  if (const std::string broken = broken_element(scenario, result.failure); !broken.empty())
    return fmt::format("{} at t = {:.6g} s", broken, result.failed_at);
  return fmt::format("{} at t = {:.6g} s{}: {}", what_failed(result.failure.status), result.failed_at,
                     item.empty() ? "" : ", worst at '" + item + "'", name(result.failure.status));
}

}  // namespace ricochet
