#include "ricochet/view/events.hpp"

#include <algorithm>

namespace ricochet::view {

void EventFinder::add(const ResultRowView& row, double t, std::vector<Mark>& out) {
  std::map<Who, ContactState> now;  // the liveliest of several contacts
  for (const ContactEntry& e : row.contacts) {
    if (!(e.P[0] > 0) || (e.item >= 0 && items_[static_cast<std::size_t>(e.item)].velocity_only)) continue;
    ContactState& state = now[e.item >= 0 ? Who{e.item, 0, 0} : Who{-1, e.bodies[0], e.bodies[1]}];
    state = std::max(state, e.state);
  }
  for (const auto& [who, state] : now) {
    Touch& touch = touching_[who];
    const auto mark = [&, item = who[0]](EventKind kind) { out.push_back({t, static_cast<int>(kind), item}); };
    if (!first_ && touch.rows == 0) mark(EventKind::impact);
    if (touch.state == ContactState::sticking && state == ContactState::sliding) mark(EventKind::sliding);
    if (touch.state == ContactState::sliding && state == ContactState::sticking) mark(EventKind::sticking);
    touch.state = state;
    ++touch.rows;
  }
  std::erase_if(touching_, [&](const auto& entry) {
    const auto& [who, touch] = entry;
    if (now.contains(who)) return false;
    if (touch.rows > 1) out.push_back({t, static_cast<int>(EventKind::opening), who[0]});
    return true;
  });
  first_ = false;
}

}  // namespace ricochet::view
