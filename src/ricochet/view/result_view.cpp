#include "ricochet/view/result_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/view/envelope.hpp"
#include "ricochet/view/events.hpp"

namespace ricochet::view {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kMarks = 5000;
constexpr std::size_t kSurveyed = 4'000'000;  // contacts of all rows up to which every one is looked at

}  // namespace

ResultView::ResultView(const std::filesystem::path& path, std::size_t most_frames)
    : results_(path), scenario_(results_.scenario()), curves_(curves_of(scenario_, results_.layout())) {
  const std::size_t rows = results_.rows();
  if (most_frames > 0 && rows > most_frames) stride_ = (rows + most_frames - 1) / most_frames;
  // the last row is always a frame
  frames_ = (rows - 1 + stride_ - 1) / stride_ + 1;
  survey();
  sample_bounds();
}

// One pass over all rows, for curves and marks.
void ResultView::survey() {
  const ResultLayout& layout = results_.layout();
  const bool contacts = layout.has_contacts();
  const std::size_t listed = contacts ? results_.root().dataset("contacts/key").rows() : 0;
  const bool look = listed <= kSurveyed;
  std::vector<NamedColumn> columns;
  for (const Curve& c : curves_) {
    if (!look && c.column.kind >= NamedColumn::Kind::gap) continue;
    columns.push_back(c.column);
  }
  const auto t_column = results_.columns().front();
  columns.push_back(t_column);
  // A column of the contacts brings their lists along, of those without a name too.
  if (look && contacts) columns.push_back({"", NamedColumn::Kind::P});
  Envelope envelope(results_.rows(), curves_.size());
  EventFinder finder(scenario_.model.items());
  const std::vector<Event> located = results_.events();
  std::vector<double> values(curves_.size(), std::nan("")), times;
  for (RowReader reader(results_, columns); reader.next();) {
    const double t = reader.row().numbers[layout.t];
    if (reader.index() % stride_ == 0 || reader.index() + 1 == results_.rows()) times.push_back(t);
    for (std::size_t k = 0; k < curves_.size(); ++k)
      if (look || curves_[k].column.kind < NamedColumn::Kind::gap)
        values[k] = layout.value(curves_[k].column, reader.row());
    envelope.add(t, values);
    for (const ContactEntry& e : reader.row().contacts) largest_ = std::max(largest_, e.P[0]);
    if (located.empty() && look) finder.add(reader.row(), t, marks_);
  }
  t_range_ = {times.front(), times.back()};
  overview_ = envelope.take(times);
  for (const Event& e : located) marks_.push_back({e.t, static_cast<int>(e.kind), e.item});
  if (results_.header().record.contacts == ContactDetail::none)
    notes_.emplace_back("The results hold no contacts (`record: {contacts: none}`).");
  if (!look) notes_.emplace_back("So many contacts that their curves and events are left out.");
  if (marks_.size() > kMarks) {
    notes_.push_back(fmt::format("{} events; 1 in {} is marked.", marks_.size(), marks_.size() / kMarks + 1));
    std::vector<Mark> kept;
    for (std::size_t k = 0; k < marks_.size(); k += marks_.size() / kMarks + 1) kept.push_back(marks_[k]);
    marks_ = std::move(kept);
  }
  if (stride_ > 1)
    notes_.push_back(
        fmt::format("1 in {} of the {} recorded steps is a frame; impulses are sums since the frame before.", stride_,
                    results_.rows()));
}

// How far it moves, from a few frames, and how large a frame is.
void ResultView::sample_bounds() {
  constexpr std::size_t kSamples = 60;
  FrameWriter writer(scenario_, results_.layout(), curves_);
  RowReader reader(results_);
  const std::size_t every = std::max<std::size_t>(1, results_.rows() / kSamples);
  std::size_t bytes = 0, count = 0;
  for (std::size_t row = 0; row < results_.rows(); row += every) {
    reader.seek(row);
    reader.next();
    writer.add(reader.row());
    bytes += writer.bytes();
    ++count;
    writer.take(0);
  }
  low_ = writer.low();
  high_ = writer.high();
  largest_joint_ = writer.largest_reaction();
  largest_stress_ = writer.largest_stress();
  piece_ = std::clamp<std::size_t>(kPieceBytes / std::max<std::size_t>(1, bytes / count), 1, 1024);
}

std::string ResultView::piece(std::size_t index) const {
  if (index >= pieces()) return {};
  const std::lock_guard hold(reading_);
  FrameWriter writer(scenario_, results_.layout(), curves_);
  RowReader reader(results_);
  const std::size_t first = index * piece_, end = std::min(first + piece_, frames_);
  const auto row_of = [&](std::size_t frame) { return std::min(frame * stride_, results_.rows() - 1); };
  // The impulses of the rows before the first frame are part of it.
  const std::size_t from = first == 0 ? 0 : row_of(first - 1) + 1;
  reader.seek(from);
  std::size_t frame = first;
  while (frame < end && reader.next()) {
    if (reader.index() < row_of(frame)) {
      writer.skip(reader.row());
    } else {
      writer.add(reader.row());
      ++frame;
    }
  }
  return writer.take(static_cast<std::uint32_t>(first));
}

std::string ResultView::description() const {
  SceneFacts facts;
  facts.file = std::filesystem::path(results_.file()).filename().string();
  facts.header = results_.header();
  facts.status = results_.status();
  facts.rows = results_.rows();
  facts.frames = frames_;
  facts.stride = stride_;
  facts.frames_in_piece = piece_;
  facts.t_range = t_range_;
  facts.low = low_;
  facts.high = high_;
  facts.largest_impulse = largest_;
  facts.largest_reaction = largest_joint_;
  facts.largest_stress = largest_stress_;
  facts.marks = marks_;
  facts.notes = notes_;
  if (results_.status() == "failed")
    facts.notes.insert(facts.notes.begin(), fmt::format("The run failed: {}.", results_.root().text("failure")));
  return describe(scenario_, curves_, facts);
}

FileSource::FileSource(const std::vector<std::string>& files, std::size_t most_frames) {
  for (const std::string& file : files) results_.push_back(std::make_unique<ResultView>(file, most_frames));
}

std::string FileSource::description() const {
  std::string out = R"({"format":"ricochet-view","version":1,"results":[)";
  for (std::size_t r = 0; r < results_.size(); ++r) {
    if (r > 0) out += ',';
    out += results_[r]->description();
  }
  return out + "]}";
}

std::string FileSource::overview(std::size_t result) const {
  return result < results_.size() ? results_[result]->overview() : std::string();
}

std::string FileSource::piece(std::size_t result, std::size_t index) const {
  return result < results_.size() ? results_[result]->piece(index) : std::string();
}

}  // namespace ricochet::view
