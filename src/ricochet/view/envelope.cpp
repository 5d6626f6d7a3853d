#include "ricochet/view/envelope.hpp"

namespace ricochet::view {
namespace {
constexpr std::size_t kPoints = 4000;
}

Envelope::Envelope(std::size_t rows, std::size_t curves)
    : interval_(rows <= kPoints ? 1 : (2 * rows + kPoints - 1) / kPoints),
      values_(curves),
      low_(curves),
      high_(curves) {}

void Envelope::add(double t, const std::vector<double>& x) {
  if (interval_ == 1) {
    t_.push_back(t);
    for (std::size_t k = 0; k < x.size(); ++k) values_[k].push_back(x[k]);
    return;
  }
  if (count_ == 0) start_ = t;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (count_ == 0 || !(x[k] >= low_[k].value)) low_[k] = {x[k], count_};
    if (count_ == 0 || !(x[k] <= high_[k].value)) high_[k] = {x[k], count_};
  }
  end_ = t;
  if (++count_ == interval_) flush();
}

// The earlier of the two comes first.
void Envelope::flush() {
  if (count_ == 0) return;
  t_.push_back(start_);
  t_.push_back(start_ + 0.5 * (end_ - start_));
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const bool rising = low_[k].at <= high_[k].at;
    values_[k].push_back(rising ? low_[k].value : high_[k].value);
    values_[k].push_back(rising ? high_[k].value : low_[k].value);
  }
  count_ = 0;
}

std::string Envelope::take(const std::vector<double>& frame_times) {
  flush();
  const std::uint32_t head[4] = {0x314F5652,  // "RVO1"
                                 static_cast<std::uint32_t>(t_.size()), static_cast<std::uint32_t>(values_.size()),
                                 static_cast<std::uint32_t>(frame_times.size())};
  std::string out(reinterpret_cast<const char*>(head), sizeof head);
  const auto append = [&](const std::vector<double>& x) {
    out.append(reinterpret_cast<const char*>(x.data()), 8 * x.size());
  };
  append(t_);
  for (const auto& x : values_) append(x);
  append(frame_times);
  return out;
}

}  // namespace ricochet::view
