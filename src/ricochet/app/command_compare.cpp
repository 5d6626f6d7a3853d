// ricochet compare: several schemes or settings on one scenario.
#include <fmt/format.h>

#include <filesystem>

#include "ricochet/app/command.hpp"
#include "ricochet/app/interruption.hpp"
#include "ricochet/app/terminal.hpp"
#include "ricochet/app/variants.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/study/compare.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct CompareSettings {
  VariantArguments what;
  std::string output;
  int threads = 0;
  bool json = false, no_output = false;
};

int compare(const CompareSettings& a) {
  std::vector<Variant> variants = load_variants(a.what);
  const Scenario base = load_scenario(a.what.scenario, a.what.overrides());
  const std::string page = a.output.empty() ? fs::path(base.source).stem().string() + "-compare.html" : a.output;
  if (!a.no_output) check_output(page);
  auto interruption = std::make_unique<Interruption>([] {
    fmt::print(stderr, "ricochet: interrupted inside a step; nothing is written\n");
    return 128 + stop_signal();
  });
  const Comparison c(base.name, std::move(variants), a.threads, stop_requested());
  interruption.reset();
  if (!a.no_output) comparison_page(c).write(page);
  if (a.json) {
    fmt::print("{}\n", comparison_json(c));
  } else {
    fmt::print("{}\n\n{}\n{}", c.name(), table(certificate_table(c), ""), table(energy_table(c), ""));
    for (const std::string& note : comparison_notes(c)) fmt::print("\nNote: {}\n", note);
    if (!a.no_output) fmt::print("\nPage: {}\n", page);
  }
  if (c.interrupted()) {
    std::fflush(stdout);
    fmt::print(stderr, "ricochet: interrupted; the runs are compared as far as they got\n");
    return 128 + stop_signal();
  }
  for (std::size_t k = 0; k < c.variants().size(); ++k)
    if (c.ran(k) && c.runs()[k].result.status == RunStatus::failed) return kFailed;
  return kDone;
}

}  // namespace

std::function<int()> declare_compare(Arguments& arguments) {
  auto a = std::make_shared<CompareSettings>();
  arguments.option("scenario", a->what.scenario, "a file, or the name of a shipped scenario").required();
  arguments
      .option("--schemes", a->what.schemes,
              "names separated by commas, each as for 'run --scheme'; if left out, the scenario's own and those it "
              "names for comparison")
      .one_at_a_time();
  arguments
      .option("--variant", a->what.variants,
              "path=value, or several with ';' between: a run with these settings; repeatable")
      .one_at_a_time();
  arguments.option("--step", a->what.step, "step size in seconds, of all");
  arguments.option("--until", a->what.until, "final time in seconds, of all");
  arguments.option("--set", a->what.set, "path=value: another value in the scenario, of all; repeatable")
      .one_at_a_time();
  arguments.option("--threads", a->threads, "runs at a time; all cores if left out").check(whole_number(1));
  arguments.option("-o,--output", a->output, "the page; NAME-compare.html in this folder if left out");
  arguments.flag("--no-output", a->no_output, "no page");
  arguments.flag("--json", a->json, "everything as JSON on stdout, nothing else there");
  return [a] { return compare(*a); };
}

}  // namespace ricochet::app
