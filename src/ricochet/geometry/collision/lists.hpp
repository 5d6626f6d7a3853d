#pragma once
// Lists that are numbered by int, as shapes number their vertices, edges and faces.
#include <cstddef>

namespace ricochet {

template <class List>
const auto& item(const List& list, int i) {
  return list[static_cast<std::size_t>(i)];
}
int count(const auto& list) { return static_cast<int>(list.size()); }

}  // namespace ricochet
