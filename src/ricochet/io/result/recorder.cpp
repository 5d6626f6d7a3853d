#include "ricochet/io/result/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ricochet/scheme/remedy.hpp"

namespace ricochet {
namespace {

constexpr std::size_t kStagedNumbers = std::size_t{1} << 18;  // 2 MiB of rows before they are sorted into columns
constexpr std::size_t kFlushBytes = std::size_t{64} << 20;

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const RunState& start, const RecorderOptions& options)
    : model_(model), options_(options), file_(h5::File::create(path)), row_(model) {
  describe(header);
  open_columns();
  row_.start(start);
  push_row();
  save(start);
}

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const Checkpoint& checkpoint, const RecorderOptions& options)
    : model_(model), options_(options), file_(h5::File::open_writable(path)), row_(model) {
  if (checkpoint.partial.size() != row_.numbers.size())
    throw InputError(path.string(), "the checkpoint does not fit the scenario");
  row_.numbers = checkpoint.partial;
  options_.every = file_.root().integer("record_every");
  describe(header);
  open_columns();
  for (h5::Rows& column : columns_) column.truncate(static_cast<std::size_t>(checkpoint.rows));
  if (file_.root().has("events")) open_events();
  for (h5::Rows& column : event_columns_) column.truncate(static_cast<std::size_t>(checkpoint.run.summary.events));
  rows_ = checkpoint.rows;
  pending_ = checkpoint.pending;
  flush();
}

void Recorder::describe(const ResultHeader& header) {
  h5::Group root = file_.root();
  root.set("format", "ricochet-result");
  root.set("format_version", 1);
  root.set("version", version());
  root.set("name", header.name);
  root.set("scenario", header.text);
  root.set("scheme", header.scheme);
  root.set("options", header.options);
  root.set("step", header.step);
  root.set("step_control", header.step_control);
  root.set("until", header.until);
  root.set("record_every", options_.every);
  root.set("status", "running");
  for (const char* key : {"failure", "remedy", "failed_constraint"}) root.set(key, "");
  for (const char* key : {"failed_at", "failed_step"}) root.set(key, std::numeric_limits<double>::quiet_NaN());
  if (root.has("names")) return;
  h5::Group names = root.group("names");
  std::vector<std::string> constraints;
  for (const ConstraintItem& item : model_.items()) constraints.push_back(item.name);
  names.write("positions", model_.position_names());
  names.write("velocities", model_.velocity_names());
  names.write("constraints", constraints);
}

void Recorder::open_columns() {
  const h5::Group root = file_.root();
  for (const ColumnInfo& c : row_.layout().columns) {
    const bool known = root.has(c.path);
    const bool matrix = c.path == "steps/q" || c.path == "steps/v" || c.path.starts_with("constraints/");
    columns_.push_back(c.integer ? root.integer_rows(c.path, c.width) : root.rows(c.path, c.width, matrix));
    if (known) continue;
    columns_.back().set("unit", c.unit);
    columns_.back().set("description", c.doc);
  }
  if (root.dataset("steps/q").has_attribute("names")) return;
  root.dataset("steps/q").set("names", nlohmann::json(model_.position_names()).dump());
  root.dataset("steps/v").set("names", nlohmann::json(model_.velocity_names()).dump());
  for (std::size_t i = 0; i < row_.layout().items.size(); ++i) {
    h5::Group group = root.group(row_.layout().items[i].group);
    group.set("name", model_.items()[i].name);
    group.set("kind", row_.layout().items[i].bilateral ? "joint" : "contact");
  }
}

void Recorder::step(const State&, const State& after, const StepReport& report) {
  if (pending_ == 0) row_.clear();
  row_.add(after, report);
  events_.insert(events_.end(), report.events.begin(), report.events.end());
  ++pending_;
  if (options_.every > 0 && pending_ >= options_.every) push_row();
}

void Recorder::push_row() {
  staged_.insert(staged_.end(), row_.numbers.begin(), row_.numbers.end());
  pending_ = 0;
  ++rows_;
  if (staged_.size() >= kStagedNumbers) hand_over();
}

void Recorder::hand_over() {
  const std::size_t rows = staged_.size() / row_.layout().width;
  std::size_t at = 0;
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const ColumnInfo& c = row_.layout().columns[k];
    numbers.clear();
    for (std::size_t i = 0; i < rows; ++i) {
      const double* from = &staged_[i * row_.layout().width + at];
      numbers.insert(numbers.end(), from, from + c.width);
    }
    if (c.integer) {
      whole.assign(numbers.begin(), numbers.end());
      columns_[k].append(whole);
    } else {
      columns_[k].append(numbers);
    }
    at += c.width;
  }
  staged_.clear();
}

