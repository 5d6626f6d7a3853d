#include "ricochet/view/events.hpp"

namespace ricochet::view {

void EventFinder::add(const ResultRowView& row, double t, std::vector<Mark>& out) {
  now_.assign(loaded_.size(), 0);
  for (const ContactEntry& e : row.contacts) {
    if (e.item < 0 || !(e.P[0] > 0)) continue;
    const auto i = static_cast<std::size_t>(e.item);
    now_[i] = loaded_[i] + 1;
    const auto mark = [&](EventKind kind) { out.push_back({t, static_cast<int>(kind), e.item}); };
    if (!first_ && loaded_[i] == 0) mark(EventKind::impact);
    if (state_[i] == ContactState::sticking && e.state == ContactState::sliding) mark(EventKind::sliding);
    if (state_[i] == ContactState::sliding && e.state == ContactState::sticking) mark(EventKind::sticking);
    state_[i] = e.state;
  }
  for (std::size_t i = 0; i < loaded_.size(); ++i)
    if (now_[i] == 0) {
      if (loaded_[i] > 1) out.push_back({t, static_cast<int>(EventKind::opening), static_cast<int>(i)});
      state_[i] = ContactState::open;
    }
  loaded_.swap(now_);
  first_ = false;
}

}  // namespace ricochet::view
