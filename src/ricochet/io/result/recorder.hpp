#pragma once
// Writes a run into a result file (io/result/results) as it goes. Rows wait in memory; a flush puts them on disk
// together with a checkpoint, so that a run killed at any moment can be read and resumed from its last flush. Flushes
// come by the clock (and every checkpoint_every steps): they change when numbers reach the disk, never the numbers.
// While the run goes on another thread compresses and writes.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "ricochet/io/file/background.hpp"
#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/result_row.hpp"
#include "ricochet/io/result/results.hpp"

namespace ricochet {

struct RecorderOptions {
  std::int64_t checkpoint_every = 0;  ///< grid steps; 0: with the flushes by the clock
  double flush_seconds = 1;
  std::int64_t checkpoint_at = -1;  ///< the one grid step after which a checkpoint is stored; negative: with each flush
};

class Recorder final : public Observer {
 public:
  /// A new file with row 0. std::runtime_error if it cannot be written.
  Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model, const RunState& start,
           const RecorderOptions& options);
  Recorder(h5::File file, const ResultHeader& header, const Model& model, const RunState& start,
           const RecorderOptions& options);
  /// Goes on in the file of a checkpoint: rows after it are forgotten. What the file says of the record holds.
  Recorder(const std::filesystem::path& path, const ResultHeader& header, const Model& model,
           const Checkpoint& checkpoint, const RecorderOptions& options);

  void step(const State& before, const State& after, const StepReport& report) override;
  /// Instead of steps: a row that was made elsewhere, in the layout of the file, and what happened since the row
  /// before.
  void take(const ResultRowView& row, std::span<const Event> events);
  bool grid_step(const RunState& run) override;
  /// The checkpoint of the rest of the run: the rows after it are for the sake of `until`, a longer run drops them.
  void tail(const RunState& run) override;
  void tail(Checkpoint checkpoint) { tail_ = std::move(checkpoint); }
  /// The last row, the summary, how it ended and the last checkpoint. After a failure the checkpoint is the one saved
  /// last before it.
  void finish(const RunState& run, const RunResult& result);
  /// The run is given up inside a step: every row so far, their summary, and the checkpoint saved last.
  void stop(const Summary& summary);

  std::int64_t rows() const { return rows_; }

 private:
  /// Rows that wait, and what happened in them.
  struct Batch {
    std::vector<double> numbers;  ///< whole rows, one after the other
    std::vector<ContactEntry> contacts;
    std::vector<std::int64_t> offsets;
    std::vector<Event> events;
  };
  void describe(const ResultHeader& header);
  void write_names();
  void open_columns();
  void open_contacts();
  void push_row();
  void open_events();
  void hand_over(std::function<void()> after = {});
  void write(Batch& batch);
  void write_contacts(Batch& batch);
  void write_events(const Batch& batch);
  Checkpoint here(const RunState& run) const;
  Checkpoint checkpoint(const RunState& run) const { return tail_ ? *tail_ : here(run); }
  void store(const Checkpoint& checkpoint) { store_checkpoint(file_.root().group("checkpoint"), checkpoint); }
  void summarise(const Summary& summary);
  void flush();
  bool flush_is_due();

  const Model& model_;
  RecordChoice record_;
  RecorderOptions options_;
  h5::File file_;
  std::vector<h5::Rows> columns_;
  ResultRow row_;
  double expected_rows_ = 0;  ///< 0: nobody knows
  Batch staged_;
  std::vector<ContactColumn> contact_fields_;
  std::vector<h5::Rows> contact_columns_;
  std::optional<h5::Rows> offsets_;
  std::int64_t contacts_ = 0;  ///< of all rows so far
  std::vector<h5::Rows> event_columns_;
  std::optional<Checkpoint> tail_;
  std::int64_t rows_ = 0, pending_ = 0, grid_steps_ = 0;
  std::chrono::steady_clock::time_point flushed_;
  int stride_ = 1, until_clock_ = 1;  ///< the clock is read every stride_ grid steps, more rarely the faster they are
  std::atomic<std::size_t> buffered_ = 0;  ///< bytes that the file holds back
  Background writer_;                      ///< last: it ends before what it writes to
};

}  // namespace ricochet