void Recorder::open_events() {
  const h5::Group root = file_.root();
  const bool known = root.has("events");
  struct Column {
    const char *name, *unit, *doc;
  };
  for (const Column& c :
       {Column{"t", "s", "time"}, Column{"U_before", "m/s", "normal velocity of the contact before"},
        Column{"U_after", "m/s", "normal velocity after"}, Column{"impulse", "N s", "normal impulse of an impact"},
        Column{"kind", "1", "number of its name in the attribute 'names'"},
        Column{"constraint", "1", "place in /names/constraints; -1: the whole system"}}) {
    const std::string path = std::string("events/") + c.name;
    event_columns_.push_back(event_columns_.size() < 4 ? root.rows(path, 1) : root.integer_rows(path, 1));
    if (known) continue;
    event_columns_.back().set("unit", c.unit);
    event_columns_.back().set("description", c.doc);
  }
  if (known) return;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kEventKinds; ++k) names.emplace_back(ricochet::name(static_cast<EventKind>(k)));
  event_columns_[4].set("names", nlohmann::json(names).dump());
}

void Recorder::hand_over_events() {
  if (events_.empty()) return;
  if (event_columns_.empty()) open_events();
  for (const Event& e : events_) {
    const double numbers[4] = {e.t, e.U_before, e.U_after, e.impulse};
    for (std::size_t k = 0; k < 4; ++k) event_columns_[k].append(numbers[k]);
    event_columns_[4].append(static_cast<std::int64_t>(e.kind));
    event_columns_[5].append(static_cast<std::int64_t>(e.item));
  }
  events_.clear();
}

bool Recorder::flush_is_due() {
  if (--until_clock_ > 0) return false;
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - flushed_).count();
  const bool due = waited >= options_.flush_seconds || file_.buffered_bytes() >= kFlushBytes;
  // About a hundred looks a flush.
  if (stride_ < 4096 && waited < options_.flush_seconds / 100 * stride_) stride_ *= 2;
  if (due) stride_ = std::max(1, stride_ / 4);
  until_clock_ = stride_;
  return due;
}

bool Recorder::grid_step(const RunState& run) {
  ++grid_steps_;
  const bool asked = options_.checkpoint_every > 0 && grid_steps_ % options_.checkpoint_every == 0;
  if (asked || flush_is_due()) save(run);
  return true;
}

void Recorder::tail(const RunState& run) { tail_ = Checkpoint{run, rows_, pending_, row_.numbers}; }

void Recorder::checkpoint(const RunState& run) {
  store_checkpoint(file_.root().group("checkpoint"), tail_ ? *tail_ : Checkpoint{run, rows_, pending_, row_.numbers});
}

void Recorder::save(const RunState& run) {
  checkpoint(run);
  flush();
}

void Recorder::flush() {
  if (!staged_.empty()) hand_over();
  hand_over_events();
  file_.flush();
  flushed_ = std::chrono::steady_clock::now();
}

void Recorder::finish(const RunState& run, const RunResult& result) {
  h5::Group root = file_.root();
  // Where it failed, or was interrupted inside a step, the RunState may stand between two grid steps; the checkpoint
  // before stays.
  if (result.status != RunStatus::failed && !result.inside) checkpoint(run);
  if (pending_ > 0) push_row();
  root.set("status", name(result.status));
  if (result.status == RunStatus::failed) {
    const StepReport& failure = result.failure;
    root.set("failure", failure.ok() ? "step_floor" : ricochet::name(failure.status));
    root.set("failed_at", result.failed_at);
    root.set("failed_step", result.failed_step);
    root.set("remedy", failure.ok() ? kFloorRemedy : remedy(failure.status, root.text("scheme")));
    const int blame = failure.ok() && result.limit ? result.limit->item : failure.blame;
    const bool blamed = blame >= 0 && blame < static_cast<int>(model_.items().size());
    root.set("failed_constraint", blamed ? model_.items()[static_cast<std::size_t>(blame)].name : "");
  }
  summarise(run.summary);
  flush();
}

void Recorder::stop(const Summary& summary) {
  if (pending_ > 0) push_row();
  file_.root().set("status", name(RunStatus::interrupted));
  summarise(summary);
  flush();
}

void Recorder::summarise(const Summary& summary) {
  h5::Group group = file_.root().group("summary");
  const SummaryNumbers all = numbers_of(summary);
  for (const auto& [key, value] : all.integers) group.set(key, value);
  for (const auto& [key, value] : all.numbers) group.set(key, value);
}

}  // namespace ricochet
