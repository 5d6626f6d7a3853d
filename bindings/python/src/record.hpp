#pragma once
// The rows of a run in memory, in the layout of a result file. Arrays of Python look into them without a copy: what was
// written once is never moved or changed while an array is there. A block that is full is replaced by a larger copy,
// and the arrays keep the old one.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "ricochet/io/result/checkpoint.hpp"
#include "ricochet/io/result/result_row.hpp"
#include "ricochet/io/result/results.hpp"

namespace ricochet::python {

template <class T>
class Growing {
 public:
  std::size_t size() const { return size_; }
  const T* data() const { return block_.get(); }
  const std::shared_ptr<T[]>& block() const { return block_; }

  void append(const T* from, std::size_t n) {
    if (size_ + n > capacity_) grow(size_ + n);
    std::copy_n(from, n, block_.get() + size_);
    size_ += n;
  }

 private:
  void grow(std::size_t need) {
    const std::size_t capacity = std::max(need, 2 * capacity_ + 64);
    // Not initialised: half of it may never be used.
    std::shared_ptr<T[]> larger(new T[capacity]);
    std::copy_n(block_.get(), size_, larger.get());
    block_ = std::move(larger);
    capacity_ = capacity;
  }

  std::shared_ptr<T[]> block_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// All rows so far. Copies share the numbers.
struct Table {
  Growing<double> numbers;  ///< rows x width
  Growing<ContactEntry> contacts;
  Growing<std::int64_t> offsets;  ///< contacts of row k: offsets[k] to offsets[k + 1]
  Growing<Event> events;
  Growing<std::int64_t> event_offsets;
  std::size_t rows = 0;

  Table() {
    constexpr std::int64_t zero = 0;
    offsets.append(&zero, 1);
    event_offsets.append(&zero, 1);
  }
  void push(const ResultRowView& row, std::size_t width) {
    numbers.append(row.numbers, width);
    contacts.append(row.contacts.data(), row.contacts.size());
    close_row();
  }
  void close_row() {
    const auto n = static_cast<std::int64_t>(contacts.size()), e = static_cast<std::int64_t>(events.size());
    offsets.append(&n, 1);
    event_offsets.append(&e, 1);
    ++rows;
  }
};

/// Makes the rows of a table from steps.
class Record {
 public:
  Record(const Model& model, const ResultHeader& header, const RunState& start)
      : start_(start),
        row_(std::in_place, model, layout_of(model, header.record), header.closed_below),
        every_(header.record.every),
        closed_below_(header.closed_below) {
    row_->start(start);
    push();
  }
  void add(const State& after, const StepReport& report) {
    if (pending_ == 0) row_->clear();
    row_->add(after, report);
    if (!report.events.empty()) table_.events.append(report.events.data(), report.events.size());
    ++pending_;
    if (every_ > 0 && pending_ >= every_) push();
  }
  /// The run was put somewhere else: a row that says where.
  void restart(const RunState& run) {
    close();
    row_->start(run);
    push();
  }
  /// Steps come from another model from now on, of the same layout.
  void follow(const Model& model) {
    close();
    ResultLayout layout = row_->layout();
    row_.emplace(model, std::move(layout), closed_below_);
  }
  /// What waits for its row becomes one: the run has come to an end.
  void close() {
    if (pending_ > 0) push();
  }
  /// Where a run that is resumed would go on.
  Checkpoint here(const RunState& run) const {
    const auto rows = static_cast<std::int64_t>(table_.rows);
    if (pending_ == 0) return {run, rows, 0, {}, {}};
    return {run, rows, pending_, row_->numbers, row_->contacts};
  }
  const Table& table() const { return table_; }
  const RunState& start() const { return start_; }
  const ResultRow& row() const { return *row_; }
  const ResultLayout& layout() const { return row_->layout(); }

 private:
  void push() {
    table_.push(row_->view(), row_->numbers.size());
    pending_ = 0;
  }

  RunState start_;
  std::optional<ResultRow> row_;
  std::int64_t every_, pending_ = 0;
  double closed_below_;
  Table table_;
};

}  // namespace ricochet::python
