#pragma once
// What contacts do from row to row, for schemes that locate no events: one that carries an impulse and did not before
// was hit; one that carries none any more, after some rows of it, has let go.
#include <vector>

#include "ricochet/view/scene.hpp"

namespace ricochet::view {

class EventFinder {
 public:
  explicit EventFinder(std::size_t items) : loaded_(items, 0), state_(items, ContactState::open) {}
  void add(const ResultRowView& row, double t, std::vector<Mark>& out);

 private:
  std::vector<int> loaded_, now_;  ///< rows in a row with an impulse
  std::vector<ContactState> state_;
  bool first_ = true;
};

}  // namespace ricochet::view
