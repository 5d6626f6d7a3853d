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
  // What a reader wants to know first: how far it got, what moved, how deep, where the energy went.
  void summary() {
    std::vector<std::pair<std::string, std::string>> entries{
        {"status", fmt::format("{} at {:g} s", r_.status(), t_.back())}};
    const bool summed = r_.root().has("summary");
    const Summary sums = summed ? summary_of(r_.root().group("summary")) : Summary{};
    if (summed) entries.emplace_back("steps", fmt::format("{}, rows {}", sums.steps, r_.rows()));
    for (auto& line : moved()) entries.push_back(std::move(line));
    if (const Deepest d = deepest(); d.depth > 0)
      entries.emplace_back("largest penetration", fmt::format("{:.2e} m, {}, t = {:.6g} s", d.depth, d.contact, d.t));
    else if (d.contacts)
      entries.emplace_back("largest penetration", "none");
    if (summed && sums.impacts > 0) entries.emplace_back("impacts", fmt::format("{}", sums.impacts));
    const std::vector<double> E = r_.column("E");
    entries.emplace_back("energy", fmt::format("{:.6g} J → {:.6g} J", E.front(), E.back()));
    if (summed) entries.emplace_back("unexplained energy", fmt::format("{:.1e} J", sums.energy.defect));
    entries.emplace_back("program", "ricochet " + r_.root().text("version"));
    page_.summary(entries);
    if (r_.status() == "failed") {
      const h5::Group& root = r_.root();
      const std::string failure = root.text("failure");
      page_.note(Page::Tone::bad, sentence(fmt::format("{}, in the step of {:g} s from t = {:g} s: {}. Try: {}",
                                                       what_failed(failure_of(failure)), root.number("failed_step"),
                                                       root.number("failed_at"), failure, root.text("remedy"))));
    } else if (r_.status() != name(RunStatus::finished) && r_.status() != name(RunStatus::uncertified)) {
      page_.note(Page::Tone::warning, fmt::format("The run is not complete; it ends at t = {:g} s.", t_.back()));
    }
    if (!summed) return;
    // The notes of the terminal, word for word.
    const Scenario scenario = r_.scenario();
    RunState run;
    run.summary = sums;
    const RunResult result;
    RunOutcome outcome;
    outcome.scenario = &scenario, outcome.run = &run, outcome.result = &result;
    for (const std::string& note : warnings(outcome)) page_.note(Page::Tone::warning, "Note: " + note + ".");
  }

  // The coordinates that moved most; what is rounding beside them is left out.
  std::vector<std::pair<std::string, std::string>> moved() const {
    struct Range {
      std::string name;
      double least, most;
    };
    std::vector<NamedColumn> wanted;
    for (const NamedColumn& c : r_.columns())
      if (c.name.starts_with("q.")) wanted.push_back(c);
    std::vector<Range> all;
    for (std::size_t k = 0; k < wanted.size(); ++k) all.push_back({wanted[k].name.substr(2), INFINITY, -INFINITY});
    for (RowReader rows(r_, wanted); rows.next();)
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double x = r_.layout().value(wanted[k], rows.row());
        all[k].least = std::min(all[k].least, x), all[k].most = std::max(all[k].most, x);
      }
    std::stable_sort(all.begin(), all.end(),
                     [](const Range& a, const Range& b) { return a.most - a.least > b.most - b.least; });
    constexpr std::size_t kShown = 3;
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t k = 0; k < std::min(kShown, all.size()); ++k)
      if (all[k].most - all[k].least > 1e-9 * (all[0].most - all[0].least))
        out.emplace_back("range of " + all[k].name, fmt::format("{:.4g} … {:.4g}", all[k].least, all[k].most));
    if (out.empty()) out.emplace_back("moved", "nothing");
    return out;
  }

  struct Deepest {
    double depth = 0, t = 0;
    std::string contact;
    bool contacts = false;  ///< there are some
  };
  Deepest deepest() const {
    Deepest out;
    std::vector<NamedColumn> gaps;
    for (const NamedColumn& c : r_.columns())
      if (c.name.starts_with("gap.")) gaps.push_back(c);
    out.contacts = !gaps.empty();
    if (gaps.empty()) return out;
    for (RowReader rows(r_, gaps); rows.next();)
      for (const NamedColumn& c : gaps)
        if (const double depth = -r_.layout().value(c, rows.row()); depth > out.depth)
          out.depth = depth, out.t = t_[rows.index()], out.contact = c.name.substr(4);
    return out;
  }

  // Figures that this result has.
  void figures(std::initializer_list<const char*> kinds) {
    for (const char* kind : kinds)
      if (const auto f = plots_.make(kind)) page_.figure(svg::render(f->plot), f->caption, f->plot.width > 560);
  }

  void motion() {
    page_.section("Motion");
    figures(
        {"positions", "velocities", "angles", "orientations", "spins", "coordinates", "rates", "phase", "spectrum"});
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
    page_.table({"energy", "J"}, rows, "Energy ledger of the whole run.");
  }

  void certificate() {
    const ResultHeader& h = r_.header();
    page_.section("Certificate",
                  fmt::format("Largest errors of each row; 'ricochet verify' recomputes them from the file. Scales of "
                              "the run: {:.3g} m, {:.3g} m/s, {:.3g} kg.",
                              h.length, h.velocity, h.mass));
    double relative[kCertificates] = {};
    const bool known = r_.root().has("summary");
    Scales scales;
    scales.length = h.length, scales.velocity = h.velocity, scales.mass = h.mass;
    if (known) relative_certificate(summary_of(r_.root().group("summary")).certificate, scales, relative);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < kCertificates; ++k) {
      if (!certified(k, r_.names().items)) continue;
      const auto y = r_.column(certificate_names()[k]);
      rows.push_back({certificate_names()[k], fmt::format("{:.2e}", *std::max_element(y.begin(), y.end())),
                      kCertificateUnits[k], known ? fmt::format("{:.1e}", relative[k]) : "-"});
    }
    page_.table({"error", "largest", "unit", "over the scales"}, rows);
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
