#include "ricochet/io/result_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ricochet/io/export.hpp"
#include "ricochet/io/svg.hpp"

namespace ricochet {
namespace {

constexpr std::size_t kLines = 8;  // as many as the palette tells apart

class Page {
 public:
  explicit Page(const Results& results)
      : r_(results),
        t_(results.numbers("steps/t")),
        page_(results.header().name,
              fmt::format("scheme {}, step {:g} s", results.header().scheme, results.header().step)) {}

  Report make() {
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
      page_.note(Report::Tone::bad, fmt::format("A step of {:g} s from t = {:g} s did not converge: {}. Try: {}",
                                                root.number("failed_step"), root.number("failed_at"),
                                                root.text("failure"), root.text("remedy")));
    } else if (r_.status() != "finished") {
      page_.note(Report::Tone::warning, fmt::format("The run is not complete; it ends at t = {:g} s.", t_.back()));
    }
    if (!r_.root().has("summary")) return;
    const h5::Group sums = r_.root().group("summary");
    const double gain = sums.number("energy_gain_max");
    if (gain > 1e-9 * std::max(sums.number("magnitude_max"), std::abs(sums.number("energy_initial"))))
      page_.note(Report::Tone::warning,
                 fmt::format("Energy rose by up to {:.2e} J in one step without external work.", gain));
    if (sums.integer("minimum_norm") != 0)
      page_.note(
          Report::Tone::plain,
          "Joints or contacts are redundant: their multipliers are not unique, and those of least norm are given.");
  }

  static std::vector<double> pick(const std::vector<double>& all, std::size_t width, std::size_t at) {
    std::vector<double> out;
    out.reserve(all.size() / width);
    for (std::size_t i = at; i < all.size(); i += width) out.push_back(all[i]);
    return out;
  }

  // Some of many, evenly.
  static std::vector<std::size_t> some(std::size_t n) {
    std::vector<std::size_t> out;
    const std::size_t m = std::min(n, kLines);
    for (std::size_t k = 0; k < m; ++k) out.push_back(m == n || m < 2 ? k : k * (n - 1) / (m - 1));
    return out;
  }

  void curves(const std::string& title, const std::string& unit, const std::string& path,
              const std::vector<std::string>& names, bool steps) {
    if (names.empty()) return;
    const auto all = r_.numbers(path, names.size());
    svg::Plot plot{.title = title, .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = unit}};
    for (std::size_t k : some(names.size())) {
      svg::Series series;
      series.name = names[k];
      series.x = t_;
      series.y = pick(all, names.size(), k);
      series.style = steps ? svg::Style::step : svg::Style::line;
      plot.series.push_back(std::move(series));
    }
    page_.figure(svg::render(plot),
                 names.size() > kLines ? fmt::format("{} of {} coordinates.", kLines, names.size()) : std::string());
  }

  void motion() {
    page_.section("Motion");
    curves("Positions", "", "steps/q", r_.names("positions"), false);
    curves("Velocities", "", "steps/v", r_.names("velocities"), false);
  }

