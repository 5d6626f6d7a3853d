#include "ricochet/io/verify/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/result_row.hpp"

namespace ricochet {
namespace {

constexpr double kSame = 1e-12;  // of the larger number: bits are equal where nothing was changed

class Replay final : public Observer {
 public:
  Replay(const Results& results, const Scenario& scenario, Findings& findings)
      : results_(results),
        row_(scenario.model, layout_of(scenario.model, results.header().record), results.header().closed_below),
        reader_(results),
        findings_(findings) {
    for (const DatasetInfo& d : row_.layout().datasets())
      for (std::size_t k = 0; k < d.width; ++k)
        columns_.push_back(d.names.empty() ? d.path : d.path + "." + d.names[k]);
    reader_.next();
  }

  void start(const RunState& start) {
    row_.start(start);
    compare_row();
  }
  void step(const State&, const State& after, const StepReport& report) override {
    if (complete()) return;
    if (pending_ == 0) row_.clear();
    row_.add(after, report);
    events_.insert(events_.end(), report.events.begin(), report.events.end());
    ++pending_;
    if (static_cast<double>(pending_) >= reader_.row().numbers[row_.layout().steps]) compare_row();
  }
  /// A run that failed did so after its last row.
  bool grid_step(const RunState&) override { return !complete() || results_.status() == "failed"; }

  bool complete() const { return rows_ >= results_.rows(); }
  std::size_t rows() const { return rows_; }
  const std::vector<Event>& events() const { return events_; }

 private:
  void compare(const std::string& column, double recorded, double mine) {
    if (std::isnan(recorded) && std::isnan(mine)) return;
    const double size = std::max({std::abs(recorded), std::abs(mine), std::numeric_limits<double>::min()});
    findings_.compare(CheckKind::replay, column, static_cast<std::int64_t>(rows_), recorded, mine, kSame * size);
  }

  void compare_row() {
    pending_ = 0;
    const double* recorded = reader_.row().numbers;
    for (std::size_t k = 0; k < row_.numbers.size(); ++k) compare(columns_[k], recorded[k], row_.numbers[k]);
    compare_contacts(reader_.row().contacts);
    ++rows_;
    reader_.next();
  }

  void compare_contacts(std::span<const ContactEntry> recorded) {
    compare("contacts.offset", static_cast<double>(recorded.size()), static_cast<double>(row_.contacts.size()));
    for (std::size_t i = 0; i < std::min(recorded.size(), row_.contacts.size()); ++i) {
      ContactEntry a = recorded[i], b = row_.contacts[i];
      for (const ContactColumn& c : fields_) {
        const std::string column = "contacts." + c.name;
        if (c.numbers != nullptr) {
          for (std::size_t k = 0; k < c.width; ++k) compare(column, c.numbers(a)[k], c.numbers(b)[k]);
          continue;
        }
        std::int64_t x[2] = {}, y[2] = {};
        c.take(a, x);
        c.take(b, y);
        compare(column, x[0] == y[0] && x[1] == y[1] ? 0 : 1, 0);
      }
    }
  }

  const Results& results_;
  ResultRow row_;
  RowReader reader_;
  Findings& findings_;
  std::vector<std::string> columns_;
  std::vector<ContactColumn> fields_ = row_.layout().contact_columns();
  std::vector<Event> events_;
  std::size_t rows_ = 0;
  std::int64_t pending_ = 0;
};

void compare_events(const Results& results, const std::vector<Event>& mine, Findings& findings) {
  const std::vector<Event> recorded = results.events();
  const auto kind = CheckKind::replay;
  if (recorded.size() != mine.size())
    findings.compare(kind, "events", -1, static_cast<double>(recorded.size()), static_cast<double>(mine.size()), 0.5);
  for (std::size_t i = 0; i < std::min(recorded.size(), mine.size()); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const Event &a = recorded[i], &b = mine[i];
    const auto compare = [&](const char* column, double x, double y) {
      findings.compare(kind, column, row, x, y, kSame * std::max({std::abs(x), std::abs(y), 1e-300}));
    };
    compare("events.t", a.t, b.t);
    compare("events.kind", static_cast<double>(a.kind), static_cast<double>(b.kind));
    compare("events.constraint", a.item, b.item);
    compare("events.U_before", a.U_before, b.U_before);
    compare("events.U_after", a.U_after, b.U_after);
    compare("events.impulse", a.impulse, b.impulse);
  }
}

void compare_summary(const Results& results, const Summary& mine, Findings& findings) {
  if (!results.root().has("summary")) return;
  const h5::Group group = results.root().group("summary");
  const SummaryNumbers all = numbers_of(mine);
  const auto compare = [&](const std::string& key, double x) {
    const double recorded = group.number(key);
    if (std::isnan(recorded) && std::isnan(x)) return;
    findings.compare(CheckKind::replay, "summary." + key, -1, recorded, x,
                     kSame * std::max({std::abs(recorded), std::abs(x), 1e-300}));
  };
  for (const auto& [key, x] : all.integers) compare(key, static_cast<double>(x));
  for (const auto& [key, x] : all.numbers) compare(key, x);
}

}  // namespace

std::string replay(const Results& results, const Scenario& scenario, Findings& findings) {
  const auto scheme = make_scheme(scenario.scheme, scenario.options);
  RunState state = begin_run(scenario.model, *scheme, scenario.initial);
  Replay observer(results, scenario, findings);
  observer.start(state);
  const std::string& status = results.status();
  const bool whole =
      status == name(RunStatus::finished) || status == name(RunStatus::uncertified) || status == "failed";
  if (!whole && results.rows() <= 1) return "";  // it was asked to end within its first step
  const RunResult result = run(scenario.model, *scheme, state, scenario.policy, &observer);
  if (observer.rows() < results.rows())
    findings.compare(CheckKind::replay, "rows", -1, static_cast<double>(results.rows()),
                     static_cast<double>(observer.rows()), 0.5);
  if (!whole) {
    std::vector<Event> events = observer.events();
    events.resize(std::min(events.size(), results.events().size()));
    compare_events(results, events, findings);
    return status == "running" ? "The run was not closed: it has no summary." : "";
  }
  findings.same(CheckKind::replay, "status", status, name(result.status));
  compare_events(results, observer.events(), findings);
  compare_summary(results, state.summary, findings);
  return "";
}

}  // namespace ricochet
