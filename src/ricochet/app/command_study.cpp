// ricochet study: schemes over step sizes, against a reference.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "ricochet/app/command.hpp"
#include "ricochet/app/interruption.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/app/variants.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/study/study_page.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct StudySettings {
  VariantArguments what;
  std::string steps, output, cells;
  StudyOptions options;
  int count = 12;
  bool json = false, no_output = false, local = false;
};

double step_size(const std::string& text) {
  char* end = nullptr;
  const double h = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(h > 0) || !std::isfinite(h))
    throw InputError("--steps",
                     fmt::format("'{}' is no step size; accepted: numbers > 0, as 0.1,0.05 or 1e-1..1e-3", text));
  return h;
}

// "0.1,0.05" as it stands; "1e-1..1e-3" is spread off the grid of round numbers.
std::vector<double> read_steps(const StudySettings& a, double own) {
  if (a.steps.empty()) return off_grid_steps(32 * own, own, a.count);
  if (const std::size_t dots = a.steps.find(".."); dots != std::string::npos) {
    const double first = step_size(a.steps.substr(0, dots)), last = step_size(a.steps.substr(dots + 2));
    return off_grid_steps(std::max(first, last), std::min(first, last), a.count);
  }
  std::vector<double> out;
  for (std::size_t at = 0; at <= a.steps.size();) {
    const std::size_t comma = std::min(a.steps.find(',', at), a.steps.size());
    out.push_back(step_size(a.steps.substr(at, comma - at)));
    at = comma + 1;
  }
  return out;
}

std::string stem_of(const Scenario& s) { return fs::path(s.source).stem().string(); }

int study_local(const StudySettings& a, const Scenario& base) {
  std::vector<Variant> variants = load_variants(a.what);
  const std::string page = a.output.empty() ? stem_of(base) + "-local.html" : a.output;
  if (!a.no_output) check_output(page);
  // Off the motion's own span: a step that begins before the start has no exact state.
  const LocalStudy study(base, std::move(variants), read_steps(a, base.policy.step));
  if (!a.no_output) local_page(study).write(page);
  if (a.json) {
    fmt::print("{}\n", local_json(study));
    return kDone;
  }
  fmt::print("{}: one step from the exact state, with the impact at {:.6g} s within it\n\n{}", study.name(),
             study.impact_time(), table(local_table(study), ""));
  for (const Variant& v : study.variants())
    if (!v.refused.empty()) fmt::print("\nNote: {} is left out: {}\n", v.label, v.refused);
  if (!a.no_output) fmt::print("\nPage: {}\n", page);
  return kDone;
}

int study_global(const StudySettings& a, const Scenario& base) {
  StudyOptions options = a.options;
  options.steps = read_steps(a, base.policy.step);
  if (!a.no_output || options.resume) options.cells = a.cells.empty() ? stem_of(base) + "-study.csv" : a.cells;
  const std::string page = a.output.empty() ? stem_of(base) + "-study.html" : a.output;
  if (!a.no_output) check_output(page);
  if (!options.cells.empty()) check_output(options.cells);
  Study study(base, load_variants(a.what), options);
  const auto interrupted = [&] {
    fmt::print(stderr, "ricochet: interrupted; {}\n",
               options.cells.empty() ? std::string("nothing is kept, with --cells FILE it would be")
                                     : "to go on: the same command with --resume");
    return 128 + stop_signal();
  };
  auto interruption = std::make_unique<Interruption>(interrupted);
  Progress progress(!a.json, 0, 1);
  const bool whole = study.run(stop_requested(), [&](std::size_t done, std::size_t all) {
    progress.draw(static_cast<double>(done) / static_cast<double>(all), fmt::format("{} of {} runs", done, all));
  });
  interruption.reset();
  progress.clear();
  if (!a.no_output) study_page(study).write(page);
  if (a.json)
    fmt::print("{}\n", study_json(study));
  else {
    const auto& h = options.steps;
    fmt::print("{}: {} steps from {:.3g} to {:.3g} s, over [{:g}, {:g}] s\n", study.name(), h.size(),
               *std::max_element(h.begin(), h.end()), *std::min_element(h.begin(), h.end()), study.begin(),
               study.until());
    fmt::print("reference: {}; graphs in units of {:g} s and {:g}\n", study.reference(), options.scales.time,
               options.scales.value);
    if (study.resumed() > 0) fmt::print("{} runs are taken over from {}\n", study.resumed(), options.cells.string());
    fmt::print("\n{}", table(study_table(study), ""));
    fmt::print(
        "\nOrders with intervals of 95 % confidence; errors, attempted steps and seconds at the smallest step.\n");
    for (const std::string& note : study_notes(study)) fmt::print("Note: {}\n", note);
    if (!a.no_output) fmt::print("\nPage: {}\nRuns: {}\n", page, options.cells.string());
  }
  std::fflush(stdout);
  return whole ? kDone : interrupted();
}

}  // namespace

std::function<int()> declare_study(Arguments& arguments) {
  auto a = std::make_shared<StudySettings>();
  arguments.option("scenario", a->what.scenario, "a file, or the name of a shipped scenario").required();
  arguments
      .option("--schemes", a->what.schemes,
              "names separated by commas, each as for 'run --scheme'; if left out, the scenario's own and those it "
              "names for comparison")
      .one_at_a_time();
  arguments.option(
      "--steps", a->steps,
      "LARGEST..SMALLEST: one size, off round numbers, in each of --count equal parts of this range (of its "
      "logarithm); or a list with commas; 32 times the scenario's step down to it if left out");
  arguments.option("--count", a->count, "how many in a range").check(whole_number(2, 1000));
  arguments.option("--until", a->what.until, "final time in seconds");
  arguments.option("--set", a->what.set, "path=value: another value in the scenario; repeatable").one_at_a_time();
  arguments.option("--coordinates", a->options.coordinates, "names separated by commas: only these count")
      .separated_by_commas();
  arguments.option("--reference", a->options.reference,
                   "auto, exact, event-driven, or a scheme that runs with a small step");
  arguments
      .option("--reference-step", a->options.reference_step,
              "of a scheme that is the reference; an eighth of the smallest")
      .check(above_zero());
  arguments.option("--time-scale", a->options.scales.time, "seconds that count as one in the distance of graphs")
      .check(above_zero());
  arguments.option("--value-scale", a->options.scales.value, "velocity that counts as one there").check(above_zero());
  arguments.flag("--local", a->local, "errors of single steps from exact states instead");
  arguments.option("--threads", a->options.threads, "runs at a time; all cores if left out").check(whole_number(1));
  arguments.option("-o,--output", a->output, "the page; NAME-study.html in this folder if left out");
  arguments.option("--cells", a->cells, "table of the runs; NAME-study.csv in this folder if left out");
  arguments.flag("--resume", a->options.resume, "take over the runs that the table holds");
  arguments.flag("--no-output", a->no_output, "neither page nor table");
  arguments.flag("--json", a->json, "everything as JSON on stdout, nothing else there");
  return [a] {
    if (a->options.reference != "auto" && a->options.reference != "exact")
      a->options.reference = scheme_value(a->options.reference);
    const Scenario base = load_scenario(a->what.scenario, a->what.overrides());
    return a->local ? study_local(*a, base) : study_global(*a, base);
  };
}

}  // namespace ricochet::app
