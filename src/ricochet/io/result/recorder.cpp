#include "ricochet/io/result/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ricochet/scheme/remedy.hpp"

namespace ricochet {
namespace {

constexpr std::size_t kStagedNumbers = std::size_t{1} << 18;  // 2 MiB of rows before they are sorted into columns
constexpr std::size_t kStagedContacts = std::size_t{1} << 14;
constexpr std::size_t kFlushBytes = std::size_t{64} << 20;

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const RunState& start, const RecorderOptions& options)
    : Recorder(h5::File::create(path), header, model, start, options) {}

Recorder::Recorder(h5::File file, const ResultHeader& header, const Model& model, const RunState& start,
                   const RecorderOptions& options)
    : model_(model),
      record_(header.record),
      options_(options),
      file_(std::move(file)),
      row_(model, layout_of(model, record_), header.closed_below) {
  if (header.step > 0 && record_.every > 0)
    expected_rows_ = 1 + std::ceil((header.until - start.state.t) / header.step / static_cast<double>(record_.every));
  describe(header);
  write_names();
  open_columns();
  open_contacts();
  row_.start(start);
  push_row();
  store(checkpoint(start));
  flush();
}

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const Checkpoint& checkpoint, const RecorderOptions& options)
    : model_(model),
      options_(options),
      file_(h5::File::open_writable(path)),
      row_(model, layout_of(model, record_ = read_record(file_.root())), header.closed_below) {
  if (checkpoint.pending > 0) {
    if (checkpoint.partial.size() != row_.numbers.size())
      throw InputError(path.string(), "the checkpoint does not fit the scenario");
    row_.numbers = checkpoint.partial;
    row_.contacts = checkpoint.contacts;
  }
  // Steps that are chosen may depend on how far the run is to go.
  if (header.step == 0 && header.until != file_.root().number("until")) file_.root().set("resumed_until", header.until);
  const std::string writer = file_.root().text("version");
  describe(header);
  if (writer != version()) file_.root().set("version", writer + " and " + version());
  file_.root().remove("summary");  // until this run ends there is none
  open_columns();
  open_contacts();
  const auto rows = static_cast<std::size_t>(checkpoint.rows);
  for (h5::Rows& column : columns_) column.truncate(rows);
  if (offsets_) {
    const auto last = offsets_->integers(rows, 1);
    if (last.empty() || last[0] < 0) throw InputError(path.string(), "the checkpoint does not fit the rows");
    contacts_ = last[0];
    offsets_->truncate(rows + 1);
    for (h5::Rows& column : contact_columns_) column.truncate(static_cast<std::size_t>(contacts_));
  }
  if (file_.root().has("events")) open_events();
  for (h5::Rows& column : event_columns_) column.truncate(static_cast<std::size_t>(checkpoint.run.summary.events));
  rows_ = checkpoint.rows;
  pending_ = checkpoint.pending;
  flush();
}

void Recorder::describe(const ResultHeader& header) {
  h5::Group root = file_.root();
  root.set("format", "ricochet-result");
  root.set("format_version", kResultFormat);
  root.set("version", version());
  root.set("name", header.name);
  root.set("scenario", header.text);
  root.set("scheme", header.scheme);
  root.set("options", header.options);
  root.set("step", header.step);
  root.set("step_control", header.step_control);
  root.set("until", header.until);
  root.set("record_every", record_.every);
  root.set("record_contacts", name(record_.contacts));
  root.set("closed_below", header.closed_below);
  root.set("length_scale", header.length);
  root.set("velocity_scale", header.velocity);
  root.set("mass_scale", header.mass);
  root.set("accepted_residual", header.accepted_residual);
  root.set("status", "running");
  for (const char* key : {"failure", "remedy", "failed_constraint"}) root.set(key, "");
  for (const char* key : {"failed_at", "failed_step"}) root.set(key, std::numeric_limits<double>::quiet_NaN());
}

void Recorder::write_names() {
  const ResultNames& all = row_.layout().names();
  h5::Group names = file_.root().group("names");
  std::vector<std::string> constraints;
  std::vector<std::int32_t> rows, joint;
  for (const ConstraintItem& item : all.items) {
    constraints.push_back(item.name);
    rows.push_back(item.dim);
    joint.push_back(item.bilateral ? 1 : 0);
  }
  names.write("positions", all.positions);
  names.write("velocities", all.velocities);
  names.write("bodies", all.bodies);
  names.write("constraints", constraints);
  names.write("constraint_rows", rows);
  names.write("constraint_is_joint", joint);
}