  void constraint_curves(const std::string& kind, const std::string& title, const std::string& unit,
                         const std::string& caption) {
    std::vector<TableColumn> columns;
    for (const TableColumn& c : table_columns(r_))
      if (c.name.starts_with(kind + ".") && c.at == 0) columns.push_back(c);
    if (columns.empty()) return;
    svg::Plot plot{.title = title, .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = unit}};
    for (std::size_t k : some(columns.size())) {
      svg::Series series;
      series.name = columns[k].name.substr(kind.size() + 1);
      series.x = t_;
      series.y = pick(r_.numbers(columns[k].path, columns[k].width), columns[k].width, 0);
      plot.series.push_back(std::move(series));
    }
    if (kind != "P") plot.rules.push_back({.at = 0, .vertical = false, .label = ""});
    page_.figure(svg::render(plot), columns.size() > kLines
                                        ? fmt::format("{} {} of {} are shown.", caption, kLines, columns.size())
                                        : caption);
  }

  void contacts() {
    if (r_.names("constraints").empty()) return;
    page_.section("Contacts and joints");
    constraint_curves("gap", "Gaps", "m", "Below zero is penetration.");
    constraint_curves("residual", "Joint residuals", "m", "First row of each joint.");
    constraint_curves("P", "Normal impulses", "N s", "Over the time between two rows; of a joint its first row.");
  }

  void events() {
    const std::vector<Event> all = r_.events();
    if (all.empty()) return;
    page_.section("Events", "Located in time by the scheme; 'ricochet export --events' lists them all.");
    const std::vector<std::string> constraints = r_.names("constraints");
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
                      key.second < 0 ? "" : constraints[static_cast<std::size_t>(key.second)],
                      fmt::format("{}", s.count), fmt::format("{:.9g}", s.first), fmt::format("{:.9g}", s.last)});
    page_.table({"event", "constraint", "number", "first [s]", "last [s]"}, rows);
  }

  svg::Series series(const std::string& name, std::vector<double> y) const {
    svg::Series s;
    s.name = name;
    s.x = t_;
    s.y = std::move(y);
    return s;
  }

  void energy() {
    page_.section("Energy", "Total energy falls where the entries of the ledger take it away.");
    auto kinetic = r_.numbers("energy/kinetic");
    auto potential = r_.numbers("energy/potential");
    std::vector<double> total(kinetic.size());
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = kinetic[i] + potential[i];
    svg::Plot plot{.title = "Energy", .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = "J"}};
    plot.series.push_back(series("total", total));
    plot.series.push_back(series("kinetic", std::move(kinetic)));
    plot.series.push_back(series("potential", std::move(potential)));
    page_.figure(svg::render(plot));

    svg::Plot stairs{
        .title = "Exchanged since the start", .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = "J"}};
    std::vector<std::vector<std::string>> rows{{"initial", fmt::format("{:.6e}", total.front())}};
    double sum = total.front();
    for (std::size_t k = kEnergyStates; k < energy_names().size(); ++k) {
      auto y = r_.numbers("energy/" + energy_names()[k]);
      double largest = 0;
      for (std::size_t i = 1; i < y.size(); ++i) {
        y[i] += y[i - 1];
        largest = std::max(largest, std::abs(y[i]));
      }
      if (energy_names()[k] != "defect") sum += y.back();
      if (largest == 0) continue;
      rows.push_back({energy_names()[k], fmt::format("{:.6e}", y.back())});
      if (energy_names()[k] == "defect") continue;
      stairs.series.push_back(series(energy_names()[k], std::move(y)));
      stairs.series.back().style = svg::Style::step;
    }
    if (!stairs.series.empty()) page_.figure(svg::render(stairs), "Negative: taken from the system.");
    rows.push_back({"initial + entries", fmt::format("{:.6e}", sum)});
    rows.push_back({"final", fmt::format("{:.6e}", total.back())});
    page_.table({"energy", "J"}, rows, "The ledger of the whole run.");
  }

  void certificate() {
    page_.section("Certificate", "Largest errors of each row; 'ricochet verify' recomputes them from the file.");
    const char* units[kCertificates] = {"m/s", "m", "m", "m/s", "J"};
    svg::Plot plot{
        .title = "Errors", .x = {.label = "time", .unit = "s"}, .y = {.label = "", .unit = "SI", .log = true}};
    plot.width = 1120;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = 0; k < kCertificates; ++k) {
      auto y = r_.numbers("certificate/" + certificate_names()[k]);
      const double largest = *std::max_element(y.begin(), y.end());
      rows.push_back({certificate_names()[k], fmt::format("{:.2e}", largest), units[k]});
      if (largest > 0) plot.series.push_back(series(certificate_names()[k], std::move(y)));
    }
    page_.table({"error", "largest", "unit"}, rows);
    if (!plot.series.empty()) page_.figure(svg::render(plot), "Zeros are left out.", true);
  }

  const Results& r_;
  std::vector<double> t_;
  Report page_;
};

}  // namespace

Report make_report(const Results& results) { return Page(results).make(); }

}  // namespace ricochet
