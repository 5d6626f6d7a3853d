#pragma once
// What contacts do from row to row, for schemes that locate no events: one that carries an impulse and did not before
// was hit; one that carries none any more, after some rows of it, has let go. Contacts without a name are those of two
// bodies, whatever features touch. Friction in a joint and motors are no contacts.
#include <array>
#include <map>
#include <vector>

#include "ricochet/view/scene.hpp"

namespace ricochet::view {

class EventFinder {
 public:
  explicit EventFinder(const std::vector<ConstraintItem>& items) : items_(items) {}
  void add(const ResultRowView& row, double t, std::vector<Mark>& out);

 private:
  using Who = std::array<int, 3>;  ///< an item, or -1 and two bodies
  struct Touch {
    int rows = 0;  ///< in a row with an impulse
    ContactState state = ContactState::open;
  };

  const std::vector<ConstraintItem>& items_;
  std::map<Who, Touch> touching_;
  bool first_ = true;
};

}  // namespace ricochet::view