namespace {

// Narrow columns stand as they are, in chunks no larger than the run is expected to fill; wide ones and the lists of
// contacts are compressed.
h5::RowStorage storage_of(std::size_t width, double expected_rows) {
  constexpr std::size_t kChunk = std::size_t{1} << 16, kUnknown = std::size_t{1} << 12, kWide = 32;
  const std::size_t row = 8 * width;
  if (width >= kWide) return {.chunk_bytes = std::max(kChunk, row), .compressed = true};
  const double all = expected_rows * static_cast<double>(row);
  if (!(all > 0)) return {.chunk_bytes = kUnknown};
  return {.chunk_bytes = all < static_cast<double>(kChunk) ? static_cast<std::size_t>(all) : kChunk};
}

}  // namespace

void Recorder::open_columns() {
  const h5::Group root = file_.root();
  for (const DatasetInfo& d : row_.layout().datasets()) {
    const bool known = root.has(d.path), matrix = !d.names.empty();
    const h5::RowStorage storage = storage_of(d.width, expected_rows_);
    columns_.push_back(d.integer ? root.integer_rows(d.path, d.width, matrix, storage)
                                 : root.rows(d.path, d.width, matrix, storage));
    if (known) continue;
    columns_.back().set("unit", d.unit);
    columns_.back().set("description", d.doc);
    if (matrix) columns_.back().set("names", nlohmann::json(d.names).dump());
  }
}

void Recorder::open_contacts() {
  if (!row_.layout().has_contacts()) return;
  const h5::Group root = file_.root();
  const bool known = root.has("contacts");
  contact_fields_ = row_.layout().contact_columns();
  for (const ContactColumn& c : contact_fields_) {
    const std::string path = "contacts/" + c.name;
    const h5::RowStorage storage{
        .chunk_bytes = std::size_t{1} << 16, .compressed = true, .integer_bytes = c.integer_bytes};
    contact_columns_.push_back(c.numbers != nullptr ? root.rows(path, c.width, c.width > 1, storage)
                                                    : root.integer_rows(path, c.width, c.width > 1, storage));
    if (known) continue;
    contact_columns_.back().set("unit", c.unit);
    contact_columns_.back().set("description", c.doc);
    if (c.name == "state") contact_columns_.back().set("names", nlohmann::json(kContactStates).dump());
  }
  offsets_ = root.integer_rows("contacts/offset", 1, false, storage_of(1, expected_rows_));
  if (known) return;
  offsets_->set("unit", "1");
  offsets_->set("description", "the contacts of row k stand from offset[k] to offset[k+1]");
  offsets_->append(std::int64_t{0});
}

void Recorder::step(const State&, const State& after, const StepReport& report) {
  if (pending_ == 0) row_.clear();
  row_.add(after, report);
  staged_.events.insert(staged_.events.end(), report.events.begin(), report.events.end());
  ++pending_;
  if (record_.every > 0 && pending_ >= record_.every) push_row();
}

void Recorder::take(const ResultRowView& row, std::span<const Event> events) {
  std::copy_n(row.numbers, row_.numbers.size(), row_.numbers.begin());
  row_.contacts.assign(row.contacts.begin(), row.contacts.end());
  staged_.events.insert(staged_.events.end(), events.begin(), events.end());
  push_row();
}

void Recorder::push_row() {
  staged_.numbers.insert(staged_.numbers.end(), row_.numbers.begin(), row_.numbers.end());
  if (offsets_) {
    staged_.contacts.insert(staged_.contacts.end(), row_.contacts.begin(), row_.contacts.end());
    contacts_ += static_cast<std::int64_t>(row_.contacts.size());
    staged_.offsets.push_back(contacts_);
  }
  pending_ = 0;
  ++rows_;
  if (staged_.numbers.size() >= kStagedNumbers || staged_.contacts.size() >= kStagedContacts) hand_over();
}

// To the thread that writes, unless HDF5 takes calls from one thread only.
void Recorder::hand_over(std::function<void()> after) {
  auto job = [this, batch = std::exchange(staged_, {}), after = std::move(after)]() mutable {
    write(batch);
    if (after) after();
    buffered_ = file_.buffered_bytes();
  };
  if (h5::thread_safe())
    writer_.post(std::move(job));
  else
    job();
}

