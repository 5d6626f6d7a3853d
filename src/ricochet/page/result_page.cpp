#include "ricochet/page/result_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/summary.hpp"
#include "ricochet/page/plots.hpp"

namespace ricochet {
namespace {

std::string steps_text(const ResultHeader& header) {
  return header.step > 0 ? fmt::format("step {:g} s", header.step)
                         : fmt::format("steps chosen by control '{}'", header.step_control);
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

StepStatus failure_of(const std::string& name) {
  for (std::size_t k = 1; k < kStepStatuses; ++k)
    if (name == ricochet::name(static_cast<StepStatus>(k))) return static_cast<StepStatus>(k);
  return StepStatus::converged;
}

class ResultPage {
 public:
  explicit ResultPage(const Results& results)
      : r_(results),
        plots_(results),
        t_(results.column("t")),
        page_(results.header().name,
              fmt::format("scheme {}, {}", results.header().scheme, steps_text(results.header()))) {}

  Page make() {
    summary();
    motion();
    contacts();
    events();
    energy();
    certificate();
    page_.section("Scenario", "As it was simulated; 'ricochet run' takes it as a file.");
    page_.code(r_.header().text);
    return std::move(page_);
  }

 private:
  std::string number(const std::string& key) const {
    return fmt::format("{}", r_.root().group("summary").integer(key));
  }

  void summary() {
    std::vector<std::pair<std::string, std::string>> entries{{"status", r_.status()},
                                                             {"time", fmt::format("{:g} s", t_.back())},
                                                             {"rows", fmt::format("{}", r_.rows())},
                                                             {"program", "ricochet " + r_.root().text("version")}};
    if (r_.root().has("summary"))
      for (const char* key : {"steps", "impacts", "contacts_max", "retries", "newton_max", "solver_max"}) {
        std::string label = key;
        std::replace(label.begin(), label.end(), '_', ' ');
        entries.emplace_back(label, number(key));
      }
    page_.summary(entries);
    if (r_.status() == "failed") {
      const h5::Group& root = r_.root();
      const std::string failure = root.text("failure");
      page_.note(Page::Tone::bad, sentence(fmt::format("{}, in the step of {:g} s from t = {:g} s: {}. Try: {}",
                                                       what_failed(failure_of(failure)), root.number("failed_step"),
                                                       root.number("failed_at"), failure, root.text("remedy"))));
    } else if (r_.status() != "finished") {
      page_.note(Page::Tone::warning, fmt::format("The run is not complete; it ends at t = {:g} s.", t_.back()));
    }
    if (!r_.root().has("summary")) return;
    const Summary sums = summary_of(r_.root().group("summary"));
    std::vector<std::string> notes = energy_notes(sums.watch, sums.energy.defect);
    notes.push_back(tolerance_note(sums.error_asked, sums.error_estimate, sums.error_doubt));
    for (std::string& note : notes)
      if (!note.empty()) page_.note(Page::Tone::warning, sentence(std::move(note)));
    if (sums.minimum_norm)
      page_.note(
          Page::Tone::plain,
          "Multipliers of least norm are given: joints or contacts are redundant, or minimum_norm was asked for.");
  }

  // Figures that this result has.
  void figures(std::initializer_list<const char*> kinds) {
    for (const char* kind : kinds)
      if (const auto f = plots_.make(kind)) page_.figure(svg::render(f->plot), f->caption, f->plot.width > 560);
  }

  void motion() {
    page_.section("Motion");
    figures({"positions", "velocities", "phase", "spectrum"});
  }

  void contacts() {
    if (r_.names().items.empty()) return;
    page_.section("Contacts and joints");
    figures({"timeline", "gaps", "residuals", "impulses"});
  }

  void events() {
    const std::vector<Event> all = r_.events();
    if (all.empty()) return;
    page_.section("Events", "Located in time by the scheme; 'ricochet export --events' lists them all.");
    const std::vector<ConstraintItem>& constraints = r_.names().items;
    struct Sum {
      std::size_t count = 0;
      double first = 0, last = 0;
    };
    std::map<std::pair<int, int>, Sum> sums;
    for (const Event& e : all) {
      Sum& s = sums[{static_cast<int>(e.kind), e.item}];
      if (s.count++ == 0) s.first = e.t;
      s.last = e.t;
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& [key, s] : sums)
      rows.push_back({ricochet::name(static_cast<EventKind>(key.first)),
                      key.second < 0 ? "" : constraints[static_cast<std::size_t>(key.second)].name,
                      fmt::format("{}", s.count), fmt::format("{:.9g}", s.first), fmt::format("{:.9g}", s.last)});
    page_.table({"event", "constraint", "number", "first [s]", "last [s]"}, rows);
  }

  void energy() {
    page_.section("Energy", "Total energy falls where the entries of the ledger take it away.");
    figures({"energy", "dissipation"});
    const std::vector<double> total = r_.column("E");
    const double start = total.front(), end = total.back();
    std::vector<std::vector<std::string>> rows{{"initial", fmt::format("{:.6e}", start)}};
    double sum = start;
    for (std::size_t k = kEnergyStates; k < energy_names().size(); ++k) {
      double entry = 0;
      bool used = false;
      for (double x : r_.column(energy_names()[k])) {
        entry += x;
        used = used || x != 0;
      }
      if (energy_names()[k] != "defect") sum += entry;
      if (used) rows.push_back({energy_names()[k], fmt::format("{:.6e}", entry)});
    }
    rows.push_back({"initial + entries", fmt::format("{:.6e}", sum)});
    rows.push_back({"final", fmt::format("{:.6e}", end)});
    page_.table({"energy", "J"}, rows, "The ledger of the whole run.");
  }

  void certificate() {
    page_.section("Certificate", "Largest errors of each row; 'ricochet verify' recomputes them from the file.");
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < kCertificates; ++k) {
      const auto y = r_.column(certificate_names()[k]);
      rows.push_back(
          {certificate_names()[k], fmt::format("{:.2e}", *std::max_element(y.begin(), y.end())), kCertificateUnits[k]});
    }
    page_.table({"error", "largest", "unit"}, rows);
    figures({"certificate", "iterations"});
  }

  const Results& r_;
  ResultPlots plots_;
  std::vector<double> t_;
  Page page_;
};

}  // namespace

Page result_page(const Results& results) { return ResultPage(results).make(); }

}  // namespace ricochet
