#include "ricochet/view/live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ricochet/view/envelope.hpp"
#include "ricochet/view/events.hpp"

namespace ricochet::view {
namespace {

constexpr std::size_t kRoom = std::size_t{64} << 20;  // bytes
constexpr std::size_t kRows = 4096;
constexpr std::size_t kPiece = 64;

}  // namespace

LiveRun::LiveRun(const Scenario& scenario, const RunState& start)
    : scenario_(scenario),
      layout_(layout_of(scenario.model, {})),
      curves_(curves_of(scenario, layout_)),
      header_(header_of(scenario)),
      most_(std::clamp<std::size_t>(kRoom / (8 * layout_.width()), 64, kRows)),
      row_(scenario.model, layout_, header_.closed_below) {
  row_.start(start);
  keep();
}

void LiveRun::step(const State& after, const StepReport& report) {
  if (waiting_ == 0) row_.clear();
  row_.add(after, report);
  const std::lock_guard hold(mutex_);
  ++steps_;
  if (++waiting_ < stride_) return;
  waiting_ = 0;
  keep();
  changed_.notify_all();
}

void LiveRun::finish() {
  const std::lock_guard hold(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void LiveRun::keep() {
  rows_.push_back({row_.numbers, row_.contacts});
  for (const ContactEntry& e : row_.contacts) largest_ = std::max(largest_, e.P[0]);
  if (rows_.size() >= most_) thin();
}

void LiveRun::thin() {
  for (std::size_t k = 1; 2 * k < rows_.size(); ++k) rows_[k] = std::move(rows_[2 * k]);
  rows_.resize((rows_.size() + 1) / 2);
  stride_ *= 2;
  ++generation_;
}

std::size_t LiveRun::rows_held() const {
  const std::lock_guard hold(mutex_);
  return rows_.size();
}

std::string LiveRun::description() const {
  const std::lock_guard hold(mutex_);
  SceneFacts facts;
  facts.file = scenario_.name;
  facts.header = header_;
  facts.status = ended_ ? "ended" : "running";
  facts.live = true;
  facts.rows = facts.frames = rows_.size();
  facts.stride = stride_;
  facts.frames_in_piece = kPiece;
  facts.t_range = {rows_.front().numbers[layout_.t], rows_.back().numbers[layout_.t]};
  facts.largest_impulse = largest_;
  FrameWriter writer(scenario_, layout_, curves_);
  const std::size_t every = std::max<std::size_t>(1, rows_.size() / 50);
  for (std::size_t k = 0; k < rows_.size(); k += every) writer.add(rows_[k].view());
  writer.add(rows_.back().view());
  facts.low = writer.low();
  facts.high = writer.high();
  facts.largest_reaction = writer.largest_reaction();
  facts.largest_stress = writer.largest_stress();
  EventFinder finder(scenario_.model.items());
  for (const Row& r : rows_) finder.add(r.view(), r.numbers[layout_.t], facts.marks);
  return R"({"format":"ricochet-view","version":1,"results":[)" + describe(scenario_, curves_, facts) + "]}";
}

std::string LiveRun::overview(std::size_t result) const {
  if (result != 0) return {};
  const std::lock_guard hold(mutex_);
  Envelope envelope(rows_.size(), curves_.size());
  std::vector<double> values(curves_.size()), times;
  for (const Row& r : rows_) {
    times.push_back(r.numbers[layout_.t]);
    for (std::size_t k = 0; k < curves_.size(); ++k) values[k] = layout_.value(curves_[k].column, r.view());
    envelope.add(times.back(), values);
  }
  return envelope.take(times);
}

std::string LiveRun::piece(std::size_t result, std::size_t index) const {
  const std::lock_guard hold(mutex_);
  if (result != 0 || index * kPiece >= rows_.size()) return {};
  FrameWriter writer(scenario_, layout_, curves_);
  for (std::size_t k = index * kPiece; k < std::min((index + 1) * kPiece, rows_.size()); ++k)
    writer.add(rows_[k].view());
  return writer.take(static_cast<std::uint32_t>(index * kPiece));
}

std::string LiveRun::news(std::size_t& seen) const {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, std::chrono::milliseconds(500), [&] { return ended_ || steps_ > seen; });
  if (ended_) return R"({"ended":true})";
  if (steps_ == seen) return {};
  seen = steps_;
  return fmt::format(R"({{"frames":{},"generation":{},"steps":{},"stride":{},"largest_impulse":{}}})", rows_.size(),
                     generation_, steps_, stride_, largest_);
}

}  // namespace ricochet::view