void Recorder::write(Batch& batch) {
  const std::size_t width = row_.layout().width(), rows = batch.numbers.size() / width;
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
  for (std::size_t k = 0; k < columns_.size() && rows > 0; ++k) {
    const DatasetInfo& d = row_.layout().datasets()[k];
    numbers.clear();
    for (std::size_t i = 0; i < rows; ++i) {
      const double* from = &batch.numbers[i * width + d.place];
      numbers.insert(numbers.end(), from, from + d.width);
    }
    if (d.integer) {
      whole.assign(numbers.begin(), numbers.end());
      columns_[k].append(whole);
    } else {
      columns_[k].append(numbers);
    }
  }
  write_contacts(batch);
  write_events(batch);
}

void Recorder::write_contacts(Batch& batch) {
  if (!offsets_) return;
  offsets_->append(batch.offsets);
  if (batch.contacts.empty()) return;
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
  for (std::size_t k = 0; k < contact_columns_.size(); ++k) {
    const ContactColumn& c = contact_fields_[k];
    if (c.numbers != nullptr) {
      numbers.clear();
      for (ContactEntry& e : batch.contacts) numbers.insert(numbers.end(), c.numbers(e), c.numbers(e) + c.width);
      contact_columns_[k].append(numbers);
    } else {
      whole.resize(batch.contacts.size() * c.width);
      for (std::size_t i = 0; i < batch.contacts.size(); ++i) c.take(batch.contacts[i], &whole[i * c.width]);
      contact_columns_[k].append(whole);
    }
  }
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
    const std::size_t place = event_columns_.size();
    event_columns_.push_back(place < 4 ? root.rows(path, 1)
                                       : root.integer_rows(path, 1, false, {.integer_bytes = place == 4 ? 1 : 4}));
    if (known) continue;
    event_columns_.back().set("unit", c.unit);
    event_columns_.back().set("description", c.doc);
  }
  if (known) return;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kEventKinds; ++k) names.emplace_back(ricochet::name(static_cast<EventKind>(k)));
  event_columns_[4].set("names", nlohmann::json(names).dump());
}

void Recorder::write_events(const Batch& batch) {
  if (batch.events.empty()) return;
  if (event_columns_.empty()) open_events();
  for (const Event& e : batch.events) {
    const double numbers[4] = {e.t, e.U_before, e.U_after, e.impulse};
    for (std::size_t k = 0; k < 4; ++k) event_columns_[k].append(numbers[k]);
    event_columns_[4].append(static_cast<std::int64_t>(e.kind));
    event_columns_[5].append(static_cast<std::int64_t>(e.item));
  }
}

bool Recorder::flush_is_due() {
  if (--until_clock_ > 0) return false;
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - flushed_).count();
  const bool due = waited >= options_.flush_seconds || buffered_ >= kFlushBytes;
  // About a hundred looks a flush.
  if (stride_ < 4096 && waited < options_.flush_seconds / 100 * stride_) stride_ *= 2;
  if (due) stride_ = std::max(1, stride_ / 4);
  until_clock_ = stride_;
  return due;
}

bool Recorder::grid_step(const RunState& run) {
  ++grid_steps_;
  const bool one = options_.checkpoint_at >= 0;
  const bool asked = one ? run.step == options_.checkpoint_at
                         : options_.checkpoint_every > 0 && grid_steps_ % options_.checkpoint_every == 0;
  if (asked || flush_is_due()) {
    hand_over([this, saved = one && !asked ? std::optional<Checkpoint>() : checkpoint(run)] {
      if (saved) store(*saved);
      file_.flush();
    });
    flushed_ = std::chrono::steady_clock::now();
  }
  return true;
}

Checkpoint Recorder::here(const RunState& run) const {
  if (pending_ == 0) return {run, rows_, 0, {}, {}};
  return {run, rows_, pending_, row_.numbers, row_.contacts};
}

void Recorder::tail(const RunState& run) { tail_ = here(run); }

void Recorder::flush() {
  writer_.wait();
  write(staged_);
  staged_ = {};
  file_.flush();
  buffered_ = 0;
  flushed_ = std::chrono::steady_clock::now();
}

void Recorder::finish(const RunState& run, const RunResult& result) {
  writer_.wait();
  h5::Group root = file_.root();
  // Where it failed, or was interrupted inside a step, the RunState may stand between two grid steps; the checkpoint
  // before stays.
  if (result.status != RunStatus::failed && !result.inside) store(checkpoint(run));
  if (pending_ > 0) push_row();
  writer_.wait();
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
  writer_.wait();
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
