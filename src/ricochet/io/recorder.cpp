#include "ricochet/io/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ricochet {
namespace {

constexpr std::size_t kStagedNumbers = std::size_t{1} << 18;  // 2 MiB of rows before they are sorted into columns
constexpr std::size_t kFlushBytes = std::size_t{64} << 20;

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const RunState& start, const RecorderOptions& options)
    : model_(model), layout_(model), options_(options), file_(h5::File::create(path)), row_(layout_.width) {
  describe(header);
  open_columns();
  first_row(start);
  save(start);
}

Recorder::Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
                   const Checkpoint& checkpoint, const RecorderOptions& options)
    : model_(model), layout_(model), options_(options), file_(h5::File::open_writable(path)), row_(checkpoint.partial) {
  if (row_.size() != layout_.width) throw InputError(path.string(), "the checkpoint does not fit the scenario");
  options_.every = file_.root().integer("record_every");
  describe(header);
  open_columns();
  for (h5::Rows& column : columns_) column.truncate(static_cast<std::size_t>(checkpoint.rows));
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
  for (const ColumnInfo& c : layout_.columns) {
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
  for (std::size_t i = 0; i < layout_.items.size(); ++i) {
    h5::Group group = root.group(layout_.items[i].group);
    group.set("name", model_.items()[i].name);
    group.set("kind", layout_.items[i].bilateral ? "joint" : "contact");
  }
}

void Recorder::first_row(const RunState& start) {
  const State& s = start.state;
  std::fill(row_.begin(), row_.end(), 0.0);
  row_[layout_.t] = s.t;
  std::copy(s.q.begin(), s.q.end(), row_.begin() + static_cast<std::ptrdiff_t>(layout_.q));
  std::copy(s.v.begin(), s.v.end(), row_.begin() + static_cast<std::ptrdiff_t>(layout_.v));
  row_[layout_.energy] = start.summary.energy.kinetic;
  row_[layout_.energy + 1] = start.summary.energy.potential;
  for (const ResultLayout::Item& item : layout_.items) {
    std::fill_n(row_.begin() + static_cast<std::ptrdiff_t>(item.g), item.g_dim, std::nan(""));
    std::fill_n(row_.begin() + static_cast<std::ptrdiff_t>(item.U), item.dim, std::nan(""));
  }
  Workspace w(model_);
  begin_step(model_, s, 0, w);
  double* certificate = &row_[layout_.certificate];
  for (std::size_t i = 0; i < w.candidates.size(); ++i) {
    const Candidate& c = w.candidates[i];
    const ResultLayout::Item& item = layout_.items[static_cast<std::size_t>(model_.index_of(c))];
    const int first = w.before->rows.G.blocks()[i].row;
    const double *g = w.before->rows.g.data() + first, *U = w.before->U.data() + first;
    std::copy(g, g + item.g_dim, &row_[item.g]);
    std::copy(U, U + c.dim, &row_[item.U]);
    if (!c.bilateral()) certificate[1] = std::max(certificate[1], -g[0]);
    for (int k = 0; c.bilateral() && k < c.dim; ++k) {
      certificate[2] = std::max(certificate[2], std::abs(g[k]));
      certificate[3] = std::max(certificate[3], std::abs(U[k]));
    }
  }
  push_row();
}

void Recorder::step(const State&, const State& after, const StepReport& report) {
  if (pending_ == 0) std::fill(row_.begin(), row_.end(), 0.0);
  fill(after, report);
  ++pending_;
  if (options_.every > 0 && pending_ >= options_.every) push_row();
}

void Recorder::fill(const State& after, const StepReport& report) {
  double* const row = row_.data();
  row[layout_.t] = after.t;
  row[layout_.h] += report.h;
  row[layout_.steps] += 1;
  std::copy(after.q.data(), after.q.data() + after.q.size(), row + layout_.q);
  std::copy(after.v.data(), after.v.data() + after.v.size(), row + layout_.v);

  double numbers[kEnergies];
  energy_numbers(report.energy, numbers);
  double* energy = row + layout_.energy;
  for (std::size_t k = 0; k < kEnergies; ++k) energy[k] = k < kEnergyStates ? numbers[k] : energy[k] + numbers[k];
  certificate_numbers(report.certificate, numbers);
  double* certificate = row + layout_.certificate;
  for (std::size_t k = 0; k < kCertificates; ++k) certificate[k] = std::max(certificate[k], numbers[k]);
  double* iterations = row + layout_.iterations;
  iterations[0] += report.newton;
  iterations[1] += report.solver;
  iterations[2] += report.activations;
  iterations[3] += report.projections;
  iterations[4] = std::max(iterations[4], static_cast<double>(report.contacts));
  iterations[5] += report.impacts;

  if (report.constraints.size() != layout_.items.size())
    for (const ResultLayout::Item& item : layout_.items) {
      std::fill_n(row + item.g, item.g_dim, std::nan(""));
      std::fill_n(row + item.U, item.dim, std::nan(""));
      std::fill_n(row + item.reaction, item.dim, 0.0);
    }
  for (const ConstraintReport& c : report.constraints) {
    const ResultLayout::Item& item = layout_.items[static_cast<std::size_t>(model_.index_of(*c.candidate))];
    for (int k = 0; k < item.g_dim; ++k) {
      row[item.g + static_cast<std::size_t>(k)] = c.g[k];
      row[item.correction + static_cast<std::size_t>(k)] += c.correction[k];
    }
    for (int k = 0; k < c.candidate->dim; ++k) {
      const auto at = static_cast<std::size_t>(k);
      row[item.U + at] = c.U[k];
      row[item.P + at] += c.impulse[k];
      const double smooth = item.bilateral ? c.smooth[k] : 0;
      if (item.bilateral) row[item.smooth + at] = smooth;
      row[item.reaction + at] = c.impulse[k] / report.h + smooth;
    }
  }
}

void Recorder::push_row() {
  staged_.insert(staged_.end(), row_.begin(), row_.end());
  pending_ = 0;
  ++rows_;
  if (staged_.size() >= kStagedNumbers) hand_over();
}

void Recorder::hand_over() {
  const std::size_t rows = staged_.size() / layout_.width;
  std::size_t at = 0;
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const ColumnInfo& c = layout_.columns[k];
    numbers.clear();
    for (std::size_t i = 0; i < rows; ++i) {
      const double* from = &staged_[i * layout_.width + at];
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

void Recorder::save(const RunState& run) {
  store_checkpoint(file_.root().group("checkpoint"), {run, rows_, pending_, row_});
  flush();
}

void Recorder::flush() {
  if (!staged_.empty()) hand_over();
  file_.flush();
  flushed_ = std::chrono::steady_clock::now();
}

void Recorder::finish(const RunState& run, const RunResult& result) {
  h5::Group root = file_.root();
  // Where it failed the RunState may stand between two grid steps; the checkpoint before stays.
  if (result.status != RunStatus::failed) store_checkpoint(root.group("checkpoint"), {run, rows_, pending_, row_});
  if (pending_ > 0) push_row();
  root.set("status", name(result.status));
  if (result.status == RunStatus::failed) {
    const StepReport& failure = result.failure;
    root.set("failure", ricochet::name(failure.status));
    root.set("failed_at", result.failed_at);
    root.set("failed_step", result.failed_step);
    root.set("remedy", remedy(failure.status));
    const bool blamed = failure.blame >= 0 && failure.blame < static_cast<int>(model_.items().size());
    root.set("failed_constraint", blamed ? model_.items()[static_cast<std::size_t>(failure.blame)].name : "");
  }
  h5::Group group = root.group("summary");
  const SummaryNumbers all = numbers_of(run.summary);
  for (const auto& [key, value] : all.integers) group.set(key, value);
  for (const auto& [key, value] : all.numbers) group.set(key, value);
  flush();
}

}  // namespace ricochet
